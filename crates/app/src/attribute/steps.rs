//! The steps from one configuration to the other: groups of what differs, and two orders of changing them.
//!
//! An order skips a group whose change is refused as long as another one is missing. Start reading at
//! [`Steps::new`].

use tacho_analysis::{GroupChange, Path};
use tacho_config::Resolved;
use tacho_core::{Error, Result};
use tacho_workload::Workload;

use super::sides::Side;
use super::values::{Values, with_values};
use crate::{Context, Job, dry_run};

/// What a side has that does not name a setting.
const AS_IS: &str = "not set";

/// What is changed at once.
#[derive(Clone, Debug)]
pub(super) struct Group {
    title: String,
    keys: Vec<String>,
}

impl Group {
    /// Its changes in words.
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

/// One order.
#[derive(Clone, Debug, Default)]
struct Order {
    groups: Vec<usize>,
    /// Places among the configurations, one more than groups.
    steps: Vec<usize>,
}

/// All that is measured.
pub(super) struct Steps {
    pub(super) groups: Vec<Group>,
    /// Values of each configuration, each once.
    pub(super) configurations: Vec<Values>,
    orders: [Order; 2],
}

impl Steps {
    /// Lays out both orders, or one. Every configuration is checked.
    pub(super) fn new(
        base: &Resolved,
        sides: &[Side; 2],
        one_order: bool,
        context: &Context,
    ) -> Result<Self> {
        let workload = Job::new(base.clone(), context)?.workload;
        let groups = groups(sides, workload.as_ref());
        if groups.is_empty() {
            return Err(Error::usage("the configurations do not differ")
                .hint("--from and --to take PROFILE[,KEY=VALUE…]"));
        }
        let mut steps = Self { groups, configurations: Vec::new(), orders: Default::default() };
        let all: Vec<usize> = (0..steps.groups.len()).collect();
        steps.orders[0] = steps.order(base, sides, &all, context)?;
        let back: Vec<usize> = all.into_iter().rev().collect();
        if !one_order && back.len() > 1 {
            let second = steps.order(base, sides, &back, context)?;
            if second.groups != steps.orders[0].groups {
                steps.orders[1] = second;
            }
        }
        Ok(steps)
    }

    /// Changes the groups in this order of preference.
    fn order(
        &mut self,
        base: &Resolved,
        [from, to]: &[Side; 2],
        preferred: &[usize],
        context: &Context,
    ) -> Result<Order> {
        let mut now = from.values.clone();
        check(base, &now, context)?;
        check(base, &to.values, context)?;
        let mut order = Order { groups: Vec::new(), steps: vec![self.place(now.clone())] };
        let mut left = preferred.to_vec();
        while !left.is_empty() {
            let mut refused = None;
            let next = left.iter().position(|group| {
                let changed = self.changed(&now, &to.values, *group);
                let error = check(base, &changed, context).err();
                let fits = error.is_none();
                refused = refused.take().or(error);
                fits
            });
            let Some(at) = next else {
                let error = refused.unwrap_or_else(|| Error::usage("no group can be changed"));
                return Err(error.during("change one group after the other"));
            };
            let group = left.remove(at);
            now = self.changed(&now, &to.values, group);
            order.groups.push(group);
            order.steps.push(self.place(now.clone()));
        }
        Ok(order)
    }

    fn changed(&self, now: &Values, to: &Values, group: usize) -> Values {
        let mut changed = now.clone();
        for key in &self.groups[group].keys {
            match to.get(key) {
                Some(value) => changed.insert(key.clone(), value.clone()),
                None => changed.remove(key),
            };
        }
        changed
    }

    /// The place of a configuration, which is added if it is new.
    fn place(&mut self, values: Values) -> usize {
        let known = self.configurations.iter().position(|own| *own == values);
        known.unwrap_or_else(|| {
            self.configurations.push(values);
            self.configurations.len() - 1
        })
    }

    /// The settings of a configuration.
    pub(super) fn resolved(&self, base: &Resolved, at: usize) -> Result<Resolved> {
        with_values(base, &self.configurations[at])
    }

    /// What a configuration is called: the group after whose change it is.
    pub(super) fn words(&self, at: usize) -> String {
        for (order, name) in self.orders.iter().zip(["", ", second order"]) {
            if let Some(place) = order.steps.iter().position(|own| *own == at) {
                return match place {
                    0 => "the first configuration".into(),
                    _ if place == order.groups.len() => "the last configuration".into(),
                    _ => format!("with {}{name}", self.groups[order.groups[place - 1]].title),
                };
            }
        }
        String::new()
    }

    /// The figures of all rounds along both orders.
    pub(super) fn paths(&self, rounds: &[Vec<Option<f64>>]) -> [Path; 2] {
        [0, 1].map(|at| {
            let order = &self.orders[at];
            let along =
                |round: &Vec<Option<f64>>| order.steps.iter().map(|at| round[*at]).collect();
            Path { order: order.groups.clone(), rounds: rounds.iter().map(along).collect() }
        })
    }
}

/// What differs, in the groups of the workload and in its order; what is in none is a group of its own, and
/// settings of the run come last.
fn groups([from, to]: &[Side; 2], workload: &dyn Workload) -> Vec<Group> {
    let mut keys: Vec<&String> = from.values.keys().chain(to.values.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.retain(|key| from.values.get(*key) != to.values.get(*key));
    let mut groups = Vec::new();
    for (title, own) in workload.switch_groups() {
        let (inside, rest): (Vec<&String>, Vec<&String>) =
            keys.into_iter().partition(|key| own.contains(&key.as_str()));
        keys = rest;
        if !inside.is_empty() {
            let keys = inside.into_iter().cloned().collect();
            groups.push(Group { title: (*title).to_owned(), keys });
        }
    }
    let is_parameter = |key: &str| workload.parameters().iter().any(|own| own.key == key);
    keys.sort_by_key(|key| !is_parameter(key));
    groups
        .extend(keys.into_iter().map(|key| Group { title: key.clone(), keys: vec![key.clone()] }));
    groups
}

/// Fails if a configuration cannot be run.
fn check(base: &Resolved, values: &Values, context: &Context) -> Result<()> {
    let job = Job::new(with_values(base, values)?, context)?;
    job.workload.instance(&job.choices(None)?)?.requires(&job.driver.capabilities())?;
    dry_run(&job).map(drop)
}
