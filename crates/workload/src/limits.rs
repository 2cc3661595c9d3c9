//! Limits that a session sets before its first statement. Several workloads share their parameters.

use tacho_core::units::parse_duration;
use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Catalog, Dialect};

use crate::Options;

/// Parameter for the number of the server's parallel workers per query.
pub const PARALLEL_DEGREE: &str = "parallel_degree";
/// Parameter for the maximum duration of a statement.
pub const STATEMENT_TIMEOUT: &str = "statement_timeout";

/// Returns the statements that set a session's limits in this dialect, separated by semicolons.
/// Empty if there are no limits.
///
/// # Errors
/// Returns an Unsupported error if the dialect cannot express a limit that is set.
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

/// Adds a limit on parallel workers to each query, such as `q7`. Does so only in dialects that
/// write the limit into the query text.
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
    let text = format!("{key} is not supported by the {} dialect", dialect.id());
    Error::new(ErrorKind::Unsupported, text).hint("omit the parameter")
}
