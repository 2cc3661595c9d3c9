//! The kinds of statements of a log, with how they went in it.

use std::collections::HashMap;

use tacho_driver::lexer::Syntax;

use super::normal::{name, normalise};
use super::times::Times;

/// The number of different texts that are distinguished while a log is read.
const TEXTS_MAX: usize = 20_000;
/// Kinds that are kept: those with the most time, or the most statements where no time is known.
pub const KINDS_MAX: usize = 200;
/// The kind of all others, before and after the scan.
pub const OTHER: u32 = 0;

/// One kind.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Its short name.
    pub name: String,
    /// Its text without literals.
    pub text: String,
    pub count: u64,
    pub failed: u64,
    pub took: Times,
}

/// All kinds. The first is of those that have none of their own.
#[derive(Debug)]
pub struct Groups {
    pub all: Vec<Group>,
    known: HashMap<String, u32>,
    text: String,
}

impl Default for Groups {
    fn default() -> Self {
        let other = Group {
            name: "other_statements".into(),
            text: "statements of further kinds".into(),
            ..Group::default()
        };
        Self { all: vec![other], known: HashMap::new(), text: String::new() }
    }
}

impl Groups {
    /// The kind of a statement, which is counted.
    pub fn note(&mut self, text: &[u8], syntax: Syntax) -> u32 {
        normalise(text, syntax, &mut self.text);
        let group = match self.known.get(&self.text) {
            Some(group) => *group,
            None if self.known.len() >= TEXTS_MAX => OTHER,
            None => {
                let group = self.all.len() as u32;
                self.all.push(Group { text: self.text.clone(), ..Group::default() });
                self.known.insert(self.text.clone(), group);
                group
            }
        };
        self.all[group as usize].count += 1;
        group
    }

    pub fn failed(&mut self, group: u32) {
        self.all[group as usize].failed += 1;
    }

    pub fn took(&mut self, group: u32, micros: f64) {
        self.all[group as usize].took.note(micros);
    }

    /// Keeps the kinds that matter most, and returns the new place of each.
    pub fn finish(&mut self) -> Vec<u32> {
        self.known = HashMap::new();
        let mut order: Vec<usize> = (1..self.all.len()).collect();
        let weight = |at: &usize| (self.all[*at].took.sum(), self.all[*at].count as f64);
        order.sort_by(|a, b| {
            let (a, b) = (weight(a), weight(b));
            b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
        });
        let mut places = vec![OTHER; self.all.len()];
        let mut kept = vec![self.all[0].clone()];
        for at in order {
            if kept.len() <= KINDS_MAX {
                places[at] = kept.len() as u32;
                let mut group = std::mem::take(&mut self.all[at]);
                group.name = unique(name(&group.text), &kept);
                kept.push(group);
            } else {
                let group = &self.all[at];
                kept[0].count += group.count;
                kept[0].failed += group.failed;
                kept[0].took.merge(&group.took);
            }
        }
        self.all = kept;
        places
    }
}

/// A name that no other kind has.
fn unique(name: String, others: &[Group]) -> String {
    let taken = |name: &str| others.iter().any(|other| other.name == name) || name == super::END;
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name));
    free.unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_with_the_most_time_come_first_and_the_rest_is_counted() {
        let mut groups = Groups::default();
        for number in 0..KINDS_MAX + 5 {
            let text = format!("select a from t{number} where b = {number}");
            let group = groups.note(text.as_bytes(), Syntax::STANDARD);
            groups.took(group, number as f64 + 1.0);
            assert_eq!(groups.note(text.as_bytes(), Syntax::STANDARD), group);
        }
        let places = groups.finish();
        assert_eq!(groups.all.len(), KINDS_MAX + 1);
        assert_eq!((groups.all[0].count, places[1], places[KINDS_MAX + 5]), (10, OTHER, 1));
        assert_eq!(groups.all[1].name, format!("select_t{}", KINDS_MAX + 4));
        assert_eq!(groups.all.iter().map(|own| own.count).sum::<u64>(), 2 * (KINDS_MAX as u64 + 5));
    }
}
