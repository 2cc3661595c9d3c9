//! Runs a single statement on SQLite. This includes its locks, parameters, rows and column types.
//!
//! Start reading at [`run`].

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use rusqlite::types::Value;
use rusqlite::{Connection, StatementStatus};

use super::parse::{Kind, Token};
use super::state::{Isolation, Session};
use super::store;
use super::tokens::{Column, Trouble};
use super::translate::{self, Translated};
use super::types::Ty;

/// Query that is run instead of Tacho's query for the parts of tables. The server recognizes Tacho's query, because no
/// other query uses XML.
const PARTS: &str = include_str!("parts.sql");

/// Returns true if the statement is the query for the columns, indexes and other parts of tables. `SQLite` does not
/// support its syntax.
pub fn asks_for_parts(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.is("XML"))
}

/// The result of a statement.
#[derive(Default)]
pub struct Found {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Value>>,
    /// Number of rows written or read.
    pub affected: u64,
}

/// Splits `SELECT @x = a, @y = b …` into the variables and a query that returns their new values.
pub fn assigned(tokens: &[Token]) -> Option<(Vec<String>, Vec<Token>)> {
    let is_assigned = |item: &[Token]| {
        item.first().is_some_and(|token| token.kind == Kind::Variable)
            && item.get(1).is_some_and(|token| token.is("="))
    };
    if !tokens.first()?.is("SELECT") {
        return None;
    }
    let start = tokens.iter().position(|token| token.kind == Kind::Variable)?;
    if !is_assigned(&tokens[start..]) || tokens[1..start].iter().any(|token| token.is("FROM")) {
        return None;
    }
    let end = translate::at_depth(tokens, "FROM").unwrap_or(tokens.len());
    let (mut names, mut query) = (Vec::new(), tokens[..start].to_vec());
    for item in translate::commas(&tokens[start..end]) {
        if !is_assigned(&item) {
            return None;
        }
        if !names.is_empty() {
            query.push(Token::sign(","));
        }
        names.push(item[0].text.clone());
        query.extend_from_slice(&item[2..]);
    }
    query.extend_from_slice(&tokens[end..]);
    Some((names, query))
}

/// Returns the source text of a routine.
pub fn routine(db: &Connection, name: &str) -> Result<Option<String>, Trouble> {
    let sql = "SELECT definition FROM \"tds.routines\" WHERE name = ?1 COLLATE NOCASE";
    let mut rows = db.prepare(sql).map_err(problem)?;
    let mut found = rows.query_map([name], |row| row.get(0)).map_err(problem)?;
    found.next().transpose().map_err(problem)
}

/// Returns the source text of every routine.
pub fn routines(db: &Connection) -> Result<Vec<String>, Trouble> {
    let mut rows = db.prepare("SELECT definition FROM \"tds.routines\"").map_err(problem)?;
    let found = rows.query_map([], |row| row.get(0)).map_err(problem)?;
    found.collect::<rusqlite::Result<_>>().map_err(problem)
}

/// Stores a routine. Its name must not be in use yet.
pub fn keep_routine(db: &Connection, name: &str, kind: &str, text: &str) -> Result<(), Trouble> {
    if routine(db, name)?.is_some() {
        let text = format!("There is already an object named '{name}' in the database.");
        return Err(Trouble::new(2714, 16, text));
    }
    let sql = "INSERT INTO \"tds.routines\" VALUES (?1, ?2, ?3)";
    db.execute(sql, [name, kind, text]).map(|_| ()).map_err(problem)
}

/// Drops routines and returns how many of them existed.
pub fn drop_routines(db: &Connection, names: &[&str]) -> Result<usize, Trouble> {
    let sql = "DELETE FROM \"tds.routines\" WHERE name = ?1 COLLATE NOCASE";
    names.iter().try_fold(0, |gone, name| Ok(gone + db.execute(sql, [name]).map_err(problem)?))
}

#[expect(clippy::needless_pass_by_value, reason = "it is passed to map_err")]
fn problem(error: rusqlite::Error) -> Trouble {
    store::trouble(&error)
}

/// Runs a statement. If a result column is just a variable, the column gets the type of that variable.
pub fn typed_run(
    session: &mut Session,
    tokens: &[Token],
    (variables, types): (&HashMap<String, Value>, &HashMap<String, Ty>),
) -> Result<Found, Trouble> {
    let mut found = run(session, tokens, variables)?;
    let items = items(tokens);
    for (column, item) in found.columns.iter_mut().zip(&items) {
        let alone = item.len() == 1 || item.get(1).is_some_and(|token| token.is("AS"));
        let ty = item.first().filter(|_| alone).and_then(|token| types.get(&token.text));
        column.ty = ty.copied().unwrap_or(column.ty);
    }
    Ok(found)
}

