//! The queries: their order, and what they are asked.
//!
//! Start reading at [`Arguments`]; the texts are in `sql/`.

mod arguments;
mod days;
mod draw;
mod streams;

pub use arguments::{Arguments, CLOUD};
pub use days::text as day_text;
pub use draw::draw;
pub use streams::{QUERIES, order};
