//! pgbench scripts on MariaDB and MySQL.

use tacho_testkit::servers::{MariaDb, MySql};
use tacho_tests::Folder;

/// Runs two scripts that set variables from columns, and divide by zero if `a` is 3 or `b` is 2. Only the second script
/// has these values, so only this one may fail.
fn columns_are_found_by_name(target: &str) {
    let folder = Folder::new();
    let divisions = "\\set c 1 / (:a - 3)\n\\set d 1 / (:b - 2)\nSELECT :c, :d;";
    folder.write("named.sql", &format!("SELECT 3 AS b, 2 AS a \\gset\n{divisions}"));
    folder.write("exchanged.sql", &format!("SELECT 3 AS a, 2 AS b \\gset\n{divisions}"));
    for form in ["sql", "simple"] {
        let run = |script: &str| {
            let run = "--transactions 20 --ramp-up 0s";
            folder.tacho(&format!("run pgbench:{script} '{target}' {run} --form {form}")).done()
        };
        run("named.sql").expect_code(0);
        assert_ne!(run("exchanged.sql").code(), 0, "{form}");
    }
}

#[test]
fn mariadb_names_the_columns_of_a_row() {
    columns_are_found_by_name(&MariaDb::shared().target());
}

#[test]
fn mysql_names_the_columns_of_a_row() {
    let Some(server) = MySql::shared_if_there() else { return };
    columns_are_found_by_name(&server.target());
}
