//! Measures the memory used per session, and how punctually five thousand sessions with keying and think times start
//! their transactions.
//!
//! The server is a separate process, so its cost does not count as Tacho's.
//!
//! Start reading at [`postgres`].

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(
    clippy::disallowed_methods,
    reason = "starts a process and reads the memory usage from /proc"
)]

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Catalog, Form};
use tacho_engine::{Interrupt, Interval, LoadPlan, Observer, Setup, Stop};
use tacho_metrics::Phase;

use crate::load::{self, Load};
use crate::measure::measure;

/// A server that responds immediately.
///
/// Each stub has a driver, the target option that disables encryption, the command-line argument that starts the
/// server, and the function that serves its connections.
#[derive(Clone, Copy)]
pub(crate) struct Stub {
    driver: &'static str,
    option: &'static str,
    pub(crate) argument: &'static str,
    serve: fn(TcpListener, &Catalog) -> Result<()>,
}

/// All stub servers.
pub(crate) const STUBS: [Stub; 2] = [
    Stub {
        driver: "postgres",
        option: "sslmode=disable",
        argument: "--stub",
        serve: tacho_testkit::postgres_stub::serve,
    },
    Stub {
        driver: "sqlserver",
        option: "encrypt=optional",
        argument: "--tds-stub",
        serve: tacho_testkit::tds::stub::serve,
    },
];

const SESSIONS: u32 = 5_000;
/// Duration of the ramp-up. All sessions start at once, and random think times spread them out within a minute.
const RAMP_UP: Duration = Duration::from_mins(1);
const MEASURED: Duration = Duration::from_mins(1);
const PAGE_BYTES: u64 = 4_096;
const KIB: f64 = 1_024.0;

/// An observer that reads the memory usage while the sessions are running.
#[derive(Default)]
struct Memory {
    most: u64,
}

impl Observer for Memory {
    fn interval(&mut self, _: &Interval<'_>) {
        self.most = self.most.max(resident());
    }
}

/// A server in a separate process, which is stopped when the benchmark ends.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
}

impl Server {
    /// Starts this program with the argument that turns it into a server. Reads the port that the server prints.
    pub(crate) fn start(argument: &str) -> Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(argument)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut line)?;
        }
        let port = line.trim().parse();
        let port =
            port.map_err(|_| Error::new(ErrorKind::Other, "the server did not report a port"))?;
        Ok(Self { process, port })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server may already have exited.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn postgres() -> Result<()> {
    run(STUBS[0])
}

pub(crate) fn sqlserver() -> Result<()> {
    run(STUBS[1])
}

fn run(stub: Stub) -> Result<()> {
    let server = Server::start(stub.argument)?;
    // Measure the memory only before the first run. The process may keep that run's memory, so the next run would seem
    // to use less.
    let before = resident();
    for form in [Form::Sql, Form::Procedures] {
        let setup = setup(stub, form, server.port)?;
        let mut memory = Memory::default();
        let (measurement, cost) =
            measure(|| tacho_engine::run(&setup, &Interrupt::default(), &mut memory));
        let measurement = measurement?;
        let late = measurement.total.lateness(Phase::Measure);
        let series = measurement.total.series(Phase::Measure);
        let ended: u64 = series.iter().map(|one| one.ledger.committed).sum();
        let per_session = (memory.most - before) as f64 / f64::from(SESSIONS) / KIB;
        let name = form.word();
        println!("{name:10} sessions {SESSIONS}, lost {}", measurement.lost.len());
        println!("{name:10} resident memory per session {per_session:.1} KiB");
        println!("{name:10} transactions measured {ended}");
        for quantile in [0.5, 0.9, 0.99, 0.999] {
            let late = late.quantile(quantile).as_secs_f64() * 1e3;
            println!("{name:10} lateness p{:<5} {late:.3} ms", quantile * 100.0);
        }
        println!(
            "{name:10} CPU {:.2} s in {:.0} s",
            cost.cpu.as_secs_f64(),
            cost.wall.as_secs_f64()
        );
    }
    Ok(())
}

/// Runs this program as the server.
pub(crate) fn serve(stub: Stub) -> ExitCode {
    let served = || -> Result<()> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        println!("{}", listener.local_addr()?.port());
        let setup = setup(stub, Form::Procedures, 0)?;
        let catalog = setup.instance.catalog(setup.driver.dialect())?;
        std::thread::spawn(move || (stub.serve)(listener, &catalog));
        // The parent process holds the other end of the pipe, so the server exits when its parent does.
        std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
        Ok(())
    };
    match served() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns this process's resident memory in bytes.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * PAGE_BYTES
}

fn setup(stub: Stub, form: Form, port: u16) -> Result<Setup> {
    let load = Load {
        workload: "tprocc",
        profile: "spec",
        set: &[],
        scale: u64::from(SESSIONS / 10),
        form,
        sessions: SESSIONS,
        transactions: 0,
    };
    let Stub { driver, option, .. } = stub;
    let target = format!("{driver}://u@127.0.0.1:{port}/d?{option}");
    let mut setup = load::setup(&target, &load)?;
    setup.plan = LoadPlan {
        workers: Some(tacho_collect::cores()),
        pacing: 1.0,
        ramp_up: RAMP_UP,
        stop: Stop::After(MEASURED),
        ..setup.plan
    };
    Ok(setup)
}
