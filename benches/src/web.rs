//! Measures how much the web view affects a run with paced sessions. The run is measured with no web page open, then
//! with ten pages that read events and charts.

#![expect(clippy::print_stdout, reason = "the results are the output")]
#![expect(clippy::disallowed_methods, reason = "a page waits in real time")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use tacho_core::{Error, Result};

use crate::measure::{median, rounds};

const ROUNDS: usize = 5;
const PAGES: usize = 10;
const RUN: &str =
    "run tprocc noop: -c 4 -r 2000 -d 20s --ramp-up 0s --check none --progress none -o json";

pub(crate) fn run() -> Result<()> {
    println!("{RUN}; {ROUNDS} rounds each, {PAGES} pages");
    let (mut alone, mut watched) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.push(once(0)?);
        watched.push(once(PAGES)?);
    }
    let column =
        |of: &[[f64; 3]], place: usize| of.iter().map(|round| round[place]).collect::<Vec<_>>();
    for (place, (name, digits)) in
        [("cores used", 4), ("transactions/s", 1), ("p95, µs", 1)].into_iter().enumerate()
    {
        let (without, with) = (column(&alone, place), column(&watched, place));
        println!("{name:15} without  {}", rounds(&without, digits));
        println!("{name:15} with     {}", rounds(&with, digits));
        println!(
            "{name:15} medians  {:.digits$} {:.digits$}, ratio {:.4}",
            median(without.clone()),
            median(with.clone()),
            median(with) / median(without)
        );
    }
    Ok(())
}

/// Returns the number of cores used, the transactions per second and the p95 latency of a run while this many web
/// pages show it.
fn once(pages: usize) -> Result<[f64; 3]> {
    let folder = tempfile::tempdir()?;
    let tacho = std::env::current_exe()?.with_file_name("tacho");
    let mut command = Command::new(tacho);
    command.args(RUN.split(' ')).current_dir(folder.path());
    if pages > 0 {
        command.arg("--web=127.0.0.1:0");
    }
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| {
            Error::from(error).hint("build the program first: cargo build --release")
        })?;
    let over = Arc::new(AtomicBool::new(false));
    let mut said = BufReader::new(child.stderr.take().ok_or_else(|| Error::usage("no pipe"))?);
    if pages > 0 {
        let mut line = String::new();
        said.read_line(&mut line)?;
        let address = line.split_whitespace().nth(1).unwrap_or_default();
        let (url, token) =
            address.split_once("/?token=").ok_or_else(|| Error::usage(line.clone()))?;
        let host = url.trim_start_matches("http://").to_owned();
        for _ in 0..pages {
            open(host.clone(), token.to_owned(), Arc::clone(&over));
        }
    }
    let output = child.wait_with_output()?;
    over.store(true, Ordering::SeqCst);
    let record: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| Error::usage(error.to_string()))?;
    let result = &record["result"];
    let all =
        result["transactions"].as_array().and_then(|all| all.last()).cloned().unwrap_or_default();
    let number = |value: &Value| {
        value.as_f64().ok_or_else(|| Error::usage(format!("no number in {record:#}")))
    };
    Ok([
        number(&result["tool"]["cpu_cores"])?,
        number(&result["throughput_per_s"])?,
        number(&all["latency"]["p95_us"])?,
    ])
}

/// Opens a page: one thread that listens for events and one that requests charts.
fn open(host: String, token: String, over: Arc<AtomicBool>) {
    let (there, word) = (host.clone(), token.clone());
    std::thread::spawn(move || {
        let _ = ask(&there, &word, "/api/v1/activity/events");
    });
    std::thread::spawn(move || {
        while !over.load(Ordering::SeqCst) {
            let _ = ask(&host, &token, "/api/v1/activity/charts");
            std::thread::sleep(Duration::from_secs(2));
        }
    });
}

fn ask(host: &str, token: &str, path: &str) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(host)?;
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.read_to_end(&mut Vec::new()).map(drop)
}
