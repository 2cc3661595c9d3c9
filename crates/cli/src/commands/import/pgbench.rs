//! Converts a pgbench command line to a Tacho command.
//!
//! Nothing is executed, and no password is printed. Start reading at [`translated`].

use std::collections::BTreeMap;

use tacho_core::{Error, Result};

use super::conninfo;
use super::draft::{Draft, Translation, Url, with_option, without_password};
use super::getopt::{Flag, Given, read};
use super::line::Call;
use super::options::{Options, invalid, shown};

/// The workload with the same tables.
const WORKLOAD: &str = "tpcb";
/// Prefix of scripts.
const PREFIX: &str = "pgbench:";
/// The built-in scripts, beginning with the default.
const BUILT_IN: [&str; 3] = ["tpcb-like", "simple-update", "select-only"];
/// The options of all versions.
const FLAGS: [Flag; 48] = [
    ("i", "initialize", false),
    ("I", "init_steps", true),
    ("F", "fillfactor", true),
    ("n", "no_vacuum", false),
    ("q", "quiet", false),
    ("s", "scale", true),
    ("", "foreign_keys", false),
    ("", "index_tablespace", true),
    ("", "partition_method", true),
    ("", "partitions", true),
    ("", "tablespace", true),
    ("", "unlogged_tables", false),
    ("b", "builtin", true),
    ("f", "file", true),
    ("N", "skip_some_updates", false),
    ("S", "select_only", false),
    ("c", "client", true),
    ("C", "connect", false),
    ("D", "define", true),
    ("j", "jobs", true),
    ("l", "log", false),
    ("L", "latency_limit", true),
    ("M", "protocol", true),
    ("P", "progress", true),
    ("r", "report_per_command", false),
    ("", "report_latencies", false),
    ("R", "rate", true),
    ("t", "transactions", true),
    ("T", "time", true),
    ("v", "vacuum_all", false),
    ("", "aggregate_interval", true),
    ("", "failures_detailed", false),
    ("", "log_prefix", true),
    ("", "max_tries", true),
    ("", "progress_timestamp", false),
    ("", "random_seed", true),
    ("", "sampling_rate", true),
    ("", "show_script", true),
    ("", "verbose_errors", false),
    ("", "exit_on_abort", false),
    ("", "continue_on_error", false),
    // In newer versions of pgbench, `-d` takes the name of the database. It can be treated as an option without a
    // value nevertheless, because a separate word is also accepted as the name of the database.
    ("d", "debug", false),
    ("", "dbname", true),
    ("h", "host", true),
    ("p", "port", true),
    ("U", "username", true),
    ("V", "version", false),
    ("?", "help", false),
];
/// Options that can be omitted. They only affect the output, or Tacho always does what they request.
const PRINTED: [&str; 7] = [
    "progress",
    "progress_timestamp",
    "failures_detailed",
    "verbose_errors",
    "debug",
    "quiet",
    "continue_on_error",
];
/// Options that select scripts. Their order on the command line matters.
const SCRIPTS: [&str; 4] = ["builtin", "file", "skip_some_updates", "select_only"];
/// Options that make pgbench print something and exit.
const ENDING: [&str; 3] = ["version", "help", "show_script"];
/// Keywords that can be used in a connection string, each with the environment variable and the option of the same
/// meaning.
const PLACE: [(&str, &str, &str); 12] = [
    ("host", "PGHOST", "host"),
    ("port", "PGPORT", "port"),
    ("user", "PGUSER", "username"),
    ("dbname", "PGDATABASE", ""),
    ("password", "PGPASSWORD", ""),
    ("sslmode", "PGSSLMODE", ""),
    ("sslrootcert", "PGSSLROOTCERT", ""),
    ("options", "PGOPTIONS", ""),
    ("service", "PGSERVICE", ""),
    ("application_name", "PGAPPNAME", ""),
    ("connect_timeout", "PGCONNECT_TIMEOUT", ""),
    ("channel_binding", "PGCHANNELBINDING", ""),
];
/// The usual name of a log, without the process id.
const LOG: &str = "pgbench_log";
/// Number of transactions per client if no option specifies it.
const TRANSACTIONS: u64 = 10;
/// Tacho's maximum number of attempts, used if pgbench would retry without a limit.
const ATTEMPTS: u64 = 1000;

