//! Converts a sysbench command line to a Tacho command. The script becomes a profile, and the options become settings.
//!
//! Nothing is executed, and no password is printed. Start reading at [`translated`].

use tacho_core::{Error, Result, shell_word};

use super::options::{Options, shown};

/// A Tacho command and notes for the user.
#[derive(Debug)]
pub(super) struct Translation {
    pub(super) command: String,
    pub(super) notes: Vec<String>,
}

/// The workload whose profiles correspond to these scripts.
const WORKLOAD: &str = "oltp";
/// Profile for the bulk insert script, which uses one table per thread. Its statements are 512 KiB long and contain
/// `BULK_ROWS` rows. Each row counts as an event.
const BULK: &str = "bulk-insert";
const BULK_ROWS: u64 = 40_000;
/// The sysbench scripts and the corresponding profiles.
const SCRIPTS: [(&str, &str); 11] = [
    ("oltp_read_write", "read-write"),
    ("oltp_read_only", "read-only"),
    ("oltp_write_only", "write-only"),
    ("oltp_point_select", "point-select"),
    ("oltp_update_index", "update-index"),
    ("oltp_update_non_index", "update-non-index"),
    ("oltp_delete", "delete"),
    ("oltp_insert", "insert"),
    ("bulk_insert", BULK),
    ("select_random_points", "random-points"),
    ("select_random_ranges", "random-ranges"),
];
/// Script options that correspond to parameters of the same name.
const PARAMETERS: [&str; 13] = [
    "range_size",
    "point_selects",
    "simple_ranges",
    "sum_ranges",
    "order_ranges",
    "distinct_ranges",
    "index_updates",
    "non_index_updates",
    "delete_inserts",
    "random_points",
    "number_of_ranges",
    "delta",
    "table_size",
];
/// Options for the random distribution, and the corresponding parameters.
const DISTRIBUTION: [(&str, &str); 6] = [
    ("rand_type", "distribution"),
    ("rand_spec_pct", "special_pct"),
    ("rand_spec_res", "special_res"),
    ("rand_spec_iter", "iterations"),
    ("rand_pareto_h", "pareto_h"),
    ("rand_zipfian_exp", "zipfian_exp"),
];
/// Options that affect only the output.
const PRINTED: [&str; 11] = [
    "report_interval",
    "report_checkpoints",
    "percentile",
    "histogram",
    "verbosity",
    "debug",
    "db_debug",
    "mysql_debug",
    "validate",
    "thread_stack_size",
    "thread_init_timeout",
];
/// Options without an equivalent, each with the value that makes it ineffective.
const WITHOUT: [(&str, &str); 11] = [
    ("secondary", "off"),
    ("mysql_storage_engine", "innodb"),
    ("create_table_options", ""),
    ("pgsql_variant", ""),
    ("reconnect", "0"),
    ("auto_inc", "on"),
    ("forced_shutdown", "off"),
    ("mysql_ssl_cipher", ""),
    ("mysql_compression", "off"),
    ("mysql_ignore_errors", "1213,1020,1205"),
    ("mysql_dry_run", "off"),
];
/// Number of attempts for each transaction. This is Tacho's maximum, because sysbench has no limit.
const ATTEMPTS: &str = "1000";

