//! Tests of what scripts read after a run: jobs in both formats, global variables, and messages.

use crate::hammerdb::{console, forget_settings, in_order, jobid, part, script};
use serde_json::Value;
use tacho_testkit::servers::Postgres;
use tacho_tests::{Data, Done, Folder};

/// Queries about a single job. None of them changes anything.
const OF_ONE: [&str; 14] = [
    "",
    "bm",
    "db",
    "dict",
    "timestamp",
    "status",
    "result",
    "1",
    "tcount",
    "timing",
    "timing 2",
    "metrics",
    "system",
    "0",
];
/// Queries about all jobs.
const OF_ALL: [&str; 3] = ["result", "timestamp", "profile 5"];

/// Starts a server, then records a build and a run as jobs with every kind of job data.
fn measured(folder: &Folder) -> (Postgres, Done) {
    let server = Postgres::start().expect("a server");
    let text = format!(
        "dbset db pg\ndiset connection pg_host 127.0.0.1\ndiset connection pg_port {}\n\
         diset tpcc pg_superuserpass {{}}\nbuildschema\ndiset tpcc pg_rampup 1\n\
         diset tpcc pg_duration 2\ndiset tpcc pg_timeprofile true\njobs profileid 5\n\
         vuset vu 1\nvuset logtotemp 1\nvuset unique 1\ntcset refreshrate 1\nmetstart\n\
         puts \"== run\"\ntcstart\nloadscript\nputs CREATES\nvucreate\nputs CREATED\n\
         puts \"BEFORE [vucomplete]\"\nset r [vurun]\nputs \"AFTER [vucomplete]\"\n\
         puts \"GLOBALS $hdb_version [dict get $genericdict commandline jobs_profile_id] $jobid\"\n\
         vudestroy\ntcstop\nmetstop",
        server.port()
    );
    let done = script(folder, &text).exits(0);
    (server, done)
}

/// Returns a script that runs every job query and prints a marker line before each.
fn asked(id: &str) -> String {
    let one = OF_ONE.map(|what| format!("puts \"== one {what}\"\njobs {id} {what}"));
    let all = OF_ALL.map(|what| format!("puts \"== all {what}\"\njobs {what}"));
    [&one[..], &all[..]].concat().join("\n") + "\nputs \"== END\""
}

/// Returns the marks of [`asked`].
fn marks() -> Vec<String> {
    let one = OF_ONE.iter().map(|what| format!("one {what}"));
    one.chain(OF_ALL.iter().map(|what| format!("all {what}"))).collect()
}

#[test]
fn a_run_says_what_parsers_and_scripts_look_for() {
    let folder = Folder::new();
    let (_server, done) = measured(&folder);
    let id = jobid(&done, "Benchmark Run");
    let log = format!("{}/hammerdb_{id}.log", folder.path().display());
    in_order(
        &done,
        &[
            // The transaction counter starts at 0. The log's name is known before the run, because `vucreate` opens the
            // log.
            "Transaction Counter Started",
            "0 PostgreSQL tpm",
            "CREATES",
            &format!("Logging activated to {log}"),
            "Vuser 1 created MONITOR - WAIT IDLE",
            "2 Virtual Users Created with Monitor VU",
            "CREATED",
            "BEFORE false",
            "Vuser 1:RUNNING",
            "Vuser 1:Initializing xtprof time profiler",
            "Vuser 1:Beginning rampup time of 1 minutes",
            "Vuser 1:1 ...,",
            "Vuser 1:2 ...,",
            "ALL VIRTUAL USERS COMPLETE",
            &format!("Benchmark Run jobid={id}"),
            "AFTER true",
            &format!("GLOBALS v6.0 5 {id}"),
        ],
    );
    let run = part(&done, "run");
    assert_eq!(run.matches("Logging activated").count(), 1, "{run}");
    // The version is printed once, after the line about the profiler and before the ramp-up.
    let monitor: Vec<&str> = run.lines().filter_map(|line| line.strip_prefix("Vuser 1:")).collect();
    let version = monitor.iter().position(|line| line.starts_with("DBVersion:15"));
    let rampup = monitor.iter().position(|line| line.starts_with("Beginning rampup"));
    assert!(version.is_some() && version.map(|at| at + 1) == rampup, "{monitor:?}");
    assert_eq!(run.matches("DBVersion:").count(), 1, "{run}");
    let text = String::from_utf8(folder.read(&format!("hammerdb_{id}.log"))).expect("text");
    for line in ["Vuser 1:1 ...,", "Vuser 1:2 ...,"] {
        assert_eq!(text.lines().filter(|said| *said == line).count(), 1, "{text}");
    }
    assert!(text.starts_with("Hammerdb Log @ ") && text.contains("\nVuser 1:DBVersion:"), "{text}");
    formats(&folder, &id);
    values(&folder, &id);
    database(&folder, &id);
    files(&folder, &id);
    let data = Data::open(&folder.file("hammer.DB"));
    let left =
        |table: &str| data.number(&format!("SELECT count(*) FROM {table} WHERE jobid = '{id}'"));
    for table in ["jobmain", "joboutput", "jobtiming", "jobtcount", "jobmetric", "jobsystem"] {
        assert_eq!(left(table), 0, "{table}");
    }
    // The build is still there.
    assert_eq!(data.number("SELECT count(*) FROM jobmain"), 1);
}

