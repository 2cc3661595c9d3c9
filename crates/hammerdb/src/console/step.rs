//! Implements `steprun`, which increases the load in steps. Each replica is a separate process. The replicas start one
//! after another, once the primary's ramp-up is over.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use roxmltree::{Document, Node};

use super::mode::{self, Mode};
use super::{Console, Next};
use crate::dictionary::Benchmark;
use crate::xml;

/// The file that defines the steps, in the folder where the script was started.
const FILE: &str = "config/steps.xml";
/// Time limit for replicas to connect.
const PATIENCE: Duration = Duration::from_mins(1);
/// Maximum number of times to check whether a replica has exited after the primary released it. After the last check,
/// the replica is killed.
const PARTING_LOOKS: u32 = 200;
/// Interval between checks of whether a replica has exited.
const LOOK: Duration = Duration::from_millis(50);
/// The script that a replica runs. It ends once the primary has released the replica.
const REPLICA: &str = include_str!("../tcl/replica.tcl");

/// The load of a replica: its duration in minutes and its number of virtual users.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    name: String,
    start_after_prev: u64,
    duration: u64,
    users: u64,
}

/// A step workload in progress.
pub(super) struct Step {
    parts: Vec<Part>,
    children: Vec<Child>,
    asked_at: Duration,
    /// Number of connected replicas when this number was last printed.
    announced: usize,
    /// True if the primary is running.
    begun: bool,
    /// Time at which the primary's ramp-up ended.
    measuring_at: Option<Duration>,
    /// Number of replicas that have been asked to start.
    started: usize,
}

