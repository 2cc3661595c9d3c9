//! Lines of text within a width, counted in characters: thin spaces and marks take several bytes.
//!
//! Start reading at [`Page`].

use serde::Serialize;

use crate::color;

/// How text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Columns of the terminal; 100 is the full form, 80 a shorter one.
    pub width: usize,
    /// Whether to colour by ANSI codes. Colour never carries meaning alone.
    pub color: bool,
}

/// A result that can be shown on a terminal.
pub trait Text {
    /// As text.
    fn text(&self, options: &TextOptions) -> String;
}

/// Where the content of a labelled line begins.
const CONTENT: usize = 15;
const MARKS: [char; 4] = ['✓', '✗', '!', '–'];

/// Lines that are being collected.
pub(crate) struct Page {
    options: TextOptions,
    lines: Vec<String>,
    facts: Vec<Fact>,
}

/// Paragraphs under one label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Fact {
    pub(crate) label: String,
    pub(crate) paragraphs: Vec<String>,
}

/// What `fill` says under labels, without a width: the same words for every format.
pub(crate) fn facts(fill: impl FnOnce(&mut Page)) -> Vec<Fact> {
    let mut page = Page::new(&TextOptions { width: usize::MAX, color: false });
    fill(&mut page);
    page.facts
}

impl Page {
    pub(crate) fn new(options: &TextOptions) -> Self {
        Self { options: *options, lines: Vec::new(), facts: Vec::new() }
    }

    /// Columns that a line may have.
    pub(crate) fn width(&self) -> usize {
        self.options.width
    }

    /// Adds a line as it is.
    pub(crate) fn line(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Adds lines as they are.
    pub(crate) fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        self.lines.extend(lines);
    }

    /// Adds an empty line, unless there is one.
    pub(crate) fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    /// Adds a text, wrapped; further lines are indented by `hang`.
    pub(crate) fn text(&mut self, text: &str, hang: usize) {
        self.lines.extend(wrap(text, self.options.width, hang));
    }

    /// Adds paragraphs under one label: `  accounting   …`.
    pub(crate) fn labelled(&mut self, label: &str, paragraphs: &[String]) {
        if !paragraphs.is_empty() {
            self.facts.push(Fact { label: label.into(), paragraphs: paragraphs.to_vec() });
        }
        let mut label = label;
        for paragraph in paragraphs {
            let marked = paragraph.starts_with(MARKS);
            let hang = CONTENT + if marked { 2 } else { 0 };
            let text = format!("{}{paragraph}", pad(&format!("  {label}"), CONTENT));
            self.lines.extend(wrap(&text, self.options.width, hang));
            label = "";
        }
    }

    /// The text, with a line break at its end.
    pub(crate) fn finish(mut self) -> String {
        while self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
        let text: String = self.lines.iter().flat_map(|line| [line.trim_end(), "\n"]).collect();
        let mut text = tacho_core::visible(&text).into_owned();
        if self.options.color {
            text = color::paint(&text);
        }
        text
    }
}

/// Characters of a text.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// The text, filled with spaces on the right.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text, filled with spaces on the left.
pub(crate) fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text, cut with an ellipsis if it is too long.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.into();
    }
    let kept: String = text.chars().take(columns.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Parts joined by `separator`, broken only between parts; further lines begin with `indent`.
pub(crate) fn join(parts: &[String], separator: &str, columns: usize, indent: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(last) if width(last) + width(separator) + width(part) <= columns => {
                last.push_str(separator);
                last.push_str(part);
            }
            Some(_) => lines.push(format!("{indent}{part}")),
            None => lines.push(part.clone()),
        }
    }
    lines
}

/// Breaks a text at its spaces. The first line keeps its own indentation and inner runs of spaces.
fn wrap(text: &str, columns: usize, hang: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut begun = false;
    for word in text.split(' ') {
        if begun && !word.is_empty() && width(&line) + 1 + width(word) > columns && has_word(&line)
        {
            lines.push(std::mem::replace(&mut line, " ".repeat(hang)));
        } else if begun {
            line.push(' ');
        }
        line.push_str(word);
        begun = true;
    }
    lines.push(line);
    lines
}

fn has_word(line: &str) -> bool {
    !line.trim_start().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_counts_characters_and_hangs() {
        let got = wrap("  label  ✓ one\u{202F}two three four", 18, 9);
        assert_eq!(got, ["  label  ✓ one\u{202F}two", "         three", "         four"]);
        assert_eq!(wrap("averyverylongword", 5, 2), ["averyverylongword"]);
    }

    #[test]
    fn parts_are_kept_whole() {
        let parts = ["one".to_owned(), "two three".into(), "four".into()];
        assert_eq!(join(&parts, " · ", 12, "  "), ["one", "  two three", "  four"]);
        assert_eq!(join(&parts, " · ", 99, ""), ["one · two three · four"]);
        assert_eq!(cut("abcdef", 4), "abc…");
    }
}