/// Converts a pgbench command to Tacho commands. If environment variables are converted too, they are removed from the
/// command.
pub(super) fn translated(call: &mut Call) -> Result<Translation> {
    let mut given = read(&call.words, &FLAGS)?;
    let scripts = scripts(&mut given)?;
    let defined = given.all("define");
    let mut options = given.by_name();
    if let Some(name) = ENDING.iter().find(|name| options.take(name).is_some()) {
        return Err(Error::usage(format!("with --{}, pgbench runs nothing", shown(name))));
    }
    let database = match &given.others[..] {
        [] => options.take("dbname"),
        [database] => Some(database.clone()),
        [_, other, ..] => return Err(Error::usage(format!("unexpected word \"{other}\""))),
    };
    let mut import = Import { options, draft: Draft::default() };
    let target = import.target(database, &mut call.variables);
    if import.options.switch("initialize")? == Some(true) {
        import.initialize(target)?;
    } else {
        import.run(&scripts, &defined, target)?;
    }
    import.finished()
}

/// Removes the options that select scripts and returns the scripts with their weights.
fn scripts(given: &mut Given) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (name, value) in given.options.extract_if(.., |(name, _)| SCRIPTS.contains(name)) {
        found.push(match name {
            "skip_some_updates" => BUILT_IN[1].to_owned(),
            "select_only" => BUILT_IN[2].to_owned(),
            "builtin" => built_in(&value)?,
            _ => value,
        });
    }
    if found.is_empty() {
        found.push(BUILT_IN[0].to_owned());
    }
    Ok(found)
}

/// Returns the name of a built-in script, which may be abbreviated, with its weight.
fn built_in(given: &str) -> Result<String> {
    let (name, weight) = given.split_at(given.rfind('@').unwrap_or(given.len()));
    let mut known = BUILT_IN.iter().filter(|known| known.starts_with(name));
    match (known.next(), known.next()) {
        (Some(known), None) => Ok(format!("{known}{weight}")),
        _ => Err(invalid("builtin", given, &BUILT_IN.join(", "))),
    }
}

/// A conversion in progress.
struct Import {
    options: Options,
    draft: Draft,
}

impl Import {
    fn initialize(&mut self, target: String) -> Result<()> {
        self.draft.begin("prepare", WORKLOAD);
        self.draft.word(target);
        self.draft.say("scale", self.options.number(&["scale"])?.unwrap_or(1));
        if let Some(percent) =
            self.options.number(&["fillfactor"])?.filter(|percent| *percent != 100)
        {
            self.draft.say("storage", format!("fillfactor={percent}"));
        }
        if self.options.switch("unlogged_tables")? == Some(true) {
            self.draft.say("storage", "unlogged=true");
        }
        if let Some(tablespace) = self.options.take("tablespace") {
            self.draft.say("storage", format!("tablespace={tablespace}"));
        }
        let steps = self.options.take("init_steps").unwrap_or_default();
        if !["", "dtgvp", "dtGvp"].contains(&steps.as_str()) {
            self.draft.without(&format!("--init-steps={steps}"));
        }
        self.options.take("no_vacuum");
        for name in ["foreign_keys", "index_tablespace", "partitions", "partition_method"] {
            self.without(name, "0");
        }
        Ok(())
    }

