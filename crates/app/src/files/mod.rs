//! Row files, and the description file stored in their folder.

pub(crate) mod note;
mod written;

pub use note::LoadedFiles;
pub use written::{Portion, WrittenFile};
