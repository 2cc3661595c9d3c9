//! `cargo xtask docs` regenerates parts of the reference pages from the program's output. `--check` only compares them.
//!
//! A generated part starts with `<!-- generated:NAME -->` and ends with `<!-- /generated -->`.
//!
//! Start reading at [`generate`].
#![expect(
    clippy::disallowed_methods,
    reason = "reads and writes documentation pages in the repository"
)]

mod help;
mod json_schema;
mod notices;

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use xtask::{Outcome, process};

use crate::test::programs;
use crate::tidy::Source;
use notices::{EXIT_CODES, NOTICES, Notice};

const FOLDER: &str = "docs/reference";
const BEGIN: &str = "<!-- generated:";
const END: &str = "<!-- /generated -->";

/// Regenerates the pages, or only compares them, with the output of a built program. Returns true
/// if all pages are up to date.
pub fn run(only_check: bool, tacho: Option<Tacho>) -> Outcome {
    let tacho = tacho.map_or_else(|| programs::tacho().map(Tacho), Ok)?;
    let mut all_current = true;
    for path in pages()? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("{FOLDER}/{name}");
        let old = fs::read_to_string(&path).map_err(|error| format!("read {name}: {error}"))?;
        let new = rewritten(&old, |name| generate(&tacho, name))
            .map_err(|error| format!("{name}: {error}"))?;
        if new == old {
            continue;
        }
        if only_check {
            all_current = false;
            println!("{name} is out of date; run cargo xtask docs");
        } else {
            fs::write(&path, new).map_err(|error| format!("write {name}: {error}"))?;
            println!("{name} rewritten");
        }
    }
    let absent = absent(&tacho)?;
    for text in &absent {
        println!("{text}");
    }
    Ok(all_current && absent.is_empty())
}

/// Returns the drivers and the workload parameters that no reference page explains.
fn absent(tacho: &Tacho) -> Result<Vec<String>, String> {
    let mut demands = Vec::new();
    for driver in list(&tacho.json(&["list", "drivers", "--output", "json"])?) {
        demands.push(format!("\n## {}\n", text(driver, "name")));
    }
    for workload in list(&tacho.json(&["list", "workloads", "--output", "json"])?) {
        let name = text(workload, "name");
        let described = tacho.json(&["describe", name, "--output", "json"])?;
        let keys = list(&described["parameters"]).iter().map(|parameter| text(parameter, "key"));
        demands.extend(keys.map(|key| format!("`{key}`")));
    }
    let mut reference = String::new();
    for page in pages()? {
        reference += &source(&page.display().to_string())?;
    }
    demands.retain(|words| !reference.contains(words));
    Ok(demands.iter().map(|demand| format!("{} is not in {FOLDER}", demand.trim())).collect())
}

fn pages() -> Result<Vec<PathBuf>, String> {
    let folder = process::root().join(FOLDER);
    let entries = fs::read_dir(folder).map_err(|error| format!("list {FOLDER}: {error}"))?;
    let mut pages: Vec<PathBuf> = entries.filter_map(Result::ok).map(|e| e.path()).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    Ok(pages)
}

