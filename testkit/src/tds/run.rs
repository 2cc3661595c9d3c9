//! Runs the statements of a batch in order. If one of them fails, decides what happens to the rest.
//!
//! This module must not depend on how protocol messages are encoded. Start reading at [`Run::text`].

use std::collections::HashMap;

use rusqlite::Connection;
use rusqlite::types::Value;

use super::parse::{self, Kind, Node, Token};
use super::state::{Isolation, Session, no_transaction};
use super::tokens::{Column, Reply, Trouble};
use super::types::Ty;
use super::{babelfish, memory, native, query, store, translate};

pub enum Stop {
    /// The client cancelled the request.
    Cancelled,
    /// An error that has already been written to the reply.
    Ended,
    /// An error for `CATCH`.
    Caught(Trouble),
    /// `RETURN`.
    Returned,
}

/// Numbers of errors that end the batch, and of errors that also end the transaction.
const ENDS_BATCH: &[i32] = &[102, 105, 195, 207, 208, 137, 4064];
const ENDS_TRANSACTION: &[i32] = &[245, 1205, 3960];
/// Statements that the server accepts but that have no effect.
const NOTHING: &[&str] = &["CHECKPOINT", "DBCC", "GRANT", "DENY", "REVOKE", "RECONFIGURE", "GO"];
/// Statements that SQLite runs.
const QUERIES: &[&str] = &[
    "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "CREATE", "DROP", "ALTER", "TRUNCATE", "MERGE",
];

/// A running batch.
pub struct Run<'a> {
    pub session: &'a mut Session,
    pub reply: &'a mut Reply,
    /// The token sent after each statement.
    pub token: u8,
    pub variables: HashMap<String, Value>,
    caught: Option<Trouble>,
    /// Nesting depth of dynamic statements.
    dynamic: u32,
    /// Types of the declared variables.
    types: HashMap<String, Ty>,
}

/// Returns the name and type of a variable or parameter.
fn declared(tokens: &[Token]) -> Option<(String, Ty)> {
    let words = tokens.iter().skip(1).take_while(|token| !token.is_one_of(&["=", "OUTPUT"]));
    let text: String = words.map(|token| token.text.as_str()).collect();
    Some((tokens.first()?.text.clone(), Ty::parse(&text)?))
}

/// Checks that SQLite can prepare the statements. If `names` is false, ignores unknown names, because the batch itself
/// may create the tables.
pub fn check(db: &Connection, nodes: &[Node], names: bool) -> Result<(), Trouble> {
    for node in nodes {
        match node {
            Node::Leaf(tokens)
                if tokens.first().is_some_and(|token| token.is_one_of(&QUERIES[..6])) =>
            {
                let skipped = tokens
                    .iter()
                    .take(2)
                    .any(|token| token.is_one_of(&["BULK", "STATISTICS", "DATABASE"]))
                    || query::assigned(tokens).is_some()
                    || query::asks_for_parts(tokens)
                    || parse::makes_routine(tokens);
                if skipped {
                    continue;
                }
                let sql = translate::statement(tokens).sql;
                let prepared = db.prepare(&sql).map(|_| ()).map_err(|error| store::trouble(&error));
                prepared.or_else(|trouble| {
                    let counts =
                        trouble.number == 102 || names && matches!(trouble.number, 207 | 208);
                    if counts { Err(trouble) } else { Ok(()) }
                })?;
            }
            Node::Leaf(_) => {}
            Node::If(_, first, second) | Node::Try(first, second) => {
                check(db, first, names)?;
                check(db, second, names)?;
            }
            Node::While(_, body) => check(db, body, names)?,
        }
    }
    Ok(())
}

impl<'a> Run<'a> {
    pub fn new(session: &'a mut Session, reply: &'a mut Reply, token: u8) -> Self {
        Self {
            session,
            reply,
            token,
            variables: HashMap::new(),
            caught: None,
            dynamic: 0,
            types: HashMap::new(),
        }
    }

    /// Runs a whole batch. If it contains a syntax error, none of its statements is run.
    pub fn text(&mut self, sql: &str) -> Result<(), Stop> {
        let nodes = parse::batch(sql)
            .and_then(|nodes| check(&self.session.db, &nodes, false).map(|()| nodes));
        let nodes = match nodes {
            Ok(nodes) => nodes,
            Err(trouble) => return self.failed(trouble, false),
        };
        match self.block(&nodes, false) {
            Err(Stop::Returned) => Ok(()),
            other => other,
        }
    }

