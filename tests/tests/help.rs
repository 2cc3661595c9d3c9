//! Tests commands that only describe the program, such as `--help`. They must not change any files.

use serde_json::Value;
use tacho_tests::Folder;

/// All commands. The flag is true if a command takes arguments, in which case its help must contain an example.
const COMMANDS: &[(&str, bool)] = &[
    ("", true),
    ("doctor", true),
    ("run", true),
    ("prepare", true),
    ("check", true),
    ("clean", true),
    ("generate", true),
    ("describe", true),
    ("list", true),
    ("runs", true),
    ("runs list", false),
    ("runs tag", true),
    ("runs note", true),
    ("runs repair", true),
    ("runs prune", true),
    ("runs export", true),
    ("runs import", true),
    ("show", true),
    ("timing", true),
    ("compare", true),
    ("attribute", true),
    ("report", true),
    ("trend", true),
    ("serve", true),
    ("watch", true),
    ("agent", true),
    ("sweep", true),
    ("pipeline", true),
    ("restore", true),
    ("up", true),
    ("down", true),
    ("hammerdb", true),
    ("init", true),
    ("import", true),
    ("config", false),
    ("config show", true),
    ("config path", false),
    ("config check", false),
    ("config trust", true),
    ("schema", true),
    ("completions", true),
    ("man", true),
    ("version", false),
];

