//! Conversion of values into run settings. Each value is identified by a key.

use std::collections::BTreeMap;

use tacho_config::{Resolved, setting};
use tacho_core::Result;

use crate::settings::Pairs;
use crate::sweep::with_option;

/// The prefix of a key that names a target option.
pub(super) const TARGET_OPTION: &str = "target.";
/// The prefix of a key that names a server setting.
pub(super) const SERVER_SETTING: &str = "server.";
pub(super) type Values = BTreeMap<String, String>;

/// Returns the server settings among these values.
pub(super) fn server_settings(values: &Values) -> Pairs {
    let setting = |(key, value): (&String, &String)| {
        Some((key.strip_prefix(SERVER_SETTING)?.to_owned(), value.clone()))
    };
    values.iter().filter_map(setting).collect()
}

/// Returns the settings with these values applied: workload parameters, run settings and target options.
pub(super) fn with_values(base: &Resolved, values: &Values) -> Result<Resolved> {
    let mut resolved = base.clone();
    let mut set = resolved.plan.data.set.clone();
    for (key, value) in values {
        if let Some(option) = key.strip_prefix(TARGET_OPTION) {
            let target = with_option(&resolved, option, value)?;
            resolved = resolved.with("target", &[target])?;
        } else if key.starts_with(SERVER_SETTING) {
            // Skip server settings here, because they are not settings of the run.
        } else if setting(key).is_some() {
            resolved = resolved.with(key, std::slice::from_ref(value))?;
        } else {
            set.insert(key.clone(), value.clone());
        }
    }
    let pairs: Vec<String> = set.iter().map(|(key, value)| format!("{key}={value}")).collect();
    if pairs.is_empty() { Ok(resolved) } else { resolved.with("set", &pairs) }
}
