//! A request: a command, and settings that are named as in `tacho.toml`.
//!
//! Each setting becomes a single argument `--name=value`, so a value cannot be mistaken for an
//! option. Passwords are passed in environment variables.
//!
//! Start reading at [`Request::read`].

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use tacho_app::{Trust, program_in};
use tacho_config::{Command, Setting};
use tacho_core::{Error, MASK, ParameterKind, Result, masked_target, shell_word};
use tacho_driver::Target;

/// The body of a request.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Body {
    /// The command to run.
    pub(crate) command: Command,
    /// The settings, with the same keys as in `tacho.toml`, such as `"sessions": 8`. A setting that
    /// may be repeated accepts a list.
    #[serde(default)]
    pub(crate) settings: Map<String, Value>,
    /// The format of the response: `json`, or `text` as printed on a terminal.
    #[serde(default)]
    pub(crate) output: Form,
}

impl Body {
    /// Checks that each value is valid for the type of its setting.
    ///
    /// # Errors
    /// Returns a usage error that names the setting.
    pub(crate) fn check(&self) -> Result<()> {
        for setting in known(self.command) {
            let key = setting.parameter.key;
            let values = self.settings.get(key).map(|value| texts(key, value)).transpose()?;
            values.iter().flatten().try_for_each(|text| setting.parameter.check(text))?;
        }
        Ok(())
    }

    /// Returns the first setting that would start a program or load code without permission: its
    /// key, and the program or code.
    pub(crate) fn program(&self, trust: &Trust) -> Option<(&'static str, String)> {
        let values = |key: &str| self.settings.get(key).and_then(|value| texts(key, value).ok());
        let packs = values("pack").filter(|_| trust.allows("pack")).unwrap_or_default();
        let settings = self.settings.iter().flat_map(|(key, value)| {
            let parts = texts(key, value).unwrap_or_default().into_iter();
            parts.map(move |text| (key.clone(), text))
        });
        let varied = values("vary").unwrap_or_default().into_iter().flat_map(|text| {
            let (key, list) = text.split_once('=').unwrap_or_default();
            let key = key.trim().replace('-', "_");
            list.split(',').map(|one| (key.clone(), one.trim().to_owned())).collect::<Vec<_>>()
        });
        let mut found =
            settings.chain(varied).filter_map(|(key, text)| program_in(&key, &text, &packs));
        found.find(|(key, _)| !trust.allows(key))
    }
}

/// The format of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    #[default]
    Json,
    Text,
}

/// A request that can be executed.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) command: Command,
    form: Form,
    workload: Option<String>,
    target: Option<String>,
    /// Command-line arguments. Each consists of the argument as it is passed to the command, such as `--sessions=8`,
    /// and as a person would type it.
    flags: Vec<(String, String)>,
    dry_run: bool,
}

impl Request {
    /// Parses a request body. If a setting is unknown, the error suggests the most similar setting.
    pub(crate) fn read(body: Body) -> Result<Self> {
        let Body { command, settings, output } = body;
        let mut request = Self {
            command,
            form: output,
            workload: None,
            target: None,
            flags: Vec::new(),
            dry_run: false,
        };
        for (key, value) in settings {
            request.add(&key, &value)?;
        }
        Ok(request)
    }

    /// Returns the same request as a dry run.
    pub(crate) fn dry(self) -> Self {
        Self { dry_run: true, ..self }
    }

    fn add(&mut self, key: &str, value: &Value) -> Result<()> {
        match key {
            "workload" => self.workload = texts(key, value)?.pop(),
            "target" => self.target = texts(key, value)?.pop(),
            _ => self.add_flag(key, value)?,
        }
        Ok(())
    }

    fn add_flag(&mut self, key: &str, value: &Value) -> Result<()> {
        let setting = known(self.command).find(|setting| setting.parameter.key == key);
        let setting = setting.ok_or_else(|| unknown(self.command, key))?;
        let flag = setting.flag();
        if setting.parameter.kind == ParameterKind::Switch {
            if flagged(key, value)? {
                self.flags.push((format!("--{flag}"), format!("--{flag}")));
            }
            return Ok(());
        }
        for text in texts(key, value)? {
            self.flags
                .push((format!("--{flag}={text}"), format!("--{flag} {}", shell_word(&text))));
        }
        Ok(())
    }

