//! Queries that return information about a driver's database. Start reading at [`Questions`].

use tacho_core::Result;
use tacho_driver::{
    Counters, DataSizes, Object, ObjectKind, ServerFacts, Statement, TablePart, Values,
};

use crate::handles::Connection;
use crate::library::Length;

/// Queries about a database, which its driver provides. They are Tacho's only source of information about the
/// database.
pub trait Questions<L: Length>: Send + 'static {
    /// Returns the names of the existing tables, like [`tacho_driver::Inspector::tables`].
    fn tables(&self, connection: &Connection<L>) -> Result<Vec<String>>;

    /// Like [`tacho_driver::Inspector::objects`].
    fn objects(&self, connection: &Connection<L>) -> Result<Vec<Object>>;

    /// Like [`tacho_driver::Inspector::table_parts`], but for all tables. By default, returns only columns.
    fn table_parts(&self, connection: &Connection<L>) -> Result<Vec<TablePart>> {
        Ok(columns(&self.objects(connection)?))
    }

    /// Like [`tacho_driver::Inspector::facts`].
    fn facts(&self, connection: &Connection<L>) -> Result<ServerFacts>;

    /// Like [`tacho_driver::Inspector::sizes`].
    fn sizes(&self, connection: &Connection<L>) -> Result<Option<DataSizes>>;

    /// Like [`tacho_driver::Inspector::counters`].
    fn counters(&self, connection: &Connection<L>) -> Result<Option<Counters>>;

    /// Like [`tacho_driver::Inspector::plan`]. During this call, each statement is committed automatically.
    fn plan(
        &self,
        _connection: &Connection<L>,
        _statement: &Statement,
        _values: &Values,
    ) -> Result<Option<String>> {
        Ok(None)
    }

    /// Like [`tacho_driver::Session::drop_set`].
    fn drop_set(&self, connection: &Connection<L>) -> Result<()>;
}

/// Returns the columns of all tables as [`TablePart`] values.
pub fn columns(objects: &[Object]) -> Vec<TablePart> {
    let tables = objects.iter().filter(|object| object.kind == ObjectKind::Table);
    let parts = tables.flat_map(|table| {
        table.columns().zip(&table.shape).map(|(name, definition)| TablePart {
            table: table.name.clone(),
            kind: "column".into(),
            name: name.to_owned(),
            definition: definition.clone(),
            ..TablePart::default()
        })
    });
    parts.collect()
}
