//! The warnings of a sweep's runs, along with the points to which they apply.
//!
//! Start reading at [`RowNotice::add`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_store::record::NoticeRecord;

use super::SweepView;

/// A warning about a particular point of a sweep, or the reason why a run at this point is INVALID.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RowNotice {
    /// Stable ID, such as `W02`.
    pub id: String,
    /// Name, such as `not-steady`.
    pub name: String,
    /// True if the notice makes the run INVALID.
    pub invalidates: bool,
}

impl RowNotice {
    /// Adds a run's notices, without duplicates.
    pub(super) fn add(known: &mut Vec<Self>, notices: &[NoticeRecord]) {
        for notice in notices {
            let NoticeRecord { id, name, invalidates, .. } = notice.clone();
            let summary = Self { id, name, invalidates };
            if !known.contains(&summary) {
                known.push(summary);
            }
        }
    }
}

/// Returns the number of points that have warnings.
pub fn warned(view: &SweepView) -> u64 {
    let rows = view.rows.iter();
    rows.filter(|row| row.notices.iter().any(|notice| !notice.invalidates)).count() as u64
}
