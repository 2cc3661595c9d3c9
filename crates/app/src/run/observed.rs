//! Observes the machines of a run: the load host, and the hosts with an agent that the user specified.
//!
//! A separate thread queries each agent once per second. If an agent does not respond, the load and the other queries
//! continue without delay.
//!
//! Start reading at [`HostsWatch`].

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tacho_collect::{
    ClockPair, CpuMeter, CpuReading, CpuTicks, HostReading, allowed_cores, host, host_reading,
};
use tacho_core::Result;
use tacho_metrics::Phase;
use tacho_store::event::HostState;
use tacho_store::record::{
    CpuShares, DiskRates, HostIntervalRecord, HostLoadRecord, HostRecord, NetworkRates, NumaRates,
    ObservedHostRecord, PressureShares,
};

use crate::HostSource;

/// The interval between queries to an agent.
const EVERY: Duration = Duration::from_secs(1);

/// All machines observed during a run.
#[derive(Default)]
pub(super) struct HostsWatch {
    hosts: Vec<Observed>,
}

struct Observed {
    record: ObservedHostRecord,
    /// The agent to query, or `None` for the local machine, which is read directly.
    agent: Option<Agent>,
    last: Option<HostReading>,
    /// This process's CPU time at the last reading, and the number of cores that it used. Both are known only for the
    /// local machine.
    tacho_cpu: Option<Duration>,
    tacho_cores: Option<f64>,
    /// The private server's processes, if they run on this machine.
    server: Option<ServerCpu>,
    /// The first and last readings of the measured phase.
    measured: Option<(HostReading, HostReading)>,
}

/// The CPU time used by the private server's processes.
struct ServerCpu {
    meter: CpuMeter,
    last: Option<CpuReading>,
    /// The number of cores used between the last two readings.
    cores: Option<f64>,
    /// The first and last readings of the measured phase.
    measured: Option<(CpuReading, CpuReading)>,
}

impl ServerCpu {
    fn new(pid: u32) -> Self {
        Self { meter: CpuMeter::new(pid), last: None, cores: None, measured: None }
    }

    fn read(&mut self, phase: Phase) {
        let now = self.meter.read();
        let before = std::mem::replace(&mut self.last, now);
        let Some(now) = now else { return self.cores = None };
        let cores = before.and_then(|before| now.cores_since(&before));
        // A meter may save time by returning its previous reading again. The number of cores in use cannot be
        // computed from it, so keep the last known number.
        self.cores = cores.or(self.cores);
        if phase == Phase::Measure {
            self.measured.get_or_insert((now, now)).1 = now;
        }
    }

    fn mean(&self) -> Option<f64> {
        let (first, last) = self.measured?;
        last.cores_since(&first)
    }
}

/// The thread that queries an agent. It stops when this value is dropped.
struct Agent {
    heard: Arc<Mutex<AgentReadings>>,
    _stop: Sender<()>,
}

#[derive(Default)]
struct AgentReadings {
    reading: Option<HostReading>,
    /// Clock difference between the agent and this machine, and its maximum error. Both come from the query with
    /// the shortest round trip.
    offset: Option<(f64, f64)>,
    failures: u64,
    failure: Option<String>,
}

impl HostsWatch {
    /// Starts observing this machine and the agents. Does nothing if time is virtual. `server` is the process ID of a
    /// private server.
    pub(super) fn start(
        agents: &[Arc<dyn HostSource>],
        server: Option<u32>,
        virtual_time: bool,
    ) -> Result<Self> {
        if virtual_time {
            return Ok(Self::default());
        }
        let client = host_reading().map(|reading| Observed {
            record: ObservedHostRecord {
                source: "client".into(),
                host: own_host(),
                governors: reading.governors,
                server_cores_allowed: server.and_then(allowed_cores),
                ..ObservedHostRecord::default()
            },
            agent: None,
            last: None,
            tacho_cpu: None,
            tacho_cores: None,
            server: server.map(ServerCpu::new),
            measured: None,
        });
        let mut hosts: Vec<Observed> = client.into_iter().collect();
        for agent in agents {
            hosts.push(Observed::of(Arc::clone(agent))?);
        }
        Ok(Self { hosts })
    }

