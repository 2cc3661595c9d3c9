//! The tables and routines that exist in a database. Tacho uses their descriptions to recognize what it created itself.

/// Name of the table that marks a database as created by Tacho. A database file without this table must not be changed.
pub const MARKER_TABLE: &str = "tacho_marker";

/// The kind of an [`Object`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A table.
    Table,
    /// A stored function or procedure.
    Routine,
    /// A view, sequence, index, type or other object whose name cannot be used for a table.
    Other,
}

/// The rule by which a database compares unquoted names in statements with stored names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameCase {
    /// Unquoted names are converted to upper case, as in standard SQL.
    Upper,
    /// Unquoted names are converted to lower case or remain unchanged.
    Exact,
    /// Names are not case-sensitive.
    Insensitive,
}

impl NameCase {
    /// Converts a stored name into a form that can be compared. If the result is in lower case, statements can use the
    /// name without quotes.
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
    /// The name as converted by [`NameCase::shown`]. If a statement uses a lower-case name without quotes, it refers to
    /// this object only if both names are equal.
    pub name: String,
    /// The schema. Empty if there is only one schema that statements can use without naming it.
    pub schema: String,
    /// An identifier that changes if the object is created again, such as an object ID. Empty if there is none.
    pub identity: String,
    /// The definition: the names and types of a table's columns, the text of a routine, or only the kind of any other
    /// object.
    pub shape: Vec<String>,
    /// The statement that drops exactly this object.
    pub drop: String,
}

impl Object {
    /// Returns a hash of the shape. Different shapes almost never have the same hash.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.shape)
    }

    /// Returns true if this object is a table and statements can use this lower-case name for it.
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

/// Returns a hash of several lines of text. Texts that differ almost never have the same hash.
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
