//! A database's descriptions of its tables and routines. They show what Tacho created.

/// Name of a table by which Tacho recognizes its own databases. A database file without it must not be changed.
pub const MARKER_TABLE: &str = "tacho_marker";

/// The kind of an [`Object`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A table.
    Table,
    /// A stored function or procedure.
    Routine,
    /// A view, sequence, index, type or other object. No table can have its name.
    Other,
}

/// A database's rule for comparing unquoted names with stored names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameCase {
    /// Unquoted names are converted to upper case, as in standard SQL.
    Upper,
    /// Unquoted names are converted to lower case or left unchanged.
    Exact,
    /// Names are not case-sensitive.
    Insensitive,
}

impl NameCase {
    /// Converts a stored name for comparison. The result is in lower case if the unquoted lower-case name finds the
    /// object.
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
    /// The name as converted by [`NameCase::shown`]. An unquoted lower-case name finds this object only if it equals
    /// this name.
    pub name: String,
    /// The schema; empty unless a statement can find tables in several schemas.
    pub schema: String,
    /// An identifier, such as an object ID, that changes if the object is created again. Empty if there is none.
    pub identity: String,
    /// The names and types of a table's columns, the text of a routine, or the kind of any other object.
    pub shape: Vec<String>,
    /// The statement that drops exactly this object.
    pub drop: String,
}

impl Object {
    /// Returns a hash of the shape. Different shapes almost never have the same hash.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.shape)
    }

    /// Returns true if a statement that uses this lower-case name finds this table.
    pub fn is_table(&self, name: &str) -> bool {
        self.kind == ObjectKind::Table && self.name == name
    }

    /// Returns true if a table has exactly these columns. Databases may rearrange columns, so the order is ignored.
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
