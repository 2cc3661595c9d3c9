//! Writes `tacho.toml` after asking five questions. Pressing Enter accepts a question's default answer.

use tacho_app::Exit;
use tacho_core::units::parse_duration;
use tacho_core::{Error, Result, masked_target};
use tacho_report::{Block, Table};

use super::super::found::{FoundServer, running};
use super::super::{clean, config};
use super::write;
use crate::printer::Printer;
use crate::world::World;

const FILE: &str = "tacho.toml";
const HEAD: &str = "# Settings of Tacho: tacho config show --origin prints all of them, tacho config check checks this file.\n\n";

struct Question {
    text: &'static str,
    default: fn(&[FoundServer]) -> &str,
    check: fn(&str, &[FoundServer]) -> Result<()>,
}

const QUESTIONS: [Question; 5] = [
    Question {
        text: "Which database? Enter a URL; tacho list drivers shows examples",
        default: |found| {
            found.first().map_or(tacho_registry::TARGET_EXAMPLE, |database| &database.target)
        },
        check: check_target,
    },
    Question {
        text: "Which workload? tacho list workloads describes them",
        default: |_| tacho_registry::workloads()[0].manifest().id,
        check: |answer, _| tacho_registry::workload(answer).map(drop),
    },
    Question {
        text: "How large? Enter the scale, such as the number of warehouses",
        default: |_| "1",
        check: check_count,
    },
    Question { text: "How many parallel sessions?", default: |_| "4", check: check_count },
    Question {
        text: "How long should a measurement take?",
        default: |_| "1m",
        check: |answer, _| parse_duration(answer).map(drop),
    },
];

pub(super) fn call(world: &World, printer: &Printer) -> Result<Exit> {
    let path = world.folder.join(FILE);
    if path.exists() {
        return Err(Error::usage(format!("{FILE} already exists")).hint(
            "to print its settings, use tacho config show --origin; to change them, edit \
                   the file",
        ));
    }
    if !world.terminal_in {
        return Err(Error::usage("cannot ask questions: standard input is not a terminal")
            .hint("write tacho.toml manually, or start without one: tacho run")
            .hint("or use tacho init workload NAME, which does not ask any questions"));
    }
    let found = running(world);
    for server in &found {
        printer.tell(&format!("Found {}: {}", server.what, server.target));
    }
    let mut answers = Vec::new();
    for question in &QUESTIONS {
        answers.push(ask(question, &found, world, printer)?);
    }
    let [target, workload, scale, sessions, duration] = &answers[..] else {
        return Ok(Exit::Internal);
    };
    // Use a private server's name as the target. Its URL contains a password, which must not be written to this file.
    let private = found.iter().any(|server| server.is_private && server.target == *target);
    let name = if private { target } else { "mine" };
    let targets = if private { String::new() } else { targets(target) };
    write(
        &path,
        &(HEAD.to_owned() + &targets + &run([name, workload, scale, sessions, duration])),
    )?;
    let next = [
        format!("tacho doctor {name}"),
        format!("tacho prepare {workload} {name} --scale {scale}"),
        "tacho run first".to_owned(),
    ];
    printer.page([Block::table(format!("✓ Wrote {FILE}"), Table::labelled("Next", 6, next))])?;
    Ok(Exit::Success)
}

/// Asks a question repeatedly until the answer is valid.
fn ask(
    question: &Question,
    found: &[FoundServer],
    world: &World,
    printer: &Printer,
) -> Result<String> {
    let default = (question.default)(found);
    loop {
        printer.tell(&format!("{} [{default}]", question.text));
        let line = clean::answer(world)?;
        if line.is_empty() {
            return Err(Error::usage("the input ended before the last answer")
                .hint("nothing was written; to start again, use tacho init"));
        }
        let answer = line.trim();
        let answer = if answer.is_empty() { default } else { answer };
        match (question.check)(answer, found) {
            Ok(()) => return Ok(answer.to_owned()),
            Err(error) => printer.error(&error),
        }
    }
}

fn check_target(url: &str, found: &[FoundServer]) -> Result<()> {
    if found.iter().any(|server| server.target == url) {
        return Ok(());
    }
    if masked_target(url) != url {
        return Err(Error::usage("passwords are not written to the file").hint(
            "enter the URL without the password, and use the driver's variable or password file: \
             tacho describe DRIVER",
        ));
    }
    if let Ok(driver) = tacho_registry::driver(url)
        && driver.capabilities().stores_data
    {
        let manifest = driver.manifest();
        return Err(Error::usage(format!("{url} is a driver, not a database")).hint(format!(
            "enter a URL; tacho describe {} shows how to address a {} database",
            manifest.id, manifest.title
        )));
    }
    config::check_target(url, &[])
}

fn check_count(answer: &str, _: &[FoundServer]) -> Result<()> {
    match answer.parse::<u32>() {
        Ok(1..) => Ok(()),
        _ => Err(Error::usage(format!("invalid number {answer} (minimum 1)")).hint("such as 4")),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn targets(url: &str) -> String {
    format!("[targets.mine]                  # a name for a database\nurl = {}\n\n", quoted(url))
}

fn run([target, workload, scale, sessions, duration]: [&str; 5]) -> String {
    format!(
        "[run.first]                     # tacho run first\n\
         workload = {}\n\
         target = {}\n\
         scale = {scale}\n\
         sessions = {sessions}\n\
         ramp_up = \"10s\"\n\
         duration = {}\n\
         # threshold = [\"p99<50ms\", \"errors<0.1%\"]\n",
        quoted(workload),
        quoted(target),
        quoted(duration)
    )
}
