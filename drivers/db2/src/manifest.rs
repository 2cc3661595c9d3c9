//! The driver's manifest and the database's capabilities.

use tacho_driver::{Capabilities, Manifest};

pub static MANIFEST: Manifest = Manifest {
    id: "db2",
    title: "Db2",
    schemes: &[],
    tested: "IBM Db2 client 12.1 with Apache Derby 10.7; not tested against a live Db2 server",
    docs: include_str!("../docs.md"),
    plain_words: "cs rr rs ur automatic recommended throughput aurora",
};

/// The database's capabilities.
pub const CAPABILITIES: Capabilities = Capabilities {
    stores_data: true,
    procedures: true,
    pipelining: false,
    joins_commit: false,
    simple: true,
    concurrent_writers: true,
    embedded: false,
    counters: true,
    settings: false,
    sets: true,
    transactional_ddl: true,
    writes_output: false,
};
