//! Code that network drivers share: sockets, TLS, message buffers, target options, and connection errors.
//!
//! This crate does not depend on any database. A [`Framing`] describes the message format of a protocol.
//!
//! Start reading at [`Wire`].

mod carrier;
mod end_point;
mod environment;
mod errors;
mod options;
mod place;
mod recognize;
mod secret;
mod stream;
mod text_row;
mod tls;
mod wire;

pub use carrier::Envelope;
pub use environment::{Lookup, login_name, variable};
pub use errors::{is_last, lost, not_taken, too_late, unexpected, unreachable};
pub use options::{Given, Options, TargetOption, isolation, option, seconds};
pub use place::decoded;
pub use recognize::{Greeting, recognize, tcp_address};
pub use secret::{Found, Secret, is_open_to_others};
pub use stream::{Stream, UnixSocket, connect_tcp};
pub use text_row::{TextRow, number, object, table_part, waits};
pub use tls::{Handshake, TlsMode, Trust, encrypt, encrypt_as, provide_tls};
pub use wire::{Framing, Header, MESSAGE_MAX, Message, Wire};
