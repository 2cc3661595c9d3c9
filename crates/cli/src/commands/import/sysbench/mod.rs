//! Converts a sysbench command line to a Tacho command. The script becomes a profile, and the options become settings.
//!
//! Nothing is executed, and no password is printed. Start reading at [`translated`].

mod scripts;
mod tpcc;

use std::path::Path;

use tacho_core::{Error, Result};

use super::draft::{Draft, Translation, Url};
use super::options::{Options, invalid, shown};
use scripts::{BULK, TPCC, file_options, modernize, profile};

/// The workload that corresponds to sysbench's scripts. Each script corresponds to one of its profiles.
const WORKLOAD: &str = "oltp";
/// Number of rows in each INSERT statement of the bulk insert script. It is needed because sysbench counts each row
/// as an event. A statement is 512 KiB long.
const BULK_ROWS: u64 = 40_000;
/// Options of sysbench scripts that have the same names as workload parameters in Tacho.
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
/// Options that affect the run but neither the tables nor their contents.
const OF_A_RUN: [&str; 7] =
    ["time", "events", "rate", "db_ps_mode", "skip_trx", "warmup_time", "forced_shutdown"];
/// Options for the number, contents and structure of the tables. Removing the tables does not depend on them.
const OF_THE_TABLES: [&str; 5] =
    ["tables", "rand_seed", "create_secondary", "range_selects", "mysql_storage_engine"];
/// Options that affect only the output, or that do nothing in these scripts.
const PRINTED: [&str; 17] = [
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
    "rand_init",
    "init_rng",
    "batch",
    "batch_delay",
    "mysql_engine_trx",
    "report_csv",
];
/// Options without an equivalent, along with their default values. If an option has its default value, it can be
/// omitted without a note.
const WITHOUT: [(&str, &str); 18] = [
    ("secondary", "off"),
    ("create_table_options", ""),
    ("mysql_table_options", ""),
    ("pgsql_variant", ""),
    ("reconnect", "off"),
    ("reconnect_mode", "session"),
    ("connect_delay", "10000"),
    ("user_delay_min", "off"),
    ("user_delay_max", "off"),
    ("myisam_max_rows", "1000000"),
    ("auto_inc", "on"),
    ("mysql_ssl_cipher", ""),
    ("mysql_compression", "off"),
    ("mysql_compression_algorithms", ""),
    ("mysql_ignore_errors", "1213,1020,1205"),
    ("mysql_dry_run", "off"),
    ("enable_purge", "off"),
    ("splittable", "off"),
];
/// Number of attempts per transaction. sysbench retries without a limit, so the highest number that Tacho accepts is
/// used.
const ATTEMPTS: &str = "1000";

/// Converts the words after the program name. The path in `--config-file` is relative to `folder`.
pub(super) fn translated(words: &[String], folder: &Path) -> Result<Translation> {
    let (mut options, others) = Options::read(words);
    if let Some(file) = options.take("config_file") {
        file_options(&folder.join(file), &mut options)?;
    }
    let test = options.take("test");
    let (script, command) = match (&test, &others[..]) {
        (Some(test), [command]) => (test.as_str(), *command),
        (None, [script, command]) => (*script, *command),
        _ => {
            return Err(Error::usage("a sysbench script and command are required")
                .hint("tacho import 'sysbench oltp_read_write --tables=8 --threads=16 run'")
                .hint("write each option as --name=value, without a space")
                .hint(
                    "to convert the command of another tool, begin it with pgbench, go-tpc, \
                     benchbase or hammerdb",
                ));
        }
    };
    modernize(&mut options);
    let profile = profile(script, &mut options)?;
    let threads = options.number(&["threads"])?.unwrap_or(1);
    let mut import =
        Import { options, draft: Draft::default(), threads, is_bulk: profile == BULK, level: None };
    if test.is_some() && !import.options.has_any("events") && command == "run" {
        import.draft.note(
            "before version 1.0, sysbench also ends a run after 10 000 events unless --max-requests \
             is given",
        );
    }
    let command = if scripts::is_loader(script) { "prepare" } else { command };
    match command {
        _ if profile == TPCC => import.tpcc(command)?,
        "prepare" => import.prepare(profile)?,
        "run" => import.run(profile)?,
        "cleanup" => import.cleanup()?,
        _ => return Err(no_command(command).hint("use prepare, run or cleanup")),
    }
    import.finished()
}

