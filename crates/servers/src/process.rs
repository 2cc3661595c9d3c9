//! A server's process, identified by its ID and its start time. Its ID alone is not enough, because
//! the system reuses IDs.

use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::system::{Signal, send};
use crate::text;

pub(crate) const TICK: Duration = Duration::from_millis(20);

/// A process's identity, which is unique even after a restart of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Process ID.
    pub pid: u32,
    /// Start time in the system's own format. Empty if the system does not report it.
    pub started: String,
}

impl Identity {
    /// Returns the identity of the running process with this ID.
    pub fn of(pid: u32) -> Option<Self> {
        started(pid).map(|started| Self { pid, started })
    }

    /// Returns true if this exact process is alive.
    pub fn lives(&self) -> bool {
        started(self.pid).is_some_and(|started| started == self.started)
    }
}

/// A process that was started by this command or an earlier one.
#[derive(Debug)]
pub struct Process {
    identity: Identity,
    /// The handle for waiting until the process exits. `None` if an earlier command started the
    /// process.
    child: Option<Child>,
}

impl Process {
    /// Returns a process started by an earlier command, if it is still alive.
    pub fn find(identity: &Identity) -> Option<Self> {
        identity.lives().then(|| Self { identity: identity.clone(), child: None })
    }

    /// Wraps a process that has just been started.
    pub(crate) fn of(child: Child) -> Self {
        let pid = child.id();
        // If the process has already exited, its start time is unknown. Later checks then find no
        // such process.
        let identity = Identity::of(pid).unwrap_or(Identity { pid, started: String::new() });
        Self { identity, child: Some(child) }
    }

    /// Returns the process's identity.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns true if the process is alive.
    pub fn lives(&mut self) -> bool {
        match &mut self.child {
            Some(child) => matches!(child.try_wait(), Ok(None)),
            None => self.identity.lives(),
        }
    }

    /// Returns true if the system reports that the process is suspended.
    pub(crate) fn is_suspended(&self) -> bool {
        let stat = text::read(&Path::new("/proc").join(self.identity.pid.to_string()).join("stat"));
        fields(&stat).is_some_and(|fields| fields[0] == "T")
    }

    /// Sends a signal to the process. Does nothing if the process has already exited.
    pub(crate) fn signal(&mut self, signal: Signal) {
        if self.lives() {
            send(self.identity.pid, signal);
        }
    }

    /// Waits up to `limit` for the process to exit. Returns true if it has exited.
    pub(crate) fn wait_for_end(&mut self, limit: Duration) -> bool {
        for _ in 0..limit.as_millis() / TICK.as_millis() {
            if !self.lives() {
                return true;
            }
            tick();
        }
        !self.lives()
    }

    /// Kills the process and all its children at once, like a power failure.
    pub(crate) fn kill(&mut self) {
        // Suspend the process first, so that neither it nor its children can act.
        self.signal(Signal::STOP);
        while self.lives()
            && let living @ [_, ..] = &children(self.identity.pid)[..]
        {
            for child in living {
                send(*child, Signal::KILL);
            }
            tick();
        }
        self.signal(Signal::KILL);
        // This signal always ends a process, but not always immediately.
        self.wait_for_end(Duration::from_secs(10));
    }
}

/// Pauses briefly while waiting for a server to start or stop.
#[expect(clippy::disallowed_methods, reason = "a server runs in real time")]
pub(crate) fn tick() {
    std::thread::sleep(TICK);
}

/// Returns the number of calls to [`tick`] that take `limit` in total.
pub(crate) fn ticks(limit: Duration) -> u128 {
    limit.as_millis() / TICK.as_millis()
}

/// Waits up to ten seconds for all processes to stop using this folder. Returns true if none uses
/// it any more.
pub fn wait_until_unused(folder: &Path) -> bool {
    for _ in 0..ticks(Duration::from_secs(10)) {
        match anybody_in(folder) {
            None => return false,
            Some(false) => return true,
            Some(true) => tick(),
        }
    }
    false
}

/// Returns true if this folder is the working directory of a process, or `None` if this is unknown.
fn anybody_in(folder: &Path) -> Option<bool> {
    let folder = folder.canonicalize().ok()?;
    let mut processes = Path::new("/proc").read_dir().ok()?.flatten();
    Some(
        processes
            .any(|process| process.path().join("cwd").read_link().is_ok_and(|cwd| cwd == folder)),
    )
}

/// Returns the start time of a process, if it exists. On Linux, it is relative to the boot of the
/// machine, so the boot ID is added.
fn started(pid: u32) -> Option<String> {
    if Path::new("/proc/self/stat").exists() {
        let stat = text::read(&Path::new("/proc").join(pid.to_string()).join("stat"));
        let fields = fields(&stat)?;
        let boot = text::read(Path::new("/proc/sys/kernel/random/boot_id"));
        return (fields[0] != "Z").then(|| format!("{} {}", boot.trim(), fields[19]));
    }
    let output =
        Command::new("ps").args(["-o", "stat=", "-o", "lstart=", "-p", &pid.to_string()]).output();
    let line = String::from_utf8(output.ok()?.stdout).ok()?;
    let (state, date) = line.trim().split_once(' ')?;
    (!state.starts_with('Z')).then(|| date.trim().to_owned())
}

/// Splits the content of `/proc/PID/stat` into fields. The first one is the process state, where
/// `Z` means that the process has exited.
fn fields(stat: &str) -> Option<Vec<&str>> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    (fields.len() > 19).then_some(fields)
}

/// Returns true if a process in this group is alive. Requires `/proc`.
pub(crate) fn group_lives(group: u32) -> bool {
    let Ok(processes) = Path::new("/proc").read_dir() else { return false };
    let group = group.to_string();
    processes.flatten().any(|entry| {
        let stat = text::read(&entry.path().join("stat"));
        fields(&stat).is_some_and(|fields| fields[0] != "Z" && fields[2] == group)
    })
}

/// Returns the living children of a process. Requires `/proc`.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let Ok(processes) = Path::new("/proc").read_dir() else { return Vec::new() };
    let parent = parent.to_string();
    let of_parent = |entry: std::fs::DirEntry| {
        let stat = text::read(&entry.path().join("stat"));
        let fields = fields(&stat)?;
        let lives = fields[0] != "Z" && fields[1] == parent;
        lives.then(|| entry.file_name().to_str()?.parse().ok())?
    };
    processes.filter_map(|entry| of_parent(entry.ok()?)).collect()
}

/// Returns all descendants of a process.
pub(crate) fn all_below(parent: u32) -> Vec<u32> {
    let mut all = children(parent);
    let mut at = 0;
    while at < all.len() {
        let more = children(all[at]);
        all.extend(more);
        at += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_start() {
        let identity = Identity::of(std::process::id()).expect("ourselves");
        assert!(identity.lives());
        let other = Identity { started: "long ago".into(), ..identity };
        assert!(!other.lives() && Process::find(&other).is_none());
    }

    #[test]
    fn ended_processes_are_dead_before_they_are_reaped() {
        let child = Command::new("sleep").arg("600").spawn().expect("a process");
        let identity = Identity::of(child.id()).expect("it lives");
        let mut process = Process::of(child);
        assert!(process.lives() && !process.wait_for_end(Duration::from_millis(40)));
        process.kill();
        assert!(!process.lives() && !identity.lives());
    }
}