    fn block(&mut self, nodes: &[Node], caught: bool) -> Result<(), Stop> {
        for node in nodes {
            if self.session.cancelled() {
                return Err(Stop::Cancelled);
            }
            match node {
                Node::Leaf(tokens) if tokens.first().is_some_and(|token| token.is("RETURN")) => {
                    return Err(Stop::Returned);
                }
                Node::Leaf(tokens) => {
                    let outcome = self.leaf(tokens);
                    self.session.last[2] =
                        outcome.as_ref().err().map_or(0, |trouble| trouble.number.into());
                    if let Err(trouble) = outcome {
                        self.failed(trouble, caught)?;
                    }
                }
                Node::If(condition, then, otherwise) => match self.holds(condition) {
                    Ok(holds) => self.block(if holds { then } else { otherwise }, caught)?,
                    Err(trouble) => self.failed(trouble, caught)?,
                },
                Node::While(condition, body) => loop {
                    match self.holds(condition) {
                        Ok(true) => self.block(body, caught)?,
                        Ok(false) => break,
                        Err(trouble) => self.failed(trouble, caught)?,
                    }
                },
                Node::Try(body, handler) => match self.block(body, true) {
                    Err(Stop::Caught(trouble)) => {
                        let number = Value::Integer(trouble.number.into());
                        self.variables.insert("@__error_number".into(), number);
                        self.variables
                            .insert("@__error_message".into(), Value::Text(trouble.text.clone()));
                        self.caught = Some(trouble);
                        self.block(handler, caught)?;
                        self.caught = None;
                    }
                    other => other?,
                },
            }
        }
        Ok(())
    }

    /// Reports an error, and decides whether it ends the batch and the transaction.
    fn failed(&mut self, trouble: Trouble, caught: bool) -> Result<(), Stop> {
        if self.session.cancelled() {
            return Err(Stop::Cancelled);
        }
        let number = trouble.number;
        // Roll back even if SQLite has already ended the transaction, because the session still considers it open.
        let fatal = ENDS_TRANSACTION.contains(&number);
        if fatal || self.session.settings.xact_abort && !caught {
            self.session.rollback(self.reply);
        }
        if self.dynamic > 0 || caught && !ENDS_BATCH.contains(&number) {
            return Err(Stop::Caught(trouble));
        }
        self.reply.error(&trouble);
        self.reply.done(self.token, 0, None, true, self.session.depth > 0);
        if fatal || ENDS_BATCH.contains(&number) || self.session.settings.xact_abort {
            return Err(Stop::Ended);
        }
        Ok(())
    }

    fn done(&mut self, command: u16, count: Option<u64>) {
        let count = count.filter(|_| !self.session.settings.nocount);
        self.reply.done(self.token, command, count, false, self.session.depth > 0);
    }

