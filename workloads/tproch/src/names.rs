//! Names of tables in upper case: HammerDB has them on databases that distinguish `LINEITEM` from `lineitem`.
//!
//! It must never change anything but names of tables. Start reading at [`in_schema`] and [`in_sql`].

use tacho_core::Schema;

const NAMES: [(&str, &str); 8] = [
    ("region", "REGION"),
    ("nation", "NATION"),
    ("supplier", "SUPPLIER"),
    ("customer", "CUSTOMER"),
    ("part", "PART"),
    ("partsupp", "PARTSUPP"),
    ("orders", "ORDERS"),
    ("lineitem", "LINEITEM"),
];

/// The dialect of the databases where HammerDB's names are upper case.
pub const DIALECT: &str = "mysql";

fn upper(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|(lower, _)| *lower == name).map(|(_, upper)| *upper)
}

/// The eight tables of a schema in upper case, also where another one refers to them.
pub fn in_schema(schema: &mut Schema) {
    for table in &mut schema.tables {
        table.name = upper(table.name).unwrap_or(table.name);
        for reference in &mut table.references {
            reference.table = upper(reference.table).unwrap_or(reference.table);
        }
    }
}

/// A statement with these tables in upper case. Texts and parameters, as in `:nation`, stay.
pub fn in_sql(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let (mut word, mut quoted, mut before) = (String::new(), false, ' ');
    for letter in sql.chars().chain(Some(' ')) {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            word.push(letter);
            continue;
        }
        let renamed = upper(&word).filter(|_| !quoted && before != ':');
        out.push_str(renamed.unwrap_or(&word));
        word.clear();
        out.push(letter);
        quoted ^= letter == '\'';
        before = letter;
    }
    out.pop();
    out
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
        assert_eq!(in_sql(sql), expected);
    }
}
