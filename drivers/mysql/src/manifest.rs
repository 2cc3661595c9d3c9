//! The driver's manifest and the database's capabilities.

use tacho_driver::{Capabilities, Manifest};

pub static MANIFEST: Manifest = Manifest {
    id: "mysql",
    title: "MySQL and MariaDB",
    schemes: &["mariadb"],
    tested: "MySQL 9.7, MariaDB 10.11, 11.4 and 11.8",
    docs: include_str!("../docs.md"),
    plain_words: "persist extra o_direct o_direct_no_fsync fsync o_dsync nosync mixed minimal noblob \
        innodb myisam aria ansi_quotes strict_trans_tables strict_all_tables \
        error_for_division_by_zero no_auto_create_user no_engine_substitution no_zero_date \
        no_zero_in_date only_full_group_by one-thread-per-connection pool-of-threads utf8mb4 lz4 \
        zstd",
};

/// Returns the database's capabilities.
pub fn capabilities() -> Capabilities {
    Capabilities {
        stores_data: true,
        procedures: true,
        pipelining: true,
        joins_commit: true,
        simple: true,
        concurrent_writers: true,
        counters: true,
        settings: true,
        sets: true,
        ..Capabilities::default()
    }
}
