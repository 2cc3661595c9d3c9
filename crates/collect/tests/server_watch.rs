//! Tests of watching a server: added-up samples, the list of missing statistics, and the end of a watch.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tacho_collect::{ServerSeen, ServerWatch};
use tacho_core::{Error, ErrorKind, Result, Seed, WaitKind};
use tacho_driver::{
    BoxFuture, Cancels, Capabilities, Collector, CollectorFuture, Dialect, Driver, Environment,
    Manifest, Reading, Scheduling, Session, Target, Wait, no_answers,
};
use tacho_testkit::clock::TestClock;

/// The behavior of the server under test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Server {
    /// There is nothing to observe.
    Blind,
    /// The server does not allow any session to read the statistics.
    Locked,
    /// The server closes each connection after it has been sampled this many times.
    Dies(u64),
    /// The server reports an error after this many samples, but does not close the connection.
    Breaks(u64),
    /// The server always responds.
    Lives,
    /// The server always responds, and the observer has final work to do when the watch ends.
    Finishes,
    /// The server always responds, but the observer's final work fails.
    FailsLast,
}

struct Fake {
    server: Server,
    /// Detects when the observer is dropped.
    gone: Mutex<Option<Sender<()>>>,
}

struct Observer {
    server: Server,
    missing: Vec<String>,
    looks: u64,
    readings: usize,
    /// Dropping this sender indicates that the observer has been dropped.
    #[expect(dead_code, reason = "held but never read")]
    gone: Option<Sender<()>>,
}

/// The counter's value at each reading. It grows by 7, except when the server restarts.
const COUNTED: [u64; 4] = [100, 107, 3, 10];

impl Collector for Observer {
    fn read(&mut self) -> BoxFuture<'_, Result<Reading>> {
        let value = COUNTED[self.readings.min(COUNTED.len() - 1)];
        self.readings += 1;
        let age = self.readings as u64;
        Box::pin(async move {
            Ok(Reading { counters: vec![("commits", value)], gauges: vec![("age", age)] })
        })
    }

    fn waits(&mut self) -> BoxFuture<'_, Result<Vec<Wait>>> {
        self.looks += 1;
        let dead = match self.server {
            Server::Dies(after) if self.looks > after => Some(ErrorKind::Connect),
            Server::Breaks(after) if self.looks > after => Some(ErrorKind::Other),
            _ => None,
        };
        Box::pin(async move {
            if let Some(kind) = dead {
                return Err(Error::new(kind, "the server has gone"));
            }
            let wait = |class: &str, sessions| Wait {
                class: class.into(),
                event: "event".into(),
                kind: WaitKind::Other,
                sessions,
            };
            Ok(vec![wait("IO", 2), wait("Lock", 1)])
        })
    }

    fn finishes(&self) -> bool {
        matches!(self.server, Server::Finishes | Server::FailsLast)
    }

    fn finish(&mut self) -> BoxFuture<'_, Result<Reading>> {
        let outcome = match self.server {
            Server::FailsLast => Err(Error::new(ErrorKind::Auth, "no right to end")),
            _ => Ok(Reading { gauges: vec![("age", 1_000)], ..Reading::default() }),
        };
        Box::pin(std::future::ready(outcome))
    }

    fn missing(&self) -> &[String] {
        &self.missing
    }
}

impl Dialect for Fake {
    fn id(&self) -> &'static str {
        "fake"
    }

    fn placeholder(&self, _: usize, sql: &mut String) {
        sql.push('?');
    }
}

static MANIFEST: Manifest = Manifest {
    id: "fake",
    title: "Fake",
    schemes: &[],
    tested: "never",
    docs: "",
    plain_words: "",
};

impl Driver for Fake {
    fn manifest(&self) -> &'static Manifest {
        &MANIFEST
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    fn dialect(&self) -> &dyn Dialect {
        self
    }

    fn scheduling(&self) -> Scheduling {
        Scheduling::Task
    }

    fn check(&self, _: &Target) -> Result<()> {
        Ok(())
    }

    fn connect<'a>(
        &'a self,
        _: &'a Target,
        _: Environment,
    ) -> BoxFuture<'a, Result<Box<dyn Session>>> {
        Box::pin(async { Err(Error::new(ErrorKind::Unsupported, "only to be looked at")) })
    }

    fn collector<'a>(&'a self, _: &'a Target, _: Environment) -> CollectorFuture<'a> {
        Box::pin(async {
            match self.server {
                Server::Blind => return Ok(None),
                Server::Locked => return Err(Error::new(ErrorKind::Auth, "no right to look")),
                _ => {}
            }
            let gone = self.gone.lock().expect("no panic").take();
            let missing = vec!["locks: GRANT them".to_owned()];
            let server = self.server;
            Ok(Some(Box::new(Observer { server, missing, looks: 0, readings: 0, gone }) as _))
        })
    }

    no_answers!(code, runs_code, library, remove, settings, deferred_work);
}

