//! The live view of a run in a terminal.
//!
//! The view draws the completed snapshots that it receives. It does not measure anything, and it can neither slow down
//! nor stop a run. If its channel is full, a snapshot is dropped and the view reports this; if the terminal is closed,
//! only the view ends. This crate does not mention any workload or database, because all names come from the snapshots.
//! Start reading at [`View`], then at [`Model`] for the state and at [`draw()`] for the screen.

mod draw;
mod keys;
mod model;
mod screen;
mod view;
mod words;

pub use draw::{MIN_HEIGHT, MIN_WIDTH, draw};
pub use keys::{Action, Overlay, Page, Ui};
pub use model::Model;
pub use screen::give_back;
pub use view::{View, fits};
