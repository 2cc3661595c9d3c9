//! Babelfish 4.3. It behaves like SQL Server, except for the differences in this file.
//!
//! Start reading at [`refusal`].

use super::parse::Token;
use super::tokens::Trouble;
use super::translate::at_depth;

/// The error number that Babelfish uses for all errors that do not exist in SQL Server.
const UNMAPPED: i32 = 33_557_097;
/// The value of `@@VERSION`.
pub const VERSION: &str = "Babelfish for PostgreSQL with SQL Server Compatibility - 12.0.2000.8\n\
    Oct 24 2024 10:00:00\nCopyright (c) Amazon Web Services\n\
    PostgreSQL 16.4 on x86_64-pc-linux-gnu (Babelfish 4.3.0)";

/// Returns Babelfish's error for a statement that SQL Server would accept.
pub fn refusal(tokens: &[Token]) -> Option<Trouble> {
    let first = tokens.first()?;
    let text = if first.is("UPDATE") && tokens.get(1)?.is("STATISTICS") {
        "'UPDATE STATISTICS' is not currently supported in Babelfish"
    } else if output(tokens).iter().any(|token| token.is("CASE")) {
        "syntax error near 'CASE'"
    } else if first.is_one_of(&["SELECT", "WITH"]) && tokens.iter().any(|token| token.is("FOUND")) {
        // Babelfish's procedural language has a variable called `found`, so a column with this name
        // is ambiguous.
        "column reference \"found\" is ambiguous"
    } else {
        return None;
    };
    Some(Trouble::new(UNMAPPED, 16, text))
}

/// Returns true if the server always reports zero written rows for this kind of statement.
pub fn is_uncounted(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|token| token.is("UPDATE")) && !output(tokens).is_empty()
}

/// Returns the list that follows `OUTPUT`.
fn output(tokens: &[Token]) -> &[Token] {
    let Some(at) = at_depth(tokens, "OUTPUT") else { return &[] };
    let list = &tokens[at + 1..];
    let end = list.iter().position(|token| token.is_one_of(&["WHERE", "FROM", "VALUES", "SELECT"]));
    &list[..end.unwrap_or(list.len())]
}
