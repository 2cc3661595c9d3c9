//! Files named by the user, which may have any size and type.

use tacho_tests::{Folder, Signal};

/// Creates a two-gigabyte file that takes up no disk space.
fn make_large(folder: &Folder, name: &str) {
    folder.shell(&format!("truncate -s 2G {name}")).exits(0);
}

fn make_pipe(folder: &Folder, name: &str) {
    folder.shell(&format!("rm -f {name} && mkfifo {name}")).exits(0);
}

#[test]
fn a_file_that_is_too_large_is_rejected_with_its_limit() {
    let folder = Folder::new();
    for name in ["large.toml", "cert.pem", "bundle", "load.csv", "large.tcl"] {
        make_large(&folder, name);
    }
    for (command, limit) in [
        ("config check --config large.toml", "1 MiB"),
        ("pipeline large.toml --dry-run", "1 MiB"),
        ("run tpcb sim --load 'file: load.csv'", "1 MiB"),
        ("serve --tls-cert cert.pem --tls-key cert.pem", "16 MiB"),
        ("run pgbench:large.toml sim", "1 MiB"),
        ("hammerdb auto large.tcl", "1 MiB"),
        ("import hammerdb large.tcl", "1 MiB"),
        ("serve --tls-cert cert.pem --tls-key cert.pem", "16 MiB"),
    ] {
        let done = folder.tacho(command).done();
        assert!(matches!(done.code(), 2 | 3), "{command}: {}", done.code());
        done.complains(&["larger than", limit]);
    }
    let bundle = folder.tacho("runs import bundle").done();
    assert!(matches!(bundle.code(), 2 | 3), "{}", bundle.code());
    bundle.is_error();
}

#[test]
fn a_record_that_is_too_large_is_named_and_hides_no_other() {
    let folder = Folder::new();
    let run = "run tpcb sim -d 1s --ramp-up 0s --progress none -o quiet";
    folder.tacho(run).exits(0);
    folder.tacho(run).exits(0);
    folder.tacho("sweep tpcb sim -d 1s --ramp-up 0s --vary sessions=1,2 --progress none").exits(0);
    let first = folder.runs().swap_remove(0);
    let id = first.to_string_lossy().rsplit('-').next().expect("an id").to_owned();
    folder.shell(&format!("truncate -s 2G {}", first.join("run.json").display())).exits(0);
    folder.shell("truncate -s 2G tacho-data/sweeps/*.json").exits(0);
    folder.tacho(&format!("show {id}")).done().is_error().complains(&["larger than 64 MiB"]);
    folder.tacho("sweep --show latest").done().complains(&["larger than 64 MiB"]);
    let other = &folder.runs()[1];
    let id = other.to_string_lossy().rsplit('-').next().expect("an id").to_owned();
    folder.tacho(&format!("show {id}")).exits(0);
}

/// Every error about a file contains a hint.
#[test]
fn a_file_without_valid_content_is_an_error_with_a_hint() {
    let folder = Folder::new();
    folder.tacho("prepare tpcb sqlite:a.db --progress none -o quiet").exits(0);
    let run = "run tpcb sqlite:a.db --transactions 20 --ramp-up 0s --check none --verify commits";
    folder.tacho(&format!("{run} --progress none -o quiet")).done();
    folder
        .shell("mkdir shop && touch shop/workload.toml && touch x.sql && ln -s x.log x.log")
        .exits(0);
    let write = |name: &str| {
        let path = folder.runs()[0].join(name);
        folder.shell(&format!("echo 'Tag=all,0.1,0.1,0.1,HISTFAAA' > {}", path.display())).exits(0);
    };
    ["intervals.jsonl.zst", "histograms.hlog", "commits.bin"].into_iter().for_each(write);
    for command in [
        "show latest --timeline",
        "timing latest",
        "check tpcb sqlite:a.db --commits latest",
        "run pgbench:x.sql sim",
        "run ./shop sim",
        "run replay:x.log sim",
    ] {
        let done = folder.tacho(command).done();
        assert!(matches!(done.code(), 2 | 3), "{command}: {}", done.code());
        done.is_error();
    }
}

