//! Tests HammerDB scripts that use a primary and its replicas, and scripts whose load increases in steps.

use crate::hammerdb::{
    built_on_mariadb, built_on_postgres, console, in_order, jobid, keeps_secret, script,
    write_below,
};
use crate::live::blames_no_one;
use serde_json::Value;
use tacho_testkit::servers::MariaDb;
use tacho_tests::Folder;

/// Returns the number of new orders that a run committed, first as counted by the client, then as counted by the
/// database.
fn orders(record: &Value) -> (u64, u64) {
    let of = |key: &str| record["result"]["headline"][key].as_u64().unwrap_or_default();
    (of("client_count"), of("schema_count"))
}

fn mariadb_head(server: &MariaDb) -> String {
    format!(
        "dbset db maria\ndiset connection maria_socket null\n\
         diset connection maria_host 127.0.0.1\ndiset connection maria_port {}\n\
         diset tpcc maria_user tacho\ndiset tpcc maria_pass {{{}}}\n",
        server.port(),
        server.password()
    )
}

#[test]
fn a_replica_does_what_its_primary_does_and_the_primary_counts_all() {
    let folder = Folder::new();
    let server = built_on_mariadb(&folder);
    let head = mariadb_head(&server);
    // The primary waits until the test has seen the replica.
    let primary = format!(
        "switchmode\nswitchmode Primary\ndistributescript\nproc seen {{}} {{ file exists joined }}\n\
         while {{![seen]}} {{ after 50; update }}\n{head}diset tpcc maria_rampup 1\n\
         diset tpcc maria_duration 6\nvuset vu 2\nvuset delay 0\ndistributescript\nvucreate\n\
         puts \"RETURNED [vurun]\"\nvudestroy\nswitchmode Primary\nswitchmode Local\nswitchmode"
    );
    folder.write("primary.tcl", &primary);
    let mut primary = console(&folder, "auto primary.tcl").start();
    let port = std::cell::Cell::new(0_u16);
    primary.until_said(|line| {
        let rest = line.split_once("Primary Mode active at id : ").map(|(_, rest)| rest);
        let said = rest.and_then(|rest| rest.split_once(',')?.0.parse().ok());
        port.set(said.unwrap_or(0));
        said.is_some()
    });
    let port = port.get();
    let replica = format!(
        "switchmode Replica {port} localhost\nswitchmode\n\
         proc stay {{}} {{ if {{[::hammerdb::coupled]}} {{ after 50 stay }} else {{ set ::gone 1 }} }}\n\
         stay\nvwait gone\nputs WENT_ON"
    );
    folder.write("replica.tcl", &replica);
    let replica = console(&folder, "auto replica.tcl").start();
    primary.until_said(|line| line.contains("New replica joined : {"));
    folder.write("joined", "");
    let (primary, replica) = (primary.wait(), replica.wait());
    primary.expect_code(0);
    replica.expect_code(0);
    in_order(
        &primary,
        &[
            "Mode currently set to Local",
            "Switch from Local",
            "to Primary mode?",
            "Error: Primary has no Replicas to distribute to",
            "Received a new replica connection from host 127.0.0.1",
            "3 Virtual Users Created with Monitor VU",
            "Vuser 1:2 Active Virtual Users configured",
            "vudestroy success",
            "Already in Primary mode",
            "to Local mode?",
            "Mode currently set to Local",
        ],
    );
    primary.says(&["...Primary Distribution Succeeded", ":FINISHED SUCCESS\n"]);
    in_order(
        &replica,
        &[
            &format!("Replica connecting to localhost {port} : Connection succeeded"),
            "Primary call back successful",
            "Mode currently set to Replica",
            "3 Virtual Users Created with Monitor VU",
            "Vuser 1:Operating in Replica Mode, No Snapshots taken...",
            "Vuser 1:2 Active Virtual Users configured",
            "ALL VIRTUAL USERS COMPLETE",
            "vudestroy from Primary, Replica status clean up",
            "WENT_ON",
        ],
    );
    assert!(!replica.out.contains("TEST RESULT"), "{}", replica.out);
    let records = [&primary, &replica].map(|done| folder.record(&jobid(done, "Benchmark Run")));
    let [(one, all), (other, _)] = records.each_ref().map(orders);
    assert!(one > 0 && other > 0 && all > one, "{one} {other} {all}");
    for record in &records {
        assert_eq!(record["plan"]["shared"], true);
        blames_no_one(&record["result"]);
    }
    keeps_secret(&folder, server.password());
}

