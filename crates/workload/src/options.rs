//! The values chosen for a workload's parameters.

use std::collections::BTreeMap;

use tacho_core::units::parse_count;
use tacho_core::{Error, Parameter, Result, Seed, nearest};
use tacho_driver::Form;

use crate::Profile;

/// Everything that a workload needs to become an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// Size of the data in the workload's own steps, such as warehouses.
    pub scale: u64,
    /// Seed of the data, as loaded.
    pub data_seed: Seed,
    /// Seed of the inputs of this run.
    pub seed: Seed,
    /// Date of the load in microseconds since 1970: the dates in the rows.
    pub loaded_at: i64,
    /// Name of the profile.
    pub profile: String,
    /// Parameters that differ from the profile.
    pub set: BTreeMap<String, String>,
    /// How transactions reach the server.
    pub form: Form,
    /// Number of virtual users.
    pub sessions: u32,
    /// Id of the dialect of the database; empty if none is meant.
    pub dialect: String,
    /// Complete sets of tables that the virtual users are spread over: number `session` works in set
    /// `session` modulo this.
    pub sets: u32,
    /// How often the share of these clients was taken over from a lost load host: each turn has inputs of its own.
    pub turn: u32,
}

impl Choices {
    /// Seed of the inputs of these clients: that of the run, and after a take-over one that no client had before.
    pub fn input_seed(&self) -> Seed {
        match self.turn {
            0 => self.seed,
            turn => self.seed.child("turn").nth(turn.into()),
        }
    }
}

/// Parameter values, checked: default, then profile, then what the user set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    values: BTreeMap<&'static str, String>,
}

impl Options {
    /// Resolves all parameters. Unknown profiles and parameters are usage errors that name the
    /// nearest three.
    pub fn resolve(
        parameters: &'static [Parameter],
        profiles: &'static [Profile],
        profile: &str,
        set: &BTreeMap<String, String>,
    ) -> Result<Self> {
        let chosen = profiles.iter().find(|known| known.id == profile).ok_or_else(|| {
            let close = nearest(profile, profiles.iter().map(|known| known.id)).join(", ");
            Error::usage(format!("unknown profile \"{profile}\""))
                .hint(format!("did you mean {close}?"))
        })?;
        let mut values: BTreeMap<&'static str, String> =
            parameters.iter().map(|p| (p.key, p.default.to_owned())).collect();
        for (key, value) in chosen.values {
            values.insert(key, (*value).to_owned());
        }
        for (key, value) in set {
            let parameter = parameters.iter().find(|p| p.key == key).ok_or_else(|| {
                let close = nearest(key, parameters.iter().map(|p| p.key)).join(", ");
                Error::usage(format!("unknown workload parameter \"{key}\""))
                    .hint(format!("did you mean {close}?"))
                    .hint("tacho describe WORKLOAD lists all parameters")
            })?;
            parameter.check(value)?;
            values.insert(parameter.key, value.clone());
        }
        Ok(Self { values })
    }

    /// A value as text.
    pub fn text(&self, key: &str) -> &str {
        self.values.get(key).map_or("", String::as_str)
    }

    /// A switch.
    pub fn on(&self, key: &str) -> bool {
        self.text(key) == "true"
    }

    /// A count; 0 if there is none.
    pub fn count(&self, key: &str) -> u64 {
        parse_count(self.text(key)).unwrap_or(0)
    }

    /// Those of these keys that have a value: options of the dialect, which checks them.
    pub fn given(&self, keys: &[&'static str]) -> Vec<(&'static str, String)> {
        let pairs = keys.iter().map(|key| (*key, self.text(key).to_owned()));
        pairs.filter(|(_, value)| !value.is_empty()).collect()
    }

    /// All values by key.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(key, value)| (*key, value.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inputs of a share that was taken over are none that a host before it has sent.
    #[test]
    fn each_turn_has_inputs_of_its_own() {
        let of = |turn| {
            let choices = Choices {
                scale: 1,
                data_seed: Seed(7),
                seed: Seed(7),
                loaded_at: 0,
                profile: String::new(),
                set: BTreeMap::new(),
                form: Form::Sql,
                sessions: 1,
                dialect: String::new(),
                sets: 1,
                turn,
            };
            choices.input_seed()
        };
        assert_eq!(of(0), Seed(7), "a run without a loss draws as it always has");
        assert!(of(1) != of(0) && of(2) != of(0) && of(1) != of(2));
        assert_eq!(of(1), of(1));
    }
}
