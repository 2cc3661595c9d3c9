//! Implements the packages for custom scripts: database sessions and shared values.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tacho_app::{Context, Request, TextRows, TextSession};

use super::target::encoded;
use super::{job, words};
use crate::dictionary::Database;
use crate::tcl::element;

/// A value or an error message.
type Answer = Result<String, String>;

/// Values that all virtual users of a run share.
#[derive(Default)]
pub(super) struct Shared(Mutex<BTreeMap<String, String>>);

impl Shared {
    fn answer(&self, asked: &[&str]) -> Answer {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = |key: &str| format!("no key {key}");
        match asked {
            ["set", key, value] => {
                all.insert((*key).to_owned(), (*value).to_owned());
                Ok((*value).to_owned())
            }
            ["get", key] => all.get(*key).cloned().ok_or_else(|| missing(key)),
            ["exists", key] => Ok(u8::from(all.contains_key(*key)).to_string()),
            ["incr", key, by] => {
                let number = |text: &str| {
                    let parsed = text.parse::<i64>();
                    parsed.map_err(|_| format!("expected integer but got \"{text}\""))
                };
                let sum = number(all.get(*key).map_or("0", String::as_str))? + number(by)?;
                all.insert((*key).to_owned(), sum.to_string());
                Ok(sum.to_string())
            }
            ["unset", key] => all.remove(*key).map(|_| String::new()).ok_or_else(|| missing(key)),
            _ => Err("tsv: this command is not supported".into()),
        }
    }
}

/// One virtual user's packages.
pub(super) struct Packages<'a> {
    context: &'a Context,
    shared: &'a Shared,
    sessions: RefCell<Vec<TextSession>>,
}

impl<'a> Packages<'a> {
    pub(super) fn new(context: &'a Context, shared: &'a Shared) -> Self {
        Self { context, shared, sessions: RefCell::default() }
    }

    pub(super) fn answer(&self, asked: &[&str]) -> Answer {
        match asked {
            ["share", rest @ ..] => self.shared.answer(rest),
            ["sql", "open", scheme, options @ ..] => self.open(scheme, options),
            ["sql", "rows", session, sql] => {
                let sessions = self.sessions.borrow();
                let session = place(session).and_then(|place| sessions.get(place));
                let session = session.ok_or("this is not a connection")?;
                session.rows(sql).map(|found| listed(&found)).map_err(|error| words(&error))
            }
            ["sql", "close", session] => {
                let sessions = self.sessions.borrow();
                let session = place(session).and_then(|place| sessions.get(place));
                let session = session.ok_or("this is not a connection")?;
                session.close().map(|()| String::new()).map_err(|error| words(&error))
            }
            _ => Err("this command is not supported".into()),
        }
    }

    fn open(&self, scheme: &str, options: &[&str]) -> Answer {
        let mut pairs: Vec<String> = Vec::new();
        for pair in options.chunks_exact(2).filter(|pair| !pair[1].is_empty()) {
            pairs.push(format!("{}={}", pair[0], encoded(pair[1])));
        }
        let prefix = Database::of_scheme(scheme).map_or("", |database| database.prefix);
        if prefix != "pg" {
            // A script selects its database only after it has logged in, so log in to a database that always exists.
            if !options.contains(&"database") {
                pairs.push("database=information_schema".into());
            }
            if prefix != "maria" {
                pairs.push("product=any".into());
            } else if !options.contains(&"ssl-mode") {
                pairs.push("ssl-mode=disabled".into());
            }
        }
        let target = format!("{scheme}:?{}", pairs.join("&"));
        let flags = [("workload", "tprocc"), ("target", &target)];
        let flags = flags.map(|(key, value)| (key.to_owned(), vec![value.to_owned()]));
        let session = job(flags.into(), self.context)
            .and_then(|job| TextSession::open(Request::new(&job, self.context)))
            .map_err(|error| words(&error))?;
        let mut sessions = self.sessions.borrow_mut();
        sessions.push(session);
        Ok(format!("tacho{}", sessions.len() - 1))
    }
}

/// Returns the number of the session that has this name.
fn place(name: &str) -> Option<usize> {
    name.strip_prefix("tacho")?.parse().ok()
}

/// Formats columns, rows and the number of affected rows as a single Tcl list.
fn listed(found: &TextRows) -> String {
    let list = |words: Vec<String>| element(&words.join(" "));
    let row = |row: &Vec<Option<String>>| {
        list(row.iter().map(|value| element(value.as_deref().unwrap_or_default())).collect())
    };
    let columns = list(found.columns.iter().map(|name| element(name)).collect());
    let rows = list(found.rows.iter().map(row).collect());
    format!("{columns} {rows} {}", found.changed)
}
