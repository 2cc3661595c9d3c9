//! A claim to the commit marks of a database. It is stored in the data marker and names the process of the run that
//! uses the marks, so that no other run replaces them.
//!
//! Start reading at [`Claim::take`].

use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_engine::{LoadPlan, Stop};
use tacho_servers::Identity;
use tacho_workload::MarkerStore;

/// The marker entry.
const ENTRY: &str = "marks.process";
/// The value of the marker entry if no run holds the claim.
const NONE: &str = "none";
/// Extra time after the planned end of a load. The claim of a run on another host remains valid until this time has
/// passed.
const MARGIN: Duration = Duration::from_mins(10);
/// Assumed duration of a load that has no planned end.
const LONGEST: Duration = Duration::from_hours(24);

/// A run's claim on the commit marks.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    value: String,
}

/// The process named in the claim.
#[derive(Debug, PartialEq, Eq)]
struct Holder {
    host: String,
    process: Identity,
    /// The latest time at which the process's run ends, in seconds since 1970.
    until: u64,
}

impl Claim {
    /// Returns this process's claim for a run with this plan.
    pub(super) fn of(plan: &LoadPlan) -> Self {
        let load = match plan.stop {
            Stop::After(measured) => plan.ramp_up + measured + MARGIN,
            _ => LONGEST,
        };
        let pid = std::process::id();
        let process = Identity::of(pid).unwrap_or_else(|| Identity { pid, started: String::new() });
        let until = (tacho_collect::wall_clock() + load).as_secs();
        Self { value: Holder { host: tacho_collect::host().name, process, until }.text() }
    }

    /// Writes the claim to the marker.
    ///
    /// # Errors
    /// Returns any database error, or an [`Auth`](tacho_core::ErrorKind::Auth) error if another running process holds
    /// the claim.
    pub(super) async fn take(&self, store: &mut MarkerStore) -> Result<()> {
        if !store.has_marker() {
            return Ok(());
        }
        let (host, now) = (tacho_collect::host().name, tacho_collect::wall_clock().as_secs());
        let is_free = |value: &str| {
            let holder = Holder::parse(value);
            holder.is_none_or(|holder| !holder.runs(&host, now, Identity::lives))
        };
        store.claim(ENTRY, &self.value, is_free).await?.map_err(|value| in_use(&value, &host))
    }

    /// Removes the claim from the marker if the marker still contains it.
    pub(super) async fn release(&self, store: &mut MarkerStore) -> Result<()> {
        if !store.has_marker() {
            return Ok(());
        }
        store.claim(ENTRY, NONE, |value| value == self.value).await.map(drop)
    }
}

impl Holder {
    fn text(&self) -> String {
        let Self { host, process: Identity { pid, started }, until } = self;
        format!("{pid} {until} {} {host}", started.replace(' ', "_"))
    }

    /// Parses a marker entry. Returns `None` if the entry does not name a process.
    fn parse(value: &str) -> Option<Self> {
        let mut words = value.splitn(4, ' ');
        let mut next = || words.next();
        let (pid, until) = (next()?.parse().ok()?, next()?.parse().ok()?);
        let process = Identity { pid, started: next()?.to_owned() };
        Some(Self { host: next()?.to_owned(), process, until })
    }

    /// Returns true if the run that holds the claim may still be in progress. If it runs on another host, only its
    /// planned end is known.
    fn runs(&self, host: &str, now: u64, lives: impl Fn(&Identity) -> bool) -> bool {
        if self.host != host {
            return now < self.until;
        }
        if self.process.pid == std::process::id() {
            return false;
        }
        let is_same =
            |identity: Identity| identity.started.replace(' ', "_") == self.process.started;
        lives(&self.process) || Identity::of(self.process.pid).is_some_and(is_same)
    }
}

fn in_use(value: &str, this_host: &str) -> Error {
    let (what, hint) = match Holder::parse(value) {
        Some(holder) if holder.host == this_host => {
            (format!("process {}", holder.process.pid), "wait until that run has ended")
        }
        Some(holder) => (
            format!("process {} on host {}", holder.process.pid, holder.host),
            "wait until that run has ended; if its process was killed, wait until the planned end of the run",
        ),
        None => ("another process".to_owned(), "repeat the command"),
    };
    let text = format!("a run in {what} is writing commit marks to this data");
    Error::new(ErrorKind::Auth, text)
        .during("start run")
        .hint(hint)
        .hint("or omit --verify commits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_holds_while_its_process_lives() {
        let process = Identity { pid: 1, started: "7 8".into() };
        let holder = Holder { host: "here".into(), process, until: 100 };
        let read = Holder::parse(&holder.text()).expect("an entry");
        assert_eq!((read.host.as_str(), read.until, read.process.pid), ("here", 100, 1));
        assert!(
            read.runs("here", 900, |_| true),
            "the planned end does not matter while the process is alive"
        );
        assert!(!read.runs("here", 0, |_| false));
        assert!(read.runs("elsewhere", 99, |_| false) && !read.runs("elsewhere", 100, |_| true));
        let holder =
            Holder { process: Identity { pid: std::process::id(), ..read.process }, ..read };
        assert!(!holder.runs("here", 0, |_| true));
        assert_eq!([Holder::parse(NONE), Holder::parse("")], [None, None]);
    }
}
