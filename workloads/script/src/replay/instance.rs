//! A log with a replay speed. Virtual users run its sessions, and each kind of statement is a transaction type.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Capabilities, Catalog, Dialect, Field, Section, ValueKind, Verbatim};
use tacho_workload::{
    AuditRule, Client, ComparedKind, Instance, LogComparison, Options, Recorded, Transaction,
};

use super::END;
use super::client::{Board, Counts, Findings, Outcomes, Replaying, Shared};
use super::groups::Group;
use super::scan::Log;
use crate::vm::no_tables::no_tables;
use crate::vm::source::keep;

/// An instance of the workload.
pub struct Chosen {
    log: Arc<Log>,
    speed: Option<f64>,
    options: Options,
    transactions: Vec<Transaction>,
    /// Each virtual user's sessions, in order.
    slots: Vec<Vec<u32>>,
    board: Shared,
}

/// Returns a catalog with a single statement, which sends arbitrary text.
pub fn catalog(dialect: &dyn Dialect) -> Result<Catalog> {
    let section = Section {
        name: "statement".into(),
        params: vec![Field { name: "text".into(), kind: ValueKind::Text }],
        results: Vec::new(),
        sql: vec![":text".into()],
        verbatim: Some(Verbatim::default()),
    };
    Catalog::build(dialect, &["statement"], &[vec![section]])
}

/// Distributes the sessions over virtual users. Each session gets a user that is free when the
/// session starts, so there are as many users as simultaneous sessions.
fn slots(log: &Log) -> Vec<Vec<u32>> {
    let mut free: BinaryHeap<Reverse<(i64, usize)>> = BinaryHeap::new();
    let mut slots: Vec<Vec<u32>> = Vec::new();
    for (number, session) in log.sessions.iter().enumerate() {
        let begin = session.entries.first().map_or(0, |entry| entry.at);
        let is_free = |Reverse((last, _)): &&Reverse<(i64, usize)>| *last < begin;
        let slot = if let Some(Reverse((_, slot))) = free.peek().filter(is_free) {
            let slot = *slot;
            free.pop();
            slot
        } else {
            slots.push(Vec::new());
            slots.len() - 1
        };
        slots[slot].push(number as u32);
        free.push(Reverse((session.last, slot)));
    }
    slots
}

impl Chosen {
    pub fn new(log: Arc<Log>, speed: Option<f64>, options: Options) -> Self {
        let ends = log.sessions.len() as f64;
        let sum = log.statements() as f64 + ends;
        let end = Transaction { name: END, share: ends / sum, rolls_back: true };
        let transaction = |group: &Group| Transaction {
            name: keep(group.name.clone()),
            share: group.count as f64 / sum,
            rolls_back: group.failed > 0,
        };
        let transactions: Vec<Transaction> =
            std::iter::once(end).chain(log.groups.all.iter().map(transaction)).collect();
        let kinds = vec![Outcomes::default(); log.groups.all.len()];
        let counts = kinds.iter().map(|_| Counts::default()).collect();
        let findings = Mutex::new(Findings { kinds, ..Findings::default() });
        let board = Arc::new(Board { findings, counts });
        Self { slots: slots(&log), log, speed, options, transactions, board }
    }

    fn kind(&self, at: usize, group: &Group, found: Outcomes) -> ComparedKind {
        let counts = &self.board.counts[at];
        let Group { text, count, failed, took, rows, counted: counted_then, .. } = group;
        ComparedKind {
            transaction: at + 1,
            text: text.clone(),
            count: *count,
            failed: *failed,
            timed: took.count(),
            mean_us: (took.count() > 0).then(|| took.sum() / took.count() as f64),
            p50_us: took.quantile(0.5),
            p95_us: took.quantile(0.95),
            fails_again: found.fails_again,
            fails_otherwise: found.fails_otherwise,
            fails_now: found.fails_now,
            succeeds_now: found.succeeds_now,
            rows: *rows,
            counted: *counted_then,
            rows_now: counts.rows.load(Ordering::Relaxed),
            counted_now: counts.counted.load(Ordering::Relaxed),
            outcomes_now: counts.outcomes.load(Ordering::Relaxed),
        }
    }
}

impl Instance for Chosen {
    fn parameters(&self) -> BTreeMap<String, String> {
        let given = self.options.all().filter(|(_, value)| !value.is_empty());
        given.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    no_tables!();

    fn requires(&self, capabilities: &Capabilities) -> Result<()> {
        if capabilities.simple {
            return Ok(());
        }
        let text = "replay requires a driver that can send statements as text";
        Err(Error::new(ErrorKind::Unsupported, text).hint("replay on PostgreSQL, MySQL or MariaDB"))
    }

    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>> {
        catalog(dialect).map(Arc::new)
    }

    fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    fn ends(&self) -> bool {
        true
    }

    fn recorded(&self) -> Option<Recorded> {
        Some(Recorded { sessions: self.slots.len() as u32, paced: self.speed.is_some() })
    }

    fn client(&self, session: u32) -> Box<dyn Client> {
        let slot = self.slots.get(session as usize).cloned().unwrap_or_default();
        let (log, board) = (Arc::clone(&self.log), Arc::clone(&self.board));
        Box::new(Replaying::new(log, board, slot, self.speed.unwrap_or(1.0)))
    }

    fn audit_rules(&self) -> Vec<AuditRule> {
        Vec::new()
    }

    fn compare_with_log(&self) -> Option<LogComparison> {
        let log = &*self.log;
        let found = self.board.findings.lock().unwrap_or_else(PoisonError::into_inner);
        let groups = log.groups.all.iter().zip(&found.kinds).enumerate();
        let kinds = groups.filter(|(_, (group, _))| group.count > 0);
        let last = log.sessions.iter().map(|session| session.last).max().unwrap_or(0);
        let missed = log.left_out.iter().filter(|(why, _)| why.is_missed());
        let line = |why| log.left_out_at.get(why).copied().unwrap_or(0);
        Some(LogComparison {
            log: log.path.clone(),
            format: log.format.name(),
            sessions: log.sessions.len() as u64,
            idle_sessions: log.idle_sessions,
            length: Duration::from_micros(last.max(0) as u64),
            statements: log.statements(),
            timed: log.timed,
            failed: log.has_errors.then_some(log.failed),
            missed: missed.map(|(_, count)| count).sum(),
            left_out: log
                .left_out
                .iter()
                .map(|(why, count)| (why.words(), *count, line(why)))
                .collect(),
            lines_before: log.damage.before,
            broken: (log.damage.broken, log.damage.line),
            lost: found.lost,
            unclosed: found.unclosed,
            kinds: kinds.map(|(at, (group, found))| self.kind(at, group, *found)).collect(),
            examples: found.examples.clone(),
        })
    }
}
