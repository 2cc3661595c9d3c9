//! Upper-case table names, as in HammerDB, for databases where `LINEITEM` and `lineitem` are different tables.
//!
//! This file must change only table names. Start reading at [`Names`].

use tacho_core::Schema;

use crate::files::SQL;

/// File in a dialect's folder that lists the tables whose names must be in upper case, one per line.
const NAMES: &str = "hammerdb/names.txt";

/// A dialect's table names in upper case.
#[derive(Clone, Copy, Debug)]
pub struct Names(&'static str);

impl Names {
    /// Returns the names for a dialect, or `None` if HammerDB uses lower-case names on it.
    pub fn of(dialect: &str) -> Option<Self> {
        SQL.of(dialect, NAMES).map(Self)
    }

    fn upper(self, name: &str) -> Option<&'static str> {
        self.0.lines().find(|upper| upper.to_ascii_lowercase() == name)
    }

    /// Converts the names of the eight tables to upper case, including the names in foreign keys.
    pub fn in_schema(self, schema: &mut Schema) {
        for table in &mut schema.tables {
            table.name = self.upper(table.name).unwrap_or(table.name);
            for reference in &mut table.references {
                reference.table = self.upper(reference.table).unwrap_or(reference.table);
            }
        }
    }

    /// Returns a statement with upper-case table names. String literals and parameters stay unchanged.
    pub fn in_sql(self, sql: &str) -> String {
        let mut out = String::with_capacity(sql.len());
        let (mut word, mut quoted, mut before) = (String::new(), false, ' ');
        for letter in sql.chars().chain(Some(' ')) {
            if letter.is_ascii_alphanumeric() || letter == '_' {
                word.push(letter);
                continue;
            }
            let renamed = self.upper(&word).filter(|_| !quoted && before != ':');
            out.push_str(renamed.unwrap_or(&word));
            word.clear();
            out.push(letter);
            quoted ^= letter == '\'';
            before = letter;
        }
        out.pop();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tables_change_and_nothing_else() {
        let sql = "SELECT ps_partkey, part.p_size, 'part of orders' FROM part, lineitem l1\n\
                   WHERE n_name = :nation AND supplier_no = 1 AND x IN (SELECT nation)";
        let expected = "SELECT ps_partkey, PART.p_size, 'part of orders' FROM PART, LINEITEM l1\n\
                        WHERE n_name = :nation AND supplier_no = 1 AND x IN (SELECT NATION)";
        let names = Names::of("mysql").expect("names");
        assert_eq!(names.in_sql(sql), expected);
        assert!(Names::of("postgres").is_none());
    }
}
