//! Compares the options with which existing data was created with the options that a job requests.
//!
//! Nothing here changes the data.
//!
//! Start reading at [`differences`].

use std::collections::BTreeSet;

use tacho_workload::Marker;

/// An option of the existing data whose value differs from the requested one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// `scale`, `profile`, `seed`, or a workload parameter.
    pub key: String,
    /// The value with which the existing data was created.
    pub built: String,
    /// The requested value.
    pub wanted: String,
}

/// Returns the options that differ between two markers.
pub(crate) fn differences(marker: &Marker, new: &Marker) -> Vec<Difference> {
    let general = |marker: &Marker| {
        [
            ("scale", scale_text(marker)),
            ("profile", marker.profile.clone()),
            ("seed", marker.seed.0.to_string()),
        ]
    };
    let general = general(marker).into_iter().zip(general(new));
    let general = general.map(|((key, built), (_, wanted))| (key.to_owned(), built, wanted));
    let keys: BTreeSet<&String> = marker.set.keys().chain(new.set.keys()).collect();
    let value = |of: &Marker, key: &String| of.set.get(key).cloned().unwrap_or_default();
    let specific = keys.into_iter().map(|key| (key.clone(), value(marker, key), value(new, key)));
    general
        .chain(specific)
        .filter(|(_, built, wanted)| built != wanted)
        .map(|(key, built, wanted)| Difference { key, built, wanted })
        .collect()
}

/// Returns the data's scale in the unit of the workload that created it.
pub fn scale_text(marker: &Marker) -> String {
    match tacho_registry::recorded_workload(&marker.workload) {
        Ok(workload) => workload.manifest().scale_text(marker.scale),
        Err(_) => marker.scale.to_string(),
    }
}
