//! Each HammerDB script runs unchanged on PostgreSQL, prints the expected lines, and saves a Tacho run record.

use crate::hammerdb::{
    built_on_postgres, console, forget_settings, in_order, jobid, keeps_secret, part, place,
    result, script,
};
use serde_json::Value;
use tacho_testkit::servers::{Options, Postgres};
use tacho_tests::{Call, Folder, Signal};

fn server() -> Postgres {
    Postgres::start().expect("a server")
}

fn values(server: &Postgres) -> [(&'static str, String); 2] {
    [("HOST", "127.0.0.1".to_owned()), ("PORT", server.port().to_string())]
}

fn placed(folder: &Folder, server: &Postgres, scripts: &[&str]) {
    let values = values(server);
    let values: Vec<(&str, &str)> = values.iter().map(|(k, v)| (*k, v.as_str())).collect();
    for script in scripts {
        place(folder, &format!("pg/{script}"), &values);
    }
}

/// Returns the first lines shared by all scripts in this file.
fn head(server: &Postgres) -> String {
    format!(
        "dbset db pg\ndiset connection pg_host 127.0.0.1\ndiset connection pg_port {}\n\
         diset tpcc pg_superuserpass {{}}\n",
        server.port()
    )
}

/// Runs a script without the settings that earlier scripts have saved.
fn alone(folder: &Folder, text: &str) -> Call {
    forget_settings(folder);
    script(folder, text)
}

/// Starts a server with a one-warehouse schema.
fn built(folder: &Folder) -> Postgres {
    built_on_postgres(folder)
}

#[test]
fn scripts_build_check_run_and_delete_as_they_are() {
    let (folder, server) = (Folder::new(), server());
    let names =
        ["build", "check", "run", "result", "profile", "delete"].map(|n| format!("tprocc_{n}.tcl"));
    placed(&folder, &server, &names.each_ref().map(String::as_str));
    let built = console(&folder, "auto tprocc_build.tcl").exits(0);
    in_order(
        &built,
        &[
            "SETTING CONFIGURATION",
            "Database set to PostgreSQL",
            "Benchmark set to TPC-C for PostgreSQL",
            "SCHEMA BUILD STARTED",
            "Ready to create a 2 Warehouse PostgreSQL TPROC-C schema",
            "Enter yes or no: replied yes",
            "Vuser 1 created - WAIT IDLE",
            "Vuser 1:RUNNING",
            "Vuser 1:CREATING TPCC SCHEMA",
            "Vuser 1:CREATING DATABASE tpcc under OWNER tpcc",
            "Vuser 1:CREATING TPCC TABLES",
            "Vuser 1:Loading Item",
            "Vuser 1:CREATING TPCC INDEXES",
            "Vuser 1:CREATING TPCC STORED PROCEDURES",
            "Vuser 1:GATHERING SCHEMA STATISTICS",
            "Vuser 1:TPCC SCHEMA COMPLETE",
            "Vuser 1:FINISHED SUCCESS",
            "ALL VIRTUAL USERS COMPLETE",
            "SCHEMA BUILD COMPLETED",
        ],
    );
    jobid(&built, "Schema Build");
    let checked = console(&folder, "auto tprocc_check.tcl").exits(0);
    checked.says(&[
        "Vuser 1:Check consistency 4",
        "tpcc TPROC-C Schema has been checked successfully.",
    ]);
    measured(&folder);
    profiled(&folder);
    let deleted = console(&folder, "auto tprocc_delete.tcl").exits(0);
    deleted.says(&[
        "Vuser 1:tpcc TPROC-C schema has been deleted successfully.",
        "Vuser 1:tpcc TPROC-C role has been deleted successfully.",
    ]);
    let left = "SELECT count(*) FROM pg_database WHERE datname = 'tpcc'";
    assert_eq!(server.client(left).expect("a count").trim(), "0");
    let left = "SELECT count(*) FROM pg_roles WHERE rolname = 'tpcc'";
    assert_eq!(server.client(left).expect("a count").trim(), "0");
    let gone = console(&folder, "auto tprocc_check.tcl").exits(3);
    gone.says(&["TPROC-C Schema check failed tpcc schema ", "CHECK SCHEMA COMPLETED"]);
}

/// Runs one script that performs a test, and another that writes the test's result to a file.
fn measured(folder: &Folder) {
    let done = console(folder, "auto tprocc_run.tcl").exits(0);
    in_order(
        &done,
        &[
            "Script loaded, Type \"print script\" to view",
            "TEST STARTED",
            "Vuser 1 created MONITOR - WAIT IDLE",
            "Vuser 2 created - WAIT IDLE",
            "3 Virtual Users Created with Monitor VU",
            "Transaction Counter Started",
            "Vuser 1:RUNNING",
            "Vuser 1:Initializing xtprof time profiler",
            "Vuser 1:Beginning rampup time of 2 minutes",
            "Vuser 2:RUNNING",
            "Vuser 2:Processing 10000000 transactions with output suppressed...",
            "Vuser 1:Rampup 1 minutes complete ...",
            "Vuser 1:Rampup 2 minutes complete ...",
            "Vuser 1:Rampup complete, Taking start Transaction Count.",
            "Vuser 1:Timing test period of 3 in minutes",
            "Vuser 1:1 ...,",
            "Vuser 1:2 ...,",
            "Vuser 1:3 ...,",
            "Vuser 1:Test complete, Taking end Transaction Count.",
            "Vuser 1:2 Active Virtual Users configured",
            "Vuser 1:Gathering timing data from Active Virtual Users...",
            "Vuser 2:FINISHED SUCCESS",
            "Vuser 3:FINISHED SUCCESS",
            "Vuser 1:Calculating timings...",
            "Vuser 1:Checkpoint and Vacuum",
            "Vuser 1:FINISHED SUCCESS",
            "ALL VIRTUAL USERS COMPLETE",
            "vudestroy success",
            "Stopping Transaction Counter",
            "TEST COMPLETE",
        ],
    );
    in_order(&done, &["Vuser 1:Checkpoint and Vacuum", "Vuser 1:Checkpoint and Vacuum Complete"]);
    done.says(&["DBVersion:15", " PostgreSQL tpm\n"]);
    // A short run is not a measurement, so it has no verdict.
    let said = format!("{}{}", done.out, done.err);
    assert!(said.contains(" is a trial run in which a minute lasts 0.5 seconds; "), "{said}");
    assert!(
        !["INVALID", "UNSTABLE", "TOO SHORT"].iter().any(|verdict| said.contains(verdict)),
        "{said}"
    );
    let id = jobid(&done, "Benchmark Run");
    // The job ID identifies a run record, which contains the same results as the output.
    let record = folder.record(&id);
    let figure = |name: &str| record["result"][name]["per_minute"].as_f64().expect(name).round();
    let (nopm, tpm) = result(&done, "PostgreSQL");
    assert_eq!((nopm as f64, tpm as f64), (figure("headline"), figure("tpm")));
    assert!(nopm > 0 && tpm > nopm, "{nopm} {tpm}");
    assert_eq!(record["result"]["tpm"]["source"], "server");
    let plan = &record["plan"];
    assert_eq!((&plan["profile"], &plan["form"]), (&"hammerdb".into(), &"procedures".into()));
    assert_eq!(plan["parameters"]["warehouses"], "owned");
    assert_eq!((plan["ramp_up_s"].as_f64(), plan["duration_s"].as_f64()), (Some(1.0), Some(1.5)));
    assert_eq!(plan["sessions"], 2);
    let log = String::from_utf8(folder.read("hammerdb.log")).expect("text");
    assert!(log.starts_with("Hammerdb Log @ ") && log.contains("\nVuser 1:TEST RESULT"), "{log}");
    let profile = String::from_utf8(folder.read("hdbxtprofile.log")).expect("text");
    assert!(profile.contains(">>>>> PROC: NEWORD\nCALLS: "), "{profile}");
    written(folder, &id, (nopm, tpm));
}

fn written(folder: &Folder, id: &str, (nopm, tpm): (u64, u64)) {
    let done = console(folder, "auto tprocc_result.tcl").exits(0);
    done.says(&[&format!("RESULT OF {id} WRITTEN"), "\"pg_pass\": \"***\""]);
    // Output printed while `puts` was redirected goes to the file and not to the console.
    let text = folder.read(&format!("pg_tprocc_{id}.out"));
    let text = String::from_utf8(text).expect("text");
    let line = format!("TEST RESULT : System achieved {nopm} NOPM from {tpm} PostgreSQL TPM");
    assert!(text.contains(&line) && text.contains("\"p95_ms\""), "{text}");
    assert!(text.contains("\"PostgreSQL tpm\""), "{text}");
    assert_eq!(done.out.matches("\"TEST RESULT").count(), 1, "{}", done.out);
    // The keys must be in the same order as in HammerDB, because people read this output.
    let key = "\"elapsed_ms\"";
    let first = text.split("\"NEWORD\": {").nth(1).map(str::trim_start);
    assert!(first.is_some_and(|rest| rest.starts_with(key)), "{text}");
    let (size, superuser) = (done.out.find("\"pg_count_ware\""), done.out.find("\"pg_superuser\""));
    assert!(size.is_some() && size < superuser, "{}", done.out);
    charted(folder, id, nopm);
}

/// Writes all pages that can be created from a run.
fn charted(folder: &Folder, id: &str, nopm: u64) {
    let text = format!(
        "foreach what {{ result timing tcount metrics }} {{ jobs {id} getchart $what }}\n\
         jobs {id} save\njobs {id} system\njobs {id} status\njobs NOSUCH"
    );
    let done = script(folder, &text).exits(0);
    done.says(&["Saved chart html to ", &format!("jobid {id} not available, no metrics data")]);
    done.says(&["hdb_", "\"cpumodel\"", "SUCCESS", "Jobid NOSUCH does not exist"]);
    let page =
        |what: &str| String::from_utf8(folder.read(&format!("{id}_{what}.html"))).expect(what);
    assert!(page("result").contains(&format!("<td>{nopm}</td>")), "{}", page("result"));
    assert!(page("timing").contains("NEWORD") && page("tcount").contains("<polyline"));
    let report: Value =
        serde_json::from_slice(&folder.read(&format!("hdb_{id}.json"))).expect("JSON");
    assert_eq!(
        (&report["schema"], &report["result"]["nopm"]),
        (&"hammerdb-job-report-v1".into(), &nopm.into())
    );
    let config = &report["benchmark_config"];
    assert_eq!((&config["rampup_minutes"], &config["warehouses"]), (&2.into(), &2.into()));
}

fn profiled(folder: &Folder) {
    let done = console(folder, "auto tprocc_profile.tcl").env("PROFILEID", "7").exits(0);
    in_order(
        &done,
        &[
            "Setting performance profile id to 7",
            "1 VU TEST",
            "2 Virtual Users Created with Monitor VU",
            "2 VU TEST",
            "3 Virtual Users Created with Monitor VU",
            "Setting performance profile id to 8",
        ],
    );
    done.says(&["RETURNED Benchmark Run jobid=", "Profiles compared (unweighted): matched=2"]);
    // The output is plain text, because the script set the output format to text.
    done.says(&["activevu = 2", "\n7 8\n", "TOP", "Shutting down HammerDB CLI"]);
    assert_eq!(done.out.matches("TEST RESULT").count(), 4, "{}", done.out);
    let page = String::from_utf8(folder.read("7_diff_8.html")).expect("text");
    assert!(page.contains("NOPM of profile 7") && page.contains("NOPM of profile 8"), "{page}");
}

#[test]
fn scripts_in_python_are_run_as_they_are() {
    let (folder, server) = (Folder::new(), server());
    let names = ["build", "run", "result", "delete"].map(|name| format!("tprocc_{name}.py"));
    placed(&folder, &server, &names.each_ref().map(String::as_str));
    let built = console(&folder, "py auto tprocc_build.py").exits(0);
    built.says(&["key \"pg_no_such_key\" cannot be found in any PostgreSQL dictionary"]);
    built.says(&["Vuser 1:CREATING TPCC FUNCTIONS", "SCHEMA BUILD COMPLETED"]);
    let run = console(&folder, "python auto tprocc_run.py").exits(0);
    in_order(
        &run,
        &[
            "TEST STARTED",
            "3 Virtual Users Created with Monitor VU",
            "Vuser 1:Beginning rampup time of 1 minutes",
            "Vuser 1:Timing test period of 2 in minutes",
            "Vuser 1:2 Active Virtual Users configured",
            "ALL VIRTUAL USERS COMPLETE",
            "vudestroy success",
            "TEST COMPLETE",
        ],
    );
    let (nopm, tpm) = result(&run, "PostgreSQL");
    let id = jobid(&run, "Benchmark Run");
    let done = console(&folder, "tprocc_result.py").exits(0);
    done.says(&[&format!("\"{id}\""), "CAUGHT Error: buildschema was not run"]);
    let out = String::from_utf8(folder.read("pg_tprocc_py.out")).expect("text");
    assert!(out.contains(&format!("{nopm} NOPM from {tpm} PostgreSQL TPM")), "{out}");
    let deleted = console(&folder, "py auto tprocc_delete.py").exits(0);
    deleted.says(&[
        "tpccpy TPROC-C Schema has been checked",
        "tpccpy TPROC-C schema has been deleted",
    ]);
}

#[test]
fn what_goes_wrong_is_told_and_the_script_goes_on() {
    let folder = Folder::new();
    let mut server = built(&folder);
    let head = head(&server);
    let again = alone(&folder, &format!("{head}buildschema\nputs WENT_ON")).exits(3);
    in_order(&again, &["Vuser 1:FINISHED FAILED", "ALL VIRTUAL USERS COMPLETE", "WENT_ON"]);
    again.says(&[
        "Error in Virtual User 1: Database with tables tpcc exists",
        "hint: use deleteschema",
    ]);
    // A build leaves another client's data alone, but uses an existing empty database.
    server.client("CREATE DATABASE other OWNER tpcc").expect("a database");
    let elsewhere = format!("{head}diset tpcc pg_dbase other\n");
    alone(&folder, &format!("{elsewhere}buildschema\ndeleteschema")).exits(0).says(&[
        "Vuser 1:Using existing empty Database other for Schema build",
        "Vuser 1:other TPROC-C schema has been deleted successfully.",
        "Warning: role tpcc was not dropped: it owns other objects",
    ]);
    server.client("CREATE TABLE precious (a int)").expect("a table");
    let foreign =
        format!("{head}diset tpcc pg_dbase postgres\nbuildschema\ndeleteschema\ncheckschema");
    let foreign = alone(&folder, &foreign);
    let foreign = foreign.exits(3);
    foreign.says(&["Database with tables postgres exists", "precious"]);
    assert_eq!(foreign.out.matches("FINISHED FAILED").count(), 3, "{}", foreign.out);
    // The requested warehouse count differs from that of the existing schema.
    let other = format!("{head}diset tpcc pg_count_ware 3\ncheckschema\nputs WENT_ON");
    let other = alone(&folder, &other).exits(5);
    other.says(&["schema warehouse count 1 does not equal dict warehouse count of 3", "WENT_ON"]);
    // The script never destroys its virtual users, and a timer event calls commands during the run.
    let never = format!(
        "{head}diset tpcc pg_rampup 0\ndiset tpcc pg_duration 2\nloadscript\nvucreate\n\
         after 200 {{ puts \"SEEN [vustatus]\"; catch vurun message; puts $message }}\n\
         vurun\nvucreate\nvuset vu 4\nbuildschema\nvurun\nputs WENT_ON"
    );
    let never = alone(&folder, &never).exits(2);
    never.says(&[
        "SEEN  1 = RUNNING",
        "Error: Cannot call vurun with Virtual Users already active",
        "Error: Virtual Users exist, destroy with vudestroy before creating",
        "Error: Virtual Users exist, destroy with vudestroy before changing settings",
        "Error: Cannot build schema with Virtual Users active, destroy Virtual Users first",
        "WENT_ON",
    ]);
    assert_eq!(never.out.matches("TEST RESULT").count(), 2, "{}", never.out);
    unreachable(&folder, &head, &mut server);
}

/// The server is killed during a run, and another script cannot connect.
fn unreachable(folder: &Folder, head: &str, server: &mut Postgres) {
    let text = format!(
        "{head}diset tpcc pg_duration 100\ndiset tpcc pg_rampup 0\nset r [vurun]\n\
         puts \"RETURNED $r\"\nvudestroy\nputs WENT_ON"
    );
    let mut run = alone(folder, &text).start();
    run.until_said(|line| line.contains("Vuser 1:1 ...,"));
    server.kill();
    let done = run.wait();
    done.says(&["Vuser 1:FINISHED FAILED", "RETURNED Benchmark Run jobid=", "WENT_ON"]);
    assert!(done.code() != 0 && !done.out.contains("TEST RESULT"), "{}", done.out);
    let nobody = alone(folder, &format!("{head}vurun\nvudestroy\nputs WENT_ON")).exits(3);
    nobody.says(&["Error in Virtual User", "Vuser 1:FINISHED FAILED", "WENT_ON"]);
}

#[test]
fn a_run_that_is_interrupted_ends_in_good_order_and_so_does_the_script() {
    let folder = Folder::new();
    let server = built(&folder);
    let head = head(&server);
    let text = format!(
        "{head}diset tpcc pg_duration 1000\ndiset tpcc pg_rampup 0\n\
         catch {{ vurun }}\nputs WENT_ON"
    );
    let mut run = script(&folder, &text).start();
    run.until_said(|line| line.contains("Vuser 1:1 ...,"));
    run.signal(Signal::INT);
    let done = run.wait();
    done.expect_code(130);
    done.says(&["Test stopped after ", "ALL VIRTUAL USERS COMPLETE", "Tacho run "]);
    assert!(!done.out.contains("TEST RESULT") && !done.out.contains("WENT_ON"), "{}", done.out);
    assert_eq!(folder.record("latest")["result"]["ended_by"], "interrupt");
    // A script that only waits also exits.
    let mut waits = script(&folder, "puts WAITS\nvwait forever\nputs WENT_ON").start();
    waits.until_said(|line| line.contains("WAITS"));
    waits.signal(Signal::INT);
    let waits = waits.wait();
    waits.expect_code(130);
    waits.complains(&["script.tcl was stopped", "hint: "]);
}

#[test]
fn any_password_is_a_value() {
    let folder = Folder::new();
    let access = ["host all all 127.0.0.1/32 scram-sha-256"];
    let server = Postgres::start_with(Options { access: &access, ..Options::default() });
    let server = server.expect("a server");
    server.client("ALTER ROLE postgres PASSWORD 'a b ''c'' {d} \"e\" $f [g] \\h'").expect("a role");
    let text = |password: &str| {
        format!(
            "dbset db pg\ndiset connection pg_host 127.0.0.1\ndiset connection pg_port {}\n\
             diset tpcc pg_superuserpass {{a b 'c' {{d}} \"e\" $f [g] \\h}}\n\
             diset tpcc pg_pass {password}\ndiset tpcc pg_rampup 0\ndiset tpcc pg_duration 1\n",
            server.port()
        )
    };
    // Write the same password in three ways: in braces, in quotes, and with backslashes. Tcl removes these before Tacho
    // sees the password, so Tacho must use it as it is.
    for (name, password) in [
        ("braces", "{it's {x} \"y\" $z [w] %41}"),
        ("quotes", "\"it's {x} \\\"y\\\" \\$z \\[w\\] %41\""),
        ("backslashes", "it's\\ {x}\\ \\\"y\\\"\\ \\$z\\ \\[w\\]\\ %41"),
    ] {
        let begin = text(password);
        if name == "braces" {
            script(&folder, &format!("{begin}buildschema")).exits(0);
        }
        let done = script(&folder, &format!("{begin}vurun\nprint dict")).exits(0);
        done.says(&["TEST RESULT"]);
        assert!(!done.out.contains("it's"), "{name}: {}", done.out);
    }
    let wrong = script(&folder, &format!("{}vurun", text("wrong"))).exits(3);
    wrong.says(&["Error in Virtual User", "password"]);
    keeps_secret(&folder, "it's {x}");
}

#[test]
fn two_scripts_at_once_do_not_mix() {
    let folder = Folder::new();
    let server = built(&folder);
    let head = head(&server);
    let text = |users: u32| {
        format!(
            "{head}diset tpcc pg_rampup 1\ndiset tpcc pg_duration 4\nvuset vu {users}\nloadscript\n\
             vuset logtotemp 1\nvuset unique 1\nvucreate\nvurun\nvudestroy\n"
        )
    };
    folder.write("one.tcl", &text(1));
    folder.write("two.tcl", &text(2));
    let one = console(&folder, "auto one.tcl").start();
    let two = console(&folder, "auto two.tcl").start();
    let (one, two) = (one.wait(), two.wait());
    for (done, users) in [(&one, 1), (&two, 2)] {
        done.expect_code(0);
        let id = jobid(done, "Benchmark Run");
        assert_eq!(folder.record(&id)["plan"]["sessions"], users);
        let log = String::from_utf8(folder.read(&format!("hammerdb_{id}.log"))).expect("text");
        assert_eq!(log.matches("TEST RESULT").count(), 1, "{log}");
        // The job is found by ID, not by time.
        let told = script(&folder, &format!("job {id} result")).exits(0).json_after("Tacho");
        assert_eq!(told[2], Value::from(format!("{users} Active Virtual Users configured")));
    }
}

#[test]
fn other_ways_to_run_are_what_they_say() {
    let folder = Folder::new();
    let server = built(&folder);
    let head = head(&server);
    let quick = "diset tpcc pg_rampup 0\ndiset tpcc pg_duration 1\n";
    let asynchronous = alone(
        &folder,
        &format!(
            "{head}{quick}diset tpcc pg_async_scale true\ndiset tpcc pg_async_client 3\n\
             diset tpcc pg_keyandthink true\ngiset benchmark first_result TPM\nvuset vu 2\nvurun"
        ),
    );
    let asynchronous = asynchronous.exits(0);
    asynchronous.says(&["2 VU * 3 AC = 6 Active Sessions configured", " PostgreSQL TPM at "]);
    let record = folder.record("latest");
    assert_eq!((&record["plan"]["sessions"], &record["plan"]["pacing"]), (&6.into(), &1.0.into()));
    let test = alone(
        &folder,
        &format!(
            "{head}diset tpcc pg_driver test\ndiset tpcc pg_total_iterations 20\nvuset vu 2\nvurun"
        ),
    );
    let test = test.exits(0);
    test.says(&[
        "2 Virtual Users Created\n",
        "without output suppressed",
        "Benchmark Run (No jobid)",
    ]);
    let said = format!("{}{}", test.out, test.err);
    assert!(said.contains(" is a test driver run, which measures nothing; "), "{said}");
    assert!(!said.contains("INVALID") && !said.contains("UNSTABLE"), "{said}");
    // With the test driver, each virtual user prints its transactions and their results.
    //
    // Of several customers with the same name, HammerDB reads the one after the middle. If only one customer has the
    // name, order-status therefore finds no customer.
    let kinds = ["new order", "payment", "delivery", "stock level", "order status"];
    let mut told = 0;
    for user in [1, 2] {
        test.says(&[&format!("Vuser {user}:RUNNING")]);
        let from = format!("Vuser {user}:");
        let lines: Vec<&str> =
            test.out.lines().filter_map(|line| line.strip_prefix(&from)).collect();
        for pair in lines.windows(2).filter(|pair| kinds.contains(&pair[0])) {
            told += 1;
            let values = !kinds.contains(&pair[1]) && !pair[1].starts_with("FINISHED");
            assert!(values || pair[0] == "order status", "{pair:?}");
        }
    }
    assert_eq!(told, 40, "{}", test.out);
    assert!(!test.out.contains("MONITOR") && !test.out.contains("TEST RESULT"), "{}", test.out);
    assert_eq!(folder.record("latest")["plan"]["transactions"], 40);
    let twice =
        alone(&folder, &format!("{head}{quick}vuset iterations 2\nvuset repeat 100\nvurun"));
    assert_eq!(twice.exits(0).out.matches("TEST RESULT").count(), 2);
    // Disabling jobs takes effect only in the next script, so a separate script does it.
    alone(&folder, "jobs disable 1").exits(0);
    let hidden = format!(
        "{head}{quick}vuset showoutput 0\nvuset logtotemp 1\nvurun\nvudestroy\ndiset tpcc pg_driver test\n\
         diset tpcc pg_total_iterations 20\nputs \"== test\"\nvurun"
    );
    let silent = script(&folder, &hidden).exits(0);
    silent.says(&["Vuser 1:FINISHED SUCCESS", "Benchmark Run (No jobid)", "TEST RESULT"]);
    // Only the results of transactions are hidden; the log still contains them.
    let test = part(&silent, "test");
    assert!(
        !test.contains("Vuser 1:new order\n") && test.contains("Processed transactions"),
        "{test}"
    );
    let log = String::from_utf8(folder.read("hammerdb.log")).expect("text");
    assert!(log.contains("\nVuser 1:new order\n"), "{log}");
}

#[test]
fn what_is_deleted_is_what_was_built() {
    let folder = Folder::new();
    let server = built(&folder);
    let head = head(&server);
    // If another client has created objects in the database, the database and these objects are kept.
    let sql = "SET ROLE tpcc; CREATE SCHEMA mine; CREATE FUNCTION mine.f() RETURNS int LANGUAGE sql AS 'SELECT 1'";
    server.client_on("tpcc", sql).expect("a function");
    let kept = script(&folder, &format!("{head}deleteschema")).exits(0);
    kept.says(&[
        "Warning: database tpcc was not dropped: it contains objects that Tacho did not create",
    ]);
    server.client_on("tpcc", "DROP SCHEMA mine CASCADE").expect("gone");
    // One script deletes an empty database and builds it again. The tables are the same as before.
    let again =
        format!("{head}vuset showoutput 0\ndeleteschema\nbuildschema\ncheckschema\ndeleteschema");
    let again = script(&folder, &again);
    in_order(
        &again.exits(0),
        &[
            "Vuser 1:tpcc TPROC-C schema has been deleted successfully.",
            "Vuser 1:tpcc TPROC-C role has been deleted successfully.",
            "Vuser 1:TPCC SCHEMA COMPLETE",
            "Vuser 1:tpcc TPROC-C Schema has been checked successfully.",
            "Vuser 1:tpcc TPROC-C schema has been deleted successfully.",
        ],
    );
}

#[test]
fn a_schema_that_hammerdb_has_built_is_checked() {
    let folder = Folder::new();
    let server = built(&folder);
    let head = head(&server);
    // Without Tacho's marker, the tables look like another tool's.
    server.client_on("tpcc", "DROP TABLE tacho_marker, tacho_units").expect("no marker");
    let checked = script(&folder, &format!("{head}checkschema")).exits(0);
    in_order(
        &checked,
        &[
            "Vuser 1:Check database",
            "Vuser 1:Check tables and indices",
            "Vuser 1:Check consistency 1",
            "Vuser 1:Check consistency 4",
            "Vuser 1:tpcc TPROC-C Schema has been checked successfully.",
        ],
    );
    let size = script(&folder, &format!("{head}diset tpcc pg_count_ware 2\ncheckschema")).exits(5);
    size.says(&["schema warehouse count 1 does not equal dict warehouse count of 2"]);
    server
        .client_on("tpcc", "DELETE FROM item WHERE i_id = 1; UPDATE warehouse SET w_ytd = 0")
        .expect("a change");
    let wrong = script(&folder, &format!("{head}diset tpcc pg_count_ware 1\ncheckschema")).exits(5);
    wrong.says(&[
        "TPROC-C Schema check failed tpcc schema on table item row count of 99999 is less than expected \
         count of 100000",
        "TPROC-C Schema check failed tpcc schema consistency check 1 failed",
    ]);
    // A table that has a HammerDB name but different columns was not created by HammerDB or Tacho, so it must be left
    // unchanged.
    server.client_on("tpcc", "ALTER TABLE item DROP COLUMN i_im_id").expect("a change");
    script(&folder, &format!("{head}checkschema"))
        .exits(5)
        .says(&["has tables with different columns"]);
    script(&folder, &format!("{head}deleteschema")).exits(3).says(&["Tacho did not create"]);
}
