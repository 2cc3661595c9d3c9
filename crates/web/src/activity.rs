//! Runs commands as separate processes, one at a time, and passes their events to the hub.
//!
//! A command's process continues even if the server is killed, so its measurement is still saved.
//!
//! Start reading at [`Program::start`].

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;

use serde_json::Value;
use tacho_core::Error;

use crate::hub::{End, Hub};
use crate::request::Request;

/// The environment variable that contains the server's token. It is removed from the environment of
/// commands.
pub const TOKEN_VARIABLE: &str = "TACHO_WEB_TOKEN";
/// The environment variable that tells a command that its arguments come from a request rather than from the user.
pub const REQUEST_VARIABLE: &str = "TACHO_REQUEST";
/// The process ID used if there is no process.
const NONE: u32 = 0;

/// The program that runs commands, and its global options.
#[derive(Clone, Debug)]
pub struct Program {
    /// Path of the executable file.
    pub file: PathBuf,
    /// Working directory of this process, to which relative paths refer.
    pub folder: PathBuf,
    /// Global options, such as `--dir`.
    pub options: Vec<OsString>,
}

/// The reason why a command could not be started.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// Another command is still running.
    Busy,
    /// The command could not be started.
    Failed(Error),
}

/// The output of a finished command.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) exit_code: i32,
    pub(crate) answer: String,
    pub(crate) complaints: String,
}

impl Program {
    /// Starts a command and passes its events to the hub until it exits.
    pub(crate) fn start(&self, request: &Request, hub: &Hub) -> Result<(), Refusal> {
        let process = Arc::new(AtomicU32::new(NONE));
        let stopped = Arc::clone(&process);
        let stop = Arc::new(move || interrupt(stopped.load(Ordering::SeqCst)));
        // Ask the hub before starting the process. If two requests arrive at the same time, the hub
        // accepts only one of them.
        if !hub.begin(request.command.word(), &request.words(), stop) {
            return Err(Refusal::Busy);
        }
        let child = self.spawn(request).map_err(|error| {
            let complaints = vec![error.to_string()];
            hub.end(End { exit_code: 1, complaints, ..End::default() });
            Refusal::Failed(error)
        })?;
        process.store(child.id(), Ordering::SeqCst);
        let hub = hub.clone();
        std::thread::spawn(move || follow(child, &process, &hub));
        Ok(())
    }

    /// Runs a command that does not connect to a database, such as a dry run, until it exits.
    pub(crate) fn ask(&self, request: &Request) -> Result<Output, Error> {
        finished(self.spawn(request)?)
    }

    /// Runs a command with the given arguments until it exits.
    pub(crate) fn words(&self, words: &[String]) -> Result<Output, Error> {
        let mut command = Command::new(&self.file);
        command.args(words);
        finished(self.spawned(command)?)
    }

    fn spawn(&self, request: &Request) -> Result<Child, Error> {
        let mut command = Command::new(&self.file);
        command.args(request.arguments()).envs(request.secrets());
        command.env(REQUEST_VARIABLE, "1");
        self.spawned(command)
    }

    fn spawned(&self, mut command: Command) -> Result<Child, Error> {
        command
            .args(&self.options)
            .env_remove(TOKEN_VARIABLE)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        own_group(&mut command);
        command
            .spawn()
            .map_err(|error| Error::from(error).during(format!("start {}", self.file.display())))
    }
}

fn finished(child: Child) -> Result<Output, Error> {
    let done = child.wait_with_output()?;
    Ok(Output {
        exit_code: done.status.code().unwrap_or(1),
        answer: String::from_utf8_lossy(&done.stdout).into_owned(),
        complaints: String::from_utf8_lossy(&done.stderr).into_owned(),
    })
}

/// Puts the command in its own process group. Otherwise, Ctrl-C would interrupt it twice: directly,
/// and through the server.
#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(windows)]
fn own_group(command: &mut Command) {
    /// `CREATE_NEW_PROCESS_GROUP`
    const OWN_GROUP: u32 = 0x200;
    std::os::windows::process::CommandExt::creation_flags(command, OWN_GROUP);
}

#[cfg(unix)]
fn interrupt(id: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    // Skip process ID 0, because a signal to it would go to all processes of this process's group.
    if let Some(process) = i32::try_from(id).ok().filter(|id| *id > 0).and_then(Pid::from_raw) {
        let _ = kill_process(process, Signal::INT);
    }
}

/// On Windows, a process group can receive Ctrl-Break but not Ctrl-C.
#[cfg(windows)]
#[expect(unsafe_code, reason = "the standard library cannot send this event")]
fn interrupt(id: u32) {
    use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent};
    if id > 0 {
        // SAFETY: the function takes only two integers and no pointers. It returns an error if the group no longer
        // exists.
        let _ = unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, id) };
    }
}

/// Reads the output of a command until the command exits.
fn follow(mut child: Child, process: &AtomicU32, hub: &Hub) {
    let answer = child.stdout.take().map(collect);
    let mut complaints = Vec::new();
    if let Some(said) = child.stderr.take() {
        for line in BufReader::new(said).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            if !hub.line(&line) {
                complaints.push(line);
            }
        }
    }
    let answer = answer.and_then(|reader| reader.join().ok()).unwrap_or_default();
    // Forget the process ID before waiting for the process, because the system may assign the ID to
    // another process afterwards.
    process.store(NONE, Ordering::SeqCst);
    let status = child.wait();
    let exit_code = status.ok().and_then(|status| status.code()).unwrap_or(1);
    let answer = serde_json::from_str(&answer).unwrap_or(Value::String(answer));
    hub.end(End { exit_code, answer, complaints });
}

fn collect(mut output: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = output.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    })
}
