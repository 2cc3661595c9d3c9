//! Starts programs in two steps, so that the process is recorded before the program runs in it. If
//! Tacho is killed, its next command can then find the process.
//!
//! Start reading at [`spawn`] and [`run`].

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};

use crate::process::{Identity, TICK, group_lives, tick, ticks};
use crate::system::{self, Signal};

/// Waits for a line of input before it runs the program. If Tacho is killed first, the input ends
/// and the script exits.
const SCRIPT: &str = r#"read -r _ && exec "$@" </dev/null"#;
/// Maximum time to wait for killed processes to disappear.
const END_PATIENCE: Duration = Duration::from_secs(10);

/// A function that writes the identity of a process to disk.
pub(crate) type Note<'a> = &'a dyn Fn(&Identity) -> Result<()>;

/// Returns a command that waits for a line of input and then runs `command` in its place.
pub(crate) fn gated(command: &Command) -> Command {
    let mut gated = Command::new("/bin/sh");
    gated.args(["-c", SCRIPT, "gate"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => gated.env(name, value),
            None => gated.env_remove(name),
        };
    }
    gated.stdin(Stdio::piped());
    gated
}

/// Starts a gated command, records its process, and then lets the actual program start.
pub(crate) fn spawn(command: &mut Command, note: Note<'_>) -> Result<Child> {
    let mut child = command.spawn()?;
    let input = child.stdin.take();
    let noted = Identity::of(child.id()).map_or(Ok(()), |identity| note(&identity));
    if let (Ok(()), Some(mut input)) = (&noted, input) {
        // The write fails only if the process has already exited. Its exit code will show why.
        let _ = input.write_all(b"\n");
    }
    if noted.is_err() {
        let _ = child.wait();
    }
    noted.map(|()| child)
}

/// Runs a gated command and waits until it exits. Its program starts only after its process has
/// been recorded. If `go_on` returns false before the command exits, its process group is killed.
pub(crate) fn run(
    command: &mut Command,
    note: Note<'_>,
    go_on: &dyn Fn() -> bool,
) -> Result<Output> {
    system::with_own_group(command);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = spawn(command, note)?;
    let group = child.id();
    let (sender, receiver) = channel();
    let thread = std::thread::Builder::new().name("setup".into());
    thread.spawn(move || sender.send(child.wait_with_output()))?;
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(output) => return Ok(output?),
            Err(RecvTimeoutError::Timeout) if go_on() => {}
            Err(_) => break,
        }
    }
    end_group(group);
    Err(Error::new(ErrorKind::Cancelled, "stopped on request")
        .hint("to start again, run the same command"))
}

/// Kills a recorded process and its children. Returns true if any of them were still running.
pub(crate) fn end_noted(identity: &Identity) -> bool {
    // A process group exists until all of its members have exited, even if the first one exits
    // earlier.
    let is_ours = identity.lives() || Identity::of(identity.pid).is_none();
    is_ours && group_lives(identity.pid) && {
        end_group(identity.pid);
        true
    }
}

fn end_group(group: u32) {
    system::send_group(group, Signal::KILL);
    for _ in 0..ticks(END_PATIENCE) {
        if !group_lives(group) {
            break;
        }
        tick();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_start_after_their_process_is_recorded() -> Result<()> {
        let noted = std::cell::RefCell::new(None);
        let mut command = Command::new("sh");
        command.args(["-c", "echo $$ $WORD"]).env("WORD", "heard");
        let note = |identity: &Identity| {
            noted.replace(Some(identity.clone()));
            Ok(())
        };
        let output = run(&mut gated(&command), &note, &|| true)?;
        let identity = noted.into_inner().expect("it was noted");
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{} heard\n", identity.pid));
        assert!(!end_noted(&identity));
        Ok(())
    }

    #[test]
    fn programs_whose_process_cannot_be_recorded_never_start() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        let mut command = Command::new("touch");
        command.arg(&file);
        let fails = |_: &Identity| Err(Error::new(ErrorKind::Resource, "disk full"));
        assert!(run(&mut gated(&command), &fails, &|| true).is_err());
        assert!(!file.exists());
    }

    #[test]
    fn the_children_of_a_killed_program_are_ended() -> Result<()> {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & kill -9 $$"]);
        let mut gated = gated(&command);
        system::with_own_group(&mut gated);
        let noted = std::cell::RefCell::new(None);
        let note = |identity: &Identity| {
            noted.replace(Some(identity.clone()));
            Ok(())
        };
        spawn(&mut gated, &note)?.wait()?;
        let identity = noted.into_inner().expect("it was noted");
        assert!(!identity.lives() && group_lives(identity.pid));
        assert!(end_noted(&identity) && !group_lives(identity.pid));
        Ok(())
    }

    #[test]
    fn a_request_to_stop_ends_all_of_it() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & sleep 600"]);
        let noted = std::cell::Cell::new(0);
        let note = |identity: &Identity| {
            noted.set(identity.pid);
            Ok(())
        };
        let stopped = run(&mut gated(&command), &note, &|| false).expect_err("stopped");
        assert_eq!(stopped.kind(), ErrorKind::Cancelled);
        assert!(!group_lives(noted.get()));
    }
}
