//! The queries, with their order and their parameters.
//!
//! Start reading at [`Arguments`]; the SQL text is in `sql/`.

mod arguments;
mod days;
mod draw;
mod streams;

pub use arguments::{Arguments, CLOUD};
pub use days::text as day_text;
pub use draw::draw;
pub use streams::{QUERIES, order};