/// HammerDB's job database contains what the job commands show, so that users' own scripts can extract it.
fn database(folder: &Folder, id: &str) {
    let text = format!(
        "puts \"== timing\"\njobs {id} timing\nputs \"== user\"\njobs {id} timing 2\nputs \"== tcount\"\n\
         jobs {id} tcount\nputs \"== system\"\njobs {id} system\nputs \"== result\"\njobs result\nputs \"== END\""
    );
    let done = script(folder, &format!("jobs format JSON\n{text}")).exits(0);
    let of = |mark: &str| -> Value { serde_json::from_str(part(&done, mark)).expect("JSON") };
    let data = Data::open(&folder.file("hammer.DB"));
    let number = |what: &str| data.number(&format!("SELECT {what} AND jobid = '{id}'"));
    assert_eq!(
        number("count(*) FROM jobmain WHERE db = 'PostgreSQL' AND bm = 'TPC-C' AND profile_id = 5"),
        1
    );
    for (timing, place) in
        [(of("timing"), "summary = 1 AND vu = 0"), (of("user"), "summary = 0 AND vu = 2")]
    {
        let all = timing.as_object().expect("transactions");
        assert!(all.contains_key("NEWORD"), "{timing}");
        for (name, times) in all {
            let (calls, p95) = (&times["calls"], &times["p95_ms"]);
            let row = format!(
                "count(*) FROM jobtiming WHERE {place} AND procname = '{name}' AND calls = {} AND p95_ms = {}",
                calls.as_str().expect("a number"),
                p95.as_str().expect("a number")
            );
            assert_eq!(number(&row), 1, "{row}: {times}");
        }
    }
    let first = format!("SELECT counter || metric FROM jobtcount WHERE jobid = '{id}' LIMIT 1");
    assert_eq!(data.texts(&first), ["0PostgreSQL tpm"]);
    let seconds = of("tcount")["PostgreSQL tpm"].as_object().expect("a series").len();
    assert_eq!(number("count(DISTINCT timestamp) FROM jobtcount WHERE 1"), seconds as i64);
    assert!(number("count(*) FROM jobmetric WHERE usr + sys + idle > 0") > 0);
    let cores = of("system")["cpucount"].as_str().expect("a number").to_owned();
    assert_eq!(number(&format!("count(*) FROM jobsystem WHERE cpucount = {cores}")), 1);
    // A script as users have it, in Python.
    let python = "import os, re, sqlite3\n\
        jobs = sqlite3.connect(os.path.join(os.environ['TMP'], 'hammer.DB'))\n\
        sql = \"\"\"select m.jobid, o.output from jobmain m join joboutput o using (jobid)\n\
        where o.vu = 1 and o.output like 'TEST RESULT%' order by m.timestamp\"\"\"\n\
        for job, line in jobs.execute(sql):\n    print('EXTRACTED', job, *re.findall(r'\\d+', line))\n";
    folder.write("extract.py", python);
    let found = &of("result")[id];
    let [nopm, tpm] = ["nopm", "tpm"].map(|key| found[key].as_str().expect("a number"));
    let done = folder.shell("TMP=$PWD python3 extract.py").exits(0);
    assert_eq!(done.out.trim(), format!("EXTRACTED {id} {nopm} {tpm}"), "{found}");
}

