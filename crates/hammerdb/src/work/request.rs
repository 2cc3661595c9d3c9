//! Converts the dictionary to the settings of a use case.
//!
//! This module never connects to a database. Requests that are not supported are rejected before anything starts.
//!
//! Start reading at [`build`] and [`run`].

use std::time::Duration;

use super::Refusal;
use super::products;
use super::target::{admin_target, target};
use crate::dictionary::{Benchmark, Dictionary};

/// Tacho settings by key.
pub type Flags = Vec<(String, Vec<String>)>;

/// The settings of a run, along with other values that the run needs.
#[expect(clippy::struct_excessive_bools, reason = "the switches correspond to dictionary keys")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPlan {
    /// The settings.
    pub flags: Flags,
    /// Number of virtual users, excluding the monitor.
    pub users: u32,
    /// Number of sessions for each virtual user, if `async_scale` is on.
    pub clients: Option<u32>,
    /// Length of the ramp-up, in minutes.
    pub rampup: u64,
    /// Minutes of the measurement.
    pub duration: u64,
    /// Number of transactions for each virtual user, which applies only to test runs.
    pub iterations: u64,
    /// True for a run of HammerDB's test driver, which has no monitor and produces no result.
    pub test: bool,
    /// True if stored routines are requested.
    pub routines: bool,
    /// The requested kind of stored routines: true for procedures, and false for functions. `None` if the database does
    /// not offer a choice.
    pub procedures: Option<bool>,
    /// True if a single failed transaction makes the whole run fail.
    pub raise_error: bool,
    /// True if TPM is printed before NOPM in the result line.
    pub tpm_first: bool,
    /// True if a time profile is requested.
    pub time_profile: bool,
    /// True if this console is a replica, whose run is only part of a larger load. The primary then measures the whole
    /// load.
    pub replica: bool,
    /// True if a connect pool distributes the transactions over several databases.
    pub pool: bool,
    /// Time between the logins of consecutive sessions.
    pub stagger: Duration,
    /// True if each login is printed.
    pub verbose: bool,
    /// The settings for cleaning up the database after the run, if requested.
    pub settle: Option<Flags>,
    /// Notes about options that have no effect here.
    pub notes: Vec<String>,
}

/// The settings of a build, along with other values that the build needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildPlan {
    /// The settings.
    pub flags: Flags,
    /// Number of warehouses, or the scale factor.
    pub size: u64,
    /// Number of virtual users that load data.
    pub users: u32,
    /// Notes about keys that have no effect here.
    pub notes: Vec<String>,
}

/// Returns the target, or an error if a key of the request is not supported. Call this before connecting, because
/// ignoring such a key could lead to a connection to the wrong server.
pub fn require_known(dictionary: &Dictionary, what: &str) -> Result<String, Refusal> {
    let database = dictionary.database();
    let refuse = |text: String| format!("Error: {what} was not run: {text}");
    let target = target(dictionary).ok_or_else(|| {
        refuse(format!("Tacho cannot run HammerDB scripts on {} yet", database.name))
    })?;
    products::require_supported(dictionary, what)?;
    if let Some(socket) = super::target::plain_socket(dictionary) {
        let (ssl, key) = (database.key("ssl"), database.key("socket"));
        return Err(refuse(format!(
            "{ssl} is true, but connections through the socket {socket} are not \
             encrypted; set {key} to null to connect over TCP"
        )));
    }
    match super::target::cipher(dictionary) {
        None => Ok(target),
        Some(key) => Err(refuse(format!(
            "Tacho cannot set {key}, because client and server negotiate the cipher; set it to server"
        ))),
    }
}

pub(super) fn flag(key: &str, value: impl Into<String>) -> (String, Vec<String>) {
    (key.into(), vec![value.into()])
}

