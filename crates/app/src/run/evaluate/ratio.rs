//! Compares the server's counters, TPM, and the headline metric with each other.

use tacho_core::units;
use tacho_store::record::{NoticeRecord, ResultRecord, TpmRecord};

use crate::run::notices::Notice;

/// Delay, in seconds, with which a server counts transactions. For example, a PostgreSQL session reports its commits
/// once per second (`PGSTAT_MIN_INTERVAL`).
const COUNTED_LATE_S: f64 = 1.0;
/// Difference that is always accepted between two counts of the same work, as a fraction.
const COUNTS_APART: f64 = 0.02;
/// Number of transactions by which two counts may always differ. It matters in short runs: PostgreSQL's autovacuum
/// alone starts several transactions per table.
const NOT_OF_CLIENTS: f64 = 36.0;

/// Returns a notice if server and client counted different numbers of transactions, or if the numbers do not match the
/// transaction mix. Allows for random variation and for transactions that the server runs by itself.
pub(super) fn ratio_off(figures: &ResultRecord, sessions: u32) -> Option<NoticeRecord> {
    let tpm = figures.tpm.as_ref()?;
    server_differs(figures, tpm, sessions).or_else(|| mix_differs(figures, tpm, sessions))
}

fn late_share(figures: &ResultRecord) -> f64 {
    if figures.measured_s > 0.0 { COUNTED_LATE_S / figures.measured_s } else { 0.0 }
}

/// Returns a notice if the server and the client counted different numbers of finished transactions.
fn server_differs(figures: &ResultRecord, tpm: &TpmRecord, sessions: u32) -> Option<NoticeRecord> {
    let server = tpm.server_per_minute.filter(|_| tpm.per_minute > 0.0)?;
    let ended = (tpm.per_minute * figures.measured_s / 60.0).max(1.0);
    let at_readings = (2.0 * f64::from(sessions) + NOT_OF_CLIENTS) / ended;
    // The server may count a transaction late, so it may be missing from the last reading, or wrongly be included
    // in the measured phase.
    let allowed = COUNTS_APART + at_readings + late_share(figures);
    let apart = server / tpm.per_minute - 1.0;
    if apart.abs() <= allowed {
        return None;
    }
    let [server, client] = [server, tpm.per_minute].map(units::significant);
    let text = format!("the server counted {server} transactions per minute, the client {client}");
    Some(if apart < 0.0 { counted_late(text) } else { counted_more(figures, text) })
}

/// Returns a notice if the ratio between TPM and the headline metric is not what the transaction mix implies.
fn mix_differs(figures: &ResultRecord, tpm: &TpmRecord, sessions: u32) -> Option<NoticeRecord> {
    let (ratio, expected) = (tpm.ratio?, tpm.expected_ratio?);
    let headline = figures.headline.as_ref()?;
    let samples = headline.client_count.max(1) as f64;
    // Client and server may count transactions differently if they are in flight at the first or the last reading.
    // Allow for one transaction per session at each reading.
    let border = 2.0 * f64::from(sessions) / samples;
    let chance = 4.0 * (1.0 - 1.0 / expected).max(0.0).sqrt() / samples.sqrt();
    let allowed = COUNTS_APART + border + chance;
    if (-allowed - late_share(figures)..=allowed).contains(&(ratio / expected - 1.0)) {
        return None;
    }
    let text =
        format!("TPM is {ratio:.3} times {}, but the mix implies {expected:.3}", headline.name);
    Some(match tpm.source.as_str() {
        "server" if ratio < expected => counted_late(text),
        "server" => counted_more(figures, text),
        _ => Notice::RatioOff.with_hint(
            text,
            "the completed transactions do not match the mix; see tacho show --errors",
        ),
    })
}

/// Returns the notice for a server count that is lower than the client's. Transactions of other clients can only
/// increase the server's count. If it is too low, some sessions have not reported their transactions to the server's
/// statistics yet.
fn counted_late(text: String) -> NoticeRecord {
    let hint = "a server may count with a delay of several seconds, which affects short runs: \
        measure longer, or use the client's counts, which are exact";
    Notice::RatioOff.with_hint(text, hint)
}

