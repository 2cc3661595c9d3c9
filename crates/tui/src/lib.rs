//! The live view of a run in a terminal.
//!
//! The view has its own copy of the measurement's state, so it cannot slow down the run.
//!
//! Start reading at [`View`]. [`Model`] is the state, and [`draw()`] draws the screen.

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
