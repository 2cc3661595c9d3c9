//! How a driver asks its database. Start reading at [`Questions`].

use tacho_core::Result;
use tacho_driver::{
    Counters, DataSizes, Object, ObjectKind, ServerFacts, Statement, TablePart, Values,
};

use crate::handles::Connection;
use crate::library::Length;

/// How a database is asked about itself. What is not here is not asked for.
pub trait Questions<L: Length>: Send + 'static {
    /// As [`tacho_driver::Inspector::tables`].
    fn tables(&self, connection: &Connection<L>) -> Result<Vec<String>>;

    /// As [`tacho_driver::Inspector::objects`].
    fn objects(&self, connection: &Connection<L>) -> Result<Vec<Object>>;

    /// As [`tacho_driver::Inspector::table_parts`], of all tables: their columns, unless the driver asks for more.
    fn table_parts(&self, connection: &Connection<L>) -> Result<Vec<TablePart>> {
        Ok(columns(&self.objects(connection)?))
    }

    /// As [`tacho_driver::Inspector::facts`].
    fn facts(&self, connection: &Connection<L>) -> Result<ServerFacts>;

    /// As [`tacho_driver::Inspector::sizes`].
    fn sizes(&self, connection: &Connection<L>) -> Result<Option<DataSizes>>;

    /// As [`tacho_driver::Inspector::counters`].
    fn counters(&self, connection: &Connection<L>) -> Result<Option<Counters>>;

    /// As [`tacho_driver::Inspector::plan`]. Each statement commits.
    fn plan(
        &self,
        _connection: &Connection<L>,
        _statement: &Statement,
        _values: &Values,
    ) -> Result<Option<String>> {
        Ok(None)
    }

    /// As [`tacho_driver::Session::drop_set`].
    fn drop_set(&self, connection: &Connection<L>) -> Result<()>;
}

/// The columns of tables as parts of them.
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
