//! The extended tests, which repeat other tests on more databases or more often.
//!
//! Only `cargo xtask test --all` runs these tests.

mod acknowledged;
mod addresses;
mod adopted;
mod campaign;
mod chbench;
mod commits;
mod compare;
mod crashes;
mod doctor;
mod every_database;
mod faults;
mod files;
mod fuzzed_servers;
mod gates;
mod guides;
mod hammerdb_mariadb;
mod hammerdb_pool;
mod hammerdb_sets;
mod hammerdb_theirs;
mod hammerdb_tls;
mod hammerdb_tproch;
mod hosts;
mod hosts_data;
mod hosts_network;
mod hosts_take_over;
mod limits;
mod lost_servers;
mod mysql_faults;
mod odbc;
mod outages;
mod ownership;
mod packs;
mod pgbench;
mod postgres_faults;
mod query_work;
mod reports;
mod scripted;
mod servers;
mod sets;
mod settling;
mod simulated_faults;
mod stream_faults;
mod tproch_faults;
