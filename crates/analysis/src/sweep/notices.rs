//! What the runs of a sweep say about themselves: which points carry which warnings.
//!
//! Start reading at [`RowNotice::add`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_store::record::NoticeRecord;

use super::SweepView;

/// A reason for INVALID or a warning at a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RowNotice {
    /// Stable id, such as `W02`.
    pub id: String,
    /// Its name, such as `not-steady`.
    pub name: String,
    /// Whether it makes the run INVALID.
    pub invalidates: bool,
}

impl RowNotice {
    /// Adds what a run says, each kind once.
    pub(super) fn add(known: &mut Vec<Self>, notices: &[NoticeRecord]) {
        for own in notices {
            let NoticeRecord { id, name, invalidates, .. } = own.clone();
            let own = Self { id, name, invalidates };
            if !known.contains(&own) {
                known.push(own);
            }
        }
    }
}

/// Points that carry a warning.
pub fn warned(view: &SweepView) -> u64 {
    let rows = view.rows.iter();
    rows.filter(|row| row.notices.iter().any(|notice| !notice.invalidates)).count() as u64
}
