//! The driver's manifest and the database's capabilities.

use tacho_driver::{Capabilities, Manifest};

pub static MANIFEST: Manifest = Manifest {
    id: "timesten",
    title: "TimesTen",
    schemes: &[],
    tested: "only with a substitute driver manager; not tested against a live server",
    docs: include_str!("../docs.md"),
    plain_words: "classic scaleout",
};

/// Capabilities of the database. The form `simple`, which sends values as literals, is not supported, because string
/// literals have not been tested.
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
    sets: false,
    transactional_ddl: false,
    writes_output: false,
};
