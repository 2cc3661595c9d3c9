//! The values selected for a workload's parameters.

use std::collections::BTreeMap;

use tacho_core::units::parse_count;
use tacho_core::{Error, Parameter, ParameterKind, Result, Seed, Storage, StorageOption};
use tacho_driver::Form;

/// Parameter for storage options of the database, such as `key=value,key=value`. The command-line
/// flag has the same name.
pub const STORAGE: &str = "storage";
/// Help text for [`STORAGE`] in parameter tables.
pub const STORAGE_HELP: &str = "the database's storage options for the tables, each as --storage \
                                key=value; `tacho describe` lists them for each driver";

/// The parameter [`STORAGE`].
pub const STORAGE_PARAMETER: Parameter =
    Parameter { key: STORAGE, kind: ParameterKind::Text, default: "", help: STORAGE_HELP };

/// A named preset of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Name, as used in `--profile`.
    pub id: &'static str,
    /// Description in one line.
    pub about: &'static str,
    /// Parameters whose defaults this profile overrides, with their values.
    pub values: &'static [(&'static str, &'static str)],
}

impl Profile {
    /// Creates a profile with the given values.
    pub const fn new(
        id: &'static str,
        about: &'static str,
        values: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self { id, about, values }
    }
}

/// Everything that a workload needs to create an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choices {
    /// The scale of the data, in the units that the workload defines, for example the number of warehouses.
    pub scale: u64,
    /// Seed of the data, as loaded.
    pub data_seed: Seed,
    /// Seed for this run's inputs.
    pub seed: Seed,
    /// Date of the load in microseconds since 1970. Dates in the rows are derived from it.
    pub loaded_at: i64,
    /// Name of the profile.
    pub profile: String,
    /// Parameters whose values differ from the profile.
    pub set: BTreeMap<String, String>,
    /// Form in which transactions are sent to the server.
    pub form: Form,
    /// Number of virtual users.
    pub sessions: u32,
    /// ID of the database's dialect. Empty if the dialect is irrelevant.
    pub dialect: String,
    /// Number of complete sets of tables. Session `session` uses the set `session` modulo this number.
    pub sets: u32,
    /// Number of times that other hosts have taken over the work of these clients. After each takeover, the clients use
    /// different inputs.
    pub turn: u32,
}

impl Choices {
    /// Returns the seed for the inputs of these clients. After a takeover by another host, it
    /// differs from all earlier seeds.
    pub fn input_seed(&self) -> Seed {
        match self.turn {
            0 => self.seed,
            turn => self.seed.child("turn").nth(turn.into()),
        }
    }
}

/// Validated values of the parameters. A value set by the user overrides the profile, and the
/// profile overrides the default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    values: BTreeMap<&'static str, String>,
}

impl Options {
    /// Resolves all parameters. If a name is unknown, the usage error suggests the three most similar ones.
    pub fn resolve(
        parameters: &'static [Parameter],
        profiles: &'static [Profile],
        profile: &str,
        set: &BTreeMap<String, String>,
    ) -> Result<Self> {
        let chosen = profiles.iter().find(|known| known.id == profile).ok_or_else(|| {
            Error::usage(format!("unknown profile \"{profile}\""))
                .did_you_mean(profile, profiles.iter().map(|known| known.id))
        })?;
        let mut values: BTreeMap<&'static str, String> =
            parameters.iter().map(|p| (p.key, p.default.to_owned())).collect();
        for (key, value) in chosen.values {
            values.insert(key, (*value).to_owned());
        }
        for (key, value) in set {
            let parameter = parameters.iter().find(|p| p.key == key).ok_or_else(|| {
                Error::usage(format!("unknown workload parameter \"{key}\""))
                    .did_you_mean(key, parameters.iter().map(|p| p.key))
                    .hint("to list all parameters, use tacho describe WORKLOAD")
            })?;
            parameter.check(value)?;
            values.insert(parameter.key, value.clone());
        }
        Ok(Self { values })
    }

    /// Returns a value as a string.
    pub fn text(&self, key: &str) -> &str {
        self.values.get(key).map_or("", String::as_str)
    }

    /// Returns the value of a switch.
    pub fn on(&self, key: &str) -> bool {
        self.text(key) == "true"
    }

    /// Returns the value of a numeric parameter, or 0 if it is not set.
    pub fn count(&self, key: &str) -> u64 {
        parse_count(self.text(key)).unwrap_or(0)
    }

    /// Splits the value of the parameter [`STORAGE`] into options. If an option has the same name
    /// as one of `parameters`, the option's value becomes the value of that parameter.
    ///
    /// # Errors
    /// Returns a usage error if a part does not have the form `key=value`, or if a value is
    /// rejected or contradicts another value.
    pub fn with_storage(mut self, parameters: &[Parameter], synonyms: &[&str]) -> Result<Self> {
        let mut left = Vec::new();
        for (key, value) in storage_pairs(self.text(STORAGE))? {
            let is_synonym = synonyms.contains(&key.as_str()) || StorageOption::is_field(&key);
            let parameter = parameters.iter().find(|known| is_synonym && known.key == key);
            let Some(parameter) = parameter else {
                left.push(format!("{key}={value}"));
                continue;
            };
            parameter.check(&value)?;
            let known = self.values.entry(parameter.key).or_default();
            if *known != parameter.default && *known != value {
                return Err(Error::usage(format!(
                    "--storage {key}={value} contradicts {key}={known}"
                ))
                .hint("specify it once, with the value used to load the existing data"));
            }
            *known = value;
        }
        self.values.insert(STORAGE, left.join(","));
        Ok(self)
    }

