//! The dictionary keys of SQL Server, Oracle and Db2, including those that are not supported or have no effect.
//!
//! This module never connects to a database. Start reading at [`options`] and [`require_supported`].

use super::Refusal;
use crate::dictionary::{Benchmark, Dictionary, Key, Limit};

/// Options of a target.
pub type Options = Vec<(&'static str, String)>;

/// Returns the options of a SQL Server target. HammerDB uses different keys on Windows.
pub fn sqlserver_options(dictionary: &Dictionary) -> Options {
    let connection = |key: &str| dictionary.get("connection", key).to_owned();
    let is_on = |key: &str| dictionary.get("connection", key) == "true";
    let bulk = match dictionary.benchmark {
        Benchmark::TprocC => "use_bcp",
        Benchmark::TprocH => "tpch_use_bcp",
    };
    let yes = |on: bool| if on { "yes" } else { "no" }.to_owned();
    vec![
        ("host", connection(SERVER)),
        ("port", if is_on("mssqls_tcp") { connection("mssqls_port") } else { String::new() }),
        ("user", connection("mssqls_uid")),
        ("password", connection("mssqls_pass")),
        ("database", dictionary.common("dbase").to_owned()),
        ("encrypt", yes(is_on("mssqls_encrypt_connection"))),
        ("trust_server_certificate", yes(is_on("mssqls_trust_server_cert"))),
        ("load", if dictionary.is_on(bulk) { "bulk" } else { "insert" }.to_owned()),
    ]
}

const SERVER: &str = if cfg!(windows) { "mssqls_server" } else { "mssqls_linux_server" };

/// Returns the options of an Oracle target.
pub fn oracle_options(dictionary: &Dictionary) -> Options {
    let (user, pass) = match dictionary.benchmark {
        Benchmark::TprocC => ("tpcc_user", "tpcc_pass"),
        Benchmark::TprocH => ("tpch_user", "tpch_pass"),
    };
    let schema = |key: &str| dictionary.get(dictionary.benchmark.section(), key).to_owned();
    let (host, port, service) = instance(dictionary).unwrap_or_default();
    let rac = if dictionary.get("connection", "rac") == "1" { "true" } else { "" };
    vec![
        ("host", host),
        ("port", port),
        ("service", service),
        ("user", schema(user)),
        ("password", schema(pass)),
        ("rac", rac.into()),
    ]
}

/// Returns the options of a TimesTen target. An instance is the name of a data source on this machine, unless it
/// contains a server's name.
pub fn timesten_options(dictionary: &Dictionary) -> Options {
    let name = dictionary.get("connection", "instance").to_owned();
    let (host, port, dsn) = instance(dictionary).unwrap_or((String::new(), String::new(), name));
    let direct = dsn.ends_with(":timesten_direct");
    let dsn = dsn.split(":timesten_").next().unwrap_or_default().to_owned();
    let place = [("host", host), ("port", port)].into_iter().filter(|_| !direct);
    let login = oracle_options(dictionary).into_iter();
    let login = login.filter(|(key, _)| matches!(*key, "user" | "password"));
    place.chain([("dsn", dsn)]).chain(login).collect()
}

/// Returns the options of a Db2 target. Clients of Db2 refer to databases by aliases.
pub fn db2_options(dictionary: &Dictionary) -> Options {
    let common = |key: &str| dictionary.common(key).to_owned();
    vec![("alias", common("dbase")), ("user", common("user")), ("password", common("pass"))]
}

/// Returns the key for the tablespace of all tables, if this database has one.
pub fn tablespace_key(dictionary: &Dictionary) -> Option<&'static Key> {
    let mut keys = dictionary.section(dictionary.benchmark.section());
    keys.find(|key| key.parameter() == Some("tablespace"))
}

/// Returns the tablespace for all tables, unless it is the default.
pub fn tablespace(dictionary: &Dictionary) -> Option<String> {
    let key = tablespace_key(dictionary).filter(|_| !dictionary.is_timesten())?;
    let value = dictionary.get(key.section, key.name);
    (!value.is_empty() && !value.eq_ignore_ascii_case(key.default)).then(|| value.to_owned())
}

