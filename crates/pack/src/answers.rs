//! The `[ask]` table of a pack. It defines the SQL for queries about the server, such as its
//! version. Queries that are not in the table are left to the base driver.
//!
//! Start reading at [`Answers`].

use std::collections::BTreeMap;

use tacho_core::Result;

use crate::file::Document;

/// Queries for which a pack can provide SQL.
const QUERIES: &[&str] = &["version", "settings", "counters", "waits", "tables"];
/// Optional functions of the base driver. A pack can disable them but cannot provide its own SQL.
const SWITCHES: &[&str] = &[
    "machine",
    "sizes",
    "headroom",
    "privileges",
    "server_time",
    "plans",
    "query_stats",
    "obstacles",
    "table_parts",
    "deferred_work",
];

/// The way in which a query is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The base driver.
    Base,
    /// None.
    None,
    /// This SQL query.
    Query(&'static str),
}

/// The queries that the pack redefines, with their SQL. An empty string turns a query off.
#[derive(Debug, Default)]
pub struct Answers(BTreeMap<String, &'static str>);

impl Answers {
    pub fn read(document: &Document<'_>) -> Result<Self> {
        let known = [QUERIES, SWITCHES].concat();
        let mut answers = BTreeMap::new();
        for (key, value) in document.known("ask", &known)? {
            let name = key.get_ref().to_string();
            let query = QUERIES.contains(&name.as_str());
            if let Some(answer) = document.answer(key, value, query)? {
                answers.insert(name, answer);
            }
        }
        Ok(Self(answers))
    }

    pub fn to(&self, question: &str) -> Answer {
        match self.0.get(question) {
            None => Answer::Base,
            Some(&"") => Answer::None,
            Some(query) => Answer::Query(query),
        }
    }

    /// Describes the redefined queries for the user.
    pub fn words(&self) -> Vec<String> {
        let word = |(name, query): (&String, &&str)| {
            format!("{name} {}", if query.is_empty() { "left out" } else { "by a query" })
        };
        self.0.iter().map(word).collect()
    }
}
