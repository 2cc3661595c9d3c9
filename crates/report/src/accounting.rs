//! The part of a summary that shows what happened to every due transaction, and lists the errors.
//!
//! Start reading at [`accounting`].

use tacho_analysis::clean;
use tacho_core::units::{counted, grouped, percent};
use tacho_store::record::{ErrorRecord, LateRecord, LedgerRecord, ResultRecord};

use crate::document::Fact;
use crate::outcome;
use crate::padding::cut;
use crate::words::micros;

/// Maximum number of error classes in a summary. `show --errors` prints all.
const CLASSES_MAX: usize = 5;
const EXAMPLE_CHARS_MAX: usize = 160;

/// Returns equations that show what happened to the transactions, such as
/// `100 due = 98 started + 2 skipped`.
pub(crate) fn accounting(ledger: &LedgerRecord) -> Option<Fact> {
    let mut paragraphs = Vec::new();
    if ledger.skipped > 0 || ledger.due != ledger.started {
        let (due, started) = (grouped(ledger.due), grouped(ledger.started));
        paragraphs
            .push(format!("{due} due = {started} started + {} skipped", grouped(ledger.skipped)));
    }
    paragraphs.push(format!(
        "{} started = {} committed + {} rolled back + {} failed + {} unfinished{}",
        grouped(ledger.started),
        grouped(ledger.committed),
        grouped(ledger.rolled_back),
        grouped(ledger.failed),
        grouped(ledger.unfinished),
        longest(ledger)
    ));
    if ledger.carried_over > 0 {
        let over = grouped(ledger.carried_over);
        let verb = if ledger.carried_over == 1 { "was" } else { "were" };
        paragraphs
            .push(format!("{over} more {verb} due before the measured phase but ended during it"));
    }
    if !balances(ledger) {
        paragraphs
            .push("✗ these numbers do not add up: this is a bug in Tacho, please report it".into());
    }
    Fact::of("accounting", paragraphs)
}

/// Describes the backlog of scheduled transactions and how long they waited for a free session.
pub(crate) fn arrivals(result: &ResultRecord) -> Option<Fact> {
    result.arrivals.as_ref().map(|arrivals| Fact::new("arrivals", outcome::waits(arrivals)))
}

/// Describes how many transactions exceeded the latency limit.
pub(crate) fn late(result: &ResultRecord) -> Option<Fact> {
    let LateRecord { limit_s, late, late_share, skipped, skipped_share } = result.late?;
    let part = |share: Option<f64>| {
        share.map_or_else(String::new, |share| format!(" ({})", percent(share)))
    };
    let skipped = if result.arrivals.is_some() {
        format!("; {} skipped{}", counted(skipped, "arrival"), part(skipped_share))
    } else {
        String::new()
    };
    let text = format!(
        "{} above the latency limit of {}{}{skipped}",
        counted(late, "transaction"),
        micros(limit_s * 1e6),
        part(late_share)
    );
    Some(Fact::new("late", text))
}

/// Describes the time to open a transaction's connection.
pub(crate) fn connecting(result: &ResultRecord) -> Option<Fact> {
    let times = result.connecting.as_ref()?;
    let named = [("mean", Some(times.mean_us)), ("p50", times.p50_us), ("p99", times.p99_us)];
    let known = named.iter().filter_map(|(name, us)| Some(format!("{name} {}", micros((*us)?))));
    let known: Vec<String> = known.chain([format!("max {}", micros(times.max_us))]).collect();
    let count = counted(times.count, "connection");
    let text = format!("{count}, one for each transaction: {} to connect", known.join(", "));
    Some(Fact::new("connecting", text))
}

fn longest(ledger: &LedgerRecord) -> String {
    match ledger.longest_unfinished_us {
        0 => String::new(),
        us => format!(" (longest {})", micros(us as f64)),
    }
}

fn balances(ledger: &LedgerRecord) -> bool {
    let ended = ledger.committed + ledger.rolled_back + ledger.failed + ledger.unfinished;
    ledger.due == ledger.started + ledger.skipped && ledger.started == ended
}

/// Returns the most frequent error classes, followed by the numbers of retries and failed
/// transactions.
pub(crate) fn errors(result: &ResultRecord) -> Option<Fact> {
    let classes = by_count(&result.errors);
    if classes.is_empty() {
        return Some(Fact::new("errors", "none"));
    }
    let mut paragraphs: Vec<String> =
        classes.iter().take(CLASSES_MAX).map(|error| class(error)).collect();
    if let Some(more @ 1..) = classes.len().checked_sub(CLASSES_MAX) {
        let classes = if more == 1 { "class" } else { "classes" };
        paragraphs.push(format!("and {more} more {classes}; use tacho show --errors to list them"));
    }
    let ledger = &result.accounting;
    paragraphs.push(format!(
        "{} retried, {} failed in the measured phase",
        grouped(ledger.retried),
        grouped(ledger.failed)
    ));
    Fact::of("errors", paragraphs)
}

/// Returns the error classes in order of frequency, the most frequent first.
pub(crate) fn by_count(errors: &[ErrorRecord]) -> Vec<&ErrorRecord> {
    let mut classes: Vec<&ErrorRecord> = errors.iter().collect();
    classes.sort_by_key(|error| std::cmp::Reverse(error.count));
    classes
}

/// Formats an error class: `4 deadlock (40P01) in new_order: deadlock detected`.
fn class(error: &ErrorRecord) -> String {
    let code = match error.code.as_str() {
        "" => String::new(),
        code => format!(" ({})", clean(code)),
    };
    let (count, kind) = (grouped(error.count), error.kind.replace('_', " "));
    let example = cut(&clean(&error.example), EXAMPLE_CHARS_MAX);
    format!("{count} {kind}{code} in {}: {example}", error.transaction)
}
