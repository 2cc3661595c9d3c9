//! What is shown, before it has a format: blocks, and sections of them. Text, Markdown and HTML are made
//! from the same ones, so that they cannot differ in a figure.
//!
//! It must never hold a tag, a mark of Markdown, the width of a terminal or a colour. Start reading at
//! [`Block`] and [`Document`].

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::table::Table;

/// Rows of an open table; a longer one is folded.
const ROWS_OPEN: usize = 20;

/// A report.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Document {
    /// What ran on what.
    pub(crate) title: String,
    /// How it ran, in parts.
    pub(crate) subtitle: Vec<String>,
    /// The judgement on the whole.
    pub(crate) verdict: Verdict,
    /// The figures that count, the first one most.
    pub(crate) figures: Vec<Figure>,
    /// The outcome in plain words.
    pub(crate) lead: String,
    /// What a reader must know before a figure.
    pub(crate) remarks: Vec<Remark>,
    pub(crate) sections: Vec<Section>,
    /// What the workload must say about itself.
    pub(crate) disclaimer: String,
    /// What made it.
    pub(crate) made_by: String,
}

/// The judgement on the whole.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Verdict {
    pub(crate) tone: Tone,
    pub(crate) text: String,
}

/// How a remark is meant. It never stands alone: words say it too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tone {
    #[default]
    Good,
    Warn,
    Bad,
}

impl Tone {
    /// What stands before a remark.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Bad => "✗ ",
            Self::Warn => "! ",
            Self::Good => "",
        }
    }
}

/// A figure with what it is.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) value: String,
    pub(crate) name: String,
    pub(crate) detail: String,
}

/// A warning or a reason, with its remedy.
#[derive(Clone, Debug, Serialize)]
pub struct Remark {
    pub(crate) tone: Tone,
    pub(crate) text: String,
    pub(crate) hint: String,
}

/// Paragraphs under one label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    pub(crate) label: Cow<'static, str>,
    pub(crate) paragraphs: Vec<String>,
}

impl Fact {
    /// One paragraph.
    pub(crate) fn new(label: &'static str, text: impl Into<String>) -> Self {
        Self { label: label.into(), paragraphs: vec![text.into()] }
    }

    /// All of these paragraphs; `None` if there are none.
    pub(crate) fn of(label: &'static str, paragraphs: Vec<String>) -> Option<Self> {
        (!paragraphs.is_empty()).then_some(Self { label: label.into(), paragraphs })
    }
}

/// A line, which is broken between its parts before it is broken within one.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// How far it is indented, in steps.
    pub(crate) level: usize,
    pub(crate) parts: Vec<String>,
    pub(crate) separator: &'static str,
}

impl Line {
    /// A line of one part.
    pub fn new(level: usize, text: impl Into<String>) -> Self {
        Self { level, parts: vec![text.into()], separator: "" }
    }

    /// `tprocc on pg16 · PostgreSQL 16.4 · 100 warehouses`.
    pub(crate) fn dotted(parts: Vec<String>) -> Self {
        Self { level: 0, parts, separator: " · " }
    }
}

/// A part of the report with a place in its contents.
#[derive(Debug, Serialize)]
pub(crate) struct Section {
    pub(crate) id: Cow<'static, str>,
    pub(crate) title: Cow<'static, str>,
    pub(crate) blocks: Vec<Block>,
}

impl Section {
    /// A section; `None` if there is nothing in it.
    pub(crate) fn of(id: &'static str, title: &'static str, blocks: Vec<Block>) -> Option<Self> {
        (!blocks.is_empty()).then_some(Self { id: id.into(), title: title.into(), blocks })
    }

    /// The same section, marked as that of one of several runs.
    pub(crate) fn of_run(self, id: &str) -> Self {
        Self { title: format!("{}, run {id}", self.title).into(), ..self }
    }
}

/// A part of a section, or of what a command prints.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(missing_docs, reason = "each field is what its block is named after")]
pub enum Block {
    /// The title of the blocks below it.
    Heading { text: String },
    /// A sentence or more.
    Paragraph { text: String },
    /// Lines that belong together.
    Lines { lines: Vec<Line> },
    /// Something in a box.
    Remarks { remarks: Vec<Remark> },
    /// Paragraphs under labels.
    Facts { facts: Vec<Fact> },
    /// Figures in rows.
    Table(Table),
    /// A picture of figures.
    Chart(Chart),
    /// Lines as a database wrote them, below a title, and of second order.
    Listing { title: String, text: String },
    /// Lines that are never broken: something to copy, or columns of a fixed width.
    Code { text: String },
    /// Words with their meanings.
    Terms { terms: Vec<(&'static str, &'static str)> },
}

/// A picture of figures, drawn by the reader's browser.
#[derive(Clone, Debug, Serialize)]
pub struct Chart {
    /// Its place in the data.
    pub(crate) id: String,
    /// Which drawing: a name that `charts.js` knows.
    pub(crate) kind: &'static str,
    pub(crate) title: String,
    /// One sentence on how to read it.
    pub(crate) reading: &'static str,
    /// What must be known of the figures, such as what a column stands for.
    pub(crate) note: String,
    #[serde(skip)]
    pub(crate) data: Value,
}

impl Block {
    /// A table that is always open.
    pub fn table(title: impl Into<String>, table: Table) -> Self {
        Self::Table(Table { title: title.into(), ..table })
    }

    /// A table that may be folded.
    pub(crate) fn folded(title: impl Into<String>, table: Table) -> Self {
        Self::Table(Table { title: title.into(), folded: true, ..table })
    }

    /// A table that is folded if it has many rows.
    pub(crate) fn long(title: impl Into<String>, table: Table) -> Self {
        let folded = table.length() > ROWS_OPEN;
        Self::Table(Table { title: title.into(), folded, ..table })
    }

    /// A sentence or more.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Paragraph { text: text.into() }
    }

    /// The title of the blocks below it.
    pub fn heading(text: impl Into<String>) -> Self {
        Self::Heading { text: text.into() }
    }

    /// Lines that belong together.
    pub fn lines(lines: impl IntoIterator<Item = Line>) -> Self {
        Self::Lines { lines: lines.into_iter().collect() }
    }

    /// Remarks, unless there are none.
    pub(crate) fn remarks(remarks: impl IntoIterator<Item = Remark>) -> Option<Self> {
        let remarks: Vec<Remark> = remarks.into_iter().collect();
        (!remarks.is_empty()).then_some(Self::Remarks { remarks })
    }

    /// Facts, unless there are none.
    pub(crate) fn facts(facts: impl IntoIterator<Item = Fact>) -> Option<Self> {
        let facts: Vec<Fact> = facts.into_iter().collect();
        (!facts.is_empty()).then_some(Self::Facts { facts })
    }
}

impl Document {
    /// The blocks of all sections, the remarks and what the workload must say, as a text shows them.
    pub(crate) fn blocks(self) -> impl Iterator<Item = Block> {
        let disclaimer = (!self.disclaimer.is_empty()).then(|| Block::text(self.disclaimer));
        let blocks = self.sections.into_iter().flat_map(|section| section.blocks);
        blocks.chain(Block::remarks(self.remarks)).chain(disclaimer)
    }

    /// All charts, in their order.
    pub(crate) fn charts(&self) -> impl Iterator<Item = &Chart> {
        let blocks = self.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter_map(|block| match block {
            Block::Chart(chart) => Some(chart),
            _ => None,
        })
    }
}
