//! A call of the command, with its arguments and its output.
//!
//! Each call is killed at its time limit, so that it cannot make a test hang. Start reading at [`Call`].

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::binary;

/// Time limit of a call. On a busy machine with a slow disk, loading a warehouse has taken 100 s.
const LIMIT: Duration = Duration::from_mins(5);
/// Minimum time for a process to exit, even if the time limit of the call is almost over.
const LAST_MOMENT: Duration = Duration::from_secs(30);
/// Number of characters of the output that are shown when a test fails.
const SHOWN: usize = 4_000;
/// Text in the summary of a run whose client got too little CPU time.
const STOPPED: &str = "INVALID: tool stopped";
/// First words of a HammerDB script's verdict if the client got too little CPU time. More reasons may follow, separated
/// by semicolons.
const STOPPED_IN_SCRIPT: &str = "INVALID, V12 tool-stopped: ";
const POLL: Duration = Duration::from_millis(5);

/// A call that has not started.
pub struct Call {
    command: Command,
    line: String,
}

/// Signals that a test may send to a call.
pub(crate) const SIGNALS: &str = "--default-signal=HUP,INT,QUIT";

/// Returns a command that starts a program with the default reactions to signals. Otherwise, the program would ignore
/// the same signals as the shell that runs the tests.
fn with_default_signals(program: impl AsRef<OsStr>) -> Command {
    if !ignores_signals() {
        return Command::new(program);
    }
    let mut command = Command::new("env");
    command.arg(SIGNALS).arg(program);
    command
}

/// Returns true if this process ignores one of the signals that tests send.
pub(crate) fn ignores_signals() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // In the mask, the three lowest bits represent HUP, INT and QUIT.
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 7 > 0)
}

impl Call {
    /// Creates a call to `tacho` in `folder`. `line` contains the arguments. Words in single quotes stay together, as
    /// in `'a b'`.
    pub(crate) fn new(folder: &Path, line: &str) -> Self {
        Self::of(with_default_signals(binary::tacho()), folder, line, words(line))
    }

    /// Creates a call to an `sh` script in which `$TACHO` is the path of the binary.
    pub(crate) fn shell(folder: &Path, script: &str) -> Self {
        let mut call =
            Self::of(with_default_signals("sh"), folder, script, ["-c".into(), script.into()]);
        call.command.env("TACHO", binary::tacho());
        call
    }

    fn of(
        mut command: Command,
        folder: &Path,
        line: &str,
        arguments: impl IntoIterator<Item = String>,
    ) -> Self {
        command.args(arguments).current_dir(folder);
        // The command must not see environment variables that are set for the tests.
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { command, line: line.to_owned() }
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Uses the given file as standard input.
    #[must_use]
    pub fn input(mut self, file: &Path) -> Self {
        self.command.stdin(std::fs::File::open(file).expect("the input can be read"));
        self
    }

    /// Starts the command without waiting for it.
    pub fn start(mut self) -> Running {
        let mut child = self.command.spawn().expect("tacho starts");
        let (say_out, out) = channel();
        let (say_err, err) = channel();
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        std::thread::spawn(move || follow(stdout, &say_out));
        std::thread::spawn(move || follow(stderr, &say_err));
        let deadline = Instant::now() + LIMIT;
        Running { child, line: self.line, deadline, out, err, heard: [const { String::new() }; 2] }
    }

    /// Runs the command until it exits.
    pub fn done(self) -> Done {
        self.start().wait()
    }

    /// Reads one line of standard output and closes the pipe. Then waits for the command to exit.
    pub fn hung_up(mut self) -> Done {
        let mut child = self.command.spawn().expect("tacho starts");
        let (say, err) = channel();
        let stderr = child.stderr.take();
        std::thread::spawn(move || follow(stderr, &say));
        let mut line = String::new();
        let mut answer = BufReader::new(child.stdout.take().expect("a pipe"));
        answer.read_line(&mut line).expect("the answer can be read");
        drop(answer);
        let deadline = Instant::now() + LIMIT;
        // Standard output had a single line, which has already been read, so use an empty channel in its place.
        let (_, out) = channel();
        let heard = [line, String::new()];
        Running { child, line: self.line, deadline, out, err, heard }.wait()
    }

    /// Runs the command and checks its exit code. If a run is INVALID only because the machine was busy, it counts as
    /// successful.
    #[track_caller]
    pub fn exits(self, code: i32) -> Done {
        let done = self.done();
        if code != 0 || !done.is_only_stopped() {
            done.expect_code(code);
        }
        done
    }
}

/// Returns true if more processes are ready to run than there are cores.
pub(crate) fn is_busy() -> bool {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().and_then(|load| load.parse::<f64>().ok());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    load.is_none_or(|load| load > cores as f64)
}

/// Splits a line at spaces that are not inside quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (place, part) in line.split('\'').enumerate() {
        if place % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Forwards lines until the end.
fn follow(from: Option<impl Read>, to: &Sender<String>) {
    let Some(from) = from else { return };
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        // Ignore the error and continue reading, because a full pipe would block the command.
        let _ = to.send(String::from_utf8_lossy(&line).into_owned());
        line.clear();
    }
}

