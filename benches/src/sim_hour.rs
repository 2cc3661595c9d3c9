//! Runs 2,000 paced virtual users for an hour of virtual time, twice with the same seed. Expects identical records.

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(clippy::disallowed_methods, reason = "reads the records back")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use tacho_app::{Context, Job};
use tacho_config::{Source, resolve};
use tacho_core::{Error, Result};
use tacho_engine::Interrupt;

use crate::measure::measure;

pub(crate) fn run() -> Result<()> {
    for form in ["pipelined", "sql"] {
        let (first, second) = (hour(form)?, hour(form)?);
        if first != second {
            return Err(Error::usage("two runs with one seed differ"));
        }
        println!("{form:10} both records are identical, {} bytes", first.len());
    }
    Ok(())
}

/// Simulates one hour of load. Returns the files of the run record, without the name, the date and the machine, because
/// these differ between runs.
fn hour(form: &str) -> Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let flag = |key: &str, value: &str| (key.to_owned(), vec![value.to_owned()]);
    let flags = vec![
        flag("target", "sim"),
        flag("scale", "200"),
        flag("sessions", "2000"),
        flag("pacing", "spec"),
        flag("duration", "1h"),
        flag("interval", "1m"),
        flag("form", form),
    ];
    let context = Context {
        folder: folder.path().to_owned(),
        output: Arc::new(Mutex::new(std::io::sink())),
        interrupt: Interrupt::default(),
        reading: Arc::new(|_, _| {}),
        trust: tacho_app::Trust::default(),
    };
    let job = Job::new(resolve(Source { flags, ..Source::default() })?, &context)?;
    let (report, cost) =
        measure(|| tacho_app::run(tacho_app::Request::new(&job, &context), &mut ()));
    let report = report?;
    let result = report.record.result.as_ref();
    println!(
        "{form:10} wall {:.2} s, CPU {:.2} s, {} transactions, {} statements",
        cost.wall.as_secs_f64(),
        cost.cpu.as_secs_f64(),
        result.map_or(0, |result| result.accounting.started),
        result.map_or(0, |result| result.tool.statements),
    );
    let mut bytes = serde_json::to_vec(&report.record.result)
        .map_err(|error| Error::usage(error.to_string()))?;
    bytes.extend(read(&report.folder.join("intervals.jsonl.zst"))?);
    bytes.extend(histograms(&report.folder.join("histograms.hlog"))?);
    Ok(bytes)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    Ok(std::fs::read(path)?)
}

/// Returns the histogram log without the header, which contains the date.
fn histograms(path: &Path) -> Result<Vec<u8>> {
    let text = std::fs::read_to_string(path)?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    Ok(lines.join("\n").into_bytes())
}