    /// Returns the arguments that follow the program name.
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let mut words = vec![self.command.word().to_owned()];
        let by_name = |key: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("--{key}={value}"))
        };
        words.extend(by_name("workload", &self.workload));
        words.extend(by_name("target", &self.target).filter(|_| self.secrets().is_empty()));
        words.extend(self.flags.iter().map(|(word, _)| word.clone()));
        if self.command != Command::Doctor && !self.dry_run {
            words.push("--progress=json".into());
        }
        if self.dry_run {
            words.push("--dry-run".into());
        }
        words.push(if self.form == Form::Json { "--output=json" } else { "--output=text" }.into());
        words.into_iter().map(OsString::from).collect()
    }

    /// Returns environment variables for the command's process. A target with a password is passed
    /// in this way, because other users can see arguments.
    pub(crate) fn secrets(&self) -> Vec<(&'static str, &str)> {
        let secret = self.target.as_deref().filter(|target| shown(target).contains(MASK));
        secret.map(|target| ("TACHO_TARGET", target)).into_iter().collect()
    }

    /// Returns the command as a person would type it, without passwords.
    pub(crate) fn words(&self) -> String {
        let place = |word: &String| shell_word(word);
        let mut words = vec![format!("tacho {}", self.command.word())];
        // The workload comes first. If there is no workload, the target needs the name of its option.
        match (&self.workload, &self.target.as_deref().map(shown)) {
            (None, Some(target)) if self.command != Command::Doctor => {
                words.push(format!("--target {}", place(target)));
            }
            (workload, target) => words.extend(workload.iter().chain(target).map(place)),
        }
        words.extend(self.flags.iter().map(|(_, word)| word.clone()));
        words.join(" ")
    }
}

/// Returns a target without its password. In an invalid target, passwords are masked as well as possible.
fn shown(target: &str) -> String {
    match Target::parse(target) {
        Ok(parsed) if parsed.redacted().contains(MASK) => parsed.redacted(),
        Ok(_) => target.to_owned(),
        Err(_) => masked_target(target),
    }
}

/// Returns the settings and options of a command.
fn known(command: Command) -> impl Iterator<Item = &'static Setting> {
    command.settings().chain(command.options())
}

fn unknown(command: Command, key: &str) -> Error {
    Error::usage(format!("\"{key}\" is not a setting of tacho {}", command.word()))
        .did_you_mean(key, known(command).map(|setting| setting.parameter.key))
}

/// Returns a setting's values as strings.
fn texts(key: &str, value: &Value) -> Result<Vec<String>> {
    let one = |value: &Value| match value {
        Value::String(text) if text.contains('\0') => Err(invalid(key)),
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => Err(invalid(key)),
    };
    match value {
        Value::Array(values) => values.iter().map(one).collect(),
        value => Ok(vec![one(value)?]),
    }
}

fn flagged(key: &str, value: &Value) -> Result<bool> {
    value
        .as_bool()
        .ok_or_else(|| Error::usage(format!("the value of \"{key}\" must be true or false")))
}

