//! A database's descriptions of its tables and routines, which distinguish Tacho's objects from others with the same
//! names.

/// The table that marks its neighbors as created by Tacho. A database file without it must not be changed.
pub const MARKER_TABLE: &str = "tacho_marker";

/// The kind of an [`Object`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A table.
    Table,
    /// A stored function or procedure.
    Routine,
    /// A view, sequence, index, type or other object whose name is not available for a table.
    Other,
}

/// A database's rule for comparing unquoted names with stored names.
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
    /// Converts a stored name. The result equals a lower-case name exactly if that name, unquoted, refers to the
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
    /// The name in the form of [`NameCase::shown`], which equals the lower-case name by which a statement finds the
    /// object.
    pub name: String,
    /// The schema if a statement can find tables in several schemas; otherwise empty.
    pub schema: String,
    /// An identifier, such as an object ID, that differs from other objects of the same name and stays the same when
    /// rows change. Empty if the database has none.
    pub identity: String,
    /// A table's columns, each as name and type with a space between; a routine's text; any other object's kind.
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

    /// Returns true if a table has exactly these columns in any order. A database may rearrange columns to save space.
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
