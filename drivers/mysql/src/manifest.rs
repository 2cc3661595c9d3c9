//! What the driver is and what the database can do.

use tacho_driver::{Capabilities, Manifest};

pub static MANIFEST: Manifest = Manifest {
    id: "mysql",
    title: "MySQL and MariaDB",
    schemes: &["mariadb"],
    tested: "MySQL 9.7, MariaDB 10.11, 11.4 and 11.8",
    docs: include_str!("../docs.md"),
};

/// What the database can do.
pub fn capabilities() -> Capabilities {
    Capabilities {
        stores_data: true,
        procedures: true,
        simple: true,
        concurrent_writers: true,
        counters: true,
        settings: true,
        sets: true,
        ..Capabilities::default()
    }
}
