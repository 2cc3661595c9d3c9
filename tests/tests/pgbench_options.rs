//! Options of pgbench that people build scripts around: `-r`, `-l`, `-C` and `-L`.
//!
//! With a fixed number of transactions, all counts are determined, so they are compared exactly.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tacho_testkit::servers::Postgres;
use tacho_tests::Folder;

use crate::live::small_disk::SmallDisk;
use crate::pgbench::theirs;

/// Number of transactions of each session.
const EACH: u64 = 40;

/// Returns the name, the count and the failures of each statement of the latest run.
fn statements(folder: &Folder) -> Vec<(String, u64, u64)> {
    let record = folder.record("latest");
    let all = record["result"]["statements"].as_array().cloned().unwrap_or_default();
    let number = |value: &Value| value.as_u64().expect("a number");
    all.iter()
        .map(|one| {
            let name = one["name"].as_str().expect("a name").to_owned();
            (name, number(&one["count"]), number(&one["failed"]))
        })
        .collect()
}

#[test]
fn each_statement_has_its_count_and_its_latency() {
    let server = Postgres::shared();
    let name = "pgbench_statements";
    let database = server.database(name).expect("a database");
    theirs(server, name, &["-i", "-I", "dtgp", "-s", "1", "-q"]);
    let each = EACH.to_string();
    let said = theirs(server, name, &["-r", "-c", "2", "-t", &each]);
    let table = said.split_once("statement latencies").expect("the list").1;
    let listed: Vec<&str> = table.lines().filter(|line| line.ends_with(';')).collect();
    let folder = Folder::new();
    for form in ["sql", "simple", "pipelined"] {
        let run = format!(
            "run pgbench:tpcb-like '{database}' -c 2 --transactions {} --ramp-up 0s --form {form} --statement-times yes",
            2 * EACH
        );
        folder.tacho(&run).exits(0).says(&["statement", "COMMIT", "UPDATE pgbench_accounts"]);
        let found = statements(&folder);
        assert_eq!(found.len(), listed.len(), "{found:?} {said}");
        assert!(
            found.iter().all(|(_, count, failed)| (*count, *failed) == (2 * EACH, 0)),
            "{found:?}"
        );
        let record = folder.record("latest");
        let result = &record["result"];
        let texts = result["statements"].as_array().expect("the statements");
        for one in texts {
            let text = one["text"].as_str().unwrap_or_default();
            let first: Vec<&str> = text.split(' ').take(2).collect();
            let is_listed = listed.iter().any(|line| line.contains(&first.join(" ")));
            // pgbench writes END, which Tacho sends as COMMIT.
            assert!(is_listed || text == "COMMIT", "{text}: {said}");
        }
        if form != "pipelined" {
            // The statements of a transaction are a part of it.
            let mean = |one: &Value, key: &str| one[key]["mean_us"].as_f64().expect("a mean");
            let sum: f64 = texts.iter().map(|one| mean(one, "latency")).sum();
            let all = result["transactions"].as_array().expect("a list").last().cloned();
            let whole = mean(&all.expect("a row"), "service");
            assert!(sum > 0.0 && sum <= whole * 1.01, "{sum} of {whole}");
        }
    }
    folder.tacho("show latest --transactions").exits(0).says(&["UPDATE pgbench_branches"]);
    let run = format!("run pgbench:select-only '{database}' --transactions 20 --ramp-up 0s");
    folder.tacho(&run).exits(0);
    assert_eq!(statements(&folder), []);
}

#[test]
fn a_failed_statement_counts_as_failed_only() {
    let server = Postgres::shared();
    let name = "pgbench_statement_failures";
    let database = server.database(name).expect("a database");
    server.client_on(name, "CREATE TABLE once (a int PRIMARY KEY)").expect("a table");
    let folder = Folder::new();
    folder.write("once.sql", "SELECT 1;\nINSERT INTO once VALUES (1);");
    let run = format!(
        "run pgbench:once.sql '{database}' --transactions 20 --ramp-up 0s --statement-times yes"
    );
    folder.tacho(&run).done().says(&["once.sql:2:1"]);
    let found: Vec<(u64, u64)> =
        statements(&folder).into_iter().map(|(_, count, failed)| (count, failed)).collect();
    // After each failure, Tacho makes sure that no transaction is left open.
    assert_eq!(found, [(20, 0), (1, 19), (19, 0)]);
}

/// The lines of a log, as words.
fn lines(text: &[u8]) -> Vec<Vec<String>> {
    let text = String::from_utf8(text.to_vec()).expect("text");
    text.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
}

