//! The dependencies between transactions, as a graph.

use crate::index::Index;

/// The kind of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The second transaction overwrote what the first one had written (ww).
    Write,
    /// The second transaction read what the first one had written (wr).
    Read,
    /// The second transaction overwrote what the first one had read: an anti-dependency (rw).
    Anti,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Write, Self::Read, Self::Anti];

    /// Returns the kind's bit in a set of kinds.
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Write dependencies.
pub(crate) const WRITES: u8 = Kind::Write.bit();
/// The write and read dependencies. Information flows from one transaction to another only through these.
pub(crate) const FLOW: u8 = WRITES | Kind::Read.bit();
/// All dependencies.
pub(crate) const ALL: u8 = FLOW | Kind::Anti.bit();

/// A dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) kind: Kind,
}

/// The dependencies between the transactions of a history.
pub(crate) struct Graph {
    /// Position of each transaction's first edge.
    offsets: Vec<u32>,
    /// Target and kind of each edge, in one word each.
    edges: Vec<u32>,
}

impl Graph {
    /// Derives the dependencies from the versions that transactions wrote and read.
    pub(crate) fn new(index: &Index<'_>) -> Self {
        let mut words = Vec::new();
        let mut add = |from: u32, to: u32, kind: Kind| {
            if from != to {
                words.push(u64::from(from) << 32 | u64::from(to << 2) | kind as u64);
            }
        };
        for (version, node) in index.history.versions().nodes.iter().enumerate() {
            if let Some(writer) = index.writer(version as u32)
                && let Some(before) = index.effective(node.parent)
                && let Some(earlier) = index.writer(before)
            {
                add(earlier, writer, Kind::Write);
            }
        }
        index.external_reads(|reader, _, version| {
            if let Some(writer) = index.effective(version).and_then(|read| index.writer(read)) {
                add(writer, reader, Kind::Read);
            }
            index.followers(version, &mut |_, writer| add(reader, writer, Kind::Anti));
        });
        words.sort_unstable();
        words.dedup();
        Self::of(index.history.transactions().len(), &words)
    }

    fn of(nodes: usize, words: &[u64]) -> Self {
        let mut offsets = vec![0; nodes + 1];
        for word in words {
            offsets[(word >> 32) as usize + 1] += 1;
        }
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        Self { offsets, edges: words.iter().map(|word| *word as u32).collect() }
    }

    /// Returns the number of transactions.
    pub(crate) fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the positions of a transaction's edges.
    pub(crate) fn positions(&self, from: u32) -> std::ops::Range<u32> {
        self.offsets[from as usize]..self.offsets[from as usize + 1]
    }

    /// Returns the target and the kind of the edge at this position in the list of edges.
    pub(crate) fn edge(&self, position: u32) -> (u32, Kind) {
        let word = self.edges[position as usize];
        (word >> 2, Kind::ALL[(word & 3) as usize])
    }

    /// Returns the edges of a transaction.
    pub(crate) fn edges(&self, from: u32) -> impl Iterator<Item = Edge> {
        self.positions(from).map(move |position| {
            let (to, kind) = self.edge(position);
            Edge { from, to, kind }
        })
    }
}
