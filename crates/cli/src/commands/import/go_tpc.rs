//! Converts a command line of go-tpc or `tiup bench` to a Tacho command.
//!
//! Nothing is executed, and no password is printed. Start reading at [`translated`].

use tacho_core::units::exact_span;
use tacho_core::{Error, Result};

use super::draft::{Draft, Translation, Url};
use super::getopt::{Flag, read};
use super::options::{Options, invalid, shown};

/// The profile of the order-processing workloads that corresponds to go-tpc.
const PROFILE: &str = "go-tpc";
const FLAGS: [Flag; 47] = [
    ("H", "host", true),
    ("P", "port", true),
    ("U", "user", true),
    ("p", "password", true),
    ("D", "db", true),
    ("d", "driver", true),
    ("S", "statusPort", true),
    ("T", "threads", true),
    ("t", "acThreads", true),
    ("a", "acThreads", true),
    ("", "time", true),
    ("", "count", true),
    ("", "interval", true),
    ("", "isolation", true),
    ("", "conn_params", true),
    ("", "conn_refresh_interval", true),
    ("", "dropdata", false),
    ("", "ignore_error", false),
    ("", "silence", false),
    ("", "summary", false),
    ("", "output", true),
    ("", "max_procs", true),
    ("", "pprof", true),
    ("", "metrics_addr", true),
    ("", "warehouses", true),
    ("", "parts", true),
    ("", "partition_type", true),
    ("", "weight", true),
    ("", "wait", false),
    ("", "check_all", false),
    ("", "no_check", false),
    ("", "use_fk", false),
    ("", "use_clustered_index", false),
    ("", "max_measure_latency", true),
    ("", "output_type", true),
    ("", "output_dir", true),
    ("", "tables", true),
    ("", "retry_count", true),
    ("", "retry_interval", true),
    ("", "sf", true),
    ("", "queries", true),
    ("", "check", false),
    ("", "analyze", false),
    ("", "tiflash_replica", true),
    ("", "use_explain", false),
    ("", "exec_explain_analyze", false),
    ("h", "help", false),
];
/// Options that affect only the output or the client program.
const PRINTED: [&str; 10] = [
    "interval",
    "silence",
    "summary",
    "output",
    "max_procs",
    "pprof",
    "metrics_addr",
    "statusPort",
    "max_measure_latency",
    "help",
];
/// Options without an equivalent, along with their default values. If an option has its default value, it can be
/// omitted without a note.
const WITHOUT: [(&str, &str); 14] = [
    ("parts", "1"),
    ("partition_type", "1"),
    ("use_clustered_index", "on"),
    ("conn_refresh_interval", "0"),
    ("output_type", ""),
    ("output_dir", ""),
    ("tables", ""),
    ("retry_count", "50"),
    ("retry_interval", "10s"),
    ("queries", ""),
    ("analyze", "off"),
    ("tiflash_replica", "0"),
    ("use_explain", "off"),
    ("exec_explain_analyze", "off"),
];
/// Options that a command accepts but does not use, because they only affect other commands.
const OF_OTHERS: [&str; 17] = [
    "warehouses",
    "sf",
    "threads",
    "acThreads",
    "time",
    "count",
    "isolation",
    "weight",
    "wait",
    "ignore_error",
    "check",
    "check_all",
    "no_check",
    "use_fk",
    "dropdata",
    "retry_count",
    "retry_interval",
];
/// Values of `--isolation` and the corresponding isolation levels.
const LEVELS: [(&str, &str); 4] = [
    ("1", "read-uncommitted"),
    ("2", "read-committed"),
    ("4", "repeatable-read"),
    ("6", "serializable"),
];
/// Connection parameters that are also options of a PostgreSQL target.
const OF_POSTGRES: [&str; 6] =
    ["sslmode", "sslrootcert", "sslcert", "sslkey", "connect_timeout", "application_name"];
/// Connection parameters for MySQL that affect only the client library in go-tpc.
const OF_CLIENT: [&str; 9] = [
    "charset",
    "collation",
    "parseTime",
    "loc",
    "timeout",
    "readTimeout",
    "writeTimeout",
    "maxAllowedPacket",
    "multiStatements",
];
/// Default number of warehouses.
const WAREHOUSES: u64 = 10;
/// Port of go-tpc's default database.
const PORT: &str = "4000";

