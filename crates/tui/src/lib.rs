//! The live view of a run in a terminal.
//!
//! The view draws snapshots from the run, and can neither slow it down nor stop it. Start reading at [`View`], then at
//! [`Model`] for the state and at [`draw()`] for the screen.

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
