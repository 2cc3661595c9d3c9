//! Reads the plans of the queries that were executed during a run.
//!
//! Plans are requested after the load and do not disturb it. A missing plan must not fail a run. Start reading at
//! [`ask`].

use std::time::Duration;

use tacho_core::Result;
use tacho_core::units::span;
use tacho_driver::{Session, Values};
use tacho_store::record::QueryPlanRecord;
use tacho_workload::{Instance, MarkerStore};

use super::opened::{Live, Opened};
use crate::Job;

/// Time limit for reading all plans. Otherwise, a table locked by another client could delay the record.
const LIMIT: Duration = Duration::from_secs(30);

/// The plans of a run's queries.
#[derive(Default)]
pub(super) struct Plans {
    pub(super) plans: Vec<QueryPlanRecord>,
    /// The reason why plans are missing, if there is one.
    pub(super) missing: Option<String>,
}

/// Requests each query's plan with the values of its first execution in the first stream.
pub(super) fn ask(job: &Job, opened: &Opened, live: &mut Live) -> Plans {
    let Some(store) = live.marker.as_deref_mut() else { return Plans::default() };
    let instance = opened.instance.as_ref();
    let questions = questions(instance, opened.plan.sessions);
    if questions.is_empty() {
        return Plans::default();
    }
    let session = MarkerStore::exchange(store).session();
    let (count, title) = (questions.len(), job.driver.manifest().title);
    let mut plans = Vec::new();
    let asked = each(session, instance, job, questions, &mut plans);
    let missing = match live.access.event_loop.block_within(LIMIT, asked) {
        Some(Ok(())) if plans.is_empty() => Some(format!("{title} does not report query plans")),
        Some(Ok(())) => None,
        Some(Err(error)) => Some(format!("could not read the query plans: {error}")),
        // The session is still busy with the request, so do not use it again.
        None => Some(format!(
            "{title} returned {} of {count} plans within {}; a table may be locked",
            plans.len(),
            span(LIMIT)
        )),
    };
    Plans { plans, missing }
}

/// A transaction type with its statement and values.
struct Question {
    kind: usize,
    statement: tacho_driver::StatementId,
    values: Values,
}

/// Returns each query with the values of its first execution in the first stream. These values depend only on the
/// session number.
fn questions(instance: &dyn Instance, sessions: u32) -> Vec<Question> {
    let first = match instance.streams() {
        Some(streams) => sessions.saturating_sub(streams.count),
        None if instance.ends() && instance.recorded().is_none() => 0,
        None => sessions,
    };
    let of = |session| questions_of(instance, session);
    (first..sessions).map(of).find(|questions| !questions.is_empty()).unwrap_or_default()
}

fn questions_of(instance: &dyn Instance, session: u32) -> Vec<Question> {
    let mut client = instance.client(session);
    let mut questions: Vec<Question> = Vec::new();
    // A single round contains all queries.
    for _ in instance.transactions() {
        if client.ended() {
            break;
        }
        let kind = client.next().transaction;
        if let Some((statement, values)) = client.question()
            && questions.iter().all(|known| known.kind != kind)
        {
            questions.push(Question { kind, statement, values: values.clone() });
        }
    }
    questions.sort_by_key(|question| question.kind);
    questions
}

async fn each(
    session: &mut dyn Session,
    instance: &dyn Instance,
    job: &Job,
    questions: Vec<Question>,
    plans: &mut Vec<QueryPlanRecord>,
) -> Result<()> {
    let catalog = instance.catalog(job.driver.dialect())?;
    for Question { kind, statement, values } in questions {
        if catalog.next(statement).is_some() {
            // The query has several statements, and the later ones need something that the first one creates.
            continue;
        }
        let Some(plan) = session.inspector().plan(catalog.get(statement), &values).await? else {
            break;
        };
        let transaction = instance.transactions()[kind].name.to_owned();
        plans.push(QueryPlanRecord { transaction, hash: hash(&plan), plan });
    }
    Ok(())
}

/// Calculates the 64-bit FNV-1a hash: <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn hash(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values come from the page that defines the hash.
    #[test]
    fn hashes_are_those_of_the_definition() {
        assert_eq!(hash(""), "cbf29ce484222325");
        assert_eq!(hash("a"), "af63dc4c8601ec8c");
        assert_eq!(hash("foobar"), "85944171f73967e8");
    }
}
