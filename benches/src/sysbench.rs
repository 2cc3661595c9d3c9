//! Compares Tacho's `oltp` workload with sysbench on a private server. Both use the same tables and take turns (A, B,
//! A, B).
//!
//! sysbench has one thread per session, and Tacho one per core.
//!
//! Compares throughput, CPU time per event, and the server's statement count.

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(clippy::disallowed_methods, reason = "the benchmark starts a program")]

use std::process::Command;
use std::time::Instant;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Form;
use tacho_testkit::servers::{MariaDb, Options, Postgres};

use crate::load::{Load, Took, ours, prepare, print_pairs};
use crate::measure::children_cpu;

const ROUNDS: usize = 5;
const TABLES: u64 = 4;
const SESSIONS: [u32; 2] = [1, 64];
/// Factor by which the number of events is increased in rounds with many sessions, because these use all cores and
/// would otherwise be too short.
const EVENTS_OF_MANY: u64 = 8;
/// The number of events per round with one session, the sysbench script, and the profile.
const EVENTS: [(u64, &str, &str); 3] = [
    (3_000, "oltp_read_write", "read-write"),
    (3_000, "oltp_read_only", "read-only"),
    (30_000, "oltp_point_select", "point-select"),
];

/// A server to which both Tacho and sysbench connect.
struct Place<'a> {
    target: String,
    arguments: Vec<String>,
    /// Returns the number of statements executed by the server so far, if the server counts them.
    statements: &'a dyn Fn() -> Result<Option<u64>>,
}

pub(crate) fn run() -> Result<()> {
    let settings = [("shared_buffers", "1GB"), ("max_connections", "100")];
    let server = Postgres::start_with(Options { settings: &settings, ..Options::default() })?;
    let place = Place {
        target: server.tcp_target(),
        arguments: arguments(&server, "127.0.0.1").into(),
        statements: &|| Ok(None),
    };
    compare("PostgreSQL", &place)?;
    let server = MariaDb::start()?;
    let arguments = [
        "--db-driver=mysql".to_owned(),
        "--mysql-host=127.0.0.1".to_owned(),
        format!("--mysql-port={}", server.port()),
        "--mysql-user=tacho".to_owned(),
        format!("--mysql-password={}", server.password()),
        "--mysql-db=tacho".to_owned(),
    ];
    let counted = || {
        // Count executed prepared statements and statements sent as text, but not this query.
        let counters = "SELECT variable_value - 1 FROM information_schema.global_status \
                        WHERE variable_name = 'Questions'";
        let text = server.client(counters)?;
        let number = text.split_whitespace().last().and_then(|text| text.parse::<f64>().ok());
        Ok(number.map(|number| number as u64))
    };
    let place =
        Place { target: server.tcp_target(), arguments: arguments.into(), statements: &counted };
    compare("MariaDB", &place)
}

fn load(profile: &'static str, sessions: u32, transactions: u64) -> Load {
    Load {
        workload: "oltp",
        profile,
        scale: TABLES,
        form: Form::Sql,
        sessions,
        transactions,
        set: &[],
    }
}

fn compare(product: &str, place: &Place<'_>) -> Result<()> {
    prepare(&place.target, &load("read-write", 1, 0), 2)?;
    for sessions in SESSIONS {
        println!("{product}, {TABLES} tables of 10000 rows, sessions: {sessions}");
        compare_with(sessions, place)?;
    }
    Ok(())
}

fn compare_with(sessions: u32, place: &Place<'_>) -> Result<()> {
    for (events, script, profile) in EVENTS {
        let events = if sessions == 1 { events } else { events * EVENTS_OF_MANY };
        let load = load(profile, sessions, events);
        let mut took: [Vec<Took>; 2] = Default::default();
        // The time when Tacho sends all statements of an event in as few round trips as the protocol allows. sysbench
        // cannot do this.
        let mut together: Vec<f64> = Vec::new();
        let mut statements: [Vec<f64>; 2] = Default::default();
        for _ in 0..ROUNDS {
            let counted = |work: &dyn Fn() -> Result<Took>| {
                let before = (place.statements)()?;
                let took = work()?;
                let grown = (place.statements)()?.zip(before).map(|(after, before)| after - before);
                Ok::<_, Error>((took, grown.map(|grown| grown as f64 / events as f64)))
            };
            let pair = [
                counted(&|| ours(&place.target, &load))?,
                counted(&|| theirs(place, script, sessions, events))?,
            ];
            for (side, (round, grown)) in pair.into_iter().enumerate() {
                took[side].push(round);
                statements[side].extend(grown);
            }
            let load = Load { form: Form::Pipelined, ..load };
            together.push(ours(&place.target, &load)?.micros);
        }
        let all = |side: usize, value: fn(&Took) -> f64| -> Vec<f64> {
            took[side].iter().map(value).collect()
        };
        let print = |what: &str, value: fn(&Took) -> f64| {
            let what = format!("{what}, {script}");
            print_pairs(&what, ("tacho", &all(0, value)), ("sysbench", &all(1, value)));
        };
        print("events per minute", |took| took.tpm);
        print("client CPU time per event (us)", |took| took.micros);
        let what = format!("client CPU time per event (us), {script}, form pipelined");
        print_pairs(&what, ("tacho", &together), ("sysbench", &all(1, |took| took.micros)));
        if !statements[0].is_empty() {
            let what = format!("statements per event, counted by the server, {script}");
            print_pairs(&what, ("tacho", &statements[0]), ("sysbench", &statements[1]));
        }
    }
    Ok(())
}

