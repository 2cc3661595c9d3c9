//! A warm exchange allocates nothing, whatever its form, and an idle session is small.

mod common;

use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::allocation::Counting;
use tacho_testkit::conformance::{Bench, allocation};

use common::{database, driver, enter};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn warm_exchanges_allocate_nothing() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let bench = Bench::new(&*driver, &database("allocation"));
    [Form::Sql, Form::Pipelined, Form::Simple]
        .into_iter()
        .try_for_each(|form| allocation::warm_exchange(&bench, form))
}

#[test]
fn an_idle_session_is_small() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    allocation::idle_session(&Bench::new(&*driver, &database("small")), Form::Pipelined)
}
