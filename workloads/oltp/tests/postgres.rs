//! Runs every event in every form on PostgreSQL, with sessions that compete for rows.
//!
//! The tests start their own server. If PostgreSQL is missing, they fail with a message that names the package to
//! install.

use crate::common::{KEEPING, crowd, instance, violated};
use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract::load;
use tacho_testkit::servers::{Options, Postgres};
use tokio::runtime::Builder;

/// The table is small, so that sessions contend for rows.
const SIZE: (&str, &str) = ("table_size", "50");

#[test]
fn every_event_keeps_the_rows_in_every_form() -> Result<()> {
    let event_loop = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let _inside = event_loop.enter();
    // Sessions that replace rows often deadlock. By default, the server would take a second to detect each deadlock.
    let settings = &[("deadlock_timeout", "10ms")];
    let server = Postgres::start_with(Options { settings, ..Options::default() });
    let server = server.unwrap_or_else(|error| panic!("{error}; {}", error.hints().join("; ")));
    let (driver, target) = (tacho_driver_postgres::driver(), server.target());
    let bench = Bench::new(&*driver, &target);
    let whole = instance(2, "read-only", 1, &[SIZE]);
    load(&bench, &*whole)?;
    let mut conflicts = 0;
    for profile in KEEPING {
        for form in [Form::Sql, Form::Pipelined, Form::Simple] {
            let instance = instance(2, profile, 8, &[SIZE]);
            let met = crowd(&bench, &*instance, form, (8, 20))?;
            let replaces = ["read-write", "write-only", "update-index", "update-non-index"];
            assert!(met == 0 || replaces.contains(&profile), "{profile} {form:?}: {met}");
            conflicts += met;
        }
        assert_eq!(violated(&bench, &*whole)?, [""; 0], "{profile}");
    }
    assert!(conflicts > 0, "eight sessions on a hundred rows have met");
    Ok(())
}