fn no_command(command: &str) -> Error {
    Error::usage(format!("no equivalent of the sysbench command \"{command}\""))
}

/// A conversion in progress.
struct Import {
    options: Options,
    draft: Draft,
    threads: u64,
    is_bulk: bool,
    /// The isolation level for the target.
    level: Option<&'static str>,
}

impl Import {
    fn prepare(&mut self, profile: &str) -> Result<()> {
        self.begin("prepare", profile)?;
        self.draft.say("sessions", self.threads);
        let distribution = self.distribution();
        if let Some((_, value)) = distribution.iter().find(|(name, _)| *name == "distribution") {
            self.draft.set("k_distribution", value);
        }
        self.parameters()?;
        self.engine();
        self.discard(&OF_A_RUN);
        self.seed()
    }

    fn run(&mut self, profile: &str) -> Result<()> {
        self.begin("run", profile)?;
        self.draft.say("sessions", self.threads);
        self.time()?;
        self.rate()?;
        self.parameters()?;
        if self.is_bulk {
            self.draft.set("bulk_rows", BULK_ROWS);
            self.draft.note(format!(
                "an event of bulk_insert is a row, whereas a Tacho transaction is a statement \
                 with {BULK_ROWS} rows: sysbench's tps are {BULK_ROWS} times Tacho's"
            ));
        }
        for (key, value) in self.distribution() {
            self.draft.set(key, value);
        }
        if self.options.switch("skip_trx")? == Some(true) {
            self.draft.set("skip_trx", "true");
        }
        // The bulk insert script always sends statements as text.
        let as_text = self.options.take("db_ps_mode").is_some_and(|mode| mode == "disable");
        if as_text || self.is_bulk {
            self.draft.say("form", "simple");
        }
        self.retries();
        // The storage engine need not be converted, because Tacho determines it from the existing tables.
        self.discard(&["mysql_storage_engine"]);
        self.seed()
    }

    fn cleanup(&mut self) -> Result<()> {
        self.draft.begin("clean", WORKLOAD);
        self.target()?;
        // Discard the remaining options, because they do not affect which tables are removed.
        self.discard(&PARAMETERS);
        self.discard(&DISTRIBUTION.map(|(name, _)| name));
        self.discard(&OF_A_RUN);
        self.discard(&OF_THE_TABLES);
        Ok(())
    }

    fn begin(&mut self, command: &str, profile: &str) -> Result<()> {
        self.draft.begin(command, WORKLOAD);
        self.target()?;
        self.draft.say("profile", profile);
        let mut tables = self.script_number("tables")?.unwrap_or(1);
        if self.is_bulk {
            tables = self.threads;
            self.options.take("table_size");
        }
        self.draft.say("scale", tables);
        Ok(())
    }

    /// Converts the length of the run, given by `--time` or as a number of events.
    fn time(&mut self) -> Result<()> {
        let time = self.options.time(&["time"])?.map_or(10, |time| time.as_secs());
        let events = self.options.number(&["events"])?.unwrap_or(0);
        match (time, events) {
            (0, 0) => {
                return Err(Error::usage("--time=0 without --events never ends")
                    .hint("use --time or --events"));
            }
            (_, 0) => self.draft.say("duration", format!("{time}s")),
            (_, events) => {
                let events = if self.is_bulk { events.div_ceil(BULK_ROWS) } else { events };
                self.draft.say("transactions", events);
                if time > 0 {
                    self.draft.note(format!(
                        "the run ends after the given number of events rather than after {time} s"
                    ));
                }
            }
        }
        let ramp_up = self.options.time(&["warmup_time"])?.map_or(0, |time| time.as_secs());
        self.draft.say("ramp-up", format!("{ramp_up}s"));
        match self.options.take("forced_shutdown").as_deref() {
            None | Some("off") => {}
            Some("on") => self.draft.say("drain", "0s"),
            Some(seconds) => {
                self.options.insert("forced_shutdown", seconds);
                let drain = self.options.time(&["forced_shutdown"])?.unwrap_or_default();
                self.draft.say("drain", format!("{}s", drain.as_secs()));
            }
        }
        Ok(())
    }

    fn rate(&mut self) -> Result<()> {
        match self.options.number(&["rate"])? {
            None | Some(0) => {}
            Some(rows) if self.is_bulk => self.draft.say("rate", rows as f64 / BULK_ROWS as f64),
            Some(rate) => self.draft.say("rate", rate),
        }
        Ok(())
    }

