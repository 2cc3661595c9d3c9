//! The description of the server in a record: its machine, disk, settings and data size.

use serde_json::Value;
use tacho_testkit::servers::{MariaDb, Postgres};
use tacho_tests::Folder;

const SHORT: &str = "-c 2 -d 1s --ramp-up 0s --check none --progress none -o quiet";
/// A secret that an application has stored in a server setting.
const SECRET: &str = "correct-horse-battery";

fn machine(record: &Value) -> &Value {
    let machine = &record["server"]["machine"];
    assert_eq!(machine["source"], "client", "{machine}");
    assert!(machine["cores"].as_u64() > Some(0) && machine["memory_bytes"].as_u64() > Some(0));
    assert!(machine["file_system"].as_str().is_some_and(|name| !name.is_empty()), "{machine}");
    assert!(machine["data_path"].as_str().is_some_and(|path| path.starts_with('/')), "{machine}");
    machine
}

fn bytes(sizes: &Value, table: &str) -> u64 {
    let tables = sizes["tables"].as_array().expect("tables");
    let entry = tables.iter().find(|entry| entry["name"] == table).expect(table);
    entry["bytes"].as_u64().expect("a size") + entry["index_bytes"].as_u64().expect("a size")
}

#[test]
fn a_server_is_described_without_its_secrets() {
    let folder = Folder::new();
    let server = Postgres::start().expect("a PostgreSQL server");
    let target = server.target();
    folder.tacho(&format!("prepare tpcb '{target}' --progress none -o quiet")).exits(0);
    let joint = if target.contains('?') { '&' } else { '?' };
    let options = format!(
        "options=-c%20app.jwt_secret={SECRET}%20-c%20work_mem=8MB%20-c%20app.peer=http://a:{SECRET}@b"
    );
    folder.tacho(&format!("run tpcb '{target}{joint}{options}' {SHORT}")).done();
    let record = folder.record("latest");
    assert!(!record["server"].to_string().contains(SECRET), "{}", record["server"]);
    machine(&record);
    let settings = &record["server"]["settings"];
    let defaults = &record["server"]["defaults"];
    assert_eq!((&settings["work_mem"], &defaults["work_mem"]), (&"8MB".into(), &"4MB".into()));
    assert_eq!(defaults["shared_buffers"], "128MB");
    let [before, after] = ["sizes_before", "sizes_after"].map(|when| &record["data"][when]);
    assert!(bytes(before, "pgbench_accounts") > 10_000_000, "{before}");
    assert!(bytes(after, "pgbench_accounts") >= bytes(before, "pgbench_accounts"), "{after}");
    let shown = folder.tacho("show latest --conditions").exits(0);
    shown.says(&[
        "server machine",
        "server disk",
        "work_mem",
        "8MB",
        "4MB",
        "pgbench_accounts",
        "data size",
    ]);
    let page = folder.tacho("report latest --format md").exits(0);
    page.says(&[
        "**server disk**",
        "| work\\_mem | 8MB | 4MB |",
        "### Tables before and after the run",
    ]);
    let shared = folder.tacho("report latest --format md --redact").exits(0);
    let path = record["server"]["machine"]["data_path"].as_str().expect("a path");
    assert!(!shared.out.contains(path), "where data lies is hidden: {}", shared.out);

    // If two runs differ only in a server setting, no other difference may be reported.
    folder.tacho(&format!("run tpcb '{target}' {SHORT}")).done();
    let compared = folder.tacho("compare latest~1 latest --force").done();
    compared.says(&["server.settings.work_mem", "8MB"]);
    assert!(!compared.out.contains("server.machine") && !compared.out.contains("defaults"));
    folder
        .tacho("report latest --baseline latest~1 --force --format md")
        .exits(0)
        .says(&["tpcb on postgres: PostgreSQL", "work\\_mem not set against 8MB"]);
}

#[test]
fn a_server_of_another_kind_and_a_file_are_described_too() {
    let folder = Folder::new();
    let server = MariaDb::start().expect("a MariaDB server");
    let target = server.target();
    folder.tacho(&format!("prepare tpcb '{target}' --progress none -o quiet")).exits(0);
    folder.tacho(&format!("run tpcb '{target}' {SHORT}")).done();
    let record = folder.record("latest");
    machine(&record);
    assert!(!record["server"]["defaults"].as_object().expect("defaults").is_empty());
    assert!(bytes(&record["data"]["sizes_before"], "pgbench_accounts") > 1_000_000);

    folder.tacho("prepare tpcb sqlite:a.db --progress none -o quiet").exits(0);
    folder.tacho(&format!("run tpcb sqlite:a.db {SHORT}")).done();
    let record = folder.record("latest");
    let path = machine(&record)["data_path"].as_str().expect("a path").to_owned();
    assert!(path.ends_with("/a.db"), "{path}");
    assert!(record["data"]["sizes_before"]["database_bytes"].as_u64() > Some(1_000_000));
    assert_eq!(record["server"]["defaults"]["journal_mode"], "delete");
}
