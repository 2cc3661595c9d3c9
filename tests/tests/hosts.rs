//! Runs on many load hosts, with real processes and a real NATS server. In some tests, a host fails during the run.

mod clocks;
mod disk;
pub mod take_over;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use serde_json::Value;
use tacho_testkit::permits::{Group, permit};
use tacho_tests::{Folder, Running, Signal};

/// Option for a lease that is longer than any pause of a process on a busy machine, so that it does not expire too
/// early.
pub const LEASE: &str = "--lease 8s";

/// A folder with a NATS server. Dropping this value stops the server and removes the folder.
pub struct Place {
    pub folder: Folder,
}

impl Place {
    /// Starts the server. If no server is installed, prints a message and returns `None`.
    #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
    pub fn new() -> Option<Self> {
        let folder = Folder::new();
        let up = folder.tacho("up nats").done();
        if up.code() == 0 {
            return Some(Self { folder });
        }
        assert!(up.misses_a_server(), "{}", up.err);
        eprintln!("NOT TESTED: runs over many hosts: {}", up.err);
        None
    }

    pub fn state(&self) -> Value {
        let text = self.folder.read("tacho-data/servers/nats.json");
        serde_json::from_slice(&text).expect("the state of the server")
    }

    /// Starts an agent that waits for work. `more` contains additional arguments.
    pub fn agent(&self, name: &str, more: &str) -> Running {
        let line = format!("agent --nats nats --name {name} {more}");
        let mut agent = self.folder.tacho(&line).start();
        agent.until_said(|line| line.starts_with("End"));
        agent
    }

    /// Runs a shell script whose last step starts an agent. The script gets the server's IP address, because it cannot
    /// look up host names.
    pub fn stranger(&self, script: &str) -> Running {
        let (state, word) =
            (self.state(), |value: &Value| value.as_str().unwrap_or_default().to_owned());
        let call = self.folder.shell(&format!("{script} --nats 127.0.0.1:{}", state["port"]));
        let mut agent = call.env("TACHO_NATS_TOKEN", &word(&state["password"])).start();
        agent.until_said(|line| line.starts_with("End"));
        agent
    }

    pub fn agents(&self, names: [&str; 3]) -> [Running; 3] {
        names.map(|name| self.agent(name, ""))
    }

    /// Starts a run on `noop` and waits for its measured phase.
    pub fn measuring(&self, more: &str) -> Running {
        let usual = [("--lease", LEASE), ("--hosts", "--hosts 3"), ("--rate", "--pacing x0.001")];
        let usual = usual.map(|(flag, usual)| if more.contains(flag) { "" } else { usual });
        let usual = usual.join(" ");
        let line = format!(
            "run tprocc noop -c 6 --ramp-up 1s --nats nats --progress plain {usual} {more}"
        );
        let mut run = self.folder.tacho(&line).start();
        run.until(|line| line.contains("measure  "));
        run
    }

    pub fn saved(&self) -> Vec<String> {
        let shares = self.folder.shell("ls tacho-data/shares").done();
        shares.out.lines().map(str::to_owned).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.folder.tacho("down nats").done();
    }
}

pub fn end(agents: impl IntoIterator<Item = Running>) {
    let agents: Vec<Running> = agents.into_iter().collect();
    for agent in &agents {
        agent.signal(Signal::INT);
    }
    for agent in agents {
        agent.wait().expect_code(130);
    }
}

/// Returns the sum of a number across all hosts.
pub fn sum(record: &Value, figure: &str) -> u64 {
    let hosts = record["result"]["load_hosts"].as_array().expect("hosts");
    hosts.iter().map(|host| host[figure].as_u64().expect("a number")).sum()
}

pub fn has_notice(record: &Value, id: &str) -> bool {
    let notices = record["result"]["notices"].as_array().expect("notices");
    notices.iter().any(|notice| notice["id"] == id)
}

/// Checks that the record accounts for all arrivals and all started transactions.
pub fn balances(record: &Value) {
    let of = |key: &str| record["result"]["accounting"][key].as_u64().expect("a count");
    assert_eq!(of("due"), of("started") + of("skipped"), "{record}");
    let ended = of("committed") + of("rolled_back") + of("failed") + of("unfinished");
    assert_eq!(of("started"), ended, "{record}");
}

/// Returns two flags. The first is true if the database and the clients counted the same number of transactions. The
/// second is true if this number is above zero.
fn headline_counts(record: &Value) -> (bool, bool) {
    let headline = &record["result"]["headline"];
    let [schema, client] =
        ["schema", "client"].map(|of| &headline[format!("whole_run_{of}_count")]);
    (schema == client, client.as_u64() > Some(0))
}