/// A running call.
pub struct Running {
    child: Child,
    line: String,
    deadline: Instant,
    out: Receiver<String>,
    err: Receiver<String>,
    /// Everything that has been read from standard output and standard error so far.
    heard: [String; 2],
}

impl Running {
    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).expect("the signal can be sent");
    }

    /// Reads lines of standard error until `wished` returns true for one of them.
    #[track_caller]
    pub fn until(&mut self, mut wished: impl FnMut(&str) -> bool) {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            match self.err.recv_timeout(left) {
                Ok(line) => {
                    self.heard[1].push_str(&line);
                    if wished(&line) {
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.give_up("said nothing of what was awaited"),
                Err(RecvTimeoutError::Disconnected) => self.give_up("ended too early"),
            }
        }
    }

    /// Waits for a line of standard output for which `wished` returns true.
    #[track_caller]
    pub fn until_said(&mut self, wished: impl Fn(&str) -> bool) {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            match self.out.recv_timeout(left) {
                Ok(line) => {
                    self.heard[0].push_str(&line);
                    if wished(&line) {
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.give_up("said nothing of what was awaited"),
                Err(RecvTimeoutError::Disconnected) => self.give_up("ended too early"),
            }
        }
    }

    /// Waits for an event of `--progress json` for which `wished` returns true.
    #[track_caller]
    pub fn until_event(&mut self, wished: impl Fn(&Value) -> bool) {
        self.until(|line| serde_json::from_str(line).is_ok_and(|event| wished(&event)));
    }

    /// Waits for the call to finish.
    #[track_caller]
    pub fn wait(mut self) -> Done {
        // Give the process some time to exit, even if the time limit has passed while waiting for its output.
        let deadline = self.deadline.max(Instant::now() + LAST_MOMENT);
        let status = loop {
            match self.child.try_wait().expect("the command can be waited for") {
                Some(status) => break status,
                None if Instant::now() > deadline => self.give_up("did not end"),
                None => std::thread::sleep(POLL),
            }
        };
        let Self { line, out, err, heard: [mut answer, mut rest], .. } = self;
        answer.extend(out.iter());
        rest.extend(err.iter());
        Done { line, status, out: answer, err: rest }
    }

    #[track_caller]
    fn give_up(&mut self, what: &str) -> ! {
        // If the process cannot be killed, ignore this, because the panic below ends the test anyway.
        let _ = self.child.kill();
        panic!("{}: {what}; it said:\n{}\n{}", self.line, self.heard[0], self.heard[1]);
    }
}

/// A call that has ended.
#[derive(Debug)]
pub struct Done {
    /// The words of the call.
    pub line: String,
    status: ExitStatus,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

/// Returns true if the output contains a text, even if it is wrapped over several lines.
fn contains(output: &str, text: &str) -> bool {
    output.contains(text)
        || output.split_whitespace().collect::<Vec<&str>>().join(" ").contains(text)
}

impl Done {
    /// Returns the exit code. If a signal ended the call, this is 128 plus the number of the signal, as in a shell.
    pub fn code(&self) -> i32 {
        self.status.code().or(self.status.signal().map(|signal| 128 + signal)).unwrap_or(-1)
    }

    /// Returns true if the only reason why runs were INVALID is that this busy machine gave the client too little CPU
    /// time.
    fn is_only_stopped(&self) -> bool {
        let told = if self.out.starts_with('{') {
            let record: Value = serde_json::from_str(&self.out).unwrap_or_default();
            let notices = record["result"]["notices"].as_array().into_iter().flatten();
            let invalid = notices.filter(|notice| notice["invalidates"] == true);
            invalid.map(|notice| notice["id"].as_str().unwrap_or_default().to_owned()).collect()
        } else {
            self.out.lines().filter(|line| line.contains("INVALID")).map(str::to_owned).collect()
        };
        let told: Vec<String> = told;
        let stopped = |told: &String| {
            let in_script = told.contains(STOPPED_IN_SCRIPT) && !told.contains("; V");
            told == "V12" || told.trim_end().ends_with(STOPPED) || in_script
        };
        self.code() == 4 && is_busy() && !told.is_empty() && told.iter().all(stopped)
    }

    /// Returns true if the only reason why `tacho up` failed is that the server is not installed on this machine.
    pub fn misses_a_server(&self) -> bool {
        self.code() == 3 && self.err.contains(" server was found on this machine")
    }

    /// Fails unless the exit code is `code`.
    #[track_caller]
    pub fn expect_code(&self, code: i32) {
        assert_eq!(self.code(), code, "exit code of {}", self.in_short());
    }

    /// Fails unless standard output contains all of these strings.
    #[track_caller]
    pub fn says(&self, texts: &[&str]) -> &Self {
        for text in texts {
            assert!(contains(&self.out, text), "no answer {text:?} of {}", self.in_short());
        }
        self
    }

    /// Fails unless standard error contains all of these strings.
    #[track_caller]
    pub fn complains(&self, texts: &[&str]) -> &Self {
        for text in texts {
            assert!(contains(&self.err, text), "no words {text:?} of {}", self.in_short());
        }
        self
    }

    /// Fails unless the call has printed an error with a hint, and nothing to standard output.
    #[track_caller]
    pub fn is_error(&self) -> &Self {
        assert!(self.out.is_empty(), "an answer in spite of an error of {}", self.in_short());
        self.complains(&["error: ", "hint: "])
    }

    /// Parses standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        let read = serde_json::from_str(&self.out);
        read.unwrap_or_else(|error| panic!("no JSON, {error}, of {}", self.in_short()))
    }

    /// Parses standard output as JSON, after skipping everything up to and including the line that starts with `start`.
    #[track_caller]
    pub fn json_after(&self, start: &str) -> Value {
        let lines: Vec<&str> =
            self.out.lines().skip_while(|line| !line.starts_with(start)).skip(1).collect();
        let read = serde_json::from_str(&lines.join("\n"));
        read.unwrap_or_else(|error| panic!("no JSON, {error}, of {}", self.in_short()))
    }

    /// Returns the command line and the output. The middle of a long output is left out.
    fn in_short(&self) -> String {
        let cut = |text: &str| {
            let all: Vec<char> = text.chars().collect();
            if all.len() <= 2 * SHOWN {
                return text.to_owned();
            }
            let (first, last) = (&all[..SHOWN], &all[all.len() - SHOWN..]);
            format!("{}\n[…]\n{}", String::from_iter(first), String::from_iter(last))
        };
        let Self { line, out, err, .. } = self;
        format!("{line}\n--- answer\n{}\n--- standard error\n{}", cut(out), cut(err))
    }
}