#[test]
fn every_command_has_help_with_examples() {
    let folder = Folder::new();
    for (command, examples) in COMMANDS {
        let done = folder.tacho(&format!("{command} --help")).exits(0);
        done.says(&["Usage: tacho", "--dir <FOLDER>"]);
        assert_eq!(done.err, "", "{command}");
        if *examples {
            done.says(&["Examples:\n  tacho "]);
        }
        assert!(done.out.lines().all(|line| line.chars().count() <= 100), "{}", done.out);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn the_table_above_has_every_command() {
    let folder = Folder::new();
    let is_known = |name: &str| COMMANDS.iter().any(|(command, _)| *command == name);
    for parent in ["", "runs", "config"] {
        let help = folder.tacho(&format!("{parent} --help")).exits(0).out;
        let before = help.lines().take_while(|line| !line.ends_with("ptions:"));
        let listed = before.filter(|line| line.starts_with("  "));
        let names = listed.filter_map(|line| line.split_whitespace().next());
        for name in names.filter(|name| *name != "help") {
            let command = format!("{parent} {name}");
            assert!(is_known(command.trim()), "no test knows tacho {command}");
        }
    }
}

/// `-h` prints the common options; `--help` prints all of them.
#[test]
fn the_short_help_is_a_part_of_the_whole() {
    let folder = Folder::new();
    for (command, _) in COMMANDS {
        let whole = folder.tacho(&format!("{command} --help")).exits(0).out;
        let short = folder.tacho(&format!("{command} -h")).exits(0).out;
        assert!(short.lines().count() <= whole.lines().count(), "{command}");
        assert!(!short.contains("Examples:"), "{command}");
        let options = |help: &str| -> Vec<String> {
            let words = help.split_whitespace().filter(|word| word.starts_with("--"));
            words.map(|word| word.trim_end_matches(',').to_owned()).collect()
        };
        let all = options(&whole);
        for option in options(&short) {
            assert!(all.contains(&option), "{command}: {option}");
        }
    }
    let short = folder.tacho("run -h").exits(0);
    short.says(&["--sessions", "--duration", "--threshold", "--help prints all options"]);
    assert!(!short.out.contains("--check-sessions") && short.out.lines().count() < 76);
    folder.tacho("run --help").exits(0).says(&["--check-sessions", "--backlog"]);
}

#[test]
fn the_help_of_run_names_every_exit_code_and_default() {
    let folder = Folder::new();
    folder.tacho("--help").exits(0).says(&[
        "0 done",
        "2 usage",
        "4 run INVALID",
        "130 stopped by Ctrl-C",
        "143 by SIGTERM",
    ]);
    let run = folder.tacho("run --help").exits(0);
    run.says(&["--sessions", "[default: 10s]", "[default: 42]", "[poisson, uniform]"]);
    // A million is 1M, because 1m is a minute.
    run.says(&["counted [default: 1M]", "no limit [default: 1m]"]);
}

#[test]
fn the_tool_describes_itself() {
    let folder = Folder::new();
    let table: &[(&str, &[&str])] = &[
        ("version", &["tacho 0.", "sqlite", "tprocc"]),
        ("--version", &["tacho 0."]),
        ("describe tprocc", &["hammerdb", "warehouses", "Deviations", "5.2.4", "payment_adds"]),
        ("describe sqlite", &["SQLite", "busy_timeout", "synchronous", "Tested with"]),
        ("describe postgres", &["Storage options (--storage key=value)", "fillfactor"]),
        ("describe sim", &["virtual time", "latency"]),
        ("describe tprocc --sql sqlite", &["-- stock_", "SELECT", "UPDATE district"]),
        (
            "list",
            &["drivers\n  sqlite", "workloads\n  tprocc", "targets\n  none", "servers\n  none"],
        ),
        ("list drivers", &["sqlite", "noop", "print", "sim"]),
        ("list workloads", &["tprocc", "warehouses"]),
        ("completions bash", &["_tacho()", "--ramp-up"]),
        ("completions zsh", &["#compdef tacho"]),
        ("completions fish", &["complete -c tacho"]),
        ("config show", &["duration          10s", "sessions          1"]),
    ];
    for (line, texts) in table {
        let done = folder.tacho(line).exits(0);
        done.says(texts);
        assert_eq!(done.err, "", "{line}");
    }
    assert!(folder.names().is_empty());
}

#[test]
fn lists_and_descriptions_are_json_on_request() {
    let folder = Folder::new();
    let table = [
        ("version", "/drivers/0"),
        ("list", "/drivers/0/name"),
        ("list drivers", "/0/name"),
        ("list workloads", "/0/about"),
        ("describe tprocc", "/parameters/0/key"),
        ("describe sqlite", "/capabilities/stores_data"),
        ("config show", "/sessions/origin"),
    ];
    for (line, pointer) in table {
        let answer = folder.tacho(&format!("{line} --output json")).exits(0).json();
        assert!(answer.pointer(pointer).is_some(), "{line}: {answer}");
    }
    assert_eq!(folder.tacho("list targets -o json").exits(0).json(), Value::Array(Vec::new()));
    assert_eq!(folder.tacho("runs list -o json").exits(0).json(), Value::Array(Vec::new()));
}

#[test]
fn config_shows_where_each_value_comes_from() {
    let folder = Folder::new();
    let file = "[targets.bench]\nurl = \"sqlite:a.db\"\n\
                [defaults]\nramp_up = \"3s\"\nsessions = 2\n\
                [run.nightly]\nsessions = 3\nduration = \"7s\"\nrate = 50\n";
    folder.write("tacho.toml", file);
    let call = folder.tacho("config show nightly --origin -r 60 -t bench");
    let done = call.env("TACHO_DURATION", "8s").env("TACHO_TAG", "a;b").exits(0);
    let row = |key: &str| {
        let line = done.out.lines().find(|line| line.split_whitespace().next() == Some(key));
        line.unwrap_or_else(|| panic!("no {key} in {}", done.out)).to_owned()
    };
    for (key, value, origin) in [
        ("rate", "60", "command line"),
        ("target", "bench", "command line"),
        ("duration", "8s", "environment, TACHO_DURATION"),
        ("tag", "a; b", "environment, TACHO_TAG"),
        ("sessions", "3", "tacho.toml, [run.nightly]"),
        ("ramp_up", "3s", "tacho.toml, [defaults]"),
        ("interval", "1s", "default"),
    ] {
        let row = row(key);
        assert!(row.contains(&format!(" {value} ")) && row.ends_with(origin), "{row}");
    }
    folder.tacho("config path").exits(0).says(&["tacho.toml"]);
    folder.tacho("config check").exits(0).says(&["is valid"]);
    folder.tacho("list targets").exits(0).says(&["bench", "sqlite:a.db"]);
    folder.tacho("run nightly bench --dry-run -d 9s -o quiet").exits(0);
}

#[test]
fn a_dry_run_shows_the_plan_and_touches_nothing() {
    let folder = Folder::new();
    let run = folder.tacho("run --dry-run -s 3 -c 5 -d 1h --threshold 'p99<1s'").exits(0);
    run.says(&["3 warehouses", "sessions                 5", "1h", "p99<1s", "Again"]);
    let json = folder.tacho("run tprocc noop --dry-run -r 5k -o json").exits(0).json();
    assert_eq!(json["plan"]["rate_per_s"], 5000.0);
    assert_eq!(json["result"], Value::Null);
    let prepare = folder.tacho("prepare tprocc sqlite:new.db -s 10 --dry-run").exits(0);
    prepare.says(&["10 warehouses", "9 tables", "seed 42"]);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn without_a_terminal_there_is_no_colour() {
    let folder = Folder::new();
    for line in ["run tprocc noop -d 1s --ramp-up 0s", "show", "run tprocc nope", "--help"] {
        for (name, value) in [("NO_COLOR", "1"), ("TERM", "xterm-256color"), ("CI", "true")] {
            let done = folder.tacho(line).env(name, value).done();
            assert!(!done.out.contains('\u{1b}') && !done.err.contains('\u{1b}'), "{line}");
        }
    }
}
