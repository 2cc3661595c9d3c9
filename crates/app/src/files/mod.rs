//! Files with rows in a format that databases can load, and the file that describes them.

pub(crate) mod note;
mod written;

pub use note::LoadedFiles;
pub use written::{Portion, WrittenFile};