    fn run(&mut self, scripts: &[String], defined: &[String], mut target: String) -> Result<()> {
        self.draft.begin("run", &format!("{PREFIX}{}", scripts[0]));
        for script in &scripts[1..] {
            self.draft.word(format!("{PREFIX}{script}"));
        }
        let protocol = self.options.take("protocol").unwrap_or_else(|| "simple".into());
        if protocol == "extended" {
            target = with_option(&target, "parse", "each");
        }
        self.draft.word(target);
        let clients = self.options.number(&["client"])?.unwrap_or(1);
        self.draft.say("sessions", clients);
        if let Some(threads) = self.options.number(&["jobs"])? {
            self.draft.say("workers", threads);
        }
        self.length(clients)?;
        if let Some(rate) = self.options.take("rate") {
            rate.parse::<f64>().map_err(|_| invalid("rate", &rate, "a number"))?;
            self.draft.say("rate", rate);
        }
        if let Some(limit) = self.options.take("latency_limit") {
            limit.parse::<f64>().map_err(|_| invalid("latency_limit", &limit, "a number"))?;
            self.draft.say("latency-limit", format!("{limit}ms"));
        }
        if self.options.switch("connect")? == Some(true) {
            self.draft.say("reconnect", "yes");
        }
        match protocol.as_str() {
            "simple" => self.draft.say("form", "simple"),
            "extended" | "prepared" => self.draft.say("form", "sql"),
            other => return Err(invalid("protocol", other, "simple, extended or prepared")),
        }
        self.data(scripts)?;
        for pair in defined {
            self.draft.say("set", pair);
        }
        match self.options.number(&["max_tries"])? {
            None | Some(1) => {}
            Some(tries) => {
                self.draft.say("retry", "same");
                self.draft.say("attempts", if tries == 0 { ATTEMPTS } else { tries });
            }
        }
        if let Some(seed) = self.options.take("random_seed") {
            match seed.parse::<u64>() {
                Ok(seed) => self.draft.say("seed", seed),
                Err(_) if seed == "time" || seed == "rand" => {}
                Err(_) => return Err(invalid("random_seed", &seed, "time, rand or an integer")),
            }
        }
        self.outputs()
    }

    fn length(&mut self, clients: u64) -> Result<()> {
        let transactions = self.options.number(&["transactions"])?;
        match (self.options.time(&["time"])?, transactions) {
            (Some(_), Some(_)) => {
                return Err(Error::usage("--time and --transactions exclude each other"));
            }
            (Some(time), None) => self.draft.say("duration", format!("{}s", time.as_secs())),
            (None, each) => {
                let all = each.unwrap_or(TRANSACTIONS).saturating_mul(clients);
                self.draft.say("transactions", all);
            }
        }
        self.draft.say("ramp-up", "0s");
        Ok(())
    }

    /// Converts the options that determine the tables.
    fn data(&mut self, scripts: &[String]) -> Result<()> {
        let is_built_in =
            |script: &String| BUILT_IN.iter().any(|known| script.split('@').next() == Some(known));
        let scale = self.options.number(&["scale"])?;
        if let Some(scale) = scale.filter(|_| !scripts.iter().any(is_built_in)) {
            self.draft.say("scale", scale);
        }
        let keeps = self.options.switch("no_vacuum")? == Some(true);
        if !keeps && scripts.iter().any(is_built_in) {
            self.draft.note(
                "before a run, pgbench empties pgbench_history and vacuums the tables; Tacho does neither",
            );
        }
        self.without("vacuum_all", "off");
        Ok(())
    }

    /// Adds notes about options for additional measurements, and about those without an equivalent.
    fn outputs(&mut self) -> Result<()> {
        let per_command = ["report_per_command", "report_latencies"];
        if per_command.map(|name| self.options.take(name)).iter().any(Option::is_some) {
            self.draft.say("statement-times", "yes");
        }
        self.without("exit_on_abort", "off");
        let file = self.options.take("log_prefix").unwrap_or_else(|| LOG.into());
        let interval = self.options.number(&["aggregate_interval"])?;
        let sample = self.options.take("sampling_rate");
        if self.options.take("log").is_some() {
            self.draft.say("log", file);
            if let Some(seconds) = &interval {
                self.draft.say("log-interval", format!("{seconds}s"));
            }
            if let Some(sample) = &sample {
                self.draft.say("log-sample", sample);
            }
            self.draft
                .note("pgbench adds its process id to the name of the log, and Tacho does not");
        }
        Ok(())
    }

    fn without(&mut self, name: &str, usual: &str) {
        if let Some(value) = self.options.take(name).filter(|value| value != usual) {
            let value = if value == "on" { String::new() } else { format!("={value}") };
            self.draft.without(&format!("--{}{value}", shown(name)));
        }
    }

