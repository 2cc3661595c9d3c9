//! A script as its statements, for client libraries that run one at a time.

/// The statements of a script, without the semicolons between them.
pub fn statements(sql: &str) -> impl Iterator<Item = &str> {
    let mut rest = sql;
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            let end = if is_routine(rest) {
                rest.len()
            } else {
                block(rest).unwrap_or_else(|| end_of_statement(rest.as_bytes()))
            };
            let (statement, after) = rest.split_at(end);
            rest = after.strip_prefix(';').unwrap_or(after);
            let statement = statement.trim();
            if !statement.is_empty() {
                return Some(statement);
            }
        }
    })
}

/// Whether a routine begins here whose body is not quoted: it has semicolons of its own, and nothing follows.
fn is_routine(sql: &str) -> bool {
    let mut words = sql.split_whitespace().map(str::to_uppercase);
    let created = words.next().as_deref() == Some("CREATE");
    let kind = words.find(|word| word != "OR" && word != "REPLACE");
    let is_one = matches!(kind.as_deref(), Some("PROCEDURE" | "FUNCTION" | "TRIGGER"));
    created && is_one && !sql.contains("$$")
}

/// The length of a block that has a line for itself, `BEGIN …; END;`, if the text begins with one. Its last
/// semicolon is a part of it where it has one.
fn block(sql: &str) -> Option<usize> {
    let start = sql.len() - sql.trim_start().len();
    let line = sql[start..].lines().next()?;
    let inner = line.trim_end_matches(';');
    let is_one = line.starts_with("BEGIN ") && inner.ends_with(" END");
    is_one.then(|| start + inner.len() + usize::from(line.ends_with(';')))
}

/// Where the first semicolon is that is not within quotes or a comment.
fn end_of_statement(sql: &[u8]) -> usize {
    let mut at = 0;
    while at < sql.len() {
        at += match (sql[at], sql.get(at + 1)) {
            (b';', _) => return at,
            (quote @ (b'\'' | b'"' | b'`'), _) => 2 + length_until(&sql[at + 1..], &[quote]),
            (b'-', Some(b'-')) => 1 + length_until(&sql[at..], b"\n"),
            (b'/', Some(b'*')) => 4 + length_until(&sql[at + 2..], b"*/"),
            (b'$', _) => match dollar_quote(&sql[at..]) {
                Some(quote) => 2 * quote.len() + length_until(&sql[at + quote.len()..], quote),
                None => 1,
            },
            _ => 1,
        };
    }
    sql.len()
}

/// How many bytes come before this mark; all of them if it does not come.
fn length_until(sql: &[u8], mark: &[u8]) -> usize {
    sql.windows(mark.len()).position(|window| window == mark).unwrap_or(sql.len())
}

/// A quote such as `$$` or `$body$`, if one begins here.
fn dollar_quote(sql: &[u8]) -> Option<&[u8]> {
    let end = sql.iter().skip(1).position(|byte| *byte == b'$')? + 1;
    let name = &sql[1..end];
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let begins = name.first().is_none_or(|byte| !byte.is_ascii_digit());
    (begins && name.iter().all(plain)).then(|| &sql[..=end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semicolons_in_quotes_and_comments_end_nothing() {
        let table: [(&str, &[&str]); 13] = [
            ("", &[]),
            (" ; ;", &[]),
            ("a; b ;c", &["a", "b", "c"]),
            ("a ';' b; c", &["a ';' b", "c"]),
            ("a 'it''s; so'; \"x;y\"; `p;q`", &["a 'it''s; so'", "\"x;y\"", "`p;q`"]),
            ("a -- one; two\n, b; c", &["a -- one; two\n, b", "c"]),
            ("a /* x; y */ b; c /* z;", &["a /* x; y */ b", "c /* z;"]),
            (
                "f $$ x; y $$; g $n$ $$; $n$; h $1; i",
                &["f $$ x; y $$", "g $n$ $$; $n$", "h $1", "i"],
            ),
            ("a 'open; b", &["a 'open; b"]),
            ("a;\nBEGIN b; c; END;;\nd", &["a", "BEGIN b; c; END;", "d"]),
            ("BEGIN; a; END;", &["BEGIN", "a", "END"]),
            ("BEGIN b; c; END\nd; e", &["BEGIN b; c; END", "d", "e"]),
            (
                "a; create or replace procedure p() begin x; y; end",
                &["a", "create or replace procedure p() begin x; y; end"],
            ),
        ];
        for (script, expected) in table {
            assert_eq!(statements(script).collect::<Vec<_>>(), expected, "{script}");
        }
    }
}
