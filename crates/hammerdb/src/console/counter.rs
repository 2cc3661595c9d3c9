//! Implements the transaction counter: `tcstart`, `tcstatus` and `tcstop`.
//!
//! The rate is computed from the actual time between two readings, so it is correct for every refresh interval.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tacho_app::{Context, Request, TransactionCounter};
use tacho_core::Result;

use super::log::{self, Log};
use super::{Console, Next};
use crate::clock;
use crate::dictionary::Benchmark;
use crate::work::request::{self, Flags};
use crate::work::{explained, job, words};

/// A transaction counter, which runs until it is dropped.
pub(super) struct Counter {
    readings: Receiver<Result<u64>>,
    _stop: Sender<()>,
    thread: String,
    name: &'static str,
    per: Per,
    log: Option<(Log, bool)>,
}

/// The unit in which the transaction counter shows rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Per {
    /// Transactions per minute.
    Minute,
    /// Queries per hour.
    Hour,
}

impl Per {
    /// Returns the unit as shown in output lines.
    const fn unit(self) -> &'static str {
        match self {
            Self::Minute => "tpm",
            Self::Hour => "qph",
        }
    }

    /// Returns the length of the unit's period in seconds.
    const fn seconds(self) -> f64 {
        match self {
            Self::Minute => 60.0,
            Self::Hour => 3600.0,
        }
    }

    fn open(self, flags: Flags, context: &Context) -> Result<TransactionCounter> {
        let job = job(flags, context)?;
        match self {
            Self::Minute => TransactionCounter::open(Request::new(&job, context)),
            Self::Hour => TransactionCounter::open_queries(Request::new(&job, context)),
        }
    }
}

/// Opens the transaction counter and reports whether this succeeded. Then reads the counter until asked to stop.
fn count(
    flags: &Flags,
    per: Per,
    context: &Context,
    every: Duration,
    say: &Sender<Result<u64>>,
    stopped: &Receiver<()>,
) {
    let open = per.open(flags.clone(), context);
    let begun = open.and_then(|mut counter| counter.read().map(|first| (counter, first)));
    let (mut counter, mut last) = match begun {
        Ok(begun) => begun,
        Err(error) => return drop(say.send(Err(explained(error, flags, context)))),
    };
    // The first reading only confirms that the counter works. A rate requires two readings.
    let mut at = tacho_collect::wall_clock();
    if say.send(Ok(0)).is_err() {
        return;
    }
    while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        let reading = counter.read();
        let now = tacho_collect::wall_clock();
        let times = now.saturating_sub(at).as_secs_f64() / per.seconds();
        let failed = reading.is_err();
        let rate = reading.map(|value| {
            let grown = value.saturating_sub(last) as f64;
            last = value;
            if times > 0.0 { (grown / times).round() as u64 } else { 0 }
        });
        at = now;
        if say.send(rate).is_err() || failed {
            return;
        }
    }
}

impl Console {
    pub(super) fn tcstart(&mut self, _: &[&str]) -> Next {
        if let Some(counter) = &self.background.counter {
            return self.complain(format!(
                "Transaction Counter thread already running with threadid:{}",
                counter.thread
            ));
        }
        let flags = match request::data(&self.dictionary, "tcstart") {
            Ok(flags) => flags,
            Err(text) => return Next::Failed(text),
        };
        if self.plan.is_some() {
            return Next::Done;
        }
        match self.start_counter(flags) {
            Ok(counter) => {
                if let Some((log, _)) = &counter.log {
                    let text = format!(
                        "Transaction Counter logging activated to {}",
                        log.path().display()
                    );
                    self.out.push(text);
                }
                self.background.counter = Some(counter);
                self.say("Transaction Counter Started");
                self.counted(0);
                self.flush_background();
                Next::Done
            }
            Err(text) => {
                self.say(format!("Transaction Counter Error: connection failed {text}"));
                self.complain("Transaction Counter Failed to Start")
            }
        }
    }

    fn start_counter(&self, flags: Flags) -> std::result::Result<Counter, String> {
        let of = |key: &str| self.dictionary.generic("transaction_counter", key);
        let every = Duration::from_secs(of("tc_refresh_rate").parse().unwrap_or(10).clamp(1, 59));
        // In tests and trial runs, a minute of the script lasts less than a real minute. Shorten the refresh interval
        // by the same factor.
        let every = every.mul_f64(self.setup.minute.as_secs_f64() / 60.0);
        let every = every.max(Duration::from_millis(100));
        let per = match self.dictionary.benchmark {
            Benchmark::TprocC => Per::Minute,
            Benchmark::TprocH => Per::Hour,
        };
        let (say, readings) = channel();
        let (stop, stopped) = channel();
        let context = self.setup.context.clone();
        let thread =
            std::thread::spawn(move || count(&flags, per, &context, every, &say, &stopped));
        match readings.recv() {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Err(words(&error)),
            Err(_) => return Err("the counter has ended".into()),
        }
        let dated = of("tc_log_timestamps") == "1";
        let log = if of("tc_log_to_temp") == "1" {
            let id = crate::jobs::new_id();
            let unique = "tc_unique_log_name";
            let path = self.temp_file("hdbtcount", "transaction_counter", unique, Some(&id));
            Some((Log::open(&path, &log::COUNTER, false)?, dated))
        } else {
            None
        };
        let thread = format!("{:?}", thread.thread().id()).replace("ThreadId", "tid");
        let name = self.dictionary.database().name;
        Ok(Counter { readings, _stop: stop, thread, name, per, log })
    }

    /// Returns the next rate that has arrived from the counter's thread, if any.
    fn reading(&self) -> Option<Result<u64>> {
        self.background.counter.as_ref()?.readings.try_recv().ok()
    }

    pub(super) fn hear_counter(&mut self) {
        while let Some(reading) = self.reading() {
            match reading {
                Ok(rate) => self.counted(rate),
                Err(error) => {
                    let text = format!("Transaction Counter Error: sql failed {}", words(&error));
                    self.background.say(text);
                    self.background.counter = None;
                }
            }
        }
    }

    /// Queues a line that shows the rate, and stores the rate with the running job.
    fn counted(&mut self, rate: u64) {
        let Some(counter) = &mut self.background.counter else { return };
        let metric = format!("{} {}", counter.name, counter.per.unit());
        let line = format!("{rate} {metric}");
        if let Some((log, dated)) = &mut counter.log {
            let date = if *dated { format!(" @ {}", clock::now()) } else { String::new() };
            let _ = log.append(&format!("{line}{date}\n"));
        }
        self.jobs.count(&metric, rate);
        self.background.say(line);
    }

    /// If the counter is running when a job starts, adds a value of 0 at the start of the job's series, as HammerDB
    /// does.
    pub(super) fn count_from_zero(&mut self) {
        if let Some(counter) = &self.background.counter {
            let metric = format!("{} {}", counter.name, counter.per.unit());
            self.jobs.count(&metric, 0);
        }
    }

    pub(super) fn tcstatus(&mut self, _: &[&str]) -> Next {
        let text = match &self.background.counter {
            Some(counter) => {
                format!("Transaction Counter thread running with threadid:{}", counter.thread)
            }
            None => "Transaction Counter is not running".into(),
        };
        self.complain(text)
    }

    pub(super) fn tcstop(&mut self, _: &[&str]) -> Next {
        self.flush_background();
        self.tcstatus(&[]);
        if let Some(counter) = self.background.counter.take() {
            self.say("Stopping Transaction Counter");
            if counter.log.is_some() {
                self.say("Closed Transaction Counter Log");
            }
        }
        Next::Done
    }
}
