//! Tests what happens if another client holds a lock until a command has ended.

use crate::live::begins_at_a_locked_table;
use crate::postgres_faults::{server, target};

#[test]
fn runs_and_checks_tell_of_locks_and_leave_when_they_are_told_to() {
    let waiting = "SELECT query FROM pg_stat_activity WHERE datname = current_database() \
                   AND wait_event_type = 'Lock'";
    let lock = |table: &str| format!("BEGIN; LOCK TABLE {table}");
    begins_at_a_locked_table(&target(server(), "begins"), &lock, (waiting, true));
}
