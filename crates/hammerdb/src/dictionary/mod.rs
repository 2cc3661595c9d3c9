//! The configuration dictionary: all keys of all six databases, and this session's values.
//!
//! `keys.tsv` defines the keys. As in HammerDB, a key accepts any value, and an invalid value is reported when it is
//! used.
//!
//! Start reading at [`Dictionary::set`].

mod databases;
mod file;
mod keys;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub use databases::{DATABASES, Database, TIMESTEN};
pub use file::{SettingsFile, Values, is_own};
pub use keys::{Key, Kind, Limit, Setting, generic_keys, key_of_option, keys};

/// Text that is shown in place of a password.
pub const MASK: &str = "***";

/// The two benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Benchmark {
    /// Order processing.
    TprocC,
    /// Decision support queries.
    TprocH,
}

impl Benchmark {
    /// Returns the name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TprocC => "TPROC-C",
            Self::TprocH => "TPROC-H",
        }
    }

    /// Returns the name that HammerDB uses internally, which is stored in jobs.
    pub const fn inner_name(self) -> &'static str {
        match self {
            Self::TprocC => "TPC-C",
            Self::TprocH => "TPC-H",
        }
    }

    /// Returns the benchmark's section in the dictionary.
    pub const fn section(self) -> &'static str {
        match self {
            Self::TprocC => "tpcc",
            Self::TprocH => "tpch",
        }
    }
}

/// Keys with their values. Secret values are masked.
pub type Pairs = Vec<(&'static str, String)>;

/// The reason why a key cannot be set, in HammerDB's wording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown(pub String);

/// The effect of setting a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The value has changed. The text is the previous value, or a mask if the value is secret.
    From(String),
    /// The value has not changed. The text is the current value, or a mask if the value is secret.
    None(String),
}

/// All values of a session.
#[derive(Clone, Debug)]
pub struct Dictionary {
    database: &'static Database,
    /// The benchmark in use.
    pub benchmark: Benchmark,
    /// All values that have been set. The key consists of the database's prefix (or `generic`), the section and the
    /// key.
    values: BTreeMap<(&'static str, &'static str, &'static str), String>,
    /// Keys that have been set since the last call to [`Dictionary::take_unsaved`].
    unsaved: Vec<(&'static str, &'static str, &'static str)>,
    /// Keys that were set by an earlier session but not by this one.
    earlier: BTreeSet<(&'static str, &'static str, &'static str)>,
}

impl Default for Dictionary {
    fn default() -> Self {
        Self {
            database: &DATABASES[0],
            benchmark: Benchmark::TprocC,
            values: BTreeMap::new(),
            unsaved: Vec::new(),
            earlier: BTreeSet::new(),
        }
    }
}

/// The owner of keys that do not belong to a database.
const GENERIC: &str = "generic";

/// The generic key for the file of HammerDB's job database, in the section `commandline`.
pub const JOB_DATABASE: &str = "sqlite_db";
/// Name of this file in a folder.
const JOB_FILE: &str = "hammer.DB";

/// A generic key that is not stored for later sessions. If it were stored, a script in a later session would
/// unexpectedly print less.
const OF_ONE_SESSION: &str = "show_output";

impl Dictionary {
    /// Returns the database in use.
    pub fn database(&self) -> &'static Database {
        if self.is_timesten() { &TIMESTEN } else { self.database }
    }

    /// Returns true if the Oracle keys apply to TimesTen, which a key of the benchmark determines.
    pub fn is_timesten(&self) -> bool {
        let section = self.benchmark.section();
        let is_on = || self.get(section, &format!("{section}_tt_compat")) == "true";
        self.database.prefix == TIMESTEN.prefix && is_on()
    }

    /// Selects another database. Returns `None` if the prefix is unknown.
    pub fn use_database(&mut self, prefix: &str) -> Option<&'static Database> {
        let found = DATABASES.iter().find(|known| known.prefix == prefix)?;
        self.database = found;
        Some(found)
    }

    /// Returns the selected database's keys in a section, in the order in which they are printed.
    pub fn section(&self, section: &str) -> impl Iterator<Item = &'static Key> {
        keys(self.database.prefix).iter().filter(move |key| key.section == section)
    }

