//! Text from the user's files, and positions in those files.
//!
//! Start reading at [`Source::error`].

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tacho_core::{Error, Result, file, suggestion};

/// Returns the string with a static lifetime, which is the lifetime of the strings of built-in workloads.
pub fn keep(text: String) -> &'static str {
    text.leak()
}

/// Strings of a workload, which live as long as the process. Each string is stored only once, even
/// if several instances use it.
#[derive(Debug, Default)]
pub struct Texts(Mutex<BTreeSet<&'static str>>);

impl Texts {
    /// Keeps a string.
    pub fn keep(&self, text: String) -> &'static str {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(text.as_str()) {
            return known;
        }
        let text = keep(text);
        kept.insert(text);
        text
    }
}

/// Reads a user's file.
pub fn read_text(path: &Path) -> Result<String> {
    file::text(path, file::SMALL_MAX).map_err(|error| {
        Error::usage(error.to_string()).source(error).during(format!("read {}", path.display()))
    })
}

/// A user's file.
#[derive(Debug)]
pub struct Source {
    /// Path of the file, starting with the folder as specified by the user.
    pub path: String,
    /// Contents of the file.
    pub text: String,
}

impl Source {
    /// Returns the position of a byte as the name of the file, the line, and the column.
    pub fn place(&self, at: usize) -> String {
        let before = self.text.get(..at.min(self.text.len())).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{}:{line}:{column}", self.path)
    }

    /// Returns a usage error at a byte offset in the file.
    pub fn error(&self, at: usize, message: impl AsRef<str>) -> Error {
        Error::usage(format!("{}: {}", self.place(at), message.as_ref()))
    }
}

/// A part of a file in the workload's own language: an expression, or the steps of a transaction.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Text of the part.
    pub text: Arc<str>,
    source: Arc<Source>,
    start: usize,
    /// True if the text appears in the file unchanged, so that a position in the text can be
    /// converted to a position in the file.
    exact: bool,
    /// Positions of the lines in the file, computed on first use.
    lines: Arc<OnceLock<Vec<usize>>>,
}

impl Piece {
    /// Creates a piece from a quoted string at `span`.
    pub fn quoted(source: &Arc<Source>, span: std::ops::Range<usize>, text: &str) -> Self {
        let raw = source.text.get(span.clone()).unwrap_or_default();
        let quotes = if raw.starts_with("'''") || raw.starts_with("\"\"\"") { 3 } else { 1 };
        let mut start = span.start + quotes;
        if quotes == 3 && source.text.as_bytes().get(start) == Some(&b'\n') {
            start += 1;
        }
        let exact = source.text.get(start..).is_some_and(|rest| rest.starts_with(text));
        let lines = Arc::default();
        Self { text: text.into(), source: Arc::clone(source), start, exact, lines }
    }

    /// Creates a piece from unquoted text at `span`, such as a number.
    pub fn plain(source: &Arc<Source>, span: std::ops::Range<usize>) -> Self {
        let text = source.text.get(span.clone()).unwrap_or_default().into();
        let lines = Arc::default();
        Self { text, source: Arc::clone(source), start: span.start, exact: true, lines }
    }

    /// Returns the file, line and column of a byte in the piece.
    pub fn place(&self, at: u32) -> String {
        let text = self.source.text.as_str();
        let at = if self.exact { self.start + at as usize } else { self.start }.min(text.len());
        let ends = || text.match_indices('\n').map(|(end, _)| end + 1);
        let lines = self.lines.get_or_init(|| std::iter::once(0).chain(ends()).collect());
        let line = lines.partition_point(|start| *start <= at);
        let before = lines.get(line - 1).and_then(|start| text.get(*start..at)).unwrap_or_default();
        format!("{}:{line}:{}", self.source.path, before.chars().count() + 1)
    }

    /// Returns a usage error at a byte offset in the piece.
    pub fn error(&self, fail: Fail) -> Error {
        let error = Error::usage(format!("{}: {}", self.place(fail.at), fail.message));
        fail.hints.into_iter().fold(error, Error::hint)
    }
}

/// An error at a byte offset in a [`Piece`].
#[derive(Debug)]
pub struct Fail {
    /// Position of the error.
    pub at: u32,
    message: String,
    hints: Vec<String>,
}

impl Fail {
    /// Creates an error. Its message starts with a lower-case letter and has no full stop.
    pub fn new(at: u32, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), hints: Vec::new() }
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Returns the error for an unknown name, which suggests the most similar known names.
    pub fn unknown<'a>(
        at: u32,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let fail = Self::new(at, format!("unknown {what} \"{name}\""));
        match suggestion(name, known) {
            Some(hint) => fail.hint(hint),
            None => fail,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_from_one() {
        let source = Source { path: "w.toml".into(), text: "a = 1\né = '''\nx +\n'''\n".into() };
        assert_eq!(source.place(0), "w.toml:1:1");
        assert_eq!(source.place(source.text.find("=  ").unwrap_or(4)), "w.toml:1:5");
        let span = source.text.find("'''").expect("quotes")..source.text.len() - 1;
        let source = Arc::new(source);
        let piece = Piece::quoted(&source, span, "x +\n");
        assert_eq!(piece.place(2), "w.toml:3:3");
        let whole = Piece::plain(&source, 0..source.text.len());
        for at in (0..source.text.len() + 2).filter(|at| source.text.is_char_boundary(*at)) {
            assert_eq!(whole.place(at as u32), source.place(at));
        }
    }
}
