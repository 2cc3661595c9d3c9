//! A description of a workload for other programs.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tacho_core::Parameter;
use tacho_core::units::Amount;
use tacho_workload::{Profile, Workload};

/// A workload, including its profiles and parameters.
#[derive(Serialize, JsonSchema)]
pub struct WorkloadView {
    /// The workload's name on the command line.
    id: &'static str,
    title: &'static str,
    /// The notice that accompanies every result.
    notice: &'static str,
    /// The unit of the scale, in the singular.
    scale_unit: &'static str,
    #[schemars(with = "f64")]
    scale_min: Amount,
    #[schemars(with = "f64")]
    scale_max: Amount,
    /// The profiles, with the default profile first.
    profiles: Vec<ProfileView>,
    parameters: Vec<ParameterView>,
}

#[derive(Serialize, JsonSchema)]
struct ProfileView {
    id: &'static str,
    about: &'static str,
    /// The parameters whose values in the profile differ from their defaults.
    #[schemars(with = "BTreeMap<String, String>")]
    values: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
struct ParameterView {
    key: &'static str,
    default: &'static str,
    /// The allowed values, in words.
    allowed: String,
    help: &'static str,
    /// The clause of the standard that the workload violates if this parameter has certain values.
    deviates_from: Option<&'static str>,
    /// True if the parameter affects the loaded data.
    shapes_data: bool,
}

impl WorkloadView {
    /// Returns a view of a workload.
    pub fn of(workload: &dyn Workload) -> Self {
        let manifest = workload.manifest();
        let parameter = |parameter: &Parameter| ParameterView {
            key: parameter.key,
            default: parameter.default,
            allowed: parameter.kind.words(),
            help: parameter.help,
            deviates_from: workload
                .quirks()
                .iter()
                .find(|quirk| quirk.key == parameter.key)
                .map(|quirk| quirk.clause),
            shapes_data: workload.data_parameters().contains(&parameter.key),
        };
        let profile = |profile: &Profile| ProfileView {
            id: profile.id,
            about: profile.about,
            values: profile
                .values
                .iter()
                .map(|(key, value)| ((*key).into(), (*value).into()))
                .collect(),
        };
        Self {
            id: manifest.id,
            title: manifest.title,
            notice: manifest.notice,
            scale_unit: manifest.scale_unit,
            scale_min: manifest.scale_amount(1),
            scale_max: manifest.scale_amount(manifest.scale_max),
            profiles: workload.profiles().iter().map(profile).collect(),
            parameters: workload.parameters().iter().map(parameter).collect(),
        }
    }
}
