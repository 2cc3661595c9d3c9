//! The steps between two configurations. Each step changes a group of differing settings.
//!
//! The steps are ordered so that every intermediate configuration is valid. Groups that are valid only in combination
//! are changed in a single step.
//!
//! Start reading at [`Steps::new`].

use tacho_analysis::{GroupChange, Path};
use tacho_config::Resolved;
use tacho_core::{Error, Result};
use tacho_workload::Workload;

use super::sides::Side;
use super::values::{Values, server_settings, with_values};
use crate::settings::{Pairs, none as no_settings};
use crate::{Context, Job, dry_run};

/// The text shown for a setting that one side does not specify.
const AS_IS: &str = "not set";

/// Settings that are changed together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    title: String,
    keys: Vec<String>,
}

impl Group {
    /// Returns the changes in words.
    pub(super) fn shown(&self, [from, to]: &[Side; 2]) -> GroupChange {
        let value = |side: &Side, key: &String| {
            side.values
                .get(key)
                .map_or(AS_IS, |value| if value.is_empty() { "none" } else { value })
                .to_owned()
        };
        let change = |key: &String| format!("{key}: {}, then {}", value(from, key), value(to, key));
        GroupChange { title: self.title.clone(), changes: self.keys.iter().map(change).collect() }
    }
}

/// An order in which the groups are changed.
#[derive(Clone, Debug, Default)]
struct Order {
    groups: Vec<usize>,
    /// The indexes of the configurations in this order. The first is the initial configuration. The others follow
    /// from changing one group after another.
    steps: Vec<usize>,
}

/// The result of trying to find an order in which every configuration is valid.
enum Laid {
    /// An order in which every configuration is valid.
    Order(Order),
    /// Groups that can be changed only together.
    Dependent(Vec<usize>),
}

/// The settings that both sides share, the two sides themselves, and the context of the command.
type Place<'a> = (&'a Resolved, &'a [Side; 2], &'a Context);

/// Maximum number of groups to try to change together. If no such combination is valid, all remaining groups are
/// changed together.
const TOGETHER_MAX: usize = 4;

/// All configurations to be measured, with their orders.
pub(super) struct Steps {
    pub(super) groups: Vec<Group>,
    /// The values of each distinct configuration.
    pub(super) configurations: Vec<Values>,
    orders: [Order; 2],
}

impl Steps {
    /// Determines the configurations for one or both orders and checks each of them.
    pub(super) fn new(
        base: &Resolved,
        sides: &[Side; 2],
        one_order: bool,
        context: &Context,
    ) -> Result<Self> {
        let workload = Job::new(base.clone(), context)?.workload;
        let mut groups = groups(sides, workload.as_ref());
        if groups.is_empty() {
            return Err(Error::usage("the configurations do not differ")
                .hint("--from and --to accept PROFILE[,KEY=VALUE…]"));
        }
        for side in sides {
            check(base, &side.values, context)?;
        }
        let place = (base, sides, context);
        loop {
            let mut steps = Self { groups, configurations: Vec::new(), orders: Default::default() };
            match steps.lay_out(one_order, place) {
                None => return Ok(steps),
                Some(dependent) => groups = joined(steps.groups, &dependent),
            }
        }
    }

    /// Determines the orders. If some groups can only be changed together, returns these groups instead.
    fn lay_out(&mut self, one_order: bool, place: Place<'_>) -> Option<Vec<usize>> {
        let all: Vec<usize> = (0..self.groups.len()).collect();
        match self.order(&all, place) {
            Laid::Order(order) => self.orders[0] = order,
            Laid::Dependent(groups) => return Some(groups),
        }
        let back: Vec<usize> = all.into_iter().rev().collect();
        if !one_order && back.len() > 1 {
            match self.order(&back, place) {
                Laid::Order(second) if second.groups != self.orders[0].groups => {
                    self.orders[1] = second;
                }
                Laid::Order(_) => {}
                Laid::Dependent(groups) => return Some(groups),
            }
        }
        None
    }

    /// Changes the groups one after another, in the preferred order if every resulting configuration is valid.
    fn order(&mut self, preferred: &[usize], place: Place<'_>) -> Laid {
        let (base, [from, to], context) = place;
        let mut now = from.values.clone();
        let mut order = Order { groups: Vec::new(), steps: vec![self.place(now.clone())] };
        let mut left = preferred.to_vec();
        while !left.is_empty() {
            let can = |group: &usize| {
                check(base, &self.changed(&now, &to.values, &[*group]), context).is_ok()
            };
            let Some(at) = left.iter().position(can) else {
                let fits = |groups: &[usize]| {
                    check(base, &self.changed(&now, &to.values, groups), context).is_ok()
                };
                return Laid::Dependent(fewest(&left, fits));
            };
            let group = left.remove(at);
            now = self.changed(&now, &to.values, &[group]);
            order.groups.push(group);
            order.steps.push(self.place(now.clone()));
        }
        Laid::Order(order)
    }

    fn changed(&self, now: &Values, to: &Values, groups: &[usize]) -> Values {
        let mut changed = now.clone();
        for key in groups.iter().flat_map(|group| &self.groups[*group].keys) {
            match to.get(key) {
                Some(value) => changed.insert(key.clone(), value.clone()),
                None => changed.remove(key),
            };
        }
        changed
    }

    /// Returns the index of a configuration, adding the configuration if it is new.
    fn place(&mut self, values: Values) -> usize {
        let known = self.configurations.iter().position(|configuration| *configuration == values);
        known.unwrap_or_else(|| {
            self.configurations.push(values);
            self.configurations.len() - 1
        })
    }

