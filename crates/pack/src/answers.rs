//! `[ask]`: how the database answers what Tacho asks of a server. A question that is not there is asked as the base
//! does it.
//!
//! Start reading at [`Answers`].

use std::collections::BTreeMap;

use tacho_core::Result;

use crate::file::Document;

/// Questions that a query of the pack can answer.
const QUERIES: &[&str] = &["version", "settings", "counters", "waits", "tables"];
/// Questions that the pack can only leave unanswered.
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

/// How one question is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// As the base does it.
    Base,
    /// Not at all.
    None,
    /// By this query.
    Query(&'static str),
}

/// The questions that the pack has; an empty text is no answer.
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

    /// In words, for the user.
    pub fn words(&self) -> Vec<String> {
        let word = |(name, query): (&String, &&str)| {
            format!("{name} {}", if query.is_empty() { "left out" } else { "by a query" })
        };
        self.0.iter().map(word).collect()
    }
}
