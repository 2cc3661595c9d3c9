//! Virtual users in HammerDB scripts on PostgreSQL: when each one logs in, and what it does.

use std::collections::BTreeMap;

use crate::hammerdb::{built_on_postgres, console, forget_settings, in_order, jobid, script};
use serde_json::Value;
use tacho_testkit::servers::Postgres;
use tacho_tests::Folder;

/// Returns the first lines shared by all scripts in this file.
fn head(server: &Postgres) -> String {
    format!(
        "dbset db pg\ndiset connection pg_host 127.0.0.1\ndiset connection pg_port {}\n\
         diset tpcc pg_superuserpass {{}}\ndiset tpcc pg_rampup 0\ndiset tpcc pg_duration 3\n",
        server.port()
    )
}

/// Starts a server with a one-warehouse schema.
fn built(folder: &Folder) -> Postgres {
    let server = built_on_postgres(folder);
    script(folder, &head(&server)).exits(0);
    server
}

#[test]
fn virtual_users_log_in_one_after_the_other() {
    let folder = Folder::new();
    let server = built(&folder);
    let head = head(&server);
    // The tests shorten a script's minute to half a second, so the delay of 60,000 ms also lasts half a second.
    let text = format!("{head}vuset delay 60000\nvuset vu 3\nvurun");
    let done = script(&folder, &text).exits(0);
    done.says(&[
        "virtual users take 1.0 seconds to log in one after another, but rampup lasts only 0.0",
    ]);
    in_order(
        &done,
        &[
            "Vuser 2:RUNNING",
            "Vuser 3:RUNNING",
            "Vuser 3:Processing 10000000 transactions with output suppressed...",
            "Vuser 1:Test complete, Taking end Transaction Count.",
            "Vuser 1:3 Active Virtual Users configured",
        ],
    );
    // The ends of minutes and the logins are timed by different clocks, so adjacent lines may be swapped on a busy
    // machine.
    in_order(
        &done,
        &[
            "Vuser 1:1 ...,",
            "Vuser 4:RUNNING",
            "Vuser 1:Test complete, Taking end Transaction Count.",
        ],
    );
    assert_eq!(folder.record("latest")["plan"]["stagger_s"], 0.5);
    let all = script(&folder, &format!("{head}vuset delay 0\nvuset vu 3\nvurun")).exits(0);
    in_order(&all, &["Vuser 4:RUNNING", "Vuser 1:1 ...,"]);
    // If a virtual user never logs in, the script reports this but does not fail.
    let text = format!("{head}vuset delay 600000\nvuset vu 3\nvurun");
    script(&folder, &text).exits(0).says(&["Vuser 1:2 Virtual Users did not log in before the"]);
    // Here, `pg_async_delay` is a fifth of a minute. The clients of a virtual user log in one after another, with this
    // delay between them.
    let text = format!(
        "{head}diset tpcc pg_async_scale true\ndiset tpcc pg_async_client 3\n\
         diset tpcc pg_async_delay 12000\ndiset tpcc pg_async_verbose true\nvuset vu 2\nvurun"
    );
    let clients = script(&folder, &text).exits(0);
    in_order(
        &clients,
        &[
            "Vuser 2:Started asynchronous clients:vuser2:ac1",
            "Vuser 3:Started asynchronous clients:vuser3:ac1",
            "Vuser 2:Started asynchronous clients:vuser2:ac2",
            "Vuser 3:Started asynchronous clients:vuser3:ac3",
            "Vuser 1:2 VU * 3 AC = 6 Active Sessions configured",
            "Vuser 2:All asynchronous clients complete",
            "Vuser 3:All asynchronous clients complete",
        ],
    );
    assert_eq!(folder.record("latest")["plan"]["stagger_s"], 0.05);
}

/// Returns how many times each transaction was called, according to the output of `jobs <id> timing`.
fn calls(folder: &Folder, words: &str) -> BTreeMap<String, u64> {
    let told = script(folder, &format!("jobs {words}")).exits(0).json_after("Tacho");
    let all = told.as_object().expect("an object").iter();
    let count = |value: &Value| value["calls"].as_str().and_then(|calls| calls.parse().ok());
    all.map(|(name, value)| (name.clone(), count(value).expect("a number"))).collect()
}