/// HammerDB's words for how Db2 organizes the tables of TPROC-H, each with Tacho's value for it. This value is empty
/// for the default.
const ORGANIZATIONS: [(&str, &str); 5] =
    [("NONE", ""), ("ROW", "row"), ("COL", "column"), ("COLUMN", "column"), ("DATE", "date")];
const ORGANIZE_BY: &str = "db2_tpch_organizeby";

fn organization(dictionary: &Dictionary) -> Option<&'static str> {
    let value = dictionary.get("tpch", ORGANIZE_BY).to_uppercase();
    ORGANIZATIONS.iter().find(|(known, _)| *known == value).map(|(_, ours)| *ours)
}

/// The smallest number of warehouses for which HammerDB splits a Db2 table into ten tables.
const SPLIT_FROM: u64 = 10;

/// The key for the durability of SQL Server's memory-optimized tables.
const DURABILITY: &str = "durability";
const SCHEMA_ONLY: &str = "SCHEMA_ONLY";
const DURABILITIES: [&str; 2] = ["SCHEMA_AND_DATA", SCHEMA_ONLY];

/// The key that requests Oracle's hash clusters.
const CLUSTERS: &str = "hash_clusters";
const CLUSTERS_FROM: u64 = 200;

fn is_on_with_partitions(dictionary: &Dictionary, key: &str) -> bool {
    dictionary.is_on("partition") && dictionary.get("tpcc", key) == "true"
}

/// Returns the tables' storage options as workload parameters.
pub fn tables(dictionary: &Dictionary) -> Vec<String> {
    let prefix = dictionary.database().prefix;
    let mut set = Vec::new();
    if let Some(place) = tablespace(dictionary).filter(|_| prefix != "pg") {
        set.push(format!("tablespace={place}"));
    }
    if dictionary.benchmark == Benchmark::TprocC {
        let warehouses = dictionary.common("count_ware").trim().parse().unwrap_or(0_u64);
        match prefix {
            "db2" if dictionary.is_on("partition") && warehouses >= SPLIT_FROM => {
                set.push("partitions=10".into());
            }
            "db2" => {}
            "ora" if dictionary.is_timesten() => set.push("storage=amounts=double".into()),
            "mssqls" if dictionary.is_on("imdb") => {
                set.push("storage=memory=on".into());
                if dictionary.common(DURABILITY) == SCHEMA_ONLY {
                    set.push("unlogged=true".into());
                }
            }
            _ if dictionary.is_on("partition") => {
                set.push("partitions=auto".into());
                // Create hash clusters only if there are enough warehouses, as HammerDB does.
                if is_on_with_partitions(dictionary, CLUSTERS) && warehouses >= CLUSTERS_FROM {
                    set.push("organize=hash".into());
                }
            }
            _ => {}
        }
        return set;
    }
    let kind = match prefix {
        "db2" => organization(dictionary).unwrap_or_default(),
        "mssqls" if dictionary.is_on("colstore") => "column",
        _ => "",
    };
    if !kind.is_empty() {
        set.push(format!("organize={kind}"));
    }
    if prefix == "db2" && kind == "column" {
        // A Db2 table that is organized by columns has no indexes except those for its keys.
        set.push("indexes=none".into());
    }
    set
}

/// Returns the host, port and service of an instance. In `host:port/service`, the port is optional.
fn instance(dictionary: &Dictionary) -> Option<(String, String, String)> {
    let text = dictionary.get("connection", "instance").trim_start_matches('/');
    let (address, service) = text.split_once('/')?;
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    let all = !host.is_empty() && !service.is_empty();
    all.then(|| (host.to_owned(), port.to_owned(), service.to_owned()))
}

