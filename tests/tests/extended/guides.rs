//! Runs all commands of the guides in their order. Only durations, scales and names that a reader has to choose are
//! replaced.
//!
//! Start reading at [`PAGES`].

#![expect(clippy::disallowed_methods, reason = "the documents lie beside the tests, not in a run")]

use std::path::Path;

use tacho_tests::{Folder, Terminal};

/// A guide in the documentation, and the state in which its readers start.
struct Page {
    name: &'static str,
    /// `sh` commands that create this state.
    before: &'static str,
    /// Names that readers replace with names of their own, each with the name that replaces it here.
    names: &'static [(&'static str, &'static str)],
}

const fn page(name: &'static str, before: &'static str) -> Page {
    Page { name, before, names: &[] }
}

/// Commands that make four short runs on the simulated database, and tag two of them `before` and two `after`.
const RUNS: &str = "
    for i in a b; do
      tacho run tprocc sim -d 30s --check none --tag before --tag baseline$i --tag 7q1$i
      tacho run tprocc sim -d 30s --check none --tag after --tag 7q3$i --seed 43
    done
    tacho runs tag latest~1 baseline 7q3f";
/// Commands that make four short runs on a database, and tag two of them `before` and two `after`.
const PAIRS: &str = "
    for i in a b; do
      tacho run tprocc pg -d 1s --check none --tag before --tag baseline$i
      tacho run tprocc pg -d 1s --check none --tag after
    done
    tacho runs tag latest~1 baseline";
/// Two sweeps over the same values.
const SWEEPS: &str = "
    tacho sweep tprocc sim --vary sessions=1,2 -d 20s --check none
    tacho sweep tprocc sim --vary sessions=1,2 -d 20s --check none";
const SQLITE: &str = "tacho prepare tprocc sqlite:bench.db";
/// Commands that prepare a database file and give it the target name `pg`. Setting up a server is not the topic of
/// these guides, so a file takes its place.
const NAMED: &str = "
    printf '[targets.pg]\\nurl = \"sqlite:pg.db?synchronous=off\"\\n' > tacho.toml
    tacho prepare tprocc pg";

