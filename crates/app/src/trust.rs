//! Rejects programs and code that the user has not allowed, if they come from settings files, records or requests.
//!
//! The user controls the command line and the environment, so these are trusted. A settings file is trusted if the
//! user named it or ran `tacho config trust` on its current content. Records and requests are never trusted.
//!
//! Start reading at [`require`].

use tacho_config::{Http, Origin, Resolved, SETTINGS};
use tacho_core::{Error, Result, masked, shell_word};
use tacho_driver::Target;

use crate::route::route_targets;

/// The key that allows targets to load code.
const LIBRARY: &str = "library";
const WORKLOAD: &str = "workload";
const TARGET: &str = "target";
const ROUTE: &str = "route";
/// The key that allows server settings that load code or start programs.
const SERVER_SETTING: &str = "server_setting";
/// The prefix of a sweep variable that is a server setting.
const SERVER: &str = "server.";

/// The programs and code that the user allows Tacho to start or load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// The keys of programs and code that the user allows with `--allow`. All of them are listed in [`allowable`].
    pub allowed: Vec<String>,
    /// True if the command is being executed for an HTTP request.
    pub requested: bool,
    /// True if everything is allowed, as on an agent, which executes its coordinator's plans.
    pub everything: bool,
}

/// A program that would be started or code that would be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The key that allows the program or code.
    pub key: &'static str,
    /// The setting and its value, without passwords.
    pub text: String,
    /// The origin of the value.
    pub origin: Origin,
}

/// Returns all keys that users can allow. These are settings that contain programs, `workload` for workload
/// folders and scripts, `library` for code that a target loads, and `server_setting` for code that a server setting loads.
pub fn allowable() -> impl Iterator<Item = &'static str> {
    let programs = SETTINGS.iter().filter(|setting| setting.http == Http::Program);
    programs.map(|setting| setting.parameter.key).chain([WORKLOAD, LIBRARY, SERVER_SETTING])
}

/// Returns an error unless the user allows all programs and code in these settings. This check runs nothing.
///
/// # Errors
/// Returns a usage error that shows what would be run.
pub(crate) fn require(resolved: &Resolved, trust: &Trust) -> Result<()> {
    let programs = programs(resolved);
    let refused = programs.into_iter().find(|program| !trust.allows(program.key));
    refused.map_or(Ok(()), |program| Err(trust.refusal(&program)))
}

/// Returns an error unless the user allows these server settings, which come from a record or a request. This check does
/// not connect to the server.
///
/// # Errors
/// Returns a usage error that shows the first setting that could load code or start a program.
pub(crate) fn require_server_settings(wanted: &[(String, String)], trust: &Trust) -> Result<()> {
    let codes = wanted
        .iter()
        .filter_map(|(name, value)| program_in(&format!("{SERVER}{name}"), value, &[]));
    let refused = codes.into_iter().find(|(key, _)| !trust.allows(key));
    refused.map_or(Ok(()), |(key, text)| {
        Err(trust.refusal(&Program { key, text, origin: Origin::Sweep }))
    })
}

impl Trust {
    /// Returns true if the user allows the programs or code with this key, regardless of what requests them.
    pub fn allows(&self, key: &str) -> bool {
        self.everything || self.allowed.iter().any(|known| known == key)
    }

    fn refusal(&self, program: &Program) -> Error {
        let Program { key, text, origin } = program;
        let (whose, trusted) = match origin {
            Origin::File { path, .. } => {
                (path.clone(), Some(format!("tacho config trust {}", shell_word(path))))
            }
            Origin::Run(id) => (format!("the record of run {id}"), None),
            _ if self.requested => ("the request".into(), None),
            _ => ("the record".into(), None),
        };
        let error = Error::usage(format!("{whose} would run a program or load code: {text}"));
        let error = match trusted {
            Some(command) => error.hint(format!(
                "run {command} to trust the current content of \
                the file"
            )),
            None => error,
        };
        if self.requested {
            error.hint(format!(
                "or start tacho serve with --allow {key} to allow this for every request"
            ))
        } else {
            error.hint(format!("or use --allow {key} for this command"))
        }
    }
}

