//! Reads interactive input. On a terminal, there is a history, line editing and completion. From a pipe, lines are read
//! as they are.

use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel};
use std::time::Duration;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};
use tacho_core::file::{SMALL_MAX, typed_line};

use crate::console::COMMANDS;
use crate::dictionary::{DATABASES, generic_keys, keys};
use crate::tcl::decoded;

const PROMPT: &str = "hammerdb>";
/// Interval at which the prompt checks for other events.
const LOOK: Duration = Duration::from_millis(50);

/// Input from the user.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// A line.
    Line(String),
    /// A line that is too long.
    TooLong,
    /// Ctrl-C at the prompt. It discards the current line and any earlier lines of the same command.
    GivenUp,
}

/// Input lines. A separate thread reads them, so that events can be processed meanwhile.
pub struct Typed {
    ask: SyncSender<bool>,
    lines: Receiver<Option<Input>>,
}

impl Typed {
    /// Starts reading input. On a terminal, a line editor is used.
    pub fn start(terminal: bool) -> Self {
        let (ask, asked) = sync_channel(1);
        let (say, lines) = channel();
        std::thread::spawn(move || {
            let mut reader = Reader::new(terminal);
            while let Ok(continued) = asked.recv() {
                if say.send(reader.read(continued)).is_err() {
                    return;
                }
            }
        });
        Self { ask, lines }
    }

    /// Returns the next line, or `None` at the end of the input. Calls `meanwhile` repeatedly while waiting, and stops
    /// if it returns false.
    pub fn next(&self, continued: bool, mut meanwhile: impl FnMut() -> bool) -> Option<Input> {
        self.ask.send(continued).ok()?;
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => return line,
                Err(RecvTimeoutError::Timeout) if meanwhile() => {}
                Err(_) => return None,
            }
        }
    }
}

/// Prints a line to standard output.
#[cfg(unix)]
pub fn print(text: &str) {
    // Ignore errors, because the script continues even if nobody reads the output.
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Prints an error message about a line.
pub fn complain(text: &str) {
    // Ignore errors, because the script continues even if nobody reads the output.
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

enum Reader {
    Terminal(Box<Editor<Completion, DefaultHistory>>),
    Plain,
}

impl Reader {
    fn new(terminal: bool) -> Self {
        let editor = if terminal { Editor::<Completion, DefaultHistory>::new().ok() } else { None };
        match editor {
            Some(mut editor) => {
                editor.set_helper(Some(Completion));
                Self::Terminal(Box::new(editor))
            }
            None => Self::Plain,
        }
    }

    fn read(&mut self, continued: bool) -> Option<Input> {
        match self {
            Self::Terminal(editor) => {
                let prompt = if continued { "> " } else { PROMPT };
                let line = match editor.readline(prompt) {
                    Ok(line) => line,
                    Err(ReadlineError::Interrupted) => return Some(Input::GivenUp),
                    Err(_) => return None,
                };
                let secret = line.contains("pass");
                // Do not add a line to the history if it may contain a password.
                if !secret {
                    let _ = editor.add_history_entry(&line);
                }
                Some(Input::Line(line))
            }
            Self::Plain => match typed_line(SMALL_MAX) {
                Ok(line) => {
                    let line = decoded(line?);
                    Some(Input::Line(line.trim_end_matches(['\r', '\n']).to_owned()))
                }
                Err(error) if error.kind() == ErrorKind::FileTooLarge => Some(Input::TooLong),
                Err(_) => None,
            },
        }
    }
}

/// Completes commands, sections and keys.
struct Completion;

/// Returns all words that can come next after the given words. They are suggested to the user for completion.
fn candidates(words: &[&str]) -> Vec<&'static str> {
    let all_keys = || DATABASES.iter().flat_map(|database| keys(database.prefix));
    match words {
        [] => COMMANDS.iter().map(|command| command.name).collect(),
        ["diset"] => vec!["connection", "tpcc", "tpch"],
        ["diset", section] => {
            all_keys().filter(|key| key.section == *section).map(|key| key.name).collect()
        }
        ["giset"] => generic_keys().iter().map(|key| key.section).collect(),
        ["giset", section] => generic_keys()
            .iter()
            .filter(|key| key.section == *section)
            .map(|key| key.name)
            .collect(),
        ["dbset"] => vec!["db", "bm"],
        ["dbset", "db"] => DATABASES.iter().map(|database| database.prefix).collect(),
        ["dbset", "bm"] => vec!["TPROC-C", "TPROC-H"],
        ["help"] => COMMANDS.iter().map(|command| command.name).collect(),
        // The usage text of a command lists its options.
        [name] => {
            let usage = COMMANDS.iter().find(|c| c.name == *name).map_or("", |c| c.usage);
            let options = usage.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
            options.map(|(options, _)| options.split('|').collect()).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

impl Completer for Completion {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let line = &line[..position];
        let start = line.rfind([' ', '[', ';']).map_or(0, |place| place + 1);
        let command = line[..start].rfind(['[', ';']).map_or(0, |place| place + 1);
        let words: Vec<&str> = line[command..start].split_whitespace().collect();
        let mut found: Vec<String> = candidates(&words)
            .into_iter()
            .filter(|word| word.starts_with(&line[start..]))
            .map(str::to_owned)
            .collect();
        found.sort();
        found.dedup();
        Ok((start, found))
    }
}

impl Hinter for Completion {
    type Hint = String;
}

impl Highlighter for Completion {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Borrowed(hint)
    }
}

impl Validator for Completion {}

impl Helper for Completion {}

#[cfg(test)]
mod tests {
    use super::candidates;

    #[test]
    fn completions_depend_on_the_preceding_words() {
        assert!(candidates(&[]).contains(&"buildschema"));
        assert!(candidates(&["diset", "tpcc"]).contains(&"pg_rampup"));
        assert!(candidates(&["giset", "commandline"]).contains(&"keepalive_margin"));
        assert!(candidates(&["vuset"]).contains(&"logtotemp"));
        assert_eq!(candidates(&["dbset", "db"]).len(), 6);
        assert!(candidates(&["vurun"]).is_empty());
    }
}