    /// Returns a key's value for the selected database, or an empty string if the key does not exist.
    pub fn get(&self, section: &str, name: &str) -> &str {
        let key = keys(self.database.prefix).iter();
        let key = key.into_iter().find(|key| key.section == section && key.name == name);
        key.map_or("", |key| self.value(self.database.prefix, key))
    }

    /// Returns the value of a benchmark key. All databases have this key, but each has its own name for it.
    pub fn common(&self, name: &str) -> &str {
        self.get(self.benchmark.section(), &self.key(name))
    }

    /// Returns the name of a key, such as `user`, for the selected benchmark and database.
    pub fn key(&self, common: &str) -> String {
        let shared = [
            "user",
            "pass",
            "dbase",
            "tspace",
            "superuser",
            "superuserpass",
            "defaultdbase",
            "storage_engine",
        ];
        let name = match self.benchmark {
            Benchmark::TprocH if common == "num_vu" => "num_tpch_threads".into(),
            Benchmark::TprocH if shared.contains(&common) => format!("tpch_{common}"),
            _ => common.to_owned(),
        };
        self.database.key(&name)
    }

    /// Returns true if a flag of the benchmark is on. All databases have this flag, but each has its own name for it.
    pub fn is_on(&self, name: &str) -> bool {
        self.common(name) == "true"
    }

    /// Returns a generic key's value, or an empty string if the key does not exist.
    pub fn generic(&self, section: &str, name: &str) -> &str {
        let key = generic_keys().iter().find(|key| key.section == section && key.name == name);
        key.map_or("", |key| self.value(GENERIC, key))
    }

    /// Returns the file of HammerDB's job database, which is in the temporary folder by default. Returns `None` if jobs
    /// are not stored in a file.
    pub fn job_database(&self, temp: &Path) -> Option<PathBuf> {
        match self.generic("commandline", JOB_DATABASE) {
            ":memory:" => None,
            "" | "TMP" | "tmp" => Some(temp.join(JOB_FILE)),
            path if Path::new(path).is_dir() => Some(Path::new(path).join(JOB_FILE)),
            path => Some(path.into()),
        }
    }

    fn value(&self, owner: &'static str, key: &'static Key) -> &str {
        let set = self.values.get(&(owner, key.section, key.name));
        set.map_or(key.default, String::as_str)
    }

    /// Returns the section, key and value of each setting that differs from its default. Secrets are left out.
    pub fn changed(&self) -> Vec<(&'static str, &'static str, &str)> {
        let all = keys(self.database.prefix).iter().filter(|key| !key.is_secret());
        let all = all.map(|key| (key, self.value(self.database.prefix, key)));
        all.filter(|(key, value)| *value != key.default)
            .map(|(key, value)| (key.section, key.name, value))
            .collect()
    }

    /// Sets a key of the selected database.
    pub fn set(&mut self, section: &str, name: &str, value: &str) -> Result<Change, Unknown> {
        let all = keys(self.database.prefix);
        let title = self.database.name;
        if !all.iter().any(|key| key.section == section) {
            return Err(Unknown(format!("Dictionary \"{section}\" for {title} does not exist")));
        }
        let Some(key) = all.iter().find(|key| key.section == section && key.name == name) else {
            let elsewhere = all.iter().find(|key| key.name == name);
            let rest = match elsewhere {
                Some(key) => format!("key \"{name}\" is in the \"{}\" dictionary", key.section),
                None => format!("key \"{name}\" cannot be found in any {title} dictionary"),
            };
            return Err(Unknown(format!(
                "Dictionary \"{section}\" for {title} exists but key \"{name}\" doesn't, {rest}"
            )));
        };
        Ok(self.put(self.database.prefix, key, value))
    }

    /// Sets a generic key.
    pub fn set_generic(
        &mut self,
        section: &str,
        name: &str,
        value: &str,
    ) -> Result<Change, Unknown> {
        let all = generic_keys();
        if !all.iter().any(|key| key.section == section) {
            return Err(Unknown(format!("Dictionary \"{section}\" for generic does not exist")));
        }
        match all.iter().find(|key| key.section == section && key.name == name) {
            Some(key) => Ok(self.put(GENERIC, key, value)),
            None => {
                Err(Unknown(format!("Dictionary \"{section}\" exists but key \"{name}\" doesn't")))
            }
        }
    }