    fn leaf(&mut self, tokens: &[Token]) -> Result<(), Trouble> {
        if let Some(number) = self.session.shared.ordered(&translate::render(tokens)) {
            return Err(store::ordered(number));
        }
        let in_transaction = self.session.depth > 0;
        if let Some(trouble) = memory::refusal(&self.session.shared, tokens, in_transaction) {
            return Err(trouble);
        }
        let is_babelfish = self.session.shared.options.babelfish;
        if let Some(trouble) = babelfish::refusal(tokens).filter(|_| is_babelfish) {
            return Err(trouble);
        }
        let Some(first) = tokens.first() else { return Ok(()) };
        let word = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is(word));
        let transaction = word(1, "TRAN") || word(1, "TRANSACTION");
        let name = tokens.get(2).filter(|token| token.names()).map(|token| token.text.clone());
        match first.text.to_ascii_uppercase().as_str() {
            "SET" => return self.set(tokens),
            "DECLARE" => return self.declare(&tokens[1..]),
            "BEGIN" if transaction => self.session.begin(self.reply),
            "COMMIT" => self.session.commit(self.reply)?,
            "ROLLBACK" => match name.filter(|_| transaction) {
                Some(name) => self.session.savepoint("ROLLBACK TO", &name)?,
                None if self.session.depth == 0 => return Err(no_transaction("ROLLBACK")),
                None => self.session.rollback(self.reply),
            },
            "SAVE" => self.session.savepoint("SAVEPOINT", &name.unwrap_or_default())?,
            "INSERT" if word(1, "BULK") => {
                let names = tokens.iter().skip(2).take_while(|token| !token.is("("));
                let name = names.filter(|token| token.names()).last();
                self.session.bulk = name.map(|name| name.text.clone());
            }
            "USE" | "PRINT" | "RAISERROR" | "THROW" | "WAITFOR" | "KILL" => {
                return self.aside(tokens);
            }
            "UPDATE" if word(1, "STATISTICS") => {}
            "ALTER" if word(1, "DATABASE") || word(1, "INDEX") => {}
            "CREATE" | "DROP" if word(1, "DATABASE") => self.database(tokens),
            "CREATE" | "ALTER" if parse::makes_routine(tokens) => self.make(tokens)?,
            "DROP" => return self.drop_objects(tokens),
            "ALTER" if tokens.iter().any(|token| token.is("CONSTRAINT")) => {
                return self.constraint(tokens);
            }
            "EXEC" | "EXECUTE" if word(1, "(") => return self.dynamic(&tokens[1..]),
            "EXEC" | "EXECUTE" => return self.call(&tokens[1..]),
            _ if first.is_one_of(NOTHING) => {}
            _ if first.is_one_of(QUERIES) => return self.query(tokens),
            _ if first.names() => return self.call(tokens),
            other => {
                return Err(Trouble::new(102, 15, format!("Incorrect syntax near '{other}'.")));
            }
        }
        self.done(0, None);
        Ok(())
    }

    /// Runs `EXEC (text)`. If a statement in the text fails, the EXEC itself fails.
    fn dynamic(&mut self, expression: &[Token]) -> Result<(), Trouble> {
        let Value::Text(sql) = self.value(expression)? else { return Ok(()) };
        self.inside(&parse::batch(&sql)?)
    }

    /// Runs statements that are part of another statement. The first of their errors becomes the error of that
    /// statement.
    fn inside(&mut self, nodes: &[Node]) -> Result<(), Trouble> {
        self.dynamic += 1;
        let outcome = self.block(nodes, false);
        self.dynamic -= 1;
        match outcome {
            Err(Stop::Caught(trouble)) => Err(trouble),
            Err(Stop::Cancelled) => Err(Trouble::new(3617, 11, "The query was cancelled.")),
            Err(Stop::Ended | Stop::Returned) | Ok(()) => Ok(()),
        }
    }

    /// Stores a routine.
    fn make(&mut self, tokens: &[Token]) -> Result<(), Trouble> {
        self.session.lock()?;
        let at = tokens
            .iter()
            .position(|token| token.is_one_of(&["PROC", "PROCEDURE", "FUNCTION", "TRIGGER"]));
        let at = at.unwrap_or_default();
        let name = tokens.iter().skip(at + 1).take_while(|token| token.names() || token.is("."));
        let name = name.last().map(|token| token.text.clone()).unwrap_or_default();
        let kind = if tokens[at].is("FUNCTION") { "FN" } else { "P" };
        if let Some(trouble) =
            native::refusal(&self.session.shared, &tokens[at..], self.session.depth > 0)
        {
            self.session.end(false)?;
            return Err(trouble);
        }
        let outcome =
            query::keep_routine(&self.session.db, &name, kind, &translate::render(&tokens[at..]));
        if self.session.depth == 0 {
            self.session.end(outcome.is_ok())?;
        }
        outcome
    }

    /// Runs `EXEC name a, @b = b`. The body of the procedure has variables of its own.
    fn call(&mut self, tokens: &[Token]) -> Result<(), Trouble> {
        let end = tokens.iter().take_while(|token| token.names() || token.is(".")).count();
        let name = tokens[..end].last().map(|token| token.text.clone()).unwrap_or_default();
        let Some(text) = query::routine(&self.session.db, &name)? else {
            return Err(Trouble::new(
                2812,
                16,
                format!("Could not find stored procedure '{name}'."),
            ));
        };
        let routine = parse::tokens(&text)?;
        let body = translate::at_depth(&routine, "AS").unwrap_or(routine.len());
        let options = translate::at_depth(&routine[..body], "WITH").unwrap_or(body);
        let head = routine[..body]
            .iter()
            .position(|token| token.kind == Kind::Variable)
            .unwrap_or(options);
        let parameters = translate::commas(&routine[head..options]);
        let (mut variables, mut types) = (HashMap::new(), HashMap::new());
        for parameter in parameters.iter().filter(|parameter| !parameter.is_empty()) {
            let default = translate::at_depth(parameter, "=");
            let value = default.map_or(Ok(Value::Null), |at| self.value(&parameter[at + 1..]))?;
            variables.insert(parameter[0].text.clone(), value);
            types.extend(declared(parameter));
        }
        for (at, argument) in translate::commas(&tokens[end..]).iter().enumerate() {
            let named = argument.get(1).is_some_and(|token| token.is("="));
            let name = if named {
                argument.first()
            } else {
                parameters.get(at).and_then(|parameter| parameter.first())
            };
            let expression = if named { &argument[2..] } else { &argument[..] };
            if let (Some(name), false) = (name, expression.is_empty()) {
                let value = self.value(expression)?;
                variables.insert(name.text.clone(), value);
            }
        }
        let body = routine.get(body + 1..).unwrap_or_default();
        let is_native = native::is_native(&routine);
        let nodes =
            if is_native { parse::nodes(&native::block(body))? } else { parse::nodes(body)? };
        let outer = (
            std::mem::replace(&mut self.variables, variables),
            std::mem::replace(&mut self.types, types),
        );
        let settings = (self.session.settings.nocount, self.session.settings.xact_abort);
        let outcome = if is_native { self.atomic(&nodes) } else { self.inside(&nodes) };
        (self.session.settings.nocount, self.session.settings.xact_abort) = settings;
        (self.variables, self.types) = outer;
        outcome
    }

    /// Runs an atomic block. If the session has no open transaction, the block is a transaction.
    fn atomic(&mut self, nodes: &[Node]) -> Result<(), Trouble> {
        if self.session.depth > 0 {
            return self.inside(nodes);
        }
        (self.session.settings.nocount, self.session.settings.xact_abort) = (true, false);
        self.session.begin(self.reply);
        let outcome = self.inside(nodes);
        match outcome {
            Ok(()) => self.session.commit(self.reply),
            Err(trouble) => {
                self.session.rollback(self.reply);
                Err(trouble)
            }
        }
    }

    /// Sends the text and the plan of a statement.
    fn explain(&mut self, tokens: &[Token]) -> Result<(), Trouble> {
        let mut explained = ["EXPLAIN", "QUERY", "PLAN"].map(Token::word).to_vec();
        explained.extend_from_slice(tokens);
        let found = query::run(self.session, &explained, &self.variables)?;
        let steps = found.rows.into_iter().filter_map(|row| row.into_iter().nth(3));
        for rows in [vec![Value::Text(translate::render(tokens))], steps.collect()] {
            let columns = [Column { name: "StmtText".into(), ty: Ty::of(&rows) }];
            self.reply.columns(&columns);
            for row in rows {
                self.reply.row(&columns, &[row]);
            }
            self.done(0xc1, None);
        }
        Ok(())
    }

    /// Runs a query. Sends its rows, or stores their values in variables.
    fn query(&mut self, tokens: &[Token]) -> Result<(), Trouble> {
        if self.session.settings.explains {
            return self.explain(tokens);
        }
        let (assigned, tokens) = match query::assigned(tokens) {
            Some((names, tokens)) => (names, tokens),
            None => (Vec::new(), tokens.to_vec()),
        };
        let mut result = query::typed_run(self.session, &tokens, (&self.variables, &self.types))?;
        if self.session.shared.options.babelfish && babelfish::is_uncounted(&tokens) {
            result.affected = 0;
        }
        self.session.last[0] = result.affected as i64;
        if !assigned.is_empty() {
            for (name, value) in
                assigned.into_iter().zip(result.rows.into_iter().last().unwrap_or_default())
            {
                self.variables.insert(name, value);
            }
            return Ok(());
        }
        if !result.columns.is_empty() {
            self.reply.columns(&result.columns);
            for row in &result.rows {
                self.reply.row(&result.columns, row);
            }
        }
        let (command, counts) = match tokens[0].text.to_ascii_uppercase().as_str() {
            "INSERT" => (0xc3, true),
            "DELETE" | "TRUNCATE" => (0xc4, true),
            "UPDATE" => (0xc5, true),
            "SELECT" | "WITH" => (0xc1, true),
            _ => (0xc6, false),
        };
        self.done(command, counts.then_some(result.affected));
        Ok(())
    }

    /// Returns the value of an expression.
    fn value(&mut self, expression: &[Token]) -> Result<Value, Trouble> {
        let mut tokens = vec![Token::word("SELECT")];
        tokens.extend_from_slice(expression);
        let result = query::run(self.session, &tokens, &self.variables)?;
        Ok(result
            .rows
            .into_iter()
            .next()
            .and_then(|row| row.into_iter().next())
            .unwrap_or(Value::Null))
    }

    fn holds(&mut self, condition: &[Token]) -> Result<bool, Trouble> {
        let mut tokens = ["CASE", "WHEN"].map(Token::word).to_vec();
        tokens.extend_from_slice(condition);
        tokens.extend(["THEN", "1", "ELSE", "0", "END"].map(Token::word));
        Ok(self.value(&tokens)? == Value::Integer(1))
    }

    fn declare(&mut self, tokens: &[Token]) -> Result<(), Trouble> {
        for part in translate::commas(tokens) {
            let equals = translate::at_depth(&part, "=");
            let value = equals.map_or(Ok(Value::Null), |at| self.value(&part[at + 1..]))?;
            self.types.extend(declared(&part));
            if let Some(name) = part.first() {
                self.variables.insert(name.text.clone(), value);
            }
        }
        Ok(())
    }

    /// Runs a `SET` statement. Ignores settings that have no effect on results.
    fn set(&mut self, tokens: &[Token]) -> Result<(), Trouble> {
        let on = tokens.last().is_some_and(|token| token.is("ON"));
        let name = tokens.get(1).map(|token| token.text.to_uppercase()).unwrap_or_default();
        if let Some(variable) = tokens.get(1).filter(|token| token.kind == Kind::Variable) {
            let value = self.value(tokens.get(3..).unwrap_or_default())?;
            self.variables.insert(variable.text.clone(), value);
            return Ok(());
        }
        let settings = &mut self.session.settings;
        match name.as_str() {
            "NOCOUNT" => settings.nocount = on,
            "XACT_ABORT" => settings.xact_abort = on,
            "SHOWPLAN_TEXT" => settings.explains = on,
            "LOCK_TIMEOUT" => {
                let sign = if tokens.get(2).is_some_and(|token| token.is("-")) { -1 } else { 1 };
                let number: i64 =
                    tokens.last().and_then(|token| token.text.parse().ok()).unwrap_or(-1);
                settings.lock_timeout = sign * number;
            }
            "TRANSACTION" => {
                let level =
                    tokens.last().map(|token| token.text.to_uppercase()).unwrap_or_default();
                settings.isolation = match level.as_str() {
                    "SNAPSHOT" => Isolation::Snapshot,
                    // REPEATABLE READ locks the rows it reads.
                    "SERIALIZABLE" | "READ" => Isolation::Serializable,
                    _ => Isolation::Committed,
                };
            }
            _ => {}
        }
        self.done(0, None);
        Ok(())
    }

    #[expect(clippy::disallowed_methods, reason = "a statement that waits does so in real time")]
    fn aside(&mut self, tokens: &[Token]) -> Result<(), Trouble> {
        const STEP_MS: u64 = 5;
        let text = tokens
            .iter()
            .skip(1)
            .find(|token| token.kind == Kind::Text)
            .map(|token| token.text.clone());
        let text = text.unwrap_or_default();
        let number = tokens.iter().skip(1).find_map(|token| token.text.parse::<i32>().ok());
        match tokens[0].text.to_ascii_uppercase().as_str() {
            "USE" => {
                let name = tokens.get(1).map(|token| token.text.clone()).unwrap_or_default();
                if !self.session.shared.has_database(&name) {
                    let text = format!(
                        "Database '{name}' does not exist. Make sure that the name is entered correctly."
                    );
                    return Err(Trouble::new(911, 16, text));
                }
                self.reply.changed(1, &name, "");
            }
            "PRINT" => self.reply.error(&Trouble::new(0, 0, text)),
            "THROW" if tokens.len() == 1 => {
                return Err(self
                    .caught
                    .take()
                    .unwrap_or_else(|| Trouble::new(10704, 15, "THROW outside of CATCH.")));
            }
            "THROW" => return Err(Trouble::new(number.unwrap_or(50_000), 16, text)),
            "RAISERROR" => {
                let class = number.unwrap_or(16) as u8;
                if class > 10 {
                    return Err(Trouble::new(50_000, class, text));
                }
                self.reply.error(&Trouble::new(50_000, class, text));
            }
            "KILL" => {
                let id = number.unwrap_or(0) as u32;
                let peers = super::lock(&self.session.shared.peers).clone();
                let Some(peer) = peers.iter().find(|peer| peer.id == id) else {
                    return Err(Trouble::new(
                        6106,
                        16,
                        format!("Process ID {id} is not an active process ID."),
                    ));
                };
                peer.link.close();
            }
            _ => {
                let seconds = text
                    .split(':')
                    .try_fold(0.0, |sum, part| part.parse::<f64>().map(|n| sum * 60.0 + n));
                let steps = (seconds.unwrap_or(0.0) * 1_000.0) as u64 / STEP_MS;
                for _ in 0..steps {
                    if self.session.cancelled() {
                        break;
                    }
                    std::thread::sleep(std::time::Duration::from_millis(STEP_MS));
                }
            }
        }
        self.done(0, None);
        Ok(())
    }

    fn database(&mut self, tokens: &[Token]) {
        let name =
            tokens.iter().skip(2).rfind(|token| token.names()).map(|token| token.text.clone());
        let mut known = super::lock(&self.session.shared.databases);
        let name = name.unwrap_or_default();
        known.retain(|other| !other.eq_ignore_ascii_case(&name));
        if tokens[0].is("CREATE") {
            known.push(name);
        }
    }

    /// Runs `DROP … a, b` and `DROP INDEX i ON t`. SQLite lacks some kinds of objects, so these always count as
    /// missing.
    fn drop_objects(&mut self, tokens: &[Token]) -> Result<(), Trouble> {
        let kind = tokens.get(1).map(|token| token.text.to_uppercase()).unwrap_or_default();
        let there = tokens.get(2).is_some_and(|token| token.is("IF"));
        let routines = query::routines(&self.session.db)?;
        if let Some(trouble) = native::keeps(&routines, tokens, self.session.depth > 0) {
            return Err(trouble);
        }
        if !matches!(kind.as_str(), "TABLE" | "INDEX" | "VIEW") {
            self.session.lock()?;
            let names = tokens.iter().skip(if there { 4 } else { 2 }).filter(|token| token.names());
            let names: Vec<&str> = names.map(|token| token.text.as_str()).collect();
            let gone = query::drop_routines(&self.session.db, &names);
            if self.session.depth == 0 {
                self.session.end(gone.is_ok())?;
            }
            if gone? == 0 && !there {
                return Err(Trouble::new(
                    3701,
                    11,
                    format!("Cannot drop the {kind}: it does not exist."),
                ));
            }
            self.done(0, None);
            return Ok(());
        }
        let head = if there { 4 } else { 2 };
        for name in translate::commas(tokens.get(head..).unwrap_or_default()) {
            let end = translate::at_depth(&name, "ON").unwrap_or(name.len());
            let mut statement = tokens[..head].to_vec();
            statement.extend_from_slice(&name[..end]);
            let outcome = query::run(self.session, &statement, &self.variables);
            outcome.map_err(|trouble| match trouble.number {
                208 => Trouble::new(3701, 11, trouble.text),
                _ => trouble,
            })?;
        }
        self.done(0, None);
        Ok(())
    }

    /// Adds a constraint. A key becomes a unique index. Other constraints have no effect.
    fn constraint(&mut self, tokens: &[Token]) -> Result<(), Trouble> {
        let at = tokens.iter().position(|token| token.is("CONSTRAINT")).unwrap_or_default();
        let key = tokens.iter().any(|token| token.is_one_of(&["PRIMARY", "UNIQUE"]));
        if let (Some(name), Some(open), true) =
            (tokens.get(at + 1), translate::at_depth(tokens, "("), key)
        {
            let mut statement = ["CREATE", "UNIQUE", "INDEX"].map(Token::word).to_vec();
            statement.extend([name.clone(), Token::word("ON")]);
            let table = tokens[2..at].iter().take_while(|token| !token.is_one_of(&["ADD", "WITH"]));
            statement.extend(table.cloned());
            statement.extend_from_slice(
                &tokens[open..=translate::closing(tokens, open).min(tokens.len() - 1)],
            );
            query::run(self.session, &statement, &self.variables)?;
        }
        self.done(0, None);
        Ok(())
    }
}