/// Returns the numbers of each session's transactions, and the number of columns.
fn numbered(lines: &[Vec<String>]) -> (BTreeMap<String, BTreeSet<u64>>, BTreeSet<usize>) {
    let mut sessions: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for line in lines {
        let number = line[1].parse().expect("a number");
        assert!(sessions.entry(line[0].clone()).or_default().insert(number), "{line:?} twice");
    }
    (sessions, lines.iter().map(Vec::len).collect())
}

#[test]
fn the_log_has_the_lines_of_pgbench() {
    let server = Postgres::shared();
    let name = "pgbench_log";
    let database = server.database(name).expect("a database");
    theirs(server, name, &["-i", "-I", "dtgp", "-s", "1", "-q"]);
    let (folder, each) = (Folder::new(), EACH.to_string());
    let prefix = folder.file("theirs").display().to_string();
    for (usual, ours) in [
        (&["-c", "2"][..], "-c 2"),
        (&["-c", "2", "-R", "200", "--max-tries", "3"], "-c 2 --rate 200 --retry same"),
    ] {
        theirs(server, name, &[usual, &["-l", "--log-prefix", &prefix, "-t", &each]].concat());
        let file = folder.names().into_iter().find(|name| name.starts_with("theirs."));
        let file = file.expect("the log of pgbench");
        let expected = numbered(&lines(&folder.read(&file)));
        folder.shell("rm theirs.*").exits(0);
        let transactions = format!("--transactions {} --ramp-up 0s", 2 * EACH);
        let run =
            format!("run pgbench:tpcb-like '{database}' {ours} {transactions} --log ours.log");
        // On a busy machine, the rate may not be reached, and the last arrivals are then skipped.
        folder.tacho(&run).done();
        let found = lines(&folder.read("ours.log"));
        let (sessions, columns) = numbered(&found);
        assert_eq!(columns, expected.1, "{ours}");
        let found: Vec<_> = found.into_iter().filter(|line| line[2] != "skipped").collect();
        assert_eq!(found.len() as u64, 2 * EACH, "{ours}");
        // With a common number of transactions, either session may take more of them. Each counts from 1.
        assert!(sessions.keys().all(|name| expected.0.contains_key(name)), "{sessions:?}");
        for numbers in sessions.values() {
            assert_eq!(numbers.last(), Some(&(numbers.len() as u64)), "{numbers:?}");
        }
        let times = |line: &[String]| -> f64 {
            let part = |at: usize| line[at].parse::<f64>().expect("a number");
            assert!(part(5) < 1e6 && part(3) == 0.0 && part(2) > 0.0, "{line:?}");
            part(4) + part(5) / 1e6
        };
        let all: Vec<f64> = found.iter().map(|line| times(line)).collect();
        assert!(all.is_sorted(), "{all:?}");
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a time").as_secs_f64();
        assert!(all.iter().all(|at| (now - 600.0..now + 5.0).contains(at)), "{all:?} at {now}");
        // The mean in the record is that of the lines.
        let sum: f64 = found.iter().map(|line| line[2].parse::<f64>().expect("a number")).sum();
        let record = folder.record("latest");
        let mean = record["result"]["transactions"][0]["latency"]["mean_us"].as_f64();
        let ratio = sum / found.len() as f64 / mean.expect("a mean");
        assert!((0.99..1.01).contains(&ratio), "{ratio}");
    }
}

#[test]
fn the_log_is_sampled_and_summed_up() {
    let folder = Folder::new();
    let run = "run tprocc sim --transactions 2000 --ramp-up 0s -c 4 --log a.log";
    let logged = |words: &str| {
        folder.tacho(&format!("{run} {words}")).exits(0);
        lines(&folder.read("a.log"))
    };
    let all = logged("");
    assert_eq!(all.len(), 2000);
    let place = |line: &Vec<String>| (line[0].clone(), line[1].clone(), line[2].clone());
    let every: BTreeSet<_> = all.iter().map(place).collect();
    let some: Vec<_> = logged("--log-sample 0.1").iter().map(place).collect();
    assert!((140..260).contains(&some.len()), "{}", some.len());
    assert!(some.iter().all(|line| every.contains(line)), "the same transactions");
    assert_eq!(logged("--log-sample 0.1").iter().map(place).collect::<Vec<_>>(), some);
    let sums = logged("--log-interval 1s");
    assert!(sums.len() > 1 && sums.iter().all(|line| line.len() == 15), "{sums:?}");
    let total = |at: usize| -> u64 {
        sums.iter().map(|line| line[at].parse::<u64>().expect("a number")).sum()
    };
    let latency: u64 = all.iter().map(|line| line[2].parse::<u64>().expect("a number")).sum();
    assert_eq!((total(1), total(2)), (2000, latency));
    assert_eq!((6..15).map(total).sum::<u64>(), 0, "no lag without a rate: {sums:?}");
    // What is skipped has lines, too, except arrivals that no session took.
    let open = "run tprocc sim -d 2s --ramp-up 0s --rate 4000 --backlog 5 -c 1 --log a.log";
    folder.tacho(open).exits(4).says(&["INVALID"]);
    let (lines, record) = (lines(&folder.read("a.log")), folder.record("latest"));
    let skipped = lines.iter().filter(|line| line[2] == "skipped").count() as u64;
    let accounts = &record["result"]["accounting"];
    let number = |key: &str| accounts[key].as_u64().expect("a number");
    assert!(skipped > 100 && skipped <= number("skipped"), "{skipped} {accounts}");
    assert_eq!(lines.len() as u64 - skipped, number("committed") + number("rolled_back"));
    let run = "run tprocc sim --transactions 20 --ramp-up 0s";
    for (words, message) in [
        ("--log a.log --log-sample 0.1 --log-interval 1s", "exclude each other"),
        ("--log a.log --log-interval 1500ms", "expected whole seconds"),
        ("--log .", "not a regular file"),
        ("--log none/a.log", "No such file"),
        ("--log-sample 0.1", "--log FILE"),
    ] {
        let done = folder.tacho(&format!("{run} {words}")).done();
        done.is_error().complains(&[message]);
    }
    assert!(!folder.read("a.log").is_empty(), "a rejected run leaves the file");
}