/// Converts the words after the program name.
pub(super) fn translated(words: &[String]) -> Result<Translation> {
    let given = read(words, &FLAGS)?;
    let [benchmark, command] = &given.others[..] else {
        return Err(Error::usage("a go-tpc benchmark and command are required")
            .hint("tacho import 'go-tpc tpcc --warehouses 4 run -T 4 --time 10m'"));
    };
    let workload = match benchmark.as_str() {
        "tpcc" => "tprocc",
        "tpch" => "tproch",
        "ch" => "chbench",
        other => {
            return Err(Error::usage(format!("no workload for the go-tpc benchmark \"{other}\""))
                .hint("to run SQL statements from files, use tacho run pgbench:FILE")
                .hint("to create a workload, use tacho init workload NAME"));
        }
    };
    let ours = match command.as_str() {
        "cleanup" => "clean",
        "prepare" | "run" | "check" => command,
        other => {
            return Err(Error::usage(format!("no equivalent of the go-tpc command \"{other}\""))
                .hint("use prepare, run, check or cleanup"));
        }
    };
    let mut import = Import { options: given.by_name(), draft: Draft::default() };
    import.draft.begin(ours, workload);
    import.target(ours == "run" && workload != "tproch")?;
    if ours == "prepare" || ours == "run" {
        import.size(workload)?;
    }
    match ours {
        "prepare" => import.prepare(workload)?,
        "run" => import.run(workload)?,
        _ => {}
    }
    Ok(import.finished())
}

/// A conversion in progress.
struct Import {
    options: Options,
    draft: Draft,
}

impl Import {
    /// Converts the options for the size of the data and the number of threads.
    fn size(&mut self, workload: &str) -> Result<()> {
        if workload == "tproch" {
            self.draft.say("scale", self.options.number(&["sf"])?.unwrap_or(1));
        } else {
            self.draft.say("profile", PROFILE);
            self.draft.say("scale", self.options.number(&["warehouses"])?.unwrap_or(WAREHOUSES));
        }
        match self.options.number(&["threads"])? {
            Some(threads) => self.draft.say("sessions", threads),
            None => {
                self.draft.note("without --threads, go-tpc uses 1 or 16, depending on its version");
            }
        }
        Ok(())
    }

    fn prepare(&mut self, workload: &str) -> Result<()> {
        if self.options.switch("use_fk")? == Some(true) {
            let value = if workload == "tproch" { "true" } else { "enforced" };
            self.draft.set("foreign_keys", value);
        }
        if workload == "tprocc" && self.options.switch("no_check")? != Some(true) {
            self.draft.say("check", "after");
        }
        if self.options.switch("dropdata")? == Some(true) {
            self.draft.note("to drop existing tables first, use tacho clean");
        }
        Ok(())
    }

    fn run(&mut self, workload: &str) -> Result<()> {
        if workload == "tproch" {
            if self.options.switch("check")? == Some(true) {
                self.draft.set("query_parameters", "validation");
            }
            for name in ["time", "count"] {
                if let Some(value) = self.options.take(name) {
                    self.draft.note(format!(
                        "--{name}={value} has no equivalent: a run ends when each session has run \
                         its queries; to repeat them, use --set query_sets=N"
                    ));
                }
            }
            return Ok(());
        }
        let mut count = self.options.number(&["count"])?.unwrap_or(0);
        if workload == "chbench" && count > 0 {
            self.draft.without(&format!("--count={count} beside query streams"));
            count = 0;
        }
        match (self.options.time(&["time"])?, count) {
            (None, 0) => {
                return Err(Error::usage("without --time or --count, the run never ends")
                    .hint("add --time, such as --time 10m"));
            }
            (Some(time), 0) => self.draft.say("duration", exact_span(time)),
            (_, count) => self.draft.say("transactions", count),
        }
        self.draft.say("ramp-up", "0s");
        if workload == "chbench" {
            self.draft.set("streams", self.options.number(&["acThreads"])?.unwrap_or(1));
        }
        if let Some(weights) = self.options.take("weight") {
            self.draft.set("weights", weights);
        }
        if self.options.switch("wait")? == Some(true) {
            self.draft.say("pacing", "spec");
        }
        if self.options.switch("ignore_error")? != Some(true) {
            self.draft.note(
                "without --ignore-error, a go-tpc thread ends at its first error; Tacho counts the \
                 error and continues",
            );
        }
        Ok(())
    }

