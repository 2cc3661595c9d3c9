//! A second implementation, which follows the definitions and tries all cycles. For small histories only.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::Class;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Ww,
    Wr,
    Rw,
}

/// All committed reads: reader, key and list.
type Reads = Vec<(usize, usize, u64, Vec<u64>)>;
type Edges = BTreeSet<(usize, usize, Kind)>;

struct World<'a> {
    txns: &'a [Txn],
    writers: BTreeMap<(u64, u64), usize>,
    reads: Reads,
    took_effect: Vec<bool>,
}

impl World<'_> {
    fn effective(&self, key: u64, list: &[u64]) -> Vec<u64> {
        let took_effect = |value: &&u64| {
            self.writers.get(&(key, **value)).is_some_and(|writer| self.took_effect[*writer])
        };
        list.iter().filter(took_effect).copied().collect()
    }

    fn is_external(&self, reader: usize, key: u64, list: &[u64]) -> bool {
        list.last().is_none_or(|value| self.writers.get(&(key, *value)) != Some(&reader))
    }

    /// Returns the values that directly follow `list` in longer lists. Skips the values of transactions that had no
    /// effect.
    fn following(&self, key: u64, list: &[u64]) -> BTreeSet<u64> {
        let longer =
            self.reads.iter().filter(|(_, _, other, long)| *other == key && long.starts_with(list));
        let next = |(_, _, _, long): &(usize, usize, u64, Vec<u64>)| {
            self.effective(key, &long[list.len()..]).first().copied()
        };
        longer.filter_map(next).collect()
    }
}

/// Returns the classes of anomalies in a history.
pub(super) fn classes(txns: &[Txn]) -> BTreeSet<Class> {
    let world = world(txns);
    let mut found = BTreeSet::new();
    cycles(&edges(&world), txns.len(), &mut found);
    singles(&world, &mut found);
    pairs(&world, &mut found);
    found
}

fn world(txns: &[Txn]) -> World<'_> {
    let mut writers = BTreeMap::new();
    let mut reads = Vec::new();
    for (at, txn) in txns.iter().enumerate() {
        for (position, op) in txn.ops.iter().enumerate() {
            match op {
                Op::Append(key, value) | Op::Replace(key, value) => {
                    writers.insert((*key, *value), at);
                }
                Op::Read(key, list) if txn.outcome == Outcome::Committed => {
                    reads.push((at, position, *key, list.clone()));
                }
                Op::Read(..) => {}
            }
        }
    }
    let seen: BTreeSet<usize> = reads
        .iter()
        .flat_map(|(_, _, key, list)| list.iter().map(|value| (*key, *value)))
        .filter_map(|name| writers.get(&name).copied())
        .collect();
    let took_effect = |(at, txn): (usize, &Txn)| match txn.outcome {
        Outcome::Committed => true,
        Outcome::Unknown => seen.contains(&at),
        Outcome::Failed => false,
    };
    let took_effect = txns.iter().enumerate().map(took_effect).collect();
    World { txns, writers, reads, took_effect }
}

fn edges(world: &World<'_>) -> Edges {
    let mut edges = Edges::new();
    for (reader, _, key, list) in &world.reads {
        let values = world.effective(*key, list);
        let writers: Vec<usize> =
            values.iter().map(|value| world.writers[&(*key, *value)]).collect();
        edges.extend(writers.windows(2).map(|pair| (pair[0], pair[1], Kind::Ww)));
        if !world.is_external(*reader, *key, list) {
            continue;
        }
        edges.extend(writers.last().map(|writer| (*writer, *reader, Kind::Wr)));
        let next = world.following(*key, list);
        edges.extend(next.iter().map(|value| (*reader, world.writers[&(*key, *value)], Kind::Rw)));
    }
    edges.retain(|(from, to, _)| from != to);
    edges
}

/// Enumerates all simple cycles, with every possible combination of edge kinds.
fn cycles(edges: &Edges, nodes: usize, found: &mut BTreeSet<Class>) {
    fn extend(
        edges: &Edges,
        nodes: usize,
        path: &mut Vec<usize>,
        kinds: &mut Vec<Kind>,
        found: &mut BTreeSet<Class>,
    ) {
        let (first, last) = (path[0], path[path.len() - 1]);
        for to in first..nodes {
            for kind in [Kind::Ww, Kind::Wr, Kind::Rw] {
                if !edges.contains(&(last, to, kind)) {
                    continue;
                }
                if to == first {
                    kinds.push(kind);
                    found.extend(named(kinds));
                    kinds.pop();
                } else if !path.contains(&to) {
                    path.push(to);
                    kinds.push(kind);
                    extend(edges, nodes, path, kinds, found);
                    path.pop();
                    kinds.pop();
                }
            }
        }
    }
    for first in 0..nodes {
        extend(edges, nodes, &mut vec![first], &mut Vec::new(), found);
    }
}

