//! `tacho.toml` by five questions, each with an answer that the return key takes.

use tacho_app::Exit;
use tacho_core::units::parse_duration;
use tacho_core::{Error, Result, masked_target};

use super::super::{clean, config};
use super::write;
use crate::printer::Printer;
use crate::world::World;

const FILE: &str = "tacho.toml";

struct Question {
    text: &'static str,
    default: fn() -> &'static str,
    check: fn(&str) -> Result<()>,
}

const QUESTIONS: [Question; 5] = [
    Question {
        text: "Which database? A URL; tacho list drivers shows examples",
        default: || tacho_registry::TARGET_EXAMPLE,
        check: check_target,
    },
    Question {
        text: "Which workload? tacho list workloads explains them",
        default: || tacho_registry::workloads()[0].manifest().id,
        check: |answer| tacho_registry::workload(answer).map(drop),
    },
    Question {
        text: "How large? Its scale, such as a number of warehouses",
        default: || "1",
        check: check_count,
    },
    Question { text: "How many sessions at the same time?", default: || "4", check: check_count },
    Question {
        text: "How long is a measurement?",
        default: || "1m",
        check: |answer| parse_duration(answer).map(drop),
    },
];

pub(super) fn call(world: &World, printer: &Printer) -> Result<Exit> {
    let path = world.folder.join(FILE);
    if path.exists() {
        return Err(Error::usage(format!("{FILE} already exists"))
            .hint("tacho config show --origin prints its settings; change it with an editor"));
    }
    if !world.terminal_in {
        return Err(Error::usage("standard input is not a terminal: cannot ask")
            .hint("write tacho.toml by hand, or begin without one: tacho run")
            .hint("tacho init workload NAME asks nothing"));
    }
    let mut answers = Vec::new();
    for question in &QUESTIONS {
        answers.push(ask(question, world, printer)?);
    }
    let [target, workload, scale, sessions, duration] = &answers[..] else {
        return Ok(Exit::Internal);
    };
    let text = file([target, workload, scale, sessions, duration]);
    write(&path, &text)?;
    printer.answer(&format!(
        "✓ Wrote {FILE}\nNext   tacho doctor mine\n       tacho prepare {workload} mine --scale {scale}\n       \
         tacho run first"
    ))?;
    Ok(Exit::Success)
}

/// Asks until the answer is one.
fn ask(question: &Question, world: &World, printer: &Printer) -> Result<String> {
    let default = (question.default)();
    loop {
        printer.tell(&format!("{} [{default}]", question.text));
        let line = clean::answer(world)?;
        if line.is_empty() {
            return Err(Error::usage("the input has ended before the last answer")
                .hint("nothing was written; tacho init asks again"));
        }
        let answer = line.trim();
        let answer = if answer.is_empty() { default } else { answer };
        match (question.check)(answer) {
            Ok(()) => return Ok(answer.to_owned()),
            Err(error) => printer.error(&error),
        }
    }
}

fn check_target(url: &str) -> Result<()> {
    if masked_target(url) != url {
        return Err(Error::usage("a password is not written into a file").hint(
            "write the URL without it, and give it by the driver's variable or password file: \
                   tacho describe DRIVER",
        ));
    }
    config::check_target(url, &[])
}

fn check_count(answer: &str) -> Result<()> {
    match answer.parse::<u32>() {
        Ok(1..) => Ok(()),
        _ => Err(Error::usage(format!("{answer} is not a number from 1 on")).hint("such as 4")),
    }
}

fn file([target, workload, scale, sessions, duration]: [&str; 5]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    format!(
        "# Settings of Tacho: tacho config show --origin prints all of them, tacho config check checks this file.\n\n\
         [targets.mine]                  # a name for a database\n\
         url = {}\n\n\
         [run.first]                     # tacho run first\n\
         workload = {}\n\
         target = \"mine\"\n\
         scale = {scale}\n\
         sessions = {sessions}\n\
         ramp_up = \"10s\"\n\
         duration = {}\n\
         # threshold = [\"p99<50ms\", \"errors<0.1%\"]\n",
        quoted(target),
        quoted(workload),
        quoted(duration)
    )
}
