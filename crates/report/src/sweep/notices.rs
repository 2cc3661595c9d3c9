//! What the runs of a sweep say about themselves: which points carry which warnings.
//!
//! Start reading at [`RowNotice::add`] and [`sentences`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_core::units::counted;
use tacho_store::record::NoticeRecord;

use super::{SweepRow, SweepView, label};
use crate::words::clean;

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

    /// In words: `not steady`.
    fn words(&self) -> String {
        self.name.replace('-', " ")
    }
}

/// Why a point is INVALID, in words: `INVALID: rate not reached`.
pub(super) fn invalid(row: &SweepRow) -> Option<String> {
    let reasons = row.notices.iter().filter(|own| own.invalidates);
    let reasons: Vec<String> = reasons.map(RowNotice::words).collect();
    let why = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
    (!row.valid).then(|| format!("INVALID{why}"))
}

/// Points that carry a warning.
pub(crate) fn warned(view: &SweepView) -> u64 {
    let carries = |row: &&SweepRow| row.notices.iter().any(|own| !own.invalidates);
    view.rows.iter().filter(carries).count() as u64
}

/// How many points carry warnings, and where each of them stands.
pub(super) fn sentences(view: &SweepView) -> Vec<String> {
    let measured = view.rows.iter().filter(|row| row.throughput.is_some()).count() as u64;
    let mut kinds: Vec<&RowNotice> = Vec::new();
    for own in view.rows.iter().flat_map(|row| &row.notices).filter(|own| !own.invalidates) {
        if !kinds.contains(&own) {
            kinds.push(own);
        }
    }
    kinds.sort_by(|a, b| a.id.cmp(&b.id));
    let place = |kind: &&RowNotice| {
        let rows = view.rows.iter().filter(|row| row.notices.contains(kind));
        let places = places(view, &rows.collect::<Vec<_>>(), measured);
        format!("{} ({}) at {places}", kind.words(), kind.id)
    };
    let named: Vec<String> = kinds.iter().map(place).collect();
    match warned(view) {
        0 => Vec::new(),
        count => {
            let verb = if count == 1 { "carries" } else { "carry" };
            let points = counted(measured, "point");
            vec![format!("{count} of {points} {verb} warnings: {}.", named.join("; "))]
        }
    }
}

/// Points in words: `all points`, `sessions 8, 16`, `form sql, sessions 8 and form simple, sessions 8`.
fn places(view: &SweepView, rows: &[&SweepRow], measured: u64) -> String {
    if rows.len() as u64 == measured && measured > 1 {
        return "all points".into();
    }
    let keys: Vec<String> = view.sweep.vary.iter().map(|varied| varied.key.clone()).collect();
    match (&keys[..], rows) {
        ([key], rows) if rows.iter().all(|row| !row.values.is_empty()) => {
            let values = rows.iter().map(|row| clean(&row.values.join(", ")));
            format!("{} {}", clean(key), values.collect::<Vec<_>>().join(", "))
        }
        _ => rows.iter().map(|row| label(&keys, &row.values)).collect::<Vec<_>>().join(" and "),
    }
}