/// Measures the lowest CPU time that any client needs for a point select if it sends statements one by one. The client
/// is a minimal loop written in C.
pub(crate) fn floor() -> Result<()> {
    let server = Postgres::start_with(Options::default())?;
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("round_trips");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-I/usr/include/postgresql", PEER, "-lpq", "-o"]).arg(&program);
    if !compiler.status()?.success() {
        return Err(Error::new(ErrorKind::Missing, "round_trips.c was not compiled")
            .hint("install a C compiler and libpq-dev"));
    }
    prepare(&server.tcp_target(), &load("point-select", 1, 0), 2)?;
    let socket = server.folder().display().to_string();
    for (place, host) in [("TCP", "127.0.0.1"), ("Unix socket", socket.as_str())] {
        println!("PostgreSQL over {place}, client CPU time per point select (us), one session");
        let mut sides: [Vec<f64>; 3] = Default::default();
        for _ in 0..ROUNDS {
            for (side, calls) in ["blocking", "poll"].into_iter().enumerate() {
                sides[side].push(bare(&server, host, &program, calls)?);
            }
            let place = Place {
                target: String::new(),
                arguments: arguments(&server, host).into(),
                statements: &|| Ok(None),
            };
            sides[2].push(theirs(&place, "oltp_point_select", 1, FLOOR_EVENTS)?.micros);
        }
        let [blocking, polling, sysbench] = &sides;
        for (what, micros) in [
            ("two system calls: send, receive", blocking),
            ("three system calls: send, poll, receive", polling),
        ] {
            print_pairs(what, ("bare loop", micros), ("sysbench", sysbench));
        }
    }
    Ok(())
}

/// Number of point selects in each round of [`floor`].
const FLOOR_EVENTS: u64 = 200_000;
const PEER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/round_trips.c");

/// Returns the minimal loop's CPU time per point select, in microseconds.
fn bare(server: &Postgres, host: &str, program: &std::path::Path, calls: &str) -> Result<f64> {
    let mut command = Command::new(program);
    command.args([calls, &TABLES.to_string(), "10000", &FLOOR_EVENTS.to_string()]);
    let port = server.port().to_string();
    command.envs([("PGHOST", host), ("PGPORT", &port), ("PGUSER", "postgres")]);
    command.envs([("PGDATABASE", "postgres"), ("PGPASSWORD", server.password())]);
    let before = children_cpu()?;
    let output = command.output()?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::new(ErrorKind::Other, text).during("run round_trips"));
    }
    Ok((children_cpu()? - before) * 1e6 / FLOOR_EVENTS as f64)
}

fn arguments(server: &Postgres, host: &str) -> [String; 6] {
    [
        "--db-driver=pgsql".to_owned(),
        format!("--pgsql-host={host}"),
        format!("--pgsql-port={}", server.port()),
        "--pgsql-user=postgres".to_owned(),
        format!("--pgsql-password={}", server.password()),
        "--pgsql-db=postgres".to_owned(),
    ]
}

/// Runs sysbench once and measures the CPU time of its process.
fn theirs(place: &Place<'_>, script: &str, sessions: u32, events: u64) -> Result<Took> {
    let mut command = Command::new("sysbench");
    command.arg(script).args(&place.arguments).args(["--time=0", &format!("--threads={sessions}")]);
    command.args([format!("--events={events}"), format!("--tables={TABLES}")]);
    let (start, before) = (Instant::now(), children_cpu()?);
    let output = command.arg("run").output()?;
    let (wall, cpu) = (start.elapsed().as_secs_f64(), children_cpu()? - before);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let text = text + &String::from_utf8_lossy(&output.stderr);
        return Err(Error::new(ErrorKind::Other, text).during("run sysbench"));
    }
    let done = done(&text)?;
    Ok(Took { micros: cpu * 1e6 / done, tpm: done * 60.0 / wall })
}

/// Parses a line such as `    transactions:                        3000   (512.34 per sec.)`.
fn done(text: &str) -> Result<f64> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("transactions:"));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| Error::new(ErrorKind::Protocol, "sysbench reported no transaction count"))
}
