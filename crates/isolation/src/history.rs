//! A history of transactions, which the caller builds operation by operation.

use tacho_core::{AttemptOutcome, Error, ErrorKind, Result};

use crate::versions::{COUNT_MAX, Versions};

/// Session number of the transaction that reads all keys after the load.
pub const FINAL_READ: u32 = u32::MAX;

/// A transaction. Its operations follow those of the transaction before it.
#[derive(Clone, Copy, Debug)]
pub struct Transaction {
    /// Session number.
    pub session: u32,
    /// Outcome.
    pub outcome: AttemptOutcome,
    /// Start in nanoseconds.
    pub begun: u64,
    /// End in nanoseconds.
    pub ended: u64,
    /// Index of the first operation.
    first: u32,
}

/// An operation of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Adds a value to a list.
    Append {
        /// Index of the key.
        key: u32,
        /// The value.
        value: u64,
        /// True if the transaction wrote back the list that it had read, with the value appended.
        replaces: bool,
    },
    /// Reads a list.
    Read {
        /// Index of the key.
        key: u32,
        /// The version read.
        version: u32,
    },
}

/// A history of transactions.
#[derive(Clone, Debug, Default)]
pub struct History {
    transactions: Vec<Transaction>,
    operations: Vec<Operation>,
    versions: Versions,
    /// For the transaction that was added last, the current version of each key that it has read.
    current: Vec<(u32, u32)>,
    is_partial: bool,
}

impl History {
    /// Adds a transaction. The following operations belong to it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Resource`] if the history is too large.
    pub fn begin(
        &mut self,
        session: u32,
        outcome: AttemptOutcome,
        begun: u64,
        ended: u64,
    ) -> Result<()> {
        if self.transactions.len() >= COUNT_MAX || self.operations.len() >= u32::MAX as usize {
            let text = "the history has too many transactions or operations";
            return Err(Error::new(ErrorKind::Resource, text).hint("check a shorter run"));
        }
        let first = self.operations.len() as u32;
        self.current.clear();
        self.transactions.push(Transaction { session, outcome, begun, ended, first });
        Ok(())
    }

    /// Adds an append to the last transaction.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Resource`] if the history is too large.
    pub fn append(&mut self, key: u64, value: u64) -> Result<()> {
        let key = self.versions.key(key)?;
        self.operations.push(Operation::Append { key, value, replaces: false });
        Ok(())
    }

    /// Adds a write to the transaction that was added last. The write replaces the list that the transaction last read
    /// or wrote with the same list and one more value.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Resource`] if the history is too large.
    pub fn replace(&mut self, key: u64, value: u64) -> Result<()> {
        let key = self.versions.key(key)?;
        self.operations.push(Operation::Append { key, value, replaces: true });
        if let Some(at) = self.current.iter().position(|(known, _)| *known == key) {
            self.current[at].1 = self.versions.child(self.current[at].1, value)?;
        }
        Ok(())
    }

    /// Adds a read of a whole list to the last transaction. Reads of transactions that did not commit are ignored,
    /// because no level makes a promise about them.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Resource`] if the history is too large.
    pub fn read(&mut self, key: u64, list: impl IntoIterator<Item = u64>) -> Result<()> {
        let is_committed =
            self.transactions.last().is_some_and(|last| last.outcome == AttemptOutcome::Committed);
        if !is_committed {
            return Ok(());
        }
        let key = self.versions.key(key)?;
        let mut version = self.versions.root(key);
        for value in list {
            version = self.versions.child(version, value)?;
        }
        self.operations.push(Operation::Read { key, version });
        self.current.retain(|(known, _)| *known != key);
        self.current.push((key, version));
        Ok(())
    }

    /// Records that some transactions are missing from the history. Lists may then contain values that no known
    /// transaction has appended.
    pub fn set_partial(&mut self) {
        self.is_partial = true;
    }

    /// Returns true if some transactions are missing from the history.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Returns the transactions in the order in which they were added.
    pub fn transactions(&self) -> &[Transaction] {
        &self.transactions
    }

    /// Returns the operations of the transaction at `index`.
    pub fn operations(&self, index: usize) -> &[Operation] {
        let end = self.transactions.get(index + 1).map(|next| next.first as usize);
        let first = self.transactions[index].first as usize;
        &self.operations[first..end.unwrap_or(self.operations.len())]
    }

    /// Returns the number of operations of all transactions.
    pub fn operation_count(&self) -> usize {
        self.operations.len()
    }

    /// Returns the number of keys.
    pub fn key_count(&self) -> usize {
        self.versions.keys.len()
    }

    /// Returns the key with this index.
    pub fn key(&self, index: u32) -> u64 {
        self.versions.keys[index as usize]
    }

    /// Returns the list of a version.
    pub fn list(&self, version: u32) -> Vec<u64> {
        self.versions.list(version)
    }

    pub(crate) fn versions(&self) -> &Versions {
        &self.versions
    }
}
