//! The report as Markdown, for wikis, emails and change requests.
//!
//! Charts need a browser, so a note replaces them. Start reading at [`text`].

use crate::document::{Block, Document, Fact, Line, Remark, Section};
use crate::table::Table;

/// Maximum number of rows in a folded table.
const ROWS_MAX: usize = 60;

/// Returns the complete report.
pub(super) fn text(document: &Document) -> String {
    let mut out = Out::default();
    out.paragraph(&format!("# {}", escaped(&document.title)));
    out.paragraph(&escaped(&document.subtitle.join(" · ")));
    out.paragraph(&format!("**{}**", escaped(&document.verdict.text)));
    out.paragraph(document.summary.trim());
    facts(&mut out, &document.answer);
    for figure in &document.figures {
        out.line(&format!(
            "- **{}** {}, {}",
            escaped(&figure.value),
            escaped(&figure.name),
            escaped(&figure.detail)
        ));
    }
    out.blank();
    out.paragraph(&escaped(&document.lead));
    remarks(&mut out, &document.remarks);
    for section in &document.sections {
        self::section(&mut out, section);
    }
    out.paragraph(&escaped(&document.disclaimer));
    out.paragraph(&format!("Made by {}.", escaped(&document.made_by)));
    out.text
}

fn facts(out: &mut Out, facts: &[Fact]) {
    for fact in facts {
        let text = fact.paragraphs.join("<br>");
        out.line(&format!("- **{}**: {}", fact.label, escaped(&text).replace("\\<br\\>", "<br>")));
    }
    out.blank();
}

fn section(out: &mut Out, section: &Section) {
    out.paragraph(&format!("## {}", section.title));
    for block in &section.blocks {
        match block {
            Block::Heading { text } => out.paragraph(&format!("### {}", escaped(text))),
            Block::Paragraph { text } => out.paragraph(&escaped(text)),
            Block::Lines { lines } => {
                for Line { parts, separator, .. } in lines {
                    out.line(&format!("- {}", escaped(&parts.join(separator))));
                }
                out.blank();
            }
            Block::Remarks { remarks } => self::remarks(out, remarks),
            Block::Facts { facts } => self::facts(out, facts),
            Block::Table(sheet) => table(out, sheet),
            Block::Chart(chart) => {
                out.paragraph(&format!("*Chart in the HTML report: {}.*", escaped(&chart.title)));
            }
            Block::Listing { title, text } => {
                out.paragraph(&format!("### {}", escaped(title)));
                out.paragraph(&format!("```\n{}\n```", text.trim_end()));
            }
            Block::Code { text } => out.paragraph(&format!("```\n{text}\n```")),
            Block::Terms { terms } => {
                for (term, meaning) in terms {
                    out.line(&format!("- **{term}**: {}", escaped(meaning)));
                }
                out.blank();
            }
        }
    }
}

fn remarks(out: &mut Out, remarks: &[Remark]) {
    for remark in remarks {
        let mark = remark.tone.mark();
        let hint = match remark.hint.as_str() {
            "" => String::new(),
            hint => format!("\\\n> hint: {}", escaped(hint)),
        };
        out.paragraph(&format!("> {mark}{}{hint}", escaped(&remark.text)));
    }
}

fn table(out: &mut Out, sheet: &Table) {
    out.paragraph(&format!("### {}", escaped(&sheet.title)));
    let cells = |cells: &mut dyn Iterator<Item = String>| {
        format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
    };
    out.line(&cells(&mut sheet.columns.iter().map(|column| escaped(&column.title))));
    let rule = |left: bool| if left { ":--" } else { "--:" }.to_owned();
    out.line(&cells(&mut sheet.columns.iter().map(|column| rule(column.left))));
    let shown = if sheet.folded { ROWS_MAX } else { usize::MAX };
    for row in sheet.rows().take(shown) {
        out.line(&cells(&mut row.iter().map(|cell| escaped(cell))));
    }
    out.blank();
    if let Some(more @ 1..) = sheet.length().checked_sub(shown) {
        out.paragraph(&format!("and {more} more; see the HTML report or the CSV output."));
    }
    out.paragraph(&escaped(&sheet.note));
}

/// Escapes characters that have a special meaning in Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Lines of text, with a single empty line between paragraphs.
#[derive(Default)]
struct Out {
    text: String,
}

impl Out {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.blank();
            self.line(text);
            self.blank();
        }
    }
}