    /// Returns the settings of a configuration.
    pub(super) fn resolved(&self, base: &Resolved, at: usize) -> Result<Resolved> {
        with_values(base, &self.configurations[at])
    }

    /// Returns the server settings of a configuration.
    pub(super) fn server_settings(&self, at: usize) -> Pairs {
        server_settings(&self.configurations[at])
    }

    /// Returns a configuration's name. It contains the name of the group that was changed last.
    pub(super) fn words(&self, at: usize) -> String {
        for (order, name) in self.orders.iter().zip(["", ", second order"]) {
            if let Some(place) = order.steps.iter().position(|step| *step == at) {
                return match place {
                    0 => "the first configuration".into(),
                    _ if place == order.groups.len() => "the last configuration".into(),
                    _ => format!("with {}{name}", self.groups[order.groups[place - 1]].title),
                };
            }
        }
        String::new()
    }

    /// Returns the results of all rounds for both orders.
    pub(super) fn paths(&self, rounds: &[Vec<Option<f64>>]) -> [Path; 2] {
        [0, 1].map(|at| {
            let order = &self.orders[at];
            let along =
                |round: &Vec<Option<f64>>| order.steps.iter().map(|at| round[*at]).collect();
            Path { order: order.groups.clone(), rounds: rounds.iter().map(along).collect() }
        })
    }
}

/// Returns the smallest set of groups that can be changed together. If there are several, returns the one that comes
/// first in the preferred order.
fn fewest(left: &[usize], fits: impl Fn(&[usize]) -> bool) -> Vec<usize> {
    let sizes = 2..=TOGETHER_MAX.min(left.len().saturating_sub(1));
    let mut sets = sizes.flat_map(|size| sets_of(left, size));
    sets.find(|set| fits(set)).unwrap_or_else(|| left.to_vec())
}

/// Returns all sets of this size in lexicographic order.
fn sets_of(all: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let with = |at: usize| {
        let rest = sets_of(&all[at + 1..], size - 1).into_iter();
        rest.map(move |set| std::iter::once(all[at]).chain(set).collect())
    };
    (0..all.len()).flat_map(with).collect()
}

/// Merges dependent groups into one group at the position of the first of them. Returns the new list of groups.
fn joined(groups: Vec<Group>, dependent: &[usize]) -> Vec<Group> {
    let mut place = None;
    let mut all: Vec<Group> = Vec::new();
    for (at, group) in groups.into_iter().enumerate() {
        match (dependent.contains(&at), place) {
            (false, _) => all.push(group),
            (true, None) => {
                place = Some(all.len());
                all.push(group);
            }
            (true, Some(first)) => {
                let joined: &mut Group = &mut all[first];
                joined.title = format!("{} + {}", joined.title, group.title);
                joined.keys.extend(group.keys);
            }
        }
    }
    all
}

/// Returns the settings that differ. The workload's groups come first, then other workload parameters and run settings.
fn groups([from, to]: &[Side; 2], workload: &dyn Workload) -> Vec<Group> {
    let mut keys: Vec<&String> = from.values.keys().chain(to.values.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.retain(|key| from.values.get(*key) != to.values.get(*key));
    let mut groups = Vec::new();
    for (title, keys_of_group) in workload.switch_groups() {
        let (inside, rest): (Vec<&String>, Vec<&String>) =
            keys.into_iter().partition(|key| keys_of_group.contains(&key.as_str()));
        keys = rest;
        if !inside.is_empty() {
            let keys = inside.into_iter().cloned().collect();
            groups.push(Group { title: (*title).to_owned(), keys });
        }
    }
    let is_parameter =
        |key: &str| workload.parameters().iter().any(|parameter| parameter.key == key);
    keys.sort_by_key(|key| !is_parameter(key));
    groups
        .extend(keys.into_iter().map(|key| Group { title: key.clone(), keys: vec![key.clone()] }));
    groups
}

/// Returns an error if a configuration cannot run.
fn check(base: &Resolved, values: &Values, context: &Context) -> Result<()> {
    let job = Job::new(with_values(base, values)?, context)?;
    job.workload.instance(&job.choices(None)?)?.requires(&job.driver.capabilities())?;
    if !server_settings(values).is_empty() && !job.driver.capabilities().settings {
        return Err(no_settings(&job));
    }
    dry_run(&job).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_groups_that_fit_are_changed_together() {
        let needs = |wanted: &'static [usize]| {
            move |set: &[usize]| wanted.iter().all(|needed| set.contains(needed))
        };
        assert_eq!(fewest(&[4, 1, 3, 0], needs(&[1, 0])), [1, 0]);
        assert_eq!(fewest(&[0, 1, 2, 3, 4], needs(&[4, 2, 0])), [0, 2, 4]);
        let all: Vec<usize> = (0..7).collect();
        assert_eq!(fewest(&all, needs(&[0, 1, 2, 3, 4, 5])), all);
        assert_eq!(sets_of(&all, 3).len(), 35);
    }

    #[test]
    fn joined_groups_stand_where_the_first_one_stood() {
        let group = |title: &str| Group { title: title.into(), keys: vec![title.into()] };
        let groups = joined(["a", "b", "c", "d"].map(group).into(), &[3, 1]);
        let titles: Vec<&str> = groups.iter().map(|group| group.title.as_str()).collect();
        assert_eq!(titles, ["a", "b + d", "c"]);
        assert_eq!(groups[1].keys, ["b", "d"]);
    }
}
