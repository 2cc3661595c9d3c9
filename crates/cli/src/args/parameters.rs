//! Workload parameters as flags: `--table-size 100000` is `--set table_size=100000`. The scale's unit is a flag too, so
//! `--warehouses 10` means `--scale 10`.
//!
//! If Tacho itself has a flag with the name of a parameter, the flag keeps Tacho's meaning.
//!
//! Start reading at [`as_settings`].

use std::ffi::OsString;

use clap::Command;
use tacho_core::ParameterKind;
use tacho_workload::Workload;

/// Converts flags that are workload parameters to settings.
pub(crate) fn as_settings(arguments: Vec<OsString>, tree: &Command) -> Vec<OsString> {
    let named = |word: &OsString| tree.find_subcommand(word);
    let Some(at) = arguments.iter().position(|word| named(word).is_some()) else {
        return arguments;
    };
    let Some(command) =
        named(&arguments[at]).filter(|command| has(command, "set") && has(command, "scale"))
    else {
        return arguments;
    };
    let workloads = tacho_registry::workloads();
    let of = |word: &OsString| {
        let word = word.to_str()?;
        let name = word.strip_prefix("--workload=").unwrap_or(word);
        workloads.iter().find(|workload| name == workload.manifest().id)
    };
    let Some(workload) = arguments[at + 1..].iter().find_map(of) else { return arguments };
    let known = |flag: &str| flag == "help" || has(command, flag) || has(tree, flag);
    let mut all = Vec::with_capacity(arguments.len());
    let mut words = arguments.into_iter().peekable();
    while let Some(word) = words.next() {
        if word == "--" {
            all.push(word);
            all.extend(words);
            return all;
        }
        let text = word.to_str().and_then(|text| text.strip_prefix("--"));
        let (flag, given) = match text.map(|text| text.split_once('=').unwrap_or((text, ""))) {
            Some((flag, _)) if known(flag) => {
                all.push(word);
                continue;
            }
            Some((flag, value)) => (flag, text.filter(|text| text.contains('=')).map(|_| value)),
            None => {
                all.push(word);
                continue;
            }
        };
        let Some(meaning) = meaning(flag, &**workload) else {
            all.push(word);
            continue;
        };
        let next = words.peek().and_then(|next| next.to_str()).map(str::to_owned);
        let written = match (given, next, meaning.is_switch) {
            (Some(value), ..) => value.to_owned(),
            (None, Some(next), true) if switched(&next).is_none() => "true".to_owned(),
            (None, None, true) => "true".to_owned(),
            (None, Some(next), _) if !next.starts_with("--") => {
                words.next();
                next
            }
            // The parser reports the error.
            _ => {
                all.push(word);
                continue;
            }
        };
        let value = switched(&written).filter(|_| meaning.is_switch).map_or(written, str::to_owned);
        all.extend(meaning.words(&value).map(OsString::from));
    }
    all
}

fn has(command: &Command, flag: &str) -> bool {
    command.get_arguments().any(|argument| argument.get_long() == Some(flag))
}

/// The meaning of a flag, which depends on the workload.
struct Meaning {
    /// Key of the parameter.
    key: Option<&'static str>,
    is_switch: bool,
    /// True if the flag is the name of the scale's unit. A numeric value then sets the scale, even if the workload
    /// has a parameter with this name.
    is_unit: bool,
}

impl Meaning {
    fn words(&self, value: &str) -> [String; 2] {
        let is_number = value.starts_with(|c: char| c.is_ascii_digit());
        match self.key {
            Some(key) if !(self.is_unit && is_number) => ["--set".into(), format!("{key}={value}")],
            _ => ["--scale".into(), value.to_owned()],
        }
    }
}

fn meaning(flag: &str, workload: &dyn Workload) -> Option<Meaning> {
    let key = flag.replace('-', "_");
    let parameter = workload.parameters().iter().find(|parameter| parameter.key == key);
    let is_unit = key == format!("{}s", workload.manifest().scale_unit.replace(' ', "_"));
    let is_switch = parameter.is_some_and(|parameter| parameter.kind == ParameterKind::Switch);
    (parameter.is_some() || is_unit).then_some(Meaning {
        key: parameter.map(|parameter| parameter.key),
        is_switch,
        is_unit,
    })
}

/// Parses a boolean value in the notation of other tools.
fn switched(text: &str) -> Option<&'static str> {
    match text {
        "on" | "true" => Some("true"),
        "off" | "false" => Some("false"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(line: &str) -> String {
        let words = line.split_whitespace().map(OsString::from).collect();
        let all = as_settings(words, &crate::args::command());
        let all: Vec<_> = all.iter().map(|word| word.to_string_lossy()).collect();
        all.join(" ")
    }

    #[test]
    fn parameters_are_flags_of_their_workload() {
        let table = [
            (
                "tacho run oltp sqlite:a --tables=8 --table-size 100000 --skip_trx=on -c 4",
                "tacho run oltp sqlite:a --scale 8 --set table_size=100000 --set skip_trx=true -c 4",
            ),
            (
                "tacho run oltp sqlite:a --skip-trx -c 4",
                "tacho run oltp sqlite:a --set skip_trx=true -c 4",
            ),
            (
                "tacho prepare tprocc sqlite:a --warehouses 2",
                "tacho prepare tprocc sqlite:a --scale 2",
            ),
            (
                "tacho run --workload=oltp --target sqlite:a --tables 8",
                "tacho run --workload=oltp --target sqlite:a --scale 8",
            ),
            (
                "tacho run tprocc sqlite:a --warehouses=all",
                "tacho run tprocc sqlite:a --set warehouses=all",
            ),
            // A flag is left unchanged in three cases: there is no workload, the workload has no such parameter, or
            // Tacho itself has a flag with this name.
            ("tacho run tpcb sqlite:a --table-size 5", "tacho run tpcb sqlite:a --table-size 5"),
            ("tacho run sqlite:a --tables 5", "tacho run sqlite:a --tables 5"),
            ("tacho run oltp sqlite:a --threads 5", "tacho run oltp sqlite:a --threads 5"),
            ("tacho run oltp sqlite:a --duration 5s", "tacho run oltp sqlite:a --duration 5s"),
            ("tacho compare a b --tables 5", "tacho compare a b --tables 5"),
            ("tacho run oltp sqlite:a --tables", "tacho run oltp sqlite:a --tables"),
        ];
        for (line, expected) in table {
            assert_eq!(written(line), expected);
        }
    }
}
