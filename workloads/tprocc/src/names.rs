//! The standard's table names, and other tools' table names.
//!
//! Statements are written with the standard's table names, which this file replaces with those of a tool.
//!
//! Start reading at [`Names`].

use tacho_driver::Section;

use crate::schema::TABLES as COUNT;

/// Sets of tables. The first is Tacho's own, and the others are named after their tools.
pub const TABLES: [&str; 6] = ["own", "tpcc-mysql", "dbt2", "sysbench-tpcc", "go-tpc", "benchbase"];

const STANDARD: [&str; COUNT] = [
    "warehouse",
    "district",
    "customer",
    "history",
    "item",
    "stock",
    "orders",
    "new_order",
    "order_line",
];

/// The table names in index order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names([&'static str; COUNT]);

impl Default for Names {
    fn default() -> Self {
        Self(STANDARD)
    }
}

impl Names {
    /// Returns the table names used by `tool`.
    pub fn of(tool: &str) -> Self {
        let mut names = STANDARD;
        match tool {
            "tpcc-mysql" => names[7] = "new_orders",
            "benchbase" => names[6] = "oorder",
            "sysbench-tpcc" => {
                names = [
                    "warehouse1",
                    "district1",
                    "customer1",
                    "history1",
                    "item1",
                    "stock1",
                    "orders1",
                    "new_orders1",
                    "order_line1",
                ];
            }
            _ => {}
        }
        Self(names)
    }

    pub fn table(&self, table: usize) -> &'static str {
        self.0[table]
    }

    /// Returns true if these are the names in the standard.
    pub fn are_standard(&self) -> bool {
        self.0 == STANDARD
    }

    /// Replaces the standard's names in statements.
    pub fn write(&self, sections: &mut [Section]) {
        if self.are_standard() {
            return;
        }
        for sql in sections.iter_mut().flat_map(|section| &mut section.sql) {
            *sql = self.written(sql);
        }
    }

    /// Returns a statement with the standard's names replaced, word by word.
    fn written(&self, sql: &str) -> String {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let mut out = String::with_capacity(sql.len() + 16);
        let (bytes, mut at) = (sql.as_bytes(), 0);
        while at < bytes.len() {
            let word = is_word(bytes[at]);
            let end = (at..bytes.len()).find(|next| is_word(bytes[*next]) != word);
            let end = end.unwrap_or(bytes.len());
            let part = &sql[at..end];
            // Skip a parameter, because it is not a table name even if it looks like one.
            let bound = at > 0 && bytes[at - 1] == b':';
            let known = STANDARD.iter().position(|name| word && !bound && *name == part);
            out.push_str(known.map_or(part, |table| self.0[table]));
            at = end;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_that_name_tables_are_changed() {
        let names = Names::of("sysbench-tpcc");
        let sql = "SELECT new_orders, orders.o_id FROM orders JOIN new_order ON :orders = 'é'";
        let expected =
            "SELECT new_orders, orders1.o_id FROM orders1 JOIN new_orders1 ON :orders = 'é'";
        assert_eq!(names.written(sql), expected);
        assert_eq!(Names::of("go-tpc"), Names::default());
        assert_eq!(Names::of("benchbase").written("orders"), "oorder");
    }
}
