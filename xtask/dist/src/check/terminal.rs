//! The programs in a terminal: the live view with its colours, and Ctrl-C as a person presses it.
//!
//! The byte 3 goes to the terminal, and the system of the program makes of it what it does there: a signal on Unix, an
//! event of the console on Windows.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::Trial;

/// What a run prints once it measures, and what it prints although it was stopped.
const MEASURES: &str = "measure";
const AFTERWARDS: [&str; 2] = ["commits match", "Saved"];
/// What opens and closes the terminal's second screen, and begins a colour of its palette of 256.
const OPENS: &str = "\x1b[?1049h";
const CLOSES: &str = "\x1b[?1049l";
const COLOUR: &str = "\x1b[38;5;";
/// What a program says of a terminal whose system lacks a call, before it prints lines.
const REFUSES: &str = "the terminal cannot be drawn on (Function not implemented";
/// The documented exit code after Ctrl-C.
const STOPPED: i32 = 130;
/// Emulated programs take long to load the data.
const PATIENCE: Duration = Duration::from_mins(2);

/// Stops a run of minutes in the measured phase; says what became of it.
pub fn stops_a_run(trial: &Trial) -> Result<String, String> {
    let words = "run -d 10m --ramp-up 1s --progress plain";
    let mut terminal = Terminal::start(trial, words)?;
    terminal.follow(Some(MEASURES))?;
    terminal.keys.write_all(&[3]).map_err(|error| format!("press Ctrl-C: {error}"))?;
    terminal.follow(None)?;
    let status = terminal.child.wait().map_err(|error| format!("wait for script: {error}"))?;
    let said = &terminal.said;
    match AFTERWARDS.iter().find(|wanted| !said.contains(**wanted)) {
        _ if status.code() != Some(STOPPED) => {
            Err(format!("tacho {words}: {status} after Ctrl-C\n{said}"))
        }
        None => Ok(format!("summary, saved run, exit code {STOPPED}")),
        Some(missing) => Err(format!("tacho {words} does not say \"{missing}\":\n{said}")),
    }
}

/// What became of a live view.
pub enum View {
    Shown(String),
    /// The emulated system has no such terminal, and the program said so.
    Refused(String),
}

/// Shows the live view of a run to its end.
pub fn shows_the_live_view(trial: &Trial) -> Result<View, String> {
    let words = "run -d 3s --ramp-up 1s --progress tui";
    let mut terminal = Terminal::start(trial, words)?;
    terminal.follow(None)?;
    let status = terminal.child.wait().map_err(|error| format!("wait for script: {error}"))?;
    let said = &terminal.said;
    match said.split_once(OPENS).and_then(|(_, view)| view.split_once(CLOSES)) {
        Some((view, after)) if view.contains(COLOUR) && after.contains("commits match") => {
            Ok(View::Shown("opened, in colours, closed before the summary".into()))
        }
        // QEMU 7 does not know the call that sets a terminal to raw bytes (TCGETS2).
        None if said.contains(REFUSES) && said.contains("commits match") => {
            let why = "the emulator has no raw terminal; the program says so and prints lines";
            Ok(View::Refused(why.into()))
        }
        _ => Err(format!("tacho {words}: {status}, and no live view\n{said}")),
    }
}

/// A program in a terminal.
struct Terminal {
    child: Child,
    /// Kept open: a terminal whose input has ended is a terminal that was closed.
    keys: ChildStdin,
    output: Receiver<Vec<u8>>,
    said: String,
}

impl Terminal {
    /// Starts the program in a terminal: `script` makes one and passes the exit code.
    fn start(trial: &Trial, words: &str) -> Result<Self, String> {
        let line = format!("stty cols 100 rows 30; {} {words}", trial.words.join(" "));
        let options = ["--quiet", "--return", "--command", &line, "/dev/null"];
        let mut command = trial.command("script", &options);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("start script: {error}"))?;
        let keys = child.stdin.take().ok_or("script has no standard input")?;
        let mut stdout = child.stdout.take().ok_or("script has no standard output")?;
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(length @ 1..) = stdout.read(&mut block) {
                if sender.send(block[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, keys, output, said: String::new() })
    }

    /// Waits until the program has said this, or has ended.
    fn follow(&mut self, wanted: Option<&str>) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        while wanted.is_none_or(|wanted| !self.said.contains(wanted)) {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.said.push_str(&String::from_utf8_lossy(&bytes)),
                Err(RecvTimeoutError::Disconnected) if wanted.is_none() => return Ok(()),
                Err(_) => return Err(format!("the run does not measure or stop:\n{}", self.said)),
            }
        }
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It has most often ended.
        let _ = self.child.kill();
    }
}