#[test]
fn each_virtual_user_has_its_own_time_profile() {
    let folder = Folder::new();
    let server = built(&folder);
    let head = head(&server);
    let text = format!("{head}vuset delay 0\ndiset tpcc pg_timeprofile true\nvuset vu 2\nvurun");
    let done = script(&folder, &text).exits(0);
    assert!(!done.out.contains("Timing Data Incomplete"), "{}", done.out);
    let id = jobid(&done, "Benchmark Run");
    let whole = calls(&folder, &format!("{id} timing"));
    let each = [2, 3].map(|user| calls(&folder, &format!("{id} timing {user}")));
    assert!(whole["NEWORD"] > 0 && each.iter().all(|user| user["PAYMENT"] > 0), "{each:?}");
    for (name, calls) in &whole {
        let sum: u64 = each.iter().filter_map(|user| user.get(name)).sum();
        assert_eq!(sum, *calls, "{name}");
    }
    let none = script(&folder, &format!("jobs {id} timing 4\njobs {id} timing x")).exits(0);
    none.says(&[
        &format!("No Timing Data for VU 4 for JOB {id}: it ran no transactions"),
        &format!("No Timing Data for VU x for JOB {id}: it is not a number"),
    ]);
    let profile = String::from_utf8(folder.read("hdbxtprofile.log")).expect("text");
    let heads: Vec<&str> = profile
        .lines()
        .filter(|line| line.starts_with(">>>>> ") && !line.contains("PROC"))
        .collect();
    let [two, three, summary] = &heads[..] else { panic!("{profile}") };
    assert!(two.starts_with(">>>>> VIRTUAL USER 2 : ELAPSED TIME : "), "{profile}");
    assert!(three.starts_with(">>>>> VIRTUAL USER 3 : ELAPSED TIME : "), "{profile}");
    let start = ">>>>> SUMMARY OF 2 ACTIVE VIRTUAL USERS : MEDIAN ELAPSED TIME : ";
    assert!(summary.starts_with(start), "{profile}");
    assert!(profile.matches("\tSD: ").count() >= 6, "{profile}");
    // The times of each virtual user are kept only if the `timeprofile` setting was on during the run. The Python
    // script asks for them with the same commands as a Tcl script.
    forget_settings(&folder);
    let done = script(&folder, &format!("{head}vuset vu 1\nvurun")).exits(0);
    let plain = jobid(&done, "Benchmark Run");
    folder
        .write("timing.py", &format!("jobs('{plain}', 'timing', 2)\njobs('{id}', 'timing', 2)\n"));
    let told = console(&folder, "py auto timing.py").exits(0);
    told.says(&[&format!("for JOB {plain}: it ran without timeprofile"), "\"p25_ms\""]);
}

