//! Tests a connection pool that distributes transactions over several databases.

use crate::hammerdb::{built_on_mariadb, keeps_secret, script};
use crate::hammerdb_pool::pool;
use crate::live::blames_no_one;
use tacho_tests::Folder;

#[test]
fn a_pool_spreads_transactions_over_databases() {
    let folder = Folder::new();
    let server = built_on_mariadb(&folder);
    let head = format!(
        "dbset db maria\ndiset connection maria_socket null\n\
         diset connection maria_host 127.0.0.1\ndiset connection maria_port {}\n\
         diset tpcc maria_user tacho\ndiset tpcc maria_pass {}\ndiset tpcc maria_rampup 0\n\
         diset tpcc maria_duration 3\n",
        server.port(),
        server.password()
    );
    let other = format!("{head}diset tpcc maria_dbase other\nbuildschema");
    script(&folder, &other).exits(0);
    pool(&folder, "maria", ["<maria_dbase>tpcc</maria_dbase>", "<maria_dbase>other</maria_dbase>"]);
    let orders = |database: &str| -> u64 {
        let sql = format!("SELECT SUM(d_next_o_id) FROM {database}.district");
        server.client(&sql).expect("a sum").trim().parse().expect("a number")
    };
    let before = [orders("tpcc"), orders("other")];
    let text =
        format!("{head}diset tpcc maria_connect_pool true\nvuset vu 2\nvuset delay 0\nvurun");
    let done = script(&folder, &text).exits(0);
    assert_eq!(orders("tpcc"), before[0], "{}", done.out);
    let record = folder.record("latest");
    let headline = &record["result"]["headline"];
    assert_eq!(headline["source"], "client");
    let made = headline["whole_run_client_count"].as_u64().expect("a count");
    assert!(made > 0 && orders("other") == before[1] + made, "{headline}");
    blames_no_one(&record["result"]);
    // The numbers that are printed for each virtual user must be those that were measured.
    let told = |name: &str| -> u64 {
        let lines = done.out.lines().filter(|line| line.contains(" processed neworder "));
        let count = |line: &str| -> Option<u64> {
            let mut words = line.split_whitespace();
            words.find(|word| *word == name)?;
            words.next()?.parse().ok()
        };
        lines.map(|line| count(line).expect("a count")).sum()
    };
    for kind in record["result"]["transactions"].as_array().expect("kinds") {
        let name = kind["name"].as_str().expect("a name").replace('_', "");
        assert!(name == "all" || told(&name) == kind["count"], "{name} in {}", done.out);
    }
    done.says(&[
        "Vuser 2:VU2 processed neworder ",
        "Vuser 3:VU3 processed",
        "CLIENT SIDE TPM : neworder ",
    ]);
    done.says(&["TEST RESULT : System achieved "]);
    let routes = record["plan"]["routes"].to_string();
    assert!(
        routes.contains("new_order=last_named:") && routes.contains("password=***"),
        "{routes}"
    );
    keeps_secret(&folder, server.password());
    // The imported script must contain the names of targets, not their addresses and passwords.
    folder.write("script.tcl", &text);
    let plan = folder.tacho("import hammerdb script.tcl").exits(0);
    plan.says(&["\"new_order=last_named:mariadb,mariadb2\"", "[targets.mariadb2]"]);
}
