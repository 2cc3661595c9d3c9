//! Several complete sets of tables side by side, on the command line.

use crate::live::blames_no_one;
use tacho_testkit::servers::{Kind, MariaDb, Postgres, TestServer};
use tacho_tests::Folder;

/// Creates, runs, checks and removes two sets of tables. `orders` are queries that count the new orders of each set,
/// and `places` is a query that counts their schemas or databases.
pub fn two_sets_work<K: Kind>(server: &TestServer<K>, orders: [&str; 2], places: &str) {
    let folder = Folder::new();
    let place = format!("tprocc '{}'", server.target());
    let made = folder.tacho(&format!("prepare {place} --sets 2 -c 2")).exits(0);
    made.complains(&["2 sets of 1 warehouse"]).says(&["--sets 2"]);

    let run = format!("run {place} --sets 2 -c 5 -d 3s --ramp-up 1s --output json");
    let result = folder.tacho(&run).exits(0).json();
    assert_eq!((&result["plan"]["sets"], &result["plan"]["scale"]), (&2.into(), &1.into()));
    let checks = result["result"]["checks"].as_array().expect("checks");
    assert_eq!(checks.len(), 60);
    assert!(checks.iter().all(|check| check["verdict"] == "holds"), "{checks:?}");
    assert_eq!((&checks[0]["id"], &checks[30]["id"]), (&"1:C1".into(), &"2:C1".into()));
    // NOPM is the sum over both sets. It is compared with the number of commits of all clients.
    blames_no_one(&result["result"]);
    let each = orders.map(|sql| {
        let said = server.client(sql).expect("a count");
        said.trim().parse::<i64>().expect("a number")
    });
    assert!(each.iter().all(|orders| *orders > 0), "sessions work in each set: {each:?}");

    let few = folder.tacho(&format!("run {place} --sets 2 -c 1 -d 1s")).exits(2);
    few.is_error().complains(&["1 session for 2 table sets", "--sessions 2 or more"]);
    folder.tacho(&format!("run {place} -d 1s")).exits(3).complains(&["contains no data"]);
    let more = folder.tacho(&format!("check {place} --sets 3")).exits(3);
    more.complains(&["--scale 1 --sets 3"]);
    folder.tacho(&format!("check {place} --sets 2")).exits(0).says(&["50 of 50 hold"]);
    let gone = folder.tacho(&format!("clean {place} --sets 2 --yes")).exits(0);
    gone.says(&["in 2 sets"]);
    folder.tacho(&format!("clean {place} --sets 2 --yes")).exits(0).says(&["nothing to do"]);
    assert_eq!(server.client(places).expect("a count").trim(), "0", "no empty place is left");
}

#[test]
fn postgresql_has_sets_as_schemas() {
    let server = Postgres::start().expect("a PostgreSQL server");
    let count = "SELECT sum(d_next_o_id) - 30010 FROM";
    let orders = [1, 2].map(|set| format!("{count} set_{set}.district"));
    two_sets_work(
        &server,
        [&orders[0], &orders[1]],
        "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'set%'",
    );
}

pub const FAMILY: [&str; 2] = [
    "SELECT SUM(d_next_o_id) - 30010 FROM tacho_1.district",
    "SELECT SUM(d_next_o_id) - 30010 FROM tacho_2.district",
];

pub const DATABASES: &str =
    "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name LIKE 'tacho%\\_%'";

#[test]
fn a_file_has_no_place_for_several_sets() {
    let folder = Folder::new();
    let refused = folder.tacho("prepare tprocc sqlite:a.db --sets 2").exits(2);
    refused.is_error().complains(&["does not support multiple table sets", "omit --sets"]);
}

#[test]
fn settings_are_varied_where_only_the_sets_are_there() {
    let server = MariaDb::start().expect("a MariaDB server");
    let folder = Folder::new();
    let target = server.target().replace("database=tacho", "database=apart");
    let target = if target.contains("apart") { target } else { format!("{target}&database=apart") };
    folder.tacho(&format!("prepare tpcb '{target}' --sets 2 -c 2")).exits(0);
    let vary = "--vary server.innodb_io_capacity=300,400";
    let sweep =
        format!("sweep tpcb '{target}' --sets 2 -c 2 {vary} -d 1s --ramp-up 0s --check none");
    folder.tacho(&sweep).exits(0).says(&["server.innodb_io_capacity", "2 runs"]);
}
