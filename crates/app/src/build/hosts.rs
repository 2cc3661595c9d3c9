//! Builds data using several hosts. Each row depends only on its position in the table, so any host can load any part
//! of the table.
//!
//! The hosts load the numbered parts in turn. With three hosts, for example, each host loads every third part. A part
//! is committed together with an entry in the marker, so two hosts cannot both commit it.
//!
//! Start reading at [`load`].

use std::time::Duration;

use tacho_core::units::{counted, grouped};
use tacho_core::{Clock, Error, ErrorKind, Instant, Result};
use tacho_store::event::{BuildState, TableState};
use tacho_store::{Event, Listener};
use tacho_workload::{Instance, Marker, MarkerStore};

use crate::access::{Access, require_match};
use crate::clock::clock;
use crate::cluster::{AtWork, HostMessage, Task, gather, why_incomplete};
use crate::preparation::preparation;
use crate::{Context, Request};

/// The interval between a host's progress reports.
const SAY: Duration = Duration::from_millis(500);

/// The progress of one host, in rows per table.
#[derive(Clone, Default)]
struct Far {
    rows: Vec<u64>,
    expected: Vec<u64>,
    /// The total row count; present once the host has finished.
    loaded: Option<u64>,
}

/// Lets the hosts load the missing parts and verifies that all are loaded. Returns the number of rows and the time
/// taken.
pub(crate) fn load(
    Request { job, context }: Request<'_>,
    instance: &dyn Instance,
    access: &Access,
    store: &mut MarkerStore,
    marker: &Marker,
    listener: &mut dyn Listener,
) -> Result<(u64, Duration)> {
    let clock = clock();
    let mut far = vec![Far::default(); job.resolved.plan.load.hosts as usize];
    let before = Counted::of(store, access, context, instance.units())?;
    let mut hear = |said: Option<(u32, HostMessage)>, listener: &mut dyn Listener| {
        if let Some((place, said)) = said
            && let Some(far) = far.get_mut(place as usize)
        {
            match said {
                HostMessage::Rows { rows, expected } => (far.rows, far.expected) = (rows, expected),
                HostMessage::Loaded { rows } => far.loaded = Some(rows),
                HostMessage::Note(_) | HostMessage::Asked { .. } | HostMessage::Answers(_) => {}
            }
        }
        listener.build(together(&far, instance, clock.now().since(Instant(0))));
    };
    let hosts =
        gather(Request { job, context }, Task::Load, access.set, marker, listener, &mut hear);
    listener.build_over();
    let hosts = hosts?;
    let after = Counted::of(store, access, context, instance.units())?;
    let left = instance.units().saturating_sub(after.units);
    let incomplete = why_incomplete(&hosts).filter(|_| !context.interrupted());
    if let Some(error) = incomplete {
        let kept = format!("{} of {} were loaded", after.units, counted(instance.units(), "part"));
        return Err(error.during(format!("load from several hosts ({kept})")));
    }
    let reported: u64 = far.iter().filter_map(|far| far.loaded).sum();
    let found = after.rows - before.rows;
    if !context.interrupted() && (left > 0 || reported != found) {
        let text = format!(
            "the hosts reported {} loaded rows, but the database contains {} ({} missing)",
            grouped(reported),
            grouped(found),
            counted(left, "part")
        );
        return Err(Error::new(ErrorKind::Other, text)
            .hint("check whether another prepare command is running at the same time"));
    }
    Ok((found, clock.now().since(Instant(0))))
}

/// The totals of all build units recorded in the marker.
struct Counted {
    units: u64,
    rows: u64,
}

impl Counted {
    fn of(store: &mut MarkerStore, access: &Access, context: &Context, units: u64) -> Result<Self> {
        // Read the marker even after an interrupt, because the final message says how much has been loaded.
        let noted = access.to_the_end(context, store.units())?;
        let parts = || noted.iter().filter(|(unit, _)| *unit < units);
        Ok(Self { units: parts().count() as u64, rows: parts().map(|(_, rows)| rows).sum() })
    }
}

/// Returns the combined progress of all hosts.
fn together(far: &[Far], instance: &dyn Instance, elapsed: Duration) -> BuildState {
    let sum = |table: usize, of: fn(&Far) -> &Vec<u64>| {
        far.iter().filter_map(|far| of(far).get(table)).sum::<u64>()
    };
    let tables = instance.schema().tables.iter().enumerate().map(|(index, table)| TableState {
        name: table.name.to_owned(),
        rows: sum(index, |far| &far.rows),
        expected: sum(index, |far| &far.expected),
    });
    BuildState::of(tables.collect(), elapsed)
}

/// Loads this host's share.
pub(crate) fn part(
    at_work: &AtWork<'_>,
    access: &Access,
    mut store: Box<MarkerStore>,
) -> Result<String> {
    let &AtWork { job, context, share, set, marker, .. } = at_work;
    let choices = job.choices(Some(marker))?;
    let wanted = preparation(job, choices)?;
    require_match(job, marker, &wanted.choices, wanted.instance.as_ref())?;
    let done = access.unless_stopped(context, store.units())?;
    access.unless_stopped(context, store.into_session().close())?;
    let units = (0..wanted.instance.units())
        .filter(|unit| unit % u64::from(share.of) == u64::from(share.place));
    let todo: Vec<u64> = units.filter(|unit| done.iter().all(|(known, _)| known != unit)).collect();
    let sessions = share.count(job.resolved.plan.load.sessions) as usize;
    let sessions = sessions.min(todo.len());
    let mut speaker = Speaker { at_work, next: Duration::ZERO };
    let request = Request { job, context };
    let (rows, _) = super::load(request, &wanted, todo, sessions, set, &mut speaker)?;
    at_work.say(&HostMessage::Loaded { rows });
    Ok(format!("{} loaded", counted(rows, "row")))
}

/// Reports the progress of this host.
struct Speaker<'a> {
    at_work: &'a AtWork<'a>,
    next: Duration,
}

impl Listener for Speaker<'_> {
    fn on(&mut self, event: &Event) {
        match event {
            Event::Note { text } => self.at_work.say(&HostMessage::Note(text.clone())),
            Event::Build { build } if build.elapsed >= self.next => {
                self.next = build.elapsed + SAY;
                let (rows, expected) =
                    build.tables.iter().map(|table| (table.rows, table.expected)).unzip();
                self.at_work.say(&HostMessage::Rows { rows, expected });
            }
            _ => {}
        }
    }
}