#[test]
fn a_pipe_in_place_of_a_file_is_rejected_at_once() {
    let folder = Folder::new();
    for name in ["pipe", "key.pem"] {
        make_pipe(&folder, name);
    }
    for command in [
        "run tpcb sim --load 'file: pipe'",
        "runs import pipe",
        "serve --tls-cert key.pem --tls-key key.pem",
        "run replay:pipe sim",
    ] {
        let done = folder.tacho(command).done();
        assert!(matches!(done.code(), 2 | 3), "{command}: {}", done.code());
        done.complains(&["not a regular file"]);
    }
    let agent = "agent --nats nats://127.0.0.1:1 --nats-token-file pipe";
    let done = folder.tacho(agent).done();
    assert!(matches!(done.code(), 2 | 3), "{}", done.code());
    done.is_error().complains(&["pipe"]);
    folder.shell("mkdir -p tacho-data/servers && mkfifo tacho-data/servers/pg.json").exits(0);
    folder.tacho("list servers").done().is_error();
    folder.tacho("down pg").done().is_error();
}

/// Files that are read only once may also be pipes.
#[test]
fn settings_come_from_a_pipe_or_the_standard_input() {
    let folder = Folder::new();
    folder.write("own.toml", "[run.own]\nworkload = \"tpcb\"\ntarget = \"sim\"\nsessions = 3\n");
    let input = folder.file("own.toml");
    folder.tacho("config check --config -").input(&input).exits(0).says(&["is valid"]);
    let shown = folder.tacho("config show own --config /dev/stdin").input(&input).exits(0);
    shown.says(&["3"]);
    make_pipe(&folder, "pipe");
    folder.shell("(cat own.toml > pipe) > /dev/null 2>&1 &").exits(0);
    folder.tacho("run own --config pipe --dry-run").exits(0);
    folder.write("endless.toml", &"# nothing\n".repeat(200_000));
    let done = folder.tacho("config check --config -").input(&folder.file("endless.toml")).exits(2);
    done.complains(&["larger than 1 MiB"]);
    folder.tacho("config check --config /dev/zero").exits(2).complains(&["larger than 1 MiB"]);
}

/// No process writes to the pipe, so the command waits until it gets a signal.
#[test]
fn a_pipe_without_a_writer_is_left_at_a_signal() {
    let folder = Folder::new();
    make_pipe(&folder, "pipe");
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        for command in
            ["config check --config pipe", "pipeline pipe --dry-run", "run pgbench:pipe sim"]
        {
            let run = folder.tacho(command).start();
            waits(&run);
            run.signal(signal);
            run.wait().expect_code(code);
        }
    }
}

/// Waits until a command has installed its signal handlers and is blocked on the pipe.
#[expect(clippy::disallowed_methods, reason = "nothing tells that a command waits for a pipe")]
fn waits(_: &tacho_tests::Running) {
    std::thread::sleep(std::time::Duration::from_millis(700));
}

#[test]
fn many_runs_are_checked_in_a_time_that_grows_with_their_number() {
    let folder = Folder::new();
    let spent = [1_000, 8_000].map(|count| {
        let runs = (0..count).map(|n| format!("[run.r{n}]\nworkload = \"tpcb\"\n"));
        let runs = runs.collect::<Vec<_>>().concat();
        folder.write("tacho.toml", &format!("[targets.t]\nurl = \"sim:\"\n{runs}"));
        let done = folder.shell("$TACHO config check && times").exits(0);
        done.says(&["is valid"]);
        // The last line of the output shows the CPU time of the shell's child processes, for example 0m0.31s 0m0.02s.
        let times = done.out.lines().last().expect("the CPU time").split_whitespace();
        times.map(seconds).sum::<f64>()
    });
    // With eight times as many runs, a linear algorithm takes 8 times as long, and a quadratic one 64 times.
    assert!(spent[1] < 24.0 * spent[0], "{spent:?}");
}

/// Parses a duration such as 0m0.31s.
fn seconds(text: &str) -> f64 {
    let (minutes, seconds) = text.trim_end_matches('s').split_once('m').expect(text);
    let number = |text: &str| text.parse::<f64>().expect(text);
    60.0 * number(minutes) + number(seconds)
}

#[test]
fn a_line_of_the_standard_input_is_limited() {
    let folder = Folder::new();
    let long = "yes $(printf '{%.0s' $(seq 9999)) |";
    for (before, after) in [("", "< /dev/zero"), (long, "")] {
        let script = format!("ulimit -v 1500000; {before} \"$TACHO\" hammerdb {after}");
        folder.shell(&script).exits(2).complains(&["larger than 1 MiB", "hint: "]);
    }
}
