//! Tests what happens if a file that Tacho reads is replaced by any other kind of file. Memory use must stay bounded,
//! no command may wait forever, and errors must be clear.

#![expect(clippy::disallowed_methods, reason = "files are replaced")]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::{fs, io};

use super::trial::{Trial, expect_documented};

/// A file that Tacho reads.
struct Read {
    /// The file's path, relative to the folder of the trial. `RUN` stands for the folder of a run.
    path: &'static str,
    /// The commands that read the file.
    commands: &'static [&'static str],
    /// True if the file may be a pipe, which a command waits for.
    may_be_pipe: bool,
}

const fn regular(path: &'static str, commands: &'static [&'static str]) -> Read {
    Read { path, commands, may_be_pipe: false }
}

const fn pipe(path: &'static str, commands: &'static [&'static str]) -> Read {
    Read { path, commands, may_be_pipe: true }
}

const OF_RUN: &[&str] = &[
    "show latest",
    "runs list",
    "report latest --format md -o -",
    "timing latest",
    "show latest --timeline",
    "runs export a.tar.zst",
    "compare latest latest --force",
    "runs tag latest x",
    "trend",
    "runs repair RUNID",
];
const READ: [Read; 21] = [
    pipe(
        "own.toml",
        &["config check --config own.toml", "run tpcb sim --config own.toml --dry-run"],
    ),
    regular(
        "tacho.toml",
        &["config check", "run tpcb sim --dry-run", "list targets", "config trust"],
    ),
    pipe("steps.toml", &["pipeline steps.toml --dry-run"]),
    regular("load.csv", &["run tpcb sim --load 'file: load.csv'"]),
    regular("all.tar.zst", &["runs import all.tar.zst"]),
    regular("x.sql", &["run pgbench:x.sql sim", "describe pgbench:x.sql"]),
    regular("x.log", &["run replay:x.log sim --dry-run", "run replay:x.log sim"]),
    regular(
        "x.pem",
        &[
            "serve --tls-cert x.pem --tls-key x.pem",
            "check tpcb 'postgres://u@127.0.0.1:1/d?sslrootcert=x.pem&sslmode=verify-ca'",
        ],
    ),
    regular("token", &["agent --nats nats://127.0.0.1:1 --nats-token-file token"]),
    regular(
        "tacho-data/servers/pg.json",
        &["list servers", "down pg", "up pg", "restore", "run tpcb pg"],
    ),
    regular("tacho-data/web.json", &["watch"]),
    regular("tacho-data/journals/paused-pg.json", &["restore", "restore --list", "doctor"]),
    regular("RUN/run.json", OF_RUN),
    regular("RUN/intervals.jsonl.zst", OF_RUN),
    regular("RUN/histograms.hlog", OF_RUN),
    regular(
        "RUN/commits.bin",
        &["check tpcb sqlite:a.db --commits latest", "show latest", "runs export a.tar.zst"],
    ),
    regular("RUN/log.txt", OF_RUN),
    regular(
        "tacho-data/sweeps/2026-11-27T12-00-00-tpcb-sim-abcd.json",
        &["sweep --show latest", "runs list --sweeps", "sweep --resume latest"],
    ),
    regular("shop/workload.toml", &["run ./shop sim --dry-run", "describe ./shop"]),
    regular(
        "own/pack.toml",
        &["run tpcb own://h/d --pack own --dry-run", "describe own --pack own"],
    ),
    pipe("job.tcl", &["hammerdb auto job.tcl", "import hammerdb job.tcl"]),
];

/// Replaces a file by something random, such as a folder, a link or a pipe. Returns true if the result is a pipe that
/// nothing writes to.
fn replace(trial: &mut Trial, path: &Path) -> bool {
    let content = fs::read(path).unwrap_or_default();
    drop(fs::remove_file(path));
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let link = |to: &str| symlink(to, path).expect("a link");
    let what = match trial.below(10) {
        0 | 1 => {
            fs::File::create(path).and_then(|file| file.set_len(2 << 30)).expect("a sparse file");
            "2 GiB without data"
        }
        2 => {
            make_pipe(path).expect("a pipe");
            "a pipe"
        }
        3 => {
            link("/dev/zero");
            "/dev/zero"
        }
        4 => {
            link("/dev/null");
            "/dev/null"
        }
        5 => {
            fs::create_dir(path).expect("a folder");
            "a folder"
        }
        6 => {
            link(&path.display().to_string());
            "a link to itself"
        }
        7 => {
            link("/no/such/file");
            "a link to nothing"
        }
        8 => {
            let count = 1 + trial.below(20_000);
            fs::write(path, trial.bytes(count)).expect("a file");
            "random bytes"
        }
        _ => {
            let cut = trial.below(content.len() as u64 + 1) as usize;
            fs::write(path, &content[..cut]).expect("a file");
            if cut == 0 { "an empty file" } else { "a part of the file" }
        }
    };
    trial.note(what);
    what == "a pipe"
}

fn make_pipe(path: &Path) -> io::Result<()> {
    let made = std::process::Command::new("mkfifo").arg(path).status()?;
    if made.success() { Ok(()) } else { Err(io::Error::other("mkfifo failed")) }
}

/// Runs a command with at most 1 GB of address space. It is ended by SIGTERM after this number of seconds.
fn bounded(trial: &mut Trial, command: &str, seconds: u32, may_wait: bool) {
    let script = format!(
        "ulimit -v 1500000; exec timeout -k 30 -s TERM {seconds} \"$TACHO\" {command} < /dev/null"
    );
    let done = trial.folder.shell(&script).done();
    trial.note(format!("{command}: exit {}", done.code()));
    assert!(!done.err.contains("panicked") && !done.err.contains("memory allocation"), "{done:?}");
    match done.code() {
        // Exit code 124 means that the command was still running when `timeout` sent the signal.
        124 if may_wait => {}
        7 | 9 => {}
        _ => expect_documented(&done),
    }
}

/// Returns the path of the latest run's folder relative to the trial's folder, after creating a run if one is needed.
fn with_run(trial: &Trial, path: &str) -> String {
    if !path.starts_with("RUN") {
        return path.to_owned();
    }
    if path.ends_with("commits.bin") {
        trial.folder.tacho("prepare tpcb sqlite:a.db --progress none -o quiet").exits(0);
        let run =
            "run tpcb sqlite:a.db --transactions 20 --ramp-up 0s --check none --verify commits";
        trial.tacho(&format!("{run} --progress none -o quiet"));
    } else {
        trial.folder.tacho("run tpcb sim -d 2s --ramp-up 0s --progress none -o quiet").exits(0);
    }
    let run = trial.folder.runs().pop().expect("a run");
    let run = run.strip_prefix(trial.folder.path()).expect("a path in the folder");
    path.replace("RUN", &run.display().to_string())
}

pub fn perform(trial: &mut Trial) {
    let read = trial.pick(&READ);
    let path = with_run(trial, read.path);
    trial.note(read.path);
    let is_pipe = replace(trial, &trial.folder.file(&path));
    let may_wait = is_pipe && read.may_be_pipe;
    let id = path
        .split('/')
        .nth(2)
        .and_then(|run| run.rsplit('-').next())
        .unwrap_or_default()
        .to_owned();
    for _ in 0..2 {
        let command = trial.pick(read.commands).replace("RUNID", &id);
        // Some commands keep running until they are stopped, such as a server or an agent.
        let may_serve =
            command.starts_with("serve") || command.starts_with("agent") || command == "watch";
        let seconds = if may_wait || may_serve { 3 } else { 60 };
        bounded(trial, &command, seconds, may_wait || may_serve);
    }
}
