//! The results of `tacho doctor` for the machine, the client and the database.
//!
//! Start reading at [`Text::text`].

use tacho_analysis::{Diagnosis, Finding, Health, clean};
use tacho_core::units::counted;

use crate::document::{Block, Fact};
use crate::layout::{Text, TextOptions, page};

impl Text for Diagnosis {
    fn text(&self, options: &TextOptions) -> String {
        let target = self.target.as_ref().map(|target| {
            let title = format!("Target {}  {}", clean(&target.name), clean(&target.url));
            section(title, &target.findings)
        });
        let sections = [section("Machine", &self.machine), section("Client", &self.client)];
        let (warnings, problems) =
            (counted(self.warnings, "warning"), counted(self.problems, "problem"));
        let total = Block::text(format!("{warnings}, {problems}"));
        page(sections.into_iter().chain(target).flatten().chain([total]), options)
    }
}

fn section(title: impl Into<String>, findings: &[Finding]) -> Vec<Block> {
    let fact = |finding: &Finding| {
        let hints = finding.hints.iter().map(|hint| format!("hint: {}", clean(hint)));
        Fact {
            label: format!("{} {}", mark(finding.health), finding.name).into(),
            paragraphs: std::iter::once(clean(&finding.text)).chain(hints).collect(),
        }
    };
    let facts = Block::facts(findings.iter().map(fact));
    std::iter::once(Block::heading(title)).chain(facts).collect()
}

const fn mark(health: Health) -> &'static str {
    match health {
        Health::Good => "✓",
        Health::Absent => "–",
        Health::Warning => "!",
        Health::Problem => "✗",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use tacho_core::Result;

    fn diagnosis() -> Diagnosis {
        let files = Finding::warning("open files", "limit 1024", "ulimit -n 8192");
        let client = Finding::problem("duckdb", "a\u{1b}library", "x".repeat(30));
        Diagnosis::new(64, vec![files.value("limit", 1024)], vec![client], None)
    }

    #[test]
    fn lines_have_marks_names_and_hints() {
        let text = diagnosis().text(&TextOptions { width: 100, color: false });
        let lines =
            "Machine\n  ! open files   limit 1024\n                 hint: ulimit -n 8192\nClient\n";
        assert!(text.starts_with(lines), "{text}");
        assert!(text.ends_with("\n\n1 warning, 1 problem\n") && !text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn a_narrow_terminal_is_enough() {
        let text = diagnosis().text(&TextOptions { width: 42, color: false });
        assert!(text.lines().all(|line| line.chars().count() <= 42), "{text}");
    }

    #[test]
    fn unknown_values_are_absent() -> Result<()> {
        let json = crate::json(&diagnosis())?;
        let json: Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["machine"][0]["values"]["limit"], 1024);
        assert_eq!((&json["format"], &json["version"]), (&"tacho-doctor".into(), &1.into()));
        assert!(json["client"][0]["values"].get("limit").is_none());
        Ok(())
    }
}
