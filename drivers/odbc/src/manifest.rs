//! The driver's manifest and the capabilities of a data source.

use tacho_driver::{Capabilities, Driver, Manifest};

pub static MANIFEST: Manifest = Manifest {
    id: "odbc",
    title: "ODBC",
    schemes: &[],
    tested: "unixODBC 2.3 with the ODBC drivers for PostgreSQL (13.02), MariaDB (3.1) and SQLite (0.9998)",
    docs: include_str!("../docs.md"),
    plain_words: "",
};

/// Returns a data source's capabilities. These are the capabilities of its database that are also available through
/// ODBC.
pub fn capabilities(base: Option<&dyn Driver>) -> Capabilities {
    let base = base.map(Driver::capabilities);
    Capabilities {
        stores_data: true,
        procedures: base.is_some_and(|base| base.procedures),
        simple: base.is_some_and(|base| base.simple),
        embedded: base.is_some_and(|base| base.embedded),
        concurrent_writers: base.is_none_or(|base| base.concurrent_writers),
        transactional_ddl: base.is_some_and(|base| base.transactional_ddl),
        ..Capabilities::default()
    }
}
