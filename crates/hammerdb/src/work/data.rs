//! Implements `checkschema` and `deleteschema`.

use tacho_app::{
    Context, Exit, Holding, Removed, Request, TableRows, check_foreign, clean, count_foreign, look,
    plan_clean, remove_adopted, remove_database,
};
use tacho_core::{Error, ErrorKind, Result};
use tacho_store::record::{CheckRecord, CheckVerdict};

use super::absent::is_absent;
use super::request::Flags;
use super::transcript::{State, Transcript, failed};
use super::{Names, job, theirs, words};
use crate::dictionary::{Benchmark, Database};

pub(super) fn check(
    flags: &Flags,
    names: &Names,
    context: &Context,
    transcript: &Transcript,
) -> Exit {
    transcript.is(1, State::Running);
    let database = &names.database;
    let benchmark = names.benchmark.name();
    transcript.says(1, format!("Checking {database} {benchmark} schema"));
    let checked = try_check(flags, names, context, transcript);
    let (state, exit) = match checked {
        Ok(failures) if failures.is_empty() => {
            let text = format!("{database} {benchmark} Schema has been checked successfully.");
            transcript.says(1, text);
            (State::Success, Exit::Success)
        }
        Ok(failures) => {
            for failure in failures {
                let text = format!("{benchmark} Schema check failed {database} schema {failure}");
                transcript.error(1, text);
            }
            (State::Failed, Exit::CheckFailed)
        }
        Err(error) => {
            let text = words(&error);
            transcript
                .error(1, format!("{benchmark} Schema check failed {database} schema {text}"));
            (State::Failed, failed(&error))
        }
    };
    transcript.is(1, state);
    exit
}

/// Checks a schema and returns the problems that were found. If HammerDB has a message for a problem, this message is
/// used.
fn try_check(
    flags: &Flags,
    names: &Names,
    context: &Context,
    transcript: &Transcript,
) -> Result<Vec<String>> {
    let job = job(flags.clone(), context)?;
    transcript.says(1, "Check database");
    match look(Request::new(&job, context)) {
        Err(error) if is_absent(&error, flags, context) => {
            // For a missing database, HammerDB prints the same words as for an empty schema, so the text starts with
            // them. The exit code is that of a missing database.
            let text = format!("is empty: database {} does not exist", names.database);
            return Err(Error::new(ErrorKind::Missing, text));
        }
        Ok(Holding::Foreign(tables)) => {
            return check_others(flags, &tables, names, context, transcript);
        }
        held => held.map(drop)?,
    }
    let found = plan_clean(Request::new(&job, context))?.pop();
    let Some((marker, tables)) = found.and_then(|found| Some((found.marker?, found.tables))) else {
        return Ok(vec!["is empty".into()]);
    };
    if let Some(missing) = missing_table(&tables, names, transcript) {
        return Ok(vec![missing]);
    }
    let (loaded, wanted) = (tacho_app::scale_text(&marker), &names.size);
    if loaded != *wanted {
        return Ok(vec![other_size(names.benchmark, &loaded, wanted)]);
    }
    if names.benchmark == Benchmark::TprocC {
        transcript.says(1, check_routines(names));
    }
    let report = tacho_app::check(Request::new(&job, context), &mut ())?;
    Ok(failures(&report.checks, names, transcript))
}

fn missing_table(tables: &[String], names: &Names, transcript: &Transcript) -> Option<String> {
    transcript.says(1, "Check tables and indices");
    let mut wanted = theirs::tables(names.benchmark).iter();
    let missing = wanted.find(|name| !tables.iter().any(|table| table.eq_ignore_ascii_case(name)));
    missing.map(|table| format!("is missing table {table}"))
}

fn check_routines(names: &Names) -> &'static str {
    if names.prefix == "pg" { "Check routines" } else { "Check procedures" }
}

/// Returns the consistency conditions to check on a schema that HammerDB built. All other conditions are left out,
/// because the data that HammerDB's own routines leave violates them.
const fn asked_of_others(benchmark: Benchmark) -> &'static [&'static str] {
    match benchmark {
        Benchmark::TprocC => &["C1", "C2", "C3", "C4"],
        Benchmark::TprocH => &["H2", "H3", "H4"],
    }
}

/// For each table whose size changes during runs, the minimum percentage of the loaded rows that must still exist.
const ROWS_LEAST: [(&str, u64); 3] = [("new_order", 90), ("order_line", 99), ("lineitem", 99)];