#[test]
fn a_full_disk_ends_the_log_and_not_the_run() {
    let folder = Folder::new();
    folder.shell("mkdir small").exits(0);
    let Some(_disk) = SmallDisk::of(&folder.file("small"), folder.path(), "1m") else { return };
    let run = "run tprocc noop -d 3s --ramp-up 0s --interval 100ms --log small/a.log";
    // On a busy machine, the run may be INVALID because Tacho was suspended.
    folder.tacho(run).done().says(&["W36", "a.log ends early", "--log-sample"]);
    let found = lines(&folder.read("small/a.log"));
    assert!(found.len() > 100 && found.iter().all(|line| line.len() == 6), "{:?}", found.last());
    assert!(folder.read("small/a.log").ends_with(b"\n"));
    let committed = folder.record("latest")["result"]["accounting"]["committed"].as_u64();
    assert!(committed > Some(found.len() as u64), "the run went on: {committed:?}");
}

#[test]
fn each_transaction_has_a_connection_of_its_own() {
    let server = Postgres::shared();
    let name = "pgbench_reconnect";
    let database = server.database(name).expect("a database");
    theirs(server, name, &["-i", "-I", "dtgp", "-s", "1", "-q"]);
    let count = || {
        let sessions = format!("SELECT sessions FROM pg_stat_database WHERE datname = '{name}'");
        let text = server.client(&sessions).expect("a count");
        text.lines().find_map(|line| line.trim().parse::<u64>().ok()).expect("a number")
    };
    let opened = |run: &dyn Fn()| {
        let before = count();
        run();
        // The server counts a session when it ends.
        let mut after = count();
        for _ in 0..100 {
            if after >= before + 2 * EACH {
                break;
            }
            std::thread::yield_now();
            after = count();
        }
        after - before
    };
    let each = EACH.to_string();
    let theirs = opened(&|| {
        let said = theirs(server, name, &["-C", "-c", "2", "-t", &each]);
        assert!(said.contains("average connection time"), "{said}");
    });
    let folder = Folder::new();
    let run =
        format!("run pgbench:tpcb-like '{database}' -c 2 --transactions {} --ramp-up 0s", 2 * EACH);
    let of_form = |form: &str, reconnect: &str| {
        let run = format!("{run} --form {form} --reconnect {reconnect} --check none");
        opened(&|| _ = folder.tacho(&run).exits(0))
    };
    // Both also open a few connections that are not the sessions', such as the one that reads the counters.
    let others = of_form("simple", "no");
    assert!((2..20).contains(&others), "{others}");
    for form in ["simple", "sql"] {
        let ours = of_form(form, "yes");
        assert!((2 * EACH..2 * EACH + 20).contains(&ours), "{form}: {ours}, pgbench {theirs}");
        let record = folder.record("latest");
        let (connecting, result) = (&record["result"]["connecting"], &record["result"]);
        assert_eq!(connecting["count"], 2 * EACH, "{result}");
        assert_eq!(result["accounting"]["committed"], 2 * EACH);
        assert_eq!(result["tool"]["statements"], 2 * EACH * 7);
    }
    folder.tacho("show").exits(0).says(&["80 connections, one for each transaction"]);
    // When the transaction is due in advance, its latency includes the connection, and its service time does not.
    let open = format!("{run} --rate 100 --reconnect yes");
    folder.tacho(&open).done();
    let record = folder.record("latest");
    let mean = |times: &Value| times["mean_us"].as_f64().expect("a mean");
    let row = &record["result"]["transactions"][0];
    let connecting = mean(&record["result"]["connecting"]);
    assert!(
        mean(&row["latency"]) - mean(&row["service"]) >= 0.99 * connecting,
        "{row} {connecting}"
    );
    for words in [
        "tprocc sqlite:a.db --verify commits",
        "tprocc sim --route 'new_order=sim:'",
        "chbench sim",
        "tproch noop",
    ] {
        let done = folder.tacho(&format!("run {words} --reconnect yes")).exits(2);
        done.is_error().complains(&["--reconnect cannot be combined with"]);
    }
}

