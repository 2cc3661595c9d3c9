//! What was found about machine, client and database, as lines for a terminal.
//!
//! Start reading at [`Text::text`].

use tacho_analysis::{Diagnosis, Finding, Health, clean};
use tacho_core::units::counted;

use crate::layout::{Page, Text, TextOptions};
use crate::padding::pad;

/// Columns before what was found: mark and name.
const CONTENT: usize = 17;
/// A terminal must have so many for names and findings to stand side by side.
const SIDE_BY_SIDE: usize = 60;
const NARROW: usize = 6;

impl Text for Diagnosis {
    fn text(&self, options: &TextOptions) -> String {
        let mut page = Page::new(options);
        section(&mut page, "Machine", &self.machine);
        section(&mut page, "Client", &self.client);
        if let Some(target) = &self.target {
            let title = format!("Target {}  {}", clean(&target.name), clean(&target.url));
            section(&mut page, &title, &target.findings);
        }
        page.blank();
        let (warnings, problems) =
            (counted(self.warnings, "warning"), counted(self.problems, "problem"));
        page.line(format!("{warnings}, {problems}"));
        page.finish()
    }
}

fn section(page: &mut Page, title: &str, findings: &[Finding]) {
    page.text(title, 2);
    let hang = if page.width() < SIDE_BY_SIDE { NARROW } else { CONTENT };
    for finding in findings {
        let mark = format!("  {} ", mark(finding.health));
        let name = pad(&finding.name, CONTENT - mark.chars().count());
        page.text(&format!("{mark}{name}{}", clean(&finding.text)), hang);
        for hint in &finding.hints {
            page.text(&format!("{}hint: {}", " ".repeat(hang), clean(hint)), hang + 6);
        }
    }
}

const fn mark(health: Health) -> &'static str {
    match health {
        Health::Good => "✓",
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
    fn what_is_unknown_is_absent() -> Result<()> {
        let json = crate::json(&diagnosis())?;
        let json: Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["machine"][0]["values"]["limit"], 1024);
        assert_eq!((&json["format"], &json["version"]), (&"tacho-doctor".into(), &1.into()));
        assert!(json["client"][0]["values"].get("limit").is_none());
        Ok(())
    }
}
