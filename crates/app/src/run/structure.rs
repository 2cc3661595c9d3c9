//! Compares the tables' columns, indexes, constraints and triggers before and after the load.
//!
//! An index that disappears during a run makes its results inconsistent. If the structure cannot be read, a message
//! says so, and the run continues.
//!
//! Start reading at [`ask`].

use tacho_core::{ErrorKind, Result};
use tacho_driver::{Object, ObjectKind, Session, TablePart, TableParts};
use tacho_store::Listener;
use tacho_workload::{Instance, MarkerStore, Recognized};

use crate::Request;
use crate::access::{Access, Data, answer_limit, data, foreign};

/// Maximum number of changes that a message lists individually. If there are more, it only states how many.
const NAMED_MAX: usize = 4;

/// Reads the structure of a set's tables and the routines created by `prepare`. A locked table may block these
/// requests.
pub(super) fn ask(
    access: &Access,
    request: Request<'_>,
    set: u32,
    instance: &dyn Instance,
    notes: &mut Vec<String>,
) -> Result<TableParts> {
    let layout = instance.layout(request.job.driver.dialect())?;
    let tables = layout.tables.iter().map(|table| table.name.to_owned());
    let access = access.of_set(set);
    let found = access.answer_apart(request, async |session| {
        let mut store = match data(request.job, session).await? {
            Data::Ours(store, _) => store,
            Data::Empty(session) => return Ok((TableParts::default(), session)),
            Data::Foreign(tables) => {
                return Err(foreign(ErrorKind::Missing, &request.job.target_text, &tables));
            }
        };
        let names: Vec<String> = tables.chain(routines(&mut store).await?).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let parts = read(store.exchange().session(), &names).await?;
        Ok((parts, store.into_session()))
    });
    Ok(found.unwrap_or_else(|error| {
        notes.push(format!("changes to tables and indexes will not be detected: {error}"));
        TableParts::default()
    }))
}

/// Returns the names of the routines created by `prepare`.
async fn routines(store: &mut MarkerStore) -> Result<Vec<String>> {
    let noted = store.noted().await?;
    let objects = store.exchange().inspector().objects().await?;
    let is_copy = noted.is_copy(&objects);
    let is_ours = |object: &&Object| {
        object.kind == ObjectKind::Routine && noted.recognize(object, is_copy) == Recognized::Ours
    };
    Ok(objects.iter().filter(is_ours).map(|object| object.name.clone()).collect())
}

async fn read(session: &mut dyn Session, names: &[&str]) -> Result<TableParts> {
    let mut parts = session.inspector().table_parts(names).await?;
    let objects = session.inspector().objects().await?;
    let routines = objects.iter().filter(|object| object.kind == ObjectKind::Routine);
    parts.extend(routines.map(TablePart::routine));
    Ok(TableParts::of(parts, names))
}

/// Describes how the tables have changed during the run. If `same_server` is true, also detects objects that were
/// replaced by others of the same name.
pub(super) fn changes(
    request: Request<'_>,
    access: &Access,
    before: &[TableParts],
    same_server: bool,
    listener: &mut dyn Listener,
) -> Option<String> {
    let mut changes = Vec::new();
    for (set, before) in request.job.all_sets().zip(before) {
        if before.is_empty() {
            continue;
        }
        match again(access, request, (set, &before.tables())) {
            Ok(now) => changes.extend(before.changes(&now, same_server)),
            Err(error) => {
                listener.note(&format!(
                    "the tables could not be compared with their state before the run: {error}"
                ));
            }
        }
    }
    (!changes.is_empty()).then(|| shown(&changes))
}

/// Reads a set's table structure again. A locked table blocks the request, so it uses a separate connection.
fn again(
    access: &Access,
    request: Request<'_>,
    (set, names): (u32, &[&str]),
) -> Result<TableParts> {
    let access = access.of_set(set);
    access.within(answer_limit(request.job), request.context, async {
        let mut session = access.open(request).await?;
        let found = read(session.as_mut(), names).await;
        let _ = session.close().await;
        found
    })
}

/// Returns the first few changes and the number of further changes.
fn shown(changes: &[String]) -> String {
    let named = changes.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join("; ");
    match changes.len().saturating_sub(NAMED_MAX) {
        0 => named,
        more => format!("{named}; and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn many_changes_are_counted() {
        let all: Vec<String> = (0..6).map(|number| number.to_string()).collect();
        assert_eq!(shown(&all[..2]), "0; 1");
        assert_eq!(shown(&all), "0; 1; 2; 3; and 2 more");
    }
}
