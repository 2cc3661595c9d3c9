//! `checkschema` and `deleteschema`.

use tacho_app::{Context, Exit, Silent, clean, plan_clean};
use tacho_core::Result;

use super::request::Flags;
use super::voice::{State, Voice};
use super::{Names, failed, job, words};
use crate::dictionary::Benchmark;

/// The tables of a schema, by the names they have everywhere.
fn wanted_tables(benchmark: Benchmark) -> &'static [&'static str] {
    match benchmark {
        Benchmark::TprocC => &[
            "warehouse",
            "district",
            "customer",
            "history",
            "orders",
            "new_order",
            "order_line",
            "stock",
            "item",
        ],
        Benchmark::TprocH => {
            &["orders", "partsupp", "customer", "part", "supplier", "nation", "region", "lineitem"]
        }
    }
}

pub(super) fn check(flags: &Flags, names: &Names, context: &Context, voice: &Voice) -> Exit {
    voice.is(1, State::Running);
    let database = &names.database;
    let benchmark = names.benchmark.name();
    voice.says(1, format!("Checking {database} {benchmark} schema"));
    let checked = try_check(flags, names, context, voice);
    let (state, exit) = match checked {
        Ok(failures) if failures.is_empty() => {
            let text = format!("{database} {benchmark} Schema has been checked successfully.");
            voice.says(1, text);
            (State::Success, Exit::Success)
        }
        Ok(failures) => {
            for failure in failures {
                let text = format!("{benchmark} Schema check failed {database} schema {failure}");
                voice.error(1, text);
            }
            (State::Failed, Exit::CheckFailed)
        }
        Err(error) => {
            let text = words(&error);
            voice.error(1, format!("{benchmark} Schema check failed {database} schema {text}"));
            (State::Failed, failed(Exit::of(&error)))
        }
    };
    voice.is(1, state);
    exit
}

/// What is wrong, in HammerDB's words where it has some.
fn try_check(
    flags: &Flags,
    names: &Names,
    context: &Context,
    voice: &Voice,
) -> Result<Vec<String>> {
    let job = job(flags.clone(), context)?;
    voice.says(1, "Check database");
    let found = plan_clean(&job, context)?.pop();
    let Some((marker, tables)) = found.and_then(|found| Some((found.marker?, found.tables))) else {
        return Ok(vec!["is empty".into()]);
    };
    voice.says(1, "Check tables and indices");
    let missing = wanted_tables(names.benchmark);
    let missing = missing.iter().find(|name| !tables.iter().any(|table| table == *name));
    if let Some(table) = missing {
        return Ok(vec![format!("is missing table {table}")]);
    }
    let (loaded, wanted) = (tacho_app::scale_text(&marker), &names.size);
    if loaded != *wanted {
        return Ok(vec![other_size(names.benchmark, &loaded, wanted)]);
    }
    if names.benchmark == Benchmark::TprocC {
        voice.says(1, if names.prefix == "pg" { "Check routines" } else { "Check procedures" });
    }
    let report = tacho_app::check(&job, context, &mut Silent)?;
    let mut failures = Vec::new();
    for (number, check) in (1..).zip(&report.checks) {
        voice.says(
            1,
            match names.benchmark {
                Benchmark::TprocC => format!("Check consistency {number}"),
                Benchmark::TprocH => format!("Check consistency {}", check.id),
            },
        );
        match check.verdict.as_str() {
            "holds" => {}
            "excused" => {
                let text = format!("Condition {} left out: {}", check.id, check.detail);
                voice.says(1, text);
            }
            _ => failures.push(format!(
                "consistency check {number} failed: {}: {}",
                check.rule, check.detail
            )),
        }
    }
    Ok(failures)
}

fn other_size(benchmark: Benchmark, loaded: &str, wanted: &str) -> String {
    match benchmark {
        Benchmark::TprocC => {
            format!("warehouse count {loaded} does not equal dict warehouse count of {wanted}")
        }
        // "if" is how HammerDB writes it.
        Benchmark::TprocH => {
            format!("scale factor {loaded} does not equal dict scale factor if {wanted}")
        }
    }
}

pub(super) fn delete(flags: &Flags, names: &Names, context: &Context, voice: &Voice) -> Exit {
    voice.is(1, State::Running);
    let deleted = try_delete(flags, context);
    let (database, benchmark) = (&names.database, names.benchmark.name());
    let (state, exit) = match deleted {
        Ok(true) => {
            let schema =
                if matches!(names.prefix, "mysql" | "maria") { "Schema" } else { "schema" };
            voice
                .says(1, format!("{database} {benchmark} {schema} has been deleted successfully."));
            voice.says(1, format!("The database {database} itself stays, and is empty"));
            (State::Success, Exit::Success)
        }
        Ok(false) => {
            voice.error(1, format!("Database {database} holds no {benchmark} schema"));
            (State::Failed, Exit::Target)
        }
        Err(error) => {
            voice.error(1, words(&error));
            (State::Failed, failed(Exit::of(&error)))
        }
    };
    voice.is(1, state);
    exit
}

/// Whether there was anything to remove.
fn try_delete(flags: &Flags, context: &Context) -> Result<bool> {
    let job = job(flags.clone(), context)?;
    let found = plan_clean(&job, context)?;
    for plan in &found {
        clean(&job, context, plan, &mut Silent)?;
    }
    Ok(!found.is_empty())
}