    /// Returns the owner, section, key and value of each key set since the last call.
    pub fn take_unsaved(&mut self) -> Vec<(&'static str, &'static str, &'static str, &str)> {
        let unsaved = std::mem::take(&mut self.unsaved);
        let value = |of: &(_, _, _)| self.values.get(of).map(String::as_str);
        let with_value = |of: (_, _, _)| Some((of.0, of.1, of.2, value(&of)?));
        unsaved.into_iter().filter_map(with_value).collect()
    }

    /// Restores the values of earlier sessions. Keys that no longer exist are ignored.
    pub fn restore(&mut self, values: &Values) {
        let owners = DATABASES.iter().map(|database| (database.prefix, keys(database.prefix)));
        for (owner, known) in owners.chain([(GENERIC, generic_keys())]) {
            let Some(sections) = values.get(owner) else { continue };
            for key in known {
                let value = sections.get(key.section).and_then(|keys| keys.get(key.name));
                if let Some(value) = value.filter(|_| key.name != OF_ONE_SESSION) {
                    self.values.insert((owner, key.section, key.name), value.clone());
                    if *value != key.default {
                        self.earlier.insert((owner, key.section, key.name));
                    }
                }
            }
        }
        let name = self.generic("benchmark", "rdbms");
        let database = DATABASES.iter().find(|known| known.name == name);
        self.database = database.unwrap_or(self.database);
        self.benchmark = match self.generic("benchmark", "bm") {
            "TPC-H" => Benchmark::TprocH,
            _ => Benchmark::TprocC,
        };
    }

    /// Returns the settings from earlier sessions that affect the current database and benchmark, as `section:key
    /// value`. Secrets are masked.
    pub fn earlier(&self) -> Vec<String> {
        let prefix = self.database.prefix;
        let sections = ["connection", self.benchmark.section()];
        let of_database = keys(prefix).iter().filter(|key| sections.contains(&key.section));
        let all = of_database
            .map(|key| (prefix, key))
            .chain(generic_keys().iter().map(|key| (GENERIC, key)));
        all.filter(|(owner, key)| self.earlier.contains(&(*owner, key.section, key.name)))
            .map(|(owner, key)| {
                let value = key.shown(self.value(owner, key));
                format!("{}:{} {}", key.section, key.name, crate::tcl::element(value))
            })
            .collect()
    }

    /// Returns those keys of the selected database that have been set, with their values.
    pub fn set_keys(&self) -> impl Iterator<Item = (&'static str, &'static str, &str)> {
        let prefix = self.database.prefix;
        let values = self.values.iter().filter(move |((owner, ..), _)| *owner == prefix);
        values.map(|((_, section, name), value)| (*section, *name, value.as_str()))
    }

    fn put(&mut self, owner: &'static str, key: &'static Key, value: &str) -> Change {
        if key.name != OF_ONE_SESSION {
            self.unsaved.push((owner, key.section, key.name));
        }
        self.values.entry((owner, key.section, key.name)).or_insert_with(|| key.default.to_owned());
        self.earlier.remove(&(owner, key.section, key.name));
        let before = self.value(owner, key).to_owned();
        let shown = key.shown(&before).to_owned();
        if before == value {
            return Change::None(shown);
        }
        self.values.insert((owner, key.section, key.name), value.to_owned());
        Change::From(shown)
    }

    /// Returns the sections of the selected database and benchmark, with their keys and masked values.
    pub fn shown(&self) -> Vec<(&'static str, Pairs)> {
        let sections = ["connection", self.benchmark.section()];
        let all = self.shown_of(self.database.prefix).into_iter();
        all.filter(|(section, _)| sections.contains(section)).collect()
    }

    /// Returns all sections of the database with this prefix.
    pub fn shown_of(&self, prefix: &'static str) -> Vec<(&'static str, Pairs)> {
        self.sections(prefix, keys(prefix))
    }

