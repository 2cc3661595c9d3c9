//! A comparison of sweeps as text: conditions that differ, a row for each point, peak and knee, the
//! latencies that changed, and what could not be compared.
//!
//! Start reading at [`SweepComparison::text`].

use tacho_core::units::{counted, grouped};
use tacho_metrics::Verdict;

use super::{Ladder, Mark, PointComparison, SweepComparison, SweepFacts};
use crate::calibration::smallest;
use crate::compare::{
    MetricRow, changed, claim, interval, may_be_a_cause, print_observed, value, verdicts_counted,
    word,
};
use crate::layout::{Page, TextOptions, cut, pad};
use crate::table::{Column, Table};
use crate::words::{ABSENT, clean, maybe_micros, minute};

/// Characters of a value in the list of conditions.
const VALUE_CHARS_MAX: usize = 30;

impl SweepComparison {
    /// The comparison for a terminal.
    pub fn text(&self, options: &TextOptions) -> String {
        let mut page = Page::new(options);
        page.text(&self.headline(), 2);
        page.blank();
        for (label, side) in ["baseline", "run"].into_iter().zip(self.sides()) {
            page.text(&format!("{}{side}", pad(label, 10)), 10);
        }
        page.blank();
        match self.conditions_table() {
            Some(mut table) => {
                page.line("Conditions that differ");
                // The first line is that of the titles, which say nothing here.
                table.columns.iter_mut().for_each(|column| column.title.clear());
                page.lines(table.lines().into_iter().skip(1));
            }
            None => page.line("No recorded condition differs"),
        }
        let tables = [
            ("Throughput", self.points_table()),
            ("Peak and knee", self.marks_table()),
            ("Percentiles that changed", self.percentiles_table(true)),
        ];
        for (title, table) in tables {
            let Some(table) = table else { continue };
            page.blank();
            page.line(title);
            page.lines(table.lines());
        }
        page.blank();
        if let Some((place, tables)) = self.observed().filter(|(_, tables)| !tables.is_empty()) {
            page.line(format!("At {place}, where the throughput changed most"));
            page.blank();
            print_observed(&mut page, tables);
        }
        for sentence in self.sentences() {
            page.text(&sentence, 0);
        }
        page.finish()
    }

    /// Baseline and run, each in a line: sweep, date, target, server.
    pub(crate) fn sides(&self) -> [String; 2] {
        [&self.baseline, &self.run].map(|side| {
            let named = [&side.target_name, &side.server].map(|text| clean(text));
            format!("{}  {}  {}", side.sweep, minute(&side.started_at), named.join("  "))
        })
    }

    /// The conditions that differ; `None` if none does.
    pub(crate) fn conditions_table(&self) -> Option<Table> {
        let value = |value: &Option<String>, varies: bool| match value {
            _ if varies => "several".into(),
            Some(value) => cut(&clean(value), VALUE_CHARS_MAX),
            None => ABSENT.into(),
        };
        let all = self.points.len() as u64;
        let place = |points: u64| match points {
            points if points == all => String::new(),
            points => format!("at {points} of {}", counted(all, "point")),
        };
        let each = || self.conditions.iter();
        let columns = vec![
            Column::left("", each().map(|own| own.name.clone())),
            Column::right("baseline", each().map(|own| value(&own.baseline, own.varies))),
            Column::left("", each().map(|_| "→".into())),
            Column::left("run", each().map(|own| value(&own.run, own.varies))),
            Column::left("", each().map(|own| place(own.points))),
        ];
        (!self.conditions.is_empty()).then_some(Table { columns, indent: 2, gap: 2 })
    }

    /// The throughput at each point.
    pub(crate) fn points_table(&self) -> Option<Table> {
        let rows: Vec<_> = self.points.iter().map(|own| (own, own.throughput())).collect();
        let name = rows.first()?.1.name.clone();
        let mut columns = self.axes_columns(&rows);
        columns.extend(change_columns(&rows, &format!("{name} before"), "after"));
        Some(Table { columns, indent: 2, gap: 2 })
    }

    /// The percentiles at each point: all that could be compared, or those that changed.
    pub(crate) fn percentiles_table(&self, changed: bool) -> Option<Table> {
        let is_shown = |row: &&MetricRow| match row.verdict {
            Verdict::Better | Verdict::Worse => true,
            _ => !changed && row.unit == "us",
        };
        let rows: Vec<_> = self
            .points
            .iter()
            .flat_map(|point| {
                let percentiles = point.metrics.iter().skip(1);
                percentiles.filter(is_shown).map(move |row| (point, row))
            })
            .collect();
        let mut columns = self.axes_columns(&rows);
        columns.push(Column::left("metric", rows.iter().map(|(_, row)| row.name.clone())));
        columns.extend(change_columns(&rows, "before", "after"));
        (!rows.is_empty()).then_some(Table { columns, indent: 2, gap: 2 })
    }

