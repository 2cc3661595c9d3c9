//! Derives outages from connection events: when an outage was detected, when it ended, and when throughput recovered.

use std::collections::BTreeMap;

use tacho_core::Instant;
use tacho_engine::{LoadPlan, Measurement};
use tacho_metrics::{Connection, ConnectionEvent};
use tacho_store::record::{AwayRecord, FaultRecord, OutageRecord};

use super::tails::Tails;

/// Minimum throughput after an outage at which it counts as recovered, as a fraction of the throughput before the
/// outage.
const RECOVERED: f64 = 0.95;

/// An outage whose events are still being collected.
#[derive(Default)]
struct Outage {
    begin: Instant,
    /// Last successful transaction of the session that noticed the outage first.
    last_good: Instant,
    lost: u64,
    refused: u64,
    back: Option<Instant>,
    first_good: Option<Instant>,
    /// All sessions that lost their connection during the outage.
    sessions: BTreeMap<u32, SessionOutage>,
}

/// The effect of an outage on a single session.
struct SessionOutage {
    last_good: Instant,
    is_back: bool,
    first_good: Option<Instant>,
}

impl Outage {
    fn missing(&self) -> u64 {
        self.sessions.values().filter(|session| !session.is_back).count() as u64
    }

    fn lose(&mut self, event: ConnectionEvent, last_good: Instant) {
        self.lost += 1;
        let new = SessionOutage { last_good, is_back: false, first_good: None };
        let session = self.sessions.entry(event.session).or_insert(new);
        (session.is_back, session.first_good) = (false, None);
    }

    /// Returns how long sessions had no successful transaction. Ignores sessions without a successful transaction
    /// before or after the outage.
    fn away(&self) -> Option<AwayRecord> {
        let time = |session: &SessionOutage| {
            Some(session.first_good?.since(session.last_good).as_secs_f64())
        };
        let had_one = |session: &&SessionOutage| session.last_good != Instant::default();
        let mut times: Vec<f64> = self.sessions.values().filter(had_one).filter_map(time).collect();
        times.sort_by(f64::total_cmp);
        // Use the nearest rank, so that the result is a value that a session actually experienced.
        let rank = |share: f64| times[((times.len() as f64 * share).ceil() as usize).max(1) - 1];
        (!times.is_empty()).then(|| AwayRecord {
            sessions: times.len() as u64,
            min_s: times[0],
            p50_s: rank(0.5),
            p95_s: rank(0.95),
            max_s: rank(1.0),
        })
    }
}

/// Returns all outages of a run. An outage lasts until all affected sessions have reconnected.
pub(super) fn outages(
    measurement: &Measurement,
    plan: &LoadPlan,
    tails: &Tails,
) -> Vec<OutageRecord> {
    let total = &measurement.total;
    let outages = sorted(total.connections.clone());
    let mut records: Vec<OutageRecord> =
        outages.iter().map(|outage| record(outage, measurement, plan)).collect();
    if let Some(last) = records.last_mut() {
        last.events_dropped = total.connections_dropped;
    }
    for record in &mut records {
        record.latency_normal_after_s = tails.normal_after(record.at_s);
    }
    records
}

/// Records, for each fault, how long it took until latency was back to normal.
pub(super) fn faults(made: &[FaultRecord], tails: &Tails) -> Vec<FaultRecord> {
    let related = |fault: &FaultRecord| {
        let normal = tails.normal_after(fault.at_s).filter(|_| fault.error.is_none());
        FaultRecord { latency_normal_after_s: normal, ..fault.clone() }
    };
    made.iter().map(related).collect()
}

fn sorted(mut events: Vec<ConnectionEvent>) -> Vec<Outage> {
    events.sort_by_key(|event| event.at);
    let mut outages: Vec<Outage> = Vec::new();
    for (at, event) in events.iter().copied().enumerate() {
        if let Connection::Lost { last_good } = event.what {
            let is_over = outages.last().is_none_or(|outage| outage.missing() == 0);
            if is_over && !is_late(outages.last(), event, last_good, &events[at + 1..]) {
                outages.push(Outage { begin: event.at, last_good, ..Outage::default() });
            }
            if let Some(outage) = outages.last_mut() {
                outage.lose(event, last_good);
            }
            continue;
        }
        // Sessions may still be recovering from an earlier outage when a new one begins.
        let outage =
            outages.iter_mut().rev().find(|outage| outage.sessions.contains_key(&event.session));
        let Some(outage) = outage else { continue };
        let Some(session) = outage.sessions.get_mut(&event.session) else { continue };
        match event.what {
            Connection::Back { refused } => {
                session.is_back = true;
                outage.refused += refused;
                outage.back.get_or_insert(event.at);
            }
            Connection::Missing { refused } => outage.refused += refused,
            Connection::FirstGood => {
                session.first_good = Some(event.at);
                outage.first_good.get_or_insert(event.at);
            }
            Connection::Lost { .. } => {}
        }
    }
    outages
}

/// Returns true if a session noticed an outage only after the outage had ended. Such a session completed no
/// transaction after the outage began, and reconnected at the first attempt.
fn is_late(
    outage: Option<&Outage>,
    event: ConnectionEvent,
    last_good: Instant,
    later: &[ConnectionEvent],
) -> bool {
    let next = later.iter().find(|other| other.session == event.session);
    let is_back_at_once =
        matches!(next.map(|next| next.what), Some(Connection::Back { refused: 0 }));
    is_back_at_once && outage.is_some_and(|outage| last_good < outage.begin)
}

fn since_good(outage: &Outage, origin: Instant) -> f64 {
    outage.begin.since(outage.last_good.max(origin)).as_secs_f64()
}

