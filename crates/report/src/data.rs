//! The output of the commands `prepare`, `generate` and `check`. It describes data that is planned, data that has been
//! built, and the results of checks.
//!
//! Start reading at [`built`] and [`checked`].

use std::path::Path;
use std::time::Duration;

use tacho_core::units::{bytes, counted, grouped, significant, span};
use tacho_store::record::{AcknowledgedRecord, CheckRecord};

use crate::acknowledged::acknowledged_lines;
use crate::document::{Block, Line};
use crate::judgements::{check_lines, check_total};
use crate::layout::{TextOptions, page};
use crate::summary::{Footer, foot};

/// Data to be built.
#[derive(Clone, Copy, Debug)]
pub struct Planned<'a> {
    /// Workload name.
    pub workload: &'a str,
    /// Scale in the workload's unit, such as `10 warehouses`.
    pub size: &'a str,
    /// Number of table sets.
    pub sets: u32,
    /// Number of tables in a set.
    pub tables: usize,
    /// Estimated number of rows.
    pub rows: u64,
    /// Estimated total size of the values, in bytes.
    pub bytes: u64,
    /// Seed of the generated data.
    pub seed: u64,
}

/// The outcome of building data.
#[derive(Clone, Copy, Debug)]
pub enum Built<'a> {
    /// The data already existed, so nothing was done.
    Existing,
    /// The data was loaded into the database.
    Loaded {
        /// Number of rows.
        rows: u64,
        /// Duration of the load.
        took: Duration,
    },
    /// The data was written to files.
    Files {
        /// The files.
        files: &'a [FileSize<'a>],
        /// Time taken to write the files.
        took: Duration,
    },
}

/// A data file and its size.
#[derive(Clone, Copy, Debug)]
pub struct FileSize<'a> {
    /// Path of the file.
    pub path: &'a Path,
    /// Number of rows.
    pub rows: u64,
    /// Size in bytes.
    pub bytes: u64,
}

/// Describes the amount of data to be built.
pub fn planned(data: &Planned<'_>, options: &TextOptions) -> String {
    let Planned { workload, size, sets, tables, rows, bytes: size_bytes, seed } = *data;
    let sets = if sets == 1 { String::new() } else { format!("{sets} sets of ") };
    let (rows, values) = (grouped(rows), bytes(size_bytes));
    let text = format!(
        "Plan: {sets}{size} of {workload}, {}, about {rows} rows and {values} of values, seed {seed}",
        counted(tables as u64, "table")
    );
    page([Block::text(text)], options)
}

/// Describes the data that was built, the outcome of its checks, and which commands to run next.
pub fn built(
    built: Built<'_>,
    checks: &[CheckRecord],
    next: &[String],
    options: &TextOptions,
) -> String {
    let lines = Block::lines(built_lines(built).into_iter().chain(check_lines(checks)));
    page(std::iter::once(lines).chain(foot(&Footer { next, ..Footer::default() })), options)
}

fn built_lines(built: Built<'_>) -> Vec<Line> {
    match built {
        Built::Existing => vec![Line::new(0, "✓ The data already exists; nothing to do")],
        Built::Loaded { rows, took } => {
            let rate = significant(rows as f64 / took.as_secs_f64().max(1e-3));
            let (rows, took) = (counted(rows, "row"), span(took));
            vec![Line::new(0, format!("✓ Loaded {rows} in {took} ({rate} rows/s)"))]
        }
        Built::Files { files, took } => {
            let size = |rows: u64, size: u64| format!("{}, {}", counted(rows, "row"), bytes(size));
            let sum = |of: fn(&FileSize<'_>) -> u64| files.iter().map(of).sum();
            let total = size(sum(|file| file.rows), sum(|file| file.bytes));
            let (count, took) = (counted(files.len() as u64, "file"), span(took));
            let all = Line::new(0, format!("✓ Wrote {total} in {count}, in {took}"));
            let each = files.iter().map(|file| {
                Line::new(1, format!("{}  {}", file.path.display(), size(file.rows, file.bytes)))
            });
            std::iter::once(all).chain(each).collect()
        }
    }
}

/// Lists the consistency conditions with their outcomes, and counts those that hold.
pub fn checked(checks: &[CheckRecord], options: &TextOptions) -> String {
    let total = Line::new(0, check_total(checks));
    page([Block::lines(check_lines(checks).chain([total]))], options)
}

/// Describes how many of a run's acknowledged commits are in the database.
pub fn acknowledged_commits(found: &AcknowledgedRecord, options: &TextOptions) -> String {
    page(
        [Block::lines(acknowledged_lines(found).into_iter().map(|text| Line::new(0, text)))],
        options,
    )
}

#[cfg(test)]
mod tests {
    use tacho_store::record::CheckVerdict;

    use super::*;

    fn check(id: &str, verdict: CheckVerdict, detail: &str) -> CheckRecord {
        CheckRecord {
            id: id.into(),
            rule: "a rule of the specification".into(),
            when: "after".into(),
            verdict,
            detail: detail.into(),
            sampled: id.starts_with('R'),
        }
    }

    fn checks() -> [CheckRecord; 4] {
        [
            check("C1", CheckVerdict::Holds, ""),
            check("C12", CheckVerdict::Violated, "warehouse 1:\u{1b}[31m 5, expected 6"),
            check("C13", CheckVerdict::Excused, "amounts_reversed=true"),
            check("R1", CheckVerdict::Holds, ""),
        ]
    }

    const LINES: &str = "\
✓ C1   a rule of the specification
✗ C12  a rule of the specification
        warehouse 1: [31m 5, expected 6
– C13  a rule of the specification
        not run: amounts_reversed=true
✓ R1   a rule of the specification
";

    #[test]
    fn conditions_are_counted_below_their_lines() {
        let text = checked(&checks(), &TextOptions { width: 100, color: false });
        let total = "1 of 2 hold, 1 excused; 1 of 1 samples of the loaded rows are unchanged\n";
        assert_eq!(text, format!("{LINES}{total}"));
        let narrow = checked(&checks(), &TextOptions { width: 40, color: false });
        assert!(narrow.lines().all(|line| line.chars().count() <= 40), "{narrow}");
    }

    #[test]
    fn build_results_precede_checks_and_next_commands() {
        let options = TextOptions { width: 100, color: false };
        let loaded = Built::Loaded { rows: 1_500, took: Duration::from_secs(3) };
        let next = ["tacho run x y".to_owned(), "tacho check x y".to_owned()];
        let text = built(loaded, &checks(), &next, &options);
        assert_eq!(
            text.replace('\u{202F}', " "),
            format!(
                "✓ Loaded 1 500 rows in 3s (500 rows/s)\n{LINES}\nNext   tacho run x y\n       tacho check x y\n"
            )
        );
        let files = [("a.csv", 1), ("b.csv", 2)].map(|(name, rows)| FileSize {
            path: Path::new(name),
            rows,
            bytes: 10,
        });
        let text =
            built(Built::Files { files: &files, took: Duration::from_secs(1) }, &[], &[], &options);
        assert_eq!(
            text.replace('\u{202F}', " "),
            "✓ Wrote 3 rows, 20 B in 2 files, in 1s\n  a.csv  1 row, 10 B\n  b.csv  2 rows, 10 B\n"
        );
    }
}
