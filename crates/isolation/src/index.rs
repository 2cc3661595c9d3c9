//! The transaction that wrote each version, and the transactions that took effect.

use tacho_core::{AttemptOutcome, Error, Result};

use crate::history::{History, Operation};
use crate::versions::NONE;

/// An append.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Append {
    pub(crate) value: u64,
    pub(crate) key: u32,
    pub(crate) transaction: u32,
    /// The version that ends with the value, or `NONE` if no committed transaction saw such a version.
    pub(crate) version: u32,
    /// True if this is the transaction's last append to this key.
    pub(crate) is_last: bool,
    pub(crate) replaces: bool,
}

/// A history with its appends in order of key and value.
pub(crate) struct Index<'a> {
    pub(crate) history: &'a History,
    pub(crate) appends: Vec<Append>,
    /// For each version, the append that added its last value, or `NONE`.
    append_of: Vec<u32>,
    /// For each transaction, whether it took effect.
    pub(crate) took_effect: Vec<bool>,
}

impl<'a> Index<'a> {
    /// Creates an index.
    ///
    /// # Errors
    /// Returns a usage error if a value was appended twice to a key, or occurs twice in a list.
    pub(crate) fn new(history: &'a History) -> Result<Self> {
        let mut appends = appends(history);
        let same = |pair: &&[Append]| (pair[0].key, pair[0].value) == (pair[1].key, pair[1].value);
        if let Some(pair) = appends.windows(2).find(same) {
            let (value, key) = (pair[0].value, history.key(pair[0].key));
            return Err(Error::usage(format!("{value} is appended twice to key {key}"))
                .hint("each append to a key needs a different value"));
        }
        let append_of = link(history, &mut appends);
        let is_committed = |outcome| outcome == AttemptOutcome::Committed;
        let transactions = history.transactions().iter();
        let mut took_effect: Vec<bool> =
            transactions.map(|transaction| is_committed(transaction.outcome)).collect();
        for append in &appends {
            let at = append.transaction as usize;
            let is_unknown = history.transactions()[at].outcome == AttemptOutcome::Unknown;
            took_effect[at] |= is_unknown && append.version != NONE;
        }
        Ok(Self { history, appends, append_of, took_effect })
    }

    /// Returns the append that added the last value of a version.
    pub(crate) fn append(&self, version: u32) -> Option<&Append> {
        self.appends.get(self.append_of[version as usize] as usize)
    }

    /// Returns the transaction that appended a version's last value, if it took effect.
    pub(crate) fn writer(&self, version: u32) -> Option<u32> {
        let transaction = self.append(version)?.transaction;
        self.took_effect[transaction as usize].then_some(transaction)
    }

    /// Returns this version if its writer took effect. Otherwise, returns the latest earlier version for which this is
    /// true, or `None` if there is only the empty list.
    pub(crate) fn effective(&self, version: u32) -> Option<u32> {
        self.history.versions().line(version).find(|version| self.writer(*version).is_some())
    }

    /// Calls `found` with each version that directly follows this one, and with its writer. If a writer had no effect,
    /// its version is skipped, and the versions that follow it are used instead.
    pub(crate) fn followers(&self, version: u32, found: &mut impl FnMut(u32, u32)) {
        let mut open = vec![version];
        while let Some(version) = open.pop() {
            for child in self.history.versions().children(version) {
                match self.writer(child) {
                    Some(writer) => found(child, writer),
                    None => open.push(child),
                }
            }
        }
    }

    /// Calls `found` with the transaction, the key and the version of each read. Skips reads for which the reader
    /// itself appended the version's last value.
    pub(crate) fn external_reads(&self, mut found: impl FnMut(u32, u32, u32)) {
        for at in 0..self.history.transactions().len() {
            let reader = at as u32;
            for operation in self.history.operations(at) {
                if let Operation::Read { key, version } = *operation
                    && self.append(version).is_none_or(|append| append.transaction != reader)
                {
                    found(reader, key, version);
                }
            }
        }
    }
}

/// Returns all appends in order of key and value.
fn appends(history: &History) -> Vec<Append> {
    let mut appends = Vec::new();
    for transaction in 0..history.transactions().len() {
        let first = appends.len();
        for operation in history.operations(transaction) {
            if let Operation::Append { key, value, replaces } = *operation {
                let transaction = transaction as u32;
                let version = NONE;
                appends.push(Append { value, key, transaction, version, is_last: true, replaces });
            }
        }
        mark_earlier(&mut appends[first..]);
    }
    appends.sort_unstable_by_key(|append| (append.key, append.value));
    appends
}

/// Clears the `is_last` mark of every append except the last one to each key. All appends belong to the same
/// transaction.
fn mark_earlier(appends: &mut [Append]) {
    let mut later = std::collections::HashSet::new();
    if appends.len() < 2 {
        return;
    }
    for append in appends.iter_mut().rev() {
        append.is_last = later.insert(append.key);
    }
}

/// Finds the version that each append created, and stores it in the append. Returns, for each version, the index of the
/// append that created it.
fn link(history: &History, appends: &mut [Append]) -> Vec<u32> {
    let mut starts = vec![0; history.key_count() + 1];
    for append in &*appends {
        starts[append.key as usize + 1] += 1;
    }
    for key in 0..history.key_count() {
        starts[key + 1] += starts[key];
    }
    let nodes = history.versions().nodes.iter().enumerate();
    let link = |(version, node): (usize, &crate::versions::Node)| {
        let range = starts[node.key as usize]..starts[node.key as usize + 1];
        let first = range.start;
        let found = appends[range].binary_search_by_key(&node.value, |append| append.value);
        match found {
            Ok(at) if node.parent != NONE => {
                appends[first + at].version = version as u32;
                (first + at) as u32
            }
            _ => NONE,
        }
    };
    nodes.map(link).collect()
}
