//! Translates a script to equivalent Tacho commands and a settings file.

use std::collections::BTreeMap;

use super::Console;
use crate::dictionary::Database;
use crate::work::request::{BuildPlan, Flags, RunPlan};
use crate::work::tproch::StreamsPlan;

/// The recorded actions of a script.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Targets by name, in order of first use.
    targets: Vec<(String, String)>,
    /// Named runs with their settings.
    runs: Vec<(String, Flags)>,
    /// Commands in order.
    commands: Vec<String>,
    /// Notes about actions that could not be translated.
    notes: Vec<String>,
}

impl Plan {
    /// Returns the name of a target with these settings. The target is stored without its password, which an
    /// environment variable supplies.
    fn target(&mut self, flags: &Flags) -> String {
        let url = of(flags, "target").unwrap_or_default();
        let place = self.targets.iter().position(|(_, known)| *known == url);
        let place = place.unwrap_or_else(|| {
            let scheme = url.split(':').next().unwrap_or("db").to_owned();
            let same = self.targets.iter().filter(|(name, _)| name.starts_with(&scheme)).count();
            let name = if same == 0 { scheme } else { format!("{scheme}{}", same + 1) };
            self.targets.push((name, url));
            self.targets.len() - 1
        });
        self.targets[place].0.clone()
    }

    /// Returns a route in which the targets are replaced by names, because targets can contain passwords.
    fn route(&mut self, route: &str) -> String {
        let parts = route.split_once('=').and_then(|(kind, rest)| {
            let (policy, targets) = rest.split_once(':')?;
            Some((format!("{kind}={policy}"), targets))
        });
        let Some((start, targets)) = parts else { return route.to_owned() };
        let names: Vec<String> = targets
            .split(',')
            .map(|url| self.target(&vec![("target".into(), vec![url.to_owned()])]))
            .collect();
        format!("{start}:{}", names.join(","))
    }

    /// Sets a varying load for the most recent run, in place of its number of virtual users and its duration.
    pub(super) fn change_load(&mut self, load: &str) {
        if let Some((_, flags)) = self.runs.last_mut() {
            flags.retain(|(key, _)| !matches!(key.as_str(), "sessions" | "duration"));
            flags.push(("load".into(), vec![load.to_owned()]));
        }
    }

    pub(super) fn build(&mut self, plan: &BuildPlan) {
        let target = self.target(&plan.flags);
        let sets = plan.flags.iter().filter(|(key, _)| key == "set").flat_map(|(_, values)| values);
        let sets: Vec<String> = sets.map(|set| format!(" --set {set}")).collect();
        let (workload, size) = (workload(&plan.flags), size(&plan.flags));
        self.commands.push(format!("tacho prepare {workload} {target}{size}{}", sets.concat()));
    }

    pub(super) fn data(&mut self, verb: &str, flags: &Flags) {
        let target = self.target(flags);
        self.commands.push(match verb {
            "check" => {
                format!("tacho check {} {target}{}", workload(flags), option(flags, "profile"))
            }
            _ => format!("tacho clean {} {target} --yes", workload(flags)),
        });
    }

    pub(super) fn files(&mut self, flags: &Flags, folder: &std::path::Path) {
        let scheme = of(flags, "target").unwrap_or_default();
        let scheme = scheme.split(':').next().unwrap_or_default();
        self.commands.push(format!(
            "tacho generate {} {scheme}:{} --to {} --format tbl",
            workload(flags),
            size(flags),
            folder.display()
        ));
    }

    pub(super) fn run(&mut self, plan: &RunPlan) {
        let mut flags = plan.flags.clone();
        for (_, routes) in flags.iter_mut().filter(|(key, _)| key == "route") {
            for route in routes {
                *route = self.route(route);
            }
        }
        if plan.routines {
            flags.push(("form".into(), vec!["procedures".into()]));
        }
        self.any_run(flags, plan.users, &plan.notes);
    }

