//! JUnit XML for CI systems. The run's verdict, thresholds, checks and compared metrics become test cases.
//!
//! A failure of Tacho itself is never reported as a passed test. Start reading at [`text`].

use tacho_analysis::{
    Comparison, GateOutcome, GateVerdict, MetricRow, Reported, SweepComparison, SweepFacts, clean,
};
use tacho_config::Require;
use tacho_metrics::Verdict;
use tacho_store::record::{
    CheckRecord, CheckVerdict, Record, ResultRecord, RunVerdict, ThresholdRecord,
};

use crate::{gate, headline};

/// Returns one test suite for each run and one for each comparison.
pub(super) fn text(report: &Reported) -> String {
    xml(&suites(report))
}

/// Returns the test suites of several reports, each named after its report. If a pipeline ended early, `error` is the
/// reason.
pub(super) fn text_of<'a>(
    reports: impl Iterator<Item = (&'a str, &'a Reported)>,
    error: Option<&str>,
) -> String {
    let named = |(name, report): (&str, &Reported)| {
        let mut suites = suites(report);
        for suite in &mut suites {
            suite.name = format!("{}: {}", clean(name), suite.name);
        }
        suites
    };
    let failed = error.map(|error| Suite {
        name: "pipeline".into(),
        timestamp: String::new(),
        seconds: 0.0,
        cases: vec![Case {
            name: "pipeline completes".into(),
            outcome: Outcome::Not("error", error.to_owned()),
        }],
    });
    xml(&failed.into_iter().chain(reports.flat_map(named)).collect::<Vec<_>>())
}

fn suites(report: &Reported) -> Vec<Suite> {
    let mut suites: Vec<Suite> = report.measurements().map(|run| of_run(&run.record)).collect();
    suites.extend(report.comparisons.iter().map(of_comparison));
    suites.extend(report.sweep_comparisons.iter().map(of_sweeps));
    suites
}

fn xml(suites: &[Suite]) -> String {
    let total = |count: fn(&Suite) -> usize| suites.iter().map(count).sum::<usize>();
    let head = format!(
        "<testsuites name=\"tacho\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
        total(|suite| suite.cases.len()),
        total(|suite| suite.count("failure")),
        total(|suite| suite.count("error")),
        total(|suite| suite.count("skipped")),
    );
    let suites: String = suites.iter().map(Suite::xml).collect();
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{head}{suites}</testsuites>\n")
}

struct Suite {
    name: String,
    timestamp: String,
    seconds: f64,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    outcome: Outcome,
}

