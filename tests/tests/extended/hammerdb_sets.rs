//! Sets of tables in HammerDB scripts for MariaDB, MySQL and PostgreSQL.

use crate::hammerdb_sets::{all_sets, by_tcp, leaked};
use tacho_testkit::servers::{MariaDb, MySql, Options, Postgres};

#[test]
fn sets_for_mariadb_reach_their_end() {
    let server = MariaDb::start().expect("a server");
    all_sets("maria", &by_tcp("maria", server.port(), server.password()));
}

#[test]
fn sets_for_mysql_reach_their_end() {
    let Some(server) = MySql::start_if_there(Options::default()).expect("a server or none") else {
        return;
    };
    all_sets("mysql", &by_tcp("mysql", server.port(), server.password()));
}

#[test]
fn sets_for_postgresql_reach_their_end() {
    let server = Postgres::start().expect("a server");
    let port = leaked(server.port().to_string());
    all_sets("pg", &|_| {
        vec![
            vec!["diset", "connection", "pg_host", "127.0.0.1"],
            vec!["diset", "connection", "pg_port", port],
        ]
    });
}