    pub(super) fn streams(&mut self, plan: &StreamsPlan) {
        self.any_run(plan.flags.clone(), plan.users, &plan.notes);
    }

    /// Records an action that could not be translated.
    pub(super) fn leave_out(&mut self, what: &str) {
        if !self.notes.iter().any(|note| note == what) {
            self.notes.push(what.to_owned());
        }
    }

    fn any_run(&mut self, mut flags: Flags, users: u32, notes: &[String]) {
        let target = self.target(&flags);
        flags.retain(|(key, _)| key != "target" && key != "interval");
        flags.push(("target".into(), vec![target]));
        for note in notes {
            self.leave_out(note);
        }
        let known = self.runs.iter().position(|(_, known)| *known == flags);
        let place = known.unwrap_or_else(|| {
            let name = format!("vu{users}-{}", self.runs.len() + 1);
            self.runs.push((name, flags));
            self.runs.len() - 1
        });
        self.commands.push(format!("tacho run {}", self.runs[place].0));
    }

    fn text(&self) -> String {
        let mut lines = vec!["# tacho.toml".to_owned()];
        lines.extend(self.targets.iter().map(|(name, url)| {
            format!("\n[targets.{name}]\nurl = {}", toml(&without_secrets(url)))
        }));
        for (name, flags) in &self.runs {
            lines.push(format!("\n[run.{name}]"));
            let mut merged: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
            for (key, values) in flags {
                merged.entry(key).or_default().extend(values);
            }
            for (key, values) in merged {
                lines.push(if matches!(key, "set" | "route") {
                    let all: Vec<String> = values.iter().map(|value| toml(value)).collect();
                    format!("{key} = [{}]", all.join(", "))
                } else {
                    let value = values.first().map_or("", |value| value.as_str());
                    format!("{key} = {}", toml(value))
                });
            }
        }
        lines.push("\n# Commands, in the order of the script".into());
        lines.extend(self.commands.iter().map(|command| format!("#   {command}")));
        let variables: Vec<String> = self.targets.iter().map(|(_, url)| password(url)).collect();
        for (place, variable) in variables.iter().enumerate() {
            if !variables[..place].contains(variable) {
                lines.push(format!("# {variable}"));
            }
        }
        lines.extend(self.notes.iter().map(|note| format!("# Note: {note}")));
        lines.join("\n")
    }
}

fn of(flags: &Flags, key: &str) -> Option<String> {
    flags.iter().find(|(known, _)| known == key)?.1.first().cloned()
}

/// Formats a setting as a command line option.
fn option(flags: &Flags, key: &str) -> String {
    of(flags, key).map(|value| format!(" --{key} {value}")).unwrap_or_default()
}

/// Formats the options for the data size and the number of loaders.
fn size(flags: &Flags) -> String {
    ["scale", "profile", "sessions"].map(|key| option(flags, key)).concat()
}

fn workload(flags: &Flags) -> String {
    of(flags, "workload").unwrap_or_default()
}

/// Explains where to put the password, which must not be in a settings file.
fn password(url: &str) -> String {
    let scheme = url.split(':').next().unwrap_or_default();
    let places = Database::of_scheme(scheme).map_or("", |database| database.passwords);
    format!("Passwords are left out: use {places}")
}

fn without_secrets(url: &str) -> String {
    let (place, options) = url.split_once('?').unwrap_or((url, ""));
    let kept: Vec<&str> = options.split('&').filter(|pair| !pair.contains("password=")).collect();
    format!("{place}?{}", kept.join("&"))
}

fn toml(text: &str) -> String {
    // The syntax of a JSON string is also valid for a TOML basic string.
    serde_json::Value::from(text).to_string()
}

impl Console {
    /// Switches to recording. From now on, commands are only recorded and have no effect.
    pub fn only_plan(&mut self) {
        self.plan = Some(Plan::default());
    }

    /// Returns the recorded actions as a settings file, with the commands as comments.
    pub fn planned(&self) -> String {
        self.plan.as_ref().map(Plan::text).unwrap_or_default()
    }
}
