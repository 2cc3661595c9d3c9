//! Divides a commit log among the hosts of a run. Each host records the commits of its own sessions, and the
//! coordinator imports the records after the load.

use tacho_core::units::counted;

use super::notes::{Field, Notes, SOME_TIME};
use super::{BEGIN, CommitNotes, PLACE, PLACES};

impl CommitNotes {
    /// Restricts the log to this host's sessions. Other hosts keep their own logs.
    pub fn of_share(&self, place: u32, of: u32) {
        self.layout.set_head(PLACE, place.into());
        self.layout.set_head(PLACES, of.into());
    }

    /// Returns true if this file contains the session's notes.
    pub fn has(&self, session: u32) -> bool {
        self.is_of_share(session) && self.layout.read(session).get(Field::Elsewhere) == 0
    }

    fn is_of_share(&self, session: u32) -> bool {
        let [place, of] = [PLACE, PLACES].map(|at| self.head(at));
        session < self.layout.sessions && (of == 0 || u64::from(session) % of == place)
    }

    /// Records that another host has the session's notes, so they are not verified on this host.
    pub fn is_elsewhere(&self, session: u32) {
        if session < self.layout.sessions {
            self.change(session, |notes| notes.set(Field::Elsewhere, 1));
        }
    }

    /// Records that the notes of all sessions are on other hosts, until they are imported.
    pub fn are_elsewhere(&self) {
        (0..self.layout.sessions).for_each(|session| self.is_elsewhere(session));
    }

    /// Returns the reason why some acknowledged commits cannot be verified with this commit log, for example because a
    /// load host was lost.
    pub fn incomplete(&self) -> Option<String> {
        let all = (0..self.layout.sessions).filter(|session| self.is_of_share(*session));
        let (here, elsewhere): (Vec<u32>, Vec<u32>) = all.partition(|session| self.has(*session));
        match (here.len(), elsewhere.len() as u64) {
            (0, 0) => Some("the commit log does not cover any sessions".into()),
            (_, 0) => None,
            (_, away) => Some(format!(
                "the commit log for {} was not received from its load host",
                counted(away, "session")
            )),
        }
    }

    /// Returns the numbers from each session's notes in this file. Times are relative to the start
    /// of the load.
    pub fn numbers(&self) -> Vec<(u32, Vec<u64>)> {
        let begin = self.head(BEGIN);
        let of = |session: u32| {
            let mut notes = self.layout.read(session);
            for field in [Field::LostFirst, Field::LostLast] {
                let since = match notes.get(field) {
                    unknown @ (0 | SOME_TIME) => unknown,
                    moment => moment.saturating_sub(begin).max(1),
                };
                notes.set(field, since);
            }
            // The list of commit times remains on the host that recorded them.
            notes.set(Field::Timed, 0);
            notes.0.to_vec()
        };
        (0..self.sessions())
            .filter(|session| self.has(*session))
            .map(|session| (session, of(session)))
            .collect()
    }

    /// Imports the numbers of a session from another host. Returns false if they are invalid.
    pub fn take_over(&self, session: u32, numbers: &[u64]) -> bool {
        let Ok(fields) = numbers.try_into() else { return false };
        if session >= self.layout.sessions {
            return false;
        }
        self.layout.write(session, &Notes(fields));
        true
    }
}
