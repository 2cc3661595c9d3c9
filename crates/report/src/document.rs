//! A report before formatting, made of blocks and sections. Text, Markdown and HTML show the same blocks, so all
//! numbers agree.
//!
//! This module contains no tags, Markdown syntax, terminal widths or colours.
//!
//! Start reading at [`Block`] and [`Document`].

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::table::Table;

/// Maximum number of rows in a table that is expanded by default. Longer tables are collapsed.
const ROWS_OPEN: usize = 20;

/// A report.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Document {
    /// Workload, target and server.
    pub(crate) title: String,
    /// Short facts about the run or sweep, such as its load, its length and its ID.
    pub(crate) subtitle: Vec<String>,
    /// The overall verdict.
    pub(crate) verdict: Verdict,
    /// The most important numbers of the result, in order of importance.
    pub(crate) figures: Vec<Figure>,
    /// The question and its answer in five lines. Empty if nothing was measured.
    pub(crate) answer: Vec<Fact>,
    /// A summary in Markdown, written by the person who sends the report. Empty if there is none.
    pub(crate) summary: String,
    /// The outcome in plain words.
    pub(crate) lead: String,
    /// Warnings and reasons that readers must see before the results.
    pub(crate) remarks: Vec<Remark>,
    pub(crate) sections: Vec<Section>,
    /// The workload's disclaimer.
    pub(crate) disclaimer: String,
    /// The program that created the report.
    pub(crate) made_by: String,
}

/// An overall verdict.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Verdict {
    pub(crate) tone: Tone,
    pub(crate) text: String,
}

/// The severity of a remark, which determines its colour. The text must state it too, because not everyone can tell the
/// colours apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tone {
    #[default]
    Good,
    Warn,
    Bad,
}

impl Tone {
    /// Returns the mark that is shown before a remark.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Bad => "✗ ",
            Self::Warn => "! ",
            Self::Good => "",
        }
    }
}

/// A key result with its name.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) value: String,
    pub(crate) name: String,
    pub(crate) detail: String,
}

/// A warning, or a reason for the verdict INVALID, with a hint.
#[derive(Clone, Debug, Serialize)]
pub struct Remark {
    pub(crate) tone: Tone,
    pub(crate) text: String,
    pub(crate) hint: String,
}

/// Paragraphs under a label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    pub(crate) label: Cow<'static, str>,
    pub(crate) paragraphs: Vec<String>,
}

impl Fact {
    /// Creates a fact with a single paragraph.
    pub(crate) fn new(label: &'static str, text: impl Into<String>) -> Self {
        Self { label: label.into(), paragraphs: vec![text.into()] }
    }

    /// Creates a fact with these paragraphs. Returns `None` if there are no paragraphs.
    pub(crate) fn of(label: &'static str, paragraphs: Vec<String>) -> Option<Self> {
        (!paragraphs.is_empty()).then_some(Self { label: label.into(), paragraphs })
    }
}

/// A line made of several parts. If the line is too long, it is wrapped between two parts where
/// possible.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Indentation level.
    pub(crate) level: usize,
    pub(crate) parts: Vec<String>,
    pub(crate) separator: &'static str,
}

impl Line {
    /// Creates a line with a single part.
    pub fn new(level: usize, text: impl Into<String>) -> Self {
        Self { level, parts: vec![text.into()], separator: "" }
    }

    /// Creates a line that separates its parts by dots, as in `tprocc on pg16 · PostgreSQL 16.4 · 100 warehouses`.
    pub(crate) fn dotted(parts: Vec<String>) -> Self {
        Self { level: 0, parts, separator: " · " }
    }
}

/// A section of the report, with its own entry in the table of contents.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    pub(crate) id: Cow<'static, str>,
    pub(crate) title: Cow<'static, str>,
    pub(crate) blocks: Vec<Block>,
}

impl Section {
    /// Creates a section, or returns `None` if it would have no blocks.
    pub(crate) fn of(id: &'static str, title: &'static str, blocks: Vec<Block>) -> Option<Self> {
        (!blocks.is_empty()).then_some(Self { id: id.into(), title: title.into(), blocks })
    }