/// Returns the settings common to all use cases.
pub(super) fn base(dictionary: &Dictionary, target: String) -> Flags {
    let workload = match dictionary.benchmark {
        Benchmark::TprocC => "tprocc",
        Benchmark::TprocH => "tproch",
    };
    let mut flags =
        vec![flag("workload", workload), flag("target", target), flag("profile", "hammerdb")];
    if dictionary.benchmark == Benchmark::TprocC && products::has_own_routines(dictionary) {
        add(&mut flags, "set", "hammerdb_routines=false");
    }
    flags
}

/// Adds a value to a setting that can have several values.
pub(super) fn add(flags: &mut Flags, key: &str, value: &str) {
    match flags.iter_mut().find(|(known, _)| known == key) {
        Some((_, values)) => values.push(value.into()),
        None => flags.push(flag(key, value)),
    }
}

/// Returns a numeric dictionary value, which must be at least `min`.
pub(super) fn number(dictionary: &Dictionary, name: &str, min: u64) -> Result<u64, Refusal> {
    let text = dictionary.common(name);
    text.trim().parse().ok().filter(|number| *number >= min).ok_or_else(|| {
        let key = dictionary.key(name);
        format!("Error: {key} is \"{text}\" but must be a whole number of at least {min}")
    })
}

/// Returns the settings for `buildschema`.
pub fn build(dictionary: &Dictionary) -> Result<BuildPlan, Refusal> {
    let what = "buildschema";
    let target = require_known(dictionary, what)?;
    let warehouses = number(dictionary, "count_ware", 1)?;
    let users = build_users(dictionary)?;
    if u64::from(users) > warehouses {
        return Err(too_many_users(users.into(), warehouses));
    }
    let mut flags = base(dictionary, target);
    flags.extend([flag("scale", warehouses.to_string()), flag("sessions", users.to_string())]);
    for set in tables(dictionary) {
        add(&mut flags, "set", &set);
    }
    let notes = products::without_effect(dictionary);
    Ok(BuildPlan { flags, size: warehouses, users, notes })
}

/// Returns the error for a build that has more virtual users than warehouses.
pub fn too_many_users(users: u64, warehouses: u64) -> Refusal {
    format!(
        "Error:Build virtual users must be less than or equal to number of warehouses\n\
         You have {users} virtual users building {warehouses} warehouses"
    )
}

/// Returns the number of virtual users that load data.
pub(super) fn build_users(dictionary: &Dictionary) -> Result<u32, Refusal> {
    let users = dictionary.common("num_vu").trim().parse::<u32>().ok().filter(|users| *users > 0);
    users.ok_or_else(|| {
        "Error: Number of virtual users to build schema must be a positive integer".into()
    })
}

/// Returns the tables' storage options as workload parameters.
fn tables(dictionary: &Dictionary) -> Vec<String> {
    let (mut set, is_pg) = (Vec::new(), dictionary.database().prefix == "pg");
    if dictionary.is_on("storedprocs") {
        set.push("routines=procedures".into());
    }
    set.extend(products::tables(dictionary));
    if dictionary.is_on("cituscompat") {
        set.push("distributed=true".into());
    }
    if dictionary.is_on("history_pk") {
        set.push("history_pk=true".into());
    }
    // Do not mention the engine if it is InnoDB. Otherwise, the description of the data would differ from that after
    // `tacho prepare`.
    match dictionary.common("storage_engine") {
        usual if usual.is_empty() || usual.eq_ignore_ascii_case("innodb") => {}
        engine => set.push(format!("engine={engine}")),
    }
    if let Some(tablespace) = products::tablespace(dictionary).filter(|_| is_pg) {
        set.push(format!("tablespace={tablespace}"));
    }
    set
}

/// Returns the dictionary keys that affect how tables are built. Each is preceded by the name of the Tacho parameter
/// that it sets.
pub fn option_keys(dictionary: &Dictionary) -> Vec<(&'static str, String)> {
    let keys = dictionary.section(dictionary.benchmark.section());
    keys.filter_map(|key| Some((key.parameter()?, key.name.to_owned()))).collect()
}

