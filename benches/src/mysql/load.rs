//! Compares the cost of loading ten warehouses with the lowest possible cost, which is that of `LOAD DATA INFILE` with
//! the same rows.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::path::Path;

use tacho_core::{Error, ErrorKind, Result, Table};
use tacho_driver::Form;
use tacho_testkit::conformance::Bench;
use tacho_workload::Instance;
use tokio::runtime::Builder;

use super::{products, server};
use crate::load::{Load, prepare, setup};
use crate::measure::{measure, median, rounds};

const ROUNDS: usize = 2;
/// Tables that the first session loads. Loading them takes as long as loading all other tables together.
const FIRST: [&str; 4] = ["order_line", "orders", "new_order", "history"];

pub(crate) fn run() -> Result<()> {
    for product in products() {
        for profile in ["spec", "hammerdb"] {
            compare(product, profile)?;
        }
    }
    Ok(())
}

fn compare(product: &str, profile: &'static str) -> Result<()> {
    let load = Load {
        workload: "tprocc",
        profile,
        scale: 10,
        form: Form::Sql,
        sessions: 1,
        transactions: 0,
        set: &[],
    };
    let (mut mine, mut floors, mut client) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let server = server(product)?;
        let target = server.target();
        let (report, cost) = prepare(&target, &load, 2)?;
        println!("  of which rows {:.2} s", report.load.as_secs_f64());
        mine.push(cost.wall.as_secs_f64());
        client.push(cost.cpu.as_secs_f64());
        let setup = setup(&target, &load)?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let _inside = runtime.enter();
        let bench = Bench::new(&*setup.driver, &target);
        let folder = server.folder().join("data");
        unload(&bench, &*setup.instance, &folder)?;
        let (result, cost) = measure(|| load_back(&bench, &*setup.instance, &folder));
        result?;
        floors.push(cost.wall.as_secs_f64());
    }
    println!(
        "10 warehouses, profile {profile}, two sessions, {ROUNDS} alternating rounds, in seconds"
    );
    let ratio = median(mine.clone()) / median(floors.clone()).max(0.001);
    let line = format!("prepare {}   floor {}", rounds(&mine, 2), rounds(&floors, 2));
    println!("wall               {line}   ratio of medians {ratio:.2} (at most 1.30)");
    println!("client CPU         {}", rounds(&client, 2));
    Ok(())
}

/// Writes all rows to files on the server in key order, and drops the tables.
fn unload(bench: &Bench<'_>, instance: &dyn Instance, folder: &Path) -> Result<()> {
    for table in &instance.layout(bench.driver.dialect())?.tables {
        let name = table.name;
        let file = folder.join(name);
        let columns = columns(table);
        bench.script(&format!("SELECT {columns} FROM {name} INTO OUTFILE '{}'", file.display()))?;
        bench.script(&bench.driver.dialect().drop_table(name))?;
    }
    Ok(())
}

fn columns(table: &Table) -> String {
    table.columns.iter().map(|column| column.name).collect::<Vec<_>>().join(", ")
}

fn load_back(bench: &Bench<'_>, instance: &dyn Instance, folder: &Path) -> Result<()> {
    let dialect = bench.driver.dialect();
    let layout = instance.layout(dialect)?;
    let (first, second): (Vec<&Table>, Vec<&Table>) =
        layout.tables.iter().partition(|table| FIRST.contains(&table.name));
    std::thread::scope(|scope| {
        let handle = tokio::runtime::Handle::current();
        let other = scope.spawn(move || {
            let _inside = handle.enter();
            load_tables(bench, folder, &first)
        });
        load_tables(bench, folder, &second)?;
        other.join().map_err(|_| Error::new(ErrorKind::Other, "the other session panicked"))?
    })?;
    bench.script(&dialect.analyze(&layout.tables))
}

fn load_tables(bench: &Bench<'_>, folder: &Path, tables: &[&Table]) -> Result<()> {
    let dialect = bench.driver.dialect();
    for table in tables {
        let (name, columns) = (table.name, columns(table));
        bench.script(&dialect.create_table(table))?;
        let file = folder.join(name);
        bench.script(&format!(
            "LOAD DATA INFILE '{}' INTO TABLE {name} ({columns})",
            file.display()
        ))?;
        for index in &table.indexes {
            bench.script(&dialect.create_index(table, index))?;
        }
    }
    Ok(())
}