    /// Returns the load of each machine since the last interval.
    pub(super) fn interval(&mut self, phase: Phase, at_s: f64) -> Vec<HostIntervalRecord> {
        let hosts = self.hosts.iter_mut().enumerate();
        hosts
            .filter_map(|(place, host)| {
                let load = host.since_last(phase)?;
                Some(HostIntervalRecord {
                    at_s,
                    phase: phase.name().into(),
                    host: place as u32,
                    load,
                    tacho_cores: host.tacho_cores,
                    server_cores: host.server.as_ref().and_then(|server| server.cores),
                })
            })
            .collect()
    }

    /// Returns the machine loads in an interval, in the form used by events.
    pub(super) fn states(&self, loads: &[HostIntervalRecord]) -> Vec<HostState> {
        let host = |load: &HostIntervalRecord| self.hosts[load.host as usize].state(load);
        loads.iter().map(host).collect()
    }

    /// Starts the measured phase. Earlier readings are not part of it.
    pub(super) fn measure(&mut self) {
        for host in &mut self.hosts {
            host.measured = None;
            host.since_last(Phase::RampUp);
            if let Some(server) = &mut host.server {
                server.measured = server.last.map(|reading| (reading, reading));
            }
            host.measured = host.last.clone().map(|reading| (reading.clone(), reading));
        }
    }

    /// Returns all machines with their mean values over the measured phase.
    pub(super) fn records(&self) -> Vec<ObservedHostRecord> {
        self.hosts.iter().map(Observed::finished).collect()
    }
}

impl Observed {
    fn of(source: Arc<dyn HostSource>) -> Result<Self> {
        let during = |error: tacho_core::Error| {
            error
                .during(format!("observe {}", source.address()))
                .hint("start tacho agent --observe on that machine, and set TACHO_AGENT_TOKEN to the agent's token")
        };
        let host = source.host().map_err(during)?;
        let first = source.read().map_err(during)?;
        let record = ObservedHostRecord {
            source: source.address().to_owned(),
            host,
            governors: first.governors.clone(),
            ..ObservedHostRecord::default()
        };
        let heard = Arc::new(Mutex::new(AgentReadings {
            reading: Some(first),
            ..AgentReadings::default()
        }));
        let (stop, stopped) = channel();
        let shared = Arc::clone(&heard);
        std::thread::Builder::new()
            .name("observe".into())
            .spawn(move || ask_until(&stopped, source.as_ref(), &shared))?;
        let agent = Some(Agent { heard, _stop: stop });
        Ok(Self {
            record,
            agent,
            last: None,
            tacho_cpu: None,
            tacho_cores: None,
            server: None,
            measured: None,
        })
    }

    /// Returns the latest reading if it is new.
    fn newest(&self) -> Option<HostReading> {
        match &self.agent {
            None => host_reading(),
            Some(agent) => {
                agent.heard.lock().unwrap_or_else(PoisonError::into_inner).reading.clone()
            }
        }
    }

    fn since_last(&mut self, phase: Phase) -> Option<HostLoadRecord> {
        let now = self.newest()?;
        if let Some(server) = &mut self.server {
            server.read(phase);
        }
        let cpu = if self.agent.is_none() { tacho_collect::cpu_time() } else { None };
        let cpu = cpu.zip(std::mem::replace(&mut self.tacho_cpu, cpu));
        let before = self.last.replace(now.clone())?;
        let seconds = now.date_s - before.date_s;
        let used = cpu.map(|(now, before)| now.saturating_sub(before).as_secs_f64() / seconds);
        self.tacho_cores = used.filter(|_| seconds > 0.0);
        if phase == Phase::Measure {
            match &mut self.measured {
                Some((_, last)) if now.uptime_s > last.uptime_s => {
                    *last = now.clone();
                    self.record.readings += 1;
                }
                Some(_) => {}
                None => self.measured = Some((now.clone(), now.clone())),
            }
        }
        load(&before, &now)
    }

    /// Returns a machine's load in the form that events use.
    fn state(&self, interval: &HostIntervalRecord) -> HostState {
        let HostRecord { cores, memory_bytes, .. } = self.record.host;
        let HostIntervalRecord { load, server_cores, .. } = interval;
        let (busy_cores, server_cores) = (interval.busy_cores(), *server_cores);
        let (disks, networks) = (|| load.disks.values(), || load.networks.values());
        HostState {
            source: self.record.source.clone(),
            cores,
            busy_cores,
            tacho_cores: self.tacho_cores,
            server_cores,
            other_cores: self
                .tacho_cores
                .map(|used| (busy_cores - used - server_cores.unwrap_or(0.0)).max(0.0)),
            memory_bytes,
            available_bytes: load.available_bytes,
            read_bytes_per_s: disks().map(|disk| disk.read_bytes_per_s).sum(),
            written_bytes_per_s: disks().map(|disk| disk.written_bytes_per_s).sum(),
            disk_transfers_per_s: disks().map(|disk| disk.reads_per_s + disk.writes_per_s).sum(),
            received_bytes_per_s: networks().map(|network| network.received_bytes_per_s).sum(),
            sent_bytes_per_s: networks().map(|network| network.sent_bytes_per_s).sum(),
        }
    }

