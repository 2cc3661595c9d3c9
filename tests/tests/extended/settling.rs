//! Tests of waiting until MySQL has settled after a run.

use crate::live::{TPROCC, server_with_if_there};
use crate::settling::settles;
use tacho_testkit::servers::{MySqlKind, Options};

#[test]
fn mysql_settles_after_a_run() {
    if let Some(server) = server_with_if_there::<MySqlKind>(TPROCC, Options::default()) {
        settles(&server);
    }
}
