//! The table of keys, read once. `keys.tsv` describes its columns.

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
    uses: Vec<Use>,
}

/// What Tacho makes of a key.
#[derive(Clone, Debug)]
enum Use {
    Parameter(&'static str),
    Limit(Limit),
    Setting(Setting),
}

/// A key whose other values are rejected, or have no effect.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Where this is so: `unix`, `windows`, `timesten`, or everywhere if empty.
    pub place: &'static str,
    /// Whether they are rejected.
    pub rejects: bool,
    harmless: &'static str,
    /// The reason.
    pub why: &'static str,
}

/// A key that a command such as `vuset` sets.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    command: &'static str,
    words: &'static str,
    /// The least and the greatest number.
    pub range: (u64, u64),
    /// Its label in lists.
    pub label: &'static str,
    /// Its name in messages.
    pub name: &'static str,
}

impl Key {
    /// The parameter of the workload that it sets.
    pub fn parameter(&self) -> Option<&'static str> {
        self.uses
            .iter()
            .find_map(|of| if let Use::Parameter(name) = of { Some(*name) } else { None })
    }

    /// What is rejected or has no effect.
    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        self.uses
            .iter()
            .filter_map(|of| if let Use::Limit(limit) = of { Some(*limit) } else { None })
    }

    /// The command that sets it.
    pub fn setting(&self) -> Option<Setting> {
        self.uses.iter().find_map(|of| if let Use::Setting(set) = of { Some(*set) } else { None })
    }

    /// The value that a limit asks for.
    pub fn allowed(&self, limit: Limit) -> &'static str {
        match limit.harmless {
            "default" => self.default,
            values => values.split('|').next().unwrap_or_default(),
        }
    }

    /// Returns true if a limit says nothing of a value.
    pub fn allows(&self, limit: Limit, value: &str) -> bool {
        match limit.harmless {
            "none" => false,
            "default" => value == self.default,
            values => values.split('|').any(|harmless| harmless == value),
        }
    }

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

/// The keys of a database; none for an unknown prefix.
pub fn keys(prefix: &str) -> &'static [Key] {
    let place = DATABASES.iter().position(|database| database.prefix == prefix);
    place.and_then(|place| table().get(place)).map_or(&[], Vec::as_slice)
}

/// The generic key that a command sets by this word.
pub fn key_of_option(command: &str, word: &str) -> Option<(&'static Key, Setting)> {
    let of = |key: &'static Key| Some((key, key.setting()?));
    let is_it = |(_, set): &(_, Setting)| {
        set.command == command && set.words.split('|').any(|known| known == word)
    };
    generic_keys().iter().filter_map(of).find(is_it)
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
