//! The restrictions of memory-optimized tables: they cannot be created in a transaction and do not support lock hints.
//!
//! In this server, memory-optimized tables are stored like all others. Start reading at [`refusal`].

use super::parse::Token;
use super::tokens::Trouble;
use super::{Shared, lock};

/// Lock hints that memory-optimized tables do not support.
const LOCKS: &[&str] = &[
    "UPDLOCK",
    "XLOCK",
    "ROWLOCK",
    "PAGLOCK",
    "TABLOCK",
    "TABLOCKX",
    "HOLDLOCK",
    "NOWAIT",
    "READPAST",
    "READCOMMITTEDLOCK",
];
/// Keywords of data definition statements. None of them is allowed in a transaction.
const DEFINES: &[&str] = &["CREATE", "ALTER", "DROP"];

/// Returns the error if a statement is not allowed. If it creates a memory-optimized table, remembers the table's name.
pub fn refusal(shared: &Shared, tokens: &[Token], in_transaction: bool) -> Option<Trouble> {
    let mut known = lock(&shared.in_memory);
    let first = tokens.first()?;
    let creates = tokens.iter().any(|token| token.is("MEMORY_OPTIMIZED"));
    if creates {
        let name = tokens.iter().skip(2).find(|token| token.names())?;
        known.push(name.text.to_lowercase());
    }
    let is_table =
        tokens.get(1).is_some_and(|token| token.is_one_of(&["TABLE", "INDEX", "UNIQUE"]));
    let names = |token: &Token| token.names() && known.contains(&token.text.to_lowercase());
    if known.is_empty() || !tokens.iter().any(names) {
        return None;
    }
    if first.is_one_of(DEFINES) && is_table && in_transaction {
        let text = "DDL statements ALTER, DROP and CREATE inside user transactions are not supported with \
                    memory optimized tables.";
        return Some(Trouble::new(12_331, 16, text));
    }
    let defines_index = first.is("CREATE") && !creates && is_table;
    if first.is("TRUNCATE") || defines_index || tokens.iter().any(|token| token.is_one_of(LOCKS)) {
        let text = "The statement is not supported with memory optimized tables.";
        return Some(Trouble::new(10_794, 16, text));
    }
    None
}
