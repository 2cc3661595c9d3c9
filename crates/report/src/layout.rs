//! Lines of text within a width, counted in characters: thin spaces and marks take several bytes.
//!
//! Start reading at [`Page`].

use crate::color;
use crate::document::{Block, Fact, Remark};
use crate::padding::{pad, width};
use crate::table::Table;

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

/// A heading and blocks as text.
pub(crate) fn text(heading: &str, blocks: Vec<Block>, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    page.text(heading, 2);
    page.blocks(blocks);
    page.finish()
}

/// Where the content of a labelled line begins.
const CONTENT: usize = 15;
const MARKS: [char; 4] = ['✓', '✗', '!', '–'];

/// Lines that are being collected.
pub(crate) struct Page {
    options: TextOptions,
    lines: Vec<String>,
}

impl Page {
    pub(crate) fn new(options: &TextOptions) -> Self {
        Self { options: *options, lines: Vec::new() }
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

    /// Adds paragraphs under labels: `  accounting   …`.
    pub(crate) fn facts(&mut self, facts: impl IntoIterator<Item = Fact>) {
        for Fact { mut label, paragraphs } in facts {
            for paragraph in paragraphs {
                let marked = paragraph.starts_with(MARKS);
                let hang = CONTENT + if marked { 2 } else { 0 };
                let label = pad(&format!("  {}", std::mem::take(&mut label)), CONTENT);
                self.text(&format!("{label}{paragraph}"), hang);
            }
        }
    }

    /// Adds warnings and reasons, each with its remedy.
    pub(crate) fn remarks(&mut self, remarks: &[Remark]) {
        for remark in remarks {
            self.text(&format!("  {}{}", remark.tone.mark(), remark.text), 4);
            if !remark.hint.is_empty() {
                self.text(&format!("    hint: {}", remark.hint), 10);
            }
        }
    }

    /// Adds blocks with empty lines between them, but for paragraphs. Charts are for browsers.
    pub(crate) fn blocks(&mut self, blocks: Vec<Block>) {
        let mut after_paragraph = false;
        for block in blocks {
            let is_paragraph = matches!(block, Block::Paragraph { .. });
            if !(is_paragraph && after_paragraph) {
                self.blank();
            }
            after_paragraph = is_paragraph;
            match block {
                Block::Paragraph { text } => self.text(&text, 0),
                Block::Remarks { remarks } => self.remarks(&remarks),
                Block::Facts { facts } => self.facts(facts),
                Block::Table(table) => self.table(&table),
                Block::Listing { title, text } => {
                    self.line(title);
                    self.lines(text.lines().map(|line| format!("  {line}")));
                }
                Block::Code { text } => self.line(text),
                Block::Chart(_) | Block::Terms { .. } => {}
            }
        }
    }

    /// Adds a table, below its title if it has one.
    pub(crate) fn table(&mut self, table: &Table) {
        if !table.title.is_empty() {
            self.line(table.title.clone());
        }
        // Titles that say nothing take no line.
        let untitled = table.columns.iter().all(|column| column.title.is_empty());
        self.lines(table.lines().into_iter().skip(usize::from(untitled)));
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
    }
}
