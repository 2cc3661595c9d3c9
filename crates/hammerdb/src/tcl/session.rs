//! A Tcl session that reads a file or interactive input.

use std::path::Path;

use tacho_app::Exit;
use tacho_core::file::SMALL_MAX;
use tacho_core::{Error, ErrorKind, Result};

use super::{Interpreter, Library, quoted};
use crate::interactive::{self, Input, Typed};
use crate::shell::{Host, Shell};
use crate::{Ending, Source};

/// Runs a session to its end.
pub fn run(shell: &Shell, library: &Library, source: &Source) -> Result<Ending> {
    let tcl = Interpreter::new(shell, library)?;
    tcl.line(&format!("Tacho {}, commands of HammerDB CLI v6.0", env!("CARGO_PKG_VERSION")));
    let outcome = match source {
        Source::Script(path, arguments) => {
            script(&tcl, shell, path, arguments)?;
            Ok(())
        }
        Source::Typed(terminal) => {
            tcl.line("Type \"help\" for a list of commands");
            typed(&tcl, shell, *terminal)
        }
    };
    shell.shut_down(&*tcl);
    let _ = tcl.evaluate("catch {flush stdout}; catch {flush stderr}");
    outcome?;
    Ok(Ending::Exit(shell.console.borrow().failure().unwrap_or(Exit::Success)))
}

fn script(tcl: &Interpreter<'_>, shell: &Shell, path: &Path, arguments: &[String]) -> Result<()> {
    let path = path.display().to_string();
    let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
    let (argv0, words, count) = (quoted(&path), words.join(" "), words.len());
    let variables = format!("set argv0 {argv0}; set argv [list {words}]; set argc {count}");
    let outcome = tcl.evaluate(&variables).and_then(|_| tcl.evaluate_file(&path));
    let _ = tcl.evaluate("catch {flush stdout}");
    outcome.map(drop).map_err(|stack| {
        if shell.is_interrupted() { stopped(&path) } else { failed(&path, &stack) }
    })
}

fn stopped(path: &str) -> Error {
    Error::new(ErrorKind::Cancelled, format!("{path} was stopped"))
        .hint("to list the saved measurements, use tacho runs list")
}

fn failed(path: &str, stack: &str) -> Error {
    Error::usage(stack.trim_end().to_owned()).during(format!("run {path}")).hint(
        "the lines above are Tcl's stack trace, innermost first; use catch to handle such errors",
    )
}

/// Evaluates interactive input and processes events. If the input is a pipe, an invalid command also sets the exit
/// code. Returns an error if a command is too long.
fn typed(tcl: &Interpreter<'_>, shell: &Shell, terminal: bool) -> Result<()> {
    let typed = Typed::start(terminal);
    let mut script = String::new();
    let complain = |stack: &str| {
        interactive::complain(stack);
        if !terminal {
            shell.console.borrow_mut().failed(Exit::Usage);
        }
    };
    loop {
        let continued = !script.is_empty();
        let input = typed.next(continued, || {
            tcl.serve();
            shell.deliver_all(tcl);
            !shell.is_interrupted()
        });
        match input {
            // The input ended in the middle of a command, for example within a brace.
            None => {
                if !shell.is_interrupted()
                    && let Err(stack) = tcl.evaluate(&script)
                {
                    complain(&stack);
                }
                return Ok(());
            }
            Some(Input::GivenUp) => {
                script.clear();
                continue;
            }
            Some(Input::TooLong) => return Err(too_long()),
            Some(Input::Line(line)) => script.push_str(&line),
        }
        if script.len() as u64 > SMALL_MAX {
            return Err(too_long());
        }
        script.push('\n');
        if !tcl.is_complete(&script) {
            continue;
        }
        match tcl.evaluate(&std::mem::take(&mut script)) {
            Ok(value) if value.is_empty() || shell.was_printed(&value) => {}
            Ok(value) => tcl.line(&value),
            Err(_) if shell.is_interrupted() => interactive::complain("stopped by the user"),
            Err(stack) => complain(&stack),
        }
        // On a terminal, Ctrl-C ends the work in progress and returns to the prompt.
        if shell.is_interrupted() && !(terminal && tcl.goes_on()) {
            return Ok(());
        }
    }
}

fn too_long() -> Error {
    Error::usage(format!("a command on standard input is larger than {} MiB", SMALL_MAX >> 20))
        .hint("to run a script, use tacho hammerdb auto SCRIPT")
}

/// Evaluates a script for translation. Its commands are recorded but not run.
pub fn translate(shell: &Shell, library: &Library, path: &Path) -> Result<()> {
    let tcl = Interpreter::new(shell, library)?;
    tcl.only_translate()?;
    let path = path.display().to_string();
    match tcl.evaluate_file(&path) {
        Ok(_) => Ok(()),
        Err(stack) if stack.starts_with("the script ends") => Ok(()),
        Err(stack) => Err(failed(&path, &stack)),
    }
}
