//! Instructions for reading the report, and definitions of the terms used in it.

use crate::document::{Block, Section};

/// Terms with their definitions.
pub const TERMS: [(&str, &str); 14] = [
    (
        "VALID, INVALID",
        "Whether the figures may be used. The figures of an INVALID run are meaningless; the \
         reasons are listed.",
    ),
    ("NOPM", "New orders per minute, counted in the database: the growth of its order numbers."),
    (
        "TPM",
        "All transactions per minute, counted by the client: commits and intended rollbacks. Runs of HammerDB scripts and of earlier versions read it from the server's counters, marked (server).",
    ),
    (
        "95 % CI",
        "The 95 % confidence interval of the mean of this run, from the spread of its intervals. It does not include the variation between runs.",
    ),
    (
        "stream",
        "A session that runs a list of transactions, such as queries, one after the other, and ends.",
    ),
    (
        "geometric mean",
        "(t1 · … · tn)^(1/n) of n times: a transaction that takes twice as long counts the same whether it is short or long. It covers the successful ones and is printed with their number.",
    ),
    ("latency", "From the time a transaction was due to its end: the time that a user waits."),
    (
        "service time",
        "From the time a transaction was sent to its end: the time that the database takes.",
    ),
    (
        "p50, p95, p99, p99.9",
        "The time within which 50, 95, 99 or 99.9 % of the transactions ended. It is not given if fewer than 10 transactions lie beyond it.",
    ),
    ("rolled back", "Ended by a rollback that the workload intends; not a failure."),
    (
        "failed",
        "Ended by an error. Failures are counted separately and are not part of any latency.",
    ),
    ("unfinished", "Started in the measured phase and not ended in it."),
    ("peak, knee", "The highest throughput of a sweep; the first point with 95 % of it."),
    (
        "wait",
        "Wait event of a session, as named by the server, from samples of all sessions ten times \
         a second.",
    ),
];

/// The section's ID in the page.
pub(in crate::report) const ID: &str = "reading";

const BROWSER: &str = "This page is self-contained and requests nothing from a server. It \
                       contains its data; the button below the title saves them. Every chart has \
                       its figures as a table.";

/// Returns true if the block is only relevant to a self-contained file.
pub(in crate::report) fn is_of_a_file(block: &Block) -> bool {
    matches!(block, Block::Paragraph { text } if text == BROWSER)
}

/// Returns the definitions of the terms, along with notes about the page if it has charts.
pub(in crate::report) fn section(has_charts: bool) -> Section {
    let page = has_charts.then(|| Block::text(BROWSER));
    let blocks = page.into_iter().chain([Block::Terms { terms: TERMS.to_vec() }]).collect();
    Section { id: ID.into(), title: "How to read this report".into(), blocks }
}