    /// Converts the database options to a URL without a password.
    fn target(&mut self, has_level: bool) -> Result<()> {
        let mut taken = |name: &str, default: &str| {
            let list = self.options.take(name).unwrap_or_else(|| default.to_owned());
            if list.contains(',') {
                self.draft.note(format!("--{name}: only the first entry of the list is used"));
            }
            list.split(',').next().map(str::to_owned)
        };
        let mut url = Url {
            host: taken("host", "127.0.0.1"),
            port: taken("port", PORT),
            user: taken("user", "root"),
            database: taken("db", "test"),
            ..Url::default()
        };
        let driver = taken("driver", "mysql").unwrap_or_default();
        (url.scheme, url.options) = match driver.as_str() {
            "mysql" => ("mysql", vec![("product", "any".into())]),
            "postgres" => ("postgres", Vec::new()),
            other => return Err(invalid("driver", other, "mysql or postgres")),
        };
        self.parameters(&driver, &mut url);
        if self.options.take("password").is_some() {
            let place = if driver == "mysql" { "MYSQL_PWD" } else { "PGPASSWORD" };
            self.draft.note(format!("set the password in {place}; it is not printed"));
        }
        let level = self.options.take("isolation").filter(|level| has_level && level != "0");
        if let Some(level) = level {
            match LEVELS.iter().find(|(number, _)| *number == level) {
                Some((_, level)) => url.option("isolation", *level),
                None => self.draft.without(&format!("--isolation={level}")),
            }
        }
        if driver == "mysql" && url.port.as_deref() == Some(PORT) {
            self.draft
                .note("for TiDB, use --pack packs/tidb and the scheme tidb in place of mysql");
        }
        self.draft.word(url.to_string());
        Ok(())
    }

