//! `dbset`, `diset`, `giset`, `vuset`, `tcset`, `metset` and `dgset`.

use super::{Console, Next};
use crate::dictionary::{Benchmark, Change, DATABASES, Unknown};
use crate::work::tproch::SCALE_FACTORS;

/// A whole-number option of `vuset`: word, generic key, name in errors, least value.
const COUNTS: [(&str, &str, &str, u64); 4] = [
    ("vu", "virtual_users", "The number of virtual users", 1),
    ("delay", "user_delay", "User Delay(ms)", 0),
    ("repeat", "repeat_delay", "Repeat Delay(ms)", 0),
    ("iterations", "iterations", "Iterations", 1),
];

/// A 0-or-1 option of `vuset`: word, generic key, name in errors.
const SWITCHES: [(&str, &str, &str); 5] = [
    ("showoutput", "show_output", "Show Output"),
    ("logtotemp", "log_to_temp", "Log Output"),
    ("unique", "unique_log_name", "Unique Log Name"),
    ("nobuff", "no_log_buffer", "No Log Buffer"),
    ("timestamps", "log_timestamps", "Log timestamps"),
];

/// The words of a command that sets a value, the value without white space around it: HammerDB joins values as Tcl's
/// `concat` does.
fn trimmed<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut words = words.to_vec();
    if let Some(value) = words.last_mut() {
        *value = value.trim_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    }
    words
}

/// The title of the generic keys.
const GENERIC: &str = "generic";

/// The line that tells where the keys of a title are listed.
fn valid_keys(title: &str) -> String {
    if title == GENERIC {
        return "Type \"print generic\" for valid dictionaries and keys".into();
    }
    format!("Type \"print dict\" for valid dictionaries and keys for {title}")
}

/// The generic section of `vuset`.
const VUSER: &str = "virtual_user_options";

impl Console {
    pub(super) fn dbset(&mut self, words: &[&str]) -> Next {
        match words {
            ["db", prefix] => self.set_database(prefix),
            ["bm", name] => self.set_benchmark(name),
            _ => {
                self.complain(&["Error: Invalid number of arguments", "Usage: dbset [db|bm] value"])
            }
        }
    }

    fn set_database(&mut self, prefix: &str) -> Next {
        let before = self.dictionary.database().prefix;
        let Some(database) = self.dictionary.use_database(prefix) else {
            let known: Vec<&str> = DATABASES.iter().map(|known| known.prefix).collect();
            let known = known.join(" ");
            return self.complain(&[&format!("Unknown prefix {prefix}, choose one from {known}")]);
        };
        let _ = self.dictionary.set_generic("benchmark", "rdbms", database.name);
        if database.prefix != before {
            self.leave_script();
        }
        self.complain(&[&format!("Database set to {}", database.name)])
    }

    fn set_benchmark(&mut self, name: &str) -> Next {
        let (upper, before) = (name.to_uppercase(), self.dictionary.benchmark);
        self.dictionary.benchmark = match upper.as_str() {
            "TPROC-C" | "TPC-C" => Benchmark::TprocC,
            "TPROC-H" | "TPC-H" => Benchmark::TprocH,
            _ => {
                let text = format!(
                    "Unknown benchmark {upper}, choose one from TPROC-C TPROC-H (or compatible \
                     names TPC-C TPC-H)"
                );
                return self.complain(&[&text]);
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
            return self.complain(&[
                "Error: Invalid number of arguments",
                "Usage: diset dict key value",
                &valid_keys(title),
            ]);
        };
        let is_driver = **key == self.dictionary.database().key("driver");
        if is_driver && !matches!(*value, "test" | "timed") {
            return self.complain(&["Error: Driver script must be either \"test\" or \"timed\""]);
        }
        // A key that is in another section changes nothing either.
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
            return self.complain(&[
                "Error: Invalid number of arguments",
                "Usage: giset dict key value",
                &valid_keys(GENERIC),
            ]);
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
        // A secret is masked in the change, and so it is here.
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
            Err(Unknown(text)) => return self.complain(&[&text, &valid_keys(title)]),
        };
        self.complain(&[&text])
    }

    pub(super) fn vuset(&mut self, words: &[&str]) -> Next {
        let [option, value] = &trimmed(words)[..] else {
            return self.vuset_usage("Invalid number of arguments");
        };
        if self.users.exist() {
            let text =
                "Error: Virtual Users exist, destroy with vudestroy before changing settings";
            return self.complain(&[text]);
        }
        if let Some((_, key, name, least)) = COUNTS.iter().find(|(word, ..)| word == option) {
            let value = if (*option, *value) == ("vu", "vcpu") {
                super::rest::cpus().to_string()
            } else {
                (*value).to_owned()
            };
            return match value.trim().parse::<i64>() {
                Ok(number) if number >= *least as i64 => {
                    self.set_option(VUSER, key, &number.to_string())
                }
                Ok(_) => {
                    let bound = if *least == 0 { "0 or greater" } else { "1 or greater" };
                    self.reset_option(key, &format!("{name} must be {bound}"))
                }
                Err(_) => self.reset_option(key, &format!("{name} must be an integer")),
            };
        }
        if let Some((_, key, name)) = SWITCHES.iter().find(|(word, ..)| word == option) {
            return match *value {
                "0" | "1" => self.set_option(VUSER, key, value),
                _ => self.reset_option(key, &format!("{name} must be 0 or 1")),
            };
        }
        self.vuset_usage("invalid option")
    }