    /// Returns the validated storage options for the dialect: first those from the parameters in
    /// `synonyms`, then those from [`STORAGE`].
    pub fn storage(&self, synonyms: &[&'static str]) -> Result<Vec<(String, String)>> {
        let pairs = synonyms.iter().map(|key| ((*key).to_owned(), self.text(key).to_owned()));
        let mut all: Vec<_> = pairs.filter(|(_, value)| !value.is_empty()).collect();
        all.extend(storage_pairs(self.text(STORAGE))?);
        Ok(all)
    }

    /// Returns the table storage for a workload whose only storage parameter is [`STORAGE`].
    pub fn plain_storage(&self) -> Result<Storage> {
        let unlogged = StorageOption::UNLOGGED.key;
        let (fields, options): (Vec<_>, Vec<_>) =
            storage_pairs(self.text(STORAGE))?.into_iter().partition(|(key, _)| key == unlogged);
        let is_wrong =
            |(_, value): &&(String, String)| !["true", "false"].contains(&value.as_str());
        if let Some((_, value)) = fields.iter().find(is_wrong) {
            return Err(Error::usage(format!("invalid value for {unlogged}: \"{value}\""))
                .hint("allowed: true or false"));
        }
        let unlogged = fields.iter().any(|(_, value)| value == "true");
        Ok(Storage { unlogged, options, ..Storage::default() })
    }

    /// Returns all values with their keys.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.values.iter().map(|(key, value)| (*key, value.as_str()))
    }
}

/// Parses the pairs in `key=value,key=value`.
fn storage_pairs(text: &str) -> Result<Vec<(String, String)>> {
    let parts = text.split(',').filter(|part| !part.is_empty());
    let pair = |part: &str| match part.split_once('=') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => {
            Ok((key.to_owned(), value.to_owned()))
        }
        _ => Err(Error::usage(format!("invalid storage option \"{part}\""))
            .hint("write it as --storage key=value")),
    };
    parts.map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    static PARAMETERS: [Parameter; 3] = [
        Parameter { key: "engine", kind: ParameterKind::Text, default: "", help: "" },
        Parameter { key: "unlogged", kind: ParameterKind::Switch, default: "false", help: "" },
        STORAGE_PARAMETER,
    ];
    static PROFILES: [Profile; 1] = [Profile { id: "p", about: "", values: &[] }];

    /// A storage option that is also a parameter sets the parameter. The data must be the same no matter which of the
    /// two the user sets.
    #[test]
    fn storage_options_are_read_once() {
        let read = |set: &[(&str, &str)]| {
            let set = set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            let options = Options::resolve(&PARAMETERS, &PROFILES, "p", &set.collect())?;
            options.with_storage(&PARAMETERS, &["engine"])
        };
        let options = read(&[(STORAGE, "engine=Fast,place=b")]).expect("options");
        assert_eq!((options.text("engine"), options.text(STORAGE)), ("Fast", "place=b"));
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let all = options.storage(&["engine"]).expect("pairs");
        assert_eq!(all, [pair("engine", "Fast"), pair("place", "b")]);
        assert_eq!(
            read(&[("engine", "Fast"), (STORAGE, "engine=Fast,place=b")]).ok(),
            Some(options)
        );
        let fields = read(&[(STORAGE, "unlogged=true,partitions=4")]).expect("options");
        assert!(fields.on("unlogged"));
        assert_eq!(fields.text(STORAGE), "partitions=4", "no parameter of this workload");
        let wrong: [&[(&str, &str)]; 4] = [
            &[(STORAGE, "fast")],
            &[("engine", "a"), (STORAGE, "engine=b")],
            &[(STORAGE, "unlogged=maybe")],
            &[("unlogged", "true"), (STORAGE, "unlogged=false")],
        ];
        for set in wrong {
            assert!(read(set).is_err(), "{set:?}");
        }
    }

    /// A workload without storage parameters accepts the database's options and unlogged tables.
    #[test]
    fn plain_storage_has_all_options() {
        let read = |text: &str| {
            let set = [(STORAGE.to_owned(), text.to_owned())].into();
            Options::resolve(&PARAMETERS, &PROFILES, "p", &set)?.plain_storage()
        };
        let kept = read("fillfactor=80,unlogged=true,tablespace=fast").expect("storage");
        assert!(kept.unlogged && !read("").expect("storage").unlogged);
        assert_eq!(
            (kept.option("fillfactor"), kept.option("tablespace"), kept.option("unlogged")),
            (Some("80"), Some("fast"), None)
        );
        assert!(read("unlogged=maybe").is_err() && read("fast").is_err());
    }

    /// If a host takes over another host's work, it must not send inputs that the other host may
    /// have sent already.
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
        assert_eq!(of(0), Seed(7), "a run without a lost host must draw the same inputs as before");
        assert!(of(1) != of(0) && of(2) != of(0) && of(1) != of(2));
        assert_eq!(of(1), of(1));
    }
}