/// Three agents load a real database. The database's counters match the sum of the agents' reports.
#[test]
fn hosts_add_up_to_what_the_database_counts() {
    let Some(place) = Place::new() else { return };
    let folder = &place.folder;
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tprocc pg").exits(0);
    let agents = place.agents(["c", "a", "b"]);
    let line = "run tprocc pg --hosts 3 -c 7 --ramp-up 1s --nats nats --set mix=weights";
    let done = folder.tacho(&format!("{line} -d 4s")).exits(0);
    done.says(&["load hosts", "a: 3 sessions", "b: 2 sessions", "c: 2 sessions", "start ±"]);
    let record = folder.record("latest");
    balances(&record);
    assert_eq!(sum(&record, "sessions"), 7);
    assert_eq!(Some(sum(&record, "due")), record["result"]["accounting"]["due"].as_u64());
    let headline = &record["result"]["headline"];
    assert_eq!(headline["source"], "schema");
    assert_eq!(headline["whole_run_schema_count"], headline["whole_run_client_count"]);
    let checks = record["result"]["checks"].as_array().expect("checks");
    assert!(!checks.is_empty() && checks.iter().all(|check| check["verdict"] == "holds"));
    for host in record["result"]["load_hosts"].as_array().expect("hosts") {
        assert!(host["clock_error_s"].as_f64().is_some_and(|error| error < 0.1), "{host}");
        assert!(host["cpu_cores"].as_f64() > Some(0.0), "{host}");
    }
    assert!(place.saved().is_empty(), "nothing is left of what the coordinator has");
    // The second run has a fixed duration. The third has a fixed number of transactions, which is
    // divided among the hosts.
    folder.tacho(&format!("{line} -d 1s --session-times yes")).exits(0);
    folder.tacho(&format!("{line} --transactions 500")).exits(0);
    let record = folder.record("latest");
    balances(&record);
    let result = &record["result"];
    assert_eq!(
        (&result["ended_by"], sum(&record, "due")),
        (&Value::from("count"), 500),
        "{record}"
    );
    assert_eq!(result["accounting"]["started"], 500, "{record}");
    let shares = result["load_hosts"].as_array().expect("hosts").iter();
    let shares: Vec<u64> = shares.map(|host| host["due"].as_u64().expect("a count")).collect();
    assert_eq!(shares, [167, 167, 166]);
    assert_eq!(headline_counts(&record), (true, true), "{record}");
    end(agents);
    folder.tacho("down pg").exits(0);
}

/// Returns the statements that each session sent, without dates, because those depend on when the run took place.
fn sent(text: &str) -> Vec<Vec<String>> {
    let mut sessions = vec![Vec::new(); 5];
    for rest in text.split("-- session ").skip(1) {
        let (number, body) = rest.trim().split_once('\n').expect("statements");
        let body = body.split("\n\n").next().unwrap_or_default();
        let Ok(number) = number.parse::<usize>() else { continue };
        if number >= sessions.len() {
            continue;
        }
        let mut words = String::new();
        for (place, part) in body.split("TIMESTAMP '").enumerate() {
            let after =
                if place == 0 { part } else { part.split_once('\'').map_or("", |(_, p)| p) };
            words.push_str(after);
        }
        sessions[number].push(words);
    }
    sessions
}

/// With the same seed, each session sends the same requests however many hosts there are.
#[test]
fn many_hosts_send_what_one_would() {
    let Some(place) = Place::new() else { return };
    let load = "-c 5 -d 2s --ramp-up 0s --pacing x0.003 --seed 9";
    let alone = place.folder.tacho(&format!("run tprocc print {load} -o quiet")).done();
    let agents = place.agents(["a", "b", "c"]);
    let line = format!("run tprocc print {load} --hosts 3 --nats nats -o quiet");
    place.folder.tacho(&line).done();
    let mut all = String::new();
    for agent in agents {
        agent.signal(Signal::INT);
        all.push_str(&agent.wait().out);
        all.push_str("\n\n");
    }
    let (one, many) = (sent(&alone.out), sent(&all));
    for (session, (one, many)) in one.iter().zip(&many).enumerate() {
        let both = one.len().min(many.len());
        assert!(both > 15, "session {session}: {} and {}", one.len(), many.len());
        assert_eq!(one[..both], many[..both], "session {session}");
    }
    assert_ne!(one[0][..10], one[1][..10], "the sessions differ");
}

