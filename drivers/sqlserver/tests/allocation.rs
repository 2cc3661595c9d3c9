//! Checks that a warmed-up exchange allocates no memory, with prepared statements and with text.
//!
//! Also checks that an idle session uses little memory.

mod common;

use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::allocation::Counting;
use tacho_testkit::conformance::{Bench, allocation};
use tacho_testkit::live;

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

/// A client must not allocate as much memory as a token claims to need. In this test, the server announces 4 GiB but
/// sends only 3 MiB, either in its first response or after the login.
#[test]
fn claimed_lengths_are_not_allocated() {
    let _inside = enter();
    let packet = |status: u8, body: &[u8]| {
        let [high, low] = (body.len() as u16 + 8).to_be_bytes();
        [&[4, status, high, low, 0, 0, 1, 0], body].concat()
    };
    let prelogin = packet(1, &[1, 0, 6, 0, 1, 0xFF, 2]);
    let login = [
        &[0xAD, 12, 0, 1, 0x74, 0, 0, 4, 1, b'S', 0, 16, 0, 0, 1][..],
        &[0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ];
    let zeros = packet(0, &vec![0; 60_000]).repeat(50);
    let claims = [0xE4, 0xEE, 0xD1, 0x81, 0xAA].map(|token| {
        let begun = packet(0, &[token, 0xFF, 0xFF, 0xFF, 0xFF]);
        [&begun[..], &zeros].concat()
    });
    let first = claims.clone().map(|claim| [&prelogin[..], &claim].concat());
    let after = claims.map(|claim| [&prelogin[..], &packet(1, &login.concat()), &claim].concat());
    let said = [&first[..], &after].concat();
    let at = |port: u16| format!("sqlserver://sa@127.0.0.1:{port}/d?encrypt=optional");
    live::claimed_lengths_are_not_allocated(&*driver(), at, &said, 3 * 1024 * 1024);
}

#[test]
fn an_idle_session_is_small() -> Result<()> {
    let _inside = enter();
    let driver = driver();
    let server = server(Encryption::Off);
    let target = target(&server, "&encrypt=optional");
    allocation::idle_session(&Bench::new(&*driver, &target), Form::Sql)
}