fn named(kinds: &[Kind]) -> Vec<Class> {
    let antis = kinds.iter().filter(|kind| **kind == Kind::Rw).count();
    let adjacent = (0..kinds.len())
        .any(|at| kinds[at] == Kind::Rw && kinds[(at + 1) % kinds.len()] == Kind::Rw);
    match antis {
        0 if kinds.contains(&Kind::Wr) => vec![Class::CircularFlow],
        0 => vec![Class::DirtyWrite],
        1 => vec![Class::ReadSkew],
        _ if adjacent => vec![Class::WriteSkew],
        _ => vec![Class::WriteSkew, Class::NonadjacentSkew],
    }
}

/// Anomalies of single reads.
fn singles(world: &World<'_>, found: &mut BTreeSet<Class>) {
    for (reader, position, key, list) in &world.reads {
        let ops = &world.txns[*reader].ops;
        let own = ops[..*position].iter().rev().find_map(|op| match op {
            Op::Append(other, value) if other == key => Some(*value),
            _ => None,
        });
        let read = list.last().filter(|value| world.writers.get(&(*key, **value)) == Some(reader));
        if read.copied() != own {
            found.insert(Class::OwnWrites);
        }
        if read.is_some() {
            continue;
        }
        for value in list {
            match world.writers.get(&(*key, *value)) {
                None => drop(found.insert(Class::ImpossibleValue)),
                Some(writer) if world.txns[*writer].outcome == Outcome::Failed => {
                    found.insert(Class::AbortedRead);
                }
                Some(_) => {}
            }
        }
        let Some(last) = list.last() else { continue };
        let Some(writer) = world.writers.get(&(*key, *last)) else { continue };
        let appended = world.txns[*writer].ops.iter().rev().find_map(|op| match op {
            Op::Append(other, value) if other == key => Some(value),
            _ => None,
        });
        if world.took_effect[*writer] && appended != Some(last) {
            found.insert(Class::IntermediateRead);
        }
    }
}

/// Anomalies of pairs of reads.
fn pairs(world: &World<'_>, found: &mut BTreeSet<Class>) {
    for (reader, _, key, list) in &world.reads {
        for (_, _, _, other) in world.reads.iter().filter(|read| read.2 == *key) {
            let common = list.iter().zip(other).take_while(|(one, two)| one == two).count();
            let differs = |list: &[u64]| {
                list.get(common).is_some_and(|value| {
                    let writer = world.writers.get(&(*key, *value));
                    writer.is_some_and(|writer| world.took_effect[*writer])
                })
            };
            if differs(list) && differs(other) {
                found.insert(Class::IncompatibleOrder);
            }
            if !world.is_external(*reader, *key, list) || common < list.len() {
                continue;
            }
            let begun = world.txns[*reader].times.0;
            let is_missed = |value: &u64| {
                world.writers.get(&(*key, *value)).is_some_and(|writer| {
                    let writer = &world.txns[*writer];
                    writer.outcome == Outcome::Committed && writer.times.1 < begun
                })
            };
            if other[common..].iter().any(is_missed) {
                found.insert(Class::StaleRead);
            }
        }
    }
    let updates: Vec<(usize, u64, &Vec<u64>)> = world
        .reads
        .iter()
        .filter(|(reader, position, key, _)| {
            let ops = &world.txns[*reader].ops;
            let wrote =
                ops[..*position].iter().any(|op| matches!(op, Op::Append(k, _) if k == key));
            let next = ops[position + 1..].iter().find_map(|op| match op {
                Op::Append(other, _) if other == key => Some(true),
                Op::Read(other, _) if other == key => Some(false),
                _ => None,
            });
            !wrote && next == Some(true)
        })
        .map(|(reader, _, key, list)| (*reader, *key, list))
        .collect();
    let clash = updates
        .iter()
        .any(|one| updates.iter().any(|two| one.0 != two.0 && (one.1, one.2) == (two.1, two.2)));
    if clash {
        found.insert(Class::LostUpdate);
    }
}