const PAGES: &[Page] = &[
    page("answering-a-question", ""),
    Page {
        name: "before-measuring",
        before: "tacho up postgres; tacho prepare tpcb sqlite:bench.db",
        names: &[("postgres://bench@db1/bench --sessions 500", "pg --sessions 50")],
    },
    Page {
        name: "comparing-runs",
        before: "SWEEPS NAMED PAIRS",
        names: &[("7q1a,7q1b", "tag:before"), ("7q3f,7q3g", "tag:after")],
    },
    Page { name: "failover", before: "", names: &[("-d 20s", "-d 3s"), ("at=8s", "at=1s")] },
    Page { name: "replicas", before: "", names: &[("-d 20s", "-d 3s")] },
    page("changing-loads", "printf '0,200/s\\n30,600/s\\n45s,0/s\\n1m,end\\n' > rates.csv"),
    page("crowds-and-pools", ""),
    page("first-measurement", ""),
    // The server must be able to read the files, although it runs as a different user.
    Page {
        name: "flat-files",
        before: "tacho up postgres; chmod 755 .",
        names: &[("postgres://bench@localhost/bench", "pg")],
    },
    Page {
        name: "hammerdb-scripts",
        before: "printf 'puts hello\\n' > pg_tprocc_run.tcl; printf 'print(\"hello\")\\n' > pg_tprocc_run.py",
        names: &[],
    },
    page(
        "in-ci",
        "printf '[targets.bench]\\nurl = \"sqlite:bench.db\"\\n[run.ci]\\nworkload = \"tprocc\"\\ntarget = \"bench\"\\nduration = \"1s\"\\n' > tacho.toml",
    ),
    page("install", ""),
    Page {
        name: "hosts",
        before: "tacho up postgres; tacho prepare tprocc pg",
        names: &[(
            "0.0.0.0:4101 --allow-host db1 --tls-cert db1.pem --tls-key db1.key",
            "127.0.0.1:0",
        )],
    },
    Page {
        name: "isolation",
        before: "",
        names: &[
            ("'postgres://me@db1/bench?isolation=serializable'", "pg"),
            ("-d 30s", "-d 3s"),
            ("at=8s", "at=1s"),
        ],
    },
    page("live-view", "SQLITE"),
    page(
        "packs",
        "mkdir own; printf 'name = \"own\"\ntitle = \"Own\"\nbase = \"sqlite\"\ntested = \"nothing\"\n[capabilities]\ncounters = false\n' > own/pack.toml",
    ),
    Page {
        name: "pgbench",
        before: "printf 'SELECT :size;\\n' > script.sql\nprintf 'SELECT 1;\\n' > read.sql\nprintf 'SELECT 2;\\n' > write.sql",
        names: &[("TARGET", "sqlite:bank.db")],
    },
    page(
        "pipelines",
        "printf 'baseline = \"a\"\\nrepeat = 1\\nfail_on = \"never\"\\n[servers.a]\\ntarget = \"sim\"\\n[servers.b]\\ntarget = \"noop\"\\n[workloads.tpcb.run]\\nduration = \"1s\"\\nramp_up = \"0s\"\\n' > nightly.toml",
    ),
    // Debian has no package of MySQL. If MySQL is installed, the tests of private servers start it.
    Page {
        name: "private-servers",
        before: "",
        names: &[
            ("up mysql", "up mariadb --name my"),
            ("innodb_redo_log_capacity=2G", "innodb_log_file_size=128M"),
        ],
    },
    page("profiles", ""),
    Page {
        name: "replay",
        before: "tacho prepare tpcb sqlite:copy.db\nprintf '2026-11-23 17:55:01.000 UTC,\"u\",\"shop\",7,\"[local]\",a.1,1,\"SELECT\",2026-11-23 17:55:00 UTC,3/4,0,LOG,00000,\"duration: 0.5 ms  statement: SELECT 1\",,,,,,,,,\"psql\",\"client backend\",,0\\n' > statements.csv\n\
                 for i in 1 2 3 4 5; do cat statements.csv statements.csv; done > more.csv; cat more.csv more.csv > statements.csv\n\
                 for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do printf '261123 17:55:01\\t     3 Query\\tSELECT 1\\n'; done > general.log\n\
                 for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do printf '2026-11-23 17:55:01 UTC psql u|shop 7 LOG:  statement: SELECT 1\\n'; done > postgresql.log",
        names: &[
            ("postgres://bench@db1/shop_copy", "sqlite:copy.db"),
            ("postgres://bench@db2/shop_copy", "sqlite:copy.db"),
            ("mariadb://bench@db1/shop_copy", "sqlite:copy.db"),
        ],
    },
    // The target may be the name of a private server.
    Page {
        name: "poolers",
        before: "tacho up postgres; printf '[targets.pool10]\\nurl = \"pg\"\\n[targets.pool40]\\nurl = \"pg\"\\n' > tacho.toml",
        names: &[
            ("postgres://postgres@127.0.0.1/tpcb", "pg"),
            ("'postgres://postgres@127.0.0.1:6432/tpcb?sslmode=disable' -c 200", "pg -c 2"),
            ("-c 200", "-c 2"),
        ],
    },
    Page { name: "reports", before: "printf 'It is.\\n' > why.md; RUNS SWEEPS", names: &[] },
    page("sweeps", "SQLITE"),
    page("time-profile", "RUNS"),
    page("trends", "NAMED"),
    page("web-view", "SQLITE"),
    page("your-own-workload", ""),
];

/// Pages without a command.
const SILENT: [&str; 1] = ["reading-the-summary"];