/// Converts the words of a sysbench command line, which may start with the program name.
pub(super) fn translated(words: &[String]) -> Result<Translation> {
    let is_program = |word: &String| file_name(word) == "sysbench";
    let words = if words.first().is_some_and(is_program) { &words[1..] } else { words };
    let (mut options, others) = Options::read(words);
    let [script, command] = others[..] else {
        return Err(Error::usage("a sysbench script and command are required")
            .hint("tacho import 'sysbench oltp_read_write --tables=8 --threads=16 run'")
            .hint("to convert a HammerDB script, use tacho import hammerdb SCRIPT"));
    };
    let profile = profile(script)?;
    let threads = options.number(&["threads", "num_threads"])?.unwrap_or(1);
    let (words, notes) = (Vec::new(), Vec::new());
    let mut import = Import { options, words, notes, threads, is_bulk: profile == BULK };
    match command {
        "prepare" => import.prepare(profile)?,
        "run" => import.run(profile)?,
        "cleanup" => import.cleanup()?,
        _ => {
            return Err(Error::usage(format!(
                "no equivalent of the sysbench command \"{command}\""
            ))
            .hint("use prepare, run or cleanup"));
        }
    }
    import.finished()
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Returns the profile for a script, given with or without its path and file extension.
fn profile(script: &str) -> Result<&'static str> {
    let name = file_name(script);
    let name = name.strip_suffix(".lua").unwrap_or(name);
    let known = SCRIPTS.iter().find(|(script, _)| *script == name);
    known.map(|(_, profile)| *profile).ok_or_else(|| {
        let scripts = SCRIPTS.map(|(script, _)| script);
        Error::usage(format!("no profile for the script \"{name}\""))
            .did_you_mean(name, scripts.iter().copied())
            .hint(format!("scripts with a profile: {}", scripts.join(", ")))
            .hint("to create an example workload, use tacho init workload NAME")
    })
}

/// A conversion in progress.
struct Import {
    options: Options,
    words: Vec<String>,
    notes: Vec<String>,
    threads: u64,
    is_bulk: bool,
}

impl Import {
    fn prepare(&mut self, profile: &str) -> Result<()> {
        self.begin("prepare", profile)?;
        self.say("sessions", &self.threads.to_string());
        let distribution = self.distribution();
        if let Some((_, value)) = distribution.iter().find(|(name, _)| name == "distribution") {
            self.set("k_distribution", value);
        }
        self.parameters()?;
        // Options for the run do not affect the tables.
        for name in ["time", "max_time", "events", "max_requests", "rate", "tx_rate"] {
            self.options.take(name);
        }
        for name in ["db_ps_mode", "skip_trx", "warmup_time"] {
            self.options.take(name);
        }
        self.seed()
    }

    fn run(&mut self, profile: &str) -> Result<()> {
        self.begin("run", profile)?;
        self.say("sessions", &self.threads.to_string());
        self.time()?;
        self.rate()?;
        self.parameters()?;
        if self.is_bulk {
            self.set("bulk_rows", &BULK_ROWS.to_string());
            self.note(format!(
                "an event of bulk_insert is a row, whereas a Tacho transaction is a statement \
                 with {BULK_ROWS} rows: sysbench's tps are {BULK_ROWS} times Tacho's"
            ));
        }
        for (key, value) in self.distribution() {
            self.set(&key, &value);
        }
        if self.options.switch("skip_trx")? == Some(true) {
            self.set("skip_trx", "true");
        }
        // The bulk insert script always sends text.
        let as_text = self.options.take("db_ps_mode").is_some_and(|mode| mode == "disable");
        if as_text || self.is_bulk {
            self.say("form", "simple");
        }
        self.say("retry", "new");
        self.say("attempts", ATTEMPTS);
        self.seed()
    }

    fn cleanup(&mut self) -> Result<()> {
        self.words = ["tacho", "clean", WORKLOAD].map(str::to_owned).into();
        self.target()?;
        // No other option affects which tables are removed.
        let kept = PARAMETERS.iter().chain(DISTRIBUTION.iter().map(|(name, _)| name));
        for name in kept.chain(&["tables", "time", "max_time", "events"]) {
            self.options.take(name);
        }
        for name in ["rate", "rand_seed", "create_secondary", "range_selects", "skip_trx"] {
            self.options.take(name);
        }
        self.options.take("db_ps_mode");
        Ok(())
    }

    fn begin(&mut self, command: &str, profile: &str) -> Result<()> {
        self.words = ["tacho", command, WORKLOAD].map(str::to_owned).into();
        self.target()?;
        self.say("profile", profile);
        let mut tables = self.options.number(&["tables"])?.unwrap_or(1);
        if self.is_bulk {
            tables = self.threads;
            self.options.take("table_size");
        }
        self.say("scale", &tables.to_string());
        Ok(())
    }

