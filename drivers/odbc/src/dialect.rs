//! The dialect of a data source. It is the dialect of its database, but with ODBC placeholders.

use std::sync::Arc;

use tacho_core::Table;
use tacho_driver::lexer::Syntax;
use tacho_driver::{Dialect, DialectLayer, Driver};

/// Standard SQL, used for a database that no other driver supports.
struct Standard;

impl Dialect for Standard {
    fn id(&self) -> &'static str {
        "standard"
    }

    fn syntax(&self) -> Syntax {
        Syntax { backticks: true, dollar_quotes: true, ..Syntax::PLAIN }
    }

    fn placeholder(&self, _: usize, sql: &mut String) {
        sql.push('?');
    }

    fn row_limit(&self, rows: &str, sql: &mut String) {
        sql.extend(["FETCH FIRST ", rows, " ROWS ONLY"]);
    }

    /// Standard SQL has no statement that collects statistics.
    fn analyze(&self, _: &[Table]) -> String {
        String::new()
    }

    fn drop_table(&self, name: &str) -> String {
        format!("DROP TABLE {name}")
    }
}

/// The dialect that Tacho uses for a data source.
#[derive(Clone)]
pub struct SourceDialect {
    /// Tacho's own driver for the data source's database, if there is one.
    pub base: Option<Arc<dyn Driver>>,
}

impl DialectLayer for SourceDialect {
    fn inner(&self) -> &dyn Dialect {
        self.base.as_ref().map_or(&Standard, |base| base.dialect())
    }

    fn placeholder(&self, _: usize, sql: &mut String) {
        sql.push('?');
    }

    fn reuses_placeholders(&self) -> bool {
        false
    }

    fn several_statements(&self) -> bool {
        false
    }

    fn results_by_name(&self) -> bool {
        false
    }
}