/// Values that would make the test too slow, and the values that replace them. The test does not check the results.
const SHORT: &[(&str, &str)] = &[
    ("--duration 2m", "--duration 1s"),
    ("--duration 1m", "--duration 1s"),
    ("--ramp-up 30s", "--ramp-up 0s"),
    ("--ramp-up 20s", "--ramp-up 0s"),
    ("--ramp-up 10s", "--ramp-up 0s"),
    ("--rate 200 -d 1m", "--rate 200 -d 4s"),
    ("-d 10m", "-d 2s"),
    ("-d 5m", "-d 1s"),
    ("-d 2m", "-d 1s"),
    ("-d 1m", "-d 1s"),
    ("tproch --scale 10", "tproch --scale 0.01"),
    ("--scale 1000", "--scale 1"),
    ("--scale 10", "--scale 1"),
    ("--repeat 6 --detect 3%", "--repeat 2 --detect 3%"),
    ("--repeat 4", "--repeat 2"),
    ("at=20s restart", "at=1s restart"),
    ("sessions=1,2,4,8,16", "sessions=1,2"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// A guard that removes the servers that a page has started, even if the test fails.
struct Servers<'a>(&'a Folder);

impl Drop for Servers<'_> {
    fn drop(&mut self) {
        self.0.tacho("down --all").done();
    }
}

/// Returns the commands on a page in order.
fn commands(name: &str) -> Vec<String> {
    let path = root().join(format!("docs/guides/{name}.md"));
    let text = std::fs::read_to_string(path).expect("a guide").replace("\\\n", " ");
    let blocks = text.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).filter(|line| line.starts_with("tacho "));
    lines.map(str::to_owned).collect()
}

/// Runs a command in a shell whose path contains `tacho`.
fn run(folder: &Folder, command: &str) -> tacho_tests::Done {
    folder
        .shell(&format!("set -e; tacho() {{ \"$TACHO\" \"$@\"; }}; CI_COMMIT=4f1c2a; {command}"))
        .env("TACHO_RAMP_UP", "0s")
        .env("TACHO_DURATION", "1s")
        .done()
}

/// Returns true if a command may exit with this code. Some exit codes depend on how fast the machine is.
fn is_fine(command: &str, code: i32) -> bool {
    let measures = command.starts_with("tacho run ") || command.starts_with("tacho sweep");
    let measures = measures || command == "tacho run";
    // A run may be INVALID, miss a threshold, or be too short. A comparison may find a change, or may be unable to
    // decide.
    let is_gate = command.contains("--fail-on");
    code == 0 || (measures && [4, 6, 8].contains(&code)) || (is_gate && [7, 9].contains(&code))
}

fn walk(page: &Page) {
    let folder = Folder::open();
    let _servers = Servers(&folder);
    let before =
        page.before.replace("RUNS", RUNS).replace("SWEEPS", SWEEPS).replace("PAIRS", PAIRS);
    let before = before
        .replace("NAMED ", &format!("{NAMED}\n"))
        .replace("NAMED", NAMED)
        .replace("SQLITE", SQLITE);
    let done = run(&folder, &before);
    assert!([0, 4].contains(&done.code()), "before {}: {}\n{}", page.name, done.out, done.err);
    let commands = commands(page.name);
    assert!(!commands.is_empty(), "{} has no command", page.name);
    let mut agents = Vec::new();
    for printed in commands {
        let changes = page.names.iter().chain(SHORT);
        let command = changes.fold(printed, |text, (from, to)| text.replace(from, to));
        if command.starts_with("tacho serve") {
            // This command runs until it is stopped.
            let mut server =
                folder.tacho(&command.replace("tacho serve", "serve --listen 127.0.0.1:0")).start();
            server.until_said(|line| line.starts_with("Open "));
            server.signal(tacho_tests::Signal::INT);
            server.wait().expect_code(130);
            continue;
        }
        if let Some(words) = command.strip_prefix("tacho agent") {
            let mut agent = folder.tacho(&format!("agent{words}")).start();
            if words.contains("--nats") {
                // Leave this agent running, because it waits for a run that the page starts later.
                agent.until_said(|line| line.starts_with("End "));
                agents.push(agent);
                continue;
            }
            agent.until_said(|line| line.starts_with("Observe "));
            agent.signal(tacho_tests::Signal::INT);
            agent.wait().expect_code(130);
            continue;
        }
        if command.contains("--progress tui") {
            let words = command.trim_start_matches("tacho ").split(" #").next().expect("the words");
            let ended = Terminal::start(&folder, words, (100, 30)).ends(0);
            assert!(ended.after.contains("VALID"), "{}: {}", page.name, ended.after);
            continue;
        }
        let done = run(&folder, &command);
        assert!(
            is_fine(&command, done.code()),
            "{}: {command}: {}\n{}\n{}",
            page.name,
            done.code(),
            done.out,
            done.err
        );
    }
    for agent in agents {
        agent.signal(tacho_tests::Signal::INT);
        agent.wait().expect_code(130);
    }
}

