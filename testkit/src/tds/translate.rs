//! Translates T-SQL to SQLite's dialect. Each rule in a list of rules changes the tokens of a statement.
//!
//! This module must not run anything. Start reading at [`statement`].

use super::parse::{Kind, Token};
use super::types::Ty;

/// A statement for SQLite.
#[derive(Debug, Default)]
pub struct Translated {
    pub sql: String,
    /// A query that has to run before the statement, because it returns the rows as they are before the change.
    pub before: Option<String>,
    /// Strings that are bound as parameters, because the text of the statement cannot contain them.
    pub texts: Vec<(String, String)>,
    /// True if other sessions have to wait while this statement is running.
    pub writes: bool,
}

/// Functions to translate, each with its name in SQLite. An equals sign instead of a name means that only the first
/// argument changes: it must be quoted.
const FUNCTIONS: &[(&str, &str)] = &[
    ("getdate", "tds_now"),
    ("sysdatetime", "tds_now"),
    ("getutcdate", "tds_now"),
    ("sysutcdatetime", "tds_now"),
    ("current_timestamp", "tds_now"),
    ("len", "tds_len"),
    ("datalength", "length"),
    ("isnull", "ifnull"),
    ("substring", "substr"),
    ("count_big", "count"),
    ("ceiling", "ceil"),
    ("newid", "tds_newid"),
    ("nchar", "char"),
    ("ascii", "unicode"),
    ("left", "tds_left"),
    ("right", "tds_right"),
    ("charindex", "tds_charindex"),
    ("dateadd", "="),
    ("datediff", "="),
    ("datediff_big", "="),
    ("datepart", "="),
    ("stdev", "avg"),
];
const HINTS: &[&str] = &[
    "NOLOCK",
    "READUNCOMMITTED",
    "READCOMMITTED",
    "READCOMMITTEDLOCK",
    "READPAST",
    "ROWLOCK",
    "PAGLOCK",
    "TABLOCK",
    "TABLOCKX",
    "UPDLOCK",
    "XLOCK",
    "HOLDLOCK",
    "SERIALIZABLE",
    "REPEATABLEREAD",
    "SNAPSHOT",
    "FORCESEEK",
    "FORCESCAN",
    "NOWAIT",
    "INDEX",
    "KEEPIDENTITY",
];
const LOCKING: &[&str] = &["UPDLOCK", "XLOCK", "TABLOCKX"];

/// Translates one statement.
pub fn statement(tokens: &[Token]) -> Translated {
    let mut tokens = tokens.to_vec();
    let mut done = Translated::default();
    let first = tokens.first().map(|token| token.text.to_uppercase()).unwrap_or_default();
    done.writes = !matches!(first.as_str(), "SELECT" | "WITH");
    names(&mut tokens);
    done.writes |= hints(&mut tokens);
    functions(&mut tokens);
    types(&mut tokens, first == "CREATE" || first == "ALTER");
    limits(&mut tokens);
    match first.as_str() {
        "INSERT" | "UPDATE" | "DELETE" => done.before = change(&mut tokens),
        "CREATE" => create(&mut tokens),
        "TRUNCATE" => {
            tokens.splice(0..2.min(tokens.len()), [Token::word("DELETE"), Token::word("FROM")]);
        }
        _ => {}
    }
    if let Some(at) = at_depth(&tokens, "INTO").filter(|_| first == "SELECT") {
        let name = tokens.drain(at..(at + 2).min(tokens.len())).nth(1);
        let words = ["CREATE", "TABLE"].map(Token::word).into_iter().chain(name);
        tokens.splice(0..0, words.chain([Token::word("AS")]));
        done.writes = true;
    }
    for token in &mut tokens {
        if token.kind == Kind::Text && token.text.contains('\0') {
            let name = format!("@__text{}", done.texts.len());
            let text = std::mem::replace(token, Token::new(Kind::Variable, &name)).text;
            done.texts.push((name, text));
        }
    }
    done.sql = render(&tokens);
    done
}

