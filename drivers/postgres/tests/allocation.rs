//! Checks that a warmed-up exchange allocates no memory, and that an idle session needs little.

mod common;

use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::allocation::Counting;
use tacho_testkit::conformance::{Bench, allocation};
use tacho_testkit::live;

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

/// A client must not allocate the size that a message announces: here, the server announces 1 GiB, either directly
/// after the connection is opened or after the login.
#[test]
fn claimed_lengths_are_not_allocated() {
    let _inside = enter();
    let message = |tag: u8, length: u32| [&[tag][..], &length.to_be_bytes()].concat();
    let ready = [&message(b'R', 8)[..], &[0; 4], &message(b'Z', 5), b"I"].concat();
    let claims = [b'D', b'd', b'T', b'E', b'N', b'S', b'R', 0xFF].map(|tag| message(tag, 1 << 30));
    let after = claims.clone().map(|claim| [&ready[..], &claim, b"garbage"].concat());
    let said = [&claims[..], &after].concat();
    let at = |port: u16| format!("postgres://me@127.0.0.1:{port}/d?sslmode=disable");
    live::claimed_lengths_are_not_allocated(&*driver(), at, &said, 256 * 1024);
}

#[test]
fn an_idle_session_is_small() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    allocation::idle_session(&Bench::new(&*driver, &database("small")), Form::Pipelined)
}
