//! Texts of the user's files, and where in a file something stands.
//!
//! Start reading at [`Source::error`].

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tacho_core::{Error, Result, file, nearest};

/// A text for as long as the process runs, as those of built-in workloads are.
pub fn keep(text: String) -> &'static str {
    text.leak()
}

/// Texts of a workload that are kept once, however often its instances make them.
#[derive(Debug, Default)]
pub struct Texts(Mutex<BTreeSet<&'static str>>);

impl Texts {
    /// Keeps a text.
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

/// Reads a file of the user.
pub fn read_text(path: &Path) -> Result<String> {
    file::text(path, file::SMALL_MAX).map_err(|error| {
        Error::usage(error.to_string()).source(error).during(format!("read {}", path.display()))
    })
}

/// A file of the user.
#[derive(Debug)]
pub struct Source {
    /// Its path, as the user names its folder.
    pub path: String,
    /// What it holds.
    pub text: String,
}

impl Source {
    /// File, line and column of a byte.
    pub fn place(&self, at: usize) -> String {
        let before = self.text.get(..at.min(self.text.len())).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{}:{line}:{column}", self.path)
    }

    /// An error of the user at a byte of the file.
    pub fn error(&self, at: usize, message: impl AsRef<str>) -> Error {
        Error::usage(format!("{}: {}", self.place(at), message.as_ref()))
    }
}

/// A part of a file that has a grammar of its own: an expression, or the steps of a transaction.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it says.
    pub text: Arc<str>,
    source: Arc<Source>,
    start: usize,
    /// Whether it stands in the file as it reads, so that places in it are places in the file.
    exact: bool,
    /// Where the lines of the file begin, once a place was asked for.
    lines: Arc<OnceLock<Vec<usize>>>,
}

impl Piece {
    /// A text in quotes that stands at these bytes of a file.
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

    /// A text that stands at these bytes as it is, such as a number.
    pub fn plain(source: &Arc<Source>, span: std::ops::Range<usize>) -> Self {
        let text = source.text.get(span.clone()).unwrap_or_default().into();
        let lines = Arc::default();
        Self { text, source: Arc::clone(source), start: span.start, exact: true, lines }
    }

    /// File, line and column of a byte of it.
    pub fn place(&self, at: u32) -> String {
        let text = self.source.text.as_str();
        let at = if self.exact { self.start + at as usize } else { self.start }.min(text.len());
        let ends = || text.match_indices('\n').map(|(end, _)| end + 1);
        let lines = self.lines.get_or_init(|| std::iter::once(0).chain(ends()).collect());
        let line = lines.partition_point(|start| *start <= at);
        let before = lines.get(line - 1).and_then(|start| text.get(*start..at)).unwrap_or_default();
        format!("{}:{line}:{}", self.source.path, before.chars().count() + 1)
    }

    /// An error of the user at a byte of it.
    pub fn error(&self, fail: Fail) -> Error {
        let error = Error::usage(format!("{}: {}", self.place(fail.at), fail.message));
        fail.hints.into_iter().fold(error, Error::hint)
    }
}

/// What is wrong at a byte of a [`Piece`].
#[derive(Debug)]
pub struct Fail {
    /// The byte.
    pub at: u32,
    message: String,
    hints: Vec<String>,
}

impl Fail {
    /// What is wrong, in lower case and without a full stop.
    pub fn new(at: u32, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), hints: Vec::new() }
    }

    /// Adds a remedy.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// An unknown name, with the nearest of those that are known.
    pub fn unknown<'a>(
        at: u32,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> Self {
        let fail = Self::new(at, format!("unknown {what} \"{name}\""));
        match close_to(name, known) {
            Some(hint) => fail.hint(hint),
            None => fail,
        }
    }
}

/// The known names that are nearest to one, as a question.
pub fn close_to<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let close = nearest(name, known);
    (!close.is_empty()).then(|| format!("did you mean {}?", close.join(", ")))
}

/// An error with the nearest of the known names.
pub fn with_nearest<'a>(error: Error, name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    match close_to(name, known) {
        Some(hint) => error.hint(hint),
        None => error,
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
