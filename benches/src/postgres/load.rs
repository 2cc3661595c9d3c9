//! Compares the cost of a load with the lowest possible cost, which is that of copying the same rows from files on the
//! server.

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(clippy::disallowed_methods, reason = "reads /proc and waits for threads")]

use std::path::Path;

use tacho_core::{Error, ErrorKind, Result, Table};
use tacho_driver::Form;
use tacho_testkit::conformance::Bench;
use tacho_testkit::servers::Postgres;
use tacho_workload::Instance;
use tokio::runtime::Builder;

use super::{Load, prepare, server, setup};
use crate::measure::{Cost, measure, median, rounds};

const ROUNDS: usize = 2;
const TICKS: f64 = 100.0;

/// A load of data whose speed is compared with that of loading the same data from files.
struct Floor {
    load: Load,
    /// Description of the size.
    size: &'static str,
    /// Tables that the first session loads. They take about as long as all the others together.
    first: &'static [&'static str],
    /// COPY options that specify the file format.
    format: &'static str,
}

/// Ten `tprocc` warehouses, loaded from the server's binary file format.
const TPROCC: Floor = Floor {
    load: empty("tprocc", 10),
    size: "10 warehouses",
    first: &["order_line", "orders", "new_order", "history"],
    format: "FORMAT binary",
};
/// A gigabyte of `tproch` data, loaded from the text format that TPC-H's generator writes.
const TPROCH: Floor = Floor {
    load: empty("tproch", 100),
    size: "1 gigabyte",
    first: &["lineitem"],
    format: "DELIMITER '|'",
};

const fn empty(workload: &'static str, scale: u64) -> Load {
    let (profile, form) = ("spec", Form::Sql);
    Load { workload, profile, scale, form, sessions: 1, transactions: 0, set: &[] }
}

/// The times that a load took, in seconds.
struct Took {
    wall: f64,
    client: f64,
    server: f64,
}

pub(crate) fn run() -> Result<()> {
    against_floor(&TPROCC)
}

pub(crate) fn tproch() -> Result<()> {
    against_floor(&TPROCH)
}

fn against_floor(floor: &Floor) -> Result<()> {
    let load = floor.load;
    let (mut mine, mut floors) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let server = server(&[("maintenance_work_mem", "256MB")])?;
        let (result, took) = timed(&server, || prepare(&server.target(), &load, 2));
        result?;
        mine.push(took);
        let setup = setup(&server.target(), &load)?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let _inside = runtime.enter();
        let target = server.target();
        let bench = Bench::new(&*setup.driver, &target);
        let folder = server.folder().join("data");
        unload(&bench, &*setup.instance, &folder, floor)?;
        let (result, took) = timed(&server, || copy_back(&bench, &*setup.instance, &folder, floor));
        result?;
        floors.push(took);
    }
    println!("{}, two sessions, {ROUNDS} alternating rounds, in seconds", floor.size);
    print("wall", &mine, &floors, |took| took.wall);
    print("server CPU", &mine, &floors, |took| took.server);
    print("client CPU", &mine, &floors, |took| took.client);
    Ok(())
}

fn print(what: &str, mine: &[Took], floors: &[Took], value: fn(&Took) -> f64) {
    let [mine, floors] = [mine, floors].map(|all| all.iter().map(value).collect::<Vec<f64>>());
    let ratio = median(mine.clone()) / median(floors.clone()).max(0.001);
    let line = format!("prepare {}   floor {}", rounds(&mine, 2), rounds(&floors, 2));
    println!("{what:18} {line}   ratio of medians {ratio:.2}");
}

fn timed<T>(server: &Postgres, work: impl FnOnce() -> T) -> (T, Took) {
    let before = server_cpu(server.folder());
    let (result, Cost { cpu, wall }) = measure(work);
    let (wall, client) = (wall.as_secs_f64(), cpu.as_secs_f64());
    (result, Took { wall, client, server: server_cpu(server.folder()) - before })
}

/// Writes all rows to files on the server and drops the tables.
fn unload(bench: &Bench<'_>, instance: &dyn Instance, folder: &Path, floor: &Floor) -> Result<()> {
    for table in &instance.schema().tables {
        let name = table.name;
        let file = folder.join(name);
        bench.script(&format!("COPY {name} TO '{}' ({})", file.display(), floor.format))?;
        bench.script(&bench.driver.dialect().drop_table(name))?;
    }
    bench.script("CHECKPOINT")
}

fn copy_back(
    bench: &Bench<'_>,
    instance: &dyn Instance,
    folder: &Path,
    floor: &Floor,
) -> Result<()> {
    let dialect = bench.driver.dialect();
    let (first, second): (Vec<&Table>, Vec<&Table>) =
        instance.schema().tables.iter().partition(|table| floor.first.contains(&table.name));
    std::thread::scope(|scope| {
        let handle = tokio::runtime::Handle::current();
        let other = scope.spawn(move || {
            let _inside = handle.enter();
            copy(bench, folder, &first, floor)
        });
        copy(bench, folder, &second, floor)?;
        other.join().map_err(|_| Error::new(ErrorKind::Other, "the other session panicked"))?
    })?;
    bench.script(&dialect.analyze(&instance.schema().tables))
}

fn copy(bench: &Bench<'_>, folder: &Path, tables: &[&Table], floor: &Floor) -> Result<()> {
    let dialect = bench.driver.dialect();
    for table in tables {
        let name = table.name;
        let bare = Table { key: Vec::new(), indexes: Vec::new(), ..(*table).clone() };
        bench.script(&dialect.create_table(&bare))?;
        let file = folder.join(name);
        bench.script(&format!("COPY {name} FROM '{}' ({})", file.display(), floor.format))?;
        if !table.key.is_empty() {
            let key = table.key.join(", ");
            bench.script(&format!("ALTER TABLE {name} ADD PRIMARY KEY ({key})"))?;
        }
        for index in &table.indexes {
            bench.script(&dialect.create_index(table, index))?;
        }
    }
    Ok(())
}

/// Returns a server's CPU time in seconds, including its exited and its remaining child processes.
fn server_cpu(folder: &Path) -> f64 {
    let pid_file = std::fs::read_to_string(folder.join("data/postmaster.pid")).unwrap_or_default();
    let first = pid_file.lines().next().unwrap_or_default().to_owned();
    let stat = |pid: &str| {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = text.rsplit_once(')').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        fields.split_whitespace().map(str::to_owned).collect::<Vec<String>>()
    };
    let ticks = |fields: &[String], count: usize| -> f64 {
        let times = fields.iter().skip(11).take(count);
        times.filter_map(|field| field.parse::<f64>().ok()).sum()
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten();
    let names = processes.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let children = names.map(|name| stat(&name)).filter(|fields| fields.get(1) == Some(&first));
    let living: f64 = children.map(|fields| ticks(&fields, 2)).sum();
    (ticks(&stat(&first), 4) + living) / TICKS
}