    fn vuset_usage(&mut self, what: &str) -> Next {
        let usage = super::command("vuset").map_or("", |command| command.usage);
        self.complain(&[&format!("Error: {what}"), &format!("Usage: {usage}")])
    }

    fn set_option(&mut self, section: &str, key: &str, value: &str) -> Next {
        let _ = self.dictionary.set_generic(section, key, value);
        Next::Done
    }

    fn reset_option(&mut self, key: &str, why: &str) -> Next {
        let default = match key {
            "virtual_users" | "iterations" | "show_output" => "1",
            "user_delay" | "repeat_delay" => "500",
            _ => "0",
        };
        self.complain(&[why, &format!("setting to value: {default}")]);
        self.set_option(VUSER, key, default)
    }

    pub(super) fn tcset(&mut self, words: &[&str]) -> Next {
        let usage = "Usage: tcset [refreshrate|logtotemp|unique|timestamps] value";
        let [option, value] = &trimmed(words)[..] else {
            return self.complain(&["Error: Invalid number of arguments", usage]);
        };
        if *option == "refreshrate" {
            let good = value.parse::<u64>().is_ok_and(|rate| (1..60).contains(&rate));
            if !good {
                let text = "Refresh rate must be more than 0 secs and less than 60 secs";
                return self.complain(&[text]);
            }
        }
        let (key, name) = match *option {
            "refreshrate" => ("tc_refresh_rate", "refresh rate"),
            "logtotemp" => ("tc_log_to_temp", "log to temp"),
            "unique" => ("tc_unique_log_name", "unique log name"),
            "timestamps" => ("tc_log_timestamps", "timestamps"),
            _ => return self.complain(&["Error: invalid option", usage]),
        };
        if *option != "refreshrate" && !matches!(*value, "0" | "1") {
            return self.complain(&[&format!("Transaction Counter {name} must be 0 or 1")]);
        }
        self.set_option("transaction_counter", key, value);
        self.say(format!("Transaction Counter {name} set to {value}"));
        Next::Done
    }

    pub(super) fn metset(&mut self, words: &[&str]) -> Next {
        let usage = "Usage: metset [agent_hostname|agent_id] value";
        if self.background.has_metrics() {
            return self.complain(&["Stop Metrics before setting configuration"]);
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
            ["agent_id", _] => self.complain(&["Error: agent_id must be an integer"]),
            [_, _] => self.complain(&["Error: invalid option", usage]),
            _ => self.complain(&["Error: Invalid number of arguments", usage]),
        }
    }

    pub(super) fn dgset(&mut self, words: &[&str]) -> Next {
        let usage = "Usage: dgset [vu|ware|warehouse|scale_fact|directory] value";
        let [option, value] = &trimmed(words)[..] else {
            return self.complain(&["Error: Invalid number of arguments", usage]);
        };
        let number = value.parse::<u64>().unwrap_or(0);
        let (key, name) = match *option {
            "vu" if !(1..=1024).contains(&number) => {
                return self.complain(&["Error: Virtual users must be from 1 to 1024"]);
            }
            "warehouse" | "ware" if !(1..=100_000).contains(&number) => {
                return self.complain(&["Error: Warehouses must be from 1 to 100000"]);
            }
            "scale_fact" if !SCALE_FACTORS.split(' ').any(|factor| factor == *value) => {
                let text = format!("Error: Scale Factor must be a value in {SCALE_FACTORS}");
                return self.complain(&[&text]);
            }
            "directory" if !std::path::Path::new(value).is_dir() => {
                let old = match self.dictionary.generic("datageneration", "gen_directory") {
                    "" => self.setup.temp.display().to_string(),
                    folder => folder.to_owned(),
                };
                let text = format!(
                    "Files cannot be written to chosen directory you must create {value} before \
                     generating data"
                );
                return self.complain(&[&text, &format!("Setting back to {old}")]);
            }
            "vu" => ("gen_num_vu", "virtual users"),
            "warehouse" | "ware" => ("gen_count_ware", "warehouses"),
            "scale_fact" => ("gen_scale_fact", "scale factor"),
            "directory" => ("gen_directory", "directory"),
            _ => return self.complain(&["Error: invalid option", usage]),
        };
        self.set_option("datageneration", key, value);
        self.say(format!("Set {name} to {value} for data generation"));
        // What is set stays: the warehouses may be set next.
        self.too_many_writers()
            .map_or(Next::Done, |lines| self.complain(&lines.each_ref().map(String::as_str)))
    }
}
