//! Describes the results of checks: thresholds, consistency checks, the audit of the inputs, and
//! the cross-check of the main result with the database.
//!
//! Start reading at [`checks`].

use tacho_analysis::clean;
use tacho_config::CheckWhen;
use tacho_core::units::{self, counted, grouped, percent, significant};
use tacho_store::record::{
    AuditRecord, CheckRecord, CheckVerdict, CommitsRecord, HeadlineRecord, Record, ResultRecord,
    RollbacksRecord, RunEnd, ThresholdRecord,
};

use crate::document::{Fact, Line};
use crate::words::ABSENT;

/// Returns the mark for an outcome.
pub(crate) fn mark(passed: bool) -> &'static str {
    if passed { "✓" } else { "✗" }
}

/// Lists each threshold with its measured value.
pub(crate) fn thresholds(thresholds: &[ThresholdRecord]) -> Option<Fact> {
    Fact::of("thresholds", thresholds.iter().map(threshold).collect())
}

fn threshold(threshold: &ThresholdRecord) -> String {
    let measured = match threshold.measured {
        Some(_) => format!("measured {}", threshold.measured_text),
        None => "no data, which fails".into(),
    };
    format!("{} {}   {measured}", mark(threshold.passed), clean(&threshold.expression))
}

/// Counts the consistency conditions that were met before and after the run, and lists those that
/// were violated.
pub(crate) fn checks(record: &Record, result: &ResultRecord) -> Option<Fact> {
    let mut paragraphs = Vec::new();
    for when in ["before", "after"] {
        let group: Vec<&CheckRecord> =
            result.checks.iter().filter(|check| check.when == when).collect();
        let (conditions, samples) = apart(group.iter().copied());
        paragraphs.extend((!conditions.is_empty()).then(|| count(&conditions, when)));
        paragraphs.extend((!samples.is_empty()).then(|| counted_samples(&samples)));
        paragraphs.extend(group.iter().filter_map(|check| trouble(check)));
    }
    if paragraphs.is_empty() {
        let why = match result.ended_by {
            _ if record.plan.judgement.check == Some(CheckWhen::None) => ": --check none",
            RunEnd::Interrupt | RunEnd::Terminate => ": the run was stopped",
            _ => "",
        };
        paragraphs.push(format!("{ABSENT} not run{why}"));
    }
    Fact::of("checks", paragraphs)
}

/// Returns three values: a mark such as `✓`, the number of conditions that hold (`10 of 10 after the run, 2 excused`),
/// and the excused conditions.
fn tally<'a>(
    group: &[&'a CheckRecord],
    what: &str,
) -> (&'static str, String, Vec<&'a CheckRecord>) {
    let with = |verdict| group.iter().copied().filter(move |check| check.verdict == verdict);
    let (holding, excused) = (with(CheckVerdict::Holds).count(), with(CheckVerdict::Excused));
    let excused: Vec<&CheckRecord> = excused.collect();
    let asked = group.len() - excused.len();
    let mark = if asked == 0 { ABSENT } else { mark(holding == asked) };
    let also = match excused.len() {
        0 => String::new(),
        some => format!(", {some} excused"),
    };
    (mark, format!("{holding} of {asked} {what}{also}"), excused)
}

/// Counts the conditions that hold and lists the excused ones, as in `✓ 10 of 10 after the run, 2
/// excused: C10 (amounts_reversed), …`.
fn count(group: &[&CheckRecord], when: &str) -> String {
    let (mark, words, excused) = tally(group, &format!("{when} the run"));
    let why = excused.iter().map(|check| format!("{} ({})", check.id, clean(&check.detail)));
    let why = why.collect::<Vec<_>>().join(", ");
    let colon = if why.is_empty() { "" } else { ": " };
    format!("{mark} {words}{colon}{why}")
}

/// Counts unchanged samples: `✓ 4 of 4 samples of the loaded rows are unchanged`.
fn counted_samples(group: &[&CheckRecord]) -> String {
    let (mark, words, excused) = tally(group, UNCHANGED);
    let why =
        excused.first().map_or_else(String::new, |check| format!(": {}", clean(&check.detail)));
    format!("{mark} {words}{why}")
}

const UNCHANGED: &str = "samples of the loaded rows are unchanged";

