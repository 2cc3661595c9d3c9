//! A scripted listener for Oracle's network protocol. It covers everything that happens before the login.
//!
//! A packet starts with its length in two bytes, two zeros, its type in one byte, and three zeros. Once a connection is
//! accepted, the length takes four bytes.
//!
//! Start reading at [`Listener`].

#![expect(clippy::missing_panics_doc, reason = "a test panics with what it expected")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

const ACCEPT: u8 = 2;
const REFUSE: u8 = 4;
const DATA: u8 = 6;

/// The listener's response to each client.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Rejects the client with this error number, as a real listener would.
    Refuse(u32),
    /// Sends these bytes.
    Bytes(Vec<u8>),
    /// Closes the connection.
    HangUp,
    /// Sends nothing, but keeps the connection open.
    Silence,
    /// Accepts the client, and closes the connection when the client's next message arrives.
    AcceptAndHangUp,
    /// Accepts the client, and responds to its next message with a server error.
    Fail(u32, &'static str),
}

/// A listener on a free local port. It runs until the process exits.
#[derive(Debug)]
pub struct Listener {
    port: u16,
}

impl Listener {
    /// Starts a listener that gives this response to each client.
    pub fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        thread::spawn(move || {
            let mut kept = Vec::new();
            while let Ok((mut client, _)) = listener.accept() {
                // Ignore the error, because the client may have disconnected already.
                let _ = serve(&mut client, &answer);
                if matches!(answer, Answer::Silence) {
                    kept.push(client);
                }
            }
        });
        Self { port }
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }
}

fn serve(client: &mut TcpStream, answer: &Answer) -> std::io::Result<()> {
    if let Answer::Bytes(bytes) = answer {
        // A server with another protocol would read the client's first message, send a response, and close the
        // connection.
        let _ = client.read(&mut [0; 1_024])?;
        client.write_all(bytes)?;
        return client.shutdown(Shutdown::Write);
    }
    connect_packet(client)?;
    match answer {
        Answer::Refuse(number) => {
            let text = format!("(DESCRIPTION=(TMP=)(VSNNUM=0)(ERR={number})(ERROR_STACK=))");
            let mut body = vec![0, 0];
            body.extend((text.len() as u16).to_be_bytes());
            body.extend(text.as_bytes());
            client.write_all(&short_packet(REFUSE, &body))
        }
        Answer::Bytes(_) | Answer::HangUp | Answer::Silence => Ok(()),
        Answer::AcceptAndHangUp => accept(client),
        Answer::Fail(number, text) => {
            accept(client)?;
            client.write_all(&failure(*number, text))?;
            // Wait, so that the client can read the error before the connection is closed.
            client.read_to_end(&mut Vec::new()).map(|_| ())
        }
    }
}

/// Reads a client's first packet.
fn connect_packet(client: &mut TcpStream) -> std::io::Result<()> {
    let mut length = [0; 2];
    client.read_exact(&mut length)?;
    let mut rest = vec![0; usize::from(u16::from_be_bytes(length)) - 2];
    client.read_exact(&mut rest)?;
    assert_eq!(rest[2], 1, "a client begins with CONNECT");
    Ok(())
}

/// Accepts a client and tells it to log in with a single message. Reads the header of the client's next packet.
fn accept(client: &mut TcpStream) -> std::io::Result<()> {
    let mut body = vec![0; 41];
    body[..2].copy_from_slice(&318_u16.to_be_bytes());
    // The maximum packet size.
    body[24..28].copy_from_slice(&8192_u32.to_be_bytes());
    // Login in one message.
    body[33] = 0x10;
    client.write_all(&short_packet(ACCEPT, &body))?;
    client.read_exact(&mut [0; 10])
}

fn short_packet(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut packet = ((body.len() + 8) as u16).to_be_bytes().to_vec();
    packet.extend([0, 0, kind, 0, 0, 0]);
    packet.extend(body);
    packet
}

/// Returns a message that reports an error. Unused fields are zero, and the error's number and text follow.
fn failure(number: u32, text: &str) -> Vec<u8> {
    const ERROR: u8 = 4;
    let mut body = vec![0, 0, ERROR];
    body.extend([0; 28]);
    body.push(4);
    body.extend(number.to_be_bytes());
    body.extend([0; 3]);
    body.push(text.len() as u8);
    body.extend(text.as_bytes());
    let mut packet = ((body.len() + 8) as u32).to_be_bytes().to_vec();
    packet.extend([DATA, 0, 0, 0]);
    packet.extend(body);
    packet
}