/// Returns the settings for `datagenrun`.
pub fn files(dictionary: &Dictionary, scale: &str, users: u32) -> Result<Flags, Refusal> {
    let mut flags = data(dictionary, "datagenrun")?;
    flags.extend([flag("scale", scale), flag("sessions", users.to_string())]);
    Ok(flags)
}

/// Returns the settings for `checkschema` and `deleteschema`.
pub fn data(dictionary: &Dictionary, what: &str) -> Result<Flags, Refusal> {
    Ok(base(dictionary, require_known(dictionary, what)?))
}

/// Time limit for a purge or a vacuum. It is very long, because HammerDB has no such limit.
const PURGE_MAX: &str = "1d";

/// Returns the settings for `vurun`. `minute` is the length of a minute in the script.
pub fn run(dictionary: &Dictionary, users: u32, minute: Duration) -> Result<RunPlan, Refusal> {
    let target = require_known(dictionary, "vurun")?;
    let rampup = number(dictionary, "rampup", 0)?;
    let duration = number(dictionary, "duration", 1)?;
    let iterations = number(dictionary, "total_iterations", 1)?;
    let test = dictionary.common("driver") == "test";
    let clients = if dictionary.is_on("async_scale") {
        Some(number(dictionary, "async_client", 1)? as u32)
    } else {
        None
    };
    let sessions = users.saturating_mul(clients.unwrap_or(1));
    let mut flags = base(dictionary, target);
    flags.extend([flag("sessions", sessions.to_string()), flag("check", "none")]);
    if test {
        flags.push(flag("transactions", iterations.saturating_mul(users.into()).to_string()));
        flags.push(flag("ramp_up", "0s"));
    } else {
        flags.push(flag("duration", span(minute * duration as u32)));
        flags.push(flag("ramp_up", span(minute * rampup as u32)));
    }
    // A test run is too short for staggered logins, so all of its sessions log in before it starts.
    let stagger =
        if test { Duration::ZERO } else { stagger(dictionary, minute, users, clients.is_some())? };
    if !stagger.is_zero() && sessions > 1 {
        flags.push(flag("stagger", span(stagger)));
    }
    let interval = (minute / 10).clamp(Duration::from_millis(100), Duration::from_secs(1));
    flags.push(flag("interval", span(interval)));
    if dictionary.is_on("keyandthink") {
        flags.push(flag("pacing", "spec"));
    }
    let pool = dictionary.is_on("connect_pool");
    if pool {
        flags.push(("route".into(), super::pool::routes(dictionary)?));
    }
    if pool || dictionary.is_on("timeprofile") {
        flags.push(flag("session_times", "yes"));
    }
    if dictionary.is_on("purge") {
        flags.push(flag("settle", PURGE_MAX));
    }
    if dictionary.is_on("allwarehouse") {
        add(&mut flags, "set", "warehouses=owned");
    }
    let mut notes = notes(dictionary, iterations, test);
    notes.extend(products::notes(dictionary));
    let logins = stagger.saturating_mul(sessions.saturating_sub(1));
    let before = minute.saturating_mul(rampup as u32);
    // Logins after the ramp-up have almost no effect on the result if they take less than 5 % of the measured time.
    let noticed = before + minute.saturating_mul(duration as u32) / 20;
    if !test && logins > noticed {
        let (logins, before) = (logins.as_secs_f64(), before.as_secs_f64());
        notes.push(format!(
            "virtual users take {logins:.1} seconds to log in one after another, but rampup lasts only {before:.1}"
        ));
    }
    Ok(RunPlan {
        flags,
        replica: false,
        pool,
        stagger,
        verbose: clients.is_some() && dictionary.is_on("async_verbose"),
        users,
        clients,
        rampup,
        duration,
        iterations,
        test,
        routines: !dictionary.is_on("no_stored_procs"),
        procedures: (dictionary.database().prefix == "pg").then(|| dictionary.is_on("storedprocs")),
        raise_error: dictionary.is_on("raiseerror"),
        tpm_first: dictionary.generic("benchmark", "first_result") == "TPM",
        time_profile: dictionary.is_on("timeprofile"),
        settle: admin_target(dictionary).filter(|_| dictionary.is_on("vacuum")).map(|target| {
            let mut flags = base(dictionary, target);
            flags.push(flag("settle", PURGE_MAX));
            flags
        }),
        notes,
    })
}