/// Returns each key that violates a restriction, with its value and the restriction.
fn limited(dictionary: &Dictionary) -> impl Iterator<Item = (&'static Key, &str, Limit)> {
    let applies = |place: &str| match place {
        "unix" => cfg!(not(windows)),
        "windows" => cfg!(windows),
        "timesten" => dictionary.is_timesten(),
        _ => true,
    };
    let keys = ["connection", dictionary.benchmark.section()].map(|part| dictionary.section(part));
    keys.into_iter().flatten().flat_map(move |key| {
        let value = dictionary.get(key.section, key.name);
        let limits = key.limits().filter(move |limit| applies(limit.place));
        limits.filter(move |limit| !key.allows(*limit, value)).map(move |limit| (key, value, limit))
    })
}

/// Returns an error if a key requests something that is not supported. Called before connecting.
pub fn require_supported(dictionary: &Dictionary, what: &str) -> Result<(), Refusal> {
    let prefix = dictionary.database().prefix;
    let section = dictionary.benchmark.section();
    let refuse = |text: String| Err(format!("Error: {what} was not run: {text}"));
    if let Some((key, value, limit)) = limited(dictionary).find(|(.., limit)| limit.rejects) {
        let (name, harmless, why) = (key.name, key.allowed(limit), limit.why);
        return refuse(format!("{name} is {value}, and {why}; set {name} to {harmless}"));
    }
    if prefix == "db2" && section == "tpch" && organization(dictionary).is_none() {
        let value = dictionary.get("tpch", ORGANIZE_BY);
        return refuse(format!("{ORGANIZE_BY} is {value}; set it to NONE, ROW, COL or DATE"));
    }
    if prefix == "mssqls" && section == "tpcc" {
        let value = dictionary.common(DURABILITY);
        if !DURABILITIES.contains(&value) {
            let key = dictionary.key(DURABILITY);
            return refuse(format!("{key} is {value}; set it to {}", DURABILITIES.join(" or ")));
        }
    }
    if prefix == "ora" && !dictionary.is_timesten() && instance(dictionary).is_none() {
        let value = dictionary.get("connection", "instance");
        return refuse(format!(
            "instance is {value}, but Tacho does not read tnsnames.ora; set instance to host:port/service"
        ));
    }
    Ok(())
}

/// Returns notes about keys that have no effect.
pub fn without_effect(dictionary: &Dictionary) -> Vec<String> {
    let ignored =
        limited(dictionary).filter(|(_, value, limit)| !limit.rejects && !value.is_empty());
    let said = ignored.map(|(key, _, Limit { place, why, .. })| {
        let on = if place == "timesten" { " on TimesTen" } else { "" };
        format!("{} has no effect{on}: {why}", key.name)
    });
    said.collect()
}

/// Returns notes about keys that have no effect, and about how to interpret the results.
pub fn notes(dictionary: &Dictionary) -> Vec<String> {
    let prefix = dictionary.database().prefix;
    let mut notes = without_effect(dictionary);
    if prefix == "mssqls" && dictionary.benchmark == Benchmark::TprocC {
        notes.push("TPM counts transactions, whereas HammerDB's TPM counts batch requests".into());
    }
    let in_memory = prefix == "mssqls" && dictionary.benchmark == Benchmark::TprocC;
    if in_memory && !dictionary.is_on("imdb") && dictionary.common(DURABILITY) == SCHEMA_ONLY {
        notes.push(format!(
            "{} has no effect without {}",
            dictionary.key(DURABILITY),
            dictionary.key("imdb")
        ));
    }
    let clusters =
        prefix == "ora" && !dictionary.is_timesten() && dictionary.get("tpcc", CLUSTERS) == "true";
    if clusters && dictionary.benchmark == Benchmark::TprocC && !dictionary.is_on("partition") {
        notes.push(format!("{CLUSTERS} has no effect unless partition is true"));
    }
    if prefix == "db2" && dictionary.benchmark == Benchmark::TprocC && dictionary.is_on("partition")
    {
        let what = "with at least ten warehouses, order_line has ten partitions; other tables are not partitioned";
        notes.push(format!("{}: {what}", dictionary.key("partition")));
    }
    if dictionary.benchmark == Benchmark::TprocC && has_own_routines(dictionary) {
        notes.push(
            "Tacho uses its own stored procedures, which are equivalent to HammerDB's".into(),
        );
    }
    notes
}

