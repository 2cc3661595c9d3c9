//! The names of the columns that a statement returns, as the server gives them: what `\gset` and `\aset` set.
//!
//! Start reading at [`columns`].

use crate::source::Fail;

/// Words of a statement at the depth of its own clauses.
enum Word<'a> {
    Plain(&'a str),
    Quoted(&'a str),
    /// Brackets with what stands between them.
    Group,
    Sign(char),
    /// Two colons: a cast.
    Cast,
}

/// The names of the columns of a statement; `None` if it has a `*`, whose columns only the server knows.
pub fn columns(text: &str, at: u32) -> Result<Option<Vec<String>>, Fail> {
    let words = words(text);
    let is = |word: &Word<'_>, name: &str| matches!(word, Word::Plain(own) if own.eq_ignore_ascii_case(name));
    let returning = words.iter().rposition(|word| is(word, "returning"));
    let select = words.iter().position(|word| is(word, "select"));
    let Some(start) = returning.or(select) else {
        let fail = Fail::new(at, "the statement returns no columns");
        return Err(fail.hint("\\gset and \\aset follow a SELECT or a RETURNING"));
    };
    let mut list = &words[start + 1..];
    if list.first().is_some_and(|word| is(word, "distinct") || is(word, "all")) {
        list = &list[1..];
    }
    let ends = [
        "from", "into", "where", "group", "having", "order", "limit", "offset", "for", "union",
        "fetch",
    ];
    let end = list
        .iter()
        .position(|word| ends.iter().any(|end| is(word, end)) || matches!(word, Word::Sign(';')));
    let list = &list[..end.unwrap_or(list.len())];
    let items = list.split(|word| matches!(word, Word::Sign(',')));
    if items.clone().any(|item| matches!(item, [.., Word::Sign('*')])) {
        return Ok(None);
    }
    items.map(|item| name(item, at)).collect::<Result<Vec<String>, Fail>>().map(Some)
}

/// The name of one column.
fn name(item: &[Word<'_>], at: u32) -> Result<String, Fail> {
    let unnamed = || {
        let fail = Fail::new(at, "the name of a column is not known");
        Err(fail.hint("write it in the statement: SELECT expression AS name"))
    };
    let plain = |word: &Word<'_>| match word {
        Word::Plain(name) => Some(name.to_ascii_lowercase()),
        Word::Quoted(name) => Some((*name).to_owned()),
        _ => None,
    };
    match item {
        [] => unnamed(),
        [.., Word::Plain(last), alias] if last.eq_ignore_ascii_case("as") => match plain(alias) {
            Some(name) => Ok(name),
            None => unnamed(),
        },
        [rest @ .., last] => {
            let own = plain(last);
            match (rest, own) {
                // A column, also of a table, or an alias without AS.
                ([] | [.., Word::Sign('.')], Some(name)) => Ok(name),
                (
                    [.., Word::Plain(_) | Word::Quoted(_) | Word::Group | Word::Sign('0' | '\'')],
                    Some(name),
                ) if name != "end" => Ok(name),
                (_, Some(name)) if name == "end" => Ok("case".into()),
                // A cast has the name of what is cast.
                ([before @ .., Word::Cast], Some(_)) => name(before, at),
                // A call has the name of its function.
                ([.., Word::Plain(function)], None) if matches!(last, Word::Group) => {
                    Ok(function.to_ascii_lowercase())
                }
                ([before @ .., Word::Cast, Word::Plain(_)], None)
                    if matches!(last, Word::Group) =>
                {
                    name(before, at)
                }
                _ => unnamed(),
            }
        }
    }
}

fn words(text: &str) -> Vec<Word<'_>> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let length = match first {
            '(' | '[' => {
                found.push(Word::Group);
                closed(rest)
            }
            '\'' | '"' => {
                let end = rest[1..].find(first).map_or(rest.len(), |end| end + 2);
                if first == '"' {
                    found.push(Word::Quoted(rest[1..end].trim_end_matches('"')));
                } else {
                    found.push(Word::Sign('\''));
                }
                end
            }
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => {
                found.push(Word::Cast);
                2
            }
            c if is_word(c) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                if c.is_ascii_digit() {
                    found.push(Word::Sign('0'));
                } else {
                    found.push(Word::Plain(&rest[..end]));
                }
                end
            }
            c => {
                if !c.is_whitespace() {
                    found.push(Word::Sign(c));
                }
                c.len_utf8()
            }
        };
        at += length;
    }
    found
}

/// The bytes of a text in brackets, which begins with one.
fn closed(text: &str) -> usize {
    let (mut depth, mut quote) = (0_u32, None);
    for (at, c) in text.char_indices() {
        match (c, quote) {
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => quote = Some(c),
            ('(' | '[', None) => depth += 1,
            (')' | ']', None) => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_the_names_that_the_server_gives() {
        let table = [
            ("SELECT abalance FROM a WHERE aid = :aid;", "abalance"),
            ("select a.x, b.y AS z, count(*), 1 + 2 AS \"Two\" from t", "x z count Two"),
            ("SELECT max(id)::int, now() at, x::bigint FROM t", "max at x"),
            ("SELECT (SELECT 1 FROM b) AS n", "n"),
            ("INSERT INTO t SELECT 1 FROM b RETURNING id, Name", "id name"),
            ("WITH w AS (SELECT 2 AS q) SELECT DISTINCT q FROM w", "q"),
            (
                "SELECT CASE WHEN a > 1 THEN 2 ELSE 3 END, coalesce(max(b), 0) + 1 c FROM t",
                "case c",
            ),
            ("SELECT '5' AS a, ',' AS b", "a b"),
        ];
        for (text, expected) in table {
            let found = columns(text, 0).map(|names| names.unwrap_or_default().join(" "));
            assert_eq!(found.expect(text), expected, "{text}");
        }
    }

    #[test]
    fn what_has_no_name_is_refused() {
        for text in ["SELECT 1 + 2", "UPDATE t SET a = 1"] {
            assert!(columns(text, 0).is_err(), "{text}");
        }
        for text in ["SELECT * FROM t", "SELECT a.*, 1 AS b FROM a"] {
            assert!(columns(text, 0).is_ok_and(|names| names.is_none()), "{text}");
        }
    }
}