/// Three hosts together get as many arrivals as one host would, and each handles a third.
#[test]
fn hosts_share_the_arrivals() {
    let Some(place) = Place::new() else { return };
    let _permit = permit(Group::Timing);
    let load = "run tprocc noop -c 6 -r 600 -d 3s --ramp-up 1s --seed 5";
    place.folder.tacho(load).exits(0);
    let alone = place.folder.record("latest");
    let agents = place.agents(["a", "b", "c"]);
    place.folder.tacho(&format!("{load} --hosts 3 --nats nats")).exits(0);
    let many = place.folder.record("latest");
    balances(&many);
    let due = |record: &Value| record["result"]["accounting"]["due"].as_u64().expect("a count");
    assert_eq!(due(&alone), due(&many));
    for host in many["result"]["load_hosts"].as_array().expect("hosts") {
        let third = host["due"].as_u64().expect("a count");
        assert!(third.abs_diff(due(&many) / 3) <= 1, "{host}");
    }
    end(agents);
}

/// If an agent dies, the report names it and includes the results that it had sent. An option determines whether the
/// run is INVALID.
#[test]
fn an_agent_that_dies_is_named() {
    let Some(place) = Place::new() else { return };
    for (policy, id, code) in [("invalid", "V26", 4), ("mark", "W26", 0)] {
        let agents = place.agents(["a", "b", "c"]);
        let mut run = place.measuring(&format!("-d 7s --on-host-loss {policy}"));
        agents[1].signal(Signal::KILL);
        run.until(|line| line.starts_with("host b has not responded since"));
        run.until(|line| line.starts_with("host b is lost: no messages for 8s"));
        let done = run.wait();
        let record = place.folder.record("latest");
        balances(&record);
        assert!(has_notice(&record, id), "{}", done.err);
        let [lost, kept] = [1, 0].map(|host| record["result"]["load_hosts"][host].clone());
        assert_eq!((&lost["name"], &lost["sessions"]), (&Value::from("b"), &Value::from(2)));
        assert!(lost["lost"].is_string() && lost["lost_at_s"].as_f64() > Some(0.0), "{lost}");
        assert!(kept["due"].as_u64() > lost["due"].as_u64(), "{record}");
        assert_eq!(record["result"]["tool"]["sessions_lost"], 2);
        assert!(done.code() == code || done.out.contains("INVALID: tool stopped"), "{}", done.out);
        let [a, b, c] = agents;
        b.wait();
        end([a, c]);
        // The killed agent left its file behind.
        let file = place.saved().pop().expect("a file");
        let line = format!("runs import tacho-data/shares/{file}");
        let id = place.folder.tacho(&line).exits(0).out;
        let imported = place.folder.record(id.trim());
        assert_eq!(imported["result"]["verdict"], "invalid", "{imported}");
        balances(&imported);
        // The killed agent's file contains everything that the coordinator received, and sometimes one interval more.
        let due = |record: &Value| record["due"].as_u64().expect("a count");
        let (saved, told) = (due(&imported["result"]["accounting"]), due(&lost));
        let length = imported["result"]["measured_s"].as_f64().expect("a length");
        let is_all = (lost["lost_at_s"].as_f64().expect("a time") - 1.0 - length).abs() < 1e-6;
        assert!(if is_all { saved == told } else { saved > told }, "{imported} {lost}");
        place.folder.shell("rm tacho-data/shares/*").exits(0);
    }
}

/// Of two coordinators, one gets the agents, and the other learns who is using them.
///
/// Duplicate agent names and missing agents are reported as errors before the run starts.
#[test]
fn agents_work_for_one_coordinator() {
    let Some(place) = Place::new() else { return };
    let agents = place.agents(["a", "b", "c"]);
    let first = place.measuring("-d 6s");
    let line = "run tprocc noop --hosts 2 -c 2 -d 1s --nats nats --hosts-within 1s";
    let second = place.folder.tacho(line).done();
    second.complains(&["0 of 2 agents responded", "busy with another run: a, b, c", "hint: "]);
    first.wait();
    assert_eq!(sum(&place.folder.record("latest"), "sessions"), 6);
    let line = "run tprocc noop --hosts 4 -c 4 -d 1s --nats nats --hosts-within 1s";
    place.folder.tacho(line).done().complains(&["3 of 4 agents responded within 1s (a, b, c)"]);
    let twin = place.agent("b", "");
    place.folder.tacho(line).done().complains(&["two agents are named b", "--name"]);
    assert!(place.folder.runs().len() == 1, "what did not begin leaves nothing");
    end(agents.into_iter().chain([twin]));
    for (line, words) in [
        ("run tprocc sim --hosts 2 -c 2 --nats nats", "virtual time"),
        ("run tprocc --hosts 2 -c 2 --nats nats", "embedded"),
        ("run tprocc noop --hosts 2 --nats nats", "not enough sessions: 1 session for 2 hosts"),
        ("run tprocc noop --hosts 2 -c 2", "--hosts requires a NATS server"),
        ("agent", "a NATS server or --observe is required"),
    ] {
        place.folder.tacho(line).exits(2).complains(&[words, "hint: "]);
    }
}