/// Renders tokens as SQLite's SQL.
pub fn render(tokens: &[Token]) -> String {
    let mut sql = String::new();
    for token in tokens {
        match token.kind {
            Kind::Text => {
                sql.push('\'');
                sql.push_str(&token.text.replace('\'', "''"));
                sql.push('\'');
            }
            Kind::Name => {
                sql.push('"');
                sql.push_str(&token.text.replace('"', "\"\""));
                sql.push('"');
            }
            // SQLite has no names such as `@@ROWCOUNT`, so they become variables.
            Kind::Variable => sql.push_str(&token.text.replacen("@@", "@__", 1)),
            Kind::Word | Kind::Number | Kind::Sign => sql.push_str(&token.text),
        }
        sql.push(' ');
    }
    sql
}

/// Returns the index of the first occurrence of a word that is not inside parentheses.
pub fn at_depth(tokens: &[Token], word: &str) -> Option<usize> {
    let mut depth = 0;
    tokens.iter().position(|token| {
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        depth == 0 && token.is(word)
    })
}

/// Returns the index of the parenthesis that closes the parenthesis at `open`.
pub fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    let close = tokens[open..].iter().position(|token| {
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        depth <= 0
    });
    close.map_or(tokens.len(), |close| open + close)
}

/// Replaces `dbo.x`, `base..x` and `base.dbo.x` by `x`, and the qualified name of a system view by a single name.
fn names(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at + 2 < tokens.len() {
        let (left, dot, right) = (&tokens[at], &tokens[at + 1], &tokens[at + 2]);
        if !(left.names() && dot.is(".")) {
            at += 1;
        } else if right.is(".") {
            tokens.drain(at..at + 3);
        } else if left.text.eq_ignore_ascii_case("dbo") {
            tokens.drain(at..at + 2);
        } else if right.text.eq_ignore_ascii_case("dbo") {
            tokens.drain(at..at + 4.min(tokens.len() - at));
        } else if ["sys", "information_schema", "pg_catalog"]
            .contains(&left.text.to_lowercase().as_str())
        {
            let name = format!("{}.{}", left.text, right.text).to_lowercase();
            tokens.splice(at..at + 3, [Token::new(Kind::Name, name)]);
            if tokens.get(at + 1).is_some_and(|token| token.is("(")) {
                let end = closing(tokens, at + 1);
                tokens.drain(at + 1..=end.min(tokens.len() - 1));
            }
        } else {
            at += 1;
        }
    }
    // Replace `OBJECT_ID` only where it is called, because it can also be a column name.
    let object = |pair: &[Token]| pair[0].is("OBJECT_ID") && pair[1].is("(");
    while let Some(at) = tokens.windows(2).position(object) {
        let end = closing(tokens, at + 1);
        let name = tokens[at + 2..end].split(|token| token.is(",")).next().unwrap_or_default();
        let mut query =
            super::parse::tokens("(SELECT rowid FROM sqlite_master WHERE name = tds_base(")
                .unwrap_or_default();
        query.extend_from_slice(name);
        query.extend([")", "COLLATE", "NOCASE", ")"].map(Token::word));
        tokens.splice(at..=end.min(tokens.len() - 1), query);
    }
}

/// Removes the hints about tables. Returns true if one of them is a lock hint.
fn hints(tokens: &mut Vec<Token>) -> bool {
    let (mut at, mut locks) = (0, false);
    while at + 1 < tokens.len() {
        let option = tokens[at].is("OPTION");
        let list = usize::from(tokens[at].is("WITH") || option);
        if !(tokens.get(at + list).is_some_and(|token| token.is("("))) {
            at += 1;
            continue;
        }
        let end = closing(tokens, at + list).min(tokens.len() - 1);
        let inside = &tokens[at + list + 1..end];
        let is_hint = inside.first().is_some_and(|token| token.is_one_of(HINTS));
        if option || is_hint {
            locks |= inside.iter().any(|token| token.is_one_of(LOCKING));
            tokens.drain(at..=end);
        } else {
            at += 1;
        }
    }
    locks
}