    fn finished(&self) -> ObservedHostRecord {
        let mut record = self.record.clone();
        record.server_cores = self.server.as_ref().and_then(ServerCpu::mean);
        record.load = self.measured.as_ref().and_then(|(first, last)| load(first, last));
        if let Some(agent) = &self.agent {
            let heard = agent.heard.lock().unwrap_or_else(PoisonError::into_inner);
            (record.clock_offset_s, record.clock_error_s) = heard.offset.unzip();
            (record.failures, record.failure) = (heard.failures, heard.failure.clone());
        }
        record
    }
}

/// Returns this machine's description for the record.
pub fn own_host() -> HostRecord {
    let machine = host();
    HostRecord {
        name: machine.name,
        os: machine.os,
        kernel: machine.kernel,
        arch: machine.arch,
        cpu: machine.cpu,
        cores: machine.cores,
        memory_bytes: machine.memory_bytes,
    }
}

fn ask_until(stopped: &Receiver<()>, source: &dyn HostSource, heard: &Mutex<AgentReadings>) {
    while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
        let (date, begin) = (tacho_collect::wall_clock().as_secs_f64(), ClockPair::now());
        let answer = source.read();
        let trip = ClockPair::now().since(begin)[1].as_secs_f64();
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Ok(reading) => {
                let (offset, error) = (reading.date_s - (date + trip / 2.0), trip / 2.0);
                if heard.offset.is_none_or(|(_, known)| error < known) {
                    heard.offset = Some((offset, error));
                }
                heard.reading = Some(reading);
            }
            Err(error) => {
                heard.failures += 1;
                heard.failure.get_or_insert(error.to_string());
            }
        }
    }
}

/// Returns the rates and utilizations between two readings, or `None` if the machine was restarted between them.
fn load(before: &HostReading, now: &HostReading) -> Option<HostLoadRecord> {
    let seconds = now.uptime_s - before.uptime_s;
    if seconds <= 0.0 || now.cores.is_empty() {
        return None;
    }
    let per_second = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
    let pairs = now.cores.iter().zip(&before.cores);
    let ticks: Vec<CpuTicks> = pairs.map(|(now, before)| now.since(*before)).collect();
    let all = now.cpu().since(before.cpu());
    Some(HostLoadRecord {
        length_s: seconds,
        cpu: shares(all),
        cores: ticks.into_iter().map(shares).collect(),
        running: now.running,
        blocked: now.blocked,
        available_bytes: now.available_bytes,
        dirty_bytes: now.dirty_bytes,
        swap_used_bytes: now.swap_used_bytes,
        disks: paired(&now.disks, &before.disks, |current, old| DiskRates {
            reads_per_s: per_second(current.reads, old.reads),
            writes_per_s: per_second(current.writes, old.writes),
            read_bytes_per_s: per_second(current.read_bytes, old.read_bytes),
            written_bytes_per_s: per_second(current.written_bytes, old.written_bytes),
            busy: (per_second(current.busy_ms, old.busy_ms) / 1e3).min(1.0),
        }),
        networks: paired(&now.networks, &before.networks, |current, old| NetworkRates {
            received_bytes_per_s: per_second(current.received_bytes, old.received_bytes),
            sent_bytes_per_s: per_second(current.sent_bytes, old.sent_bytes),
            packets_per_s: per_second(current.packets, old.packets),
            errors_per_s: per_second(current.errors, old.errors),
        }),
        numa: now
            .numa
            .iter()
            .zip(&before.numa)
            .map(|(current, old)| NumaRates {
                free_bytes: current.free_bytes,
                hits_per_s: per_second(current.hits, old.hits),
                misses_per_s: per_second(current.misses, old.misses),
            })
            .collect(),
        frequency_mhz: now.frequency_mhz,
        pressure: now.pressure.zip(before.pressure).map(|(current, old)| {
            let share = |current: u64, old: u64| (per_second(current, old) / 1e6).min(1.0);
            PressureShares {
                cpu_some: share(current.cpu_some_us, old.cpu_some_us),
                memory_some: share(current.memory_some_us, old.memory_some_us),
                memory_full: share(current.memory_full_us, old.memory_full_us),
                io_some: share(current.io_some_us, old.io_some_us),
                io_full: share(current.io_full_us, old.io_full_us),
            }
        }),
    })
}

