//! Reads the plans of the queries that were executed during a run.
//!
//! Plans are requested only after the load, so as not to disturb it. A run succeeds even if a plan is missing.
//!
//! Start reading at [`ask`].

use std::time::Duration;

use tacho_core::Result;
use tacho_driver::{Session, Values};
use tacho_store::record::QueryPlanRecord;
use tacho_workload::{Instance, MarkerStore};

use super::opened::{Live, Opened};
use crate::access::answer_limit;
use crate::{Job, Request};

/// Maximum time to wait for a plan. Without a limit, another client's table lock could delay the record.
const LIMIT: Duration = Duration::from_secs(30);

/// The plans of a run's queries.
#[derive(Default)]
pub(super) struct Plans {
    pub(super) plans: Vec<QueryPlanRecord>,
    /// The reason why plans are missing, if there is one.
    pub(super) missing: Option<String>,
}

/// Requests the execution plan of each query, with the parameters that the first stream used in its first execution.
///
/// The requests use the connection of the data marker. If a request fails, the connection is closed, because it may
/// still be waiting for a response or have changed settings.
pub(super) fn ask(request: Request<'_>, opened: &Opened, live: &mut Live) -> Plans {
    let Request { job, context } = request;
    let questions = questions(opened.instance.as_ref(), opened.plan.sessions);
    if questions.is_empty() {
        return Plans::default();
    }
    let Some(mut store) = live.marker.take() else { return Plans::default() };
    let (count, title) = (questions.len(), job.driver.manifest().title);
    let mut plans = Vec::new();
    for question in questions {
        let session = MarkerStore::exchange(&mut store).session();
        let plan = plan(session, opened.instance.as_ref(), job, &question);
        match live.access.within(answer_limit(job).min(LIMIT), context, plan) {
            Ok(Plan::Found(record)) => plans.push(record),
            Ok(Plan::Skipped) => {}
            Ok(Plan::Unsupported) => break,
            Err(error) => {
                let found = plans.len();
                let text = format!("{title} returned {found} of {count} query plans: {error}");
                return Plans { plans, missing: Some(text) };
            }
        }
    }
    live.marker = Some(store);
    let missing = plans.is_empty().then(|| format!("{title} does not report query plans"));
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

/// The result of a request for a plan.
enum Plan {
    Found(QueryPlanRecord),
    /// No plan. The query consists of several statements, and this one needs an object that the first one creates.
    Skipped,
    /// The database does not report plans.
    Unsupported,
}

async fn plan(
    session: &mut dyn Session,
    instance: &dyn Instance,
    job: &Job,
    Question { kind, statement, values }: &Question,
) -> Result<Plan> {
    let catalog = instance.catalog(job.driver.dialect())?;
    if catalog.next(*statement).is_some() {
        return Ok(Plan::Skipped);
    }
    let Some(plan) = session.inspector().plan(catalog.get(*statement), values).await? else {
        return Ok(Plan::Unsupported);
    };
    let transaction = instance.transactions()[*kind].name.to_owned();
    Ok(Plan::Found(QueryPlanRecord { transaction, hash: hash(&plan), plan }))
}

/// Calculates the 64-bit FNV-1a hash: <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn hash(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares hashes with examples from the web page that defines the hash function.
    #[test]
    fn hashes_are_those_of_the_definition() {
        assert_eq!(hash(""), "cbf29ce484222325");
        assert_eq!(hash("a"), "af63dc4c8601ec8c");
        assert_eq!(hash("foobar"), "85944171f73967e8");
    }
}