impl Drop for Step {
    fn drop(&mut self) {
        for child in &mut self.children {
            // Kill a replica that is still running, because it would put load on a database that is no longer measured.
            if !matches!(child.try_wait(), Ok(Some(_))) {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }
}

/// Returns the default steps, which apply if there is no file that defines them.
fn usual() -> Vec<Part> {
    let part = |number: u64| Part {
        name: format!("replica{number}"),
        start_after_prev: 1,
        duration: 5 - number,
        users: 2,
    };
    (1..=4).map(part).collect()
}

fn read(text: &str) -> Result<Vec<Part>, String> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let root = document.root_element();
    let part = |element: Node<'_, '_>| {
        let name = element.tag_name().name();
        let number = |key: &str, least: u64| {
            let text = xml::text_of(element, key);
            let number = text.parse().ok().filter(|number| *number >= least);
            number.ok_or_else(|| format!("{key} of <{name}> is \"{text}\""))
        };
        Ok(Part {
            name: name.to_owned(),
            start_after_prev: number("start_after_prev", 0)?,
            duration: number("duration", 1)?,
            users: number("virtual_users", 1)?,
        })
    };
    let parts = xml::inside(root).map(part).collect::<Result<Vec<Part>, String>>()?;
    if parts.is_empty() {
        Err(format!("<{}> has no replica", root.tag_name().name()))
    } else {
        Ok(parts)
    }
}

fn parts() -> Result<Vec<Part>, String> {
    match tacho_core::file::text(FILE.as_ref(), tacho_core::file::SMALL_MAX) {
        Ok(text) => read(&text).map_err(|why| format!("Error: {FILE}: {why}")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(usual()),
        Err(error) => Err(format!("Error: {FILE}: {error}")),
    }
}

/// Returns an error if the steps take longer than the time that remains after the primary's ramp-up.
fn require_fit(parts: &[Part], rampup: u64, duration: u64) -> Result<(), String> {
    let minutes = rampup + duration;
    let mut start = rampup;
    for part in parts {
        start += part.start_after_prev;
        let end = start + part.duration;
        if end > minutes {
            let name = &part.name;
            return Err(format!(
                "Error: {name} is set to complete after {end} minutes and is longer than the Primary \
                 running time of {minutes} minutes\nError: Step workload primary running time must \
                 exceed the running time of all replicas"
            ));
        }
    }
    Ok(())
}

/// Returns a `--load` option for a single process that produces the same load, without the primary's ramp-up.
fn as_load(parts: &[Part], users: u64, duration: u64) -> String {
    let mut start = 0;
    let mut active = Vec::new();
    for part in parts {
        start += part.start_after_prev;
        active.push((start, (start + part.duration).min(duration), part.users));
    }
    let mut borders: Vec<u64> = active.iter().flat_map(|part| [part.0, part.1]).collect();
    borders.extend([0, duration]);
    borders.sort_unstable();
    borders.dedup();
    let level = |at: u64| {
        let running = active.iter().filter(|(from, to, _)| (*from..*to).contains(&at));
        users + running.map(|part| part.2).sum::<u64>()
    };
    let steps = borders.windows(2).map(|two| format!("{}x{}m", level(two[0]), two[1] - two[0]));
    format!("steps: {}", steps.collect::<Vec<_>>().join(", "))
}

impl Console {
    pub(super) fn steprun(&mut self, _: &[&str]) -> Next {
        if self.dictionary.benchmark == Benchmark::TprocH {
            return self.complain("Error: Step Workload does not support TPC-H");
        }
        if self.work.is_some() || self.users.exist() {
            return self
                .complain("Error: Virtual Users exist, destroy with vudestroy before steprun");
        }
        match self.begin_steps() {
            Ok(next) => next,
            Err(text) => Next::Failed(text),
        }
    }

    fn begin_steps(&mut self) -> Result<Next, String> {
        self.wants_to_stop = false;
        let parts = parts()?;
        let number = |name: &str| self.dictionary.common(name).trim().parse::<u64>().unwrap_or(0);
        let (rampup, duration) = (number("rampup"), number("duration"));
        require_fit(&parts, rampup, duration)?;
        let users = self.dictionary.generic("virtual_user_options", "virtual_users").to_owned();
        self.say(format!(
            "primary starts immediately, runs rampup for {rampup} minutes then runs test for \
             {duration} minutes with {users} Active VU"
        ));
        for part in &parts {
            let Part { name, start_after_prev, duration, users } = part;
            self.say(format!(
                "{name} starts {start_after_prev} minutes after previous replica starts and runs test \
                 for {duration} minutes with {users} Active VU"
            ));
        }
        if self.plan.is_some() {
            let next = self.vurun(&[]);
            if let (Some(plan), Ok(users)) = (&mut self.plan, users.trim().parse()) {
                plan.change_load(&as_load(&parts, users, duration));
            }
            return Ok(next);
        }
        // Detect unsupported requests of the primary before anything is started.
        crate::work::request::run(&self.dictionary, 1, self.setup.minute)?;
        self.mode = Mode::Local;
        self.become_primary(0)?;
        let Mode::Primary(primary, _) = &self.mode else { return Ok(Next::Done) };
        let port = primary.port;
        let script = self.setup.temp.join("hdbcallback.tcl");
        write(&script, &REPLICA.replace("@PORT@", &port.to_string()))?;
        let folder = self.setup.context.folder.clone();
        let mut step = Step {
            parts,
            children: Vec::new(),
            asked_at: tacho_collect::wall_clock(),
            announced: 0,
            begun: false,
            measuring_at: None,
            started: 0,
        };
        for part in &step.parts {
            let log = self.setup.temp.join(format!("hdb{}.log", part.name));
            step.children.push(spawn(&folder, &script, &log)?);
            self.say(format!("{} writes its output to {}", part.name, log.display()));
        }
        // Print this before any replica can connect, so that the printed count starts at 0, as in HammerDB.
        self.announce(0, step.parts.len());
        self.step = Some(step);
        Ok(Next::Wait)
    }

    fn announce(&mut self, there: usize, wanted: usize) {
        self.say(format!(
            "Primary waiting for all replicas to connect .... {there} out of {wanted} are connected"
        ));
    }

    /// Advances the step workload.
    pub(super) fn go_on_stepping(&mut self) {
        let Some(mut step) = self.step.take() else { return };
        let next = if step.begun {
            if let Some(measuring_at) = step.measuring_at {
                self.start_due(&mut step, measuring_at);
            }
            Ok(self.work.is_none() && !self.mode.is_waiting())
        } else {
            self.gather(&mut step)
        };
        match next {
            Ok(false) => self.step = Some(step),
            Ok(true) => self.end_steps(step),
            Err(text) => {
                self.end_steps(step);
                self.ended = Some(Next::Failed(text));
            }
        }
    }

    /// Starts the primary when all replicas are connected. Returns true if the primary has finished at once, so that
    /// the step workload is already over.
    fn gather(&mut self, step: &mut Step) -> Result<bool, String> {
        let (there, wanted) = (self.mode.replicas().len(), step.parts.len());
        if step.announced != there {
            step.announced = there;
            self.announce(there, wanted);
        }
        if there < wanted {
            let since = tacho_collect::wall_clock().saturating_sub(step.asked_at);
            let gone =
                step.children.iter_mut().any(|child| matches!(child.try_wait(), Ok(Some(_))));
            if gone || since > PATIENCE || self.wants_to_stop {
                let text = "Error: steprun was not run: a replica did not connect; see its log";
                return Err(text.into());
            }
            return Ok(false);
        }
        self.say("Starting Primary VUs");
        self.prepare_replicas(&step.parts);
        match self.vurun(&[]) {
            Next::Wait => {
                step.begun = true;
                Ok(false)
            }
            Next::Failed(text) => Err(text),
            Next::Done | Next::Value(_) | Next::Printed(_) | Next::Shown(_) => Ok(true),
        }
    }

    /// Sends the primary's settings to each replica. Only the duration and the number of virtual users are different.
    fn prepare_replicas(&mut self, parts: &[Part]) {
        let commands = mode::settings(&self.dictionary);
        let database = self.dictionary.database();
        let delay = self.dictionary.generic("virtual_user_options", "user_delay").to_owned();
        // Some work is needed only once for the whole load, so only the primary does it.
        let off = ["timeprofile", "vacuum", "purge"].map(|name| database.key(name));
        let (rampup, duration) = (database.key("rampup"), database.key("duration"));
        for (replica, part) in self.mode.replicas().iter_mut().zip(parts) {
            for words in &commands {
                replica.call(&words.iter().map(String::as_str).collect::<Vec<_>>());
            }
            replica.call(&["diset", "tpcc", &rampup, "0"]);
            replica.call(&["diset", "tpcc", &duration, &part.duration.to_string()]);
            for key in &off {
                replica.call(&["diset", "tpcc", key, "false"]);
            }
            replica.call(&["vuset", "delay", &delay]);
            replica.call(&["vuset", "vu", &part.users.to_string()]);
            replica.call(&["loadscript"]);
            replica.call(&["vucreate"]);
        }
    }

    /// Records the time at which the primary's ramp-up ends. The replicas' start times are relative to it.
    pub(super) fn measures(&mut self) {
        if let Some(step) = &mut self.step {
            step.measuring_at = Some(tacho_collect::wall_clock());
        }
    }

    /// Starts the replicas whose start time has come, as long as the primary is running.
    fn start_due(&mut self, step: &mut Step, measuring_at: Duration) {
        if self.work.is_none() {
            return;
        }
        let passed = tacho_collect::wall_clock().saturating_sub(measuring_at);
        let minute = self.setup.minute;
        let mut due = Duration::ZERO;
        for (place, part) in step.parts.iter().enumerate() {
            due += minute.saturating_mul(part.start_after_prev as u32);
            if place < step.started || passed < due {
                continue;
            }
            step.started = place + 1;
            if let Some(replica) = self.mode.replicas().get_mut(place) {
                replica.call(&["vurun"]);
                self.say(format!("{} starts with {} Active VU", part.name, part.users));
            }
        }
    }

    fn end_steps(&mut self, mut step: Step) {
        if step.begun {
            self.say("Step workload complete");
        }
        // End this console's role as the primary. This releases the replicas, which then exit by themselves.
        self.mode = Mode::Local;
        for child in &mut step.children {
            for _ in 0..PARTING_LOOKS {
                if !matches!(child.try_wait(), Ok(None)) {
                    break;
                }
                std::thread::park_timeout(LOOK);
            }
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "writes a file that HammerDB users expect")]
fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("Error: {}: {error}", path.display()))
}

/// Starts another console, which runs a script and writes its output to a log.
fn spawn(folder: &Path, script: &Path, log: &PathBuf) -> Result<Child, String> {
    let fail = |error: std::io::Error| format!("Error: steprun: cannot start a replica: {error}");
    let output = OpenOptions::new().create(true).append(true).open(log).map_err(fail)?;
    let errors = output.try_clone().map_err(fail)?;
    let mut command = Command::new(std::env::current_exe().map_err(fail)?);
    // Start the replica under the name `tacho`, because this process may have another name.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, "tacho");
    command.arg("--dir").arg(folder).args(["hammerdb", "tcl", "auto"]).arg(script);
    command.stdin(Stdio::null()).stdout(output).stderr(errors).spawn().map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_load_can_be_written_as_steps() {
        let expected = "steps: 1x1m, 3x1m, 5x1m, 7x1m, 9x1m";
        assert_eq!(as_load(&usual(), 1, 5), expected);
        assert_eq!(as_load(&usual()[..1], 4, 9), "steps: 4x1m, 6x4m, 4x4m");
        assert!(tacho_config::LoadSteps::parse(expected).is_ok());
    }

    #[test]
    fn steps_are_read_and_have_to_fit() {
        let text = "<steps><replica1><start_after_prev>2</start_after_prev><duration>3</duration>\
                    <virtual_users>4</virtual_users></replica1></steps>";
        let parts = read(text).expect("steps");
        let one = Part { name: "replica1".into(), start_after_prev: 2, duration: 3, users: 4 };
        assert_eq!(parts, [one]);
        assert_eq!(require_fit(&parts, 0, 5), Ok(()));
        let error = require_fit(&parts, 0, 4).expect_err("too long");
        assert!(error.starts_with("Error: replica1 is set to complete after 5 minutes"), "{error}");
        // The ramp-up is not part of a replica's running time.
        assert!(require_fit(&usual(), 2, 5).is_ok());
        let error = require_fit(&usual(), 2, 4).expect_err("too long");
        let words = "replica1 is set to complete after 7 minutes and is longer than the Primary running \
                     time of 6 minutes";
        assert!(error.contains(words), "{error}");
        for bad in ["<steps/>", "<steps><replica1/></steps>", "<steps>"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
