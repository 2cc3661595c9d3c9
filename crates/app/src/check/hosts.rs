//! Distributes the checks over several hosts. Host k of N runs the queries whose number modulo N is k.
//!
//! If a host fails, its queries remain unanswered, and their results contain the reason for this.
//!
//! Start reading at [`answers`].

use tacho_core::units::counted;
use tacho_core::{Clock, Instant, Result};
use tacho_driver::Form;
use tacho_store::event::CheckState;
use tacho_store::{Event, Listener};
use tacho_workload::{Marker, MarkerStore, Question, questions};

use super::{Asking, sessions, without};
use crate::Request;
use crate::access::{Access, require_match};
use crate::clock::clock;
use crate::cluster::{Answer, AnswerPart, AtWork, HostMessage, Task, gather};

/// Splits the checks into `parts` parts and lets the hosts run the resulting queries.
pub(crate) fn answers(
    Request { job, context }: Request<'_>,
    marker: &Marker,
    set: u32,
    parts: usize,
    questions: &[Question],
    listener: &mut dyn Listener,
) -> Result<Vec<Answer>> {
    let clock = clock();
    let hosts = job.resolved.plan.load.hosts as usize;
    let mut far = vec![0; hosts];
    let mut found: Vec<Option<Vec<Answer>>> = vec![None; hosts];
    let mut hear = |said: Option<(u32, HostMessage)>, listener: &mut dyn Listener| {
        match said {
            Some((place, HostMessage::Asked { done, .. })) => far[place as usize] = done,
            Some((place, HostMessage::Answers(all))) => {
                found[place as usize] = Some(all.into_iter().map(Answer::from).collect());
            }
            _ => {}
        }
        let (done, count) = (far.iter().sum(), questions.len());
        let elapsed = clock.now().since(Instant(0));
        listener.checking(CheckState::of(done, count, elapsed));
    };
    let task = Task::Check { parts };
    let seen = gather(Request { job, context }, task, set, marker, listener, &mut hear);
    listener.checked();
    let seen = seen?;
    let mut all = Vec::new();
    for (place, found) in found.into_iter().enumerate() {
        let assigned = || questions.iter().skip(place).step_by(hosts);
        if let Some(found) = found {
            all.extend(found);
            continue;
        }
        let host = seen.get(place);
        let why = host.map_or_else(
            || "a load host is missing".to_owned(),
            |host| {
                let lost = host.lost.as_ref().map(|(why, _)| why.as_str());
                let why = lost.unwrap_or("the agent did not finish");
                format!("load host {} is lost: {why}", host.name)
            },
        );
        let why = if context.interrupted() { "stopped by the user".into() } else { why };
        all.extend(assigned().flat_map(|question| without(question, &why)));
    }
    Ok(all)
}

/// Runs this host's share of the checks.
pub(crate) fn part(
    at_work: &AtWork<'_>,
    access: &Access,
    store: Box<MarkerStore>,
    parts: usize,
) -> Result<String> {
    let &AtWork { job, context, share, set, marker, .. } = at_work;
    access.unless_stopped(context, store.into_session().close())?;
    let choices = job.choices(Some(marker))?;
    let instance = job.workload.instance(&choices)?;
    require_match(job, marker, &choices, instance.as_ref())?;
    let questions = questions(&instance.checks(), parts).into_iter();
    let assigned: Vec<Question> =
        questions.skip(share.place as usize).step_by(share.of as usize).collect();
    let (count, sessions) = (assigned.len(), sessions(job, share).min(assigned.len()));
    let catalog = instance.catalog(job.driver.dialect())?;
    let asking = Asking { job, context, set, catalog, form: Form::Sql, questions: assigned };
    let answers = if count == 0 {
        Vec::new()
    } else {
        asking.ask(sessions, &mut Speaker { at_work, reported: None })?
    };
    at_work.say(&HostMessage::Answers(answers.into_iter().map(AnswerPart::from).collect()));
    Ok(format!("{} asked", counted(count as u64, "question")))
}

/// Reports this host's progress.
struct Speaker<'a> {
    at_work: &'a AtWork<'a>,
    reported: Option<usize>,
}

impl Listener for Speaker<'_> {
    fn on(&mut self, event: &Event) {
        match event {
            Event::Note { text } => self.at_work.say(&HostMessage::Note(text.clone())),
            Event::Check { check } if self.reported != Some(check.done) => {
                self.reported = Some(check.done);
                self.at_work.say(&HostMessage::Asked { done: check.done, count: check.count });
            }
            _ => {}
        }
    }
}
