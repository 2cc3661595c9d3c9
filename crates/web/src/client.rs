//! Follows a measurement that is running in another process. That process has a web server that
//! sends events. If the connection is lost, the client reconnects and continues with the next
//! event.
//!
//! Start reading at [`follow`].

use std::path::PathBuf;
use std::time::Duration;

use http_body_util::{BodyExt, Empty, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, AUTHORIZATION, HOST};
use hyper::{Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tacho_core::file::RECORD_MAX;
use tacho_core::{Error, ErrorKind, Result};
use tacho_net::{Stream, TlsMode, Trust};
use tacho_store::Event;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// Maximum time to wait for a response.
const PATIENCE: Duration = Duration::from_secs(10);
/// Interval between attempts to reconnect, and the maximum number of attempts. A restart of the server takes less than
/// these 30 seconds.
const PAUSE: Duration = Duration::from_secs(1);
const TRIES: u32 = 30;
/// Maximum size of a response or an event in bytes. The largest ones contain a run record.
const SIZE_MAX: usize = RECORD_MAX as usize;
const EVENTS: &str = "/api/v1/activity/events";
const STATE: &str = "/api/v1/activity";

/// The address of a server.
#[derive(Clone)]
pub struct Address {
    host: String,
    port: u16,
    is_tls: bool,
    token: String,
    ca: Option<PathBuf>,
}

impl Address {
    /// Parses an address as printed by `tacho serve`. If it contains no token, uses `token`.
    pub fn read(url: &str, token: Option<&str>, ca: Option<PathBuf>) -> Result<Self> {
        let odd = || {
            Error::usage("not an address of a Tacho web view").hint(
                "use the address that tacho serve or tacho run --web printed, including its \
                       token",
            )
        };
        let uri: Uri = url.parse().map_err(|_| odd())?;
        let is_tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(odd()),
        };
        let host = uri.host().ok_or_else(odd)?.to_owned();
        let port = uri.port_u16().unwrap_or(if is_tls { 443 } else { 80 });
        let mut pairs = uri.query().unwrap_or_default().split('&');
        let within = pairs.find_map(|pair| pair.strip_prefix("token="));
        let token = within.or(token).ok_or_else(|| {
            Error::usage("the server requires a token")
                .hint("use the address that tacho serve printed, including its token")
        })?;
        Ok(Self { host, port, is_tls, token: token.to_owned(), ca })
    }
}

impl Address {
    /// Parses the address of an agent. If the agent uses no encryption, `HOST:PORT` can be written
    /// instead of a URL.
    pub fn of_agent(text: &str, token: Option<&str>, ca: Option<PathBuf>) -> Result<Self> {
        let url = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        Self::read(&url, token, ca).map_err(|_| {
            Error::usage(format!("invalid agent \"{}\"", tacho_core::masked(text)))
                .hint("expected HOST:PORT or https://HOST:PORT, and the token in TACHO_AGENT_TOKEN")
        })
    }

    /// Returns the address without its token.
    pub(crate) fn name(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        format!("{scheme}://{}:{}", self.host, self.port)
    }
}

/// Requests the JSON at a path, using a temporary event loop.
pub(crate) fn get_json(address: &Address, path: &str) -> Result<Value> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(json(address, path))
}

async fn json(address: &Address, path: &str) -> Result<Value> {
    let asked = async {
        let body = Limited::new(ask(address, path, "").await?, SIZE_MAX).collect().await;
        let body = body.map_err(|error| {
            if error.is::<LengthLimitError>() { too_long(address) } else { silent(address) }
        })?;
        serde_json::from_slice(&body.to_bytes()).map_err(|error| {
            Error::new(ErrorKind::Protocol, "the response is not from a Tacho web view")
                .source(error)
        })
    };
    tokio::time::timeout(PATIENCE, asked).await.map_err(|_| silent(address))?
}

/// Passes on the events of a server until the command ends or `go_on` returns false. If the command
/// ended, returns its exit code.
pub fn follow(
    address: &Address,
    go_on: &dyn Fn() -> bool,
    event: &mut dyn FnMut(&Event),
) -> Result<Option<i32>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let state = json(address, STATE).await?;
        if state["state"] != "running" {
            return Ok(None);
        }
        let mut follower = Follower { last: String::new(), end: None };
        let mut tries = 0;
        while go_on() {
            let before = follower.last.clone();
            let broken = follower.listen(address, go_on, event).await;
            if follower.end.is_some() || !go_on() {
                break;
            }
            if broken.as_ref().is_err_and(|error| error.kind() == ErrorKind::Resource) {
                return broken.map(|()| None);
            }
            tries = if before == follower.last { tries + 1 } else { 0 };
            if tries == TRIES {
                return Err(broken.err().unwrap_or_else(|| silent(address)));
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(follower.end)
    })
}

fn silent(address: &Address) -> Error {
    let Address { host, port, .. } = address;
    Error::new(ErrorKind::Connect, format!("no response from {host}:{port}"))
        .hint("check that tacho serve or tacho run --web is still running there")
}

fn too_long(address: &Address) -> Error {
    let text = format!("{} sent more than {} MiB at once", address.name(), SIZE_MAX >> 20);
    Error::new(ErrorKind::Resource, text)
        .hint("check that this is the address printed by tacho serve or tacho run --web")
}