/// Starts watching a server. Returns the watch, along with a receiver that detects when the watch's observer is
/// dropped.
fn start(server: Server) -> (Result<Option<ServerWatch>>, Receiver<()>) {
    let (say, gone) = channel();
    let environment = Environment {
        clock: Arc::new(TestClock::default()),
        output: Arc::new(Mutex::new(std::io::sink())),
        seed: Seed(1),
        session: 0,
        create: false,
        set: 0,
        cancels: Cancels::default(),
    };
    let driver = Arc::new(Fake { server, gone: Mutex::new(Some(say)) });
    let target = Target::parse("fake:").expect("a target");
    (ServerWatch::start(driver, target, environment, || true), gone)
}

/// Collects observations until there are enough. Gives up after a minute, which is ample even on a slow machine.
#[expect(clippy::disallowed_methods, reason = "a watch samples in real time")]
fn seen(watch: &mut ServerWatch, enough: impl Fn(&ServerWatch, &ServerSeen) -> bool) -> ServerSeen {
    let mut all = ServerSeen::default();
    for _ in 0..6_000 {
        all.merge(&watch.take());
        if enough(watch, &all) {
            return all;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("not enough was seen: {all:?}");
}

/// Checks that the observer is dropped once nobody can receive its results.
fn ends(gone: &Receiver<()>) {
    let end = gone.recv_timeout(Duration::from_mins(1));
    assert_eq!(end, Err(std::sync::mpsc::RecvTimeoutError::Disconnected));
}

#[test]
fn samples_are_summed_and_a_smaller_counter_has_been_reset() {
    let (watch, gone) = start(Server::Lives);
    let mut watch = watch.expect("a watch").expect("something to see");
    assert_eq!(watch.missing(), ["locks: GRANT them"]);
    let all = seen(&mut watch, |_, all| all.gauges.get("age").is_some_and(|age| age.last >= 4));
    let wait = |class: &str| all.waits[&(class.to_owned(), "event".to_owned(), WaitKind::Other)];
    assert_eq!((wait("IO"), wait("Lock")), (2 * all.samples, all.samples));
    assert!(all.samples > 30, "ten looks for each reading: {all:?}");
    let age = all.gauges["age"];
    assert_eq!((age.min, age.readings), (1, age.last));
    // The counter rises from 100 to 107. Then the server restarts, and the counter rises from 3 to 10 and stays there.
    assert_eq!(all.counters["commits"], 7 + 3 + 7);
    assert!(watch.failed().is_none());
    drop(watch);
    ends(&gone);
}

#[test]
fn the_end_of_an_observation_leaves_its_gauges_or_its_failure() {
    let watch = |server| start(server).0.expect("a watch").expect("something to see");
    let mut ending = watch(Server::Finishes);
    seen(&mut ending, |_, all| all.samples > 0);
    let left = ending.finish().expect("an end");
    assert_eq!((left.gauges["age"].last, left.gauges["age"].readings), (1_000, 1));
    let mut failing = watch(Server::FailsLast);
    assert_eq!(failing.finish().err().map(|error| error.kind()), Some(ErrorKind::Auth));
    let mut silent = watch(Server::Lives);
    assert_eq!(silent.finish().expect("no end"), ServerSeen::default());
}

#[test]
fn watches_reconnect_to_a_server_that_was_down() {
    let (watch, _) = start(Server::Dies(3));
    let mut watch = watch.expect("a watch").expect("something to see");
    let all = seen(&mut watch, |watch, all| watch.gaps().len() == 2 && all.samples == 9);
    // After each reconnection, the first reading has no earlier one to be compared with, so no increase is counted.
    assert_eq!(all.counters["commits"], 0);
    assert!(watch.gaps().iter().all(|(error, _)| error.kind() == ErrorKind::Connect));
}

#[test]
fn a_watch_that_fails_keeps_what_it_saw() {
    let (watch, gone) = start(Server::Breaks(3));
    let mut watch = watch.expect("a watch").expect("something to see");
    let all = seen(&mut watch, |watch, _| watch.failed().is_some());
    assert_eq!((all.samples, all.counters["commits"]), (3, 0));
    assert_eq!(watch.failed().map(Error::kind), Some(ErrorKind::Other));
    ends(&gone);
    assert_eq!(watch.take(), ServerSeen::default());
    assert!(watch.failed().is_some(), "it stays failed");
}

#[test]
fn reports_unwatchable_servers_at_the_start() {
    let (nothing, _) = start(Server::Blind);
    assert!(nothing.expect("no error").is_none());
    let (refused, _) = start(Server::Locked);
    assert_eq!(refused.err().map(|error| error.kind()), Some(ErrorKind::Auth));
}