    /// Converts the length of the run, given by `--time` or as a number of events.
    fn time(&mut self) -> Result<()> {
        let given = self.options.number(&["time", "max_time"])?;
        let time = given.unwrap_or(10);
        let events = self.options.number(&["events", "max_requests"])?.unwrap_or(0);
        match (time, events) {
            (0, 0) => {
                return Err(Error::usage("--time=0 without --events never ends")
                    .hint("use --time or --events"));
            }
            (_, 0) => self.say("duration", &format!("{time}s")),
            (_, events) => {
                let events = if self.is_bulk { events.div_ceil(BULK_ROWS) } else { events };
                self.say("transactions", &events.to_string());
                if time > 0 {
                    self.note(format!(
                        "the run ends after the given number of events rather than after {time} s"
                    ));
                }
            }
        }
        let ramp_up = self.options.number(&["warmup_time"])?.unwrap_or(0);
        self.say("ramp-up", &format!("{ramp_up}s"));
        Ok(())
    }

    fn rate(&mut self) -> Result<()> {
        match self.options.number(&["rate", "tx_rate"])? {
            None | Some(0) => {}
            Some(rows) if self.is_bulk => {
                self.say("rate", &(rows as f64 / BULK_ROWS as f64).to_string());
            }
            Some(rate) => self.say("rate", &rate.to_string()),
        }
        Ok(())
    }

    fn parameters(&mut self) -> Result<()> {
        for name in PARAMETERS {
            if let Some(number) = self.options.number(&[name])? {
                self.set(name, &number.to_string());
            }
        }
        if self.options.switch("range_selects")? == Some(false) {
            for name in ["simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"] {
                self.set(name, "0");
            }
        }
        if self.options.switch("create_secondary")? == Some(false) {
            self.set("secondary_index", "false");
        }
        Ok(())
    }

    fn distribution(&mut self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (name, key) in DISTRIBUTION {
            found.extend(self.options.take(name).map(|value| (key.to_owned(), value)));
        }
        found
    }

    fn seed(&mut self) -> Result<()> {
        // In sysbench, 0 takes the seed from the time of day, but a Tacho run always has a fixed seed.
        if let Some(seed @ 1..) = self.options.number(&["rand_seed"])? {
            self.say("seed", &seed.to_string());
        }
        Ok(())
    }

    /// Converts the database options to a URL without a password.
    fn target(&mut self) -> Result<()> {
        let driver = self.options.take("db_driver");
        let is_postgres = match driver.as_deref() {
            Some("pgsql") => true,
            Some("mysql") => false,
            Some(other) => {
                return Err(Error::usage(format!("no driver for --db-driver={other}"))
                    .hint("use mysql or pgsql"));
            }
            None => self.options.has_any("pgsql_"),
        };
        if driver.is_none() && is_postgres {
            self.note("using pgsql because there are pgsql options but no --db-driver".into());
        }
        let target = if is_postgres { self.postgres() } else { self.mysql()? };
        self.words.push(target);
        let unused = if is_postgres { "mysql" } else { "pgsql" };
        for name in ["host", "port", "socket", "user", "password", "db", "ssl"] {
            self.options.take(&format!("{unused}_{name}"));
        }
        Ok(())
    }

    fn postgres(&mut self) -> String {
        let [host, port, user, db] = self.place("pgsql", ["localhost", "5432"]);
        if self.options.take("pgsql_password").is_some() {
            self.note("set the password in PGPASSWORD or ~/.pgpass; it is not printed".into());
        }
        let mode = self.options.take("pgsql_sslmode");
        let mode = mode.map_or(String::new(), |mode| format!("?sslmode={mode}"));
        format!("postgres://{user}@{host}:{port}/{db}{mode}")
    }