/// Sends a request and returns the response body.
async fn ask(address: &Address, path: &str, last: &str) -> Result<Incoming> {
    let asked = tokio::time::timeout(PATIENCE, connected(address, path, last)).await;
    let response = asked.map_err(|_| silent(address))??;
    match response.status() {
        StatusCode::OK => Ok(response.into_body()),
        StatusCode::UNAUTHORIZED => {
            Err(Error::new(ErrorKind::Auth, "the server does not accept this token")
                .hint("use the address most recently printed by tacho serve"))
        }
        StatusCode::FORBIDDEN => Err(Error::new(
            ErrorKind::Auth,
            format!("the server does not accept the host name {}", address.host),
        )
        .hint("to add a host name, use tacho serve --allow-host NAME")),
        other => Err(Error::new(ErrorKind::Protocol, format!("the server responded with {other}"))),
    }
}

async fn connected(address: &Address, path: &str, last: &str) -> Result<Response<Incoming>> {
    let stream = TcpStream::connect((address.host.trim_matches(['[', ']']), address.port))
        .await
        .map_err(|error| silent(address).source(error))?;
    if !address.is_tls {
        return sent(TokioIo::new(stream), address, path, last).await;
    }
    let trust = Trust {
        mode: TlsMode::VerifyFull,
        authorities: address.ca.as_deref(),
        identity: None,
        words: ["https", "--ca FILE", ""],
    };
    let Stream::Tls(stream) = tacho_net::encrypt(stream, &address.host, trust).await? else {
        return Err(silent(address));
    };
    sent(TokioIo::new(stream), address, path, last).await
}

async fn sent(
    io: TokioIo<impl AsyncRead + AsyncWrite + Send + Unpin + 'static>,
    address: &Address,
    path: &str,
    last: &str,
) -> Result<Response<Incoming>> {
    let broken = |error: hyper::Error| silent(address).source(error);
    let (mut sender, connection) = http1::handshake(io).await.map_err(broken)?;
    tokio::spawn(connection);
    let mut request = Request::get(path)
        .header(HOST, format!("{}:{}", address.host, address.port))
        .header(ACCEPT, "*/*")
        .header(AUTHORIZATION, format!("Bearer {}", address.token));
    if !last.is_empty() {
        request = request.header("last-event-id", last);
    }
    let request = request.body(Empty::<Bytes>::new()).map_err(|_| silent(address))?;
    sender.send_request(request).await.map_err(broken)
}

struct Follower {
    last: String,
    end: Option<i32>,
}

impl Follower {
    /// Passes on events until the command has ended or the connection is lost.
    async fn listen(
        &mut self,
        address: &Address,
        go_on: &dyn Fn() -> bool,
        event: &mut dyn FnMut(&Event),
    ) -> Result<()> {
        let mut body = ask(address, EVENTS, &self.last).await?;
        let mut unread: Vec<u8> = Vec::new();
        while go_on() && self.end.is_none() {
            // Use a timeout, so that `go_on` is called regularly even if no events arrive.
            let Ok(frame) = tokio::time::timeout(Duration::from_millis(200), body.frame()).await
            else {
                continue;
            };
            let frame = frame.ok_or_else(|| silent(address))?.map_err(|_| silent(address))?;
            let Ok(data) = frame.into_data() else { continue };
            // Search for the two newlines that end an event. Only the new bytes are searched, plus the last byte before
            // them, because it may be the first of the two newlines.
            let mut from = unread.len().saturating_sub(1);
            unread.extend_from_slice(&data);
            while let Some(end) = unread[from..].windows(2).position(|two| two == b"\n\n") {
                let message: Vec<u8> = unread.drain(..from + end + 2).collect();
                self.hear(&String::from_utf8_lossy(&message), event);
                from = 0;
            }
            if unread.len() > SIZE_MAX {
                return Err(too_long(address));
            }
        }
        Ok(())
    }

    fn hear(&mut self, message: &str, event: &mut dyn FnMut(&Event)) {
        let mut data = String::new();
        for line in message.lines() {
            match line.split_once(": ") {
                Some(("id", id)) => id.clone_into(&mut self.last),
                Some(("data", value)) => data.push_str(value),
                _ => {}
            }
        }
        // Skip events that cannot be parsed, because the server may be newer than this client.
        let Ok(read) = serde_json::from_str::<Event>(&data) else { return };
        if let Event::End { exit_code, .. } = read {
            self.end = Some(exit_code);
        }
        event(&read);
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    /// Starts a server whose responses never end, and returns its port.
    pub(crate) fn endless() -> u16 {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(std::result::Result::ok) {
                std::thread::spawn(move || {
                    let _ = stream.read(&mut [0; 4096]);
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
                    while stream.write_all(&[b'a'; 1 << 12]).is_ok() {}
                });
            }
        });
        port
    }

    #[test]
    fn a_response_without_end_is_rejected() {
        let url = format!("http://127.0.0.1:{}/?token=a", endless());
        let address = Address::read(&url, None, None).expect("an address");
        let error = get_json(&address, STATE).expect_err("a response that is too long");
        assert_eq!(error.kind(), ErrorKind::Resource, "{error}");
        assert!(error.to_string().contains("more than 64 MiB"), "{error}");
        assert!(follow(&address, &|| true, &mut |_| {}).is_err());

        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let mut follower = Follower { last: String::new(), end: None };
        let go_on = || true;
        let mut event = |_: &Event| {};
        let heard = follower.listen(&address, &go_on, &mut event);
        let error = runtime.expect("a runtime").block_on(heard).expect_err("an event without end");
        assert!(error.to_string().contains("more than 64 MiB"), "{error}");
    }
}
