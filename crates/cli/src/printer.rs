//! The only module that prints. Results go to standard output, everything else to standard error.

use std::cell::Cell;
use std::io::{ErrorKind, IsTerminal, Write};

use clap::error::{ContextKind, ContextValue};
use tacho_app::Exit;
use tacho_core::{Error, Result, masked, visible};
use tacho_report::{Block, TextOptions, page};

use crate::world::World;

/// The sentence in which the argument parser refers to the help.
const TRY_HELP: &str = "For more information, try '--help'.";

/// Prints to a terminal or a pipe.
pub(crate) struct Printer {
    /// Layout options for results.
    pub(crate) options: TextOptions,
    /// True if standard output is a terminal.
    terminal: bool,
    /// True if the reader of standard output has closed the pipe. This is not an error.
    pipe_closed: Cell<bool>,
}

impl Printer {
    pub(crate) fn new(world: &World) -> Self {
        Self {
            options: TextOptions { width: world.width, color: world.color },
            terminal: std::io::stdout().is_terminal(),
            pipe_closed: Cell::new(false),
        }
    }

    /// Prints a part of the result.
    pub(crate) fn answer(&self, text: &str) -> Result<()> {
        self.write(&visible(text))
    }

    /// Prints a part of the result with colours. The caller must have removed control characters.
    pub(crate) fn painted(&self, text: &str) -> Result<()> {
        if self.options.color { self.write(text) } else { self.answer(text) }
    }

    /// Prints blocks of text. Lines are wrapped only if the output is a terminal.
    pub(crate) fn page(&self, blocks: impl IntoIterator<Item = Block>) -> Result<()> {
        let width = if self.terminal { self.options.width } else { usize::MAX };
        self.painted(&page(blocks, &TextOptions { width, ..self.options }))
    }

    /// Prints the content of a file, such as a page or a table, without changing it.
    pub(crate) fn file(&self, content: &str) -> Result<()> {
        if self.terminal { self.answer(content) } else { self.write(content) }
    }

    fn write(&self, text: &str) -> Result<()> {
        if self.pipe_closed.get() {
            return Ok(());
        }
        let mut out = std::io::stdout().lock();
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let written = out.write_all(text.as_bytes()).and_then(|()| out.write_all(end.as_bytes()));
        match written.and_then(|()| out.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.pipe_closed.set(true);
                Ok(())
            }
            Err(error) => Err(Error::from(error).during("write the output").hint(
                "write the output to a different place; the measurement was saved, and tacho show prints it",
            )),
        }
    }

    /// Prints an error with its hints.
    pub(crate) fn error(&self, error: &Error) {
        say_painted(&format!("{} {}", self.red("error:"), visible(&masked(&error.to_string()))));
        if !error.hints().is_empty() {
            say("");
        }
        for hint in error.hints() {
            say(&format!("  hint: {hint}"));
        }
    }

    /// Prints a message.
    #[expect(clippy::unused_self, reason = "printing requires a printer")]
    pub(crate) fn tell(&self, text: &str) {
        say(text);
    }

    /// Prints a message from the argument parser. If it is help, it goes to standard output; otherwise, it is an error.
    pub(crate) fn usage(&self, error: &clap::Error) -> Exit {
        if !error.use_stderr() {
            // A closed pipe is not an error.
            let _ = error.print();
            return Exit::Success;
        }
        if let Some(error) = word_of_another_tool(error) {
            self.error(&error);
            return Exit::Usage;
        }
        // Replace the parser's labels with Tacho's, so that all hints have the same form.
        let text = error.render();
        let text = if self.options.color { text.ansi().to_string() } else { text.to_string() };
        let text =
            text.replace("tip:", "hint:").replace(TRY_HELP, "  hint: --help lists the options");
        let text = masked(text.trim_end());
        if self.options.color {
            say_painted(&text);
        } else {
            say(&text);
        }
        Exit::Usage
    }

    fn red(&self, text: &str) -> String {
        if self.options.color { format!("\u{1b}[31m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Returns the error for an option or a command that has another name in Tacho.
fn word_of_another_tool(error: &clap::Error) -> Option<Error> {
    let kinds = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand];
    let word = kinds.into_iter().find_map(|kind| match error.get(kind) {
        Some(ContextValue::String(word)) => Some(word),
        _ => None,
    })?;
    let what = match error.kind() {
        clap::error::ErrorKind::UnknownArgument => "option",
        clap::error::ErrorKind::InvalidSubcommand => "command",
        _ => return None,
    };
    let ours = crate::args::ours_for(word)?;
    Some(Error::usage(format!("unknown {what} \"{word}\"")).hint(format!("use {ours}")))
}

/// Writes a line to standard error, without control characters and passwords. If the pipe is closed, does nothing.
pub(crate) fn say(text: &str) {
    say_painted(&visible(&masked(text)));
}

/// Writes a Tacho server's address to standard error. Its token is not masked, because the user needs it.
pub(crate) fn say_link(text: &str) {
    say_painted(&visible(text));
}

/// Writes a line to standard error without changing it.
fn say_painted(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