/// Returns a value for each name that occurs in both readings.
fn paired<A, B>(
    now: &BTreeMap<String, A>,
    before: &BTreeMap<String, A>,
    rates: impl Fn(&A, &A) -> B,
) -> BTreeMap<String, B> {
    let both = now.iter().filter_map(|(name, current)| Some((name, current, before.get(name)?)));
    both.map(|(name, current, old)| (name.clone(), rates(current, old))).collect()
}

fn shares(cpu: CpuTicks) -> CpuShares {
    let all = cpu.total().max(1) as f64;
    let share = |ticks: u64| ticks as f64 / all;
    CpuShares {
        user: share(cpu.user),
        system: share(cpu.system),
        interrupts: share(cpu.interrupts),
        steal: share(cpu.steal),
        io_wait: share(cpu.io_wait),
        idle: share(cpu.idle),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_collect::{DiskCounters, Pressure};
    use tacho_core::{Error, ErrorKind};

    fn reading(uptime_s: f64, ticks: u64) -> HostReading {
        let core = CpuTicks { user: 3 * ticks, idle: ticks, ..CpuTicks::default() };
        let disk = DiskCounters {
            written_bytes: 1_000 * ticks,
            busy_ms: ticks,
            ..DiskCounters::default()
        };
        HostReading {
            uptime_s,
            cores: vec![core; 2],
            disks: [("sda".to_owned(), disk)].into(),
            pressure: Some(Pressure { io_some_us: 10_000 * ticks, ..Pressure::default() }),
            ..HostReading::default()
        }
    }

    #[test]
    fn counters_become_rates_and_shares() {
        let rates = load(&reading(10.0, 100), &reading(12.0, 300)).expect("a load");
        assert!((rates.cpu.user - 0.75).abs() < 1e-9 && (rates.cores[1].idle - 0.25).abs() < 1e-9);
        let disk = rates.disks["sda"];
        assert!(
            (disk.written_bytes_per_s - 100_000.0).abs() < 1e-6 && (disk.busy - 0.1).abs() < 1e-9
        );
        assert!(rates.pressure.is_some_and(|pressure| (pressure.io_some - 1.0).abs() < 1e-9));
        assert_eq!(load(&reading(12.0, 1), &reading(12.0, 2)), None, "no time between");
        assert_eq!(load(&reading(12.0, 1), &reading(1.0, 0)), None, "started again");
    }

    struct Fails(Mutex<u32>);

    impl HostSource for Fails {
        fn address(&self) -> &'static str {
            "db:4101"
        }

        fn host(&self) -> Result<HostRecord> {
            Ok(HostRecord { name: "db".into(), ..HostRecord::default() })
        }

        fn read(&self) -> Result<HostReading> {
            let mut calls = self.0.lock().expect("no panic");
            *calls += 1;
            if *calls == 1 {
                Ok(reading(1.0, 1))
            } else {
                Err(Error::new(ErrorKind::Connect, "gone"))
            }
        }
    }

    #[test]
    fn an_agent_that_is_gone_is_counted_and_its_last_figures_are_not_repeated() {
        let source: Arc<dyn HostSource> = Arc::new(Fails(Mutex::new(0)));
        let mut observed = Observed::of(Arc::clone(&source)).expect("it answers at first");
        let heard = Mutex::new(AgentReadings::default());
        let (stop, stopped) = channel();
        std::thread::scope(|scope| {
            let (asked, shared) = (source.as_ref(), &heard);
            let asking = scope.spawn(move || ask_until(&stopped, asked, shared));
            std::thread::park_timeout(EVERY + Duration::from_millis(200));
            drop(stop);
            asking.join().expect("no panic");
        });
        let heard = heard.into_inner().expect("no panic");
        assert!(heard.failures >= 1 && heard.failure.as_deref() == Some("gone"));
        assert_eq!(observed.since_last(Phase::Measure), None, "the first reading");
        assert_eq!(observed.since_last(Phase::Measure), None, "no newer one");
        assert_eq!(observed.finished().load, None);
        let mut refused = Fails(Mutex::new(1));
        refused.0.get_mut().expect("no panic");
        assert!(Observed::of(Arc::new(refused)).is_err());
    }
}
