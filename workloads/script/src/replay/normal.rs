//! Assigns statements to kinds by their text without literals. Each kind has a short name.

use tacho_driver::lexer::{Lexeme, Syntax, Token, tokens};

/// Maximum length of a statement's text when statements are assigned to kinds. Statements that differ only after this
/// length are of the same kind.
const LONGEST: usize = 2_000;
/// Maximum length of a kind's name.
const NAME_MAX: usize = 40;

/// Writes the text in lower case, without comments and with literals replaced. A list of literals
/// is replaced by a single one.
pub fn normalise(text: &[u8], syntax: Syntax, out: &mut String) {
    out.clear();
    let mut gap = false;
    for Lexeme { token, range, .. } in tokens(text, syntax) {
        if out.len() > LONGEST {
            out.push('…');
            return;
        }
        let part = &text[range];
        match token {
            Token::Blank | Token::Comment | Token::Executed => {
                gap = !out.is_empty();
                continue;
            }
            // Clients may or may not include the semicolon at the end of a statement.
            Token::Sign(b';') => continue,
            _ => {}
        }
        let is_value = matches!(token, Token::Text | Token::Number | Token::Parameter(_));
        let is_list = is_value || token == Token::Sign(b')');
        if is_list && closes_list(token, out) {
            gap = false;
            continue;
        }
        if std::mem::take(&mut gap) && is_spaced(out, token) {
            out.push(' ');
        }
        match token {
            _ if is_value => {
                leave_out_sign(out);
                out.push('?');
            }
            Token::Word => out.push_str(&String::from_utf8_lossy(part).to_lowercase()),
            _ => out.push_str(&String::from_utf8_lossy(part)),
        }
        if token == Token::Sign(b',') {
            out.push(' ');
        }
    }
    let end = out.trim_end().len();
    out.truncate(end);
}

/// Removes the sign of a negative number, so that it has the same kind as a positive one.
fn leave_out_sign(out: &mut String) {
    if let Some(before) = out.strip_suffix('-')
        && before.trim_end().ends_with(['=', '<', '>', '+', '-', '*', '/', ',', '('])
    {
        out.truncate(before.len());
    }
}

/// Returns true if the normalised text needs a space before this token.
fn is_spaced(out: &str, token: Token) -> bool {
    let after = out.ends_with(['(', ' ', '.']);
    !after && !matches!(token, Token::Sign(b',' | b')' | b'.'))
}

/// Omits a repeated literal in a list, as in `?, ?`, or a repeated row, as in `(?), (?)`.
fn closes_list(token: Token, out: &mut String) -> bool {
    if token == Token::Sign(b')') {
        if let Some(kept) = out.strip_suffix(", (?").filter(|kept| kept.ends_with("(?)")) {
            out.truncate(kept.len());
            return true;
        }
        return false;
    }
    if let Some(kept) = out.strip_suffix("?, ") {
        out.truncate(kept.len() + 1);
        return true;
    }
    // The number after a sign, such as -1 in a list.
    if let Some(kept) = out.strip_suffix("?, -") {
        out.truncate(kept.len() + 1);
        return true;
    }
    false
}

/// Returns a name such as `update_pgbench_accounts`, from the first keyword and the first table.
pub fn name(normal: &str) -> String {
    let is_part = |c: char| !(c.is_alphanumeric() || c == '_' || c == '.');
    let mut words = normal.split(is_part).filter(|word| !word.is_empty());
    let Some(verb) = words.next() else { return "empty".to_owned() };
    let rest: Vec<&str> = words.collect();
    let is_before = |word: &str| matches!(word, "from" | "into" | "update" | "table" | "join");
    let table = if matches!(verb, "update" | "truncate" | "lock" | "call") {
        rest.iter().find(|word| !matches!(**word, "only" | "table")).copied()
    } else {
        rest.iter().position(|word| is_before(word)).and_then(|at| rest.get(at + 1)).copied()
    };
    let second = table.or_else(|| {
        let shows = matches!(verb, "set" | "show" | "create" | "drop" | "alter" | "commit");
        rest.first().copied().filter(|_| shows)
    });
    let whole = second.map_or(verb.to_owned(), |second| format!("{verb}_{second}"));
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    whole.chars().map(plain).take(NAME_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_no_part_of_a_kind() {
        let table = [
            (
                "UPDATE  pgbench_accounts SET abalance = abalance + -42 WHERE aid = 7;",
                "update pgbench_accounts set abalance = abalance + ? where aid = ?",
                "update_pgbench_accounts",
            ),
            (
                "select a from t where b in (1, 2,3 ) and c = $1 -- why",
                "select a from t where b in (?) and c = ?",
                "select_t",
            ),
            (
                "INSERT INTO t (a, b) VALUES (1,'x'), (2,'y'),(3, 'z')",
                "insert into t (a, b) values (?)",
                "insert_t",
            ),
            ("BEGIN", "begin", "begin"),
            ("SET search_path TO x", "set search_path to x", "set_search_path"),
            (";", "", "empty"),
            ("select 1", "select ?", "select"),
        ];
        let mut normal = String::new();
        for (text, expected, short) in table {
            normalise(text.as_bytes(), Syntax::STANDARD, &mut normal);
            assert_eq!((normal.as_str(), name(&normal).as_str()), (expected, short), "{text}");
        }
    }
}