    /// Converts `--conn-params`. On MySQL, parameters that go-tpc's client library does not know set server
    /// variables.
    fn parameters(&mut self, driver: &str, url: &mut Url) {
        let parameters = self.options.take("conn_params").unwrap_or_default();
        let (mut encrypts, mut variables) = (false, Vec::new());
        for pair in parameters.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let is_plain = !value.is_empty() && !value.contains('%');
            let known = OF_POSTGRES.iter().find(|known| **known == name);
            match (driver, known) {
                ("postgres", Some(name)) => url.option(name, value),
                ("mysql", _) if name == "tls" => encrypts = value != "false",
                ("mysql", _) if OF_CLIENT.contains(&name) => {
                    self.draft.printed(&[format!("{name} in --conn-params")]);
                }
                ("mysql", None) if is_plain => variables.push(format!("{name} = {value}")),
                _ => self.draft.without(&format!("{pair} in --conn-params")),
            }
        }
        if driver == "mysql" {
            url.option("ssl-mode", if encrypts { "required" } else { "disabled" });
        }
        if !variables.is_empty() {
            url.option("init-command", format!("SET {}", variables.join(", ")));
        }
    }

    fn finished(mut self) -> Translation {
        self.options.take_any(&OF_OTHERS);
        let printed = PRINTED.iter().filter(|name| self.options.take(name).is_some());
        let names: Vec<String> = printed.map(|name| format!("--{}", shown(name))).collect();
        self.draft.printed(&names);
        for (name, usual) in WITHOUT {
            if let Some(value) = self.options.take(name).filter(|value| value != usual) {
                self.draft.without(&format!("--{}={value}", shown(name)));
            }
        }
        self.draft.finished()
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::read;
    use super::*;

    /// Returns the command and the notes.
    fn imported(line: &str) -> Result<(String, String)> {
        let found = translated(&read(&[line.to_owned()])?.calls[0].words)?;
        Ok((found.commands.join("\n"), found.notes.join("\n")))
    }

    #[test]
    fn every_command_has_an_equivalent() {
        let target = "'mysql://root@127.0.0.1:4000/test?product=any&ssl-mode=disabled";
        for (line, command) in [
            (
                "./bin/go-tpc tpcc --warehouses 4 prepare -T 4 --use-fk",
                format!(
                    "prepare tprocc {target}' --profile go-tpc --scale 4 --sessions 4 --set \
                     foreign_keys=enforced --check after"
                ),
            ),
            (
                "tiup bench tpcc -T8 --time 1h30m run --wait --weight 50,40,4,3,3 --isolation 2",
                format!(
                    "run tprocc {target}&isolation=read-committed' --profile go-tpc --scale 10 --sessions 8 \
                     --duration 1h30m --ramp-up 0s --set weights=50,40,4,3,3 --pacing spec"
                ),
            ),
            (
                "go-tpc tpcc -d postgres -H a,b -P 5432 -U me -p secret -D x --conn-params sslmode=disable \
                 check --warehouses 4 -T 4",
                "check tprocc 'postgres://me@a:5432/x?sslmode=disable'".into(),
            ),
            ("go-tpc tpcc cleanup --warehouses 4", format!("clean tprocc {target}'")),
            (
                "go-tpc ch --warehouses 2 -T 5 -t 3 --count 100 --time 5m run",
                format!(
                    "run chbench {target}' --profile go-tpc --scale 2 --sessions 5 --duration 5m \
                     --ramp-up 0s --set streams=3"
                ),
            ),
            (
                "go-tpc tpch --sf 2 -T 1 --check run",
                format!(
                    "run tproch {target}' --scale 2 --sessions 1 --set query_parameters=validation"
                ),
            ),
        ] {
            let (found, notes) = imported(line).expect(line);
            assert_eq!(found, format!("tacho {command}"), "{line}");
            assert!(!notes.contains("secret"), "{notes}");
        }
    }

    #[test]
    fn connection_parameters_are_options_or_variables() {
        for (driver, parameters, expected, noted) in [
            (
                "postgres",
                "sslmode=disable&connect_timeout=5&search_path=x",
                "sslmode=disable&connect_timeout=5'",
                "search_path=x",
            ),
            (
                "mysql",
                "tls=skip-verify&charset=utf8mb4",
                "product=any&ssl-mode=required'",
                "charset",
            ),
            (
                "mysql",
                "tidb_txn_mode='optimistic'&sort_buffer_size=1024",
                "init-command=SET%20tidb_txn_mode%20%3D%20%27optimistic%27%2C%20sort_buffer_size%20%3D%201024'",
                "",
            ),
            ("mysql", "sslmode=disable", "ssl-mode=disabled'", "sslmode=disable"),
        ] {
            let line = format!("go-tpc tpcc check -d {driver} --conn-params \"{parameters}\"");
            let (found, notes) = imported(&line).expect(parameters);
            assert!(found.contains(expected) && notes.contains(noted), "{found} {notes}");
        }
    }

    #[test]
    fn every_option_has_an_equivalent_or_an_answer() {
        for (_, name, takes) in FLAGS {
            let value = match name {
                "driver" => " postgres",
                _ if takes => " 3",
                _ => "",
            };
            let line = format!("go-tpc tpcc --time 5m run --{}{value}", name.replace('_', "-"));
            imported(&line).expect(name);
        }
        let line = "go-tpc tpcc --parts 4 --interval 1s prepare";
        let notes = imported(line).expect("a command").1;
        assert!(notes.contains("--parts=4") && notes.contains("--interval"), "{notes}");
        for (line, word) in [
            ("go-tpc tpcc", "are required"),
            ("go-tpc rawsql run", "rawsql"),
            ("go-tpc tpcc run", "never ends"),
            ("go-tpc tpcc --nope run", "--nope"),
            ("go-tpc tpcc -d oracle prepare", "mysql or postgres"),
            ("go-tpc tpcc plan", "\"plan\""),
        ] {
            let error = imported(line).expect_err(line).to_string();
            assert!(error.contains(word), "{line}: {error}");
        }
    }
}