/// Returns all programs and code in these settings that the user did not specify.
pub fn programs(resolved: &Resolved) -> Vec<Program> {
    let packs = &resolved.plan.data.packs;
    let mut found = Vec::new();
    for given in resolved.entries() {
        let is_foreign = resolved.is_foreign(given.key);
        for value in given.values {
            // A route consists of targets.
            let (kind, texts) = match given.key {
                TARGET => (TARGET, vec![named(resolved, &value, is_foreign)]),
                ROUTE => {
                    let targets = route_targets(&value);
                    let texts = targets.iter().map(|text| named(resolved, text, is_foreign));
                    (TARGET, texts.collect())
                }
                key => (key, vec![(value, is_foreign)]),
            };
            for (text, foreign) in texts.into_iter().filter(|(_, foreign)| *foreign) {
                let Some((key, text)) = program_in(kind, &text, packs) else { continue };
                let origin = match (&given.origin, foreign && !is_foreign) {
                    // The address comes from the settings file, even if the user chose the target by its name.
                    (_, true) => resolved.file_origin(),
                    (origin, false) => origin.clone(),
                };
                found.push(Program { key, text, origin });
            }
        }
    }
    found
}

/// Returns a target's address. The flag is true if the user did not specify this address.
fn named(resolved: &Resolved, text: &str, is_foreign: bool) -> (String, bool) {
    match resolved.target_url(text) {
        Some(url) => (url.to_owned(), resolved.is_foreign_target(text)),
        None => (text.to_owned(), is_foreign),
    }
}

