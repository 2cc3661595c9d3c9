//! Tests which messages the client sends. A batch of steps must be a single request.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use tacho_core::Result;
use tacho_driver::{Access, Exchange, Form, StatementId};
use tacho_testkit::conformance::Bench;

use crate::common::{driver, enter, exchange, server};

const SQL: &str = "-- name: one(n int) -> (n int)\nSELECT :n::int\n\
                   -- name: two(n int) -> (n int)\nSELECT :n::int + 1";

/// Forwards all bytes and records the tags of the client's messages.
struct Listener {
    port: u16,
    /// Tags of the messages since the previous call of `take`, one letter per message.
    tags: Arc<Mutex<String>>,
}

impl Listener {
    fn start(to: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let tags = Arc::new(Mutex::new(String::new()));
        let kept = tags.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(("127.0.0.1", to)).expect("the server");
                let answers = (twin(&server), twin(&client));
                let kept = kept.clone();
                // The test ends if either side closes the connection.
                thread::spawn(move || listen(client, server, &kept));
                thread::spawn(move || copy(answers));
            }
        });
        Self { port, tags }
    }

    /// Returns the tags recorded since the previous call.
    fn take(&self) -> String {
        std::mem::take(&mut self.tags.lock().expect("no panic"))
    }
}

fn twin(stream: &TcpStream) -> TcpStream {
    stream.try_clone().expect("a second handle")
}

fn copy((mut from, mut to): (TcpStream, TcpStream)) {
    let _ = std::io::copy(&mut from, &mut to);
}

/// The first message is not recorded, because it has no tag. All others are recorded before they are forwarded to the
/// server.
fn listen(mut client: TcpStream, mut server: TcpStream, tags: &Mutex<String>) -> Option<()> {
    let mut tag = None;
    loop {
        let mut length = [0; 4];
        client.read_exact(&mut length).ok()?;
        let mut body = vec![0; (u32::from_be_bytes(length) as usize).checked_sub(4)?];
        client.read_exact(&mut body).ok()?;
        if let Some(tag) = tag {
            tags.lock().ok()?.push(char::from(tag));
            server.write_all(&[tag]).ok()?;
        }
        server.write_all(&length).ok()?;
        server.write_all(&body).ok()?;
        let mut next = [0];
        client.read_exact(&mut next).ok()?;
        tag = Some(next[0]);
    }
}

/// Runs two statements in a transaction.
fn work(bench: &Bench<'_>, exchange: &mut Exchange) -> Result<()> {
    exchange.begin(Access::Write);
    for statement in 0..2 {
        exchange.execute(StatementId(statement)).int(1);
    }
    exchange.commit();
    bench.send(exchange).map(|_| ())
}

/// Each step sends `B`ind and `E`xecute. `S`ync follows each step or, if the steps are pipelined, only the last one.
///
/// `P`arse and `D`escribe are sent once per session. A statement that is sent as text is a single `Q`uery.
#[test]
fn a_batch_is_one_request_and_a_statement_is_prepared_once() -> Result<()> {
    let _inside = enter();
    let listener = Listener::start(server().port());
    let target =
        format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", listener.port);
    let driver = driver();
    let bench = Bench::new(&*driver, &target);
    let once = "CPCPCPPDPDS";
    for (form, opened, each) in [
        (Form::Pipelined, once, "BEBEBEBES"),
        (Form::Sql, once, "BESBESBESBES"),
        (Form::Simple, "Q", "QQQQ"),
    ] {
        let mut exchange = exchange(&bench, SQL, form)?;
        let opening = listener.take();
        assert!(opening.ends_with(opened), "{form:?}: {opening}");
        for _ in 0..10 {
            work(&bench, &mut exchange)?;
            assert_eq!(listener.take(), each, "{form:?}");
        }
        bench.wait(exchange.into_session().close())?;
        listener.take();
    }
    Ok(())
}
