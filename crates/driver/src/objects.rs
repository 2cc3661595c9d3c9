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
    /// A view, sequence, index, type or the like: a table of its name cannot be created.
    Other,
}

/// The rule by which a database compares a name that is written without quotation marks with the names that it stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameCase {
    /// A name without quotation marks is taken in upper case, as standard SQL has it.
    Upper,
    /// It is taken in lower case, or as it is written.
    Exact,
    /// Upper and lower case are the same.
    Insensitive,
}

impl NameCase {
    /// Returns a stored name so that it equals a lower-case name if and only if a statement with that name, without
    /// quotation marks, finds the stored one.
    pub fn shown(self, stored: &str) -> String {
        match self {
            Self::Exact => stored.to_owned(),
            Self::Insensitive => stored.to_ascii_lowercase(),
            Self::Upper if stored.chars().any(char::is_lowercase) => format!("\"{stored}\""),
            Self::Upper => stored.to_lowercase(),
        }
    }
}

/// A table or a stored routine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// The name as [`NameCase::shown`] returns it: it equals a lower-case name if a statement with that name finds this
    /// object.
    pub name: String,
    /// The schema, where a statement may find tables of several; otherwise empty.
    pub schema: String,
    /// What tells it from another one of the same name, such as an object id, and stays as long as
    /// nothing but its rows changes; empty where the database has nothing of the kind.
    pub identity: String,
    /// Of a table its columns, each with its type behind a space; of a routine its text; of anything else what it is.
    pub shape: Vec<String>,
    /// The statement that removes this one and no other.
    pub drop: String,
}

impl Object {
    /// A number for its shape: two of different shape hardly ever have the same.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.shape)
    }

    /// Returns true if a statement with this lower-case name finds this table.
    pub fn is_table(&self, name: &str) -> bool {
        self.kind == ObjectKind::Table && self.name == name
    }

    /// Returns true if a table has these columns and no other ones, in any order: a database may store them in an order
    /// that saves space.
    pub fn has_columns<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> bool {
        let mut expected: Vec<&str> = names.into_iter().collect();
        let mut found: Vec<&str> = self.columns().collect();
        expected.sort_unstable();
        found.sort_unstable();
        expected == found
    }

    /// Names of the columns of a table.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.shape.iter().map(|column| column.split(' ').next().unwrap_or_default())
    }
}

/// Returns a hash of some lines: different lines hardly ever have the same.
pub fn fingerprint(lines: &[String]) -> String {
    format!("{:016x}", tacho_core::Seed(0).child(&lines.join(", ")).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_compare_as_the_database_compares_them() {
        let is_found = |rule: NameCase, stored: &str| rule.shown(stored) == "tacho_units";
        for (rule, expected) in [
            (NameCase::Upper, [false, true, false]),
            (NameCase::Exact, [true, false, false]),
            (NameCase::Insensitive, [true, true, true]),
        ] {
            let found =
                ["tacho_units", "TACHO_UNITS", "Tacho_Units"].map(|own| is_found(rule, own));
            assert_eq!(found, expected, "{rule:?}");
        }
    }
}