/// Returns the key that sets the number of workers per query, if Tacho has a corresponding parameter for this database.
pub fn degree_key(dictionary: &Dictionary) -> Option<&'static str> {
    match dictionary.database().prefix {
        _ if dictionary.is_timesten() => None,
        "mssqls" => Some("maxdop"),
        "ora" | "db2" => Some("degree_of_parallel"),
        _ => None,
    }
}

/// Returns how queries are sent. They are sent as simple text, except on Oracle.
pub fn query_form(dictionary: &Dictionary) -> &'static str {
    if dictionary.database().prefix == "ora" { "sql" } else { "simple" }
}

/// Returns the server name for the question that is asked before a build.
pub fn server(dictionary: &Dictionary) -> String {
    let key = match dictionary.database().prefix {
        "mssqls" => SERVER.to_owned(),
        "ora" => "instance".to_owned(),
        _ => dictionary.database().key("host"),
    };
    dictionary.get("connection", &key).to_uppercase()
}

/// Returns true if Tacho uses stored routines of its own on this database, because it cannot use HammerDB's.
pub fn has_own_routines(dictionary: &Dictionary) -> bool {
    are_own_routines(dictionary.database().prefix)
}

/// Returns true if Tacho uses stored routines of its own on the database with this prefix.
pub fn are_own_routines(prefix: &str) -> bool {
    matches!(prefix, "mssqls" | "ora" | "db2")
}

/// Returns true if clients refer to a database by an alias. The host of the database is then not known.
pub fn has_aliases(dictionary: &Dictionary) -> bool {
    dictionary.database().prefix == "db2"
}

#[cfg(test)]
mod tests {
    use super::super::target::target;
    use super::*;
    use crate::dictionary::{DATABASES, keys};

    fn dictionary(prefix: &str, benchmark: Benchmark, values: &[(&str, &str)]) -> Dictionary {
        let mut dictionary = Dictionary::default();
        dictionary.benchmark = benchmark;
        dictionary.use_database(prefix);
        for (key, value) in values {
            let sections = ["connection", benchmark.section()];
            let taken = sections.iter().any(|part| dictionary.set(part, key, value).is_ok());
            assert!(taken, "{key}");
        }
        dictionary
    }

    fn told(dictionary: &Dictionary) -> String {
        require_supported(dictionary, "vurun").err().unwrap_or_default()
    }

    #[test]
    fn keys_of_sql_server_are_options() {
        let usual = dictionary("mssqls", Benchmark::TprocC, &[]);
        assert_eq!(
            target(&usual).as_deref(),
            Some(
                "sqlserver:?host=localhost&user=sa&password=admin&database=tpcc&encrypt=yes&\
                 trust_server_certificate=yes&load=bulk"
            )
        );
        let other = dictionary(
            "mssqls",
            Benchmark::TprocH,
            &[
                ("mssqls_linux_server", "db1"),
                ("mssqls_tcp", "true"),
                ("mssqls_port", "1500"),
                ("mssqls_encrypt_connection", "false"),
                ("mssqls_trust_server_cert", "false"),
                ("mssqls_tpch_use_bcp", "false"),
            ],
        );
        assert_eq!(
            target(&other).as_deref(),
            Some(
                "sqlserver:?host=db1&port=1500&user=sa&password=admin&database=tpch&encrypt=no&\
                 trust_server_certificate=no&load=insert"
            )
        );
    }

    #[test]
    fn an_instance_is_a_host_and_a_service() {
        let table = [
            ("db1:1522/sales", "oracle:?host=db1&port=1522&service=sales&user=tpcc&password=tpcc"),
            ("//db1/sales", "oracle:?host=db1&service=sales&user=tpcc&password=tpcc"),
        ];
        for (instance, expected) in table {
            let dictionary = dictionary("ora", Benchmark::TprocC, &[("instance", instance)]);
            assert_eq!(target(&dictionary).as_deref(), Some(expected));
            assert_eq!(told(&dictionary), "");
        }
        let alias = dictionary("ora", Benchmark::TprocC, &[("rac", "1")]);
        assert!(told(&alias).contains("instance is oracle"), "{}", told(&alias));
    }

