//! Determines a session's home warehouse and stock-level district, and the warehouse of each transaction.
//!
//! A session's home must depend only on the seed and the session number. Start reading at [`Place`].

use tacho_core::{Rng, Seed};

use crate::schema::DISTRICTS;
use crate::settings::{Behaviour, Warehouses};

/// The home of one session.
#[derive(Clone, Debug)]
pub struct Place {
    mode: Warehouses,
    warehouses: i64,
    sessions: i64,
    session: i64,
    home: i64,
    /// District for the session's stock-level transactions.
    pub district: i64,
}

impl Place {
    /// Returns the home of session `session` out of `sessions` sessions.
    pub fn new(
        behaviour: &Behaviour,
        warehouses: i64,
        session: u32,
        sessions: u32,
        session_seed: Seed,
    ) -> Self {
        let mut rng = session_seed.child("place").rng(0);
        let (session, sessions) = (i64::from(session), i64::from(sessions.max(1)));
        let (drawn_home, drawn_district) = (rng.between(1, warehouses), rng.between(1, DISTRICTS));
        // Clause 4.2.2 assigns ten terminals to a warehouse.
        //
        // The first district of every warehouse is used before the second district of any warehouse. This way, even a
        // few sessions are spread over the warehouses.
        let home = session % warehouses + 1;
        let district = session / warehouses % DISTRICTS + 1;
        Self {
            mode: behaviour.warehouses,
            warehouses,
            sessions,
            session,
            home: if behaviour.random_home { drawn_home } else { home },
            district: if behaviour.random_district { drawn_district } else { district },
        }
    }

    /// Returns the home warehouse for the next transaction.
    #[inline]
    pub fn warehouse(&self, rng: &mut Rng) -> i64 {
        match self.mode {
            Warehouses::Home => self.home,
            Warehouses::All => rng.between(1, self.warehouses),
            // As in HammerDB's all-warehouses mode, session i of V sessions uses the warehouses i,
            // i + V, i + 2V and so on, modulo the number of warehouses.
            //
            // All lists have the same length.
            Warehouses::Owned => {
                let count = (self.warehouses + self.sessions - 1) / self.sessions;
                (self.session + rng.between(0, count - 1) * self.sessions) % self.warehouses + 1
            }
            // With W warehouses, session i of V sessions uses the warehouses from number i · W / V
            // up to the first warehouse of the next session.
            Warehouses::Range => {
                let index = self.session % self.sessions;
                let (from, to) = (self.bound(index), self.bound(index + 1));
                rng.between(from + 1, to.max(from + 1))
            }
        }
    }
}

impl Place {
    /// Returns the number of warehouses that belong to sessions with lower numbers. If there are fewer warehouses than
    /// sessions, several sessions share a warehouse.
    fn bound(&self, session: i64) -> i64 {
        session * self.warehouses / self.sessions
    }
}

/// Draws any warehouse other than `home`, or returns `home` if it is the only one.
#[inline]
pub fn other_warehouse(rng: &mut Rng, home: i64, warehouses: i64) -> i64 {
    if warehouses == 1 {
        return home;
    }
    let drawn = rng.between(1, warehouses - 1);
    if drawn >= home { drawn + 1 } else { drawn }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn behaviour(set: &[(&str, &str)]) -> Behaviour {
        let set: BTreeMap<String, String> =
            set.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
        let options = tacho_workload::Options::resolve(
            &crate::params::PARAMETERS,
            &crate::profiles::PROFILES,
            "spec",
            &set,
        );
        crate::settings::Settings::new(&options.unwrap(), "").unwrap().behaviour
    }

    #[test]
    fn terminals_spread_over_warehouses_and_then_districts() {
        let behaviour = behaviour(&[]);
        let place = |session| Place::new(&behaviour, 3, session, 30, Seed(1));
        let at = |session| (place(session).home, place(session).district);
        assert_eq!(
            [at(0), at(1), at(2), at(3), at(29), at(30)],
            [(1, 1), (2, 1), (3, 1), (1, 2), (3, 10), (1, 1)]
        );
    }

    #[test]
    fn owned_warehouses_cover_all_and_wrap() {
        let behaviour = behaviour(&[("warehouses", "owned")]);
        let mut rng = Seed(1).rng(0);
        let mut owned: Vec<Vec<i64>> = Vec::new();
        for session in 0..3 {
            let place = Place::new(&behaviour, 30, session, 3, Seed(1));
            let mut seen: Vec<i64> = (0..1_000).map(|_| place.warehouse(&mut rng)).collect();
            seen.sort_unstable();
            seen.dedup();
            owned.push(seen);
        }
        assert_eq!(owned[0], (0..10).map(|j| 1 + 3 * j).collect::<Vec<_>>());
        let all: usize = owned.iter().map(Vec::len).sum();
        assert_eq!(all, 30);
    }

    #[test]
    fn ranges_are_consecutive_and_cover_all_once() {
        let behaviour = behaviour(&[("warehouses", "range")]);
        for (warehouses, sessions) in [(10, 3), (3, 3), (2, 5), (100, 8)] {
            let mut rng = Seed(2).rng(0);
            let mut owned: Vec<Vec<i64>> = Vec::new();
            for session in 0..sessions {
                let warehouses = i64::from(warehouses);
                let place = Place::new(&behaviour, warehouses, session, sessions, Seed(1));
                let mut seen: Vec<i64> = (0..2_000).map(|_| place.warehouse(&mut rng)).collect();
                seen.sort_unstable();
                seen.dedup();
                owned.push(seen);
            }
            let mut all: Vec<i64> = owned.concat();
            if sessions <= warehouses {
                assert_eq!(all, (1..=i64::from(warehouses)).collect::<Vec<_>>());
            }
            all.dedup();
            assert!(all.iter().all(|w| (1..=i64::from(warehouses)).contains(w)), "{all:?}");
        }
    }

    #[test]
    fn all_and_random_homes_reach_every_warehouse() {
        let mut rng = Seed(1).rng(0);
        let place = Place::new(&behaviour(&[("warehouses", "all")]), 5, 0, 1, Seed(1));
        assert!((1..=5).all(|w| (0..200).any(|_| place.warehouse(&mut rng) == w)));
        let random = behaviour(&[("home", "random")]);
        let homes: Vec<i64> = (0..200)
            .map(|session| {
                Place::new(&random, 5, session, 200, Seed(1).nth(u64::from(session))).home
            })
            .collect();
        assert!((1..=5).all(|w| homes.contains(&w)));
    }

    #[test]
    fn another_warehouse_is_never_home() {
        let mut rng = Seed(1).rng(0);
        assert_eq!(other_warehouse(&mut rng, 1, 1), 1);
        for _ in 0..1_000 {
            let other = other_warehouse(&mut rng, 2, 3);
            assert!(other == 1 || other == 3);
        }
    }
}
