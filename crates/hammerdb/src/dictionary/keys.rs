//! The table of keys, read once.

use std::sync::OnceLock;

use super::{DATABASES, MASK};

/// What the value of a key is meant to be. Nothing enforces it before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Count,
    /// `0` or `1`.
    Switch,
    /// `test` or `timed`.
    Driver,
    /// Anything.
    Text,
}

/// One key.
#[derive(Clone, Debug)]
pub struct Key {
    /// Section, such as `tpcc`.
    pub section: &'static str,
    /// Where HammerDB's files keep it: `connection`, `schema`, `driver` or `generic`.
    pub group: &'static str,
    /// Name.
    pub name: &'static str,
    /// What the value is meant to be.
    pub kind: Kind,
    /// Value of a new session.
    pub default: &'static str,
    /// Meaning, in one line.
    pub about: &'static str,
}

impl Key {
    /// Whether the value must not be seen.
    pub fn is_secret(&self) -> bool {
        self.name.contains("pass") && self.kind == Kind::Text
    }

    /// A value as it may be shown.
    pub fn shown<'a>(&self, value: &'a str) -> &'a str {
        if self.is_secret() { MASK } else { value }
    }
}

/// The keys of all databases in the order of `DATABASES`, then the generic ones.
fn table() -> &'static [Vec<Key>] {
    static TABLE: OnceLock<Vec<Vec<Key>>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut owners: Vec<Vec<Key>> = Vec::new();
        for line in include_str!("keys.tsv").lines().filter(|line| !line.starts_with('#')) {
            if line.starts_with('[') {
                owners.push(Vec::new());
            } else if let (Some(owner), Some(key)) = (owners.last_mut(), key(line)) {
                owner.push(key);
            }
        }
        owners
    })
}

fn key(line: &'static str) -> Option<Key> {
    let mut fields = line.split('\t');
    let (section, group, name) = (fields.next()?, fields.next()?, fields.next()?);
    let kind = match fields.next()? {
        "flag" => Kind::Flag,
        "count" => Kind::Count,
        "switch" => Kind::Switch,
        "driver" => Kind::Driver,
        _ => Kind::Text,
    };
    Some(Key { section, group, name, kind, default: fields.next()?, about: fields.next()? })
}

/// The keys of a database; none for an unknown prefix.
pub fn keys(prefix: &str) -> &'static [Key] {
    let place = DATABASES.iter().position(|database| database.prefix == prefix);
    place.and_then(|place| table().get(place)).map_or(&[], Vec::as_slice)
}

/// The keys that belong to no database.
pub fn generic_keys() -> &'static [Key] {
    table().get(DATABASES.len()).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_a_key_in_its_place() {
        let lines = include_str!("keys.tsv").lines();
        let headers: Vec<&str> = lines.clone().filter(|line| line.starts_with('[')).collect();
        let prefixes = DATABASES.iter().map(|database| format!("[{}]", database.prefix));
        let wanted: Vec<String> = prefixes.chain(["[generic]".to_owned()]).collect();
        assert_eq!(headers, wanted);
        let rows = lines.filter(|line| !line.starts_with(['#', '['])).count();
        assert_eq!(table().iter().map(Vec::len).sum::<usize>(), rows);
        for owner in table() {
            for (place, key) in owner.iter().enumerate() {
                let same = |other: &Key| (other.section, other.name) == (key.section, key.name);
                assert!(!owner[place + 1..].iter().any(same), "{} is there twice", key.name);
                let fits = match key.kind {
                    Kind::Flag => matches!(key.default, "true" | "false"),
                    Kind::Count => key.default.parse::<u64>().is_ok(),
                    Kind::Switch => matches!(key.default, "0" | "1"),
                    Kind::Driver => matches!(key.default, "test" | "timed"),
                    Kind::Text => true,
                };
                assert!(fits && !key.about.is_empty(), "{key:?}");
            }
        }
    }

    #[test]
    fn all_databases_have_the_common_keys() {
        let common = ["count_ware", "num_vu", "rampup", "duration", "driver", "timeprofile"];
        for database in &DATABASES {
            for name in common {
                let name = database.key(name);
                assert!(keys(database.prefix).iter().any(|key| key.name == name), "{name}");
            }
        }
    }
}