macro_rules! pages {
    ($($test:ident)*) => {
        $(#[test]
        fn $test() {
            let name = stringify!($test).replace('_', "-");
            walk(PAGES.iter().find(|page| page.name == name).expect("the table has the page"));
        })*

        /// The pages covered by this test.
        const TESTED: &[&str] = &[$(stringify!($test)),*];
    };
}

pages! {
    answering_a_question before_measuring changing_loads comparing_runs crowds_and_pools failover first_measurement flat_files
    hammerdb_scripts hosts in_ci install isolation live_view packs pgbench pipelines poolers private_servers profiles replay replicas reports
    sweeps time_profile trends web_view
    your_own_workload
}

/// Runs the commands on the reference pages.
#[test]
fn commands_of_the_reference() {
    walk(&Page {
        name: "../reference/chbench",
        before: "tacho prepare chbench sqlite:ch.db?synchronous=off --scale 1",
        names: &[
            ("chbench pg", "chbench sqlite:ch.db?synchronous=off"),
            ("streams=0,1,2,4 --duration 5m", "streams=0,1 --duration 1s"),
        ],
    });
}

/// Simulated runs have the same results on every machine, so the page must show these results.
#[test]
fn the_example_of_a_stall_has_the_figures_of_its_page() {
    let folder = Folder::new();
    let page = "../concepts/latency-and-service-time";
    let text = std::fs::read_to_string(root().join("docs/guides").join(format!("{page}.md")));
    let text = text.expect("the page");
    let commands = commands(page);
    assert_eq!(commands.len(), 2);
    for (command, rows) in commands.iter().zip([
        vec![("Latency", "closed: latency")],
        vec![("Service time", "open, 400/s: service time"), ("Latency", "open, 400/s: latency")],
    ]) {
        folder
            .shell(&format!("tacho() {{ \"$TACHO\" \"$@\"; }}; {command} --progress none"))
            .exits(0);
        // A number and its unit are separated by a space at which lines do not break. Replace it by an ordinary space.
        let shown =
            folder.tacho("show --transactions").exits(0).out.replace(['\u{a0}', '\u{202f}'], " ");
        for (table, row) in rows {
            let table = shown.split(&format!("{table} (")).nth(1).expect("the table");
            let all =
                table.lines().find(|line| line.trim_start().starts_with("all ")).expect("all");
            let line =
                text.lines().find(|line| line.starts_with(&format!("| {row} |"))).expect("a row");
            for figure in line.split('|').map(str::trim).skip(2).filter(|figure| !figure.is_empty())
            {
                assert!(all.contains(figure), "{row} has {figure}, and the run has {all}");
            }
        }
    }
}

/// Each page that contains commands must have a test here.
#[test]
fn pages_that_are_no_guides_have_no_other_commands() {
    for (folder, with_commands) in
        [("concepts", &["latency-and-service-time"][..]), ("reference", &["chbench"]), ("adr", &[])]
    {
        let entries = std::fs::read_dir(root().join("docs").join(folder)).expect("a folder");
        for entry in entries {
            let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
            let name = name.trim_end_matches(".md");
            let has = !commands(&format!("../{folder}/{name}")).is_empty();
            assert_eq!(has, with_commands.contains(&name), "{folder}/{name}");
        }
    }
}

/// The page must have a row for each line that `tacho doctor` can print about a machine, a client or a server.
#[test]
fn the_page_of_the_doctor_explains_each_line() {
    let folder = Folder::open();
    let _servers = Servers(&folder);
    folder.tacho("up postgres").exits(0);
    let path = root().join("docs/guides/before-measuring.md");
    let page = std::fs::read_to_string(path).expect("a guide");
    let answer = folder.tacho("doctor pg -o json").exits(0).json();
    let names = ["machine", "client"].iter().filter_map(|part| answer[part].as_array());
    let names = names.chain(answer["target"]["findings"].as_array()).flatten();
    let mut count = 0;
    for name in names.map(|finding| finding["name"].as_str().expect("a name")) {
        assert!(page.contains(&format!("`{name}`")) || is_driver(name), "{name} has no row");
        count += 1;
    }
    assert!(count > 18, "{count} lines");
}

