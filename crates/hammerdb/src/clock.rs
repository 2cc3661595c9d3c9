//! Dates in HammerDB's formats.

use std::time::SystemTime;

fn written(format: &str) -> String {
    let date = SystemTime::UNIX_EPOCH + tacho_collect::wall_clock();
    let date = jiff::Timestamp::try_from(date).unwrap_or_default();
    date.to_zoned(jiff::tz::TimeZone::system()).strftime(format).to_string()
}

/// Returns the current date and time in the format of Tcl's `clock format`.
pub fn now() -> String {
    written("%a %b %d %H:%M:%S %Z %Y")
}

/// Returns the current date and time in the format used in job files.
pub fn stamp() -> String {
    written("%Y-%m-%d %H:%M:%S")
}