/// Runs a statement. If no transaction is open, runs it in a transaction of its own.
pub fn run(
    session: &mut Session,
    tokens: &[Token],
    variables: &HashMap<String, Value>,
) -> Result<Found, Trouble> {
    let translated = translate::statement(tokens);
    let isolation = session.settings.isolation;
    if translated.writes || session.depth > 0 && isolation == Isolation::Serializable {
        session.lock()?;
    } else if session.depth > 0 && isolation == Isolation::Snapshot && session.db.is_autocommit() {
        let begun = session.db.execute_batch("BEGIN");
        begun.map_err(|error| store::trouble(&error))?;
    }
    let outcome = rows(session, &translated, tokens, variables);
    if session.depth == 0 {
        session.end(outcome.is_ok())?;
        if translated.writes && outcome.is_ok() {
            session.shared.commits.fetch_add(1, Ordering::Relaxed);
        }
    }
    outcome
}

fn rows(
    session: &mut Session,
    translated: &Translated,
    tokens: &[Token],
    variables: &HashMap<String, Value>,
) -> Result<Found, Trouble> {
    let mut values = variables.clone();
    values.extend(
        translated.texts.iter().map(|(name, text)| (name.clone(), Value::Text(text.clone()))),
    );
    let before = match &translated.before {
        Some(sql) => Some(statement(session, sql, tokens, &values)?),
        None => None,
    };
    if asks_for_parts(tokens) {
        return statement(session, PARTS, &[], &values);
    }
    let mut result = statement(session, &translated.sql, tokens, &values)?;
    if let Some(before) = before {
        result.columns = before.columns;
        result.rows = before.rows;
    }
    if tokens.first().is_some_and(|token| token.is("INSERT")) {
        session.last[1] = session.db.last_insert_rowid();
    }
    Ok(result)
}

fn statement(
    session: &Session,
    sql: &str,
    tokens: &[Token],
    values: &HashMap<String, Value>,
) -> Result<Found, Trouble> {
    let db = &session.db;
    session.refresh()?;
    let mut prepared = session
        .patiently(|db| db.prepare_cached(sql).map(|_| ()))
        .and_then(|()| db.prepare_cached(sql).map_err(problem))?;
    for at in 1..=prepared.parameter_count() {
        let name = prepared.parameter_name(at).unwrap_or_default().to_owned();
        let value = values.get(&name).cloned().or_else(|| session.own_variable(&name));
        let Some(value) = value else {
            let text = format!("Must declare the scalar variable \"{name}\".");
            return Err(Trouble::new(137, 15, text));
        };
        prepared.raw_bind_parameter(at, value).map_err(problem)?;
    }
    let declared: Vec<(String, Option<Ty>)> = prepared
        .columns()
        .map(|column| (column.name().to_owned(), column.decl_type().and_then(Ty::parse)))
        .collect();
    let changes = db.total_changes();
    let mut found = Vec::new();
    let mut cursor = prepared.raw_query();
    while let Some(row) = cursor.next().map_err(problem)? {
        let values = (0..declared.len()).map(|at| row.get(at));
        found.push(values.collect::<Result<Vec<Value>, _>>().map_err(problem)?);
    }
    drop(cursor);
    let steps = prepared.reset_status(StatementStatus::VmStep) as u64;
    if !sql.contains("\"sys.") {
        session.peer.reads.fetch_add(steps, Ordering::Relaxed);
    }
    let written = db.total_changes() - changes;
    let affected = if declared.is_empty() || written > 0 { written } else { found.len() as u64 };
    let columns = typed(session, &declared, &found, tokens)?;
    Ok(Found { columns, rows: found, affected })
}

/// Determines the types of result columns. Uses the declared type if there is one, otherwise the type of the
/// expression, and otherwise the type of the values.
fn typed(
    session: &Session,
    declared: &[(String, Option<Ty>)],
    rows: &[Vec<Value>],
    tokens: &[Token],
) -> Result<Vec<Column>, Trouble> {
    let items = items(tokens);
    let open = declared.iter().any(|(_, ty)| ty.is_none());
    let mut known = if open { known(session)? } else { HashMap::new() };
    aliases(tokens, &mut known);
    let one = |(at, (name, ty)): (usize, &(String, Option<Ty>))| {
        let of_item = || {
            let item = items.get(at).filter(|_| items.len() == declared.len())?;
            let texts = rows.iter().any(|row| matches!(row[at], Value::Text(_)));
            // Concatenating numbers yields a string.
            expressed(item, &known).filter(|ty| !texts || !matches!(ty, Ty::Decimal(..)))
        };
        let ty = ty.or_else(of_item).unwrap_or_else(|| {
            let values: Vec<Value> = rows.iter().map(|row| row[at].clone()).collect();
            Ty::of(&values)
        });
        let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        Column { name: if plain { name.clone() } else { String::new() }, ty }
    };
    Ok(declared.iter().enumerate().map(one).collect())
}

