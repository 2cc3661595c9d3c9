//! A warm exchange allocates nothing, whatever its form, and an idle session is small.

mod common;

use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::allocation::Counting;
use tacho_testkit::conformance::{Bench, allocation};

use common::{Encryption, driver, enter, server, target};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn warm_exchanges_allocate_nothing() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let server = server(Encryption::Off);
    let target = target(&server, "&encrypt=optional");
    for form in [Form::Sql, Form::Simple] {
        allocation::warm_exchange(&Bench::new(&*driver, &target), form)?;
    }
    Ok(())
}

#[test]
fn an_idle_session_is_small() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let server = server(Encryption::Off);
    let target = target(&server, "&encrypt=optional");
    allocation::idle_session(&Bench::new(&*driver, &target), Form::Sql)
}