/// Returns true if this is the name of a driver. The page has no row for each driver, because all drivers share one
/// row.
fn is_driver(name: &str) -> bool {
    [
        "postgres",
        "mysql",
        "duckdb",
        "odbc",
        "db2",
        "oracle",
        "timesten",
        "sqlserver",
        "noop",
        "print",
    ]
    .contains(&name)
}

/// The quick starts and the help pages, on SQLite and on private servers.
const STARTS: &[Page] = &[
    Page {
        name: "../quick-starts/postgresql",
        before: "tacho up postgres",
        names: &[
            ("postgres://bench@db1/bench", "pg"),
            ("--scale 100", "--scale 1"),
            ("--sessions 64", "--sessions 4"),
            ("--ramp-up 2m --duration 10m", "--ramp-up 0s --duration 1s"),
        ],
    },
    Page {
        name: "../quick-starts/mysql-mariadb",
        before: "tacho up mariadb",
        names: &[
            ("mysql://bench@db1/bench", "maria"),
            ("--scale 100", "--scale 1"),
            ("--sessions 64", "--sessions 4"),
            ("--ramp-up 2m --duration 10m", "--ramp-up 0s --duration 1s"),
        ],
    },
    page("../quick-starts/pgbench", ""),
    Page { name: "../quick-starts/sysbench", before: "", names: &[("-d 10s", "-d 1s")] },
    Page {
        name: "../help/sizing",
        before: "SQLITE\ntacho run tprocc sqlite:bench.db -d 1s --check none",
        names: &[("--scale 100", "--scale 1")],
    },
    page("../help/methodology", ""),
];

#[test]
fn commands_of_the_quick_starts() {
    STARTS.iter().for_each(walk);
}

#[test]
fn every_guide_is_here() {
    let entries = std::fs::read_dir(root().join("docs/guides")).expect("the guides");
    for entry in entries {
        let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
        let name = name.trim_end_matches(".md");
        let silent = SILENT.contains(&name);
        let tested = TESTED.contains(&name.replace('-', "_").as_str());
        assert!(tested != silent, "{name} is not in one of the lists");
        assert_eq!(commands(name).is_empty(), silent, "{name}");
    }
}

/// Pages that show output, and the commands that print this output.
const PRINTED: &[(&str, &str)] = &[
    ("../../README", "tacho run"),
    (
        "before-measuring",
        "tacho up postgres --set synchronous_commit=off; tacho doctor pg --sessions 500",
    ),
    (
        "changing-loads",
        "tacho run tprocc 'sim:?latency=2ms&capacity=8' --load 'steps: 4x20s, 16x20s' --check none",
    ),
    (
        "comparing-runs",
        "for ms in 4 6; do
           for i in 1 2; do
             tacho run tpcb \"sim:?latency=${ms}ms\" -c 4 -d 1m --check none --tag ms$ms
           done
         done
         tacho compare tag:ms4 tag:ms6",
    ),
    (
        "first-measurement",
        "tacho prepare tprocc sqlite:bench.db --scale 1; tacho check tprocc sqlite:bench.db",
    ),
    ("reading-the-summary", "tacho run"),
    (
        "sweeps",
        "tacho sweep tprocc 'sim:?latency=2ms&capacity=2' --vary sessions=1,2,4,8 -d 1m --check none
         tacho sweep tpcb 'sim:?latency=2ms&capacity=8&stall_every=47s&stall=60ms' -c 64 --find-max 'p99<50ms' -d 1m",
    ),
    ("time-profile", "tacho run tprocc sim -d 30s --check none; tacho timing"),
    (
        "trends",
        "for ms in 4 4 4 4 4 4 4 4 6 6 6 6 6 6 6 6; do
           tacho run tpcb \"sim:?latency=${ms}ms\" -d 1m --check none --tag nightly
         done
         tacho trend tag:nightly",
    ),
];

