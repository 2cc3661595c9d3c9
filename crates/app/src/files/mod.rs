//! Row files, and the note in their folder that describes them.

pub(crate) mod note;
mod written;

pub use note::LoadedFiles;
pub use written::{Portion, WrittenFile};
