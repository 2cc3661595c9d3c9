//! Tests of the extended tier: what the other tests cover one by one, on one more database, or many times over.
//!
//! Only `cargo xtask test --all` runs them.

mod acknowledged;
mod addresses;
mod adopted;
mod chbench;
mod commits;
mod compare;
mod crashes;
mod doctor;
mod files;
mod fuzzed_servers;
mod guides;
mod hammerdb_mariadb;
mod hammerdb_sets;
mod hammerdb_theirs;
mod hammerdb_tls;
mod hammerdb_tproch;
mod hosts_data;
mod hosts_network;
mod lost_servers;
mod mysql_faults;
mod odbc;
mod outages;
mod ownership;
mod packs;
mod query_work;
mod scripted;
mod sets;
mod simulated_faults;
mod stream_faults;
mod tproch_faults;
