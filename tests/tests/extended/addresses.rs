//! The staleness of replicas on MariaDB and PostgreSQL.

use crate::addresses::staleness_is_measured;

#[test]
fn staleness_of_a_replica_of_mariadb() {
    staleness_is_measured("mariadb --replica async", "maria", "maria-replica");
}

#[test]
fn staleness_of_a_replica_of_postgres() {
    staleness_is_measured("postgres --replica async", "pg", "pg-replica");
    staleness_is_measured("postgres --replica sync", "pg", "pg-replica");
}