/// If a setting would run a program or load code, returns the key with which the user can allow this, and the setting
/// as text. Otherwise, returns `None`.
pub fn program_in(key: &str, value: &str, packs: &[String]) -> Option<(&'static str, String)> {
    if let Some(name) = key.strip_prefix(SERVER) {
        let text = || (SERVER_SETTING, format!("{key} = \"{}\"", masked(value)));
        return tacho_registry::runs_code(name).then(text);
    }
    let setting = tacho_config::setting(key)?;
    let key = setting.parameter.key;
    let shown = || format!("{key} = \"{}\"", masked(value));
    match (setting.http, key) {
        (Http::Program, _) => Some((key, shown())),
        (Http::File, WORKLOAD) => {
            let is_built_in = tacho_registry::built_in_workload(value).is_some();
            let is_of_files = !is_built_in && tacho_registry::is_workload_folder(value);
            is_of_files.then(|| (WORKLOAD, shown()))
        }
        (Http::File, TARGET) => {
            let target = Target::parse(value).ok()?;
            let code = tacho_registry::code_in(&target, packs)?;
            Some((LIBRARY, format!("{code} for target {}", target.redacted())))
        }
        (Http::File, ROUTE) => {
            let targets = route_targets(value);
            targets.iter().find_map(|text| program_in(TARGET, text, packs))
        }
        (Http::Safe | Http::File, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use tacho_config::{ConfigFile, Plan, Source, resolve};

    use super::*;

    fn found(source: Source) -> Vec<(&'static str, String)> {
        let resolved = resolve(source).expect("settings");
        programs(&resolved).into_iter().map(|program| (program.key, program.text)).collect()
    }

    #[test]
    fn every_way_to_code_is_found_unless_the_user_goes_it() {
        let flags = |key: &str, value: &str| vec![(key.to_owned(), vec![value.to_owned()])];
        for (key, value, allowed) in [
            ("fault_command", "at=1s touch /tmp/x", "fault_command"),
            ("pack", "packs/tidb", "pack"),
            ("workload", "./shop", "workload"),
            ("workload", "pgbench:x.sql", "workload"),
            ("workload", "replay:x.log", "workload"),
            ("target", "duckdb:x.db?library=/tmp/evil.so", "library"),
            ("target", "odbc:Driver=/tmp/evil.so;Server=h", "library"),
            ("target", "odbc:bench?library=/tmp/evil.so", "library"),
            ("target", "db2://h/x?library=/tmp/evil.so", "library"),
            ("target", "timesten://h/x?keywords=a%3Db&library=x", "library"),
            ("target", "timesten://h/x?keywords=Driver%3D/tmp/evil.so", "library"),
            ("target", "duckdb:md:evil", "library"),
            ("target", "postgres://h/x?options=-csession_preload_libraries=/tmp/evil", "library"),
            ("target", "mysql://h/x?init-command=SET%20@a=1", "library"),
            ("target", "mariadb://h/x?defaults-file=/tmp/evil.cnf", "library"),
            ("route", "payment=random:sqlite:a.db,duckdb:x.db?library=/tmp/evil.so", "library"),
        ] {
            let source = Source { flags: flags(key, value), ..Source::default() };
            assert!(found(source.clone()).is_empty(), "{value}");
            let foreign = found(Source { foreign: true, ..source });
            assert_eq!(
                foreign.iter().map(|program| program.0).collect::<Vec<_>>(),
                [allowed],
                "{value}"
            );
            assert!(allowable().any(|known| known == allowed));
        }
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(b"0,5\n2,end\n").expect("a load");
        let load = format!("file: {}", file.path().display());
        for (key, value) in [
            ("workload", "tprocc"),
            ("target", "sqlite:/data/bench.db"),
            ("target", "duckdb:/data/bench.db?threads=2"),
            ("target", "postgres://a@b/c?sslrootcert=/a/b.pem"),
            ("target", "postgres://a@b/c?options=-c%20work_mem=64MB"),
            ("target", "mysql://a@b/c?ssl-ca=/a/b.pem"),
            ("target", "odbc:bench"),
            ("load", &load),
            ("fault", "at=1s kill"),
        ] {
            let foreign = Source { flags: flags(key, value), foreign: true, ..Source::default() };
            assert!(found(foreign).is_empty(), "{value}");
        }
    }

    #[test]
    fn server_settings_that_run_code_need_permission() {
        let denied = |name: &str, trust: &Trust| {
            require_server_settings(
                &[("fsync".into(), "on".into()), (name.into(), "x".into())],
                trust,
            )
            .is_err()
        };
        let allowed = Trust { allowed: vec![SERVER_SETTING.into()], ..Trust::default() };
        for name in [
            "session_preload_libraries",
            "Session_Preload_Libraries",
            "archive_command",
            "init-connect",
            "init_connect ",
            "plugin_dir",
            "xp_cmdshell",
            "clr enabled",
            "my_extension.setting",
            "sess\u{130}on_preload_libraries",
            "work_mem; SELECT 1",
        ] {
            assert!(denied(name, &Trust::default()), "{name}");
            assert!(!denied(name, &allowed), "{name}");
        }
        for name in [
            "shared_buffers",
            "synchronous_commit",
            "innodb-buffer-pool-size",
            "max degree of parallelism",
            "max server memory (MB)",
        ] {
            assert!(!denied(name, &Trust::default()), "{name}");
        }
        assert!(allowable().any(|known| known == SERVER_SETTING));
    }

    #[test]
    fn a_named_target_is_as_trusted_as_its_file() {
        let file = |trusted| {
            let mut file = ConfigFile::default();
            let url = "duckdb:x?library=/tmp/a.so".to_owned();
            (file.trusted, file.targets) = (trusted, [("duck".to_owned(), url)].into());
            file
        };
        let named = |trusted| Source {
            file: Some(file(trusted)),
            flags: vec![("target".into(), vec!["duck".into()])],
            ..Source::default()
        };
        assert_eq!(found(named(false)).len(), 1);
        assert!(found(named(true)).is_empty());
        // A request needs no permission to use targets that the user has defined.
        assert!(found(Source { foreign: true, ..named(true) }).is_empty());
        let mut plan = Plan::default();
        plan.judgement.fault_commands = vec!["at=1s true".into()];
        let saved = Source { saved: Some((plan, "7q3f".into())), ..Source::default() };
        assert_eq!(found(saved).len(), 1);
    }
}