#[test]
fn late_transactions_are_counted_and_late_arrivals_skipped() {
    let folder = Folder::new();
    let run = |words: &str| {
        folder.tacho(&format!("run tprocc sim --ramp-up 0s {words}")).done();
        folder.record("latest")["result"].clone()
    };
    let number = |value: &Value| value.as_u64().expect("a number");
    let all = run("--transactions 1000 --log a.log --latency-limit 2ms");
    let log = lines(&folder.read("a.log"));
    let over =
        log.iter().filter(|line| line[2].parse::<f64>().expect("a number") > 2_000.0).count();
    let late = number(&all["late"]["late"]);
    assert!(over > 10 && (over as u64).abs_diff(late) <= 1, "{over} lines, {}", all["late"]);
    assert_eq!(all["late"]["skipped"], 0);
    let share = all["late"]["late_share"].as_f64().expect("a share");
    assert!((share - late as f64 / 1_000.0).abs() < 1e-9, "{share}");
    folder.tacho("show").exits(0).says(&["above the latency limit of 2.00 ms"]);
    // A failed transaction is not repeated once it has taken longer than the limit.
    let failing = |limit: &str| {
        let run = "run tprocc 'sim:?deadlocks=5%' --ramp-up 0s --transactions 500 --retry same";
        folder.tacho(&format!("{run} {limit}")).done();
        number(&folder.record("latest")["result"]["accounting"]["retried"])
    };
    assert!(failing("--latency-limit 10s") > 100);
    assert_eq!(failing("--latency-limit 1us"), 0);
    // Without a limit, an overloaded queue grows. With one, no latency exceeds it by more than a transaction.
    let open = "-d 5s --rate 2000 -c 1";
    let [free, limited] = ["", "--latency-limit 50ms"].map(|limit| run(&format!("{open} {limit}")));
    assert!(free["late"].is_null() && limited["late"]["skipped"].as_u64() > Some(1_000));
    let longest = |result: &Value| {
        let rows = result["transactions"].as_array().expect("the rows");
        let all = rows.iter().find(|row| row["name"] == "all").expect("the sum");
        (
            all["latency"]["max_us"].as_f64().expect("a time"),
            all["service"]["max_us"].as_f64().expect("a time"),
        )
    };
    let (latency, service) = longest(&limited);
    assert!(latency <= 50_100.0 + service, "{latency} {service}");
    assert!(longest(&free).0 > 200_000.0, "{free}");
    folder.tacho("show").exits(0).says(&["skipped ("]);
}

#[test]
fn a_script_comes_from_a_pipe_or_standard_input() {
    let folder = Folder::new();
    let run = "noop --transactions 30 --ramp-up 0s --progress none";
    folder.write("one.sql", "SELECT 1;\nSELECT 2;");
    let from_input =
        || folder.tacho(&format!("run pgbench:- {run}")).input(&folder.file("one.sql"));
    from_input().exits(0).says(&["30 committed", "stdin"]).complains(&["saved the script from -"]);
    assert_eq!(folder.record("latest")["result"]["tool"]["statements"], 60);
    // The saved script repeats the run, and the same script is saved once.
    folder
        .tacho("run --from latest --allow workload --progress none")
        .exits(0)
        .says(&["30 committed"]);
    from_input().exits(0);
    assert_eq!(std::fs::read_dir(folder.file("tacho-data/scripts")).expect("a folder").count(), 1);
    let piped = format!(
        "printf 'SELECT 3;' | \"$TACHO\" run pgbench:-@2 pgbench:one.sql {run} && bash -c '\"$TACHO\" run pgbench:<(echo \"SELECT 4;\") {run}'"
    );
    folder.shell(&piped).exits(0).says(&["stdin", "one", "script"]);
    for (script, message) in [
        ("printf ''", "does not send any statements"),
        ("printf 'SELECT :x;'", "stdin.sql:1:9: unknown variable"),
        ("head -c 1100000 /dev/zero", "larger than 1 MiB"),
        ("printf '\\377'", "not valid UTF-8"),
    ] {
        let done = folder.shell(&format!("{script} | \"$TACHO\" run pgbench:- {run}")).exits(2);
        done.complains(&[message]);
    }
}
