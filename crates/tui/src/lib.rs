//! The live view of a run in a terminal.
//!
//! It draws finished snapshots that it receives: it measures nothing, and can neither slow nor stop a
//! run. A full channel drops a snapshot and says so; a terminal that goes away ends the view alone.
//! No workload and no database is named here: all words come with the snapshots. Start reading at
//! [`View`], then [`Model`] for what is known, and [`draw()`] for how it looks.

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