#[test]
fn each_virtual_user_tells_of_its_warehouses() {
    let folder = Folder::new();
    let server = Postgres::start().expect("a server");
    let build = "diset tpcc pg_count_ware 3\ndiset tpcc pg_num_vu 2\nbuildschema";
    let done = script(&folder, &format!("{}{build}", head(&server))).exits(0);
    for lines in [
        // Virtual users are threads, so lines have a fixed order only within one virtual user.
        &["Vuser 2:RUNNING", "Vuser 2:Worker Thread", "Vuser 2:Loading 1 Warehouses start:1 end:1"]
            [..],
        &["Vuser 3:RUNNING", "Vuser 3:Worker Thread", "Vuser 3:Loading 2 Warehouses start:2 end:3"],
        &[
            "Vuser 1:Monitor Thread",
            "Vuser 1:Loading Item",
            "Vuser 1:Monitoring Workers...",
            "Vuser 1:Workers: 2 Active 0 Done",
            "Vuser 1:Workers: 1 Active 1 Done",
            "Vuser 1:Workers: 0 Active 2 Done",
            "Vuser 1:CREATING TPCC INDEXES",
        ],
        &["Vuser 1:Loading Item", "Vuser 1:Item done", "Vuser 1:CREATING TPCC INDEXES"],
        &[
            "Vuser 3:Loading Warehouse",
            "Vuser 3:Loading Stock Wid=2",
            "Vuser 3:Stock done",
            "Vuser 3:Loading District",
            "Vuser 3:District done",
            "Vuser 3:Loading Customer for DID=1 WID=2",
            "Vuser 3:Customer Done",
            "Vuser 3:Loading Orders for D=10 W=2",
            "Vuser 3:Orders Done",
            "Vuser 3:FINISHED SUCCESS",
        ],
    ] {
        in_order(&done, lines);
    }
    // Each warehouse is loaded exactly once, no matter which virtual user loads it.
    for warehouse in 1..=3 {
        let line = format!(":Loading Stock Wid={warehouse}\n");
        assert_eq!(done.out.matches(&line).count(), 1, "{}", done.out);
    }
    assert_eq!(done.out.matches(":Start:").count(), 2, "{}", done.out);
    assert_eq!(done.out.matches(":End:").count(), 2, "{}", done.out);
    // A run on this schema prints the warehouses and the calls of each virtual user.
    let run = "diset tpcc pg_duration 1\ndiset tpcc pg_allwarehouse true\ndiset tpcc pg_storedprocs \
               true\nvuset vu 2\nvurun";
    let ran = script(&folder, &format!("{}{run}", head(&server))).exits(0);
    let expected = [
        &[
            "Vuser 1:PostgreSQL TPROC-C: stored procedures requested, but functions found. \
             Auto-switching pg_storedprocs to false.",
            "Vuser 1:2 Active Virtual Users configured",
        ],
        &[
            "Vuser 2:RUNNING",
            "Vuser 2:Assigned 2 WIDs = 1 3 based on VU count 2, Warehouses = 2 out of 3",
        ],
        &[
            "Vuser 3:RUNNING",
            "Vuser 3:Assigned 2 WIDs = 1 2 based on VU count 2, Warehouses = 2 out of 3",
        ],
    ];
    for lines in expected {
        in_order(&ran, lines);
    }
    let plain = "diset tpcc pg_duration 1\nvurun";
    forget_settings(&folder);
    let plain = script(&folder, &format!("{}{plain}", head(&server))).exits(0);
    assert!(!plain.out.contains("Assigned") && !plain.out.contains("switching"), "{}", plain.out);
}

#[test]
fn virtual_users_without_data_to_load_say_so() {
    let folder = Folder::new();
    let server = Postgres::start().expect("a server");
    let head = head(&server);
    let build = "dbset bm TPC-H\ndiset tpch pg_tpch_superuserpass {}\ndiset tpch pg_num_tpch_threads 8\n\
                 loadscript\nsavescript nowhere/x.tcl\nbuildschema";
    let call = script(&folder, &format!("{head}{build}")).env("TACHO_HAMMERDB_GIGABYTE", "0.01");
    let done = call.exits(0);
    in_order(
        &done,
        &[
            "Error: directory nowhere not writable to write nowhere/x.tcl for savescript",
            "Vuser 2:RUNNING",
            "Vuser 9:RUNNING",
            "Vuser 9:Worker Thread",
            "Vuser 9:No Data to Create",
            "Vuser 1:Monitoring Workers...",
            "Vuser 1:Workers: 8 Active 0 Done",
            "Vuser 9:FINISHED SUCCESS",
            "Vuser 1:Workers: 0 Active 8 Done",
            "Vuser 1:TPCH SCHEMA COMPLETE",
        ],
    );
    assert!(!done.out.contains("Vuser 2:No Data to Create"), "{}", done.out);
    for state in ["RUNNING", "FINISHED SUCCESS"] {
        assert_eq!(done.out.matches(&format!(":{state}\n")).count(), 9, "{}", done.out);
    }
}
