//! The kinds of statements in a log, with their counts, failures and durations.

use std::collections::HashMap;

use tacho_driver::lexer::Syntax;

use super::normal::{name, normalise};
use super::times::Times;

/// Maximum number of statement texts that are told apart while a log is read.
const TEXTS_MAX: usize = 20_000;
/// Maximum number of kinds that are kept after the scan: those that took the most time or, if the
/// log has no durations, the most frequent ones.
pub const KINDS_MAX: usize = 200;
/// The kind for all statements that belong to none of the other kinds.
pub const OTHER: u32 = 0;

/// One kind of statement.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Short name of the kind.
    pub name: String,
    /// Statement text without literals.
    pub text: String,
    pub count: u64,
    pub failed: u64,
    pub took: Times,
    /// Sum of the logged row counts, and the number of statements for which a row count was logged.
    pub rows: u64,
    pub counted: u64,
}

/// All kinds of statements. The first kind is for statements that belong to no other kind.
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
            text: "statements of all other kinds".into(),
            ..Group::default()
        };
        Self { all: vec![other], known: HashMap::new(), text: String::new() }
    }
}

impl Groups {
    /// Counts a statement and returns its kind.
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

    pub fn returned(&mut self, group: u32, rows: u64) {
        let group = &mut self.all[group as usize];
        (group.rows, group.counted) = (group.rows.saturating_add(rows), group.counted + 1);
    }

    pub fn took(&mut self, group: u32, micros: f64) {
        self.all[group as usize].took.note(micros);
    }

    /// Keeps the most important kinds and drops the others. Returns each kind's new index.
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
                kept[0].rows = kept[0].rows.saturating_add(group.rows);
                kept[0].counted += group.counted;
                kept[0].took.merge(&group.took);
            }
        }
        self.all = kept;
        places
    }
}

/// Returns a name that no other kind has.
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
        assert_eq!(
            groups.all.iter().map(|group| group.count).sum::<u64>(),
            2 * (KINDS_MAX as u64 + 5)
        );
    }
}
