//! Describes work that the server had deferred during the load, and how long the run waited
//! afterwards for this work to be completed.

use std::time::Duration;

use tacho_core::units::{grouped, span};
use tacho_store::record::{ResultRecord, SettleEnd, SettledRecord};

use crate::document::Fact;

/// Returns a paragraph for each kind of deferred work that the run waited for, if any.
pub(crate) fn settled(result: &ResultRecord) -> Option<Fact> {
    Fact::of("settled", result.settled.iter().map(paragraph).collect())
}

fn paragraph(settled: &SettledRecord) -> String {
    let waited = span(Duration::try_from_secs_f64(settled.waited_s).unwrap_or_default());
    let (what, before) = (&settled.what, grouped(settled.before));
    let left = grouped(settled.left);
    match settled.ended_by {
        SettleEnd::Done if settled.before == 0 => format!("{what}: nothing was left"),
        SettleEnd::Done => format!("{what}: {before} done in {waited}"),
        SettleEnd::Stuck => {
            format!("{what}: {left} of {before} left, no progress after {waited}")
        }
        SettleEnd::Interrupt => {
            format!("{what}: {left} of {before} left, stopped by the user after {waited}")
        }
        SettleEnd::Time => format!("{what}: {left} of {before} left after {waited}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_is_told() {
        let table = [
            (0, 0, SettleEnd::Done, "purge: nothing was left"),
            (90, 0, SettleEnd::Done, "purge: 90 done in 3s"),
            (90, 5, SettleEnd::Stuck, "purge: 5 of 90 left, no progress after 3s"),
            (90, 5, SettleEnd::Interrupt, "purge: 5 of 90 left, stopped by the user after 3s"),
            (90, 5, SettleEnd::Time, "purge: 5 of 90 left after 3s"),
        ];
        for (before, left, ended_by, expected) in table {
            let what = "purge".into();
            let settled = SettledRecord { what, before, left, waited_s: 3.0, ended_by };
            assert_eq!(paragraph(&settled), expected);
        }
    }
}