/// Returns the items that a query selects or a write outputs. Each item is a list of tokens.
fn items(tokens: &[Token]) -> Vec<Vec<Token>> {
    let output = translate::at_depth(tokens, "OUTPUT");
    let Some(at) = output.or_else(|| translate::at_depth(tokens, "SELECT")) else {
        return Vec::new();
    };
    let mut rest = &tokens[at + 1..];
    if rest.first().is_some_and(|token| token.is("DISTINCT")) {
        rest = &rest[1..];
    }
    if rest.first().is_some_and(|token| token.is("TOP")) {
        let end = if rest[1].is("(") { translate::closing(rest, 1) } else { 1 };
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    let ends = ["FROM", "INTO", "WHERE", "VALUES", "SELECT", "UNION"];
    let end = ends.iter().filter_map(|word| translate::at_depth(rest, word)).min();
    translate::commas(&rest[..end.unwrap_or(rest.len())])
}

/// Adds the types of the names that subqueries define with `AS`. Starts with the innermost subquery, because outer ones
/// may refer to its names.
fn aliases(tokens: &[Token], known: &mut HashMap<String, Ty>) {
    for at in (0..tokens.len()).rev().filter(|at| tokens[*at].is("(")) {
        let inner = &tokens[at + 1..translate::closing(tokens, at).min(tokens.len())];
        for item in items(inner) {
            if let [.., word, name] = &item[..]
                && word.is("AS")
                && let Some(ty) = expressed(&item, known)
            {
                known.insert(name.text.to_lowercase(), ty);
            }
        }
    }
}

/// Returns the types of all columns by name.
fn known(session: &Session) -> Result<HashMap<String, Ty>, Trouble> {
    let mut tables = session.tables.borrow_mut();
    if tables.columns.is_none() {
        tables.columns = Some(column_types(&session.db).map_err(problem)?);
    }
    Ok(tables.columns.clone().unwrap_or_default())
}

fn column_types(db: &Connection) -> rusqlite::Result<HashMap<String, Ty>> {
    let sql = "SELECT c.name, c.type FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'";
    let mut prepared = db.prepare(sql)?;
    let rows =
        prepared.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut found = HashMap::new();
    for row in rows {
        let (name, declared) = row?;
        if let Some(ty) = Ty::parse(&declared) {
            found.insert(name.to_lowercase(), ty);
        }
    }
    Ok(found)
}

/// Returns the type of an expression if it is obvious, as for a cast or a column (Transact-SQL, "Precision, scale, and
/// length").
fn expressed(item: &[Token], known: &HashMap<String, Ty>) -> Option<Ty> {
    let alias = item.iter().rposition(|token| token.is("AS")).filter(|at| at + 2 == item.len());
    let item = &item[..alias.unwrap_or(item.len())];
    let first = item.first()?;
    let text =
        |tokens: &[Token]| tokens.iter().map(|token| token.text.as_str()).collect::<String>();
    let end = if item.len() > 1 { translate::closing(item, 1) } else { 0 };
    if first.is("CAST") {
        let at = item.iter().rposition(|token| token.is("AS"))?;
        return Ty::parse(&text(item.get(at + 1..end)?));
    }
    if first.is("CONVERT") {
        return Ty::parse(&text(translate::commas(item.get(2..end)?).first()?));
    }
    if item.iter().all(|token| token.names() || token.is(".")) {
        return known.get(&item.last()?.text.to_lowercase()).copied();
    }
    let typed = item.iter().filter(|token| token.names());
    let typed: Vec<Ty> =
        typed.filter_map(|token| known.get(&token.text.to_lowercase()).copied()).collect();
    if first.is_one_of(&["MIN", "MAX"]) && typed.len() == 1 {
        return typed.first().copied();
    }
    if first.is_one_of(&["COUNT", "LEN", "DATALENGTH"]) {
        return None;
    }
    let literal = item.iter().filter(|token| token.kind == Kind::Number);
    let literal = literal
        .filter_map(|token| token.text.split_once('.').map(|(_, digits)| digits.len() as u8))
        .max();
    let scales = typed.iter().filter_map(|ty| match ty {
        Ty::Decimal(_, scale) => Some(*scale),
        Ty::Money(_) => Some(4),
        _ => None,
    });
    let scales: Vec<u8> = scales.chain(literal).collect();
    let most = *scales.iter().max()?;
    let has = |word: &str| item.iter().any(|token| token.is(word));
    let scale = match () {
        () if has("/") || has("AVG") => most.max(6),
        () if has("*") => scales.iter().sum::<u8>().min(10),
        () => most,
    };
    Some(Ty::Decimal(38, scale))
}