/// Imitates an agent of another version by speaking the NATS protocol directly.
fn pretend(port: u64, token: &str) {
    let stream = TcpStream::connect(("127.0.0.1", port as u16)).expect("the server");
    let mut out = stream.try_clone().expect("a second handle");
    let connect = format!("{{\"verbose\":false,\"auth_token\":\"{token}\"}}");
    write!(out, "CONNECT {connect}\r\nSUB tacho.agents 1\r\nPING\r\n").expect("written");
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        if line == "PING" {
            write!(out, "PONG\r\n").expect("written");
        }
        let Ok(call) = serde_json::from_str::<Value>(&line) else { continue };
        let Some(run) = call["run"].as_str() else { continue };
        let offer = serde_json::json!({"run": run, "agent": "old", "message": {"Offer":
            {"name": "old", "version": "0.0.9", "cores": 1, "busy": null}}});
        let text = offer.to_string();
        // The coordinator may already be gone.
        let _ = write!(out, "PUB tacho.run.{run} {}\r\n{text}\r\n", text.len());
    }
}

#[test]
fn an_agent_of_another_version_is_refused() {
    let Some(place) = Place::new() else { return };
    let state = place.state();
    let port = state["port"].as_u64().expect("a port");
    let token = state["password"].as_str().expect("a token").to_owned();
    let wrong =
        "run tprocc noop --hosts 1 -d 1s --nats 127.0.0.1:PORT".replace("PORT", &port.to_string());
    place
        .folder
        .tacho(&wrong)
        .env("TACHO_NATS_TOKEN", "no")
        .done()
        .complains(&["rejected the token"]);
    std::thread::spawn(move || pretend(port, &token));
    let line = "run tprocc noop --hosts 1 -d 1s --nats nats --hosts-within 5s";
    let told = place.folder.tacho(line).done().err;
    assert!(
        told.contains("agent old runs Tacho 0.0.9, but this is") && told.contains("hint: "),
        "{told}"
    );
}

/// A sweep can vary the number of hosts, so that each of its points runs on a different number.
#[test]
fn a_sweep_varies_the_hosts() {
    let Some(place) = Place::new() else { return };
    let agents = place.agents(["a", "b", "c"]);
    let line = "sweep tprocc noop -c 6 -d 1s --ramp-up 0s --vary hosts=1,3 --pacing x0.001";
    place.folder.tacho(&format!("{line} --nats nats")).done();
    let hosts = |run: &str| {
        let record = place.folder.record(run);
        balances(&record);
        record["result"]["load_hosts"].as_array().map_or(0, Vec::len)
    };
    assert_eq!((hosts("latest~1"), hosts("latest")), (1, 3));
    let line = "sweep tprocc noop -c 6 -d 1s --vary sessions=1,2 --nats nats";
    place.folder.tacho(line).exits(2).complains(&["--nats requires --hosts"]);
    end(agents);
}

/// A run does not start if an agent's data differs from the coordinator's. Passwords are not stored in any file.
#[test]
fn an_agent_on_another_database_is_refused() {
    let Some(place) = Place::new() else { return };
    let folder = &place.folder;
    folder.tacho("up postgres").exits(0);
    folder.tacho("prepare tpcb pg").exits(0);
    folder.tacho("up postgres --name other").exits(0);
    folder.tacho("prepare tpcb other --seed 9").exits(0);
    let agents = [place.agent("a", ""), place.agent("b", "-t other")];
    let verified = "run tpcb pg -c 2 -d 1s --ramp-up 0s --verify commits --check none";
    folder.tacho(verified).done();
    folder
        .tacho(&format!("{verified} --hosts 2 --nats nats"))
        .done()
        .complains(&["b: ", "does not contain the same data"]);
    assert_eq!(folder.runs().len(), 1);
    // Before the second run was rejected, it had already created its commit marks. The marks of the first run must have
    // been restored.
    folder.tacho("check tpcb pg --commits latest").exits(0).says(&["✓ all of "]);
    end(agents);
    let token = place.state()["password"].as_str().expect("a token").to_owned();
    let listed = folder.shell(&format!("grep -rl {token} tacho-data --exclude-dir=servers")).done();
    assert_eq!(listed.out, "", "the token is in no file but the server's own");
    folder.tacho("down").done();
}
