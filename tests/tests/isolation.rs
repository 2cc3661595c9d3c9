//! The isolation of transactions: known anomalies are found, impossible ones are never reported, and deliberate faults
//! are identified.

use serde_json::Value;
use tacho_testkit::early_commits::EarlyCommits;
use tacho_testkit::servers::{MariaDb, Options, Postgres};
use tacho_tests::Folder;

use crate::live::{at, measuring, notices, server_with};

/// Few keys and long transactions, so that the sessions compete for every key. The number of transactions is fixed,
/// because a busy machine completes few in a given time.
const HOT: &str =
    "-c 8 --transactions 2000 --ramp-up 0s --retry same --attempts 20 --set hot_share=95";

/// Returns what the latest run found.
fn isolation(folder: &Folder) -> Value {
    folder.record("latest")["result"]["isolation"].clone()
}

/// Returns the names of the classes found.
fn classes(found: &Value) -> Vec<String> {
    let anomalies = found["findings"]["anomalies"].as_array().expect("anomalies").iter();
    anomalies.map(|anomaly| anomaly["class"].as_str().expect("a class").to_owned()).collect()
}

/// Runs a profile and checks that the run reports only anomalies that its isolation level allows, and always those that
/// are certain to occur.
fn keeps(
    (folder, target): (&Folder, &str),
    (profile, promised): (&str, &str),
    (must, may): (&[&str], &[&str]),
) {
    let run = format!("run append '{target}' --profile {profile} {HOT}");
    let done = folder.tacho(&run).exits(0);
    let record = folder.record("latest");
    let ids = notices(&record["result"]);
    assert!(!ids.contains(&"V34") && !ids.contains(&"W34"), "{ids:?}: {}", done.out);
    let found = isolation(folder);
    assert_eq!(found["promised"], promised, "{found}");
    let count = |name: &str| found["findings"][name].as_u64().expect("a count");
    assert!(count("transactions") > 100 && count("committed") > 100, "{found}");
    let classes = classes(&found);
    let expected = |class: &String| must.iter().chain(may).any(|other| other == class);
    assert!(classes.iter().all(expected), "{profile} {promised}: {classes:?}");
    for class in must {
        assert!(classes.iter().any(|found| found == class), "{profile} {promised}: {classes:?}");
    }
    done.says(&["isolation", "the strongest level without a contradiction is"]);
}

const UPDATES: &[&str] = &["lost-update"];
const SKEWS: &[&str] = &["read-skew", "nonadjacent-skew", "write-skew", "lost-update"];

#[test]
fn sqlite_is_serializable() {
    let folder = Folder::new();
    folder.tacho("prepare append sqlite:a.db").exits(0);
    for profile in ["append", "read-write"] {
        keeps((&folder, "sqlite:a.db"), (profile, "serializable"), (&[], &[]));
    }
    folder.tacho("check append sqlite:a.db").exits(0);
}

#[test]
fn postgres_keeps_its_levels() {
    // Other tests use up the connections of the shared server.
    let server = &Postgres::start().expect("a server");
    let (folder, target) = (Folder::new(), at(server, "isolation"));
    folder.tacho(&format!("prepare append '{target}'")).exits(0);
    let more = if target.contains('?') { '&' } else { '?' };
    let level = |name: &str| format!("{target}{more}isolation={name}");
    let (committed, repeatable, serializable) =
        (level("read-committed"), level("repeatable-read"), level("serializable"));
    keeps((&folder, &committed), ("read-write", "read-committed"), (UPDATES, SKEWS));
    keeps((&folder, &committed), ("append", "read-committed"), (&["read-skew"], SKEWS));
    keeps((&folder, &repeatable), ("append", "snapshot-isolation"), (&["write-skew"], &[]));
    keeps((&folder, &serializable), ("append", "serializable"), (&[], &[]));
    keeps((&folder, &serializable), ("read-write", "serializable"), (&[], &[]));
}

