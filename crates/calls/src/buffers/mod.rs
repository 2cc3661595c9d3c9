//! Buffers for the parameters and results of statements. A buffer is bound once and used many times.
//!
//! Start reading at [`Params`] and [`Columns`].

mod column;
mod columns;
mod form;
mod params;
mod pieces;
mod timestamp;
mod wide;

use tacho_core::{Error, ErrorKind};

pub use column::Column;
pub use columns::Columns;
pub use form::{Form, Manner, TextType, declared};
pub use params::Params;
pub use pieces::text_of;
pub use timestamp::Timestamp;
pub use wide::{push_wide, sendable};

#[cold]
fn protocol(text: String) -> Error {
    Error::new(ErrorKind::Protocol, text)
}