/// Returns a page with all generated parts replaced.
fn rewritten(page: &str, make: impl Fn(&str) -> Result<String, String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (name, after) = after.split_once(" -->").ok_or("a marker is not closed")?;
        let (_, after) = after.split_once(END).ok_or(format!("the part {name} is not closed"))?;
        let text = make(name)?;
        let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
        out.extend([format!("{before}{BEGIN}{name} -->\n\n{}\n\n{END}", lines.join("\n"))]);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// Generates the part with this name, which may have an argument after a space.
fn generate(tacho: &Tacho, name: &str) -> Result<String, String> {
    let (word, argument) = name.split_once(' ').unwrap_or((name, ""));
    match word {
        "settings" => settings(tacho),
        "commands" => commands(tacho),
        "exit-codes" => Ok(exit_codes(&notices::exit_codes(&source(EXIT_CODES)?))),
        "notices" => Ok(notices(&notices::notices(&Source::read(&source(NOTICES)?)))),
        "schema" => Ok(json_schema::tables(&tacho.json(&["schema", argument])?)),
        "parameters" => Ok(parameters(&tacho.json(&["describe", argument, "--output", "json"])?)),
        "deviations" => deviations(tacho, argument),
        "functions" => Ok(functions(&tacho.json(&["schema", "workload"])?)),
        "workload" => Ok(described(&tacho.text(&["describe", argument])?, 0)),
        "driver" => driver(tacho, argument),
        _ => Err(format!("unknown part {name}")),
    }
}

fn source(path: &str) -> Result<String, String> {
    fs::read_to_string(process::root().join(path)).map_err(|error| format!("read {path}: {error}"))
}

/// The built program whose output is used to generate the pages.
pub struct Tacho(pub PathBuf);

impl Tacho {
    /// Returns the program's output. The settings of the user who runs this task have no effect on it.
    fn text(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = process::program(&self.0, arguments);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("TACHO_") {
                command.env_remove(name);
            }
        }
        let done = command.env_remove("COLUMNS").output();
        let done = done.map_err(|error| format!("cannot start tacho: {error}"))?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr);
            return Err(format!("tacho {} failed: {}", arguments.join(" "), said.trim()));
        }
        String::from_utf8(done.stdout).map_err(|error| {
            format!(
                "the output of tacho is not text: \
                                                                {error}"
            )
        })
    }

    fn json(&self, arguments: &[&str]) -> Result<Value, String> {
        serde_json::from_str(&self.text(arguments)?).map_err(|error| {
            format!("the output of tacho {} is not JSON: {error}", arguments.join(" "))
        })
    }
}

/// Returns a table of the functions available in expressions.
fn functions(schema: &Value) -> String {
    let functions = schema["x-functions"].as_array().into_iter().flatten();
    let rows = functions.map(|function| {
        let usage = format!("`{}`", text(function, "usage"));
        row(&[&usage, text(function, "about")])
    });
    format!("| Function | Result |\n|---|---|\n{}", rows.collect::<String>())
}

/// Commands that have settings.
const WITH_SETTINGS: [&str; 7] =
    ["run", "sweep", "prepare", "check", "clean", "generate", "doctor"];

/// Returns a table for each group of settings, in the order of the help output.
fn settings(tacho: &Tacho) -> Result<String, String> {
    let known = tacho.json(&["config", "show", "--output", "json"])?;
    let mut helps = Vec::new();
    for command in WITH_SETTINGS {
        helps.push((command, help::read(&tacho.text(&[command, "--help"])?)));
    }
    let mut out = String::new();
    let mut group = "";
    let mut shown = 0;
    for entry in helps[0].1.entries.iter().filter(|entry| known.get(entry.setting()).is_some()) {
        if entry.group != group {
            group = &entry.group;
            out.extend([format!("\n### {group}\n\n")]);
            out.push_str("| Key | Flag | Default | For | Meaning |\n|---|---|---|---|---|\n");
        }
        let has =
            |help: &help::Help| help.entries.iter().any(|other| other.setting() == entry.setting());
        let commands: Vec<String> = helps
            .iter()
            .filter(|(_, help)| has(help))
            .map(|(command, _)| format!("`{command}`"))
            .collect();
        let (meaning, default) = entry.meaning();
        let default = if default.is_empty() { "–".into() } else { default };
        out.push_str(&row(&[
            &format!("`{}`", entry.setting()),
            &format!("`{}`", entry.term),
            &default,
            &commands.join(" "),
            &meaning,
        ]));
        shown += 1;
    }
    match known.as_object().map_or(0, serde_json::Map::len) {
        all if all == shown => Ok(out),
        all => {
            Err(format!("the output of tacho run --help contains only {shown} of {all} settings"))
        }
    }
}

/// Options that all commands have in common.
const COMMON: [&str; 4] = ["--dir", "--config", "--allow", "--help"];