/// Returns the time between two logins. If each virtual user has several clients, the clients of one user log in at
/// intervals of `async_delay`.
pub(super) fn stagger(
    dictionary: &Dictionary,
    minute: Duration,
    users: u32,
    clients: bool,
) -> Result<Duration, Refusal> {
    let millis = if clients {
        number(dictionary, "async_delay", 0)?
    } else {
        dictionary.generic("virtual_user_options", "user_delay").parse().unwrap_or(0)
    };
    // If a minute in a script lasts less than a real minute, the delay must be shortened too.
    let delay = Duration::from_millis(millis).mul_f64(minute.as_secs_f64() / 60.0);
    Ok(if clients { delay / users.max(1) } else { delay })
}

/// Returns notes about options that are harmless but have no effect here.
fn notes(dictionary: &Dictionary, iterations: u64, test: bool) -> Vec<String> {
    let key = |name: &str| dictionary.key(name);
    let mut notes = Vec::new();
    if dictionary.is_on("checkpoint") {
        let why = "has no effect: the server writes checkpoints on its own schedule";
        notes.push(format!("{} {why}", key("checkpoint")));
    }
    // HammerDB also ends a run once all iterations are done. If there are fewer than a million, a fast database could
    // finish them before the planned end. Tacho does not stop there, so tell the user.
    if !test && iterations < 1_000_000 {
        let key = key("total_iterations");
        notes.push(format!(
            "{key} has no effect: rampup and duration determine the length of this run"
        ));
    }
    notes
}