/// Separates the checks into two lists: consistency conditions, and samples of the loaded rows.
fn apart<'a>(
    checks: impl IntoIterator<Item = &'a CheckRecord>,
) -> (Vec<&'a CheckRecord>, Vec<&'a CheckRecord>) {
    checks.into_iter().partition(|check| !check.sampled)
}

/// Lists each condition, followed by details if it does not hold.
pub(crate) fn check_lines(checks: &[CheckRecord]) -> impl Iterator<Item = Line> {
    checks.iter().flat_map(|check| {
        let detail = clean(&check.detail);
        let found = match check.verdict {
            CheckVerdict::Holds => None,
            CheckVerdict::Excused => Some(format!("not run: {detail}")),
            CheckVerdict::Violated => Some(detail),
            CheckVerdict::Failed => Some(format!("could not be run: {detail}")),
        };
        let rule = Line::new(0, format!("{} {:4} {}", check_mark(check), check.id, check.rule));
        std::iter::once(rule).chain(found.map(|found| Line::new(4, found)))
    })
}

/// Summarizes checks, as in `12 of 12 hold; 4 of 4 samples of the loaded rows are unchanged`.
pub(crate) fn check_total(checks: &[CheckRecord]) -> String {
    let (conditions, samples) = apart(checks);
    let samples = (!samples.is_empty()).then(|| tally(&samples, UNCHANGED).1);
    let parts: Vec<String> = [tally(&conditions, "hold").1].into_iter().chain(samples).collect();
    parts.join("; ")
}

/// Returns the mark for a check's verdict.
pub(crate) fn check_mark(check: &CheckRecord) -> &'static str {
    match check.verdict {
        CheckVerdict::Holds => "✓",
        CheckVerdict::Excused => ABSENT,
        CheckVerdict::Violated | CheckVerdict::Failed => "✗",
    }
}

/// Describes a condition that is violated or could not be checked.
fn trouble(check: &CheckRecord) -> Option<String> {
    let (id, rule, detail) = (&check.id, &check.rule, clean(&check.detail));
    match check.verdict {
        CheckVerdict::Violated => Some(format!("✗ {id} {rule}: {detail}")),
        CheckVerdict::Failed => Some(format!("✗ {id} {rule}: could not be checked: {detail}")),
        CheckVerdict::Holds | CheckVerdict::Excused => None,
    }
}

/// Reports how many properties of the generated inputs are within the limits.
pub(crate) fn audit(result: &ResultRecord) -> Option<Fact> {
    let drawn: Vec<&AuditRecord> =
        result.audit.iter().filter(|rule| rule.measured.is_some()).collect();
    if drawn.is_empty() {
        return None;
    }
    let within = drawn.iter().filter(|rule| rule.passed).count();
    let idle = match result.audit.len() - drawn.len() {
        0 => String::new(),
        idle => format!(", {idle} without draws"),
    };
    let line = format!(
        "{} {within} of {} within their bands{}{idle}",
        mark(within == drawn.len()),
        drawn.len(),
        mix(&drawn, result)
    );
    let outside = drawn.iter().filter(|rule| !rule.passed).map(|rule| outside(rule));
    Fact::of("audit", std::iter::once(line).chain(outside).collect())
}

/// Returns the measured mix, which is the percentage of each transaction type, as in
/// `: mix 44.9/43.1/4.0/4.0/4.0 %`.
fn mix(drawn: &[&AuditRecord], result: &ResultRecord) -> String {
    let mut shares = Vec::new();
    for transaction in result.transactions.iter().filter(|transaction| transaction.name != "all") {
        let spoken = transaction.name.replace('_', " ");
        let names = |rule: &&&AuditRecord| {
            let name = rule.name.replace(['_', '-'], " ");
            rule.share && (name == spoken || is_mix_of(&name, &spoken))
        };
        if let Some(share) = drawn.iter().find(names).and_then(|rule| rule.measured) {
            shares.push(format!("{:.1}", share * 100.0));
        }
    }
    match shares.len() {
        0 | 1 => String::new(),
        _ => format!(": mix {}\u{202F}%", shares.join("/")),
    }
}

fn is_mix_of(rule: &str, transaction: &str) -> bool {
    rule.strip_prefix("mix ").or(rule.strip_prefix("share of ")) == Some(transaction)
        || rule.strip_suffix(" share") == Some(transaction)
        || rule.strip_suffix(" transactions") == Some(transaction)
}

