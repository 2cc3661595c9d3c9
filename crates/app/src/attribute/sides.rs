//! One of the two configurations, consisting of a profile and additional settings.
//!
//! Start reading at [`Side::read`].

use std::collections::BTreeMap;

use tacho_config::{Resolved, setting};
use tacho_core::{Error, Result, is_secret};
use tacho_workload::Workload;

use super::values::{SERVER_SETTING, TARGET_OPTION, with_values};
use crate::{Context, Job};

/// A configuration in which every workload parameter has a value.
#[derive(Clone, Debug)]
pub(super) struct Side {
    /// Values by key. All workload parameters are included, but run settings only if the configuration mentions them.
    pub(super) values: BTreeMap<String, String>,
}

impl Side {
    /// Parses `PROFILE[,KEY=VALUE…]`.
    pub(super) fn read(text: &str, base: &Resolved, context: &Context) -> Result<Self> {
        let workload = Job::new(base.clone(), context)?.workload;
        let workload = workload.as_ref();
        let mut profile = workload.profiles()[0].id.to_owned();
        let mut named = BTreeMap::new();
        // Values such as weights may contain commas. If a part has no `=`, it therefore belongs to the previous
        // value.
        let mut last: Option<String> = None;
        for (at, part) in text.split(',').map(str::trim).enumerate() {
            match (part.split_once('='), &last) {
                (Some((key, value)), _) => {
                    let key = key.trim().replace('-', "_");
                    require_known(&key, workload)?;
                    named.insert(key.clone(), value.trim().to_owned());
                    last = Some(key);
                }
                (None, Some(key)) => {
                    let value: &mut String = named.entry(key.clone()).or_default();
                    value.push(',');
                    value.push_str(part);
                }
                (None, None) if at == 0 && !part.is_empty() => part.clone_into(&mut profile),
                (None, None) => {
                    return Err(Error::usage(format!("invalid configuration \"{text}\""))
                        .hint("use the format PROFILE or PROFILE,KEY=VALUE,…"));
                }
            }
        }
        let resolved = with_values(&base.with("profile", &[profile])?, &named)?;
        let job = Job::new(resolved, context)?;
        let instance = job.workload.instance(&job.choices(None)?)?;
        let mut values = instance.parameters();
        values.extend(named);
        Ok(Self { values })
    }
}

impl Side {
    /// Returns an error if only one side specifies a server setting, because its value on the other side is unknown.
    pub(super) fn require_both(sides: &[Self; 2]) -> Result<()> {
        for (side, other, option) in
            [(&sides[0], &sides[1], "--to"), (&sides[1], &sides[0], "--from")]
        {
            let lacks =
                |key: &&String| key.starts_with(SERVER_SETTING) && !other.values.contains_key(*key);
            if let Some(key) = side.values.keys().find(lacks) {
                return Err(Error::usage(format!("{option} does not specify {key}"))
                    .hint(format!("specify {key}=VALUE in both --from and --to")));
            }
        }
        Ok(())
    }

    /// Adds the run settings that only the other side specifies to each side, with the values from the base settings.
    pub(super) fn complete(sides: &mut [Self; 2], base: &Resolved) {
        for at in [0, 1] {
            let other = sides[1 - at].values.keys();
            let missing = other.filter(|key| !sides[at].values.contains_key(*key));
            for key in missing.cloned().collect::<Vec<String>>() {
                let mut entries = base.entries();
                if let Some(found) =
                    entries.find(|entry| entry.key == key && !entry.values.is_empty())
                {
                    sides[at].values.insert(key, found.values.join(","));
                }
            }
        }
    }
}

fn require_known(key: &str, workload: &dyn Workload) -> Result<()> {
    let option = key.strip_prefix(TARGET_OPTION);
    if option.is_some() && is_secret(key) {
        return Err(Error::usage(format!(
            "{key} is a secret and cannot be part of an attribution"
        ))
        .hint("specify the secret in the target"));
    }
    let server = key.strip_prefix(SERVER_SETTING);
    let parameter = workload.parameters().iter().any(|parameter| parameter.key == key);
    let run = setting(key).is_some_and(|setting| !setting.repeated)
        && !["profile", "target"].contains(&key);
    if parameter || run || option.or(server).is_some_and(|name| !name.is_empty()) {
        return Ok(());
    }
    Err(Error::usage(format!("unknown setting \"{key}\""))
        .did_you_mean(key, workload.parameters().iter().map(|parameter| parameter.key))
        .hint("use target.OPTION for a target option, and server.NAME for a server setting"))
}