    /// Returns the URL for a database name or a connection string.
    fn target(
        &mut self,
        database: Option<String>,
        variables: &mut Vec<(String, String)>,
    ) -> String {
        let mut place = BTreeMap::new();
        for (key, variable, option) in PLACE {
            for (_, value) in variables.extract_if(.., |(name, _)| name == variable) {
                place.insert(key, value);
            }
            place.extend(self.options.take(option).map(|value| (key, value)));
        }
        let database = database.unwrap_or_default();
        let is_url = database.starts_with("postgres://") || database.starts_with("postgresql://");
        if is_url {
            place.retain(|key, _| *key == "password");
        } else if database.contains('=') {
            self.connection_string(&database, &mut place);
        } else if !database.is_empty() {
            place.insert("dbname", database.clone());
        }
        let (url, has_password) = without_password(&database);
        if place.remove("password").is_some() || (is_url && has_password) {
            self.draft.note("set the password in PGPASSWORD or ~/.pgpass; it is not printed");
        }
        if is_url {
            return url;
        }
        let mut url = Url {
            scheme: "postgres",
            user: place.remove("user"),
            host: place.remove("host"),
            port: place.remove("port"),
            database: place.remove("dbname"),
            options: Vec::new(),
        };
        url.options.extend(place);
        url.to_string()
    }

    /// Reads a connection string such as `host=db dbname=bench`.
    fn connection_string(&mut self, text: &str, place: &mut BTreeMap<&'static str, String>) {
        for (name, value) in conninfo::pairs(text) {
            let name = if name == "hostaddr" { "host" } else { &name };
            if let Some((key, ..)) = PLACE.iter().find(|(key, ..)| *key == name) {
                place.insert(key, value);
            } else {
                // An unknown name may be part of a password that was not quoted.
                let shown = conninfo::known(name).unwrap_or("a word that is no option");
                self.draft.note(format!("omitted from the connection string: {shown}"));
            }
        }
    }

