//! Tests hostile servers. They send lengths that are far too large, endless data, or garbage before or after the login.
//!
//! The command must use a limited amount of memory, and must end by itself or at SIGTERM.

#![expect(clippy::disallowed_methods, reason = "connections are waited for in real time")]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::trial::{Trial, expect_documented};
use crate::fuzzed::GREETINGS;

/// Maximum number of bytes sent on a connection.
const MOST: usize = 3 << 30;

/// The bytes that a server sends on each connection.
struct Script {
    /// True if the server sends first.
    greets: bool,
    start: Vec<u8>,
    /// Bytes that the server sends repeatedly after the start. If there are none, the server sends nothing more.
    rest: Vec<u8>,
}

/// A server that sends the same on each connection, until it is dropped.
struct Hostile {
    port: u16,
    over: Arc<AtomicBool>,
}

impl Hostile {
    fn start(script: Script) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        listener.set_nonblocking(true).expect("a listener that can be polled");
        let port = listener.local_addr().expect("an address").port();
        let over = Arc::new(AtomicBool::new(false));
        let (is_over, script) = (Arc::clone(&over), Arc::new(script));
        thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                let Ok((client, _)) = listener.accept() else {
                    thread::sleep(Duration::from_millis(5));
                    continue;
                };
                let (script, is_over) = (Arc::clone(&script), Arc::clone(&is_over));
                thread::spawn(move || drop(send(&client, &script, &is_over)));
            }
        });
        Self { port, over }
    }
}

impl Drop for Hostile {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

fn send(mut client: &TcpStream, script: &Script, is_over: &AtomicBool) -> std::io::Result<()> {
    client.set_nonblocking(false)?;
    client.set_read_timeout(Some(Duration::from_millis(200)))?;
    client.set_write_timeout(Some(Duration::from_millis(500)))?;
    if !script.greets {
        // Even if the client sends nothing, the server sends its response.
        let _ = client.read(&mut [0; 4096]);
    }
    client.write_all(&script.start)?;
    let block = script.rest.repeat(65_536 / script.rest.len().max(1));
    let mut sent = 0;
    while !is_over.load(Ordering::Relaxed) {
        if block.is_empty() || sent > MOST {
            // The client must not wait for this server forever.
            thread::sleep(Duration::from_millis(50));
        } else if let Ok(count) = client.write(&block) {
            sent += count;
        } else {
            // The client has stopped reading or has disconnected. Reading from the connection shows which of the two it
            // is.
            thread::sleep(Duration::from_millis(50));
            if client.read(&mut [0; 4096]).is_ok_and(|count| count == 0) {
                break;
            }
        }
    }
    Ok(())
}

/// Picks at random what the server sends after the opening messages: nothing, garbage, or a header that announces a
/// huge length.
fn draw_rest(trial: &mut Trial) -> (&'static str, Vec<u8>, Vec<u8>) {
    let count = 1 + trial.below(64);
    let garbage = trial.bytes(count);
    let tag = *trial.pick(b"RSKZTDCENAtnGHW123sd");
    let length = *trial.pick(&[u32::MAX, i32::MAX as u32, 1 << 30, 1 << 24, 0, 3, 4]);
    let message = [&[tag][..], &length.to_be_bytes()].concat();
    let packet = [&length.to_le_bytes()[..3], &[tag]].concat();
    let small = [&[tag][..], &(4 + garbage.len() as u32).to_be_bytes(), &garbage].concat();
    match trial.below(7) {
        0 => ("silence", Vec::new(), Vec::new()),
        1 => ("garbage without end", Vec::new(), garbage),
        2 => ("a huge length, silence", message, Vec::new()),
        3 => ("a huge length, then bytes without end", message, garbage),
        4 => ("small messages without end", Vec::new(), small),
        5 => ("a huge packet without end", packet, garbage),
        _ => (
            "full packets without end",
            Vec::new(),
            [&[0xff, 0xff, 0xff, tag][..], &[tag; 16_384]].concat(),
        ),
    }
}

pub fn perform(trial: &mut Trial) {
    let (url, greets, greeting) = *trial.pick(&GREETINGS);
    let scheme = url.split(':').next().unwrap_or_default();
    let cut = match trial.below(3) {
        0 => 0,
        1 => trial.below(greeting.len() as u64 + 1) as usize,
        _ => greeting.len(),
    };
    let (what, head, rest) = draw_rest(trial);
    trial.note(format!("{scheme}: {cut} bytes of a greeting, then {what}"));
    let script = Script { greets, start: [&greeting[..cut], &head].concat(), rest };
    let server = Hostile::start(script);
    let target = url.replace("PORT", &server.port.to_string());
    let command = match trial.below(4) {
        0 => format!("check tpcb '{target}'"),
        1 => format!("doctor '{target}'"),
        2 => format!("prepare tpcb '{target}'"),
        _ => format!("run tpcb '{target}' -c 2 -d 1s --ramp-up 0s"),
    };
    let run =
        format!("ulimit -v 1500000; exec timeout -k 30 -s TERM 8 \"$TACHO\" {command} < /dev/null");
    let done = trial.folder.shell(&run).done();
    trial.note(format!("{}: exit {}", command.split(' ').next().unwrap_or_default(), done.code()));
    assert!(!done.err.contains("panicked") && !done.err.contains("memory allocation"), "{done:?}");
    // Exit code 124 means that the command was still waiting when `timeout` sent the signal.
    if done.code() != 124 {
        expect_documented(&done);
        assert_ne!(done.code(), 0, "{}", done.out);
    }
}
