//! A build over many hosts: rows are functions of their slots, so any host can load any part, and the notes in the
//! marker say which parts are there.
//!
//! Host k of N loads the parts whose number leaves the rest k. A part is committed with its note, whose key is
//! its number: two hosts that load the same part cannot both commit it. Tables, indexes and statistics are the
//! coordinator's. Start reading at [`load`].

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

/// How often a host says how far it is.
const SAY: Duration = Duration::from_millis(500);

/// Rows of each table at one host.
#[derive(Clone, Default)]
struct Far {
    rows: Vec<u64>,
    expected: Vec<u64>,
    /// All of them, once it has come to its end.
    loaded: Option<u64>,
}

/// Lets the hosts load what is missing, and sees that it is all there. Returns the rows, and the time it took.
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
        let kept = format!("{} of {} are loaded", after.units, counted(instance.units(), "part"));
        return Err(error.during(format!("load over many hosts ({kept})")));
    }
    let reported: u64 = far.iter().filter_map(|far| far.loaded).sum();
    let found = after.rows - before.rows;
    if !context.interrupted() && (left > 0 || reported != found) {
        let text = format!(
            "the hosts loaded {} rows, and the notes of the parts say {}; {} missing",
            grouped(reported),
            grouped(found),
            counted(left, "part")
        );
        return Err(Error::new(ErrorKind::Other, text)
            .hint("see whether another prepare runs at the same time"));
    }
    Ok((found, clock.now().since(Instant(0))))
}

/// What the notes of a build say.
struct Counted {
    units: u64,
    rows: u64,
}

impl Counted {
    fn of(store: &mut MarkerStore, access: &Access, context: &Context, units: u64) -> Result<Self> {
        // Also after a stop, for the last word on what is there.
        let noted = access.to_the_end(context, store.units())?;
        let parts = || noted.iter().filter(|(unit, _)| *unit < units);
        Ok(Self { units: parts().count() as u64, rows: parts().map(|(_, rows)| rows).sum() })
    }
}

/// How far all hosts are together.
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

/// The share of this host.
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

/// Says how far this host is.
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