#[test]
fn what_is_wrong_with_a_mode_is_told() {
    let folder = Folder::new();
    let text = "foreach words {{Replica 1 localhost} {Replica x localhost} {Replica 1 elsewhere}} {\n\
                    puts \"CAUGHT[catch {switchmode {*}$words} message] $message\"\n}\n\
                switchmode Other\nswitchmode Local\ndistributescript\nswitchmode Primary\n\
                switchmode Primary\nputs WENT_ON";
    let done = script(&folder, text).exits(0);
    done.says(&[
        "CAUGHT1 Connection Failed : ",
        "hint: start both consoles in the same folder, or with the same --dir",
        "CAUGHT1 Error: invalid id x: expected a port",
        "CAUGHT1 Connection Failed : elsewhere is another machine",
    ]);
    in_order(
        &done,
        &[
            "Error:Mode to switch to must be one of Local, Primary or Replica",
            "Already in Local mode",
            "Error: Cannot distribute script if not in Primary mode",
            "to Primary mode?",
            "Already in Primary mode",
            "WENT_ON",
        ],
    );
    folder.write(
        "modes.py",
        "switchmode()\nswitchmode('Primary')\ndistributescript()\nswitchmode('Local')\n",
    );
    let python = console(&folder, "py auto modes.py").exits(0);
    python.says(&["Mode currently set to Local", "Primary has no Replicas", "to Local mode?"]);
}

/// Returns the number of minutes that each replica measured, according to its log.
fn replica_spans(folder: &Folder) -> Vec<usize> {
    let names = ["hdbreplica1.log", "hdbreplica2.log"];
    let logs = names.map(|name| String::from_utf8(folder.read(name)).expect("text"));
    let minutes = logs.iter().map(|log| log.lines().filter(|line| line.ends_with(" ...,")).count());
    let mut minutes: Vec<usize> = minutes.collect();
    // The order in which the processes connect determines which replica each of them becomes, so sort the results.
    minutes.sort_unstable();
    minutes
}

#[test]
fn a_load_in_steps_rises_and_falls() {
    let folder = Folder::new();
    let server = built_on_postgres(&folder);
    let head = format!(
        "dbset db pg\ndiset connection pg_host 127.0.0.1\ndiset connection pg_port {}\n\
         diset tpcc pg_superuserpass {{}}\ndiset tpcc pg_rampup 2\n",
        server.port()
    );
    let part = |name: &str, start: u32, duration: u32, users: u32| {
        format!(
            "<{name}><start_after_prev>{start}</start_after_prev><duration>{duration}</duration>\
             <virtual_users>{users}</virtual_users></{name}>"
        )
    };
    let steps =
        format!("<steps>{}{}</steps>", part("replica1", 2, 8, 2), part("replica2", 2, 6, 1));
    write_below(&folder, "config/steps.xml", &steps);
    let text = format!(
        "{head}diset tpcc pg_duration 10\nvuset vu 1\nset r [steprun]\nputs \"RETURNED $r\"\n\
         vudestroy\nswitchmode\nputs WENT_ON"
    );
    let done = script(&folder, &text).exits(0);
    in_order(
        &done,
        &[
            "primary starts immediately, runs rampup for 2 minutes then runs test for 10 minutes with 1 \
             Active VU",
            "replica1 starts 2 minutes after previous replica starts and runs test for 8 minutes with 2 \
             Active VU",
            "Primary waiting for all replicas to connect .... 0 out of 2 are connected",
            "Primary waiting for all replicas to connect .... 2 out of 2 are connected",
            "Starting Primary VUs",
            "2 Virtual Users Created with Monitor VU",
            "Vuser 1:Rampup 2 minutes complete ...",
            "Vuser 1:Timing test period of 10 in minutes",
            "Vuser 1:1 ...,",
            "replica1 starts with 2 Active VU",
            "replica2 starts with 1 Active VU",
            "ALL VIRTUAL USERS COMPLETE",
            "Step workload complete",
            "vudestroy success",
            "Mode currently set to Local",
            "WENT_ON",
        ],
    );
    assert_eq!(done.out.matches("TEST RESULT").count(), 1, "{}", done.out);
    done.says(&["RETURNED Benchmark Run jobid="]);
    assert_eq!(done.out.matches(":FINISHED SUCCESS\n").count(), 4, "{}", done.out);
    let record = folder.record(&jobid(&done, "Benchmark Run"));
    let (counted, all) = orders(&record);
    assert!(all > counted && counted > 0, "{counted} {all}");
    // The replicas measure only while the primary does, and stop when it stops.
    assert_eq!(replica_spans(&folder), [6, 8]);
    for name in ["hdbreplica1.log", "hdbreplica2.log"] {
        let log = String::from_utf8(folder.read(name)).expect("text");
        assert!(log.contains("Operating in Replica Mode") && !log.contains("TEST RESULT"), "{log}");
    }
    // Try a duration that is shorter than the steps need, and other mistakes.
    let wrong = script(
        &folder,
        &format!(
            "{head}diset tpcc pg_duration 9\nputs [catch steprun message]\nputs $message\n\
             dbset bm TPC-H\nsteprun\ndbset bm TPC-C\nvucreate\nsteprun\nputs WENT_ON"
        ),
    );
    let wrong = wrong.exits(0);
    wrong.says(&[
        "Error: replica1 is set to complete after 12 minutes and is longer than the Primary running time of \
         11 minutes",
        "Error: Step workload primary running time must exceed the running time of all replicas",
        "Error: Step Workload does not support TPC-H",
        "Error: Virtual Users exist, destroy with vudestroy before steprun",
        "WENT_ON",
    ]);
}