    fn finished(mut self) -> Result<Translation> {
        let printed = PRINTED.iter().filter(|name| self.options.take(name).is_some());
        let names: Vec<String> = printed.map(|name| format!("--{}", shown(name))).collect();
        self.draft.printed(&names);
        let left = self.options.left();
        if left.is_empty() {
            return Ok(self.draft.finished());
        }
        Err(Error::usage(format!(
            "pgbench does not accept these options here: {}",
            left.join(", ")
        ))
        .hint("some options apply only with --initialize, and others only without it"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::read;
    use super::*;

    /// Returns the command and the notes.
    fn imported(line: &str) -> Result<(String, String)> {
        let mut calls = read(&[line.to_owned()])?.calls;
        let found = translated(&mut calls[0])?;
        assert_eq!(calls[0].variables, []);
        Ok((found.commands.join("\n"), found.notes.join("\n")))
    }

    #[test]
    fn no_part_of_a_password_is_printed() -> Result<()> {
        for string in [
            "host=h password='alpha beta gamma' dbname=d",
            "host=h password = 'alpha beta\\' gamma' dbname=d",
            "host=h password=alpha\\ beta dbname=d",
            "host=h password=alpha beta dbname=d",
            "host=h password=alpha beta=gamma dbname=d",
        ] {
            let (command, notes) = imported(&format!("pgbench -n \"{string}\""))?;
            let all = format!("{command} {notes}");
            assert!(!["alpha", "beta", "gamma"].iter().any(|word| all.contains(word)), "{all}");
            assert!(command.contains("postgres://h/d") && notes.contains("PGPASSWORD"), "{all}");
        }
        let (_, notes) = imported("pgbench -n 'dbname=d keepalives=1'")?;
        assert!(notes.contains("omitted from the connection string: keepalives"), "{notes}");
        Ok(())
    }

    #[test]
    fn options_of_a_run_are_settings() {
        let end = "--sessions 1 --transactions 10 --ramp-up 0s --form simple";
        for (line, command) in [
            ("pgbench -n", format!("pgbench:tpcb-like postgres:/// {end}")),
            (
                "pgbench -n -c 8 -j2 -T 60 -M prepared bench",
                "pgbench:tpcb-like postgres:///bench --sessions 8 --workers 2 --duration 60s --ramp-up 0s \
                 --form sql"
                    .into(),
            ),
            (
                "PGHOST=/tmp PGPORT=5433 pgbench -nSc4 -t5 -U me -M extended db",
                "pgbench:select-only 'postgres://me@:5433/db?host=%2Ftmp&parse=each' --sessions 4 \
                 --transactions 20 --ramp-up 0s --form sql"
                    .into(),
            ),
            (
                "pgbench -f a.sql@3 -b simple@1 -D x=1 -D y='a b' -s 7 -n db -R 100.5 --max-tries=4",
                "pgbench:a.sql@3 pgbench:simple-update@1 postgres:///db --sessions 1 --transactions 10 \
                 --ramp-up 0s --rate 100.5 --form simple --set x=1 --set 'y=a b' --retry same --attempts 4"
                    .into(),
            ),
            (
                "pgbench -f a.sql -s 7 --random-seed=3 --max-tries=0 -T 5 -d db -N",
                "pgbench:a.sql pgbench:simple-update postgres:///db --sessions 1 --duration 5s --ramp-up 0s \
                 --form simple --retry same --attempts 1000 --seed 3"
                    .into(),
            ),
            (
                "pgbench -n -l -r --log-prefix=a --sampling-rate=0.5",
                format!("pgbench:tpcb-like postgres:/// {end} --statement-times yes --log a --log-sample 0.5"),
            ),
            (
                "pgbench -n -C -R 50 -L 2.5",
                "pgbench:tpcb-like postgres:/// --sessions 1 --transactions 10 --ramp-up 0s --rate 50 \
                 --latency-limit 2.5ms --reconnect yes --form simple"
                    .into(),
            ),
            (
                "pgbench -n -l --aggregate-interval=5",
                format!("pgbench:tpcb-like postgres:/// {end} --log pgbench_log --log-interval 5s"),
            ),
            (
                "pgbench -f a.sql -s 7 'host=db port=6432 dbname=x'",
                format!("pgbench:a.sql postgres://db:6432/x {end} --scale 7"),
            ),
            (
                "pgbench -n 'postgresql://me:secret@db/x?sslmode=require&password=secret' -M extended",
                "pgbench:tpcb-like 'postgresql://me@db/x?sslmode=require&parse=each' --sessions 1 \
                 --transactions 10 --ramp-up 0s --form sql"
                    .into(),
            ),
        ] {
            let (found, notes) = imported(line).expect(line);
            assert_eq!(found, format!("tacho run {command}"), "{line}");
            assert!(!notes.contains("secret"), "{notes}");
        }
    }

    #[test]
    fn options_of_the_initialization_are_settings() {
        let line =
            "pgbench -i -s 50 -F 90 --unlogged-tables --tablespace=fast -q -I dtGvp -h db bench";
        assert_eq!(
            imported(line).expect("a command").0,
            "tacho prepare tpcb postgres://db/bench --scale 50 --storage fillfactor=90 --storage \
             unlogged=true --storage tablespace=fast"
        );
        let line = "pgbench -i --foreign-keys --partitions=4 -I dtg";
        let notes = imported(line).expect("a command").1;
        for word in ["--foreign-keys has", "--partitions=4", "--init-steps=dtg"] {
            assert!(notes.contains(word), "{notes}");
        }
    }

    #[test]
    fn every_option_has_an_equivalent_or_an_answer() {
        for (letter, name, takes) in FLAGS {
            let value = match name {
                "protocol" => " prepared",
                "builtin" => " select",
                "define" => " a=b",
                _ if takes => " 5",
                _ => "",
            };
            let base = if name == "time" { "pgbench db" } else { "pgbench db -t 5" };
            let long = format!("{base} --{}{value}", shown(name));
            let short = format!("{base} -{letter}{value}");
            for line in [&long, &short].into_iter().take(if letter.is_empty() { 1 } else { 2 }) {
                let answers = [line.clone(), format!("{line} -i").replace(" -t 5", "")];
                let found = answers.iter().find_map(|line| imported(line).ok());
                let runs_nothing = ENDING.contains(&name);
                let is_name = name == "dbname";
                assert!(found.is_some() || runs_nothing || is_name, "{line}");
                let Some((command, notes)) = found else { continue };
                let plain = imported(&base.replace(" -t 5", "")).expect("a command");
                let is_default = ["transactions", "no_vacuum"].contains(&name);
                assert!(is_default || (command, notes) != plain, "{line} has no effect");
            }
        }
        for (line, word) in [
            ("pgbench --nope", "--nope"),
            ("pgbench -c", "no value for --client"),
            ("pgbench -c many", "expected an integer"),
            ("pgbench -b s", "tpcb-like"),
            ("pgbench -T 5 -t 5", "exclude"),
            ("pgbench -i -c 5", "--client"),
            ("pgbench a b", "\"b\""),
            ("pgbench -M odd", "prepared"),
        ] {
            let error = imported(line).expect_err(line).to_string();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
