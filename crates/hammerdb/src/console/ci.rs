//! The commands for continuous integration pipelines. They only store their settings. They do not build database
//! products as HammerDB's commands do, because this is not the task of a benchmark.

#![expect(clippy::unused_self, reason = "all commands have the same signature")]

use std::collections::BTreeMap;

use super::{Console, Next};

/// Key and default value of each common setting.
const COMMON: [(&str, &str); 10] = [
    ("listen_port", "5000"),
    ("clone_cmd", "git clone"),
    ("clone_cmd_args", "--branch :branch :repo_url ."),
    ("commit_msg_cmd", "git log -1 --pretty=%B"),
    ("diff_threshold", "0.025"),
    ("use_sudo", "false"),
    ("ci_log_to_temp", "1"),
    ("warehouse_limit", "4000"),
    ("root", "/opt/hammerdb-ci"),
    ("tmp", "/opt/hammerdb-ci/TMP"),
];
const PRODUCTS: [&str; 3] = ["MariaDB", "PostgreSQL", "MySQL"];
/// Products for which HammerDB itself has no pipeline.
const EMPTY: [&str; 3] = ["Oracle", "SQLServer", "Db2"];
const STEPS: &str = "clone build package commit_msg install init run_sql:shutdown start ping \
                     run_sql:change_password start_tests:oltp run_sql:shutdown";
#[rustfmt::skip]
const SECTIONS: [(&str, &[(&str, &str)]); 4] = [
    ("build", &[("repo_url", ""), ("ref_regexp", "refs/(tags|heads)/(.+)"), ("overwrite", "false"),
        ("local_dir_root", ""), ("build_dir", ""), ("build_cmd", ""), ("build_cmd_args", ""),
        ("package_cmd", "")]),
    ("install", &[("install_package", ""), ("installer", ""), ("install_dir", ""), ("config_dir", ""),
        ("defaults_file", ""), ("io_config_file", ""), ("basedir", ""), ("datadir", "data"),
        ("init_args", ""), ("start_cmd", ""), ("start_args", ""), ("socket", ""), ("port", ""),
        ("run_sql_cmd", ""), ("change_password", ""), ("shutdown", ""), ("ping", "")]),
    ("test", &[("oltp", ""), ("olap", ""), ("profile", ""), ("compare", "")]),
    ("pipeline", &[("single_c", STEPS), ("single_h", STEPS), ("profile", ""), ("profileid", "1000"),
        ("compare", ""), ("compare_profileid", "1000")]),
];

/// Values set by the user. Each key consists of a top level, a section (empty for `common`) and a name.
pub(super) type CiValues = BTreeMap<(String, String, String), String>;

/// Returns a setting's default value, or an error message if it does not exist.
fn default(top: &str, section: &str, key: &str) -> Result<&'static str, String> {
    if top == "common" {
        let found = COMMON.iter().find(|(known, _)| *known == key && section.is_empty());
        let missing = || format!("CI ERROR: Key '{key}' does not exist in 'common'");
        return found.map(|(_, value)| *value).ok_or_else(missing);
    }
    if !PRODUCTS.contains(&top) {
        let why = if EMPTY.contains(&top) { "has no settings" } else { "does not exist" };
        return Err(format!("CI ERROR: Top-level '{top}' {why}"));
    }
    let Some((_, keys)) = SECTIONS.iter().find(|(known, _)| *known == section) else {
        return Err(format!("CI ERROR: Section '{section}' does not exist in '{top}'"));
    };
    let found = keys.iter().find(|(known, _)| *known == key);
    let missing = || format!("CI ERROR: Key '{key}' does not exist in '{top}/{section}'");
    found.map(|(_, value)| *value).ok_or_else(missing)
}

fn lacking(what: &str) -> Next {
    Next::Failed(format!(
        "Error: {what} was not run: Tacho does not support commit pipelines, which clone, \
         compile and install a database; let your CI system do that and run a script on its server"
    ))
}

