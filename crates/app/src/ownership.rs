//! Determines which tables and routines Tacho created when it built the data. A table with a name that Tacho uses may
//! have been created by somebody else.
//!
//! This module must never change anything. Start reading at [`owned`].

use tacho_core::{Error, ErrorKind, Result, Schema};
use tacho_driver::{MARKER_TABLE, Object, ObjectKind};
use tacho_workload::{CommitMarks, MarkerStore, Noted, Recognized};

/// The objects in a database that Tacho created.
#[derive(Debug, Default)]
pub(crate) struct Owned {
    /// The tables of the data, in schema order.
    pub(crate) tables: Vec<Object>,
    /// The marker tables.
    pub(crate) marker: Vec<Object>,
    /// The stored routines.
    pub(crate) routines: Vec<Object>,
    /// Messages about tables and routines that have Tacho's names, although Tacho did not create them.
    pub(crate) foreign: Vec<String>,
    /// The reason why tables could be recognized only by their columns; `None` if it is certain that Tacho created
    /// them.
    pub(crate) weak: Option<&'static str>,
}

/// A reason why tables can be recognized only by their columns.
const OLD: &str = "the data was prepared by an earlier version of Tacho";
const COPY: &str = "the database is a copy of the one that was prepared";

/// Compares the objects in a database with the tables of a build and the entries of its marker.
pub(crate) fn owned(objects: Vec<Object>, layout: &Schema, noted: &Noted) -> Owned {
    let is_copy = noted.is_copy(&objects);
    let weak = if noted.is_empty() { Some(OLD) } else { Some(COPY).filter(|_| is_copy) };
    let mut owned = Owned { weak, ..Owned::default() };
    let place = |object: &Object| layout.tables.iter().position(|table| table.name == object.name);
    for object in objects {
        match (object.kind, place(&object)) {
            (ObjectKind::Table, _) if MarkerStore::is_marker(&object) => {
                if is_of_marker(&object, noted, is_copy) {
                    owned.marker.push(object);
                } else {
                    owned
                        .foreign
                        .push(format!("table {} was not created by Tacho", qualified(&object)));
                }
            }
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
                    owned
                        .foreign
                        .push(format!("routine {name} has been replaced since Tacho created it"));
                }
                Recognized::Coming | Recognized::Foreign => {}
            },
            (ObjectKind::Other, at) => {
                if at.is_some() || MarkerStore::is_marker_name(&object.name) {
                    owned.foreign.push(in_use(&object));
                }
            }
            (ObjectKind::Table, None) => {}
        }
    }
    owned.tables.sort_by_key(|table| place(table));
    owned
}

/// Returns true if an object is a genuine marker table or commit mark table, not just a table with the same name.
fn is_of_marker(object: &Object, noted: &Noted, is_copy: bool) -> bool {
    if object.name == CommitMarks::TABLE {
        return CommitMarks::recognize(object, noted, is_copy);
    }
    // The data marker was read from this table, so the table is Tacho's even if the marker does not list any objects.
    noted.is_empty() || noted.recognize(object, is_copy) == Recognized::Ours
}

/// Returns the message for an object that is not a table but has the name of a Tacho table.
fn in_use(object: &Object) -> String {
    let what = object.shape.first().map_or("object", String::as_str);
    format!("{what} {} has the same name as a Tacho table", qualified(object))
}

/// Returns the name, qualified with the schema if one is known.
fn qualified(object: &Object) -> String {
    let Object { name, schema, .. } = object;
    if schema.is_empty() { name.clone() } else { format!("{schema}.{name}") }
}

/// Returns an error if a view, sequence or other object has a name that the build needs for a table. Must be called
/// before anything is created.
pub(crate) fn require_free(objects: &[Object], layout: &Schema, target: &str) -> Result<()> {
    let is_needed = |name: &str| {
        MarkerStore::is_marker_name(name) || layout.tables.iter().any(|table| table.name == name)
    };
    let other = objects.iter().filter(|object| object.kind == ObjectKind::Other);
    let why: Vec<String> = other.filter(|object| is_needed(&object.name)).map(in_use).collect();
    if why.is_empty() {
        return Ok(());
    }
    Err(refusal(target, "nothing was created", &why)
        .during("prepare")
        .hint("rename or drop the objects that Tacho did not create, or use another database"))
}