    #[test]
    fn rejects_unsupported_keys_in_one_line() {
        let rejected =
            |key: &Key| key.limits().any(|limit| limit.rejects && limit.place != "windows");
        let all = DATABASES
            .iter()
            .flat_map(|database| keys(database.prefix).iter().map(|key| (database.prefix, key)));
        let mut count = 0;
        for (prefix, key) in all.filter(|(_, key)| rejected(key)) {
            let is_h = key.section == "tpch";
            let benchmark = if is_h { Benchmark::TprocH } else { Benchmark::TprocC };
            let mut settings = dictionary(prefix, benchmark, &[]);
            assert!(!told(&settings).contains(key.name), "{key:?}");
            assert!(settings.set(key.section, key.name, "9").is_ok(), "{key:?}");
            let line = told(&settings);
            assert!(
                line.starts_with("Error: vurun was not run: ") && line.contains(key.name),
                "{line}"
            );
            assert!(line.contains("; set ") && line.lines().count() == 1, "{line}");
            count += 1;
        }
        assert!(count > 10, "{count}");
    }

    #[test]
    fn reports_keys_without_effect_if_they_are_set() {
        let said = |values: &[(&str, &str)]| {
            notes(&dictionary("mssqls", Benchmark::TprocC, values)).join("\n")
        };
        assert_eq!(said(&[]).lines().count(), 2, "{}", said(&[]));
        let all = said(&[
            ("mssqls_server", "h\\instance"),
            ("mssqls_linux_odbc", "another one"),
            ("mssqls_msi_object_id", "7"),
        ]);
        for key in ["mssqls_server", "mssqls_linux_odbc", "mssqls_msi_object_id"] {
            assert!(all.contains(&format!("{key} has no effect")), "{all}");
        }
        let said = notes(&dictionary("ora", Benchmark::TprocC, &[("tpcc_ol_tab", "fast")]));
        assert!(said.iter().any(|note| note.contains("tpcc_ol_tab has no effect")), "{said:?}");
        assert!(said.iter().any(|note| note.contains("must exist")), "{said:?}");
    }

    #[test]
    fn tt_compat_is_another_database() {
        let table = [
            ("tt1:6700/sampledb:timesten_client", "timesten:?host=tt1&port=6700&dsn=sampledb"),
            ("tt1/sampledb", "timesten:?host=tt1&dsn=sampledb"),
            ("localhost/sampledb:timesten_direct", "timesten:?dsn=sampledb"),
            ("tt_1122", "timesten:?dsn=tt_1122"),
        ];
        let modes = [(Benchmark::TprocC, "tpcc"), (Benchmark::TprocH, "tpch")];
        for (benchmark, section) in modes {
            for (instance, place) in table {
                let key = format!("{section}_tt_compat");
                let values = [("instance", instance), (key.as_str(), "true"), ("rac", "1")];
                let settings = dictionary("ora", benchmark, &values);
                let expected = format!("{place}&user={section}&password={section}");
                assert_eq!(target(&settings).as_deref(), Some(expected.as_str()));
                assert_eq!(
                    (told(&settings).as_str(), settings.database().result_name),
                    ("", "TimesTen")
                );
                assert!(without_effect(&settings).iter().any(|said| said.contains("no clusters")));
                assert_eq!(degree_key(&settings), None);
            }
        }
        // The other benchmark's key has no effect.
        let other = dictionary("ora", Benchmark::TprocC, &[("instance", "h/s")]);
        assert_eq!((other.database().result_name, degree_key(&other).is_some()), ("Oracle", true));
        let values = [("tpcc_tt_compat", "true"), ("partition", "true"), ("tpcc_def_tab", "fast")];
        let settings = dictionary("ora", Benchmark::TprocC, &values);
        assert_eq!(tables(&settings), ["storage=amounts=double"]);
        let said = notes(&settings).join("\n");
        assert!(
            said.contains("partition has no effect") && said.contains("no tablespaces"),
            "{said}"
        );
    }

