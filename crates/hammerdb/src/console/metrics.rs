//! Implements `metstart`, `metstatus` and `metstop`, which show a machine's load. Other machines need a running `tacho
//! agent --observe`.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use tacho_app::{HostSource, own_host};
use tacho_collect::{DiskCounters, HostReading, host_reading};
use tacho_store::record::HostRecord;
use tacho_web::{Address, RemoteHost};

use super::{Console, Next};
use crate::clock;
use crate::jobs::Sample;

/// Interval between two lines.
const EVERY: Duration = Duration::from_secs(10);

/// A load monitor, which runs until it is dropped.
pub(super) struct Metrics {
    samples: Receiver<Sample>,
    _stop: Sender<()>,
}

impl Metrics {
    fn start(
        every: Duration,
        read: impl Fn() -> Option<HostReading> + Send + 'static,
    ) -> Option<Self> {
        let mut last = read()?;
        let (say, samples) = channel();
        let (stop, stopped) = channel();
        std::thread::spawn(move || {
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                // If an agent does not respond, try again at the next interval.
                let Some(now) = read() else { continue };
                if say.send(sample(&last, &now)).is_err() {
                    return;
                }
                last = now;
            }
        });
        Some(Self { samples, _stop: stop })
    }
}

/// Returns the average load between two readings.
fn sample(from: &HostReading, to: &HostReading) -> Sample {
    let cpu = to.cpu().since(from.cpu());
    let share = |ticks: u64| ticks as f64 / cpu.total().max(1) as f64 * 100.0;
    let seconds = (to.date_s - from.date_s).max(1e-3);
    let rate = |of: fn(&DiskCounters) -> u64| {
        let [from, to] = [from, to].map(|reading| reading.disks.values().map(of).sum::<u64>());
        to.saturating_sub(from) as f64 / seconds
    };
    Sample {
        timestamp: clock::stamp(),
        usr: share(cpu.user),
        sys: share(cpu.system),
        irq: share(cpu.interrupts),
        idle: share(cpu.idle + cpu.io_wait),
        iops: rate(|disk| disk.reads + disk.writes),
        mbps: rate(|disk| disk.read_bytes + disk.written_bytes) / 1e6,
    }
}

impl Console {
    /// Returns a connection to the agent on another machine and a description of that machine.
    fn remote(&self, host: &str, id: &str) -> tacho_core::Result<(RemoteHost, HostRecord)> {
        let token = self.setup.agent_token.as_deref();
        let remote = RemoteHost::new(Address::of_agent(&format!("{host}:{id}"), token, None)?);
        let machine = remote.host()?;
        remote.read()?;
        Ok((remote, machine))
    }

    fn agent(&self) -> (String, String) {
        let of = |key: &str| self.dictionary.generic("metrics", key).to_owned();
        (of("agent_hostname"), of("agent_id"))
    }

    pub(super) fn metstart(&mut self, _: &[&str]) -> Next {
        let (host, id) = self.agent();
        if self.background.has_metrics() {
            return self.complain(format!(
                "CPU metrics are already running on {host}, call metstop to stop"
            ));
        }
        let machine = own_host();
        if !matches!(host.as_str(), "localhost" | "127.0.0.1" | "::1") && host != machine.name {
            return self.observe(&host, &id);
        }
        if self.plan.is_some() {
            return Next::Done;
        }
        match Metrics::start(self.every(), host_reading) {
            Some(metrics) => {
                self.background.metrics = Some(metrics);
                self.say(format!("Starting Local Metrics Agent on {host}"));
                self.say("Connecting to Agent to Display CPU Metrics");
                self.metrics_connected(&machine)
            }
            None => self.complain("AGENT CONNECTION FAILED: this system does not report its load"),
        }
    }

    fn metrics_connected(&mut self, host: &HostRecord) -> Next {
        self.say("Metrics Connected");
        self.say(format!("Started CPU Metrics for {}:({} CPUs)", host.cpu, host.cores));
        let gigabytes = host.memory_bytes / 1_000_000_000;
        let (system, os) = (&host.arch, &host.os);
        self.say(format!("System Discovery: {system} | OS: {os} | Memory: {gigabytes} GB"));
        Next::Done
    }

    fn every(&self) -> Duration {
        EVERY.mul_f64(self.setup.minute.as_secs_f64() / 60.0).max(Duration::from_millis(100))
    }

    /// Shows the load on another machine.
    fn observe(&mut self, host: &str, id: &str) -> Next {
        if self.plan.is_some() {
            return Next::Done;
        }
        let every = self.every();
        let started = self
            .remote(host, id)
            .map(|(remote, machine)| (Metrics::start(every, move || remote.read().ok()), machine));
        match started {
            Ok((Some(metrics), machine)) => {
                self.background.metrics = Some(metrics);
                self.say("Connecting to Agent to Display CPU Metrics");
                self.say(format!("Connecting to HammerDB Agent @ {host}:{id}"));
                self.say("Testing Agent Connectivity...OK");
                self.metrics_connected(&machine)
            }
            Ok((None, _)) => self.complain("AGENT CONNECTION FAILED: the agent does not respond"),
            Err(error) => {
                self.say(format!("Remote Metrics Agent is not running on {host}, {id}"));
                self.complain(format!("AGENT CONNECTION FAILED: {error}"))
            }
        }
    }

    pub(super) fn hear_metrics(&mut self) {
        let next = |console: &Self| console.background.metrics.as_ref()?.samples.try_recv().ok();
        while let Some(sample) = next(self) {
            self.background.say(format!(
                "CPU all usr%-{:.2} sys%-{:.2} irq%-{:.2} idle%-{:.2} IOPS-{:.2} MB/s-{:.2}",
                sample.usr, sample.sys, sample.irq, sample.idle, sample.iops, sample.mbps
            ));
            self.jobs.sample(sample);
        }
    }

    pub(super) fn metstatus(&mut self, _: &[&str]) -> Next {
        let (host, id) = self.agent();
        let (is, agent) = if self.background.has_metrics() {
            ("are", format!("Metrics Agent running on {host}:{id}"))
        } else {
            ("are not", format!("No Metrics Agent detected on id: {host}:{id}"))
        };
        self.complain(format!("CPU Metrics {is} running on {host}\n{agent}"))
    }

    pub(super) fn metstop(&mut self, _: &[&str]) -> Next {
        self.flush_background();
        let (host, id) = self.agent();
        self.background.metrics = None;
        self.complain(format!("Stopping Metrics Agent and Display on {host}:{id}"))
    }
}
