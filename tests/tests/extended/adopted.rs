//! Tables of other tools on MariaDB and PostgreSQL.

use crate::adopted::{MARIADB, Shape, adopts, are_as_described};
use tacho_testkit::servers::{MariaDb, Postgres};

#[test]
fn tables_of_other_tools_are_run_on_mariadb() {
    let shape = Shape {
        columns: "SELECT table_name, column_name, column_type, is_nullable, column_default \
                  FROM information_schema.columns WHERE table_schema = database() ORDER BY 1, ordinal_position",
        indexes: "SELECT table_name, index_name, column_name FROM information_schema.statistics \
                  WHERE table_schema = database() ORDER BY 1, 2, seq_in_index",
    };
    let server = MariaDb::shared();
    let ask = |name: &str, sql: &str| server.client(&format!("USE {name}; {sql}"));
    adopts(server, &shape, |name, sql| ask(name, sql).expect("an answer"));
}

#[test]
fn tables_are_as_other_tools_have_them_on_mariadb() {
    let server = MariaDb::shared();
    let question = include_str!("../adopted/shape_mysql.sql");
    let ask =
        |name: &str, sql: &str| server.client(&format!("USE {name}; {sql}")).expect("an answer");
    are_as_described(server, &MARIADB, question, ask);
}

#[test]
fn tables_of_other_tools_are_run_on_postgres() {
    let shape = Shape {
        columns: "SELECT table_name, column_name, data_type, character_maximum_length, numeric_precision, \
                  numeric_scale, is_nullable, column_default FROM information_schema.columns \
                  WHERE table_schema = 'public' ORDER BY 1, ordinal_position",
        indexes: "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
    };
    let server = Postgres::shared();
    adopts(server, &shape, |name, sql| server.client_on(name, sql).expect("an answer"));
}