    /// A test case: the database, the benchmark, keys with their values, and the parameters to expect.
    type Case<'a> = (&'a str, Benchmark, &'a [(&'a str, &'a str)], &'a [&'a str]);

    #[test]
    fn keys_of_storage_become_parameters() {
        let table: [Case<'_>; 15] = [
            ("db2", Benchmark::TprocC, &[], &[]),
            ("db2", Benchmark::TprocC, &[("db2_def_tab", "FAST")], &["tablespace=FAST"]),
            ("db2", Benchmark::TprocC, &[("db2_partition", "true")], &[]),
            (
                "db2",
                Benchmark::TprocC,
                &[("db2_partition", "true"), ("db2_count_ware", "10")],
                &["partitions=10"],
            ),
            ("db2", Benchmark::TprocH, &[(ORGANIZE_BY, "date")], &["organize=date"]),
            (
                "db2",
                Benchmark::TprocH,
                &[(ORGANIZE_BY, "COL")],
                &["organize=column", "indexes=none"],
            ),
            ("db2", Benchmark::TprocH, &[("db2_tpch_def_tab", "T")], &["tablespace=T"]),
            ("ora", Benchmark::TprocC, &[("partition", "true")], &["partitions=auto"]),
            (
                "ora",
                Benchmark::TprocC,
                &[("partition", "true"), ("hash_clusters", "true"), ("count_ware", "200")],
                &["partitions=auto", "organize=hash"],
            ),
            ("ora", Benchmark::TprocC, &[("hash_clusters", "true"), ("count_ware", "200")], &[]),
            ("ora", Benchmark::TprocC, &[("tpcc_def_tab", "fast")], &["tablespace=fast"]),
            ("mssqls", Benchmark::TprocH, &[("mssqls_colstore", "true")], &["organize=column"]),
            ("mssqls", Benchmark::TprocC, &[("mssqls_durability", "SCHEMA_ONLY")], &[]),
            ("mssqls", Benchmark::TprocC, &[("mssqls_imdb", "true")], &["storage=memory=on"]),
            (
                "mssqls",
                Benchmark::TprocC,
                &[("mssqls_imdb", "true"), ("mssqls_durability", "SCHEMA_ONLY")],
                &["storage=memory=on", "unlogged=true"],
            ),
        ];
        for (prefix, benchmark, values, expected) in table {
            assert_eq!(tables(&dictionary(prefix, benchmark, values)), expected, "{values:?}");
        }
        let odd = dictionary("mssqls", Benchmark::TprocC, &[("mssqls_durability", "NONE")]);
        assert!(told(&odd).contains("set it to SCHEMA_AND_DATA or SCHEMA_ONLY"), "{}", told(&odd));
        let odd = dictionary("db2", Benchmark::TprocH, &[(ORGANIZE_BY, "hash")]);
        assert!(told(&odd).contains("set it to NONE, ROW, COL or DATE"), "{}", told(&odd));
    }

    #[test]
    fn keys_of_db2_work_or_are_reported() {
        let values = [
            ("db2_def_user", "boss"),
            ("db2_def_pass", "x"),
            ("db2_def_dbase", "y"),
            ("db2_monreport", "3"),
            ("db2_partition", "true"),
        ];
        let said = notes(&dictionary("db2", Benchmark::TprocC, &values)).join("\n");
        for key in
            ["db2_def_user", "db2_def_pass", "db2_def_dbase", "db2_monreport", "db2_partition"]
        {
            assert!(said.contains(key), "{key}: {said}");
        }
        let said = notes(&dictionary("db2", Benchmark::TprocC, &[]));
        assert_eq!(
            said,
            ["Tacho uses its own stored procedures, which are equivalent to HammerDB's"]
        );
        let key = degree_key(&dictionary("db2", Benchmark::TprocH, &[]));
        assert_eq!(key, Some("degree_of_parallel"));
    }
}