/// Job commands that write files, compare or delete print one line, whatever the output format.
fn files(folder: &Folder, id: &str) {
    let saved = format!("hdb_{id}.json");
    let mut reports = Vec::new();
    for format in ["text", "JSON"] {
        let text = format!(
            "jobs format {format}\nputs \"== save\"\njobs {id} save\nputs \"== chart\"\njobs {id} getchart result\n\
             puts \"== profile\"\njobs 5 getchart profile\nputs \"== diff\"\njobs diff 5 5\n\
             puts \"== weighted\"\njobs diff 5 5 true\nputs \"== none\"\njobs diff 5 77\nputs \"== END\""
        );
        let done = script(folder, &text).exits(0);
        assert!(part(&done, "save").starts_with("Saved job report JSON to "), "{}", done.out);
        for (mark, file) in
            [("chart", format!("{id}_result.html")), ("profile", "5_profile.html".into())]
        {
            assert!(part(&done, mark).starts_with("Saved chart html to "), "{}", done.out);
            assert!(String::from_utf8_lossy(&folder.read(&file)).contains("<html"), "{file}");
        }
        assert!(part(&done, "diff").contains("(unweighted): matched=1,"), "{}", done.out);
        assert!(
            part(&done, "weighted").contains("(weighted linear, no cap): matched=1,"),
            "{}",
            done.out
        );
        for mark in ["diff", "weighted"] {
            assert!(part(&done, mark).contains("0.00"), "{}", done.out);
        }
        assert!(part(&done, "none").starts_with("Error: "), "{}", done.out);
        reports.push(folder.read(&saved));
    }
    assert_eq!(reports[0], reports[1]);
    let report: Value = serde_json::from_slice(&reports[0]).expect("JSON");
    assert_eq!(report["job"]["jobid"], id, "{report}");
    let text = format!(
        "jobs format text\nputs \"== delete\"\njobs {id} delete\nputs \"== gone\"\njobs {id} result\n\
         puts \"LIST [jobs joblist]\"\nputs \"== END\""
    );
    let done = script(folder, &text).exits(0);
    assert_eq!(part(&done, "delete"), format!("Deleted Jobid {id}"), "{}", done.out);
    let list = done.out.lines().find_map(|line| line.strip_prefix("LIST ")).expect("a list");
    assert!(!list.contains(id) && !list.is_empty(), "{list}");
}

/// `jobs format` affects all output, in this session and in later ones.
fn formats(folder: &Folder, id: &str) {
    let json = script(folder, &format!("jobs format JSON\n{}", asked(id))).exits(0);
    let of = |mark: &str| -> Value {
        let answer = part(&json, mark);
        serde_json::from_str(answer).unwrap_or_else(|error| panic!("{mark}: {error}: {answer}"))
    };
    for mark in marks() {
        let value = of(&mark);
        let is_empty = value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(serde_json::Map::is_empty);
        assert!(!is_empty && (value.is_array() || value.is_object()), "{mark}: {value}");
    }
    assert_eq!(of("one db"), serde_json::json!(["PostgreSQL"]));
    assert_eq!(of("one bm"), serde_json::json!(["TPC-C"]));
    let status = of("one status");
    assert_eq!(
        status.as_array().and_then(|all| all.last()),
        Some(&"ALL VIRTUAL USERS COMPLETE".into())
    );
    let series = of("one tcount");
    let counts = series["PostgreSQL tpm"].as_object().expect("a series");
    assert_eq!(counts.values().next(), Some(&"0".into()), "{series}");
    let text = script(folder, &format!("jobs format text\n{}", asked(id))).exits(0);
    // The format set by the first script still applies in this second script.
    let later = script(folder, &asked(id)).exits(0);
    for done in [&text, &later] {
        for mark in marks() {
            let said = part(done, &mark);
            let has_json = said.contains('"') || said.starts_with(['[', '{']);
            assert!(!said.trim().is_empty() && !has_json, "{mark}: {said}");
        }
        assert_eq!(part(done, "one db"), "PostgreSQL");
        assert_eq!(part(done, "one bm"), "TPC-C");
        let last = |mark: &str| part(done, mark).lines().last().map(str::to_owned);
        assert_eq!(
            last("one status").as_deref(),
            Some("Virtual User 0: ALL VIRTUAL USERS COMPLETE")
        );
        assert_eq!(last("one 0"), last("one status"));
        assert!(part(done, "one 1").starts_with("Virtual User 1: "), "{}", done.out);
        assert!(
            part(done, "one result").contains("\nTEST RESULT : System achieved "),
            "{}",
            done.out
        );
    }
    let wrong = script(folder, "jobs format xml\njobs format\njobs format JSON").exits(0);
    assert_eq!(
        wrong.out.matches("Error: Usage: jobs format [ text | JSON ]").count(),
        2,
        "{}",
        wrong.out
    );
    wrong.says(&["Setting jobs output format to JSON"]);
}