    /// Returns the section with a run's ID added to its title. Used in reports on several runs.
    pub(crate) fn of_run(self, id: &str) -> Self {
        Self { title: format!("{}, run {id}", self.title).into(), ..self }
    }
}

/// A part of a section, or part of a command's output.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(missing_docs, reason = "each block's name explains its field")]
pub enum Block {
    /// A title for the blocks that follow it.
    Heading { text: String },
    /// One or more sentences.
    Paragraph { text: String },
    /// A group of lines.
    Lines { lines: Vec<Line> },
    /// Warnings, and reasons for the verdict INVALID, displayed in a box.
    Remarks { remarks: Vec<Remark> },
    /// Paragraphs with labels.
    Facts { facts: Vec<Fact> },
    /// A table.
    Table(Table),
    /// A chart.
    Chart(Chart),
    /// Output of the database, shown unchanged under a title. The HTML report may collapse it.
    Listing { title: String, text: String },
    /// Lines that are never wrapped, such as text to be copied or fixed-width columns.
    Code { text: String },
    /// Terms with their definitions.
    Terms { terms: Vec<(&'static str, &'static str)> },
}

/// A chart, which is drawn in the reader's browser.
#[derive(Clone, Debug, Serialize)]
pub struct Chart {
    /// The chart's key in the report data.
    pub(crate) id: String,
    /// The chart type, using a name that `charts.js` recognizes.
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    /// A sentence that explains how to interpret the chart.
    pub(crate) reading: &'static str,
    /// Further information about the data, such as what each bar represents.
    pub(crate) note: String,
    #[serde(skip)]
    pub(crate) data: Value,
}

impl Block {
    /// Creates a table that is never folded.
    pub fn table(title: impl Into<String>, table: Table) -> Self {
        Self::Table(Table { title: title.into(), ..table })
    }

    /// Creates a table that a page may fold.
    pub(crate) fn folded(title: impl Into<String>, table: Table) -> Self {
        Self::Table(Table { title: title.into(), folded: true, ..table })
    }

    /// Creates a table that is folded if it has many rows.
    pub(crate) fn long(title: impl Into<String>, table: Table) -> Self {
        let folded = table.length() > ROWS_OPEN;
        Self::Table(Table { title: title.into(), folded, ..table })
    }

    /// Creates a paragraph of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Paragraph { text: text.into() }
    }

    /// Creates a title for the blocks after it.
    pub fn heading(text: impl Into<String>) -> Self {
        Self::Heading { text: text.into() }
    }

    /// Creates a group of lines.
    pub fn lines(lines: impl IntoIterator<Item = Line>) -> Self {
        Self::Lines { lines: lines.into_iter().collect() }
    }

    /// Creates a block of remarks, or returns `None` if there are no remarks.
    pub(crate) fn remarks(remarks: impl IntoIterator<Item = Remark>) -> Option<Self> {
        let remarks: Vec<Remark> = remarks.into_iter().collect();
        (!remarks.is_empty()).then_some(Self::Remarks { remarks })
    }

    /// Creates a block of facts, or returns `None` if there are no facts.
    pub(crate) fn facts(facts: impl IntoIterator<Item = Fact>) -> Option<Self> {
        let facts: Vec<Fact> = facts.into_iter().collect();
        (!facts.is_empty()).then_some(Self::Facts { facts })
    }
}

impl Document {
    /// Returns the blocks of all sections, followed by the remarks and the disclaimer, in the order
    /// of a text report.
    pub(crate) fn blocks(self) -> impl Iterator<Item = Block> {
        let disclaimer = (!self.disclaimer.is_empty()).then(|| Block::text(self.disclaimer));
        let blocks = self.sections.into_iter().flat_map(|section| section.blocks);
        blocks.chain(Block::remarks(self.remarks)).chain(disclaimer)
    }

    /// Returns all charts in order.
    pub(crate) fn charts(&self) -> impl Iterator<Item = &Chart> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Chart(chart) => Some(chart),
            _ => None,
        })
    }
}