    fn mysql(&mut self) -> Result<String> {
        let [host, port, user, db] = self.place("mysql", ["localhost", "3306"]);
        if self.options.take("mysql_password").is_some() {
            self.note("set the password in MYSQL_PWD or ~/.my.cnf; it is not printed".into());
        }
        // sysbench uses the same driver for both database products.
        let mut options = "?product=any".to_owned();
        let socket = self.options.take("mysql_socket");
        if let Some(socket) = &socket {
            options += "&socket=";
            options += &in_url(socket);
        }
        let ssl = self.options.switch("mysql_ssl")?.unwrap_or(false);
        options += if ssl { "&ssl-mode=required" } else { "&ssl-mode=disabled" };
        // For this host name, sysbench's client library uses the socket, whatever the port is.
        let place = match (host.as_str(), &socket) {
            ("localhost", _) | (_, Some(_)) => "localhost".to_owned(),
            (host, None) => format!("{host}:{port}"),
        };
        Ok(format!("mysql://{user}@{place}/{db}{options}"))
    }

    /// Returns the host, port, user and database, encoded for use in a URL.
    fn place(&mut self, driver: &str, [host, port]: [&str; 2]) -> [String; 4] {
        let mut taken = |name: &str, default: &str| {
            let value = self.options.take(&format!("{driver}_{name}"));
            value.unwrap_or_else(|| default.to_owned())
        };
        let (hosts, ports) = (taken("host", host), taken("port", port));
        let (user, db) = (taken("user", "sbtest"), taken("db", "sbtest"));
        let first = |list: &str| list.split(',').next().unwrap_or_default().to_owned();
        for (name, list) in [("host", &hosts), ("port", &ports)] {
            if list.contains(',') {
                self.note(format!(
                    "--{driver}-{name}: only the first entry of the list is used; use --route to \
                     spread transactions over targets"
                ));
            }
        }
        [first(&hosts), first(&ports), user, db].map(|word| in_url(&word))
    }

    fn say(&mut self, flag: &str, value: &str) {
        self.words.push(format!("--{flag}"));
        self.words.push(value.to_owned());
    }

    fn set(&mut self, key: &str, value: &str) {
        self.say("set", &format!("{key}={value}"));
    }

    fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// Returns the command, or an error if any option is not a sysbench option.
    fn finished(mut self) -> Result<Translation> {
        let mut printed = PRINTED.to_vec();
        printed.retain(|name| self.options.take(name).is_some());
        if !printed.is_empty() {
            let names: Vec<String> =
                printed.iter().map(|name| format!("--{}", shown(name))).collect();
            self.note(format!("omitted because they do not change the load: {}", names.join(", ")));
        }
        for (name, usual) in WITHOUT {
            if let Some(value) = self.options.take(name).filter(|value| value != usual) {
                self.note(format!(
                    "--{}={value} has no equivalent, so the load differs in this respect",
                    shown(name)
                ));
            }
        }
        let unknown = self.options.left();
        if unknown.is_empty() {
            let words: Vec<String> = self.words.iter().map(|word| shell_word(word)).collect();
            return Ok(Translation { command: words.join(" "), notes: self.notes });
        }
        let known = PARAMETERS.iter().chain(&PRINTED).copied();
        let known =
            known.chain(DISTRIBUTION.map(|(name, _)| name)).chain(["tables", "threads", "time"]);
        let known: Vec<String> = known.map(|name| format!("--{}", shown(name))).collect();
        Err(Error::usage(format!("unknown sysbench options: {}", unknown.join(", ")))
            .did_you_mean(&unknown[0], known.iter().map(String::as_str))
            .hint("write each option as --name=value, without a space"))
    }
}

