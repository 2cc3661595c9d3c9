//! The driver's manifest and the database's capabilities.

use tacho_driver::{Capabilities, Manifest};

pub static MANIFEST: Manifest = Manifest {
    id: "sqlserver",
    title: "Microsoft SQL Server",
    schemes: &["mssql"],
    tested: "a scripted peer and, by hand, Babelfish 4.3, except for system views (DMVs), waits, \
        plans, attention, memory-optimized tables and most error numbers; not tested against a \
        live SQL Server",
    docs: include_str!("../docs.md"),
    plain_words: "simple full bulk_logged disabled allowed forced checksum torn_page_detection none \
        in_transition_to_on in_transition_to_off",
};

/// Returns the database's capabilities.
pub fn capabilities() -> Capabilities {
    Capabilities {
        stores_data: true,
        procedures: true,
        simple: true,
        concurrent_writers: true,
        counters: true,
        sets: true,
        settings: true,
        transactional_ddl: true,
        ..Capabilities::default()
    }
}
