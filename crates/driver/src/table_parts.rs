//! The columns, indexes, constraints and triggers of tables. Comparing them reveals changes made by other clients.
//!
//! Start reading at [`TableParts`].

use crate::objects::{Object, fingerprint};

/// A part of a table, or the options of the table itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TablePart {
    /// The table name, in the form returned by [`crate::NameCase::shown`].
    pub table: String,
    /// `column`, `index`, `constraint`, `trigger` or similar; `table` for the table's options.
    pub kind: String,
    /// The part's name; empty for the table options.
    pub name: String,
    /// The definition as the database reports it, without anything that depends on the rows.
    pub definition: String,
    /// An identifier that changes if the part is created again, such as an object ID. Empty if there is none.
    pub identity: String,
}

impl TablePart {
    fn is_same(&self, other: &Self) -> bool {
        (&self.table, &self.kind, &self.name) == (&other.table, &other.kind, &other.name)
    }

    /// Returns the part's name, for use in messages.
    fn shown(&self) -> String {
        let Self { table, kind, name, .. } = self;
        if name.is_empty() {
            format!("{kind} {table}")
        } else {
            format!("{kind} {name} of table {table}")
        }
    }

    /// Returns a stored routine in the form of a table part, so that it can be compared in the same way.
    pub fn routine(object: &Object) -> Self {
        Self {
            table: object.name.clone(),
            kind: "routine".into(),
            name: String::new(),
            definition: object.fingerprint(),
            identity: object.identity.clone(),
        }
    }
}

/// The parts of several tables at one point in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableParts(Vec<TablePart>);

impl TableParts {
    /// Keeps only the columns, indexes and other parts that belong to the tables with these names.
    pub fn of(mut parts: Vec<TablePart>, tables: &[&str]) -> Self {
        parts.retain(|part| tables.contains(&part.table.as_str()));
        parts.sort();
        Self(parts)
    }

    /// Returns the names of the tables for which there is at least one part, such as a column or an index.
    pub fn tables(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.0.iter().map(|part| part.table.as_str()).collect();
        names.dedup();
        names
    }

    /// Returns true if the list is empty, which means that the database did not describe the tables.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns a hash of all definitions. It ignores the numbers in generated names, so rebuilding the tables does not
    /// change it.
    pub fn fingerprint(&self) -> String {
        let lines = self.0.iter().map(|part| format!("{}: {}", part.shown(), part.definition));
        fingerprint(&lines.map(|line| without_numbers(&line)).collect::<Vec<_>>())
    }

    /// Returns a sentence for each part that was added, removed or changed in `now`. If `identities` is true, parts
    /// that were created again count as changed.
    pub fn changes(&self, now: &Self, identities: bool) -> Vec<String> {
        let fate = |part: &TablePart| {
            let now = now.0.iter().find(|current| current.is_same(part));
            match now {
                None => Some("was dropped"),
                Some(now) if now.definition != part.definition => Some("was changed"),
                Some(now) if identities && now.identity != part.identity => {
                    Some("was dropped and created again")
                }
                Some(_) => None,
            }
        };
        let known =
            self.0.iter().filter_map(|part| Some(format!("{} {}", part.shown(), fate(part)?)));
        let is_new = |part: &&TablePart| !self.0.iter().any(|known| known.is_same(part));
        let added = now.0.iter().filter(is_new).map(|part| format!("{} was added", part.shown()));
        known.chain(added).collect()
    }
}

/// Minimum number of digits of a generated number, such as those in `SYS_C008765` and `PK__a__3213E83F1A14E395`. A
/// shorter number may be part of a name that somebody has chosen.
const GENERATED_MIN: usize = 6;

/// Replaces each long number with `#`. A number consists of decimal digits or upper-case hexadecimal digits.
fn without_numbers(line: &str) -> String {
    let is_digit = |c: char| matches!(c, '0'..='9' | 'A'..='F');
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(is_digit) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_digit(c)).unwrap_or(from.len()));
        let is_number = word.len() >= GENERATED_MIN && word.contains(|c: char| c.is_ascii_digit());
        text.extend([before, if is_number { "#" } else { word }]);
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: &str, name: &str, definition: &str, identity: &str) -> TablePart {
        let [kind, name, definition, identity] =
            [kind, name, definition, identity].map(str::to_owned);
        TablePart { table: "a".into(), kind, name, definition, identity }
    }

    #[test]
    fn changes_name_the_part_and_its_fate() {
        let column = part("column", "x", "int", "1");
        let index = part("index", "i", "(x)", "7");
        let before = TableParts::of(vec![column.clone(), index.clone()], &["a"]);
        let changes = |parts: Vec<TablePart>| before.changes(&TableParts::of(parts, &["a"]), true);
        assert!(changes(vec![index.clone(), column.clone()]).is_empty());
        assert_eq!(changes(vec![column.clone()]), ["index i of table a was dropped"]);
        let trigger = part("trigger", "t", "", "");
        let found = changes(vec![column.clone(), index.clone(), trigger]);
        assert_eq!(found, ["trigger t of table a was added"]);
        let wider = part("column", "x", "bigint", "1");
        assert_eq!(changes(vec![wider, index]), ["column x of table a was changed"]);
        let again = vec![column, part("index", "i", "(x)", "8")];
        assert_eq!(changes(again.clone()), ["index i of table a was dropped and created again"]);
        let again = TableParts::of(again, &["a"]);
        assert!(before.changes(&again, false).is_empty());
        assert_eq!(before.fingerprint(), again.fingerprint());
        assert!(TableParts::of(vec![part("column", "x", "int", "")], &["b"]).is_empty());
    }

    #[test]
    fn generated_names_are_not_part_of_the_fingerprint() {
        let of = |name: &str, definition: &str| {
            TableParts::of(vec![part("constraint", name, definition, "")], &["a"]).fingerprint()
        };
        let pairs = [
            ("PK__a__3213E83F1A14E395", "PK__a__77BFDE0012345678"),
            ("SYS_C008765", "SYS_C0012345"),
            ("SQL230815123456789", "SQL261127000000001"),
        ];
        for (first, second) in pairs {
            assert_eq!(of(first, first), of(second, second), "{first}");
        }
        assert_ne!(of("a_pkey", "(x)"), of("b_pkey", "(x)"));
        assert_ne!(of("c", "numeric(12,2)"), of("c", "numeric(10,2)"));
    }
}