/// Describes a property of the inputs that is outside its limits.
fn outside(rule: &AuditRecord) -> String {
    let show = |value: f64| value_of(rule, value);
    format!(
        "✗ {} {} outside {} to {} ({}), {} draws",
        rule.name,
        rule.measured.map_or(ABSENT.into(), show),
        show(rule.low),
        show(rule.high),
        rule.clause,
        grouped(rule.draws)
    )
}

/// Formats a measured value. A share is shown as a percentage, and a mean is shown with three
/// significant digits.
pub(crate) fn value_of(rule: &AuditRecord, value: f64) -> String {
    if rule.share { percent(value) } else { significant(value) }
}

/// Compares the commits that the client counted with those in the database, for each transaction
/// type.
pub(crate) fn commits(result: &ResultRecord) -> Option<Fact> {
    let kinds = &result.commits;
    let all_match = kinds.iter().all(CommitsRecord::matches);
    let (same, differing): (Vec<_>, Vec<_>) = kinds.iter().partition(|kind| kind.matches());
    let same = same.into_iter().map(kind_agrees).collect::<Vec<_>>().join(", ");
    let mut lines = Vec::new();
    match result.headline.as_ref() {
        Some(headline) if headline.whole_run_schema_count.is_none() => {
            lines.push(format!("{ABSENT} not counted in the database"));
        }
        Some(headline) => {
            let (finding, counts_agree) = counted_commits(headline, all_match);
            lines.push(finding);
            lines.extend(differing.into_iter().map(kind_differs));
            if counts_agree && !same.is_empty() {
                lines.push(format!("also {same}"));
            }
        }
        None if kinds.is_empty() => {}
        None if all_match => lines.push(format!("✓ commits match: {same}")),
        None => lines.extend(differing.into_iter().map(kind_differs)),
    }
    Fact::of("commits", lines)
}

/// Compares the commit counts of the client and the database. Returns true if they agree.
fn counted_commits(headline: &HeadlineRecord, all_match: bool) -> (String, bool) {
    let schema = headline.whole_run_schema_count.unwrap_or_default();
    let (client, unknown) = (headline.whole_run_client_count, headline.whole_run_unknown_count);
    let missing = client.saturating_sub(schema);
    let extra = schema.saturating_sub(client + unknown);
    let finding = match (missing, extra) {
        (0, 0) if all_match => "✓ commits match".into(),
        (0, 0) => "✗ commits differ".into(),
        (0, extra) => format!(
            "✗ {} in the database that no client committed: another client is writing to the database",
            grouped(extra)
        ),
        (missing, _) => format!("✗ {} missing in the database", counted(missing, "commit")),
    };
    let unsure = match unknown {
        0 => String::new(),
        unknown => format!(", {} of unknown outcome", grouped(unknown)),
    };
    let wrong = match headline.whole_run_wrong_count {
        0 => String::new(),
        wrong => format!(", {} of them with a wrong reply", grouped(wrong)),
    };
    let counts = format!("client {}{wrong}, schema {}{unsure}", grouped(client), grouped(schema));
    (format!("{finding}: {counts}"), (missing, extra) == (0, 0))
}

/// Describes a count on which the client and the database disagree, such as `✗ payment: w_ytd: client 1 234.00, schema
/// 1 100.00`.
fn kind_differs(kind: &CommitsRecord) -> String {
    let [client, schema] =
        [kind.client, kind.schema].map(|number| units::decimal(number, kind.digits));
    format!("✗ {}: {}: client {client}, schema {schema}", kind.transaction, kind.counter)
}

/// Describes a count on which client and database agree, such as `payment 1 234.00 (w_ytd)`.
fn kind_agrees(kind: &CommitsRecord) -> String {
    format!("{} {} ({})", kind.transaction, units::decimal(kind.schema, kind.digits), kind.counter)
}

/// Reports whether the server counted more rollbacks than the client.
pub(crate) fn rollbacks(rollbacks: Option<&RollbacksRecord>) -> Option<Fact> {
    let RollbacksRecord { server, client, hidden, maintenance } = rollbacks.copied()?;
    let finding = match hidden {
        0 => "✓ no hidden rollbacks".into(),
        hidden => format!("✗ {} hidden from the client", grouped(hidden)),
    };
    let note = match maintenance {
        0 => String::new(),
        count => format!(", {} by maintenance", grouped(count)),
    };
    let (server, client) = (grouped(server), grouped(client));
    Some(Fact::new("rollbacks", format!("{finding}: server {server}, client {client}{note}")))
}