enum Outcome {
    Passed,
    /// The XML element for a test case's outcome, along with the reason.
    Not(&'static str, String),
}

fn of_run(record: &Record) -> Suite {
    let name = format!(
        "{} on {}, run {}",
        record.plan.workload,
        clean(&record.plan.target_name),
        record.id
    );
    let mut cases = vec![Case { name: "run is valid".into(), outcome: validity(record) }];
    if let Some(result) = &record.result {
        cases.push(Case { name: "figure is steady".into(), outcome: steady(record, result) });
        cases.extend(result.thresholds.iter().map(threshold));
        cases.extend(result.checks.iter().map(check));
    }
    Suite {
        name,
        timestamp: record.started_at.clone(),
        seconds: record.result.as_ref().map_or(0.0, |result| result.measured_s),
        cases,
    }
}

fn validity(record: &Record) -> Outcome {
    let Some(result) = &record.result else {
        return Outcome::Not("error", "INCOMPLETE: the run was killed or is still running".into());
    };
    if result.valid {
        return Outcome::Passed;
    }
    let reasons = result.notices.iter().filter(|notice| notice.invalidates);
    let mut lines = vec![headline::run_verdict(result)];
    lines.extend(
        reasons.map(|notice| format!("{} ({}); hint: {}", notice.text, notice.id, notice.hint)),
    );
    Outcome::Not("failure", lines.join("\n"))
}

/// Returns the outcome of the test for a steady result. If the user requires a steady result, an unsteady one fails the
/// test. Otherwise, the test is skipped.
fn steady(record: &Record, result: &ResultRecord) -> Outcome {
    let why = || format!("{}: {}", result.verdict().word(), result.unsettled().join("; "));
    match result.verdict() {
        RunVerdict::Valid => Outcome::Passed,
        RunVerdict::Invalid => Outcome::Not("skipped", "the run is INVALID".into()),
        _ if record.plan.judgement.require == Require::Steady => Outcome::Not("failure", why()),
        _ => Outcome::Not("skipped", why()),
    }
}

fn threshold(threshold: &ThresholdRecord) -> Case {
    let outcome = match (threshold.passed, threshold.measured) {
        (true, _) => Outcome::Passed,
        (false, Some(_)) => {
            Outcome::Not("failure", format!("measured {}", threshold.measured_text))
        }
        (false, None) => Outcome::Not("failure", "no data, which fails".into()),
    };
    Case { name: format!("threshold {}", threshold.expression), outcome }
}

fn check(check: &CheckRecord) -> Case {
    let outcome = match check.verdict {
        CheckVerdict::Holds => Outcome::Passed,
        CheckVerdict::Excused => Outcome::Not("skipped", format!("excused: {}", check.detail)),
        CheckVerdict::Violated => Outcome::Not("failure", check.detail.clone()),
        CheckVerdict::Failed => Outcome::Not("error", format!("failed: {}", check.detail)),
    };
    Case { name: format!("check {} {} the run: {}", check.id, check.when, check.rule), outcome }
}

fn of_comparison(comparison: &Comparison) -> Suite {
    Suite {
        name: format!("{} against {}", comparison.run.name, comparison.baseline.name),
        timestamp: comparison.run.started_at.clone(),
        seconds: 0.0,
        cases: comparison
            .gate
            .iter()
            .map(of_gate)
            .chain(comparison.metrics.iter().map(|row| of_metric("", row)))
            .collect(),
    }
}

/// Returns a test case for each metric at each point. A point that could not be compared has a
/// single test case.
fn of_sweeps(comparison: &SweepComparison) -> Suite {
    let compared = comparison.points.iter().flat_map(|point| {
        let place = format!(" at {}", comparison.label(&point.values));
        point.metrics.iter().map(move |row| of_metric(&place, row)).collect::<Vec<Case>>()
    });
    let others = comparison.unmatched.iter().map(|unmatched| Case {
        name: format!("{} can be compared", comparison.label(&unmatched.values)),
        outcome: Outcome::Not(
            if unmatched.in_both { "failure" } else { "skipped" },
            clean(&unmatched.lacks().join("; ")),
        ),
    });
    Suite {
        name: format!("{} against {}", side(&comparison.run), side(&comparison.baseline)),
        timestamp: comparison.run.started_at.clone(),
        seconds: 0.0,
        cases: comparison.gate.iter().map(of_gate).chain(compared).chain(others).collect(),
    }
}

/// Returns a name for a sweep, formed from its target and ID.
fn side(sweep: &SweepFacts) -> String {
    format!("{} ({})", clean(&sweep.target_name), sweep.sweep)
}

/// Returns the test case for a gate that the user requested.
fn of_gate(gate: &GateOutcome) -> Case {
    let text = || gate::headline(gate);
    let outcome = match gate.verdict {
        GateVerdict::Within => Outcome::Passed,
        GateVerdict::Worse => Outcome::Not("failure", text()),
        GateVerdict::CannotTell => Outcome::Not("skipped", text()),
    };
    Case { name: format!("not {}", gate.condition), outcome }
}

fn of_metric(place: &str, metric: &MetricRow) -> Case {
    let change = metric.change.map_or_else(String::new, |change| {
        let percent = |share: f64| format!("{:+.1} %", share * 100.0);
        format!("{} ({} to {})", percent(change.value), percent(change.low), percent(change.high))
    });
    let outcome = match metric.verdict {
        Verdict::Worse => Outcome::Not("failure", format!("worse: {change}")),
        Verdict::NotEnoughData => Outcome::Not("skipped", "not enough data".into()),
        Verdict::Unstable => Outcome::Not("skipped", format!("a run is UNSTABLE: {change}")),
        Verdict::Unclear => Outcome::Not("skipped", format!("unclear: {change}")),
        Verdict::Better | Verdict::NoDifference => Outcome::Passed,
    };
    Case { name: format!("{} is not worse{place}", metric.name), outcome }
}

impl Suite {
    fn count(&self, element: &str) -> usize {
        let is = |case: &&Case| matches!(&case.outcome, Outcome::Not(kind, _) if *kind == element);
        self.cases.iter().filter(is).count()
    }

    fn xml(&self) -> String {
        let name = escaped(&self.name);
        let cases: String = self.cases.iter().map(|case| case.xml(&name)).collect();
        format!(
            "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" \
             skipped=\"{}\" timestamp=\"{}\" time=\"{}\">\n{cases}  </testsuite>\n",
            self.cases.len(),
            self.count("failure"),
            self.count("error"),
            self.count("skipped"),
            escaped(&self.timestamp),
            self.seconds,
        )
    }
}

impl Case {
    fn xml(&self, suite: &str) -> String {
        let head = format!("    <testcase name=\"{}\" classname=\"{suite}\"", escaped(&self.name));
        let Outcome::Not(element, why) = &self.outcome else { return format!("{head}/>\n") };
        let first = escaped(why.lines().next().unwrap_or_default());
        let why = escaped(why);
        format!(
            "{head}>\n      <{element} message=\"{first}\">{why}</{element}>\n    </testcase>\n"
        )
    }
}

/// Escapes text for XML. Spaces replace characters that XML cannot represent.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            c if c.is_control() || matches!(c, '\u{FFFE}' | '\u{FFFF}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
