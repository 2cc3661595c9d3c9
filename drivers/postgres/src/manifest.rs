//! The driver's manifest and the database's capabilities.

use tacho_driver::{Capabilities, Manifest};

pub static MANIFEST: Manifest = Manifest {
    id: "postgres",
    title: "PostgreSQL",
    schemes: &["postgresql"],
    tested: "13, 14, 15, 16, 17, 18",
    docs: include_str!("../docs.md"),
    plain_words: "remote_write remote_apply replica logical minimal archive hot_standby fsync fdatasync \
        open_sync open_datasync demand lz4 zstd pglz",
};

/// Returns the database's capabilities.
pub fn capabilities() -> Capabilities {
    Capabilities {
        stores_data: true,
        procedures: true,
        pipelining: true,
        simple: true,
        concurrent_writers: true,
        counters: true,
        settings: true,
        sets: true,
        transactional_ddl: true,
        ..Capabilities::default()
    }
}
