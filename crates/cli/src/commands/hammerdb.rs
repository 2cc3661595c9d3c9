//! The `tacho hammerdb` command.

use std::path::Path;
use std::time::Duration;

use clap::ArgMatches;
use tacho_app::Exit;
use tacho_core::units::parse_duration;
use tacho_core::{Error, Result};
use tacho_hammerdb::{Ending, Language, Library, Setup, Source};

use super::text;
use crate::world::World;
use tacho_web::AGENT_TOKEN_VARIABLE;

pub(super) fn call(matches: &ArgMatches, world: &World) -> Result<Exit> {
    let words: Vec<String> = matches.get_many("words").into_iter().flatten().cloned().collect();
    let (language, script) = asked(&words)?;
    let source = match script {
        Some((script, arguments)) => Source::Script(world.folder.join(script), arguments.to_vec()),
        None => Source::Typed(world.terminal_in),
    };
    let setup = setup(matches, world)?;
    match tacho_hammerdb::run(setup, &library(world), language, &source)? {
        Ending::Exit(exit) => Ok(exit),
        Ending::Code(code) => end(code),
    }
}

/// Returns the settings of a HammerDB console, which come from the arguments and the environment.
pub(super) fn setup(matches: &ArgMatches, world: &World) -> Result<Setup> {
    let minute = world.variable("TACHO_HAMMERDB_MINUTE").map(parse_duration).transpose()?;
    let gigabyte = world.variable("TACHO_HAMMERDB_GIGABYTE").map(gigabyte).transpose()?;
    let mut context = world.context(text(matches, "dir"));
    let named = text(matches, "dir").or_else(|| world.variable("TACHO_DIR")).is_some();
    // Like HammerDB, store jobs in the temporary folder, so that scripts find them in any working directory.
    if !named && !can_be_written(&context.folder) {
        context.folder = world.temp.join(context.folder.file_name().unwrap_or_default());
    }
    Ok(Setup {
        context,
        temp: world.temp.clone(),
        tcl: library(world),
        minute: minute.unwrap_or(Duration::from_mins(1)),
        gigabyte: gigabyte.unwrap_or(1.0),
        agent_token: world.variable(AGENT_TOKEN_VARIABLE).map(str::to_owned),
    })
}

/// Returns true if files can be created in a folder, which need not exist yet. Leaves the folder unchanged.
#[expect(clippy::disallowed_methods, reason = "probes the folder before anything is written")]
fn can_be_written(folder: &Path) -> bool {
    let made = std::fs::create_dir(folder).is_ok();
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    let writable = std::fs::write(&probe, "").and_then(|()| std::fs::remove_file(&probe)).is_ok();
    if made {
        // Errors are ignored. The folder cannot be removed if another process has already created files in it, and it
        // must not be removed in this case.
        let _ = std::fs::remove_dir(folder);
    }
    writable
}

fn gigabyte(text: &str) -> Result<f64> {
    let number = text.parse::<f64>().ok().filter(|number| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| {
        Error::usage(format!("invalid value for TACHO_HAMMERDB_GIGABYTE: \"{text}\"")).hint(
            "specify the number of gigabytes that a scale factor of 1 represents, such as 0.01",
        )
    })
}

/// Returns the Tcl library to load.
pub(super) fn library(world: &World) -> Library {
    world.variable("TACHO_HAMMERDB_TCL").map_or(Library::System, |path| Library::File(path.into()))
}

/// A script and its arguments.
type Script<'a> = (&'a str, &'a [String]);

/// Parses the language and the script from `[tcl|python|py] [auto] [SCRIPT [ARGUMENT...]]`.
fn asked(mut words: &[String]) -> Result<(Language, Option<Script<'_>>)> {
    let named = match words.first().map(String::as_str) {
        Some("tcl") => Some(Language::Tcl),
        Some("python" | "py") => Some(Language::Python),
        _ => None,
    };
    if named.is_some() {
        words = &words[1..];
    }
    if words.first().is_some_and(|word| word == "auto") {
        words = &words[1..];
        if words.is_empty() {
            return Err(usage("auto requires a script"));
        }
    }
    let script = words.split_first().map(|(script, arguments)| (script.as_str(), arguments));
    let is_python =
        script.is_some_and(|(script, _)| Path::new(script).extension().is_some_and(|e| e == "py"));
    let language = match (named, is_python) {
        (Some(Language::Tcl), true) => return Err(usage("a Python script cannot be run as Tcl")),
        (Some(Language::Python), false) if script.is_some() => {
            return Err(usage("a Python script must have the extension .py"));
        }
        (Some(language), _) => language,
        (None, true) => Language::Python,
        (None, false) => Language::Tcl,
    };
    Ok((language, script))
}

fn usage(what: &str) -> Error {
    Error::usage(what).hint("use tacho hammerdb [tcl|python|py] [auto] [SCRIPT [ARGUMENT...]]")
}

/// Ends the process with a script's exit code, which may be a number that Tacho does not use.
#[expect(clippy::exit, reason = "a front end is allowed to exit the process")]
fn end(code: u8) -> ! {
    std::process::exit(i32::from(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_and_script_are_found() {
        type Asked = (Language, Option<(&'static str, usize)>);
        let table: &[(&str, Option<Asked>)] = &[
            ("", Some((Language::Tcl, None))),
            ("py", Some((Language::Python, None))),
            ("auto a.tcl", Some((Language::Tcl, Some(("a.tcl", 0))))),
            ("tcl auto a.tcl", Some((Language::Tcl, Some(("a.tcl", 0))))),
            ("a.py", Some((Language::Python, Some(("a.py", 0))))),
            ("python auto a.py x", Some((Language::Python, Some(("a.py", 1))))),
            ("auto", None),
            ("tcl a.py", None),
            ("py a.tcl", None),
            ("a.tcl b.tcl auto", Some((Language::Tcl, Some(("a.tcl", 2))))),
        ];
        for (line, expected) in table {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let found = asked(&words).ok().map(|(language, script)| {
                (language, script.map(|(script, arguments)| (script, arguments.len())))
            });
            assert_eq!(found, *expected, "{line}");
        }
    }
}
