//! Compares changes in the database with the totals calculated by the clients.
//!
//! If a session was abandoned or the outcome of a transaction is unknown, its commits may or may not be in the
//! database. Both cases are accepted.
//!
//! Start reading at [`records`].

use tacho_core::units::decimal;
use tacho_engine::Measurement;
use tacho_metrics::Growth;
use tacho_store::record::{CommitsRecord, HeadlineRecord, NoticeRecord, ResultRecord};
use tacho_workload::Counter;

use super::notices::Notice;
use super::raw::Raw;

/// Returns a record for each of the workload's counters, or no records if the counters could not be read.
pub(super) fn records(raw: &Raw<'_>, headline: Option<&HeadlineRecord>) -> Vec<CommitsRecord> {
    let Some([before, after]) = raw.measurement.sums else { return Vec::new() };
    let grown = before.into_iter().zip(after).map(|(before, after)| after - before);
    let measured = raw.measurement.total.growth.iter().zip(grown);
    let names = raw.instance.transactions();
    let as_many = headline.is_some_and(has_as_many);
    let counted = raw.instance.headline().filter(|_| as_many).map(|headline| headline.transaction);
    let counters = raw.instance.counters().into_iter().zip(measured);
    let record = |(counter, (growth, schema)): (Counter, (&Growth, i64))| CommitsRecord {
        transaction: names[counter.transaction].name.into(),
        // If another client has made exactly as many commits as were lost, the number of commits is correct. However,
        // a difference in this sum still proves that commits were lost.
        signed: counter.step.0 < 0 || counted == Some(counter.transaction),
        ..record(&counter, *growth, schema, raw.measurement)
    };
    counters.map(record).collect()
}

/// Returns true if the headline counter grew by the number of commits that the clients confirmed.
fn has_as_many(headline: &HeadlineRecord) -> bool {
    headline.whole_run_schema_count == Some(headline.whole_run_client_count)
}

fn record(counter: &Counter, growth: Growth, schema: i64, measured: &Measurement) -> CommitsRecord {
    // An abandoned session may still commit its last transaction.
    let abandoned = i64::from(measured.abandoned);
    CommitsRecord {
        transaction: String::new(),
        counter: counter.name.into(),
        digits: counter.digits,
        client: growth.committed,
        low: growth.committed + growth.low + abandoned * counter.step.0.min(0),
        high: growth.committed + growth.high + abandoned * counter.step.1.max(0),
        schema,
        signed: false,
    }
}

/// Returns a notice for each transaction type whose changes in the database differ from the client's totals. If
/// another client wrote data, sums that can also decrease are ignored, because that client may have caused the
/// difference.
pub(super) fn notices(figures: &ResultRecord, has_others: bool) -> Vec<NoticeRecord> {
    let has_more = |found: &CommitsRecord| !found.signed && found.schema > found.high;
    let as_many = figures.headline.as_ref().is_some_and(has_as_many);
    let has_others = has_others || (!as_many && figures.commits.iter().any(has_more));
    let differing = figures.commits.iter().filter(|found| !found.matches());
    let notice = |found: &CommitsRecord| {
        // If only some sums of a transaction type are correct, another client has replaced lost commits with the same
        // number of its own.
        let of_same = |other: &&CommitsRecord| other.transaction == found.transaction;
        let is_replaced = figures.commits.iter().filter(of_same).any(CommitsRecord::matches);
        let is_lost = if has_others {
            !found.signed && found.schema < found.low
        } else {
            found.schema < found.low || found.signed || is_replaced
        };
        let kind = if is_lost { Notice::CommitsLost } else { Notice::OthersWrote };
        kind.found(format!(
            "{}: {} grew by {} in the database, but the client committed {}",
            found.transaction,
            found.counter,
            decimal(found.schema, found.digits),
            decimal(found.client, found.digits)
        ))
    };
    differing.map(notice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(schema: i64, signed: bool) -> Option<String> {
        let (transaction, counter) = ("payment".into(), "w_ytd".into());
        let record = CommitsRecord {
            transaction,
            counter,
            digits: 2,
            client: 100_000,
            low: 100_000,
            high: 100_500,
            schema,
            signed,
        };
        let figures = ResultRecord { commits: vec![record], ..ResultRecord::default() };
        notices(&figures, false).first().map(|notice| format!("{} {}", notice.id, notice.text))
    }

    #[test]
    fn a_difference_of_one_kind_is_named() {
        assert_eq!(found(100_000, false), None);
        assert_eq!(found(100_500, false), None, "of unknown outcome");
        let text = "payment: w_ytd grew by 999.99 in the database, but the client committed 1\u{202f}000.00";
        assert_eq!(found(99_999, false), Some(format!("V06 {text}")));
        assert_eq!(found(100_501, false).map(|text| text[..3].to_owned()).as_deref(), Some("V11"));
        assert_eq!(found(100_501, true).map(|text| text[..3].to_owned()).as_deref(), Some("V06"));
    }

    #[test]
    fn signed_sums_prove_nothing_where_others_write() {
        let record = |counter: &str, schema, signed| CommitsRecord {
            transaction: "tpcb_like".into(),
            counter: counter.into(),
            low: -500,
            high: -500,
            schema,
            signed,
            ..CommitsRecord::default()
        };
        let ids = |commits: Vec<CommitsRecord>, has_others| {
            let figures = ResultRecord { commits, ..ResultRecord::default() };
            let found = notices(&figures, has_others);
            found.into_iter().map(|notice| notice.id).collect::<Vec<String>>()
        };
        let signed = || vec![record("bbalance", -900, true), record("tbalance", 40, true)];
        assert_eq!(ids(signed(), true), ["V11", "V11"]);
        assert_eq!(ids(signed(), false), ["V06", "V06"]);
        // The number of rows can only increase. If it is too low, commits were lost, even if other clients wrote to the
        // database.
        assert_eq!(ids(vec![record("rows", -501, false)], true), ["V06"]);
        // There are too many rows, so another client must have written to the database as well.
        let more = [record("rows", -499, false)].into_iter().chain(signed()).collect();
        assert_eq!(ids(more, false), ["V11", "V11", "V11"]);
    }
}