/// Lines that depend on the verdict, on the machine, on the server or on its version.
const NOT_COMPARED: [&str; 16] = [
    "VALID",
    "answer ",
    "cause ",
    "throughput   ✓ steady",
    "Target pg",
    "✓ transport",
    "Server time per transaction",
    "wait ",
    "IO:WALSync",
    "server.version",
    "slowest stream",
    "geometric mean",
    "q1 ",
    "CANNOT TELL",
    "NOPM of tag:nightly",
    "4  7 404",
];

/// Pages whose output other tests compare: two pages about HammerDB scripts, and the page about the live view.
const COMPARED_ELSEWHERE: [&str; 3] = ["hammerdb-scripts", "../quick-starts/hammerdb", "live-view"];

/// Returns the lines that a page shows as output.
fn printed_lines(name: &str) -> Vec<String> {
    let path = root().join(format!("docs/guides/{name}.md"));
    let text = std::fs::read_to_string(path).expect("a page");
    let blocks = text.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines).filter(|line| !line.starts_with("$ "));
    let is_compared =
        |line: &&str| !NOT_COMPARED.iter().any(|start| line.trim_start().starts_with(start));
    lines.filter(is_compared).map(str::to_owned).collect()
}

/// Returns the words of a line, without numbers, units, and names that contain digits.
fn plain_words(line: &str) -> Vec<&str> {
    const UNITS: [&str; 9] = ["ns", "µs", "ms", "s", "m", "MB", "kB", "MiB", "GiB"];
    let split = |c: char| !c.is_alphanumeric() && c != '_';
    let words = line.split(split).filter(|word| !word.is_empty() && !UNITS.contains(word));
    words.filter(|word| word.chars().all(|c| !c.is_numeric())).collect()
}

/// Returns true if a printed line contains the first word of `line` and at least two thirds of its words.
///
/// The other words may differ, because they can depend on the machine, such as a verdict, a target or a wait.
fn is_printed(line: &str, printed: &[Vec<&str>]) -> bool {
    let words = plain_words(line);
    let has = |line: &Vec<&str>| {
        let found = words.iter().filter(|word| line.contains(*word)).count();
        words.first().is_none_or(|first| line.contains(first)) && found * 3 >= words.len() * 2
    };
    printed.iter().any(has)
}

#[test]
fn output_on_the_pages_is_what_the_program_prints() {
    let compared = ["operations 1.5 ms per s", "of 24 checks all hold"];
    assert!(!is_printed("all 5 checks fail", &[plain_words(compared[0])]));
    assert!(is_printed("24 of 24 checks hold", &[plain_words(compared[1])]));
    let mut missing = Vec::new();
    for (name, more) in PRINTED {
        let lines = printed_lines(name);
        assert!(!lines.is_empty(), "{name} shows no output");
        let folder = Folder::open();
        let _servers = Servers(&folder);
        let done = run(&folder, &format!("set +e; {more}"));
        let output = format!("{}{}", done.out, done.err);
        let printed: Vec<Vec<&str>> = output.lines().map(plain_words).collect();
        missing.extend(
            lines
                .iter()
                .filter(|line| !is_printed(line, &printed))
                .map(|line| format!("{name}: {line}")),
        );
    }
    assert!(missing.is_empty(), "not printed:\n{}", missing.join("\n"));
}

/// Each page that shows output must have a test.
#[test]
fn pages_with_output_are_compared() {
    for folder in ["guides", "quick-starts", "concepts", "help"] {
        for entry in std::fs::read_dir(root().join("docs").join(folder)).expect("a folder") {
            let name = entry.expect("an entry").file_name().into_string().expect("UTF-8");
            let name = name.trim_end_matches(".md");
            let name =
                if folder == "guides" { name.to_owned() } else { format!("../{folder}/{name}") };
            let compared = PRINTED.iter().any(|(page, _)| **page == *name);
            let compared = compared || COMPARED_ELSEWHERE.contains(&name.as_str());
            assert_eq!(!printed_lines(&name).is_empty(), compared, "{name}");
        }
    }
}