    fn retries(&mut self) {
        self.draft.say("retry", "new");
        self.draft.say("attempts", ATTEMPTS);
    }

    fn parameters(&mut self) -> Result<()> {
        for name in PARAMETERS {
            if let Some(number) = self.script_number(name)? {
                self.draft.set(name, number);
            }
        }
        if self.options.switch("range_selects")? == Some(false) {
            for name in ["simple_ranges", "sum_ranges", "order_ranges", "distinct_ranges"] {
                self.draft.set(name, 0);
            }
        }
        if self.options.switch("create_secondary")? == Some(false) {
            self.draft.set("secondary_index", "false");
        }
        Ok(())
    }

    /// Removes a script's numeric option and returns its value. Ignores any text after the number, as sysbench does.
    fn script_number(&mut self, name: &str) -> Result<Option<u64>> {
        let Some(value) = self.options.take(name) else { return Ok(None) };
        let (number, length) = leading_number(&value)
            .filter(|(number, _)| number.fract() == 0.0 && (0.0..1e15).contains(number))
            .ok_or_else(|| invalid(name, &value, "an integer"))?;
        if length < value.len() {
            let name = shown(name);
            self.draft.note(format!("sysbench reads --{name}={value} as {number}"));
        }
        Ok(Some(number as u64))
    }

