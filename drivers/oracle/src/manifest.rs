//! The driver's manifest and the database's capabilities.

use tacho_driver::{Capabilities, Manifest};

/// A description of the client, as displayed by `doctor`.
pub const CLIENT: &str = "Oracle thin client 26.0.0-beta.5, built in; not tested against a live server; \
    for how Tacho uses Instant Client, see tacho describe oracle";

pub static MANIFEST: Manifest = Manifest {
    id: "oracle",
    title: "Oracle Database",
    schemes: &[],
    tested: "a scripted listener only; not tested against a live server",
    docs: include_str!("../docs.md"),
    plain_words: "wait nowait batch immediate typical basic all exact force similar none auto manual \
        setall asynch directio archivelog noarchivelog all_rows first_rows",
};

/// The database's capabilities.
pub const CAPABILITIES: Capabilities = Capabilities {
    stores_data: true,
    procedures: true,
    pipelining: false,
    joins_commit: false,
    simple: false,
    concurrent_writers: true,
    embedded: false,
    counters: true,
    settings: false,
    sets: true,
    transactional_ddl: false,
    writes_output: false,
};