    fn axes_columns(&self, rows: &[(&PointComparison, &MetricRow)]) -> Vec<Column> {
        let column = |(place, axis): (usize, &String)| {
            let value = |point: &PointComparison| {
                point.values.get(place).map_or("closed".into(), |own| clean(own))
            };
            Column::right(&clean(axis), rows.iter().map(|(point, _)| value(point)))
        };
        self.axes.iter().enumerate().map(column).collect()
    }

    /// Peak and knee of each ladder, where they are and what they are.
    pub(crate) fn marks_table(&self) -> Option<Table> {
        let rows: Vec<_> = self
            .ladders
            .iter()
            .flat_map(|own| [("peak", own, &own.peak), ("knee", own, &own.knee)])
            .collect();
        let at = |mark: &Mark| {
            let figure = mark.throughput.map_or(ABSENT.into(), |own| grouped(own.round() as i64));
            format!("{figure} at {}, p95 {}", clean(&mark.at), maybe_micros(mark.p95_us))
        };
        let own = |row: &Option<MetricRow>, cell: &dyn Fn(&MetricRow) -> String| {
            row.as_ref().map_or(ABSENT.into(), cell)
        };
        let ends = |row: &MetricRow| row.change.map_or(ABSENT.into(), interval);
        // Where the knee lies is read off; only the peak is a claim of its own.
        let verdict = |name: &str, row: &MetricRow| match name {
            "peak" => word(row.verdict).into(),
            _ => String::new(),
        };
        let mut columns = vec![Column::left("", rows.iter().map(|(name, ..)| (*name).into()))];
        if self.ladders.iter().any(|own| !own.series.is_empty()) {
            columns.push(Column::left("of", rows.iter().map(|(_, own, _)| own.name())));
        }
        columns.extend([
            Column::right("before", rows.iter().map(|(_, _, own)| at(&own.baseline))),
            Column::right("after", rows.iter().map(|(_, _, own)| at(&own.run))),
            Column::right(
                "change",
                rows.iter().map(|(.., marks)| own(&marks.throughput, &changed)),
            ),
            Column::right(
                "95 % interval",
                rows.iter().map(|(.., marks)| own(&marks.throughput, &ends)),
            ),
            Column::left(
                "verdict",
                rows.iter()
                    .map(|(name, _, marks)| own(&marks.throughput, &|row| verdict(name, row))),
            ),
        ]);
        (!rows.is_empty()).then_some(Table { columns, indent: 2, gap: 2 })
    }