/// `jobs ID …` prints its result and returns no value, whereas `jobs joblist` returns the IDs of all jobs.
fn values(folder: &Folder, id: &str) {
    let calls = OF_ONE.map(|what| format!("set r [jobs {id} {what}]\nputs \"VALUE {what}<$r>\""));
    let text = format!(
        "{}\nputs \"LIST [jobs joblist]\"\nputs \"== table\"\njobs\nputs \"== END\"\nputs [info exists jobid]",
        calls.join("\n")
    );
    let done = script(folder, &text).exits(0);
    for what in OF_ONE {
        assert!(done.out.contains(&format!("\nVALUE {what}<>\n")), "{what}: {}", done.out);
    }
    let list = done.out.lines().find_map(|line| line.strip_prefix("LIST ")).expect("a list");
    let ids: Vec<&str> = list.split(' ').collect();
    assert!(ids.len() == 2 && ids[1] == id, "{list}");
    let table: Vec<&str> = part(&done, "table").lines().collect();
    assert_eq!(table.len(), 3, "{table:?}");
    for (line, id, kind) in [(table[1], ids[0], "Schema Build"), (table[2], id, "Benchmark Run")] {
        assert!(line.starts_with(id) && line.contains(kind), "{table:?}");
    }
    // In Python, a call returns the text that it prints. In a Python script's Tcl interpreter, it returns nothing.
    let python = format!(
        "assert '[\"PostgreSQL\"]' == jobs('{id}', 'db').strip()\nassert jobs('{id} db') == job('{id}', 'db')\n\
         assert tclpy.eval('jobs {id} db') == ''\nprint('PYTHON')\nprint('COMPLETE', tclpy.eval('vucomplete'))\n"
    );
    folder.write("values.py", &python);
    let done = console(folder, "py auto values.py").exits(0);
    done.says(&["PYTHON", "COMPLETE false"]);
    assert_eq!(done.out.matches("[\"PostgreSQL\"]").count(), 4, "{}", done.out);
}

/// Disabling or enabling the job repository takes effect only in the next session, as the command's message says.
#[test]
fn jobs_are_disabled_from_the_next_script_on() {
    let folder = Folder::new();
    folder.write("own.tcl", "puts WORKED\n");
    let run = "customscript own.tcl\nputs [vurun]\nvudestroy\n";
    let count = "puts \"COUNT [llength [jobs joblist]]\"";
    let first = script(&folder, &format!("{run}jobs disable 2\njobs disable 1\n{count}")).exits(0);
    first.says(&["Error: Usage: jobs disable [ 0 | 1 ]"]);
    in_order(&first, &["Disabling jobs repository, restart HammerDB to take effect", "COUNT 1"]);
    let disabled =
        "Error: Jobs Disabled: enable with command \"jobs disable 0\" and restart HammerDB";
    let off = script(&folder, &format!("{run}jobs\njobs result\njobs X db\njobs disable 0\njobs"))
        .exits(0);
    in_order(
        &off,
        &[
            "Benchmark Run (No jobid)",
            disabled,
            "Enabling jobs repository, restart HammerDB to take effect",
            disabled,
        ],
    );
    assert_eq!(off.out.matches(disabled).count(), 4, "{}", off.out);
    script(&folder, count).exits(0).says(&["COUNT 1"]);
    forget_settings(&folder);
}

/// The number of processors in the machine, regardless of how many this process may use.
#[test]
fn the_number_of_processors_is_that_of_the_machine() {
    let folder = Folder::new();
    folder.write("cpus.tcl", "puts \"CPUS [numberOfCPUs] BEFORE [vucomplete] JOB <$jobid>\"\n");
    let call = "first=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')\n\
                echo \"MACHINE $(getconf _NPROCESSORS_ONLN)\"\n\
                TMP=$PWD taskset -c $first \"$TACHO\" hammerdb auto cpus.tcl";
    let done = folder.shell(call).exits(0);
    let machine =
        done.out.lines().find_map(|line| line.strip_prefix("MACHINE ")).expect("a number");
    done.says(&[&format!("CPUS {machine} BEFORE false JOB <>")]);
}