fn invalid(key: &str) -> Error {
    Error::usage(format!("the value of \"{key}\" must be a string, a number or a list of these"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: Value) -> Result<Request> {
        Request::read(serde_json::from_value(body).expect("a body"))
    }

    #[test]
    fn settings_become_one_word_each() -> Result<()> {
        let settings = json!({ "workload": "tprocc", "target": "sim:", "sessions": 8, "set": ["a=1", "--dry-run"], "from": "7q" });
        let request = read(json!({ "command": "run", "settings": settings }))?;
        let expected = [
            "run",
            "--workload=tprocc",
            "--target=sim:",
            "--sessions=8",
            "--set=a=1",
            "--set=--dry-run",
            "--from=7q",
            "--progress=json",
            "--output=json",
        ];
        assert_eq!(request.arguments(), expected);
        assert_eq!(
            request.words(),
            "tacho run tprocc sim: --sessions 8 --set a=1 --set --dry-run --from 7q"
        );
        Ok(())
    }

    #[test]
    fn passwords_are_neither_arguments_nor_shown() -> Result<()> {
        let target = "postgres://me:secret@db/x";
        let request = read(
            json!({ "command": "check", "settings": { "workload": "tpcb", "target": target } }),
        )?;
        assert!(request.arguments().iter().all(|word| !word.to_string_lossy().contains("secret")));
        assert_eq!(request.secrets(), [("TACHO_TARGET", target)]);
        assert!(!request.words().contains("secret"), "{}", request.words());
        Ok(())
    }

    #[test]
    fn programs_are_found_whatever_their_setting() {
        let found = |settings: Value, allowed: &[&str]| {
            let body = json!({ "command": "sweep", "settings": settings });
            let body: Body = serde_json::from_value(body).expect("a body");
            let allowed = allowed.iter().map(ToString::to_string).collect();
            body.program(&Trust { allowed, ..Trust::default() }).map(|(key, _)| key)
        };
        let evil = "duckdb:x.db?library=/tmp/evil.so";
        for (settings, key) in [
            (json!({ "fault_command": "at=1s touch /tmp/x" }), "fault_command"),
            (json!({ "fault_command": ["at=1s touch /tmp/x"] }), "fault_command"),
            (json!({ "pack": "/tmp/pack", "target": "x:" }), "pack"),
            (json!({ "workload": "/tmp/shop" }), "workload"),
            (json!({ "workload": "pgbench:/tmp/x.sql" }), "workload"),
            (json!({ "target": evil }), "library"),
            (json!({ "route": format!("payment={evil}") }), "library"),
            (json!({ "vary": format!("target=sqlite:a.db,{evil}") }), "library"),
            (json!({ "vary": ["workload=tpcb,/tmp/shop"] }), "workload"),
            (json!({ "vary": "server.session-preload-libraries=/tmp/evil" }), "server_setting"),
            (json!({ "vary": ["sessions=1,2", "server.init_connect=x"] }), "server_setting"),
            (json!({ "target": "postgres://a@b/c?options=-carchive_command=x" }), "library"),
            (json!({ "target": "mysql://a@b/c?init-command=DO%201" }), "library"),
        ] {
            assert_eq!(found(settings.clone(), &[]), Some(key), "{settings}");
            assert_eq!(found(settings.clone(), &[key]), None, "{settings}");
        }
        for settings in [
            json!({ "workload": "tprocc", "target": "sqlite:/data/bench.db", "sessions": 8 }),
            json!({ "target": "postgres://a@b/c?sslrootcert=/etc/ca.pem", "vary": "sessions=1,2" }),
            json!({ "vary": ["server.shared_buffers=1GB,2GB", "server.synchronous_commit=on"] }),
            json!({ "load": "file: rates.csv", "fault": "at=1s kill" }),
        ] {
            assert_eq!(found(settings.clone(), &[]), None, "{settings}");
        }
    }

    #[test]
    fn rejects_invalid_values_and_names_the_setting() {
        let check = |settings: Value| {
            let body = json!({ "command": "run", "settings": settings });
            serde_json::from_value::<Body>(body).expect("a body").check()
        };
        assert!(check(json!({ "duration": "1m", "tag": ["a", "b"] })).is_ok());
        for (settings, key) in [
            (json!({ "duration": "1 minute" }), "duration"),
            (json!({ "sessions": 8, "seed": -1 }), "seed"),
            (json!({ "retry": ["same", "twice"] }), "retry"),
        ] {
            assert_eq!(check(settings).expect_err("refused").setting(), Some(key));
        }
    }

    #[test]
    fn rejects_invalid_settings_and_suggests_the_nearest() {
        for (body, near) in [
            (json!({ "command": "run", "settings": { "sesions": 4 } }), "sessions"),
            (json!({ "command": "run", "settings": { "export": "/etc/passwd" } }), "names"),
            (json!({ "command": "clean", "settings": { "rate": 4 } }), ""),
            (json!({ "command": "run", "settings": { "sessions": {} } }), ""),
            (json!({ "command": "clean", "settings": { "yes": "no" } }), ""),
            (json!({ "command": "run", "settings": { "target": "a\u{0}b" } }), ""),
        ] {
            let error = read(body.clone()).expect_err("refused");
            assert!(error.hints().join(" ").contains(near), "{body}: {error}");
        }
    }
}
