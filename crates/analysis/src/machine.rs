//! The location of a run's server.

use tacho_store::record::Record;

/// Returns true if the server's address shows that it runs on the client's machine.
pub fn shares_machine(record: &Record) -> bool {
    let Some((_, rest)) = record.plan.target.split_once("://") else {
        return record.server.embedded;
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let elsewhere = rest.split(['?', '&']).any(|option| {
        option.strip_prefix("host=").is_some_and(|host| !host.is_empty() && !host.starts_with('/'))
    });
    record.server.embedded
        || (!elsewhere && (matches!(host, "" | "localhost" | "::1") || host.starts_with("127.")))
}
