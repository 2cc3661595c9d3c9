//! A warm exchange allocates nothing, whatever its form, and an idle session is small.

mod common;

use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::allocation::Counting;
use tacho_testkit::conformance::{Bench, allocation};

use common::{driver, enter, places};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn warm_exchanges_allocate_nothing() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in places() {
        let target = place.database("allocation");
        for form in [Form::Sql, Form::Simple] {
            allocation::warm_exchange(&Bench::new(&*driver, &target), form)?;
        }
    }
    Ok(())
}

#[test]
fn an_idle_session_is_small() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    for place in places() {
        allocation::idle_session(&Bench::new(&*driver, &place.database("small")), Form::Sql)?;
    }
    Ok(())
}
