//! Explains how to read the report, and defines the terms used in it.

use crate::document::{Block, Section};

/// Terms with their definitions.
pub const TERMS: [(&str, &str); 14] = [
    (
        "VALID, INVALID",
        "Indicates whether the results can be trusted. The results of an INVALID run are meaningless; \
            the reasons are listed.",
    ),
    ("NOPM", "New orders per minute, counted in the database as the increase in order numbers."),
    (
        "TPM",
        "All transactions per minute, counted by the client: commits and intended rollbacks. For HammerDB scripts and runs of earlier versions, the number comes from the server's counters and is marked (server).",
    ),
    (
        "95 % CI",
        "The 95 % confidence interval of this run's mean, based on the spread of its intervals. It does not include the variation between runs.",
    ),
    (
        "stream",
        "A session that runs a list of transactions, such as queries, one after another and then ends.",
    ),
    (
        "geometric mean",
        "(t1 · … · tn)^(1/n) of n times: if a transaction takes twice as long, the effect is the same whether it is short or long. The mean covers the successful transactions and is printed with their number.",
    ),
    (
        "latency",
        "The time from when a transaction was due until it ended, which is how long a user waits.",
    ),
    (
        "service time",
        "The time from when a transaction was sent until it ended, which is how long the database takes.",
    ),
    (
        "p50, p95, p99, p99.9",
        "The time within which 50, 95, 99 or 99.9 % of the transactions ended. It is omitted if fewer than 10 transactions took longer.",
    ),
    ("rolled back", "A transaction that the workload rolled back intentionally; not a failure."),
    (
        "failed",
        "A transaction that ended with an error. Failures are counted separately and are not included in any latency.",
    ),
    ("unfinished", "A transaction that started in the measured phase but did not end during it."),
    (
        "peak, knee",
        "The peak is the highest throughput of a sweep; the knee is the first point that reaches 95 % of it.",
    ),
    (
        "wait",
        "Wait event of a session, as named by the server. All sessions are sampled ten times a \
            second.",
    ),
];

/// The section's ID in the page.
pub(in crate::report) const ID: &str = "reading";

const BROWSER: &str = "This page is self-contained and makes no requests to a server. It includes \
    its data, which you can save with the button below the title. Every chart is also available as \
    a table.";

/// Returns true if the block makes sense only in a self-contained file, not on a page of a site.
pub(in crate::report) fn is_of_a_file(block: &Block) -> bool {
    matches!(block, Block::Paragraph { text } if text == BROWSER)
}

/// Returns the definitions of terms and, if the page has charts, notes on them.
pub(in crate::report) fn section(has_charts: bool) -> Section {
    let page = has_charts.then(|| Block::text(BROWSER));
    let blocks = page.into_iter().chain([Block::Terms { terms: TERMS.to_vec() }]).collect();
    Section { id: ID.into(), title: "How to read this report".into(), blocks }
}