impl Console {
    pub(super) fn ciset(&mut self, words: &[&str]) -> Next {
        let (top, section, key, value) = match words {
            [top, key, value] => (*top, "", *key, *value),
            [top, section, key, value] => (*top, *section, *key, *value),
            _ => return self.usage("ciset", "Invalid number of arguments"),
        };
        let default = match default(top, section, key) {
            Ok(default) => default,
            Err(text) => return self.complain(text),
        };
        let place = (top.to_owned(), section.to_owned(), key.to_owned());
        let old = self.ci.get(&place).map_or(default, String::as_str).to_owned();
        if old == value {
            return self.complain(format!("Value unchanged ({value}) — no update needed."));
        }
        self.ci.insert(place, value.to_owned());
        let mut path = vec![top, section, key];
        path.retain(|part| !part.is_empty());
        self.complain(format!("Changed {} from \"{old}\" to \"{value}\"", path.join("/")))
    }

    /// Returns the output of `print ci`.
    pub(super) fn ci_text(&self) -> String {
        let value = |top: &str, section: &str, key: &str, default: &str| {
            let place = (top.to_owned(), section.to_owned(), key.to_owned());
            let value = self.ci.get(&place).map_or(default, String::as_str);
            format!(" {key} = {value}")
        };
        let mut lines = vec!["CI Dictionary Settings".to_owned(), "common {".into()];
        lines.extend(COMMON.iter().map(|(key, default)| value("common", "", key, default)));
        lines.push("}".into());
        for product in PRODUCTS {
            for (section, keys) in SECTIONS {
                lines.push(format!("{product}/{section} {{"));
                lines.extend(
                    keys.iter().map(|(key, default)| value(product, section, key, default)),
                );
                lines.push("}".into());
            }
        }
        lines.join("\n")
    }

    pub(super) fn cilisten(&mut self, _: &[&str]) -> Next {
        lacking("cilisten")
    }

    pub(super) fn cifix(&mut self, _: &[&str]) -> Next {
        lacking("cifix")
    }

    pub(super) fn cipush(&mut self, words: &[&str]) -> Next {
        let [reference, rest @ ..] = words else {
            return self.usage("cipush", "Invalid number of arguments");
        };
        let is_sha = (7..=40).contains(&reference.len())
            && reference.chars().all(|digit| digit.is_ascii_hexdigit());
        let is_named =
            ["refs/tags/", "refs/heads/"].iter().any(|start| reference.starts_with(start));
        if !is_sha && !is_named {
            return self.complain(
                "Error: refname must start with 'refs/tags/' or 'refs/heads/' or be a commit SHA",
            );
        }
        if rest.get(1).is_some_and(|workload| !matches!(*workload, "C" | "H")) {
            return self.complain("Error: workload must be C or H");
        }
        if rest.get(3).is_some_and(|switch| !matches!(*switch, "0" | "1")) {
            return self.complain("Error: io_intensive must be 0 or 1");
        }
        lacking("cipush")
    }

    pub(super) fn cireset(&mut self, _: &[&str]) -> Next {
        self.complain("CI reset: there are no unfinished pipelines")
    }

    pub(super) fn cistop(&mut self, _: &[&str]) -> Next {
        self.cistatus(&[])
    }

    pub(super) fn cistatus(&mut self, _: &[&str]) -> Next {
        self.complain("CI listener not running\nCI watcher not running")
    }

    pub(super) fn pipes(&mut self, words: &[&str]) -> Next {
        match words {
            [] => self.printed("Pipeid DB Ref Pipeline Date Status"),
            [id, ..] => self.complain(format!("Pipeline {id} does not exist")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_their_places() {
        assert_eq!(default("common", "", "listen_port"), Ok("5000"));
        assert_eq!(default("MariaDB", "pipeline", "profileid"), Ok("1000"));
        let wrong = [
            ("common", "build", "root", "Key 'root'"),
            ("Oracle", "build", "repo_url", "'Oracle' has no settings"),
            ("Sybase", "build", "repo_url", "Top-level 'Sybase' does not exist"),
            ("MySQL", "biuld", "repo_url", "Section 'biuld' does not exist in 'MySQL'"),
            ("MySQL", "build", "repo", "Key 'repo' does not exist in 'MySQL/build'"),
        ];
        for (top, section, key, words) in wrong {
            assert!(default(top, section, key).is_err_and(|text| text.contains(words)), "{words}");
        }
    }
}
