//! Implements `dbset`, `diset`, `giset`, `vuset`, `tcset`, `metset` and `dgset`.

use super::{Console, Next};
use crate::dictionary::{Benchmark, Change, DATABASES, Key, Kind, Setting, Unknown, key_of_option};
use crate::work::tproch::SCALE_FACTORS;

/// Returns a command's arguments. As in HammerDB, white space around the value is removed.
fn trimmed<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut words = words.to_vec();
    if let Some(value) = words.last_mut() {
        *value = value.trim_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    }
    words
}

/// The title of the generic keys.
const GENERIC: &str = "generic";

/// Returns a hint with the command that lists the valid keys.
fn valid_keys(title: &str) -> String {
    if title == GENERIC {
        return "Type \"print generic\" for valid dictionaries and keys".into();
    }
    format!("Type \"print dict\" for valid dictionaries and keys for {title}")
}

/// The generic section that contains the keys of `vuset`.
const VUSER: &str = "virtual_user_options";

impl Console {
    pub(super) fn dbset(&mut self, words: &[&str]) -> Next {
        match words {
            ["db", prefix] => self.set_database(prefix),
            ["bm", name] => self.set_benchmark(name),
            _ => self.usage("dbset", "Invalid number of arguments"),
        }
    }

    fn set_database(&mut self, prefix: &str) -> Next {
        let before = self.dictionary.database().prefix;
        let Some(database) = self.dictionary.use_database(prefix) else {
            let known: Vec<&str> = DATABASES.iter().map(|known| known.prefix).collect();
            let known = known.join(" ");
            return self.complain(format!("Unknown prefix {prefix}, choose one from {known}"));
        };
        let _ = self.dictionary.set_generic("benchmark", "rdbms", database.name);
        if database.prefix != before {
            self.leave_script();
        }
        self.complain(format!("Database set to {}", database.name))
    }

    fn set_benchmark(&mut self, name: &str) -> Next {
        let (upper, before) = (name.to_uppercase(), self.dictionary.benchmark);
        self.dictionary.benchmark = match upper.as_str() {
            "TPROC-C" | "TPC-C" => Benchmark::TprocC,
            "TPROC-H" | "TPC-H" => Benchmark::TprocH,
            _ => {
                return self.complain(format!(
                    "Unknown benchmark {upper}, choose one from TPROC-C TPROC-H (or compatible \
                     names TPC-C TPC-H)"
                ));
            }
        };
        let inner = self.dictionary.benchmark.inner_name();
        let _ = self.dictionary.set_generic("benchmark", "bm", inner);
        if self.dictionary.benchmark != before {
            self.leave_script();
        }
        let title = self.dictionary.database().name;
        self.say(format!("Benchmark set to {upper} for {title}"));
        Next::Done
    }

    pub(super) fn diset(&mut self, words: &[&str]) -> Next {
        let title = self.dictionary.database().name;
        let [section, key, value] = &trimmed(words)[..] else {
            self.usage("diset", "Invalid number of arguments");
            return self.complain(valid_keys(title));
        };
        let is_driver = **key == self.dictionary.database().key("driver");
        if is_driver && !matches!(*value, "test" | "timed") {
            return self.complain("Error: Driver script must be either \"test\" or \"timed\"");
        }
        // If the key belongs to another section, the old value is empty. The setting will then not be changed, so the
        // script is kept.
        let old = self.dictionary.get(section, key);
        let is_change = !old.is_empty() && old != *value;
        if is_driver && is_change && self.users.script {
            self.say("Clearing Script, reload script to activate new setting");
            self.clearscript(&[]);
        }
        let change = self.dictionary.set(section, key, value);
        self.changed(change, section, key, value, title)
    }

    pub(super) fn giset(&mut self, words: &[&str]) -> Next {
        let [section, key, value] = &trimmed(words)[..] else {
            self.usage("giset", "Invalid number of arguments");
            return self.complain(valid_keys(GENERIC));
        };
        let change = self.dictionary.set_generic(section, key, value);
        self.changed(change, section, key, value, GENERIC)
    }

    fn changed(
        &mut self,
        change: Result<Change, Unknown>,
        section: &str,
        key: &str,
        value: &str,
        title: &str,
    ) -> Next {
        // If the old value was masked because it is secret, mask the new one as well.
        let masked = |shown: &str, value: &str| {
            if shown == crate::dictionary::MASK { shown.to_owned() } else { value.to_owned() }
        };
        let text = match change {
            Ok(Change::From(old)) => {
                let new = masked(&old, value);
                format!("Changed {section}:{key} from {old} to {new} for {title}")
            }
            Ok(Change::None(old)) => {
                let new = masked(&old, value);
                format!(
                    "Value {new} for {section}:{key} is the same as existing value {old}, no \
                     change made"
                )
            }
            Err(Unknown(text)) => return self.complain(format!("{text}\n{}", valid_keys(title))),
        };
        self.complain(text)
    }

