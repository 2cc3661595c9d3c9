//! The cost of distribution: the same sessions run in one process with two threads, or in two single-threaded agents.

#![expect(clippy::print_stdout, reason = "the results are the output")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tacho_core::{Error, Result};

use crate::measure::{children_cpu, median, rounds, succeed};

const ROUNDS: usize = 9;
const LOADS: [(&str, &str); 2] = [
    ("noop", "run tprocc noop -c 8 -d 5s --ramp-up 1s --check none --progress none -o json"),
    ("PostgreSQL", "run tprocc pg -c 8 -d 8s --ramp-up 2s --check none --progress none -o json"),
];

pub(crate) fn run() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let place = Place { folder: folder.path().to_owned() };
    place.tacho("up nats")?;
    place.tacho("up postgres")?;
    place.tacho("prepare tprocc pg")?;
    let done = LOADS.iter().try_for_each(|(name, load)| compare(&place, name, load));
    place.tacho("down --all").and(done)
}

fn compare(place: &Place, name: &str, load: &str) -> Result<()> {
    println!("{name}: {load}; {ROUNDS} rounds each");
    let (mut alone, mut many, mut coordinator) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.push(place.measured(&format!("{load} --workers 2"))?.0);
        let agents = ["a", "b"].map(|agent| place.agent(agent));
        let agents = agents.into_iter().collect::<Result<Vec<Agent>>>()?;
        let (micros, command) =
            place.measured(&format!("{load} --workers 1 --hosts 2 --nats nats"))?;
        drop(agents);
        many.push(micros);
        coordinator.push(command);
    }
    println!("client CPU, us per transaction, one process {}", rounds(&alone, 3));
    println!("client CPU, us per transaction, two agents  {}", rounds(&many, 3));
    println!("coordinator CPU, us per transaction         {}", rounds(&coordinator, 4));
    let ratios: Vec<f64> = many.iter().zip(&alone).map(|(many, alone)| many / alone).collect();
    println!("ratio of each pair: {}; median {:.4}", rounds(&ratios, 3), median(ratios.clone()));
    Ok(())
}

/// A folder with the servers.
struct Place {
    folder: PathBuf,
}

/// An agent, which is stopped when this value is dropped.
struct Agent(Child);

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Place {
    fn command(&self, line: &str) -> Result<Command> {
        let tacho = std::env::current_exe()?.with_file_name("tacho");
        if !Path::new(&tacho).exists() {
            return Err(Error::usage("the tacho program does not exist")
                .hint("build the program first: cargo build --release"));
        }
        let mut command = Command::new(tacho);
        command.args(line.split(' ')).current_dir(&self.folder);
        Ok(command)
    }

    fn tacho(&self, line: &str) -> Result<()> {
        succeed(&mut self.command(line)?)
    }

    /// Starts an agent and waits until it is ready.
    fn agent(&self, name: &str) -> Result<Agent> {
        let mut command = self.command(&format!("agent --nats nats --name {name}"))?;
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let said = child.stdout.take().ok_or_else(|| Error::usage("no pipe"))?;
        let agent = Agent(child);
        let mut lines = BufReader::new(said).lines();
        while let Some(line) = lines.next().transpose()? {
            if line.starts_with("End") {
                return Ok(agent);
            }
        }
        Err(Error::usage(format!("the agent {name} ended")))
    }

    /// Returns two CPU times in microseconds per transaction: that of the client process, and that of the whole
    /// command.
    fn measured(&self, line: &str) -> Result<(f64, f64)> {
        let before = children_cpu()?;
        let output = self.command(line)?.stderr(Stdio::null()).output()?;
        let cpu = children_cpu()? - before;
        let record: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| Error::usage(error.to_string()))?;
        let result = &record["result"];
        let number = |value: &Value| {
            value.as_f64().ok_or_else(|| Error::usage(format!("no number in {record:#}")))
        };
        let rate = number(&result["throughput_per_s"])?;
        let all = number(&result["accounting"]["committed"])?;
        Ok((number(&result["tool"]["cpu_cores"])? / rate * 1e6, cpu / all * 1e6))
    }
}
