//! A folder's parameters and profiles.
//!
//! Start reading at [`parameters`].

use tacho_core::{Parameter, ParameterKind, Result};
use tacho_workload::{Profile, STORAGE_PARAMETER};

use super::definition::{Definition, require_value};
use crate::vm::source::keep;

/// Name of the parameter that contains a digest of the table definitions. The digest shows whether existing data was
/// built with the same definitions.
pub const DEFINITION: &str = "definition";

/// Returns all parameters: those that the folder defines, one for the digest of the folder's tables, and one for table
/// storage.
pub fn parameters(definition: &Definition, digest: &str) -> &'static [Parameter] {
    let digest = Parameter {
        key: DEFINITION,
        kind: ParameterKind::Text,
        default: keep(digest.to_owned()),
        help: "digest of the tables and their row generation rules; computed from the folder",
    };
    let parameters = definition.parameters.iter().copied();
    parameters.chain([digest, STORAGE_PARAMETER]).collect::<Vec<Parameter>>().leak()
}

/// Returns the folder's profiles. If the folder declares none, returns a default profile.
pub fn profiles(definition: &Definition) -> Result<&'static [Profile]> {
    if definition.profiles.is_empty() {
        return Ok(&[Profile {
            id: "default",
            about: "the parameters that the folder declares",
            values: &[],
        }]);
    }
    let mut all = Vec::new();
    for profile in &definition.profiles {
        let mut values = Vec::new();
        for value in &profile.values {
            let known = definition.parameters.iter().find(|known| known.key == value.name);
            let Some(known) = known else {
                let names = definition.parameters.iter().map(|known| known.key);
                let text = format!("unknown parameter \"{}\"", value.name);
                let error = definition.error(value.at, &text);
                return Err(error.did_you_mean(&value.name, names));
            };
            require_value(known.kind, &value.value, || {
                let text = format!("invalid value for {}: \"{}\"", value.name, value.value);
                definition.error(value.at, &text)
            })?;
            values.push((keep(value.name.clone()), keep(value.value.clone())));
        }
        let (id, about) = (keep(profile.id.clone()), keep(profile.about.clone()));
        all.push(Profile { id, about, values: values.leak() });
    }
    Ok(all.leak())
}
