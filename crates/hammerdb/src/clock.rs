//! Dates as HammerDB writes them.

use std::time::SystemTime;

fn written(format: &str) -> String {
    let date = SystemTime::UNIX_EPOCH + tacho_collect::wall_clock();
    let date = jiff::Timestamp::try_from(date).unwrap_or_default();
    date.to_zoned(jiff::tz::TimeZone::system()).strftime(format).to_string()
}

/// The present date as Tcl's `clock format` writes it.
pub fn now() -> String {
    written("%a %b %d %H:%M:%S %Z %Y")
}

/// The present date as jobs bear it.
pub fn stamp() -> String {
    written("%Y-%m-%d %H:%M:%S")
}
