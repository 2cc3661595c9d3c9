//! How far a replica of MariaDB is behind.

use crate::addresses::staleness_is_measured;

#[test]
fn staleness_of_a_replica_of_mariadb() {
    staleness_is_measured("mariadb --replica async", "maria", "maria-replica");
}
