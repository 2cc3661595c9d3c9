//! The warnings about the runs of a sweep. Each warning names the points to which it applies.
//!
//! Start reading at [`sentences`].

use tacho_analysis::{RowNotice, SweepRow, SweepView, clean, label, warned};
use tacho_core::units::counted;

/// Returns the name of a notice in words, such as `not steady`.
fn words(notice: &RowNotice) -> String {
    notice.name.replace('-', " ")
}

/// Returns the reasons why a point is INVALID, as in `INVALID: rate not reached`.
pub(super) fn invalid(row: &SweepRow) -> Option<String> {
    let reasons = row.notices.iter().filter(|notice| notice.invalidates);
    let reasons: Vec<String> = reasons.map(words).collect();
    let why = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
    (!row.valid).then(|| format!("INVALID{why}"))
}

/// States how many points have warnings and, for each warning, names its points.
pub(super) fn sentences(view: &SweepView) -> Vec<String> {
    let measured = view.rows.iter().filter(|row| row.throughput.is_some()).count() as u64;
    let mut kinds: Vec<&RowNotice> = Vec::new();
    for notice in view.rows.iter().flat_map(|row| &row.notices).filter(|notice| !notice.invalidates)
    {
        if !kinds.contains(&notice) {
            kinds.push(notice);
        }
    }
    kinds.sort_by(|a, b| a.id.cmp(&b.id));
    let place = |kind: &&RowNotice| {
        let rows = view.rows.iter().filter(|row| row.notices.contains(kind));
        let places = places(view, &rows.collect::<Vec<_>>(), measured);
        format!("{} ({}) at {places}", words(kind), kind.id)
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

/// Describes points, as in `all points`, `sessions 8, 16`, or `form sql, sessions 8 and form simple, sessions 8`.
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
