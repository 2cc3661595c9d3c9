//! Natively compiled procedures. They may use only a part of T-SQL. Their body is an atomic block, which acts as a
//! transaction.
//!
//! In this server, natively compiled procedures are interpreted like all others. Start reading at [`refusal`].

use super::parse::{self, Token};
use super::tokens::Trouble;
use super::{Shared, lock, translate};

/// The functions that Tacho's natively compiled procedures call. All are in Microsoft's list of functions supported in
/// 2017.
///
/// The list also contains words such as `DECIMAL`, which look like function calls because they are followed by a
/// parenthesis.
const CALLED: &[&str] = &[
    "CAST",
    "CONCAT_WS",
    "COUNT",
    "DATETIME2",
    "DECIMAL",
    "ISNULL",
    "LEN",
    "MAX",
    "MIN",
    "NCHAR",
    "NVARCHAR",
    "SUBSTRING",
    "SUM",
    "TOP",
    "VALUES",
    "WITH",
    "FROM",
    "THEN",
    "AND",
    "OR",
    "NOT",
    "IN",
    "EXISTS",
];
/// Keywords that natively compiled procedures do not support. The list also contains types whose values cannot be
/// converted to the types of the columns.
const UNKNOWN: &[&str] = &[
    "BEGIN TRANSACTION",
    "COALESCE",
    "COMMIT",
    "CURSOR",
    "LIKE",
    "MERGE",
    "OFFSET",
    "OUTPUT",
    "ROLLBACK",
    "VARCHAR",
    "CHAR",
    "XACT_ABORT",
];
/// Keywords that precede a table.
const BEFORE_TABLES: &[&str] = &["FROM", "INTO", "JOIN", "UPDATE"];

/// Returns true if a routine is natively compiled.
pub fn is_native(routine: &[Token]) -> bool {
    routine.iter().any(|token| token.is("NATIVE_COMPILATION"))
}

/// Returns the error if a natively compiled procedure cannot be created.
pub fn refusal(shared: &Shared, routine: &[Token], in_transaction: bool) -> Option<Trouble> {
    if !is_native(routine) {
        return None;
    }
    if in_transaction {
        let text = "DDL statements ALTER, DROP and CREATE inside user transactions are not supported with \
                    natively compiled modules.";
        return Some(Trouble::new(12_331, 16, text));
    }
    let unsupported = |what: &str| {
        let text = format!("The {what} is not supported with natively compiled modules.");
        Some(Trouble::new(10_794, 16, text))
    };
    let has = |word: &str| routine.iter().any(|token| token.is(word));
    if !has("SCHEMABINDING") || !has("ATOMIC") || !has("SNAPSHOT") || !has("LANGUAGE") {
        return unsupported("body without an atomic block and its options");
    }
    let mut columns = false;
    for (at, token) in routine.iter().enumerate() {
        let next = |ahead: usize| routine.get(at + ahead);
        if token.is_one_of(UNKNOWN) {
            return unsupported(&token.text);
        }
        columns |= token.is("INTO");
        let called = token.names() && next(1).is_some_and(|token| token.is("("));
        if called && !token.is_one_of(CALLED) && !columns {
            return unsupported(&token.text);
        }
        columns &= !called;
        if token.is("COUNT") && next(2).is_some_and(|token| token.is("DISTINCT")) {
            return unsupported("DISTINCT aggregate");
        }
        if token.is_one_of(BEFORE_TABLES) && next(1).is_some_and(Token::names) {
            if !next(2).is_some_and(|token| token.is(".")) {
                let text =
                    "Names must be in two-part format and an object cannot reference itself.";
                return Some(Trouble::new(4512, 16, text));
            }
            let name = next(3).map(|token| token.text.to_lowercase()).unwrap_or_default();
            if !lock(&shared.in_memory).contains(&name) {
                let text = format!("Object '{name}' is not a memory optimized table.");
                return Some(Trouble::new(10_775, 16, text));
            }
        }
    }
    None
}

/// Returns the error if a table or a natively compiled procedure cannot be dropped.
pub fn keeps(routines: &[String], dropped: &[Token], in_transaction: bool) -> Option<Trouble> {
    let is_dropped = |name: &Token| {
        name.names() && dropped.iter().any(|token| token.text.eq_ignore_ascii_case(&name.text))
    };
    for routine in routines {
        let routine = parse::tokens(routine).unwrap_or_default();
        if !is_native(&routine) {
            continue;
        }
        let bound = routine
            .windows(3)
            .any(|part| part[0].is("dbo") && part[1].is(".") && is_dropped(&part[2]));
        if bound && dropped.get(1).is_some_and(|token| token.is("TABLE")) {
            let text = "Cannot DROP TABLE because it is being referenced by an object.";
            return Some(Trouble::new(3729, 16, text));
        }
        if in_transaction && routine.get(1).is_some_and(is_dropped) {
            let text = "DDL statements ALTER, DROP and CREATE inside user transactions are not supported with \
                        natively compiled modules.";
            return Some(Trouble::new(12_331, 16, text));
        }
    }
    None
}

/// Returns the statements inside the atomic block.
pub fn block(body: &[Token]) -> Vec<Token> {
    let at = |word: &str| body.iter().position(|token| token.is(word)).unwrap_or_default();
    let end = translate::closing(body, at("WITH") + 1);
    let mut block = body[..at("ATOMIC")].to_vec();
    block.extend_from_slice(body.get(end + 1..).unwrap_or_default());
    block
}