/// Checks a schema that another program built, such as HammerDB. The numbers of rows show its scale.
fn check_others(
    flags: &Flags,
    tables: &[String],
    names: &Names,
    context: &Context,
    transcript: &Transcript,
) -> Result<Vec<String>> {
    if let Some(missing) = missing_table(tables, names, transcript) {
        return Ok(vec![missing]);
    }
    let mut flags = flags.clone();
    flags.push(("scale".into(), vec![names.size.clone()]));
    let job = &job(flags, context)?;
    let benchmark = names.benchmark;
    let Some(adopted) = theirs::find(job, context, benchmark)? else {
        return Ok(vec!["has tables with different columns".into()]);
    };
    transcript.says(1, theirs::found(&adopted, benchmark));
    transcript.says(1, "Its indices are not checked");
    if adopted.scale != names.size {
        return Ok(vec![other_size(benchmark, &adopted.scale, &names.size)]);
    }
    let mut wrong = Vec::new();
    if benchmark == Benchmark::TprocC {
        transcript.says(1, check_routines(names));
        if adopted.routines.is_none() {
            wrong.push("is missing stored procedures".to_owned());
        }
    }
    for TableRows { name, found, expected } in count_foreign(Request::new(job, context), &adopted)?
    {
        let percent = ROWS_LEAST.iter().find(|(table, _)| table.eq_ignore_ascii_case(&name));
        let least = expected * percent.map_or(100, |(_, percent)| *percent) / 100;
        if found < least {
            let text = format!("row count of {found} is less than expected count of {least}");
            wrong.push(format!("on table {name} {text}"));
        }
    }
    let ids = asked_of_others(benchmark);
    let checks = check_foreign(Request::new(job, context), &adopted, ids, &mut ())?;
    wrong.extend(failures(&checks, names, transcript));
    Ok(wrong)
}

/// Returns the failed conditions in HammerDB's wording.
fn failures(checks: &[CheckRecord], names: &Names, transcript: &Transcript) -> Vec<String> {
    let mut failures = Vec::new();
    // TPROC-H has many conditions, so print one line for all of them together.
    if names.benchmark == Benchmark::TprocH {
        transcript.says(1, "Check consistency");
    }
    let mut excused: Vec<(&str, Vec<&str>)> = Vec::new();
    for (number, check) in (1..).zip(checks) {
        if names.benchmark == Benchmark::TprocC {
            transcript.says(1, format!("Check consistency {number}"));
        }
        match check.verdict {
            CheckVerdict::Holds => {}
            CheckVerdict::Excused => match excused.last_mut() {
                Some((why, ids)) if *why == check.detail => ids.push(&check.id),
                _ => excused.push((&check.detail, vec![&check.id])),
            },
            _ => failures.push(format!(
                "consistency check {number} failed: {}: {}",
                check.rule, check.detail
            )),
        }
    }
    for (why, ids) in excused {
        transcript.says(1, format!("Skipped conditions {}: {why}", ids.join(", ")));
    }
    failures
}

fn other_size(benchmark: Benchmark, loaded: &str, wanted: &str) -> String {
    match benchmark {
        Benchmark::TprocC => {
            format!("warehouse count {loaded} does not equal dict warehouse count of {wanted}")
        }
        // HammerDB's message also says "if" here.
        Benchmark::TprocH => {
            format!("scale factor {loaded} does not equal dict scale factor if {wanted}")
        }
    }
}

pub(super) fn delete(
    flags: &Flags,
    names: &Names,
    context: &Context,
    transcript: &Transcript,
) -> Exit {
    transcript.is(1, State::Running);
    let (database, benchmark) = (&names.database, names.benchmark.name());
    let (state, exit) = match try_delete(flags, names, context, transcript) {
        // A missing schema is not an error, because many scripts delete the schema before they build it.
        Ok((false, Removed { database: false, .. })) => {
            transcript
                .says(1, format!("Database {database} contains no {benchmark} schema to delete"));
            (State::Success, Exit::Success)
        }
        Ok((_, removed)) => {
            deleted(&removed, names, transcript);
            (State::Success, Exit::Success)
        }
        Err(error) if is_absent(&error, flags, context) => {
            let text = format!(
                "Database {database} does not exist: there is no {benchmark} schema to delete"
            );
            transcript.says(1, text);
            (State::Success, Exit::Success)
        }
        Err(error) => transcript.fails(1, &error),
    };
    transcript.is(1, state);
    exit
}

fn deleted(removed: &Removed, names: &Names, transcript: &Transcript) {
    let (database, benchmark) = (&names.database, names.benchmark.name());
    let schema = Database::of_prefix(names.prefix).map_or("schema", |database| database.schema);
    transcript.says(1, format!("{database} {benchmark} {schema} has been deleted successfully."));
    if let Some(role) = &removed.role {
        transcript.says(1, format!("{role} {benchmark} role has been deleted successfully."));
    }
    for why in &removed.kept {
        transcript.says(1, format!("Warning: {why}"));
    }
}

/// Deletes a schema. Returns true if the schema had tables, along with a list of what else was removed.
fn try_delete(
    flags: &Flags,
    names: &Names,
    context: &Context,
    transcript: &Transcript,
) -> Result<(bool, Removed)> {
    let job = job(flags.clone(), context)?;
    if let Some(adopted) = theirs::find(&job, context, names.benchmark)? {
        transcript.says(1, theirs::found(&adopted, names.benchmark));
        let [theirs, _] = theirs::theirs(&job, names.benchmark);
        remove_adopted(Request::new(&job, context), &adopted, &theirs, &mut ())?;
        return Ok((true, remove_database(Request::new(&job, context))?.unwrap_or_default()));
    }
    let found = plan_clean(Request::new(&job, context))?;
    for plan in &found {
        clean(Request::new(&job, context), plan, &mut ())?;
    }
    Ok((!found.is_empty(), remove_database(Request::new(&job, context))?.unwrap_or_default()))
}