    /// The outcome, what was not compared, and what verdicts and intervals rest on.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.outcome()];
        sentences.extend(self.searches());
        sentences.extend(self.left_out());
        let causes = self.conditions.iter().filter(|one| may_be_a_cause(&one.name)).count();
        let claims = self.count(Verdict::Better) + self.count(Verdict::Worse);
        if claims > 0 && causes > 1 {
            sentences.push(format!(
                "{causes} conditions differ: the changes cannot be assigned to one of them."
            ));
        }
        sentences.push(self.families_sentence());
        if let Some(floor) = self.floor() {
            sentences.push(format!(
                "Equal runs of these sweeps differ too: changes of the throughput up to {floor} \
                 are not reported."
            ));
        }
        if !self.ladders.is_empty() {
            sentences.push(
                "A peak is the highest of several figures, so chance increases it slightly in \
                 both sweeps."
                    .into(),
            );
        }
        sentences.push(self.basis.sentence().into());
        sentences
    }

    /// The judgement of all points in one line: `MIXED: throughput better at 2 of 3 points, 20 of 36
    /// percentiles WORSE`.
    pub fn headline(&self) -> String {
        let points = self.throughput().count() as u64;
        let of_points = |verdict| self.throughput().filter(|own| *own == verdict).count() as u64;
        let percentiles = || {
            let others = self.points.iter().flat_map(|own| own.metrics.iter().skip(1));
            others.filter(|row| row.unit == "us")
        };
        let slower = percentiles().filter(|row| row.verdict == Verdict::Worse).count() as u64;
        let mut parts = Vec::new();
        for (verdict, word) in [
            (Verdict::Better, "better"),
            (Verdict::Worse, "WORSE"),
            (Verdict::Unstable, "UNSTABLE"),
        ] {
            let count = of_points(verdict);
            let at = format!("{} of {}", grouped(count), counted(points, "point"));
            parts.extend((count > 0).then(|| format!("throughput {word} at {at}")));
        }
        let all = counted(percentiles().count() as u64, "percentile");
        parts.extend((slower > 0).then(|| format!("{} of {all} WORSE", grouped(slower))));
        if parts.is_empty() {
            parts.push(format!("throughput at {}", counted(points, "point")));
        }
        format!("{}: {}", self.overall().word(), parts.join(", "))
    }

    /// Peak against peak, the verdicts on the throughput, counted, and how many percentiles changed.
    pub(crate) fn outcome(&self) -> String {
        let count = |verdict| self.throughput().filter(|own| *own == verdict).count();
        let verdicts = verdicts_counted(count);
        let points = counted(self.throughput().count() as u64, "point");
        let percentiles = || self.points.iter().flat_map(|own| own.metrics.iter().skip(1));
        let changed = |verdict| percentiles().filter(|row| row.verdict == verdict).count() as u64;
        format!(
            "{}Throughput at {points}: {}. Of {} percentiles: {} better, {} worse.",
            self.peaks_claim(),
            if verdicts.is_empty() { "none compared" } else { &verdicts },
            grouped(self.families.percentiles),
            grouped(changed(Verdict::Better)),
            grouped(changed(Verdict::Worse)),
        )
    }

    /// Peak against peak in words, if there is one ladder.
    fn peaks_claim(&self) -> String {
        let [ladder] = &self.ladders[..] else { return String::new() };
        let row = ladder.peak.throughput.as_ref();
        row.map(|row| claim(row, "in the baseline", "At the peak, ") + " ").unwrap_or_default()
    }

    fn searches(&self) -> Option<String> {
        let words = |side: &SweepFacts| {
            let found = side.found.as_ref()?;
            let holds = found.holds_at_per_s.map_or("at no rate".into(), |rate| {
                format!("at {} a second", grouped(rate.round() as i64))
            });
            Some((found.limit.clone(), holds))
        };
        let ((limit, before), (other, after)) = (words(&self.baseline)?, words(&self.run)?);
        Some(if limit == other {
            format!("{limit} held {before} in the baseline and {after} in the run.")
        } else {
            format!("{limit} held {before} in the baseline; {other} held {after} in the run.")
        })
    }

    /// The points that only one has, or that have no figure to compare.
    fn left_out(&self) -> Vec<String> {
        let named = |own: &super::Unmatched| {
            format!("Not compared: {} ({}).", self.label(&own.values), own.lacks().join("; "))
        };
        self.unmatched.iter().map(named).collect()
    }

    fn families_sentence(&self) -> String {
        let families = &self.families;
        let mut parts =
            vec![format!("the throughput at {}", counted(families.throughput, "point"))];
        if families.percentiles > 0 {
            parts.push(format!("{} percentiles", grouped(families.percentiles)));
        }
        if families.peaks > 1 {
            parts.push(counted(families.peaks, "peak"));
        }
        format!(
            "Many comparisons: {} are each judged as a family by Holm's method (1979), so that \
             the chance of any false claim in a family is at most {} %. A change that is \
             significant alone but not in its family is unclear.",
            parts.join(", "),
            families.error_rate * 100.0
        )
    }

    fn floor(&self) -> Option<String> {
        let floors = [self.baseline.floor, self.run.floor].into_iter().flatten();
        let floor = floors.max_by(f64::total_cmp).filter(|floor| *floor > 0.0)?;
        Some(smallest(floor))
    }
}

impl Ladder {
    /// The values that its points share, in words.
    pub(crate) fn name(&self) -> String {
        let words =
            self.series.iter().map(|(key, value)| format!("{} {}", clean(key), clean(value)));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// Both figures, the change, its interval and the verdict.
fn change_columns(
    rows: &[(&PointComparison, &MetricRow)],
    before: &str,
    after: &str,
) -> Vec<Column> {
    let each = |cell: &dyn Fn(&MetricRow) -> String| {
        rows.iter().map(|(_, row)| cell(row)).collect::<Vec<String>>()
    };
    vec![
        Column::right(before, each(&|row| value(row, row.baseline))),
        Column::right(after, each(&|row| value(row, row.run))),
        Column::right("change", each(&changed)),
        Column::right("95 % interval", each(&|row| row.change.map_or(ABSENT.into(), interval))),
        Column::left("verdict", each(&|row| word(row.verdict).into())),
    ]
}
