//! Checks that an exchange allocates no more memory after its first few uses, and that an idle session is small.

mod common;

use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::allocation::Counting;
use tacho_testkit::conformance::{Bench, allocation};
use tacho_testkit::live;

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

/// A client must not allocate as much memory as a packet claims to need. In this test, the server announces 16 MiB but
/// sends only a few bytes, either directly after the connection is opened or after the login.
#[test]
fn claimed_lengths_are_not_allocated() {
    let _inside = enter();
    let packet = |number: u8, body: &[u8]| [&[body.len() as u8, 0, 0, number], body].concat();
    let greeting = [
        &b"\x0A8.0.0\0\x01\0\0\0abcdefgh\0\xFF\xF7\x2D\x02\0\xFF\xDF\x15"[..],
        &[0; 10],
        b"ijklmnopqrst\0mysql_native_password\0",
    ];
    let ready = [packet(0, &greeting.concat()), packet(2, b"\0\0\0\x02\0\0\0")].concat();
    let claims = [0, 1, 3].map(|number| vec![0xFE, 0xFF, 0xFF, number, 0xFF]);
    let after = claims.clone().map(|claim| [&ready[..], &claim, b"garbage"].concat());
    let said = [&claims[..], &after].concat();
    let at = |port: u16| format!("mysql://me@127.0.0.1:{port}/d?ssl-mode=disabled");
    live::claimed_lengths_are_not_allocated(&*driver(), at, &said, 256 * 1024);
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