fn functions(tokens: &mut Vec<Token>) {
    let mut at = 0;
    while at < tokens.len() {
        let called = tokens.get(at + 1).is_some_and(|token| token.is("("));
        let token = &mut tokens[at];
        if token.is("CURRENT_TIMESTAMP") && !called {
            token.text = "tds_now ( )".into();
        } else if token.kind == Kind::Word && called {
            let lower = token.text.to_lowercase();
            match FUNCTIONS.iter().find(|(name, _)| *name == lower) {
                Some((_, "=")) => {
                    if let Some(part) = tokens.get_mut(at + 2) {
                        part.kind = Kind::Text;
                        part.text.make_ascii_lowercase();
                    }
                }
                Some((_, other)) => token.text = (*other).into(),
                None if lower == "scope_identity" => {
                    tokens.splice(at..(at + 3), [Token::new(Kind::Variable, "@__identity")]);
                }
                None if matches!(lower.as_str(), "error_number" | "error_message") => {
                    tokens
                        .splice(at..(at + 3), [Token::new(Kind::Variable, format!("@__{lower}"))]);
                }
                None if lower == "convert" => convert(tokens, at),
                None => {}
            }
        }
        at += 1;
    }
    // A plus sign next to a string means concatenation.
    for at in 1..tokens.len().saturating_sub(1) {
        if tokens[at].is("+")
            && [at - 1, at + 1].iter().any(|next| tokens[*next].kind == Kind::Text)
        {
            tokens[at].text = "||".into();
        }
    }
}

/// Translates `CONVERT(type, x [, style])` to `CAST(x AS type)`.
fn convert(tokens: &mut Vec<Token>, at: usize) {
    let end = closing(tokens, at + 1).min(tokens.len() - 1);
    let parts = commas(&tokens[at + 2..end]);
    if let [ty, value, ..] = &parts[..] {
        let mut cast = vec![Token::word("CAST"), Token::sign("(")];
        cast.extend(value.iter().cloned());
        cast.push(Token::word("AS"));
        cast.extend(ty.iter().cloned());
        tokens.splice(at..end, cast);
    }
}