fn record(outage: &Outage, measurement: &Measurement, plan: &LoadPlan) -> OutageRecord {
    let since_loss = |at: Instant| at.since(outage.begin).as_secs_f64();
    let begin_s = outage.begin.since(measurement.origin).as_secs_f64();
    OutageRecord {
        at_s: begin_s,
        // If this session has not completed a transaction before, use the time since the start of the load.
        detected_after_s: since_good(outage, measurement.origin),
        sessions_lost: outage.lost,
        attempts_refused: outage.refused,
        sessions_missing: outage.missing(),
        connected_after_s: outage.back.map(since_loss),
        first_commit_after_s: outage.first_good.map(since_loss),
        recovered_after_s: outage.first_good.and_then(|good| {
            let good_s = good.since(measurement.origin).as_secs_f64();
            recovered(&measurement.throughput, plan, begin_s, good_s).map(|at| at - begin_s)
        }),
        away: outage.away(),
        ..OutageRecord::default()
    }
}

/// Returns the end of the first interval after the outage with at least 95 % of the earlier throughput.
fn recovered(throughput: &[f64], plan: &LoadPlan, begin_s: f64, good_s: f64) -> Option<f64> {
    let (offset, length) = (plan.ramp_up.as_secs_f64(), plan.interval.as_secs_f64());
    let begin_of = |index: usize| offset + index as f64 * length;
    let before: Vec<f64> = (0..throughput.len())
        .filter(|index| begin_of(*index) + length <= begin_s)
        .map(|index| throughput[index])
        .collect();
    if before.is_empty() {
        return None;
    }
    let usual = before.iter().sum::<f64>() / before.len() as f64;
    (0..throughput.len())
        .find(|i| begin_of(*i) + length > good_s && throughput[*i] >= RECOVERED * usual)
        .map(|index| begin_of(index) + length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn each_session_counts_in_the_outage_that_it_lost_its_connection_in() {
        let second = |at: f64| Instant(0).plus(Duration::from_secs_f64(at));
        let event = |at, session, what| ConnectionEvent { at: second(at), session, what };
        let lost = |good| Connection::Lost { last_good: second(good) };
        let back = |refused| Connection::Back { refused };
        let outages = sorted(vec![
            event(5.0, 0, lost(4.9)),
            event(5.1, 1, lost(4.8)),
            event(7.0, 0, back(3)),
            event(7.1, 0, Connection::FirstGood),
            event(7.5, 1, back(4)),
            // A second outage begins here. Session 1 has reconnected but has not completed a transaction since the
            // first outage.
            event(7.6, 2, lost(7.5)),
            event(8.0, 1, Connection::FirstGood),
            event(9.0, 2, Connection::Missing { refused: 9 }),
        ]);
        let counts = outages.iter().map(|outage| (outage.lost, outage.refused, outage.missing()));
        assert_eq!(counts.collect::<Vec<_>>(), [(2, 7, 0), (1, 9, 1)]);
        let away = outages[0].away().expect("two sessions");
        assert_eq!(away.sessions, 2);
        assert!((away.min_s - 2.2).abs() < 1e-6 && (away.max_s - 3.2).abs() < 1e-6, "{away:?}");
        assert_eq!((away.p50_s, away.p95_s), (away.min_s, away.max_s));
        assert_eq!(outages[0].first_good, Some(second(7.1)));
        let never = Outage { begin: second(5.0), ..Outage::default() };
        let since = [since_good(&outages[0], second(1.0)), since_good(&never, second(1.0))];
        assert!((since[0] - 0.1).abs() < 1e-6 && (since[1] - 4.0).abs() < 1e-6, "{since:?}");
        assert_eq!((outages[1].away(), outages[1].first_good), (None, None));
    }

    #[test]
    fn an_idle_session_that_notices_late_has_no_outage_of_its_own() {
        let second = |at: f64| Instant(0).plus(Duration::from_secs_f64(at));
        let event = |at, session, what| ConnectionEvent { at: second(at), session, what };
        let lost = |good| Connection::Lost { last_good: second(good) };
        let outage = |refused, good| {
            let outages = sorted(vec![
                event(5.0, 0, lost(4.9)),
                event(7.0, 0, Connection::Back { refused: 3 }),
                event(7.1, 0, Connection::FirstGood),
                event(8.0, 1, lost(good)),
                event(8.1, 1, Connection::Back { refused }),
                event(8.2, 1, Connection::FirstGood),
            ]);
            outages.iter().map(|outage| (outage.lost, outage.first_good)).collect::<Vec<_>>()
        };
        assert_eq!(outage(0, 4.0), [(2, Some(second(7.1)))]);
        // The second lost connection counts as a new outage in two cases: the server refused an attempt to reconnect,
        // or the session had completed a transaction after the first outage.
        for (refused, good) in [(1, 4.0), (0, 7.5)] {
            let two = [(1, Some(second(7.1))), (1, Some(second(8.2)))];
            assert_eq!(outage(refused, good), two);
        }
    }

    #[test]
    fn recovery_is_the_first_full_interval_at_95_percent() {
        let plan = LoadPlan { ramp_up: Duration::from_secs(2), ..LoadPlan::default() };
        // Each value is the throughput of one second, starting at 2 s. The server is unavailable from 5.5 s to 7.2 s.
        let throughput = [100.0, 100.0, 100.0, 50.0, 0.0, 60.0, 96.0, 100.0];
        let at = recovered(&throughput, &plan, 5.5, 7.2);
        assert_eq!(at, Some(9.0));
        assert_eq!(recovered(&throughput, &plan, 2.5, 7.2), None, "nothing to compare with");
        assert_eq!(recovered(&throughput[..6], &plan, 5.5, 7.2), None, "not seen");
    }
}
