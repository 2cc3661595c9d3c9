//! Describes the drop in throughput that cost the most work, and anything unusual that happened at the same time.

use tacho_core::units::significant;
use tacho_store::record::{Activity, CoincidenceRecord, DisturbanceRecord, ResultRecord};

use crate::document::Fact;

/// Describes the drop in throughput, or returns `None` if throughput did not drop.
pub(crate) fn disturbance(result: &ResultRecord) -> Option<Fact> {
    let fall = result.disturbance.as_ref()?;
    let first = format!(
        "from {} to {}: {}/s instead of {}/s",
        clock(fall.from_s),
        clock(fall.to_s),
        significant(fall.throughput_per_s),
        significant(fall.usual_per_s)
    );
    let second = coincided(result).unwrap_or_else(|| {
        "none of the activity that Tacho monitors was unusual at that time".into()
    });
    Fact::of("disturbed", vec![first, second])
}

/// Describes what happened during the largest drop in throughput, as in
/// `other programs used 1.3 cores from 00:30 to 00:41`.
pub fn coincided(result: &ResultRecord) -> Option<String> {
    result.disturbance.as_ref().and_then(coincided_with)
}

/// Describes what coincided with this drop in throughput. See [`coincided`].
pub(crate) fn coincided_with(fall: &DisturbanceRecord) -> Option<String> {
    if fall.coincided.is_empty() {
        return None;
    }
    let all: Vec<String> = fall.coincided.iter().map(activity).collect();
    Some(format!("{} {}", all.join(", "), span(fall)))
}

fn span(fall: &DisturbanceRecord) -> String {
    format!("from {} to {}", clock(fall.from_s), clock(fall.to_s))
}

fn activity(one: &CoincidenceRecord) -> String {
    let amount = significant(one.amount);
    let sessions = if amount == "1" { "session" } else { "sessions" };
    match one.activity {
        Activity::OtherPrograms => format!("other programs used {amount} cores"),
        Activity::IoWait => format!("processes waited for disks while {amount} cores were idle"),
        Activity::Checkpoints => "a checkpoint completed".into(),
        Activity::Locks => format!("{amount} {sessions} waited for locks"),
        Activity::LogWrites => format!("{amount} {sessions} waited for log writes"),
        Activity::DataFiles => format!("{amount} {sessions} waited for data files"),
    }
}

/// Formats a time as minutes and seconds: `00:30`.
fn clock(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    format!("{:02}:{:02}", whole / 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_coincided_and_when() {
        let other =
            CoincidenceRecord { activity: Activity::OtherPrograms, amount: 1.31, usual: 0.1 };
        let fall = DisturbanceRecord {
            from_s: 30.0,
            to_s: 41.2,
            throughput_per_s: 20.0,
            usual_per_s: 92.0,
            coincided: vec![other],
        };
        let mut result = ResultRecord { disturbance: Some(fall), ..ResultRecord::default() };
        let said = coincided(&result);
        assert_eq!(said.as_deref(), Some("other programs used 1.31 cores from 00:30 to 00:41"));
        let fact = disturbance(&result).expect("a fact");
        assert_eq!(fact.paragraphs[0], "from 00:30 to 00:41: 20.0/s instead of 92.0/s");
        result.disturbance = None;
        assert!(disturbance(&result).is_none() && coincided(&result).is_none());
    }
}
