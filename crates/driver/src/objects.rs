//! Tables and stored routines, as described by a database. The descriptions distinguish objects created by Tacho from
//! other objects with the same names.

/// A table that marks the tables next to it as created by Tacho. A database file without it must not be changed.
pub const MARKER_TABLE: &str = "tacho_marker";

/// The kind of an [`Object`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A table.
    Table,
    /// A stored function or procedure.
    Routine,
    /// A view, sequence, index, type or similar object whose name cannot be used for a table.
    Other,
}

/// The rule by which a database compares an unquoted name with the names that it stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameCase {
    /// An unquoted name is converted to upper case, as in standard SQL.
    Upper,
    /// An unquoted name is converted to lower case or left unchanged.
    Exact,
    /// Names are not case-sensitive.
    Insensitive,
}

impl NameCase {
    /// Converts a stored name so that the result equals a lower-case name if and only if a statement with that unquoted
    /// name finds the stored name.
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
    /// The kind of the object.
    pub kind: ObjectKind,
    /// The name in the form returned by [`NameCase::shown`], which equals a lower-case name if a statement with that
    /// name finds this object.
    pub name: String,
    /// The schema, if a statement can find tables in more than one schema; otherwise empty.
    pub schema: String,
    /// An identifier, such as an object ID, that distinguishes this object from other objects with the same name and
    /// that changes only if something other than the rows changes. Empty if the database has no such identifier.
    pub identity: String,
    /// For a table, its columns, each written as a name and type separated by a space; for a routine, its text; for any
    /// other object, its kind.
    pub shape: Vec<String>,
    /// The statement that drops exactly this object.
    pub drop: String,
}

impl Object {
    /// Returns a hash of the shape. Different shapes almost never have the same hash.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.shape)
    }

    /// Returns true if a statement with this lower-case name finds this table.
    pub fn is_table(&self, name: &str) -> bool {
        self.kind == ObjectKind::Table && self.name == name
    }

    /// Returns true if a table has exactly these columns. Their order does not matter, because a database may rearrange
    /// columns to save space.
    pub fn has_columns<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> bool {
        let mut expected: Vec<&str> = names.into_iter().collect();
        let mut found: Vec<&str> = self.columns().collect();
        expected.sort_unstable();
        found.sort_unstable();
        expected == found
    }

    /// Returns the names of a table's columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.shape.iter().map(|column| column.split(' ').next().unwrap_or_default())
    }
}

/// Returns a hash of lines. Different lines almost never have the same hash.
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
                ["tacho_units", "TACHO_UNITS", "Tacho_Units"].map(|name| is_found(rule, name));
            assert_eq!(found, expected, "{rule:?}");
        }
    }
}
