//! Kills a command at a random moment and runs another one. The killed command must not leave behind an injected fault,
//! a changed setting, a process or a ballast file. Records must stay readable.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tacho_tests::Signal;

use super::trial::{Trial, expect_documented};
use crate::live::texts;
use crate::outages::{Mounted, mount};

const RUN: &str = "run tpcb pg -c 2 --ramp-up 0s --check none --on-disconnect reconnect";
const SWEEP: &str = "sweep tpcb pg --vary server.work_mem=5MB,6MB -d 1s --ramp-up 0s --check none";
/// The exit code of a command that was killed, as a shell reports it.
const KILLED: i32 = 137;
const FAULTS: [&str; 7] = [
    "pause for=60s",
    "kill for=60s",
    "restart",
    "fill for=60s",
    "cut for=60s",
    "slow iops=50 for=60s",
    "delay by=20ms for=60s",
];
const NEXT: [&str; 8] = [
    "restore",
    "up postgres",
    "down pg",
    "prepare tpcb pg",
    "check tpcb pg",
    "list servers",
    "doctor pg",
    "run tpcb pg -c 2 --ramp-up 0s --check none --on-disconnect reconnect -d 1s",
];

/// Kills all processes that still work in the trial's folder when it is dropped.
pub struct Ends(PathBuf);

impl Ends {
    /// Watches over the trial's folder.
    pub fn of(trial: &Trial) -> Self {
        Self(trial.folder.path().to_owned())
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        for process in processes_in(&self.0) {
            // Ignore errors, because the process may already have ended together with its parent.
            drop(Command::new("kill").args(["-s", "KILL", &process]).output());
        }
    }
}

/// Returns the process IDs of all processes whose working directory or command line refers to the folder.
fn processes_in(folder: &Path) -> Vec<String> {
    let processes = Path::new("/proc").read_dir().expect("the list of processes").flatten();
    let works_there = |process: &PathBuf| {
        let directory = std::fs::read_link(process.join("cwd")).unwrap_or_default();
        let words = std::fs::read(process.join("cmdline")).unwrap_or_default();
        directory.starts_with(folder)
            || String::from_utf8_lossy(&words).contains(&*folder.to_string_lossy())
    };
    let number = |process: PathBuf| process.file_name()?.to_str()?.parse::<u32>().ok();
    let found = processes.map(|entry| entry.path()).filter(works_there).filter_map(number);
    found.map(|number| number.to_string()).collect()
}

/// Returns a random command, and the longest time in milliseconds after which it is killed.
fn draw_command(trial: &mut Trial) -> (String, u64) {
    match trial.below(14) {
        0 => ("up postgres".into(), 1_500),
        1 => ("prepare tpcb pg".into(), 1_200),
        2 => ("check tpcb pg".into(), 500),
        3 => ("restore".into(), 200),
        4 => ("down pg".into(), 700),
        5 => (format!("{RUN} -d 30s --verify commits"), 2_000),
        6 | 7 => (SWEEP.into(), 4_000),
        _ => {
            let fault = *trial.pick(&FAULTS);
            // A run ends soon after the disk is full.
            let limit = if fault.starts_with("fill") { 900 } else { 3_000 };
            (format!("{RUN} -d 30s --fault 'at=100ms {fault}'"), limit)
        }
    }
}

/// Returns the target of the server after making sure that it runs.
fn running_target(trial: &Trial) -> String {
    let up = trial.folder.tacho("up postgres -o json").exits(0).json();
    up["target"].as_str().expect("a target").to_owned()
}

pub fn perform(trial: &mut Trial) {
    let servers = trial.folder.file("tacho-data/servers");
    let (command, limit) = draw_command(trial);
    trial.note(&*command);
    std::fs::create_dir_all(&servers).expect("a folder");
    let disk: Option<Mounted> = if command.contains("fill") { mount(&servers) } else { None };
    if command.contains("fill") && disk.is_none() {
        return trial.void("a file system cannot be mounted here");
    }
    let _ends = Ends::of(trial);
    if !command.starts_with("up") {
        running_target(trial);
    }
    if !command.starts_with("up") && !command.starts_with("prepare") {
        trial.folder.tacho("prepare tpcb pg").exits(0);
    }
    let running = trial.folder.tacho(&command).start();
    trial.wait(limit);
    running.signal(Signal::KILL);
    let code = running.wait().code();
    trial.note(format!("exit {code}"));
    if code != KILLED {
        trial.void("the command had ended before the kill");
    }
    for _ in 0..=trial.below(2) {
        let next = *trial.pick(&NEXT);
        let done = trial.folder.tacho(next).done();
        trial.note(format!("{} {}", next.split(" -").next().unwrap_or(next), done.code()));
        expect_documented(&done);
    }
    nothing_is_left(trial, &servers);
    drop(disk);
}

/// Checks that nothing is left of the killed command. Runs `restore` and `up` first, because the command after the
/// killed one repairs only what it needs.
fn nothing_is_left(trial: &Trial, servers: &Path) {
    trial.folder.tacho("restore").exits(0);
    let target = running_target(trial);
    trial.folder.tacho("restore").exits(0).says(&["nothing to do"]);
    assert!(!trial.folder.file("tacho-data/journals").exists(), "a journal is left");
    assert!(!servers.join("pg/tacho-ballast").exists(), "the disk is still full");
    let setting = texts(&target, "SELECT current_setting('work_mem')");
    assert_eq!(setting.concat().trim(), "4MB");
    trial.folder.tacho("prepare tpcb pg").exits(0);
    let run = trial.folder.tacho(&format!("{RUN} --transactions 40")).done();
    assert!(matches!(run.code(), 0 | 4), "{run:?}");
    trial.folder.tacho("check tpcb pg").exits(0);
    records_are_readable(trial);
    trial.folder.tacho("down --all").exits(0);
    let left = processes_in(trial.folder.path());
    assert!(left.is_empty(), "processes {left:?} are left");
    let names: Vec<_> =
        servers.read_dir().into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    assert!(names.is_empty(), "{names:?} are left");
}

fn records_are_readable(trial: &Trial) {
    for list in ["runs list -o json", "runs list --sweeps -o json"] {
        let listed = trial.folder.tacho(list).exits(0).json();
        for entry in listed.as_array().expect("a list") {
            let id = entry["id"].as_str().expect("an id");
            let show = if list.contains("sweeps") { "sweep --show" } else { "show" };
            trial.folder.tacho(&format!("{show} {id}")).exits(0);
        }
    }
    for run in trial.folder.runs() {
        // A run that was killed while its folder was created has no record. It is not listed, and `prune` removes it.
        let Ok(record) = std::fs::read(run.join("run.json")) else { continue };
        serde_json::from_slice::<Value>(&record).expect("JSON");
    }
}
