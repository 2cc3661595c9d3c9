//! The table of keys, which is parsed only once. `keys.tsv` describes its columns.

use std::sync::OnceLock;

use super::{DATABASES, MASK};

/// The intended type of a key's value. It is not checked until the value is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// An integer.
    Count,
    /// `0` or `1`.
    Switch,
    /// `test` or `timed`.
    Driver,
    /// Any text.
    Text,
}

/// A key of the dictionary.
#[derive(Clone, Debug)]
pub struct Key {
    /// Section, such as `tpcc`.
    pub section: &'static str,
    /// Group of the key in HammerDB's configuration files: `connection`, `schema`, `driver` or `generic`.
    pub group: &'static str,
    /// Name of the key.
    pub name: &'static str,
    /// Intended type of the value.
    pub kind: Kind,
    /// Value in a new session.
    pub default: &'static str,
    /// Description in one line.
    pub about: &'static str,
    uses: Vec<Use>,
}

/// The effect of a key in Tacho.
#[derive(Clone, Debug)]
enum Use {
    Parameter(&'static str),
    Limit(Limit),
    Setting(Setting),
}

/// A restriction on a key's value. A value that violates it is either rejected or has no effect.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The platform or database to which the restriction applies, such as `unix`, `windows` or `timesten`. Empty if it
    /// applies to all.
    pub place: &'static str,
    /// True if forbidden values are rejected.
    pub rejects: bool,
    harmless: &'static str,
    /// The reason.
    pub why: &'static str,
}

/// A key that can be set by a command such as `vuset`.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    command: &'static str,
    words: &'static str,
    /// Minimum and maximum value of a numeric key.
    pub range: (u64, u64),
    /// Label of the key in lists.
    pub label: &'static str,
    /// Name of the key in messages.
    pub name: &'static str,
}

impl Key {
    /// Returns the workload parameter that the key sets.
    pub fn parameter(&self) -> Option<&'static str> {
        self.uses
            .iter()
            .find_map(|of| if let Use::Parameter(name) = of { Some(*name) } else { None })
    }

    /// Returns the restrictions on the key.
    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        self.uses
            .iter()
            .filter_map(|of| if let Use::Limit(limit) = of { Some(*limit) } else { None })
    }

    /// Returns the command that sets the key.
    pub fn setting(&self) -> Option<Setting> {
        self.uses.iter().find_map(|of| if let Use::Setting(set) = of { Some(*set) } else { None })
    }

    /// Returns the value that a restriction requires.
    pub fn allowed(&self, limit: Limit) -> &'static str {
        match limit.harmless {
            "default" => self.default,
            values => values.split('|').next().unwrap_or_default(),
        }
    }

    /// Returns true if the restriction allows this value.
    pub fn allows(&self, limit: Limit, value: &str) -> bool {
        match limit.harmless {
            "none" => false,
            "default" => value == self.default,
            values => values.split('|').any(|harmless| harmless == value),
        }
    }

    /// Returns true if the value must not be shown.
    pub fn is_secret(&self) -> bool {
        self.name.contains("pass") && self.kind == Kind::Text
    }

    /// Returns the value in a form that may be shown.
    pub fn shown<'a>(&self, value: &'a str) -> &'a str {
        if self.is_secret() { MASK } else { value }
    }
}

/// Returns the keys of all databases in the order of `DATABASES`, and finally the generic keys.
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
    let (default, about) = (fields.next()?, fields.next()?);
    let uses = fields.next().into_iter().flat_map(|uses| uses.split(" / ").filter_map(use_of));
    Some(Key { section, group, name, kind, default, about, uses: uses.collect() })
}

fn use_of(text: &'static str) -> Option<Use> {
    if let Some(name) = text.strip_prefix("parameter ") {
        return Some(Use::Parameter(name));
    }
    let (head, rest) = text.split_once(": ")?;
    let head: Vec<&'static str> = head.split(' ').collect();
    match head[..] {
        ["option", command, words, range] => {
            let (label, name) = rest.split_once('|')?;
            let (least, most) = range.split_once("..")?;
            let range = (least.parse().unwrap_or(0), most.parse().unwrap_or(u64::MAX));
            Some(Use::Setting(Setting { command, words, range, label, name }))
        }
        [ref place @ .., effect, harmless] => {
            let (place, rejects) = (place.first().copied().unwrap_or(""), effect == "rejected");
            Some(Use::Limit(Limit { place, rejects, harmless, why: rest }))
        }
        _ => None,
    }
}

/// Returns the keys of a database, or an empty list if the prefix is unknown.
pub fn keys(prefix: &str) -> &'static [Key] {
    let place = DATABASES.iter().position(|database| database.prefix == prefix);
    place.and_then(|place| table().get(place)).map_or(&[], Vec::as_slice)
}

/// Returns the generic key that a command sets for this argument.
pub fn key_of_option(command: &str, word: &str) -> Option<(&'static Key, Setting)> {
    let of = |key: &'static Key| Some((key, key.setting()?));
    let is_it = |(_, set): &(_, Setting)| {
        set.command == command && set.words.split('|').any(|known| known == word)
    };
    generic_keys().iter().filter_map(of).find(is_it)
}

/// Returns the generic keys, which do not belong to any database.
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
        let uses = include_str!("keys.tsv").lines().filter(|line| !line.starts_with('#'));
        let uses =
            uses.filter_map(|line| line.split('\t').nth(6)).flat_map(|text| text.split(" / "));
        let read = table().iter().flatten().map(|key| key.uses.len());
        assert_eq!(read.sum::<usize>(), uses.count());
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
                for limit in key.limits() {
                    assert!(matches!(limit.place, "" | "unix" | "windows" | "timesten"), "{key:?}");
                    assert!(key.allowed(limit) != "none" || !limit.rejects, "{key:?}");
                }
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