/// Returns a section for each command, with the arguments and options that not every command has.
fn commands(tacho: &Tacho) -> Result<String, String> {
    let known = tacho.json(&["config", "show", "--output", "json"])?;
    let mut out = String::new();
    let mut open = vec![Vec::<String>::new()];
    while let Some(path) = open.pop() {
        let mut words: Vec<&str> = path.iter().map(String::as_str).collect();
        words.push("--help");
        let help = help::read(&tacho.text(&words)?);
        if !path.is_empty() {
            out.push_str(&command(&path, &help, &known));
        }
        let below = help.entries.iter().filter(|entry| entry.is_command());
        let below = below.filter(|entry| entry.term != "help");
        let paths: Vec<_> = below.map(|e| [path.clone(), vec![e.term.clone()]].concat()).collect();
        open.extend(paths.into_iter().rev());
    }
    Ok(out)
}

fn command(path: &[String], help: &help::Help, known: &Value) -> String {
    let mut out = format!("\n## tacho {}\n\n{}.\n\n", path.join(" "), help.about);
    out.extend([format!("    {}\n", help.usage)]);
    let is_setting = |entry: &help::Entry| known.get(entry.setting()).is_some();
    let is_common =
        |entry: &help::Entry| entry.term.split_whitespace().any(|word| COMMON.contains(&word));
    let entries = help.entries.iter().filter(|entry| {
        let listed = ["Arguments", "Options"].contains(&entry.group.as_str());
        listed && !is_setting(entry) && !is_common(entry)
    });
    let rows: String =
        entries.map(|entry| row(&[&format!("`{}`", entry.term), &entry.help])).collect();
    if !rows.is_empty() {
        out.extend([format!("\n| Argument or option | Meaning |\n|---|---|\n{rows}")]);
    }
    if help.entries.iter().any(is_setting) {
        out.push_str("\nAnd the [settings](settings.md) of this command.\n");
    }
    out
}

fn exit_codes(codes: &[(u8, String)]) -> String {
    let rows = codes.iter().map(|(code, meaning)| row(&[&code.to_string(), meaning]));
    format!("| Code | Meaning |\n|--:|---|\n{}", rows.collect::<String>())
}

