//! Limits of a session that are set before its first statement, by parameters that workloads share.

use tacho_core::units::parse_duration;
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Catalog, Dialect};

use crate::Options;

/// Parameter: workers of the server for each query.
pub const PARALLEL_DEGREE: &str = "parallel_degree";
/// Parameter: longest time of a statement.
pub const STATEMENT_TIMEOUT: &str = "statement_timeout";

/// The limits that a workload's parameters set a session, in the words of a dialect: statements with semicolons
/// between them, or nothing.
///
/// # Errors
/// Unsupported, if the dialect has no words for one that is given.
pub fn session_script(options: &Options, dialect: &dyn Dialect) -> Result<String> {
    let mut script = Vec::new();
    if hint(options, dialect).is_none() && !options.text(PARALLEL_DEGREE).is_empty() {
        let words = dialect.parallel_degree(options.count(PARALLEL_DEGREE));
        script.push(words.ok_or_else(|| no_words(PARALLEL_DEGREE, dialect))?);
    }
    let limit = options.text(STATEMENT_TIMEOUT);
    if !limit.is_empty() {
        let words = dialect.statement_timeout(parse_duration(limit)?);
        script.push(words.ok_or_else(|| no_words(STATEMENT_TIMEOUT, dialect))?);
    }
    Ok(script.join(";\n"))
}

/// Adds the workers that the parameters allow to the text of each query, where the dialect says them there. Queries
/// have names such as `q7`.
pub fn bound_queries(options: &Options, dialect: &dyn Dialect, catalog: &mut Catalog) {
    if let Some(hint) = hint(options, dialect) {
        let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|c| c.is_ascii_digit());
        catalog.end_with(&hint, |name| name.strip_prefix(['q', 'c']).is_some_and(is_number));
    }
}

fn hint(options: &Options, dialect: &dyn Dialect) -> Option<String> {
    let is_given = !options.text(PARALLEL_DEGREE).is_empty();
    is_given.then(|| dialect.parallel_hint(options.count(PARALLEL_DEGREE))).flatten()
}

fn no_words(key: &str, dialect: &dyn Dialect) -> Error {
    let text = format!("{key} is not supported by the dialect {}", dialect.id());
    Error::new(ErrorKind::Unsupported, text).hint("leave the parameter out")
}