#[test]
fn mariadb_keeps_its_levels() {
    let server = MariaDb::shared();
    let (folder, target) = (Folder::new(), at(server, "isolation"));
    folder.tacho(&format!("prepare append '{target}'")).exits(0);
    let more = if target.contains('?') { '&' } else { '?' };
    let level = |name: &str| format!("{target}{more}isolation={name}");
    let dirty = &["aborted-read", "intermediate-read", "circular-flow"][..];
    let uncommitted = level("read-uncommitted");
    let all: Vec<&str> = dirty.iter().chain(SKEWS).copied().collect();
    keeps((&folder, &uncommitted), ("append", "read-uncommitted"), (&["read-skew"], &all));
    let committed = level("read-committed");
    keeps((&folder, &committed), ("read-write", "read-committed"), (UPDATES, SKEWS));
    // With `snapshot-isolation=off`, a transaction may update rows that have changed since its snapshot.
    let off = format!("{}&snapshot-isolation=off", level("repeatable-read"));
    keeps((&folder, &off), ("read-write", "read-committed"), (UPDATES, SKEWS));
    let on = format!("{}&snapshot-isolation=on", level("repeatable-read"));
    keeps((&folder, &on), ("append", "snapshot-isolation"), (&[], &["write-skew"]));
    keeps((&folder, &level("serializable")), ("append", "serializable"), (&[], &[]));
}

/// A history can be exported in Elle's format, and is still available after the run was exported and imported.
#[test]
fn a_history_is_exported_in_the_format_of_elle() {
    let folder = Folder::new();
    folder.tacho("prepare append sqlite:a.db").exits(0);
    folder.tacho("run append sqlite:a.db -c 2 --transactions 300 --ramp-up 0s").done();
    folder.tacho("runs export all.tar.zst").exits(0);
    folder.tacho("runs import all.tar.zst --dir elsewhere").exits(0);
    folder.tacho("runs export a.edn latest --history --dir elsewhere").exits(0);
    let text = String::from_utf8(folder.read("a.edn")).expect("UTF-8");
    let history = tacho_isolation::read_elle(&text).expect("a history");
    let findings = tacho_isolation::check(&history).expect("findings");
    let recorded = isolation(&folder)["findings"].clone();
    assert_eq!(findings.anomalies, []);
    assert_eq!(recorded["transactions"], findings.transactions);
    assert_eq!(recorded["operations"], findings.operations);
    folder.tacho("prepare tpcb sqlite:b.db").exits(0);
    folder.tacho("run tpcb sqlite:b.db --transactions 20 --ramp-up 0s --check none").done();
    folder.tacho("runs export b.edn latest --history").exits(3).complains(&["has no history"]);
}

#[test]
fn histories_of_several_hosts_and_sets_are_refused() {
    let folder = Folder::new();
    for (options, why) in [("--sets 2 -c 2", "with --sets"), ("--shared yes", "with --shared yes")]
    {
        let run = format!("run append 'postgres://u@127.0.0.1:1/d' {options}");
        folder.tacho(&run).exits(2).complains(&["workload append is not supported", why]);
    }
}

/// A server that acknowledges commits and then loses them violates every isolation level.
#[test]
fn commits_that_are_acknowledged_and_lost_are_named() {
    let server: Postgres = server_with("append", Options::default());
    let proxy = EarlyCommits::start(server.port()).expect("a proxy");
    let target = format!("postgres://postgres@127.0.0.1:{}/data?sslmode=disable", proxy.port());
    let folder = Folder::new();
    let run = format!(
        "run append '{target}' -c 4 -d 4s --ramp-up 0s --on-disconnect reconnect --interval 100ms \
         --progress json"
    );
    let mut run = measuring(folder.tacho(&run));
    proxy.answer_early();
    (0..3).for_each(|_| run.until_event(|event| event["event"] == "interval"));
    let answered = proxy.crash();
    let done = run.wait();
    done.expect_code(4);
    assert!(answered > 0);
    done.says(&["✗ VIOLATED", "lost write", "was confirmed, but the value was missing"]);
    let record = folder.record("latest");
    assert!(notices(&record["result"]).contains(&"V34"), "{}", done.out);
    assert!(isolation(&folder)["findings"]["strongest"].is_null());
}