    fn distribution(&mut self) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        for (name, key) in DISTRIBUTION {
            found.extend(self.options.take(name).map(|value| (key, value)));
        }
        found
    }

    fn engine(&mut self) {
        let engine = self.options.take("mysql_storage_engine");
        if let Some(engine) = engine.filter(|engine| !engine.eq_ignore_ascii_case("innodb")) {
            self.draft.say("storage", format!("engine={engine}"));
        }
    }

    fn seed(&mut self) -> Result<()> {
        // In sysbench, a seed of 0 stands for the time of day. A Tacho run always has a fixed seed.
        if let Some(seed @ 1..) = self.options.number(&["rand_seed"])? {
            self.draft.say("seed", seed);
        }
        Ok(())
    }

    fn discard(&mut self, names: &[&str]) {
        self.options.take_any(names);
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
            self.draft.note("using pgsql because there are pgsql options but no --db-driver");
        }
        let mut url = if is_postgres { self.postgres() } else { self.mysql()? };
        if let Some(level) = self.level {
            url.option("isolation", level);
        }
        self.draft.word(url.to_string());
        let unused = if is_postgres { "mysql" } else { "pgsql" };
        for name in ["host", "port", "socket", "user", "password", "db", "ssl"] {
            self.options.take(&format!("{unused}_{name}"));
        }
        Ok(())
    }

    fn postgres(&mut self) -> Url {
        let mut url = self.place("pgsql", ["localhost", "5432"]);
        url.scheme = "postgres";
        if self.options.take("pgsql_password").is_some() {
            self.draft.note("set the password in PGPASSWORD or ~/.pgpass; it is not printed");
        }
        if let Some(mode) = self.options.take("pgsql_sslmode") {
            url.option("sslmode", mode);
        }
        if let Some(schema) = self.options.take("pgsql_schema") {
            url.option("options", format!("-c search_path={schema}"));
        }
        url
    }

    fn mysql(&mut self) -> Result<Url> {
        let mut url = self.place("mysql", ["localhost", "3306"]);
        url.scheme = "mysql";
        if self.options.take("mysql_password").is_some() {
            self.draft.note("set the password in MYSQL_PWD or ~/.my.cnf; it is not printed");
        }
        // Accept both MySQL and MariaDB, because sysbench uses the same driver for them.
        url.option("product", "any");
        let socket = self.options.take("mysql_socket");
        // If the host is `localhost`, sysbench's client library uses the socket and ignores the port.
        if socket.is_some() || url.host.as_deref() == Some("localhost") {
            (url.host, url.port) = (Some("localhost".into()), None);
        }
        if let Some(socket) = socket {
            url.option("socket", socket);
        }
        let mode = self.options.take("mysql_ssl").unwrap_or_default().to_ascii_lowercase();
        url.option("ssl-mode", ssl_mode(&mode)?);
        for (name, key) in [
            ("mysql_ssl_ca", "ssl-ca"),
            ("mysql_ssl_cert", "ssl-cert"),
            ("mysql_ssl_key", "ssl-key"),
        ] {
            if let Some(file) = self.options.take(name) {
                url.option(key, file);
            }
        }
        Ok(url)
    }

    /// Returns a URL with the host, port, user and database.
    fn place(&mut self, driver: &str, [host, port]: [&str; 2]) -> Url {
        let mut taken = |name: &str, default: &str| {
            let value = self.options.take(&format!("{driver}_{name}"));
            value.unwrap_or_else(|| default.to_owned())
        };
        let (hosts, ports) = (taken("host", host), taken("port", port));
        let (user, database) = (taken("user", "sbtest"), taken("db", "sbtest"));
        let first = |list: &str| list.split(',').next().map(str::to_owned);
        for (name, list) in [("host", &hosts), ("port", &ports)] {
            if list.contains(',') {
                self.draft.note(format!(
                    "--{driver}-{name}: only the first entry of the list is used; use --route to \
                     spread transactions over targets"
                ));
            }
        }
        let (host, port) = (first(&hosts), first(&ports));
        Url { user: Some(user), host, port, database: Some(database), ..Url::default() }
    }

    /// Returns the command, or an error if any option is not a sysbench option.
    fn finished(mut self) -> Result<Translation> {
        let mut printed = PRINTED.to_vec();
        printed.retain(|name| self.options.take(name).is_some());
        let names: Vec<String> = printed.iter().map(|name| format!("--{}", shown(name))).collect();
        self.draft.printed(&names);
        for (name, usual) in WITHOUT {
            if let Some(value) = self.options.take(name).filter(|value| spelt(value) != usual) {
                self.draft.without(&format!("--{}={value}", shown(name)));
            }
        }
        let unknown = self.options.left();
        if unknown.is_empty() {
            return Ok(self.draft.finished());
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

/// Returns the number at the start of a text, and its length.
fn leading_number(text: &str) -> Option<(f64, usize)> {
    let hexadecimal = text.strip_prefix("0x").and_then(|hex| u32::from_str_radix(hex, 16).ok());
    if let Some(number) = hexadecimal {
        return Some((number.into(), text.len()));
    }
    let mut ends = (1..=text.len()).rev().filter(|end| text.is_char_boundary(*end));
    ends.find_map(|end| Some((text[..end].parse().ok()?, end)))
}

/// Returns the usual spelling of a boolean value. Other values stay unchanged.
fn spelt(value: &str) -> &str {
    match value {
        "true" | "yes" | "1" => "on",
        "false" | "no" | "0" => "off",
        other => other,
    }
}

/// Returns the SSL mode for a lower-case value. In sysbench 1.0, the value is a boolean. In 1.1, it is a mode.
fn ssl_mode(value: &str) -> Result<String> {
    match spelt(value) {
        "" | "off" => Ok("disabled".into()),
        "on" => Ok("required".into()),
        "disabled" | "preferred" | "required" | "verify_ca" | "verify_identity" => {
            Ok(value.replace('_', "-"))
        }
        _ => Err(invalid("mysql_ssl", value, "on, off or a mode such as REQUIRED")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the command and the notes.
    fn read(line: &str) -> Result<(String, String)> {
        let words = super::super::words::plain(line).expect("words");
        let found = translated(&words, Path::new("."))?;
        Ok((found.commands.join("\n"), found.notes.join("\n")))
    }

    fn command(line: &str) -> String {
        read(line).expect(line).0
    }

    #[test]
    fn every_command_has_an_equivalent() {
        let line = "oltp_read_write --tables=8 --table-size=100000 --threads=16 --time=60 \
                    --pgsql-host=10.0.0.1 --pgsql-password=secret --report-interval=1 run";
        let (command, notes) = read(line).expect("a command");
        assert_eq!(
            command,
            "tacho run oltp postgres://sbtest@10.0.0.1:5432/sbtest --profile read-write --scale 8 \
             --sessions 16 --duration 60s --ramp-up 0s --set table_size=100000 --retry new --attempts 1000"
        );
        for word in ["--db-driver", "PGPASSWORD", "--report-interval"] {
            assert!(notes.contains(word), "{notes}");
        }
        assert!(!notes.contains("secret"));
        assert_eq!(
            self::command("/usr/share/sysbench/oltp_delete.lua --db-driver=pgsql prepare"),
            "tacho prepare oltp postgres://sbtest@localhost:5432/sbtest --profile delete --scale 1 --sessions 1"
        );
        assert_eq!(
            self::command("oltp_read_only --mysql-host=db --mysql-ssl --tables=3 cleanup"),
            "tacho clean oltp 'mysql://sbtest@db:3306/sbtest?product=any&ssl-mode=required'"
        );
    }

    #[test]
    fn bulk_insert_has_a_table_for_each_thread_and_counts_statements() {
        let line = "bulk_insert --pgsql-db=x --threads=4 --events=1000000";
        let prepare = command(&format!("{line} prepare"));
        assert!(prepare.ends_with("--profile bulk-insert --scale 4 --sessions 4"), "{prepare}");
        let run = command(&format!("{line} --rate=80000 run"));
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
        let line = "select_random_points --mysql-socket=/run/my.sock --events=500 --rand-type=pareto \
                    --rand-pareto-h=0.1 --db-ps-mode=disable --rate=20 --rand-seed=7 --warmup-time=5 \
                    --forced-shutdown=7 run";
        let found = command(line);
        for word in [
            "mysql://sbtest@localhost/sbtest?product=any&socket=%2Frun%2Fmy.sock&ssl-mode=disabled",
            "--transactions 500 --ramp-up 5s --drain 7s",
            "--rate 20",
            "--set distribution=pareto --set pareto_h=0.1",
            "--form simple",
            "--seed 7",
        ] {
            assert!(found.contains(word), "{word}: {found}");
        }
        let found =
            command("oltp_read_write --range-selects=off --skip-trx --rand-type=uniform run");
        assert!(
            found.contains("--set distinct_ranges=0 ") && found.contains("--set skip_trx=true"),
            "{found}"
        );
        let found = command("oltp_read_write --rand-type=uniform --create-secondary=off prepare");
        assert!(
            found.contains("k_distribution=uniform") && found.contains("secondary_index=false"),
            "{found}"
        );
    }

    #[test]
    fn values_have_all_spellings_of_sysbench() {
        for value in ["", "=on", "=true", "=1", "=yes"] {
            let found = command(&format!("oltp_insert --skip_trx{value} run"));
            assert!(found.contains("skip_trx=true"), "{value}: {found}");
        }
        for value in ["off", "false", "0", "no"] {
            let found = command(&format!("oltp_insert --skip-trx={value} run"));
            assert!(!found.contains("skip_trx"), "{value}: {found}");
        }
        let note = "sysbench reads --table-size=2k as 2";
        for (value, number, note) in
            [("1000", "1000", ""), ("1e6", "1000000", ""), ("0x10", "16", ""), ("2k", "2", note)]
        {
            let (found, notes) =
                read(&format!("oltp_insert --table-size={value} run")).expect(value);
            assert!(found.contains(&format!("--set table_size={number} ")), "{value}: {found}");
            assert_eq!(notes, note);
        }
        assert!(command("oltp_insert --time=90s run").contains("--duration 90s"));
        for (value, mode) in [
            ("on", "required"),
            ("0", "disabled"),
            ("PREFERRED", "preferred"),
            ("VERIFY_CA --mysql-ssl-ca=a.pem", "verify-ca&ssl-ca=a.pem"),
        ] {
            let found = command(&format!("oltp_insert --mysql-host=h --mysql-ssl={value} cleanup"));
            assert!(found.contains(&format!("ssl-mode={mode}'")), "{value}: {found}");
        }
        let found = command("oltp_insert --mysql-storage-engine=rocksdb --secondary=false prepare");
        assert!(found.ends_with(" --storage engine=rocksdb"), "{found}");
    }

    #[test]
    fn options_of_earlier_versions_have_an_equivalent() {
        let line = "--test=/usr/share/doc/sysbench/tests/db/oltp.lua --oltp-table-size=300 \
                    --oltp-tables-count=4 --num-threads=8 --max-time=60 --max-requests=0 \
                    --oltp-dist-type=uniform --rand-init=on --mysql-table-engine=innodb run";
        let (found, notes) = read(line).expect("a command");
        for word in [
            "--profile read-write --scale 4 --sessions 8 --duration 60s",
            "--set table_size=300 --set distribution=uniform",
        ] {
            assert!(found.contains(word), "{word}: {found}");
        }
        assert!(!notes.contains("10 000"), "{notes}");
        for (line, profile) in [
            ("--test=tests/db/oltp.lua --oltp-read-only=on run", "read-only"),
            ("--test=oltp --oltp-test-mode=complex run", "read-write"),
            ("--test=oltp --oltp-test-mode=simple run", "point-select"),
            (
                "--test=oltp --oltp-test-mode=nontrx --oltp-nontrx-mode=update_key run",
                "update-index",
            ),
            ("oltp_legacy/update_non_index.lua --oltp-tables-count=2 run", "update-non-index"),
            ("--test=db/parallel_prepare.lua run", "read-write"),
        ] {
            let found = command(line);
            assert!(found.contains(&format!(" --profile {profile} ")), "{line}: {found}");
        }
        assert!(read("--test=db/oltp.lua run").expect("a command").1.contains("10 000"));
        assert!(command("--test=db/parallel_prepare.lua run").starts_with("tacho prepare "));
    }

    #[test]
    fn the_tpcc_script_is_a_profile() {
        let line = "./tpcc.lua --mysql-host=db --tables=10 --scale=50 --threads=8";
        let target = "'mysql://sbtest@db:3306/sbtest?product=any&ssl-mode=disabled";
        assert_eq!(
            command(&format!(
                "{line} --use_fk=0 --force_pk=1 --mysql_storage_engine=myrocks prepare"
            )),
            format!(
                "tacho prepare tprocc {target}' --profile sysbench-tpcc --scale 50 --sets 10 --set \
                 foreign_keys=none --set history_pk=true --storage engine=myrocks --sessions 8"
            )
        );
        assert_eq!(
            command(&format!(
                "{line} --use_fk=0 --trx_level=RC --time=60 --db-ps-mode=disable run"
            )),
            format!(
                "tacho run tprocc {target}&isolation=read-committed' --profile sysbench-tpcc --scale 50 \
                 --sets 10 --sessions 8 --duration 60s --ramp-up 0s --form simple --retry new --attempts 1000"
            )
        );
        let (found, notes) =
            read("tpcc --pgsql-schema=s --enable_purge=yes --db-driver=pgsql check").expect("one");
        let options = "?options=-c%20search_path%3Ds";
        assert_eq!(
            found,
            format!("tacho check tprocc 'postgres://sbtest@localhost:5432/sbtest{options}'")
        );
        assert!(notes.contains("--enable-purge=yes"), "{notes}");
        assert!(command(&format!("{line} cleanup")).ends_with("' --sets 10"));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "writes the options of a test")]
    fn options_in_a_file_take_precedence() {
        let folder = std::env::temp_dir().join(format!("tacho-import-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("c.cnf"), "# load\nthreads=3\n--skip-trx = on\n")
            .expect("a file");
        let words = ["oltp_insert", "--threads=2", "--config-file=c.cnf", "run"].map(str::to_owned);
        let found = translated(&words, &folder).expect("a command").commands.join("");
        assert!(found.contains("--sessions 3") && found.contains("skip_trx=true"), "{found}");
        let words = ["oltp_insert", "--config-file=gone.cnf", "run"].map(str::to_owned);
        assert!(translated(&words, &folder).is_err());
        std::fs::remove_dir_all(&folder).expect("the folder");
    }

    #[test]
    fn reports_options_without_an_equivalent() {
        let (_, notes) = read("oltp_read_write --secondary=on --reconnect=5 run").expect("one");
        assert!(notes.contains("--secondary=on") && notes.contains("--reconnect=5"), "{notes}");
        for (line, word) in [
            ("oltp_read_write --thread=4 --foo=1 run", "--foo, --thread"),
            ("oltp_read_write --threads 4 run", "a sysbench script and command"),
            ("oltp_read_write --threads=four run", "expected an integer"),
            ("oltp_read_write --table-size=many run", "expected an integer"),
            ("oltp_read_writ run", "oltp_read_writ"),
            ("my.lua run", "tacho init workload my"),
            ("cpu run", "does not use a database"),
            ("oltp_read_write warmup", "\"warmup\""),
            ("oltp_read_write --time=0 run", "never ends"),
            ("oltp_read_write --db-driver=oracle run", "oracle"),
            ("oltp_read_write --skip-trx=maybe run", "expected on or off"),
            ("oltp_read_write --mysql-ssl=maybe run", "--mysql-ssl"),
            ("tpcc --trx_level=RX run", "RR, RC or SER"),
            ("--test=oltp --oltp-test-mode=sp run", "complex"),
        ] {
            let error = read(line).expect_err(line);
            let text = format!("{error} {}", error.hints().join(" "));
            assert!(text.contains(word), "{line}: {text}");
        }
    }
}
