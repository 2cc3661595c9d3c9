//! Files that contain rows in a format that databases can load, and the description file that is stored with them.

pub(crate) mod note;
mod written;

pub use note::LoadedFiles;
pub use written::{Portion, WrittenFile};