/// Percent-encodes the characters that have a special meaning in a part of a URL.
fn in_url(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Translation> {
        translated(&super::super::words::split(line).expect("words"))
    }

    #[test]
    fn every_command_has_an_equivalent() {
        let line = "sysbench oltp_read_write --tables=8 --table-size=100000 --threads=16 --time=60 \
                    --pgsql-host=10.0.0.1 --pgsql-password=secret --report-interval=1 run";
        let imported = read(line).expect("a command");
        assert_eq!(
            imported.command,
            "tacho run oltp postgres://sbtest@10.0.0.1:5432/sbtest --profile read-write --scale 8 \
             --sessions 16 --duration 60s --ramp-up 0s --set table_size=100000 --retry new --attempts 1000"
        );
        let notes = imported.notes.join("\n");
        for word in ["--db-driver", "PGPASSWORD", "--report-interval"] {
            assert!(notes.contains(word), "{notes}");
        }
        assert!(!notes.contains("secret"));
        let imported =
            read("sysbench /usr/share/sysbench/oltp_delete.lua --db-driver=pgsql prepare");
        assert_eq!(
            imported.expect("a command").command,
            "tacho prepare oltp postgres://sbtest@localhost:5432/sbtest --profile delete --scale 1 --sessions 1"
        );
        let imported = read("oltp_read_only --mysql-host=db --mysql-ssl --tables=3 cleanup");
        assert_eq!(
            imported.expect("a command").command,
            "tacho clean oltp 'mysql://sbtest@db:3306/sbtest?product=any&ssl-mode=required'"
        );
    }

    #[test]
    fn bulk_insert_has_a_table_for_each_thread_and_counts_statements() {
        let line = "sysbench bulk_insert --pgsql-db=x --threads=4 --events=1000000";
        let prepare = read(&format!("{line} prepare")).expect("a command");
        assert!(
            prepare.command.ends_with("--profile bulk-insert --scale 4 --sessions 4"),
            "{prepare:?}"
        );
        let run = read(&format!("{line} --rate=80000 run")).expect("a command").command;
        for word in [
            "--scale 4 --sessions 4 --transactions 25 ",
            "--rate 2 ",
            "--set bulk_rows=40000 --form simple",
        ] {
            assert!(run.contains(word), "{word}: {run}");
        }
    }

    #[test]
    fn options_of_the_load_are_settings() {
        let line = "sysbench select_random_points --mysql-socket=/run/my.sock --events=500 --rand-type=pareto \
                    --rand-pareto-h=0.1 --db-ps-mode=disable --rate=20 --rand-seed=7 --warmup-time=5 run";
        let command = read(line).expect("a command").command;
        for word in [
            "mysql://sbtest@localhost/sbtest?product=any&socket=%2Frun%2Fmy.sock&ssl-mode=disabled",
            "--transactions 500 --ramp-up 5s",
            "--rate 20",
            "--set distribution=pareto --set pareto_h=0.1",
            "--form simple",
            "--seed 7",
        ] {
            assert!(command.contains(word), "{word}: {command}");
        }
        let imported =
            read("oltp_read_write --range-selects=off --skip-trx --rand-type=uniform run");
        let command = imported.expect("a command").command;
        assert!(
            command.contains("--set distinct_ranges=0 ") && command.contains("--set skip_trx=true")
        );
        let imported = read("oltp_read_write --rand-type=uniform --create-secondary=off prepare");
        let command = imported.expect("a command").command;
        assert!(
            command.contains("k_distribution=uniform") && command.contains("secondary_index=false")
        );
    }

    #[test]
    fn reports_options_without_an_equivalent() {
        let imported = read("oltp_read_write --secondary=on --mysql-storage-engine=rocksdb run");
        let notes = imported.expect("a command").notes.join("\n");
        assert!(notes.contains("--secondary=on") && notes.contains("rocksdb"), "{notes}");
        for (line, word) in [
            ("oltp_read_write --thread=4 --foo=1 run", "--foo, --thread"),
            ("oltp_read_write --threads 4 run", "a sysbench script and command"),
            ("oltp_read_write --threads=four run", "expected an integer"),
            ("oltp_read_writ run", "oltp_read_writ"),
            ("oltp_read_write warmup", "\"warmup\""),
            ("oltp_read_write --time=0 run", "never ends"),
            ("oltp_read_write --db-driver=oracle run", "oracle"),
            ("oltp_read_write --skip-trx=maybe run", "expected on or off"),
        ] {
            let error = read(line).expect_err(line).to_string();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
