//! Documentation examples of inspectors that wrap another inspector. `cargo test --doc` verifies that the complete
//! example compiles, and that an example without one of the methods does not.
//!
//! The examples are part of the documentation of [`crate::Inspector`]. Start reading there.

/// Expands to the part that all examples have in common: an inspector that wraps another one, without its last method
/// and closing brace. Each example adds the closing brace, and the method unless its absence is tested.
macro_rules! inspector_around {
    () => {
        "
# use std::time::Duration;
# use tacho_core::{QueryStats, Result, Schema};
# use tacho_driver::*;
struct Around<'s>(&'s mut dyn Inspector);

impl Inspector for Around<'_> {
    fn facts(&mut self) -> BoxFuture<'_, Result<ServerFacts>> {
        self.0.facts()
    }
    // The same for all other methods.
#   fn tables(&mut self) -> BoxFuture<'_, Result<Vec<String>>> { self.0.tables() }
#   fn objects(&mut self) -> BoxFuture<'_, Result<Vec<Object>>> { self.0.objects() }
#   fn table_parts<'a>(
#       &'a mut self,
#       of: &'a [&'a str],
#   ) -> BoxFuture<'a, Result<Vec<TablePart>>> {
#       self.0.table_parts(of)
#   }
#   fn obstacles<'a>(&'a mut self, of: &'a [&'a Object]) -> BoxFuture<'a, Result<Vec<String>>> {
#       self.0.obstacles(of)
#   }
#   fn accepts<'a>(&'a mut self, schema: &'a Schema) -> BoxFuture<'a, Result<()>> {
#       self.0.accepts(schema)
#   }
#   fn machine(&mut self) -> BoxFuture<'_, Result<Option<ServerMachine>>> { self.0.machine() }
#   fn sizes(&mut self) -> BoxFuture<'_, Result<Option<DataSizes>>> { self.0.sizes() }
#   fn counters(&mut self) -> BoxFuture<'_, Result<Option<Counters>>> { self.0.counters() }
#   fn headroom(&mut self) -> BoxFuture<'_, Result<Option<Headroom>>> { self.0.headroom() }
#   fn privileges(&mut self) -> BoxFuture<'_, Result<Option<Privileges>>> {
#       self.0.privileges()
#   }
#   fn plan<'a>(
#       &'a mut self,
#       statement: &'a Statement,
#       values: &'a Values,
#   ) -> BoxFuture<'a, Result<Option<String>>> {
#       self.0.plan(statement, values)
#   }
#   fn query_stats(&mut self, exclusive: bool) -> BoxFuture<'_, Result<Option<QueryStats>>> {
#       self.0.query_stats(exclusive)
#   }
"
    };
}
pub(crate) use inspector_around;

#[cfg(test)]
mod tests {
    /// If a method had a default implementation, a decorator could omit the method by mistake. Calls would then not
    /// reach the wrapped object.
    #[test]
    fn no_trait_that_is_decorated_has_a_default_method() {
        let sources = [
            ("Driver", include_str!("driver.rs")),
            ("Inspector", include_str!("inspector.rs")),
            ("Session", include_str!("session.rs")),
        ];
        for (name, source) in sources {
            let start = source.find(&format!("pub trait {name}: ")).expect("the trait");
            let body = source[start..].split("\n}\n").next().unwrap_or_default();
            let methods = body.matches("\n    fn ").count();
            assert!(methods > 5, "{name} has {methods} methods");
            let defaults: Vec<&str> =
                body.lines().skip(1).filter(|line| line.contains('{')).collect();
            assert!(defaults.is_empty(), "{name}: {defaults:?}");
        }
    }
}
