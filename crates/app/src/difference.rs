//! The options in which existing data differs from the data that a job asks for.
//!
//! It must never change anything. Start reading at [`differences`].

use std::collections::BTreeSet;

use tacho_workload::Marker;

/// An option with which data was built, and the value that is asked for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// `scale`, `profile`, `seed` or a parameter of the workload.
    pub key: String,
    /// The value of the existing data.
    pub built: String,
    /// The value that is asked for.
    pub wanted: String,
}

/// Returns the options in which two markers differ.
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
    let own = keys.into_iter().map(|key| (key.clone(), value(marker, key), value(new, key)));
    general
        .chain(own)
        .filter(|(_, built, wanted)| built != wanted)
        .map(|(key, built, wanted)| Difference { key, built, wanted })
        .collect()
}

/// The scale of data in the unit of the workload that made it.
pub fn scale_text(marker: &Marker) -> String {
    match tacho_registry::recorded_workload(&marker.workload) {
        Ok(workload) => workload.manifest().scale_text(marker.scale),
        Err(_) => marker.scale.to_string(),
    }
}