fn counted_more(figures: &ResultRecord, text: String) -> NoticeRecord {
    let failed: u64 = figures.errors.iter().map(|error| error.count).sum();
    if failed == 0 {
        return Notice::RatioOff.found(text);
    }
    // The server does not count its own rollback of a deadlock's victim. It counts only the rollback that the client
    // sends afterwards.
    let text = format!(
        "{text}; {failed} failed attempts were rolled back, whether or not they were retried"
    );
    let hint = "the server also counts rolled-back attempts, which tacho show --errors lists; use the \
                client's counts";
    Notice::RatioOff.with_hint(text, hint)
}

#[cfg(test)]
mod tests {
    use tacho_store::record::{ErrorRecord, HeadlineRecord};

    use super::*;

    /// Returns a result with 10,000 commits, in which TPM is `ratio` times NOPM. With this transaction mix, the
    /// expected ratio is 2.3.
    fn figures(ratio: f64, failed: u64) -> ResultRecord {
        let error = ErrorRecord {
            transaction: "payment".into(),
            kind: "deadlock".into(),
            code: "1213".into(),
            count: failed,
            example: String::new(),
        };
        ResultRecord {
            headline: Some(HeadlineRecord {
                name: "NOPM".into(),
                per_minute: 10_000.0,
                per_nominal_minute: None,
                most_per_minute: None,
                source: "schema".into(),
                schema_count: Some(10_000),
                schema_elapsed_s: Some(60.0),
                client_count: 10_000,
                whole_run_schema_count: None,
                whole_run_client_count: 10_000,
                whole_run_unknown_count: 0,
                whole_run_wrong_count: 0,
                proof_only: false,
            }),
            tpm: Some(TpmRecord {
                per_minute: 10_000.0 * ratio,
                per_nominal_minute: None,
                source: "server".into(),
                server_per_minute: None,
                ratio: Some(ratio),
                expected_ratio: Some(2.3),
            }),
            errors: if failed > 0 { vec![error] } else { Vec::new() },
            ..ResultRecord::default()
        }
    }

    #[test]
    fn a_ratio_that_rollbacks_of_failures_raise_says_so() {
        assert!(ratio_off(&figures(2.31, 50), 8).is_none());
        let others = ratio_off(&figures(3.0, 0), 8).expect("a notice");
        let raised = ratio_off(&figures(3.0, 50), 8).expect("a notice");
        let lowered = ratio_off(&figures(1.5, 50), 8).expect("a notice");
        assert!(raised.text.contains("; 50 failed attempts"), "{}", raised.text);
        assert!(raised.hint.contains("rolled-back attempts"), "{}", raised.hint);
        assert!(others.hint.contains("other clients"), "{}", others.hint);
        assert!(
            lowered.hint.contains("delay"),
            "neither rollbacks nor other clients can lower the count"
        );
        assert!(!others.text.contains("attempts") && !lowered.text.contains("attempts"));
    }

    #[test]
    fn a_server_that_counted_other_transactions_is_reported() {
        let notice = |server: Option<f64>| {
            let mut figures = figures(2.3, 0);
            figures.measured_s = 60.0;
            let tpm = figures.tpm.as_mut().expect("TPM");
            (tpm.source, tpm.server_per_minute) = ("client".into(), server);
            ratio_off(&figures, 8)
        };
        assert!(notice(None).is_none() && notice(Some(23_300.0)).is_none());
        // The server may count the last transactions of the ramp-up up to one second late.
        assert!(notice(Some(23_800.0)).is_none());
        let more = notice(Some(25_000.0)).expect("a notice");
        assert!(more.text.starts_with("the server counted 25\u{202f}000 trans"), "{}", more.text);
        assert!(more.hint.contains("other clients"), "{}", more.hint);
        assert!(notice(Some(20_000.0)).expect("a notice").hint.contains("delay"));
        let mut mix = figures(3.0, 0);
        mix.tpm.as_mut().expect("TPM").source = "client".into();
        assert!(ratio_off(&mix, 8).expect("a notice").hint.contains("do not match the mix"));
    }
}
