//! Tests of the extended tier: what the other tests cover one by one, on one more database, or many times over.
//!
//! Only `cargo xtask test --all` runs them.

mod crashes;
mod fuzzed_servers;
mod hammerdb_mariadb;
mod hammerdb_tls;
mod hammerdb_tproch;
mod mysql_faults;
mod odbc;
mod packs;
mod query_work;
mod simulated_faults;
mod stream_faults;
mod tproch_faults;
