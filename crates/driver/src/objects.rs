//! Tables and stored routines as a database describes them, which distinguishes one that Tacho made from
//! another one of the same name.

/// The table that marks the tables next to it as those of Tacho. A file without it must not be changed.
pub const MARKER_TABLE: &str = "tacho_marker";

/// What an [`Object`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A table.
    Table,
    /// A stored function or procedure.
    Routine,
}

/// A table or a stored routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Name, lower case.
    pub name: String,
    /// What tells it from another one of the same name, such as an object id, and stays as long as
    /// nothing but its rows changes; empty where the database has nothing of the kind.
    pub identity: String,
    /// Of a table its columns, each with its type behind a space; of a routine its text.
    pub shape: Vec<String>,
    /// The statement that removes this one and no other.
    pub drop: String,
}

impl Object {
    /// A number for its shape: two of different shape hardly ever have the same.
    pub fn fingerprint(&self) -> String {
        format!("{:016x}", tacho_core::Seed(0).child(&self.shape.join(", ")).0)
    }

    /// Names of the columns of a table.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.shape.iter().map(|column| column.split(' ').next().unwrap_or_default())
    }
}
