//! Which tables and routines of a database the build of a marker created, by what the marker noted of
//! them: a table of the same name may be another one.
//!
//! It must never change anything. Start reading at [`owned`].

use tacho_core::{Error, ErrorKind, Result, Schema};
use tacho_driver::{Object, ObjectKind};
use tacho_workload::{MarkerStore, Noted, Recognized};

/// What of a database is ours.
#[derive(Debug, Default)]
pub(crate) struct Owned {
    /// Tables of the data, in the order of the schema.
    pub(crate) tables: Vec<Object>,
    /// The marker tables.
    pub(crate) marker: Vec<Object>,
    /// Stored routines.
    pub(crate) routines: Vec<Object>,
    /// Tables and routines that have a place or a name of ours and are not ours, in sentences.
    pub(crate) foreign: Vec<String>,
    /// Why tables are recognized by their columns alone, if they are.
    pub(crate) weak: Option<&'static str>,
}

/// Why tables are recognized by their columns alone.
const OLD: &str = "the data was prepared by an earlier version of tacho";
const COPY: &str = "the database is a copy of the one that was prepared";

/// Compares the objects of a database with the tables that a build creates and what was noted of it.
pub(crate) fn owned(objects: Vec<Object>, layout: &Schema, noted: &Noted) -> Owned {
    let is_copy = noted.is_copy(&objects);
    let weak = if noted.is_empty() { Some(OLD) } else { Some(COPY).filter(|_| is_copy) };
    let mut owned = Owned { weak, ..Owned::default() };
    let place = |object: &Object| layout.tables.iter().position(|table| table.name == object.name);
    for object in objects {
        match (object.kind, place(&object)) {
            (ObjectKind::Table, _) if MarkerStore::is_marker(&object) => owned.marker.push(object),
            (ObjectKind::Table, Some(at)) => {
                match why_foreign(&object, &layout.tables[at], noted, is_copy) {
                    None => owned.tables.push(object),
                    Some(why) => owned.foreign.push(why),
                }
            }
            (ObjectKind::Routine, _) => match noted.recognize(&object, is_copy) {
                Recognized::Ours => owned.routines.push(object),
                Recognized::Changed => {
                    let name = &object.name;
                    owned.foreign.push(format!("routine {name} has been replaced since then"));
                }
                Recognized::Coming | Recognized::Foreign => {}
            },
            (ObjectKind::Table, None) => {}
        }
    }
    owned.tables.sort_by_key(|table| place(table));
    owned
}

/// Why a table with the name of one of ours is another one; `None` if it is ours.
fn why_foreign(
    object: &Object,
    table: &tacho_core::Table,
    noted: &Noted,
    is_copy: bool,
) -> Option<String> {
    let name = &object.name;
    let other = || Some(format!("table {name} is not the one that tacho prepare created"));
    if noted.is_empty() {
        return if has_columns(object, table) { None } else { other() };
    }
    match noted.recognize(object, is_copy) {
        Recognized::Ours => None,
        Recognized::Coming if has_columns(object, table) => None,
        Recognized::Changed => {
            Some(format!("the columns of table {name} have changed since tacho prepare created it"))
        }
        Recognized::Coming | Recognized::Foreign => other(),
    }
}

/// Whether a table has the columns of the layout, in any order, and no other.
fn has_columns(object: &Object, table: &tacho_core::Table) -> bool {
    let mut wanted: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
    wanted.extend(table.storage.hidden_key);
    let mut found: Vec<&str> = object.columns().collect();
    wanted.sort_unstable();
    found.sort_unstable();
    wanted == found
}

/// The error of a database in which something is not ours.
pub(crate) fn refusal(target: &str, what: &str, why: &[String]) -> Error {
    let text = format!("{what} on {target}: {}", why.join("; "));
    Error::new(ErrorKind::Auth, text)
}

/// Fails if a table of the layout is another one than the build created.
pub(crate) fn require_ours(owned: &Owned, target: &str) -> Result<()> {
    if owned.foreign.is_empty() {
        return Ok(());
    }
    Err(refusal(target, "the build cannot be resumed", &owned.foreign)
        .during("prepare")
        .hint("rename or remove the objects that Tacho did not create, or name another database"))
}

#[cfg(test)]
mod tests {
    use tacho_core::{Column, Table, Type};

    use super::*;

    fn layout() -> Schema {
        let column = |name| Column { name, ty: Type::Int, nullable: false, declared: None };
        let table = |name, columns: &[&'static str]| Table {
            name,
            columns: columns.iter().map(|name| column(*name)).collect(),
            ..Table::default()
        };
        Schema { tables: vec![table("a", &["x", "y"]), table("b", &["z"])] }
    }

    fn object(name: &str, shape: &[&str]) -> Object {
        Object {
            kind: ObjectKind::Table,
            name: name.into(),
            identity: "1".into(),
            shape: shape.iter().map(|column| (*column).to_owned()).collect(),
            drop: String::new(),
        }
    }

    #[test]
    fn data_without_notes_is_recognized_by_its_columns() {
        let objects = vec![
            object("b", &["own text"]),
            object("a", &["y int", "x int"]),
            object("c", &["z int"]),
        ];
        let owned = owned(objects, &layout(), &Noted::default());
        assert_eq!(owned.tables.len(), 1);
        assert_eq!((owned.tables[0].name.as_str(), owned.weak), ("a", Some(OLD)));
        assert_eq!(owned.foreign, ["table b is not the one that tacho prepare created"]);
    }
}
