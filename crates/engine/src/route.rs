//! Routes a run's transactions to several databases.
//!
//! Drivers and workloads do not know about routes. Start reading at [`Router::choose`].

use std::sync::Arc;

use tacho_core::{Rng, Seed};
use tacho_driver::Target;

use crate::health::Health;

/// The rule for selecting one of several targets for each transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Always the first target.
    First,
    /// Always the last target.
    Last,
    /// Any target, with equal probability.
    Random,
    /// Selects the targets in turn, but different sessions start with different targets.
    RoundRobin,
}

impl Policy {
    /// The names of the policies, as used in `--route`.
    pub const NAMES: [&'static str; 4] = ["first_named", "last_named", "random", "round_robin"];

    /// Returns the policy called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::First, Self::Last, Self::Random, Self::RoundRobin]
            .into_iter()
            .find(|policy| policy.name() == name)
    }

    /// Returns the name of the policy.
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// The targets for one transaction type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The route's targets, as indexes into [`Routes::targets`]. There must be at least one.
    pub among: Vec<usize>,
    /// The rule for selecting one of the targets.
    pub policy: Policy,
}

/// The routes for all transactions in a run.
#[derive(Debug)]
pub struct Routes {
    /// All targets, which must have the same driver. Each session connects to all of them.
    pub targets: Vec<Target>,
    /// One route for each transaction type, indexed by type.
    pub of: Vec<Route>,
    /// Tracks which of the targets are working.
    pub health: Health,
}

/// The router of one session.
pub(crate) struct Router {
    routes: Arc<Routes>,
    /// Number of targets selected so far for each transaction type.
    turns: Vec<usize>,
    rng: Rng,
}

impl Router {
    pub(crate) fn new(routes: Arc<Routes>, seed: Seed, session: u32) -> Self {
        let turns = vec![session as usize; routes.of.len()];
        let rng = seed.child("routes").rng(u64::from(session));
        Self { routes, turns, rng }
    }

    /// Returns the target for the next transaction of this type.
    #[inline]
    pub(crate) fn choose(&mut self, transaction: usize) -> usize {
        let Route { among, policy } = &self.routes.of[transaction];
        let place = match policy {
            Policy::First => 0,
            Policy::Last => among.len() - 1,
            Policy::Random => self.rng.below(among.len() as u64) as usize,
            Policy::RoundRobin => {
                let turn = &mut self.turns[transaction];
                *turn = turn.wrapping_add(1);
                turn.wrapping_sub(1) % among.len()
            }
        };
        if self.routes.health.is_good() { among[place] } else { self.working(transaction, place) }
    }

    /// Returns the target at this position of a route. If this target has failed, returns the next working one.
    #[cold]
    fn working(&self, transaction: usize, place: usize) -> usize {
        let Route { among, .. } = &self.routes.of[transaction];
        let turned = among[place..].iter().chain(&among[..place]);
        let mut good = turned.filter(|target| !self.routes.health.is_out(**target));
        *good.next().unwrap_or(&among[place])
    }

    /// Returns the state of the targets.
    #[inline]
    pub(crate) fn health(&self) -> &Health {
        &self.routes.health
    }

    /// Returns true if another target in the route of this transaction type is working.
    pub(crate) fn has_other(&self, transaction: usize, target: usize) -> bool {
        let among = &self.routes.of[transaction].among;
        among.iter().any(|other| *other != target && !self.routes.health.is_out(*other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_chooses_as_it_says() {
        let route = |policy| Route { among: vec![2, 0, 1], policy };
        let of = [Policy::First, Policy::Last, Policy::RoundRobin, Policy::Random].map(route);
        let target = |text| Target::parse(text).expect("a target");
        let targets = ["noop:a", "noop:b", "noop:c"].map(target).to_vec();
        let health = Health::new(targets.len());
        let all = Arc::new(Routes { targets, of: of.to_vec(), health });
        let chosen = |session: u32, kind: usize| {
            let mut router = Router::new(all.clone(), Seed(1), session);
            (0..300).map(|_| router.choose(kind)).collect::<Vec<_>>()
        };
        assert!(chosen(0, 0).iter().all(|place| *place == 2));
        assert!(chosen(0, 1).iter().all(|place| *place == 1));
        assert_eq!(
            (&chosen(0, 2)[..4], &chosen(1, 2)[..4]),
            (&[2, 0, 1, 2][..], &[0, 1, 2, 0][..])
        );
        let random = chosen(0, 3);
        for place in 0..3 {
            let count = random.iter().filter(|chosen| **chosen == place).count();
            assert!((60..140).contains(&count), "{place}: {count}");
        }
        assert_ne!(random, chosen(1, 3));
        for name in Policy::NAMES {
            assert_eq!(Policy::from_name(name).map(Policy::name), Some(name));
        }
    }
}
