//! Runs the binary in a pseudoterminal. Tests can read its screen and press keys.
//!
//! Tests wait until the expected output appears, and never for a fixed time. Start reading at [`Terminal::start`].

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::call::{SIGNALS, ignores_signals, is_busy};
use crate::{Folder, binary};

/// Time limit of each wait. Nothing needs nearly as long, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(100);
/// Time between two checks whether the terminal is to be closed.
const POLL: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// Escape sequence that leaves the alternate screen.
const LEAVES: &str = "\u{1b}[?1049l";
/// Escape sequence that enters the alternate screen.
const ENTERS: &str = "\u{1b}[?1049h";

/// A call to `tacho` in a terminal.
pub struct Terminal {
    child: Child,
    line: String,
    keyboard: File,
    closing: Arc<AtomicBool>,
    bytes: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    all: Vec<u8>,
    deadline: Instant,
}

impl Terminal {
    /// Starts `tacho` with the arguments in `line`. The terminal has this number of columns and rows.
    pub fn start(folder: &Folder, line: &str, (columns, rows): (u16, u16)) -> Self {
        Self::with(folder, line, (columns, rows), &[])
    }

    /// Starts `tacho` like [`Terminal::start`], with additional environment variables.
    pub fn with(
        folder: &Folder,
        line: &str,
        (columns, rows): (u16, u16),
        environment: &[(&str, &str)],
    ) -> Self {
        let mut words = vec![binary::tacho().as_os_str().to_owned()];
        words.extend(line.split_whitespace().map(OsString::from));
        Self::of(&words, folder, (columns, rows), environment)
    }

    /// Starts any program with arguments.
    pub fn of(
        words: &[OsString],
        folder: &Folder,
        (columns, rows): (u16, u16),
        environment: &[(&str, &str)],
    ) -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags).expect("a terminal");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("a terminal");
        let name = ptsname(&master, Vec::new()).expect("its name");
        tcsetwinsize(&master, size((columns, rows))).expect("its size");
        let path = name.to_string_lossy().into_owned();
        let slave = || OpenOptions::new().read(true).write(true).open(&path).expect("its end");
        // Make this terminal the controlling terminal of the process, so that signals come only from this terminal.
        let mut command = Command::new("setsid");
        command.arg("--ctty");
        if ignores_signals() {
            command.args(["env", SIGNALS]);
        }
        command.args(words).current_dir(folder.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("TERM", "xterm");
        command.envs(environment.iter().copied());
        command.stdin(Stdio::from(slave())).stdout(Stdio::from(slave()));
        let child = command.stderr(Stdio::from(slave())).spawn().expect("tacho starts");
        let keyboard = File::from(master);
        let (say, bytes) = channel();
        let closing = Arc::new(AtomicBool::new(false));
        let is_closing = Arc::clone(&closing);
        let mut from = keyboard.try_clone().expect("a second handle");
        std::thread::spawn(move || {
            let mut part = [0; 1 << 14];
            let is_readable = |from: &File| {
                let mut polled = [PollFd::new(from, PollFlags::IN)];
                poll(&mut polled, Some(&POLL)).is_ok_and(|ready| ready > 0)
            };
            while !is_closing.load(Ordering::SeqCst) {
                if !is_readable(&from) {
                    continue;
                }
                // The read fails when no process has the terminal open any more.
                let Ok(count @ 1..) = from.read(&mut part) else { break };
                if say.send(part[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            line: format!("{words:?}"),
            keyboard,
            closing,
            bytes,
            screen: vt100::Parser::new(some(rows), some(columns), 0),
            all: Vec::new(),
            deadline: Instant::now() + LIMIT,
        }
    }

    /// Returns the contents of the screen.
    pub fn screen(&self) -> String {
        self.screen.screen().contents()
    }

    /// Returns true if the program is using the alternate screen.
    pub fn is_view(&self) -> bool {
        self.screen.screen().alternate_screen()
    }

    /// Returns all bytes written so far.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.all).into_owned()
    }

    /// Waits until `wished` returns true for this terminal.
    #[track_caller]
    pub fn until(&mut self, wished: impl Fn(&Self) -> bool) {
        while !wished(self) {
            let left = self.deadline.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(why) => self.give_up(if why == RecvTimeoutError::Timeout {
                    "did not show what was awaited"
                } else {
                    "ended too early"
                }),
            }
        }
    }

    /// Waits until the screen shows the given words.
    #[track_caller]
    pub fn shows(&mut self, words: &str) {
        self.until(|terminal| terminal.is_view() && terminal.screen().contains(words));
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("keys can be pressed");
    }

    /// Changes the size of the terminal.
    pub fn resize(&mut self, (columns, rows): (u16, u16)) {
        self.screen.screen_mut().set_size(some(rows), some(columns));
        tcsetwinsize(&self.keyboard, size((columns, rows))).expect("its size");
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the signal can be sent");
    }

    /// Closes the terminal, as if its window were closed, and waits for the program to exit. Checks its exit code.
    #[track_caller]
    pub fn vanishes(mut self, code: i32) {
        self.closing.store(true, Ordering::SeqCst);
        // The end of this channel shows that the reading thread has closed its handle.
        while self.bytes.recv().is_ok() {}
        drop(self.keyboard);
        while Instant::now() < self.deadline {
            if let Some(status) = self.child.try_wait().expect("the program can be waited for") {
                let ended = status.code().or(status.signal().map(|signal| 128 + signal));
                assert_eq!(ended, Some(code), "exit code of {}", self.line);
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        panic!("{} goes on without its terminal", self.line);
    }

    /// Waits for the program to exit. Checks its exit code, and checks that it has restored the terminal.
    #[track_caller]
    pub fn ends(mut self, code: i32) -> Ended {
        let modes = loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            match self.bytes.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => self.give_up("did not end"),
                Err(RecvTimeoutError::Disconnected) => {
                    break tcgetattr(&self.keyboard).expect("the modes").local_modes;
                }
            }
        };
        let status = self.child.wait().expect("the end");
        let ended = status.code().or(status.signal().map(|signal| 128 + signal));
        let written = self.written();
        // The words are separated by color codes.
        let stopped = ["INVALID", ": tool stopped"].iter().all(|word| written.contains(word));
        let is_stopped = ended == Some(4) && code == 0 && stopped && is_busy();
        let ended = if is_stopped { Some(code) } else { ended };
        assert_eq!(ended, Some(code), "exit code of {}\n{written}", self.line);
        let usual = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        assert!(modes.contains(usual), "the terminal is not given back: {modes:?}");
        assert!(!self.is_view(), "the screen is not given back\n{written}");
        assert!(!self.screen.screen().hide_cursor(), "the cursor is gone\n{written}");
        let after = written.rsplit(LEAVES).next().unwrap_or_default().to_owned();
        let views = written.matches(ENTERS).count();
        Ended { written, after, views }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.all.extend_from_slice(bytes);
    }

    #[track_caller]
    fn give_up(&mut self, what: &str) -> ! {
        // If the process cannot be killed, ignore this, because the panic below ends the test anyway.
        let _ = self.child.kill();
        panic!("{}: {what}; the screen was:\n{}", self.line, self.screen());
    }
}

fn size((columns, rows): (u16, u16)) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

fn some(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("a terminal has a size")
}

/// A finished call in a terminal.
pub struct Ended {
    /// Everything that was written.
    pub written: String,
    /// Text that was written after the live view was closed. If no live view was shown, this is all of the text.
    pub after: String,
    /// Number of times the view was shown.
    pub views: usize,
}
