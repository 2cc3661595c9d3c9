//! The server's machine and the size of the data, as reported by the server.
//!
//! These facts are never read on the hot path. Start reading at [`ServerMachine`].

use crate::ServerFacts;

/// The machine as described by the server. Values that the server does not report are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerMachine {
    /// Host name.
    pub name: String,
    /// Operating system.
    pub os: String,
    /// Processor architecture.
    pub arch: String,
    /// Processor model.
    pub cpu: String,
    /// Number of cores.
    pub cores: Option<u32>,
    /// Memory size in bytes.
    pub memory_bytes: Option<u64>,
    /// The path of the data folder or file on the server's machine.
    pub data_path: String,
}

impl ServerMachine {
    /// Adds the processors and memory described by the contents of `/proc/cpuinfo` and `/proc/meminfo`.
    #[must_use]
    pub fn with_linux(mut self, processors: &str, memory: &str) -> Self {
        let value = |text: &str, key: &str| {
            let mut fields = text.lines().filter_map(|line| line.split_once(':'));
            fields.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
        };
        let is_processor =
            |line: &&str| line.split_once(':').is_some_and(|(name, _)| name.trim() == "processor");
        let cores = processors.lines().filter(is_processor).count() as u32;
        self.cores = Some(cores).filter(|cores| *cores > 0);
        self.cpu = value(processors, "model name").unwrap_or_default();
        let kilobytes = value(memory, "MemTotal");
        let kilobytes = kilobytes.and_then(|text| text.trim_end_matches("kB").trim().parse().ok());
        self.memory_bytes = kilobytes.map(|count: u64| count * 1024);
        self
    }
}

/// Sizes of the data, as stored in the database's catalog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataSizes {
    /// The size of the entire database; absent if the server does not report it.
    pub database_bytes: Option<u64>,
    /// The size of each table; empty if the server does not report table sizes.
    pub tables: Vec<TableSize>,
}

/// The size of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableSize {
    /// The table name.
    pub name: String,
    /// The server's estimate of the number of rows.
    pub rows: Option<u64>,
    /// Size in bytes, excluding indexes.
    pub bytes: Option<u64>,
    /// Size of the indexes in bytes.
    pub index_bytes: Option<u64>,
}

/// Words that mark a setting as secret if its name contains them.
const SECRET_WORDS: [&str; 7] =
    ["passphrase", "secret", "token", "credential", "private_key", "api_key", "access_key"];
/// Words that mark a setting as secret, but only at the end of its name.
const SECRET_ENDS: [&str; 3] = ["password", "passwd", "pwd"];
/// Text that introduces a password within a value.
const SECRET_PARTS: [&str; 3] = ["password=", "passwd=", "pwd="];

impl ServerFacts {
    /// Returns the facts without settings that may contain secrets. Such settings are possible because users can define
    /// their own settings, for example in order to store keys.
    #[must_use]
    pub fn without_secrets(mut self) -> Self {
        self.settings.retain(|setting| !is_secret(&setting.name, &setting.value));
        self.unset.retain(|name, value| !is_secret(name, value));
        self
    }
}

fn is_secret(name: &str, value: &str) -> bool {
    let [name, value] = [name, value].map(str::to_lowercase);
    let has_password = SECRET_PARTS.iter().any(|part| value.contains(part));
    SECRET_WORDS.iter().any(|word| name.contains(word))
        || SECRET_ENDS.iter().any(|word| name.ends_with(word))
        || has_password
        || has_login(&value)
}

/// Returns true if a value contains a URL with a password, such as `https://ann:secret@host`.
fn has_login(value: &str) -> bool {
    value.match_indices("://").any(|(at, scheme)| {
        let rest = &value[at + scheme.len()..];
        let authority = rest.split(['/', '?', ' ']).next().unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(login, _)| login.contains(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Setting;

    #[test]
    fn a_kernel_is_read() {
        let cpu =
            "processor\t: 0\nmodel name\t: Fast 9000\nprocessor\t: 1\nmodel name\t: Fast 9000\n";
        let machine =
            ServerMachine::default().with_linux(cpu, "MemTotal:       16384 kB\nMemFree: 1 kB\n");
        assert_eq!((machine.cores, machine.memory_bytes), (Some(2), Some(16 << 20)));
        assert_eq!(machine.cpu, "Fast 9000");
        assert_eq!(ServerMachine::default().with_linux("", ""), ServerMachine::default());
    }

    #[test]
    fn secrets_are_left_out_and_nothing_else() {
        let table = [
            ("shared_buffers", "1GB", false),
            ("password_encryption", "scram-sha-256", false),
            ("http_proxy_password", "x", true),
            ("app.jwt_secret", "x", true),
            ("s3_secret_access_key", "x", true),
            ("archive_command", "curl https://ann:pw@host/%f", true),
            ("archive_command", "cp %p /archive/%f", false),
            ("restore_command", "psql 'host=a password=b'", true),
            ("log_destination", "https://host:80/a@b:c", false),
        ];
        for (name, value, secret) in table {
            let setting = Setting {
                name: name.into(),
                value: value.into(),
                default: None,
                durability_risk: None,
            };
            let facts = ServerFacts { settings: vec![setting], ..ServerFacts::default() };
            assert_eq!(facts.without_secrets().settings.is_empty(), secret, "{name}={value}");
        }
    }
}