/// Splits tokens at the commas that are not inside parentheses.
pub fn commas(tokens: &[Token]) -> Vec<Vec<Token>> {
    let mut parts = vec![Vec::new()];
    let mut depth = 0;
    for token in tokens {
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        if depth == 0 && token.is(",") {
            parts.push(Vec::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(token.clone());
        }
    }
    parts
}

/// Translates types. Decimals and floats become REAL. Strings get a collation that ignores trailing blanks.
fn types(tokens: &mut Vec<Token>, columns: bool) {
    let mut at = 1;
    while at < tokens.len() {
        let before = &tokens[at - 1];
        let place = if columns { before.names() } else { before.is("AS") };
        let sizes = tokens.get(at + 1).is_some_and(|token| token.is("("));
        let end = if sizes { closing(tokens, at + 1).min(tokens.len() - 1) } else { at };
        let declared: String = tokens[at..=end].iter().map(|token| token.text.as_str()).collect();
        let ty = Ty::parse(&declared).filter(|_| place && tokens[at].names());
        let Some(ty) = ty else {
            at += 1;
            continue;
        };
        let real = matches!(ty, Ty::Decimal(_, 1..) | Ty::Float(_) | Ty::Money(_));
        if columns {
            let column = render(&tokens[at - 1..at]);
            tokens.splice(
                at..=end,
                [Token::new(Kind::Sign, declaration(ty, &declared, real, &column))],
            );
        } else {
            let cast = match ty {
                _ if real => "REAL",
                Ty::Int(_) | Ty::Decimal(..) => "INTEGER",
                Ty::Binary(..) => "BLOB",
                _ => "TEXT",
            };
            tokens.splice(at..=end, [Token::word(cast)]);
        }
        at += 1;
    }
}

/// Returns the type of a column, with constraints that reject the same values as SQL Server. A constraint's name starts
/// with the error number that SQL Server reports.
fn declaration(ty: Ty, declared: &str, real: bool, column: &str) -> String {
    let real = if real { "REAL " } else { "" };
    match ty {
        // Quote the type, because SQLite allows only numbers in a type's parentheses.
        _ if declared.to_lowercase().ends_with("(max)") => format!("\"{declared}\""),
        Ty::Decimal(precision, scale) => {
            let digits = i32::from(precision.saturating_sub(scale));
            format!("{real}{declared} CONSTRAINT \"8115\" CHECK (abs({column}) < 1e{digits})")
        }
        Ty::Text(wide, _, length) if length < u16::MAX => {
            let most = length / (1 + u16::from(wide));
            format!(
                "{declared} COLLATE RTRIM CONSTRAINT \"2628\" CHECK (length({column}) <= {most})"
            )
        }
        _ => declared.to_owned(),
    }
}

/// Translates `TOP` and `OFFSET … FETCH` to `LIMIT`. Starts with the last query in the statement.
fn limits(tokens: &mut Vec<Token>) {
    for at in (0..tokens.len()).rev() {
        let distinct = tokens.get(at + 1).is_some_and(|token| token.is("DISTINCT"));
        let top = at + 1 + usize::from(distinct);
        if tokens[at].is("SELECT") && tokens.get(top).is_some_and(|token| token.is("TOP")) {
            let end = if tokens[top + 1].is("(") { closing(tokens, top + 1) } else { top + 1 };
            let count: Vec<Token> = tokens.drain(top..=end.min(tokens.len() - 1)).skip(1).collect();
            let stop = query_end(tokens, at);
            tokens.splice(stop..stop, std::iter::once(Token::word("LIMIT")).chain(count));
        } else if tokens[at].is("OFFSET") {
            let Some(rows) =
                tokens[at..].iter().position(|token| token.is_one_of(&["ROW", "ROWS"]))
            else {
                continue;
            };
            let skipped: Vec<Token> = tokens[at + 1..at + rows].to_vec();
            let mut limit = vec![Token::word("LIMIT")];
            let mut end = at + rows;
            if tokens.get(end + 1).is_some_and(|token| token.is("FETCH")) {
                let last = tokens[end..].iter().position(|token| token.is("ONLY"));
                let last = end + last.unwrap_or(tokens.len() - 1 - end);
                limit.extend_from_slice(&tokens[end + 3..last.saturating_sub(1)]);
                end = last;
            } else {
                limit.push(Token::word("-1"));
            }
            limit.push(Token::word("OFFSET"));
            limit.extend(skipped);
            tokens.splice(at..=end, limit);
        }
    }
}

/// Returns the index at which the query that starts at `at` ends.
fn query_end(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    let end = tokens[at..].iter().position(|token| {
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        depth < 0
    });
    end.map_or(tokens.len(), |end| at + end)
}

/// Translates INSERT, UPDATE and DELETE. `OUTPUT` becomes `RETURNING`, and `TOP` becomes a condition that selects rows.
///
/// Returns a query for the old values of the updated rows if the statement outputs them, because they must be read
/// before the update.
fn change(tokens: &mut Vec<Token>) -> Option<String> {
    let update = tokens[0].is("UPDATE");
    if tokens[0].is("INSERT") && !tokens.get(1)?.is("INTO") {
        tokens.insert(1, Token::word("INTO"));
    }
    if tokens[0].is("DELETE") && !tokens.get(1)?.is_one_of(&["FROM", "TOP"]) {
        tokens.insert(1, Token::word("FROM"));
    }
    let top = tokens.get(1)?.is("TOP").then(|| {
        let end = closing(tokens, 2).min(tokens.len() - 1);
        tokens.drain(1..=end).skip(1).collect::<Vec<_>>()
    });
    if tokens[0].is("DELETE") && !tokens.get(1)?.is("FROM") {
        tokens.insert(1, Token::word("FROM"));
    }
    let mut output = Vec::new();
    if let Some(at) = at_depth(tokens, "OUTPUT") {
        let stop = ["WHERE", "FROM", "VALUES", "SELECT", "DEFAULT", "INTO"];
        let end = tokens[at..].iter().position(|token| token.is_one_of(&stop));
        output = tokens.drain(at..end.map_or(tokens.len(), |end| at + end)).skip(1).collect();
    }
    let old = update && output.iter().any(|token| token.is("DELETED"));
    while let Some(at) = output.iter().position(|token| token.is_one_of(&["INSERTED", "DELETED"])) {
        output.drain(at..at + 2);
    }
    let table = tokens.get(1 + usize::from(!update))?.clone();
    let filter = at_depth(tokens, "WHERE").map(|at| tokens[at..].to_vec()).unwrap_or_default();
    if let Some(count) = top {
        let start = tokens.len() - filter.len();
        let words = ["WHERE", "rowid", "IN", "(", "SELECT", "rowid", "FROM"].map(Token::word);
        let mut chosen = words.to_vec();
        chosen.push(table.clone());
        chosen.extend_from_slice(&filter);
        chosen.push(Token::word("LIMIT"));
        chosen.extend(count);
        chosen.push(Token::sign(")"));
        tokens.splice(start.., chosen);
    }
    if old {
        let mut query = vec![Token::word("SELECT")];
        query.extend(output);
        query.extend([Token::word("FROM"), table]);
        query.extend(filter);
        return Some(render(&query));
    }
    if !output.is_empty() {
        tokens.push(Token::word("RETURNING"));
        tokens.extend(output);
    }
    None
}

/// Removes keywords that affect only how tables and indexes are stored.
fn create(tokens: &mut Vec<Token>) {
    plain(tokens);
    tokens.retain(|token| !token.is_one_of(&["CLUSTERED", "NONCLUSTERED"]));
    while let Some(at) = tokens.iter().position(|token| token.is("COLLATE")) {
        tokens.drain(at..(at + 2).min(tokens.len()));
    }
    for word in ["INCLUDE", "WITH"] {
        if let Some(at) =
            at_depth(tokens, word).filter(|at| tokens.get(at + 1).is_some_and(|next| next.is("(")))
        {
            let end = closing(tokens, at + 1).min(tokens.len() - 1);
            tokens.drain(at..=end);
        }
    }
    let index = tokens.iter().take(3).any(|token| token.is("INDEX"));
    let mut ons = tokens.iter().enumerate().filter(|(_, token)| token.is("ON")).map(|(at, _)| at);
    if let Some(last) =
        ons.next_back().filter(|last| !index || at_depth(tokens, "ON") != Some(*last))
        && last + 2 >= tokens.len()
    {
        tokens.truncate(last);
    }
    // An identity column becomes SQLite's row ID. This is already a key, so the key must not be declared again.
    if let Some(at) = tokens.iter().position(|token| token.is("IDENTITY")) {
        let sizes = tokens.get(at + 1).is_some_and(|token| token.is("("));
        let end = if sizes { closing(tokens, at + 1) } else { at };
        tokens.drain(at..=end);
        while tokens
            .get(at)
            .is_some_and(|token| token.is_one_of(&["NOT", "NULL", "PRIMARY", "KEY"]))
        {
            tokens.remove(at);
        }
        tokens[at - 1].text = "INTEGER PRIMARY KEY AUTOINCREMENT".into();
    }
    if tokens.iter().any(|token| token.kind == Kind::Name && token.text.starts_with('#')) {
        tokens.insert(1, Token::word("TEMP"));
    }
}

/// Removes the keywords of memory-optimized tables, and all their indexes except the key.
fn plain(tokens: &mut Vec<Token>) {
    if !tokens.iter().any(|token| token.is("MEMORY_OPTIMIZED")) {
        return;
    }
    tokens.retain(|token| !token.is("HASH"));
    while let Some(at) = tokens.iter().position(|token| token.is("WITH")) {
        let end = closing(tokens, at + 1).min(tokens.len() - 1);
        tokens.drain(at..=end);
    }
    while let Some(at) = tokens.iter().position(|token| token.is("INDEX")) {
        let Some(open) = tokens[at..].iter().position(|token| token.is("(")) else { return };
        let end = closing(tokens, at + open).min(tokens.len() - 1);
        // Includes the preceding comma.
        tokens.drain(at - 1..=end);
    }
}
