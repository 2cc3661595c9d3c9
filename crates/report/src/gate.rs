//! Describes the result of a gate. A gate is a limit for the change in a metric, such as `p95>5%`.
//!
//! Start reading at [`headline`].

use tacho_analysis::{GateOutcome, GateVerdict, clean};
use tacho_core::units::{counted, percent};

use crate::words::{interval, relative_change};

/// Returns the verdict in one line. If more runs are needed, it says how many, as in
/// `CANNOT TELL: p95 +3.1 % (−4.0 % … +11.0 %), limit +5.0 %; 9 runs of each side would tell`.
pub(crate) fn headline(gate: &GateOutcome) -> String {
    let word = match gate.verdict {
        GateVerdict::Worse => "WORSE",
        GateVerdict::Within => "WITHIN THE LIMIT",
        GateVerdict::CannotTell => "CANNOT TELL",
    };
    let change = gate.change.map_or_else(
        || unknown(gate).to_owned(),
        |change| format!(" {} ({})", relative_change(change.value), interval(change)),
    );
    let limit = relative_change(gate.limit);
    let at = gate.worse_at.iter().map(|point| clean(point)).collect::<Vec<_>>().join("; ");
    let at = if at.is_empty() { at } else { format!("; beyond the limit at {at}") };
    format!("{word}: {}{change}, limit {limit}{at}{}", clean(&gate.metric), remedy(gate))
}

/// Returns text that explains why the change could not be determined.
fn unknown(gate: &GateOutcome) -> &'static str {
    if gate.is_unmeasured {
        " was not measured in every run: measure longer, because a percentile needs enough transactions"
    } else {
        ": single runs do not show how much runs differ"
    }
}

fn remedy(gate: &GateOutcome) -> String {
    if gate.verdict != GateVerdict::CannotTell || gate.is_unmeasured {
        return String::new();
    }
    let now = counted(u64::from(gate.repeats), "run");
    let assumed = gate.assumed_noise.map_or_else(String::new, |noise| {
        format!(" if runs differ by {}, which is assumed", percent(noise))
    });
    match gate.repeats_needed {
        Some(needed) => {
            let needed = counted(u64::from(needed), "run");
            format!("; {needed} of each side would tell{assumed} (now {now})")
        }
        None => format!("; a thousand runs of each side would not tell{assumed} (now {now})"),
    }
}
