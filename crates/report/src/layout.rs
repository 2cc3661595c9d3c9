//! Lays out text for a given width. Widths are counted in characters.
//!
//! Start reading at [`page`].

use crate::color;
use crate::document::{Block, Fact, Line, Remark};
use crate::padding::{pad, width};
use crate::table::Table;

/// Options for text output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Terminal width in columns. Tables omit columns that do not fit.
    pub width: usize,
    /// True if the text is coloured with ANSI escape codes. Nothing is expressed by colour alone.
    pub color: bool,
}

/// A result that can be displayed on a terminal.
pub trait Text {
    /// Returns the result as text.
    fn text(&self, options: &TextOptions) -> String;
}

/// Formats a heading and blocks as text.
pub(crate) fn text(heading: &str, blocks: Vec<Block>, options: &TextOptions) -> String {
    let heading = Block::lines([Line::new(0, heading)]);
    page(std::iter::once(heading).chain(blocks), options)
}

/// Formats blocks as text, without charts and definitions of terms.
pub fn page(blocks: impl IntoIterator<Item = Block>, options: &TextOptions) -> String {
    let mut page = Page { options: *options, lines: Vec::new() };
    let mut before = None;
    for block in blocks {
        if !before.is_some_and(|before| stand_together(&before, &block)) {
            page.blank();
        }
        page.block(&block);
        before = Some(block);
    }
    page.finish()
}

/// Returns true if no empty line separates the two blocks.
const fn stand_together(before: &Block, after: &Block) -> bool {
    use Block::{Heading, Paragraph};
    matches!(
        (before, after),
        (Paragraph { .. }, Paragraph { .. }) | (Heading { .. }, _) | (_, Heading { .. })
    )
}

/// Column in which the text next to a label starts, unless the label is too long.
const CONTENT: usize = 15;
/// Minimum terminal width for displaying content next to its label.
const SIDE_BY_SIDE: usize = 60;
const NARROW: usize = 6;
const MARKS: [char; 4] = ['✓', '✗', '!', '–'];
const HINT: &str = "hint: ";

/// The lines collected so far.
struct Page {
    options: TextOptions,
    lines: Vec<String>,
}

impl Page {
    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { text } => self.text(text, 2),
            Block::Paragraph { text } => self.text(text, 0),
            Block::Lines { lines } => lines.iter().for_each(|line| self.line(line)),
            Block::Remarks { remarks } => self.remarks(remarks),
            Block::Facts { facts } => self.facts(facts),
            Block::Table(table) => self.table(&table.fitting(self.options.width)),
            Block::Listing { title, text } => {
                self.lines.push(title.clone());
                self.lines.extend(text.lines().map(|line| format!("  {line}")));
            }
            Block::Code { text } => self.lines.extend(text.lines().map(str::to_owned)),
            Block::Chart(_) | Block::Terms { .. } => {}
        }
    }

    /// Adds an empty line, unless the last line is already empty.
    fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    /// Adds text, wrapped to the width. Continuation lines are indented by `hang`.
    fn text(&mut self, text: &str, hang: usize) {
        self.lines.extend(wrap(text, self.options.width, hang));
    }

    fn line(&mut self, line: &Line) {
        let indent = 2 * line.level;
        let mut parts = line.parts.clone();
        if let Some(first) = parts.first_mut() {
            first.insert_str(0, &" ".repeat(indent));
        }
        for line in join(&parts, line.separator, self.options.width, "  ") {
            self.text(&line, indent + 2);
        }
    }

    /// Adds labelled paragraphs, as in `  accounting   …`. If a paragraph starts with a mark, its
    /// further lines are aligned with the text after the mark.
    fn facts(&mut self, facts: &[Fact]) {
        let is_marked = |text: &str| text.starts_with(MARKS);
        let marks = if facts.iter().any(|fact| is_marked(&fact.label)) { 2 } else { 0 };
        let longest = facts.iter().map(|fact| width(&fact.label)).max().unwrap_or(0);
        let content = (CONTENT + marks).max(longest + 3);
        let hang = if self.options.width < SIDE_BY_SIDE { NARROW } else { content };
        for Fact { label, paragraphs } in facts {
            let mut label = pad(&format!("  {label}"), content);
            for paragraph in paragraphs {
                let more = match paragraph {
                    text if text.starts_with(HINT) => HINT.len(),
                    text if is_marked(text) => 2,
                    _ => 0,
                };
                self.text(&format!("{label}{paragraph}"), hang + more);
                label = " ".repeat(hang);
            }
        }
    }

    /// Adds warnings and reasons, each with its hint.
    fn remarks(&mut self, remarks: &[Remark]) {
        for remark in remarks {
            self.text(&format!("  {}{}", remark.tone.mark(), remark.text), 4);
            if !remark.hint.is_empty() {
                self.text(&format!("    {HINT}{}", remark.hint), 10);
            }
        }
    }

    /// Adds a table, including its title and its note.
    fn table(&mut self, table: &Table) {
        if !table.title.is_empty() {
            self.lines.push(table.title.clone());
        }
        // If no column has a title, the header line is omitted.
        let untitled = table.columns.iter().all(|column| column.title.is_empty());
        self.lines.extend(table.lines().into_iter().skip(usize::from(untitled)));
        if !table.note.is_empty() {
            self.text(&format!("  {}", table.note), 4);
        }
    }

    /// Returns the text, which ends with a line break.
    fn finish(mut self) -> String {
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

/// Joins parts with `separator`. Lines are broken only between parts, and all lines after the first
/// start with `indent`.
fn join(parts: &[String], separator: &str, columns: usize, indent: &str) -> Vec<String> {
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

/// Wraps text at spaces. The first line keeps its indentation and all its spaces.
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

    #[test]
    fn labels_marks_and_hints_are_aligned_on_any_terminal() {
        let facts = vec![
            Fact::new("server", "SQLite"),
            Fact::of("a longer label", vec!["✗ one two".into(), "hint: three".into()]).unwrap(),
        ];
        let block = Block::Facts { facts };
        let at = |width| page([block.clone()], &TextOptions { width, color: false });
        assert_eq!(
            at(60),
            "  server         SQLite\n  a longer label ✗ one two\n                 hint: three\n"
        );
        assert_eq!(
            at(24),
            "  server         SQLite\n  a longer label ✗ one\n        two\n      hint: three\n"
        );
    }

    #[test]
    fn a_heading_stands_with_its_blocks_and_other_blocks_stand_apart() {
        let [text, heading] = [Block::text("text"), Block::heading("heading")];
        let lines = Block::lines([Line::dotted(vec!["one".into(), "two".into()])]);
        let blocks = [text.clone(), text.clone(), lines.clone(), lines, heading, text];
        let got = page(blocks, &TextOptions { width: 80, color: false });
        assert_eq!(got, "text\ntext\n\none · two\n\none · two\nheading\ntext\n");
    }
}