    /// Returns all generic sections, with their keys and values.
    pub fn generic_shown(&self) -> Vec<(&'static str, Pairs)> {
        self.sections(GENERIC, generic_keys())
    }

    /// Returns the sections of an owner's keys, with secret values masked.
    fn sections(&self, owner: &'static str, keys: &'static [Key]) -> Vec<(&'static str, Pairs)> {
        let mut sections: Vec<(&'static str, Pairs)> = Vec::new();
        for key in keys {
            let pair = (key.name, key.shown(self.value(owner, key)).to_owned());
            match sections.last_mut() {
                Some((section, pairs)) if *section == key.section => pairs.push(pair),
                _ => sections.push((key.section, vec![pair])),
            }
        }
        sections
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_set_and_kept_for_each_database() {
        let mut dictionary = Dictionary::default();
        assert!(dictionary.use_database("pg").is_some() && dictionary.use_database("x").is_none());
        assert_eq!(dictionary.set("tpcc", "pg_rampup", "1"), Ok(Change::From("2".into())));
        assert_eq!(dictionary.set("tpcc", "pg_rampup", "1"), Ok(Change::None("1".into())));
        dictionary.use_database("ora");
        assert_eq!((dictionary.common("rampup"), dictionary.common("driver")), ("2", "timed"));
        dictionary.use_database("pg");
        assert_eq!(dictionary.common("rampup"), "1");
        assert_eq!(dictionary.changed(), [("tpcc", "pg_rampup", "1")]);
        dictionary.benchmark = Benchmark::TprocH;
        assert_eq!((dictionary.common("user"), dictionary.common("num_vu")), ("tpch", "1"));
        assert_eq!(dictionary.key("scale_fact"), "pg_scale_fact");
    }

    #[test]
    fn the_job_database_is_a_file_in_a_folder_or_none() {
        let mut dictionary = Dictionary::default();
        let temp = Path::new("/tmp");
        let table = [
            ("TMP", Some("/tmp/hammer.DB")),
            (":memory:", None),
            ("/", Some("/hammer.DB")),
            ("jobs/a.db", Some("jobs/a.db")),
        ];
        for (value, expected) in table {
            dictionary.set_generic("commandline", JOB_DATABASE, value).expect("a key");
            assert_eq!(
                dictionary.job_database(temp).as_deref(),
                expected.map(Path::new),
                "{value}"
            );
        }
    }

    #[test]
    fn unknown_keys_are_reported_like_in_hammerdb() {
        let mut dictionary = Dictionary::default();
        dictionary.use_database("pg");
        let table = [
            ("tpcx", "pg_user", "Dictionary \"tpcx\" for PostgreSQL does not exist"),
            (
                "connection",
                "pg_user",
                "Dictionary \"connection\" for PostgreSQL exists but key \"pg_user\" doesn't, \
                 key \"pg_user\" is in the \"tpcc\" dictionary",
            ),
            (
                "tpcc",
                "pg_usr",
                "Dictionary \"tpcc\" for PostgreSQL exists but key \"pg_usr\" doesn't, \
                 key \"pg_usr\" cannot be found in any PostgreSQL dictionary",
            ),
        ];
        for (section, key, words) in table {
            assert_eq!(dictionary.set(section, key, "x"), Err(Unknown(words.into())));
        }
        assert!(dictionary.set_generic("commandline", "keepalive_margin", "9").is_ok());
        assert!(dictionary.set_generic("theme", "scaling", "auto").is_err());
    }

    #[test]
    fn passwords_are_never_shown() {
        let mut dictionary = Dictionary::default();
        dictionary.use_database("pg");
        let odd = "it's {a} \"pass\" [word] $1";
        assert_eq!(dictionary.set("tpcc", "pg_pass", odd), Ok(Change::From(MASK.into())));
        assert_eq!(dictionary.get("tpcc", "pg_pass"), odd);
        let shown = format!("{:?}{:?}", dictionary.shown(), dictionary.changed());
        assert!(!shown.contains("it's") && shown.contains("(\"pg_pass\", \"***\")"), "{shown}");
    }
}
