//! Implements small commands that HammerDB's sample scripts use, and commands that Tacho does not support.

#![expect(clippy::unused_self, reason = "all commands have the same signature")]

use super::{Console, Next};
use crate::dictionary::DATABASES;

/// Maximum value that `numberOfWHs` returns, as in HammerDB.
const WAREHOUSES_MAX: u32 = 4000;

impl Console {
    pub(super) fn number_of_cpus(&mut self, _: &[&str]) -> Next {
        Next::Value(cpus().to_string())
    }

    pub(super) fn number_of_whs(&mut self, _: &[&str]) -> Next {
        Next::Value(warehouses(cpus()).to_string())
    }

    pub(super) fn findtempdir(&mut self, _: &[&str]) -> Next {
        Next::Value(self.setup.temp.display().to_string())
    }

    pub(super) fn waittocomplete(&mut self, _: &[&str]) -> Next {
        self.deprecated("waittocomplete")
    }

    pub(super) fn runtimer(&mut self, _: &[&str]) -> Next {
        self.deprecated("runtimer")
    }

    fn deprecated(&mut self, name: &str) -> Next {
        self.complain(format!(
            "{name} command has been deprecated and is not required for version v6.0"
        ))
    }

    pub(super) fn librarycheck(&mut self, _: &[&str]) -> Next {
        for database in &DATABASES {
            let (name, library) = (database.name, database.library);
            self.say(format!("Checking database library for {name}"));
            self.say(if database.scheme.is_empty() {
                format!("Error: failed to load {library} - Tacho has no driver for {name} yet")
            } else {
                format!("Success ... loaded library tacho {} for {name}", database.scheme)
            });
        }
        Next::Done
    }

    pub(super) fn citmp(&mut self, _: &[&str]) -> Next {
        self.say(format!("TMP = {}", self.setup.temp.display()));
        let file = self.dictionary.job_database(&self.setup.temp);
        let file = file.unwrap_or_else(|| self.jobs.folder().to_owned());
        self.complain(format!("Jobs DB file = {}", file.display()))
    }
}

/// Returns the number of CPUs in the machine, including those that this process cannot use.
pub(super) fn cpus() -> u32 {
    #[expect(clippy::disallowed_methods, reason = "reads a list of the kernel")]
    let list = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    match listed(list.trim()) {
        0 => tacho_collect::cores(),
        number => number,
    }
}

/// Returns the number of elements in a kernel list such as `0-3,6`, or 0 for other text.
fn listed(list: &str) -> u32 {
    let part = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to) = (from.parse::<u32>().ok()?, to.parse::<u32>().ok()?);
        to.checked_sub(from).map(|more| more + 1)
    };
    list.split(',').map(part).sum::<Option<u32>>().unwrap_or(0)
}

/// Returns the default number of warehouses, which is eight per CPU. Numbers up to 100 are rounded up to a multiple of
/// ten.
fn warehouses(cpus: u32) -> u32 {
    let number = cpus * 8;
    let number = if number <= 100 { number.div_ceil(10) * 10 } else { number };
    number.min(WAREHOUSES_MAX)
}

#[cfg(test)]
mod tests {
    use super::{listed, warehouses};

    #[test]
    fn lists_of_the_kernel_are_counted() {
        for (list, expected) in [("0-3", 4), ("0", 1), ("0-3,6,8-9", 7), ("", 0), ("x", 0)] {
            assert_eq!(listed(list), expected, "{list}");
        }
    }

    #[test]
    fn warehouses_follow_the_cpus() {
        let table = [(1, 10), (2, 20), (12, 100), (13, 104), (64, 512), (600, 4000)];
        for (cpus, expected) in table {
            assert_eq!(warehouses(cpus), expected, "{cpus}");
        }
    }
}