fn notices(notices: &[Notice]) -> String {
    let mut sorted: Vec<&Notice> = notices.iter().collect();
    sorted.sort_by(|a, b| a.id.cmp(&b.id));
    let rows = sorted.into_iter().map(|Notice { id, name, hint, .. }| {
        let link = format!("[{id}](#{}-{name})", id.to_lowercase());
        row(&[&link, name, if id.starts_with('V') { "INVALID" } else { "warning" }, hint])
    });
    format!(
        "| Id | Name | Effect | Hint as printed |\n|---|---|---|---|\n{}",
        rows.collect::<String>()
    )
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Returns tables of a workload's profiles and of its parameters, without the deviations.
fn parameters(workload: &Value) -> String {
    let mut out = String::from("| Profile | What it is |\n|---|---|\n");
    for profile in list(&workload["profiles"]) {
        out.push_str(&row(&[&format!("`{}`", text(profile, "id")), text(profile, "about")]));
    }
    out.push_str("\n| Parameter | Default | Allowed | Meaning |\n|---|---|---|---|\n");
    let free = list(&workload["parameters"]).iter().filter(|p| p["deviates_from"].is_null());
    for parameter in free {
        let (key, default) = (text(parameter, "key"), text(parameter, "default"));
        let cells = [&format!("`{key}`"), &format!("`{default}`"), text(parameter, "allowed")];
        out.push_str(&row(&[cells[0], cells[1], cells[2], text(parameter, "help")]));
    }
    out
}

/// Returns a table of the deviations, with their values in each profile.
fn deviations(tacho: &Tacho, workload: &str) -> Result<String, String> {
    let described = tacho.json(&["describe", workload, "--output", "json"])?;
    let values = tacho.text(&["describe", workload])?;
    let profiles = list(&described["profiles"]);
    let names: Vec<String> = profiles.iter().map(|p| format!("`{}`", text(p, "id"))).collect();
    let mut out = format!(
        "| Switch | {} | Shapes the data | Meaning | The standard says |\n",
        names.join(" | ")
    );
    out.extend([format!("|---|{}---|---|---|\n", "---|".repeat(names.len()))]);
    for parameter in list(&described["parameters"]).iter().filter(|p| !p["deviates_from"].is_null())
    {
        let key = text(parameter, "key");
        // The JSON output contains only the default value, so take the values in each profile from
        // the text, as in `key  spec=… hammerdb=…`.
        let line = values.lines().find(|line| line.split_whitespace().next() == Some(key));
        let line =
            line.ok_or(format!("the output of tacho describe {workload} does not mention {key}"))?;
        let value = |profile: &Value| {
            let mark = format!("{}=", text(profile, "id"));
            line.split_whitespace().find_map(|word| word.strip_prefix(&mark)).unwrap_or("–")
        };
        let mut cells = vec![format!("`{key}`")];
        cells.extend(profiles.iter().map(|profile| format!("`{}`", value(profile))));
        cells.push(if parameter["shapes_data"] == true { "yes".into() } else { String::new() });
        cells.push(text(parameter, "help").into());
        cells.push(text(parameter, "deviates_from").into());
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        out.push_str(&row(&cells));
    }
    Ok(out)
}

/// Returns a driver's description, with its headings one level deeper, and a table of its capabilities.
fn driver(tacho: &Tacho, id: &str) -> Result<String, String> {
    let facts = tacho.json(&["describe", id, "--output", "json"])?;
    let page = described(&tacho.text(&["describe", id])?, 1);
    let mut out = format!("## {id}\n\n- Tested with: {}", text(&facts, "tested"));
    let abilities = facts["capabilities"].as_object().into_iter().flatten();
    let able: Vec<String> = abilities
        .filter(|(_, can)| **can == true)
        .map(|(name, _)| name.replace('_', " "))
        .collect();
    if !able.is_empty() {
        out.extend([format!("\n- Capabilities: {}", able.join(", "))]);
    }
    Ok(format!("{out}\n\n{}", page.trim()))
}

/// Extracts the page from the output of `describe`, without its title. Moves its headings down by `deeper` levels.
fn described(printed: &str, deeper: usize) -> String {
    let mut out = String::new();
    for line in printed.lines().skip_while(|line| !line.starts_with("# ")).skip(1) {
        if line.starts_with('#') {
            out.push_str(&"#".repeat(deeper));
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a row of a table.
fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_generated_parts_change() {
        let page = "# A\n\n<!-- generated:x y -->\nold\n<!-- /generated -->\n\nown\n";
        let make = |name: &str| Ok(format!("\nnew {name}  \n\n"));
        let new = rewritten(page, make).unwrap_or_default();
        assert_eq!(new, "# A\n\n<!-- generated:x y -->\n\nnew x y\n\n<!-- /generated -->\n\nown\n");
        assert_eq!(rewritten(&new, make).unwrap_or_default(), new);
    }

    #[test]
    fn broken_marks_and_unknown_parts_are_errors() {
        let make = |_: &str| Ok(String::new());
        assert!(rewritten("<!-- generated:x", make).is_err());
        assert!(rewritten("<!-- generated:x -->\n", make).is_err());
        assert!(generate(&Tacho(PathBuf::new()), "weather").is_err());
    }

    #[test]
    fn a_description_loses_its_title_and_sinks() {
        let printed = "x  The X\nTested\n\n# x\n\nText\n\n## Target\n";
        assert_eq!(described(printed, 1), "\nText\n\n### Target\n");
    }

    #[test]
    fn bars_in_cells_are_escaped() {
        assert_eq!(row(&["a|b", "c"]), "| a\\|b | c |\n");
    }
}
