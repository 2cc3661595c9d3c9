//! Every invalid argument or value must cause an error with a hint and the documented exit code. Nothing may be
//! changed.

use crate::prepared::ONE;
use tacho_tests::{Data, Folder};

/// A command line, and the strings that its error must contain.
type Row = (&'static str, &'static [&'static str]);

/// Runs commands, each in an empty folder that must remain empty. Checks the exit code and the error with its hint.
fn each_fails(code: i32, table: &[Row]) {
    for (line, texts) in table {
        let folder = Folder::new();
        let done = folder.tacho(line).exits(code);
        done.is_error().complains(texts);
        assert!(folder.names().is_empty(), "{line} left {:?}", folder.names());
    }
}

#[test]
fn unknown_names_tell_the_nearest() {
    each_fails(
        2,
        &[
            ("run tproc", &["unknown workload or run \"tproc\"", "tprocc"]),
            ("prepare tprocd sqlite:x.db", &["tprocd", "tprocc"]),
            ("check tpc sqlite:x.db", &["tprocc"]),
            ("run tprocc sqlit:x.db", &["unknown target or driver \"sqlit\"", "sqlite"]),
            ("run tprocc nop", &["unknown target \"nop\"", "noop", "driver:place"]),
            ("clean tprocc pront", &["print"]),
            ("run -t slim", &["unknown target \"slim\"", "sim"]),
            ("run --profile hamerdb", &["unknown profile \"hamerdb\"", "did you mean hammerdb?"]),
            ("run tprocc noop --profile spek", &["unknown profile \"spek\"", "spec"]),
            ("prepare tprocc sqlite:x.db --profile x", &["unknown profile \"x\"", "spec"]),
            ("run --set warehuses=all", &["unknown workload parameter", "warehouses"]),
            (
                "run --set warehouses=al",
                &["invalid value for warehouses: \"al\"", "home, all, owned"],
            ),
            (
                "run tprocc noop --set sort_lines=yes",
                &["invalid value for sort_lines: \"yes\"", "true or false"],
            ),
            ("describe tproc", &["tprocc"]),
            ("describe sqlte", &["sqlite"]),
            ("describe tprocc --sql sqlte", &["sqlite"]),
            ("config show nightly", &["run \"nightly\" does not exist"]),
            ("frobnicate", &["frobnicate"]),
            ("runs lst", &["lst", "list"]),
            ("list driver", &["drivers"]),
            ("schema rn", &["rn", "run"]),
            ("completions basch", &["bash"]),
            ("run --sesions 5", &["--sesions", "--sessions"]),
            ("show --tmeline", &["--timeline"]),
            ("prepare tprocc sqlite:x.db --rate 5", &["--rate"]),
            ("run --output jsn", &["jsn", "json"]),
            ("run --progress plan", &["plan", "plain"]),
            ("run --form pipelned", &["pipelined"]),
            ("run --check nun", &["none"]),
            ("run --retry sam", &["same"]),
            ("run --spacing poison -r 5", &["poisson"]),
        ],
    );
}

#[test]
fn words_of_other_tools_lead_to_ours() {
    each_fails(
        2,
        &[
            ("run -T 60", &["unknown option \"-T\"", "hint: use --duration"]),
            ("run --time=60", &["hint: use --duration"]),
            ("run --users 5", &["hint: use --sessions"]),
            ("run --threads 5", &["hint: use --sessions"]),
            ("run --warmup 5", &["hint: use --ramp-up"]),
            ("run --host db1", &["hint: use TARGET, such as postgres://"]),
            ("cleanup", &["unknown command \"cleanup\"", "hint: use tacho clean"]),
            ("buildschema", &["hint: use tacho prepare"]),
        ],
    );
}

#[test]
fn absurd_values_tell_what_is_allowed() {
    each_fails(
        2,
        &[
            ("run --scale -1", &["invalid value for scale: \"-1\"", "allowed"]),
            ("run --scale 0", &["invalid value for scale: \"0\"", "allowed"]),
            ("run --scale 1.5", &["invalid value for scale: 1.5", "1 to 100000 warehouses"]),
            ("run --scale 100001", &["invalid value for scale: 100001", "1 to 100000 warehouses"]),
            ("prepare tprocc sqlite:x.db -s 1000m", &["1 to 100000 warehouses"]),
            ("prepare tprocc sqlite:x.db -s -3", &["invalid value for scale: \"-3\""]),
            ("run --sessions 0", &["invalid value for sessions: \"0\"", "1 to 100000"]),
            ("run --sessions -4", &["invalid value for sessions: \"-4\""]),
            ("run --sessions 100001", &["invalid value for sessions: \"100001\""]),
            ("run -c many", &["invalid value for sessions: \"many\""]),
            ("prepare tprocc sqlite:x.db -c 0", &["invalid value for sessions: \"0\""]),
            ("run --rate 0", &["invalid value for rate: \"0\"", "a number per second"]),
            ("run --rate -200", &["invalid value for rate: \"-200\""]),
            ("run --rate 2000000k", &["invalid value for rate: \"2000000k\""]),
            ("run --rate inf", &["invalid value for rate: \"inf\""]),
            ("run --rate NaN", &["invalid value for rate: \"NaN\""]),
            ("run --duration 0", &["duration is 0"]),
            ("run --duration -5s", &["invalid value for duration: \"-5s\"", "90s"]),
            ("run --duration 10", &["invalid value for duration: \"10\""]),
            ("run --duration 31d", &["invalid value for duration: \"31d\""]),
            ("run --duration ''", &["invalid value for duration: \"\""]),
            ("run --ramp-up -1s", &["invalid value for ramp_up: \"-1s\""]),
            ("run --ramp-down x", &["invalid value for ramp_down: \"x\""]),
            ("run --interval 1ms", &["interval is shorter than 100ms"]),
            ("run --drain 1", &["invalid value for drain: \"1\""]),
            ("run --transactions 0", &["invalid value for transactions: \"0\""]),
            ("run --attempts 0", &["invalid value for attempts: \"0\""]),
            ("run --backoff fast", &["invalid value for backoff: \"fast\""]),
            ("run --backlog 0 -r 5", &["invalid value for backlog: \"0\""]),
            ("run --workers 0", &["invalid value for workers: \"0\""]),
            ("run --seed -1", &["invalid value for seed: \"-1\""]),
            ("run --pacing fast", &["invalid value for pacing: \"fast\"", "x0.5"]),
            ("run --pacing x-1", &["invalid value for pacing: \"x-1\""]),
            ("run --set weights=1,2", &["invalid value for weights: \"1,2\"", "five numbers"]),
            ("run --set weights=0,0,0,0,0", &["not all zero"]),
            ("run --set warehouses", &["invalid value for --set: warehouses", "key=value"]),
            ("runs prune", &["prune needs a limit", "--keep 20"]),
            ("runs prune --keep -1", &["-1"]),
            ("runs prune --older-than 5", &["invalid duration \"5\"", "10m"]),
            ("runs prune --max-size x", &["x"]),
        ],
    );
}

#[test]
fn contradictions_and_gaps_tell_the_way_out() {
    each_fails(
        2,
        &[
            ("run --rate 5 --pacing spec", &["both a rate and a pacing", "--rate or --pacing"]),
            ("run -d 5s --transactions 9", &["both a duration", "--duration or --transactions"]),
            ("run --form pipelined", &["SQLite cannot", "--form sql"]),
            ("run --form procedures", &["SQLite cannot run stored routines", "--form sql"]),
            ("run tprocc noop extra", &["extra"]),
            ("prepare", &["workload is missing", "--workload"]),
            ("prepare tprocc", &["target is missing", "--target"]),
            ("runs tag latest", &["<TAG>"]),
            ("check tprocc noop", &["stores no data"]),
            ("config path", &["tacho.toml was not found"]),
            ("config check", &["tacho.toml was not found"]),
            ("run --config nowhere.toml", &["nowhere.toml", "No such file"]),
        ],
    );
}

#[test]
fn wrong_targets_tell_what_a_target_is() {
    each_fails(
        2,
        &[
            ("prepare tprocc sqlite", &["does not specify a file", "sqlite:bench.db"]),
            ("prepare tprocc sqlite::memory:", &["in memory"]),
            ("prepare tprocc 'sqlite:x.db?jurnal_mode=wal'", &["\"jurnal_mode\"", "journal_mode"]),
            ("prepare tprocc 'sqlite:x.db?journal_mode=wall'", &["\"wall\"", "wal"]),
            ("prepare tprocc 'sqlite:x.db?cache_mb=0'", &["invalid value for cache_mb: \"0\""]),
            ("prepare tprocc 'sqlite:x.db?cache_mb'", &["\"cache_mb\" has no value"]),
            (
                "prepare tprocc 'sqlite:x.db?busy_timeout=5'",
                &["invalid value for busy_timeout: \"5\""],
            ),
            ("run tprocc 'sim:?latncy=1ms'", &["\"latncy\"", "latency"]),
            ("run tprocc 'sim:?errors=200%'", &["invalid errors \"200%\""]),
            ("run tprocc 'sim:?stall=2s&stall_every=1s'", &["stall"]),
            ("run tprocc sim:place", &["\"place\""]),
            ("run tprocc noop:place", &["\"place\""]),
            ("run tprocc 'noop:?x=1'", &["unknown target option \"x\""]),
            ("run tprocc 'print:?x=1'", &["unknown target option \"x\""]),
            ("run tprocc ':x'", &["invalid target"]),
            ("run tprocc ''", &["invalid target"]),
        ],
    );
}

#[test]
fn wrong_thresholds_tell_the_metrics() {
    each_fails(
        2,
        &[
            ("run --threshold p95", &["invalid threshold \"p95\"", "errors<0.1%"]),
            ("run --threshold 'p96<5ms'", &["unknown metric \"p96\"", "p95"]),
            ("run --threshold 'nw_order.p95<5ms'", &["\"nw_order\"", "new_order"]),
            ("run --threshold 'new_order.p59<5ms'", &["new_order.p59", "p50"]),
            ("run --threshold 'p95<5'", &["invalid value \"5\" for p95", "50ms"]),
            ("run --threshold 'errors<1'", &["invalid value \"1\"", "0.1%"]),
            ("run --threshold 'nopm>-5'", &["invalid value \"-5\"", "5k"]),
            ("run tprocc noop --threshold 'p95<5ms' --threshold x", &["invalid threshold \"x\""]),
        ],
    );
}

#[test]
fn data_that_is_not_there_is_told_with_the_command_that_makes_it() {
    each_fails(
        3,
        &[
            (
                "run tprocc sqlite:x.db",
                &["file x.db does not exist", "tacho prepare tprocc sqlite:x.db"],
            ),
            ("run tprocc sqlite:x.db -s 7", &["tacho prepare tprocc sqlite:x.db --scale 7"]),
            ("check tprocc sqlite:x.db", &["file x.db does not exist", "tacho prepare"]),
            ("clean tprocc sqlite:x.db --yes", &["file x.db does not exist"]),
            ("run tprocc 'sqlite:x.db?mode=ro'", &["file x.db does not exist"]),
            ("run tprocc sqlite:none/x.db", &["directory none does not exist", "mkdir -p none"]),
            (
                "prepare tprocc sqlite:none/x.db",
                &["directory none does not exist", "mkdir -p none"],
            ),
            ("prepare tprocc sqlite:.", &[". is a directory"]),
        ],
    );
}

#[test]
fn unknown_runs_tell_the_nearest() {
    let folder = Folder::new();
    folder.tacho("show").exits(2).is_error().complains(&["no runs yet", "tacho run"]);
    folder.tacho("run tprocc noop -d 1s --ramp-up 0s").exits(0);
    let id = folder.record("latest")["id"].as_str().expect("an id").to_owned();
    let table = [
        ("show nosuchrun", id.as_str()),
        ("show latest~1", "not found: the store has 1 run"),
        ("show latest~x", "latest~1"),
        ("show ''", &id),
        ("runs tag nosuchrun x", &id),
        ("runs note nosuchrun x", &id),
        ("runs tag latest absent --remove", "has no tag \"absent\""),
    ];
    for (line, text) in table {
        folder.tacho(line).exits(2).is_error().complains(&[text]);
    }
    for tag in ["latest", "latest~1", "a b", "a,b", ""] {
        folder.tacho(&format!("runs tag latest '{tag}'")).exits(2).complains(&["cannot be a tag"]);
    }
    assert_eq!(folder.record("latest")["tags"], serde_json::json!([]));
}

#[test]
fn the_environment_is_checked_too() {
    let folder = Folder::new();
    let table = [
        ("TACHO_SESSION", "5", "TACHO_SESSIONS"),
        ("TACHO_NONSENSE", "", "did you mean TACHO_"),
        ("TACHO_SESSIONS", "-5", "environment, TACHO_SESSIONS: invalid value for sessions: \"-5\""),
        (
            "TACHO_DURATION",
            "soon",
            "environment, TACHO_DURATION: invalid value for duration: \"soon\"",
        ),
        ("TACHO_TARGET", "sqlit:x", "sqlite"),
        ("TACHO_WORKLOAD", "tproc", "tprocc"),
        ("TACHO_CONFIG", "nowhere.toml", "nowhere.toml"),
        ("TACHO_THRESHOLD", "p95<1s;p96<1s", "unknown metric \"p96\""),
    ];
    for (name, value, text) in table {
        let done = folder.tacho("run").env(name, value).exits(2);
        done.is_error().complains(&[text]);
    }
    // An empty variable counts as not set.
    folder.tacho("run tprocc noop -d 1s --ramp-up 0s -o quiet").env("TACHO_DIR", "").exits(0);
    assert_eq!(folder.names(), ["tacho-data"]);
}

#[test]
fn wrong_files_of_settings_are_told() {
    let table = [
        ("x = ", "TOML"),
        ("[runs.a]\nduration = \"1s\"", "unknown section \"runs\""),
        ("[run.a]\nsesions = 1", "did you mean sessions"),
        ("[run.a]\nsessions = 0", "invalid value for sessions: \"0\""),
        ("[run.a]\nduration = 10", "invalid value for duration: \"10\""),
        ("[run.a]\ncheck = [\"after\"]", "check"),
        ("[defaults]\nprofil = \"spec\"", "did you mean profile"),
        ("[run.a]\ntable_size = 9", "use set = { table_size = \"VALUE\" }"),
        ("[targets.b]\nurll = \"noop\"", "did you mean url"),
        ("[targets.b]", "targets.b has no url"),
        ("[targets]\nb = \"noop\"", "targets.b is not a table"),
    ];
    for (text, expected) in table {
        let folder = Folder::new();
        folder.write("tacho.toml", text);
        for line in ["run -d 1s", "config check", "config show", "list targets"] {
            let done = folder.tacho(line).exits(2);
            done.complains(&["tacho.toml", expected]);
        }
        assert_eq!(folder.names(), ["tacho.toml"]);
    }
    let folder = Folder::new();
    folder.write("tacho.toml", "[run.nightly]\n[targets.bench]\nurl = \"noop\"\n");
    folder.tacho("run nigtly").exits(2).is_error().complains(&["nightly"]);
    folder.tacho("run tprocc bnch").exits(2).is_error().complains(&["bench"]);
    folder.tacho("config show nightli").exits(2).is_error().complains(&["nightly"]);
}

#[test]
fn an_export_that_cannot_be_written_is_found_before_the_run() {
    let folder = ONE.folder();
    folder.write("kept.json", "precious");
    let before = folder.names();
    let table = [
        ("--export none/x.json", 2, "cannot create none/x.json"),
        ("--export kept.json --export none/x.json", 2, "cannot create none/x.json"),
        ("--export new.txt --export none/x.json", 2, "cannot create none/x.json"),
        ("--export . ", 2, "unknown file format"),
        ("--export x.pdf", 2, ".json, .txt, .html"),
        ("--export kept.json --threshold x", 2, "invalid threshold \"x\""),
        ("--export kept.json --export new.txt --scale 2", 3, "contains tprocc at scale 1"),
    ];
    for (flags, code, text) in table {
        let done = folder.tacho(&format!("run tprocc sqlite:a.db {flags}")).exits(code);
        done.is_error().complains(&[text]);
        // If a run cannot start, earlier results must remain unchanged, and no files may be left behind.
        assert_eq!(folder.names(), before, "{flags}");
        assert_eq!(folder.read("kept.json"), b"precious", "{flags}");
    }
    assert_eq!(Data::open(&folder.file("a.db")).number("SELECT count(*) FROM history"), 30_000);
}

#[test]
fn data_of_another_workload_is_named_and_stays() {
    let folder = ONE.folder();
    let done = folder.tacho("prepare tpcb sqlite:a.db").exits(3);
    done.is_error().complains(&["contains tprocc at scale 1", "but tpcb", "tacho clean tprocc"]);
    folder.tacho("check tprocc sqlite:a.db").exits(0);
}

#[test]
fn clean_asks_where_nobody_can_answer() {
    let folder = ONE.folder();
    let done = folder.tacho("clean tprocc sqlite:a.db").exits(2);
    done.is_error().complains(&["This removes: warehouse, district", "--yes"]);
    folder.tacho("check tprocc sqlite:a.db").exits(0);
    folder.tacho("clean tprocc sqlite:a.db --yes").exits(0).says(&["Removed", "order_line"]);
    assert!(Data::open(&folder.file("a.db")).tables().is_empty());
    folder.tacho("clean tprocc sqlite:a.db --yes").exits(0).says(&["nothing to do"]);
    folder.tacho("run tprocc sqlite:a.db").exits(3).is_error().complains(&["contains no data"]);
}