/// Returns an error if the run would write to a table that the build did not create. Does not check tables created by
/// statements that the user wrote.
pub(crate) fn require_written(
    objects: &[Object],
    layout: &Schema,
    noted: &Noted,
    target: &str,
) -> Result<()> {
    let named = |name: &str| objects.iter().find(|object| object.is_table(name));
    let place = named(MARKER_TABLE).map(|marker| &marker.schema);
    let why = layout.tables.iter().filter(|table| table.ddl.is_none()).filter_map(|table| {
        let object = named(table.name)?;
        let is_here = place.is_none_or(|place| *place == object.schema);
        let is_ours = if noted.is_empty() || !noted.is_comparable(object) {
            has_columns(object, table)
        } else {
            noted.has_shape(object)
        };
        let differs = if is_here { "has different columns from" } else { "differs from" };
        (!is_here || !is_ours).then(|| {
            format!("table {} {differs} the one that tacho prepare created", qualified(object))
        })
    });
    let why: Vec<String> = why.collect();
    if why.is_empty() {
        return Ok(());
    }
    Err(refusal(target, "the tables have changed", &why)
        .during("start run")
        .hint("rename or drop the tables that Tacho did not create, then prepare the data again"))
}

/// Returns the reason why a table is not the one that the build created, or `None` if it is.
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

/// Returns true if a table has exactly the columns in the layout, in any order.
fn has_columns(object: &Object, table: &tacho_core::Table) -> bool {
    let columns = table.columns.iter().map(|column| column.name);
    object.has_columns(columns.chain(table.storage.hidden_key))
}

/// Returns the error for a database that contains objects not created by Tacho.
pub(crate) fn refusal(target: &str, what: &str, why: &[String]) -> Error {
    let text = format!("{what} on {target}: {}", why.join("; "));
    Error::new(ErrorKind::Auth, text)
}

/// Returns an error if the database contains a table that has a name from the layout but was not created by the build.
pub(crate) fn require_ours(owned: &Owned, target: &str) -> Result<()> {
    if owned.foreign.is_empty() {
        return Ok(());
    }
    Err(refusal(target, "the build cannot be resumed", &owned.foreign)
        .during("prepare")
        .hint("rename or drop the objects that Tacho did not create, or use another database"))
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
            schema: String::new(),
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

    #[test]
    fn reports_views_with_the_names_of_tables() {
        let view = |name: &str| Object { kind: ObjectKind::Other, ..object(name, &["view"]) };
        let objects = [view("b"), view("tacho_commits"), view("c"), object("own", &["x int"])];
        let error = require_free(&objects, &layout(), "here").expect_err("two names are in use");
        let text = error.to_string();
        assert!(
            text.contains("view b has the same name") && text.contains("view tacho_commits"),
            "{text}"
        );
        assert!(!text.contains("view c"), "{text}");
        let owned = owned(objects.to_vec(), &layout(), &Noted::default());
        assert_eq!(owned.foreign.len(), 2, "{:?}", owned.foreign);
        assert!(require_free(&[view("c")], &layout(), "here").is_ok());
    }

    #[test]
    fn a_run_writes_only_to_the_tables_of_the_build() {
        let marker = object("tacho_marker", &["k text", "v text"]);
        let ours = [marker.clone(), object("a", &["x int", "y int"])];
        let run =
            |objects: &[Object]| require_written(objects, &layout(), &Noted::default(), "here");
        assert!(run(&ours).is_ok(), "a missing table is never written to");
        let other = run(&[marker.clone(), object("a", &["own int"])]).expect_err("other columns");
        assert!(other.to_string().contains("table a has different columns"), "{other}");
        let elsewhere = Object { schema: "s".into(), ..object("a", &["x int", "y int"]) };
        let other = run(&[marker, elsewhere]).expect_err("another schema");
        assert!(other.to_string().contains("table s.a differs from the one"), "{other}");
    }
}
