//! Files of rows, and the note in their folder.

pub(crate) mod note;
mod written;

pub use note::LoadedFiles;
pub use written::{Portion, WrittenFile};