/// Formats a duration as a setting. Whole minutes are written as minutes, as in scripts.
pub(super) fn span(length: Duration) -> String {
    match length.as_micros() {
        minutes if minutes % 60_000_000 == 0 => format!("{}m", minutes / 60_000_000),
        millis if millis % 1_000 == 0 => format!("{}ms", millis / 1_000),
        micros => format!("{micros}us"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pg(values: &[(&str, &str)]) -> Dictionary {
        let mut dictionary = Dictionary::default();
        dictionary.use_database("pg");
        for (key, value) in values {
            assert!(dictionary.set("tpcc", key, value).is_ok(), "{key}");
        }
        dictionary
    }

    fn value<'a>(flags: &'a Flags, key: &str) -> Option<&'a [String]> {
        flags.iter().find(|(known, _)| known == key).map(|(_, values)| values.as_slice())
    }

    #[test]
    fn a_run_lasts_as_long_as_the_script_says() -> Result<(), Refusal> {
        let dictionary = pg(&[
            ("pg_rampup", "3"),
            ("pg_duration", "7"),
            ("pg_allwarehouse", "true"),
            ("pg_async_scale", "true"),
        ]);
        let plan = run(&dictionary, 4, Duration::from_mins(1))?;
        assert_eq!(value(&plan.flags, "duration"), Some(&["7m".to_owned()][..]));
        assert_eq!(value(&plan.flags, "ramp_up"), Some(&["3m".to_owned()][..]));
        assert_eq!(value(&plan.flags, "sessions"), Some(&["40".to_owned()][..]));
        assert_eq!(value(&plan.flags, "set"), Some(&["warehouses=owned".to_owned()][..]));
        assert_eq!(value(&plan.flags, "interval"), Some(&["1000ms".to_owned()][..]));
        // Each of the four virtual users starts another client every second, so there are four logins per second.
        assert_eq!(value(&plan.flags, "stagger"), Some(&["250ms".to_owned()][..]));
        assert_eq!((plan.users, plan.clients), (4, Some(10)));
        Ok(())
    }

    #[test]
    fn the_database_is_brought_to_rest_by_the_superuser() -> Result<(), Refusal> {
        assert_eq!(run(&pg(&[]), 1, Duration::from_mins(1))?.settle, None);
        let all = [("pg_vacuum", "true"), ("pg_superuser", "boss"), ("pg_superuserpass", "a b")];
        let plan = run(&pg(&all), 1, Duration::from_mins(1))?;
        let target = plan.settle.and_then(|flags| value(&flags, "target").map(<[String]>::to_vec));
        let target = target.and_then(|mut values| values.pop()).unwrap_or_default();
        assert!(target.ends_with("&user=boss&password=a%20b"), "{target}");
        Ok(())
    }

    #[test]
    fn rejects_unsupported_builds() {
        let refused = |values: &[(&str, &str)]| build(&pg(values)).err().unwrap_or_default();
        assert_eq!(refused(&[]), "");
        assert!(refused(&[("pg_num_vu", "x")]).ends_with("must be a positive integer"));
        assert!(refused(&[("pg_num_vu", "2")]).ends_with("2 virtual users building 1 warehouses"));
        assert!(refused(&[("pg_count_ware", "many")]).contains("pg_count_ware is \"many\""));
        assert!(refused(&[("pg_oracompat", "true")]).contains("pg_oracompat is true"));
        let other = Dictionary::default();
        assert!(build(&other).is_err_and(|text| text.contains("instance is oracle")));
    }

    #[test]
    fn every_command_rejects_another_product() {
        let table = [
            ("pg", Benchmark::TprocC, "tpcc", "pg_oracompat", "true"),
            ("pg", Benchmark::TprocC, "tpcc", "pg_dritasnap", "true"),
            ("pg", Benchmark::TprocH, "tpch", "pg_tpch_gpcompat", "true"),
            ("pg", Benchmark::TprocH, "tpch", "pg_tpch_gpcompress", "TRUE"),
            ("pg", Benchmark::TprocH, "tpch", "pg_rs_compat", "1"),
            ("mysql", Benchmark::TprocH, "tpch", "mysql_tpch_obcompat", "true"),
            ("mysql", Benchmark::TprocH, "tpch", "mysql_tpch_storage_engine", "Heatwave"),
            ("maria", Benchmark::TprocH, "tpch", "maria_tpch_storage_engine", "columnstore"),
        ];
        for (prefix, benchmark, section, key, value) in table {
            let mut dictionary = Dictionary::default();
            dictionary.benchmark = benchmark;
            dictionary.use_database(prefix);
            assert!(data(&dictionary, "checkschema").is_ok(), "{key}");
            assert!(dictionary.set(section, key, value).is_ok(), "{key}");
            let minute = Duration::from_mins(1);
            let run = match benchmark {
                Benchmark::TprocC => run(&dictionary, 1, minute).err(),
                Benchmark::TprocH => {
                    super::super::tproch::streams(&dictionary, 1, 1.0, minute).err()
                }
            };
            for refusal in [run, data(&dictionary, "deleteschema").err()] {
                let text = refusal.unwrap_or_default();
                let named = text.contains(&format!("{key} is {value}"));
                assert!(
                    named && text.contains("was not run") && text.lines().count() == 1,
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn tls_is_never_left_out_for_a_socket() {
        let mut dictionary = Dictionary::default();
        dictionary.use_database("maria");
        for (key, value) in [("maria_socket", "/"), ("maria_ssl", "true")] {
            assert!(dictionary.set("connection", key, value).is_ok());
        }
        let refused = data(&dictionary, "deleteschema").err().unwrap_or_default();
        assert!(
            refused.contains("maria_ssl is true, but connections through the socket /"),
            "{refused}"
        );
        assert!(dictionary.set("connection", "maria_socket", "null").is_ok());
        assert!(data(&dictionary, "deleteschema").is_ok());
    }

    /// Each key for a storage option must set one parameter of the request. The key must also be found from this
    /// parameter, because error messages mention the keys that the script has set.
    #[test]
    fn every_storage_option_of_each_database_has_its_effect() -> Result<(), Refusal> {
        type Options<'a> = &'a [(&'a str, &'a str)];
        let table: &[(&str, Options<'_>, Options<'_>, &[&str])] = &[
            ("maria", &[], &[("maria_partition", "true")], &["partitions=auto"]),
            ("maria", &[], &[("maria_history_pk", "true")], &["history_pk=true"]),
            ("maria", &[], &[("maria_storage_engine", "aria")], &["engine=aria"]),
            ("mysql", &[], &[("mysql_partition", "true")], &["partitions=auto"]),
            ("mysql", &[], &[("mysql_history_pk", "true")], &["history_pk=true"]),
            ("mysql", &[], &[("mysql_storage_engine", "rocksdb")], &["engine=rocksdb"]),
            ("mssqls", &[], &[("mssqls_imdb", "true")], &["storage=memory=on"]),
            (
                "mssqls",
                &[("mssqls_imdb", "true")],
                &[("mssqls_durability", "SCHEMA_ONLY")],
                &["storage=memory=on", "unlogged=true"],
            ),
            ("ora", &[], &[("tpcc_def_tab", "fast")], &["tablespace=fast"]),
            ("ora", &[], &[("partition", "true")], &["partitions=auto"]),
            (
                "ora",
                &[("partition", "true"), ("count_ware", "200")],
                &[("hash_clusters", "true")],
                &["partitions=auto", "organize=hash"],
            ),
            ("db2", &[], &[("db2_def_tab", "fast")], &["tablespace=fast"]),
            ("db2", &[("db2_count_ware", "10")], &[("db2_partition", "true")], &["partitions=10"]),
        ];
        for (prefix, needed, options, expected) in table {
            let mut dictionary = Dictionary::default();
            dictionary.use_database(prefix);
            for key in ["instance", "db2_tcp"] {
                let _ = dictionary.set("connection", key, "host/service");
            }
            let put = |dictionary: &mut Dictionary, values: Options<'_>| {
                for (key, value) in values {
                    assert!(dictionary.set("tpcc", key, value).is_ok(), "{key}");
                }
            };
            put(&mut dictionary, needed);
            let before = build(&dictionary)?;
            put(&mut dictionary, options);
            let after = build(&dictionary)?;
            let ours = |plan: &BuildPlan| {
                let mut set = value(&plan.flags, "set").map(<[String]>::to_vec).unwrap_or_default();
                set.retain(|value| !value.starts_with("hammerdb_routines="));
                set
            };
            assert_eq!(ours(&after), *expected, "{options:?}");
            assert_ne!(ours(&before), ours(&after), "{options:?}");
            let (ours, _) = expected.last().and_then(|last| last.split_once('=')).expect("a value");
            let theirs = options[0].0;
            assert!(option_keys(&dictionary).contains(&(ours, theirs.to_owned())), "{theirs}");
        }
        Ok(())
    }

    #[test]
    fn the_tables_are_as_the_options_say() -> Result<(), Refusal> {
        let all = [
            ("pg_storedprocs", "true"),
            ("pg_partition", "true"),
            ("pg_cituscompat", "true"),
            ("pg_tspace", "fast"),
        ];
        let plan = build(&pg(&all))?;
        let set = ["routines=procedures", "partitions=auto", "distributed=true", "tablespace=fast"];
        assert_eq!(value(&plan.flags, "set"), Some(&set.map(str::to_owned)[..]));
        // When a build is resumed with other options, the error must mention the keys that the script uses.
        let keys = option_keys(&pg(&all));
        for ((theirs, _), set) in all.into_iter().zip(set) {
            let (ours, _) = set.split_once('=').expect("a parameter");
            assert!(keys.contains(&(ours, theirs.to_owned())), "{theirs}: {keys:?}");
        }
        Ok(())
    }
}