    pub(super) fn vuset(&mut self, words: &[&str]) -> Next {
        let [option, value] = &trimmed(words)[..] else {
            return self.usage("vuset", "Invalid number of arguments");
        };
        if self.users.exist() {
            return self.complain(
                "Error: Virtual Users exist, destroy with vudestroy before changing settings",
            );
        }
        let Some((key, Setting { range: (least, _), name, .. })) = key_of_option("vuset", option)
        else {
            return self.usage("vuset", "invalid option");
        };
        if key.kind == Kind::Switch {
            return match *value {
                "0" | "1" => self.set_option(VUSER, key.name, value),
                _ => self.reset_option(key, &format!("{name} must be 0 or 1")),
            };
        }
        let cpus = super::rest::cpus().to_string();
        let value = if (*option, *value) == ("vu", "vcpu") { &cpus } else { *value };
        match value.trim().parse::<i64>() {
            Ok(number) if number >= least as i64 => {
                self.set_option(VUSER, key.name, &number.to_string())
            }
            Ok(_) => self.reset_option(key, &format!("{name} must be {least} or greater")),
            Err(_) => self.reset_option(key, &format!("{name} must be an integer")),
        }
    }

    fn set_option(&mut self, section: &str, key: &str, value: &str) -> Next {
        let _ = self.dictionary.set_generic(section, key, value);
        Next::Done
    }

    fn reset_option(&mut self, key: &Key, why: &str) -> Next {
        self.complain(format!("{why}\nsetting to value: {}", key.default));
        self.set_option(VUSER, key.name, key.default)
    }

    pub(super) fn tcset(&mut self, words: &[&str]) -> Next {
        let [option, value] = &trimmed(words)[..] else {
            return self.usage("tcset", "Invalid number of arguments");
        };
        let Some((key, Setting { range: (least, most), name, .. })) =
            key_of_option("tcset", option)
        else {
            return self.usage("tcset", "invalid option");
        };
        let fits = value.parse().is_ok_and(|number: u64| (least..=most).contains(&number));
        if key.kind == Kind::Count && !fits {
            return self.complain("Refresh rate must be more than 0 secs and less than 60 secs");
        }
        if key.kind == Kind::Switch && !matches!(*value, "0" | "1") {
            return self.complain(format!("Transaction Counter {name} must be 0 or 1"));
        }
        self.set_option(key.section, key.name, value);
        self.say(format!("Transaction Counter {name} set to {value}"));
        Next::Done
    }

    pub(super) fn metset(&mut self, words: &[&str]) -> Next {
        if self.background.has_metrics() {
            return self.complain("Stop Metrics before setting configuration");
        }
        match &trimmed(words)[..] {
            ["agent_hostname", host] => {
                self.set_option("metrics", "agent_hostname", host);
                self.say(format!("Metrics agent hostname set to {host}"));
                Next::Done
            }
            ["agent_id", id] if id.parse::<u32>().is_ok() => {
                self.set_option("metrics", "agent_id", id);
                self.say(format!("Metrics agent id set to {id}"));
                Next::Done
            }
            ["agent_id", _] => self.complain("Error: agent_id must be an integer"),
            [_, _] => self.usage("metset", "invalid option"),
            _ => self.usage("metset", "Invalid number of arguments"),
        }
    }

    pub(super) fn dgset(&mut self, words: &[&str]) -> Next {
        let [option, value] = &trimmed(words)[..] else {
            return self.usage("dgset", "Invalid number of arguments");
        };
        let Some((key, Setting { range: (least, most), name, label, .. })) =
            key_of_option("dgset", option)
        else {
            return self.usage("dgset", "invalid option");
        };
        let fits = (least..=most).contains(&value.parse().unwrap_or(0));
        match key.name {
            "gen_scale_fact" if !SCALE_FACTORS.split(' ').any(|factor| factor == *value) => {
                return self
                    .complain(format!("Error: Scale Factor must be a value in {SCALE_FACTORS}"));
            }
            "gen_directory" if !std::path::Path::new(value).is_dir() => {
                let old = self.data_folder().display().to_string();
                return self.complain(format!(
                    "Files cannot be written to chosen directory you must create {value} before \
                     generating data\nSetting back to {old}"
                ));
            }
            _ if key.kind == Kind::Count && !fits => {
                return self.complain(format!("Error: {label} must be from {least} to {most}"));
            }
            _ => {}
        }
        self.set_option(key.section, key.name, value);
        self.say(format!("Set {name} to {value} for data generation"));
        // Keep the value even if there are too many virtual users, because the script may set the number of warehouses
        // later.
        self.too_many_writers().map_or(Next::Done, |text| self.complain(text))
    }
}
