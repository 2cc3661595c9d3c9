//! Random histories: both implementations must find the same.

use std::collections::{BTreeMap, BTreeSet};

use tacho_core::{IsolationLevel as Level, Rng, Seed};

use super::*;
use crate::{Class, check, strongest_level};

const HISTORIES: u64 = 2_000;
const TRANSACTIONS: i64 = 7;
const KEYS: i64 = 3;

/// The simulated database's faults, in percent of the cases.
struct Faults {
    aborts: i64,
    dirty: i64,
    damaged: i64,
    /// Maximum number of transactions by which a snapshot may be out of date.
    lag: i64,
    is_torn: bool,
}

/// Returns the history of a database that keeps snapshots, with faults.
fn simulated(rng: &mut Rng) -> Vec<Txn> {
    let chance = |rng: &mut Rng, of: &[i64]| of[rng.between(0, of.len() as i64 - 1) as usize];
    let faults = Faults {
        aborts: chance(rng, &[0, 20]),
        dirty: chance(rng, &[0, 0, 50]),
        damaged: chance(rng, &[0, 0, 0, 15]),
        lag: chance(rng, &[0, 1, 3]),
        is_torn: rng.between(0, 2) == 0,
    };
    let mut states: Vec<BTreeMap<u64, Vec<u64>>> = vec![BTreeMap::new()];
    let mut next = 0;
    let mut txns = Vec::new();
    for at in 0..TRANSACTIONS {
        let lag = |rng: &mut Rng| rng.between(0, faults.lag.min(at));
        let mut behind = lag(rng);
        let mut state = states[at as usize].clone();
        let mut own: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let mut ops = Vec::new();
        for _ in 0..rng.between(1, 4) {
            let key = rng.between(1, KEYS) as u64;
            if rng.between(0, 1) == 0 {
                next += 1;
                own.entry(key).or_default().push(next);
                ops.push(append(key, next));
                continue;
            }
            if faults.is_torn {
                behind = lag(rng);
            }
            let snapshot = &states[(at - behind) as usize];
            let mut list = snapshot.get(&key).cloned().unwrap_or_default();
            list.extend(own.get(&key).into_iter().flatten());
            damage(&faults, rng, &mut list);
            ops.push(read(key, &list));
        }
        let outcome = match rng.between(0, 99) < faults.aborts {
            true if rng.between(0, 1) == 0 => Outcome::Failed,
            true => Outcome::Unknown,
            false => Outcome::Committed,
        };
        let is_kept = match outcome {
            Outcome::Committed => true,
            Outcome::Unknown => rng.between(0, 1) == 0,
            Outcome::Failed => rng.between(0, 99) < faults.dirty,
        };
        for (key, values) in own.iter().filter(|_| is_kept) {
            let list = state.entry(*key).or_default();
            if rng.between(0, 99) < faults.dirty && !list.is_empty() {
                // The writes of two transactions are mixed.
                list.splice(list.len() - 1..list.len() - 1, values.iter().copied());
            } else {
                list.extend(values);
            }
        }
        states.push(state);
        let begun = ((at - behind) * 10) as u64 + rng.between(0, 5) as u64;
        let times = (begun, at as u64 * 10 + 8);
        txns.push(Txn { session: at as u32, outcome, times, ops });
    }
    txns
}

fn damage(faults: &Faults, rng: &mut Rng, list: &mut Vec<u64>) {
    if list.is_empty() || rng.between(0, 99) >= faults.damaged {
        return;
    }
    match rng.between(0, 3) {
        0 => list.push(1_000 + rng.between(0, 999) as u64),
        1 => drop(list.pop()),
        2 => list.reverse(),
        _ => drop(list.remove(0)),
    }
}

/// Classes of cycles with several anti-dependencies. If there is also a cycle with fewer anti-dependencies, the search
/// may find only that one, because both violate the same isolation levels.
const WALKS: [Class; 2] = [Class::NonadjacentSkew, Class::WriteSkew];

#[test]
fn two_implementations_find_the_same_anomalies() {
    let mut all = BTreeSet::new();
    let mut levels = BTreeSet::new();
    for number in 0..HISTORIES {
        let txns = simulated(&mut Seed(42).rng(number));
        let findings = check(&history(&txns).expect("a history")).expect("findings");
        let mut found: BTreeSet<Class> = findings.classes().into_iter().collect();
        let mut expected = brute_force::classes(&txns);
        let ordered: Vec<Class> = expected.iter().copied().collect();
        assert_eq!(findings.strongest, strongest_level(&ordered), "{number}: {txns:#?}");
        assert!(findings.undecided.is_empty());
        levels.insert(findings.strongest);
        all.extend(findings.classes());
        let shorter = [Class::DirtyWrite, Class::CircularFlow, Class::ReadSkew];
        if shorter.iter().any(|class| expected.contains(class)) {
            for class in WALKS {
                assert!(expected.contains(&class) || !found.contains(&class), "{number}");
                found.remove(&class);
                expected.remove(&class);
            }
        }
        assert_eq!(found, expected, "{number}: {txns:#?}");
    }
    // Lost writes need a final read, and have tests of their own.
    let missing: Vec<Class> = Class::ALL.into_iter().filter(|class| !all.contains(class)).collect();
    assert_eq!(missing, [Class::LostWrite]);
    assert_eq!(levels.len(), Level::ALL.len(), "{levels:?}");
}

#[test]
fn examples_of_cycles_are_cycles() {
    for number in 0..HISTORIES / 10 {
        let txns = simulated(&mut Seed(7).rng(number));
        let findings = check(&history(&txns).expect("a history")).expect("findings");
        let cycles = [Class::DirtyWrite, Class::CircularFlow, Class::ReadSkew].into_iter();
        let classes: Vec<Class> = cycles.chain(WALKS).collect();
        for anomaly in findings.anomalies.iter().filter(|found| classes.contains(&found.class)) {
            for example in &anomaly.examples {
                let indexes: BTreeSet<u64> =
                    example.transactions.iter().map(|transaction| transaction.index).collect();
                assert_eq!(indexes.len(), example.transactions.len());
                assert_eq!(example.reasons.len(), example.transactions.len());
                let is_named = |reason: &String| !reason.contains("depends on");
                assert!(example.reasons.iter().all(is_named), "{number}: {example:#?}");
                let antis = example.reasons.iter().filter(|reason| reason.contains("without"));
                let expected = match anomaly.class {
                    Class::DirtyWrite | Class::CircularFlow => 0..=0,
                    Class::ReadSkew => 1..=1,
                    _ => 2..=usize::MAX,
                };
                assert!(expected.contains(&antis.count()), "{number}: {example:#?}");
            }
        }
    }
}
