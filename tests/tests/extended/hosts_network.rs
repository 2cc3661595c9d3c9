//! A coordinator and three agents in separate network namespaces, whose links are slow, lossy or cut. The NATS server
//! uses TLS.

#![expect(clippy::disallowed_methods, reason = "a test waits in real time")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tacho_tests::{Call, Done, Folder, Running, Signal};

use crate::hosts::{balances, end, has_notice, sum};

/// The names of the hosts, each with the last part of its IP address. Host `k` is the coordinator and also runs the
/// NATS server. The other hosts run agents.
const HOSTS: [(&str, u8); 4] = [("k", 1), ("a", 2), ("b", 3), ("c", 4)];

/// Script that creates a CA, and a certificate for the address of the coordinator.
const CERTIFICATES: &str = "set -e
openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca
openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.pem -days 2 -subj /CN=other
openssl req -newkey rsa:2048 -nodes -keyout nats.key -out nats.csr -subj /CN=nats
echo subjectAltName=IP:10.99.0.1 > extension
openssl x509 -req -in nats.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out nats.pem -days 2 -extfile extension";

/// Configuration file of the NATS server.
const NATS: &str = "listen: 10.99.0.1:4222
authorization { token: secret }
tls { cert_file: nats.pem, key_file: nats.key }
";

/// The network namespaces. They are removed when this value is dropped.
struct Network {
    folder: Folder,
    /// Prefix of device and namespace names.
    prefix: String,
    switch: Option<Running>,
    nats: Option<Running>,
}

impl Network {
    /// Creates the network. If this machine does not support the necessary namespaces or devices, prints a message and
    /// returns `None`.
    #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
    fn new() -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let folder = Folder::new();
        let prefix = format!("t{}n{number}", std::process::id());
        let tried = folder.shell(&format!(
            "which nats-server openssl python3 && ip netns add {prefix} && ip netns delete {prefix} && \
             ip tuntap add dev {prefix} mode tap && ip tuntap delete dev {prefix} mode tap"
        ));
        let tried = tried.done();
        if tried.code() != 0 {
            eprintln!("NOT TESTED: hosts in network namespaces: {}", tried.err);
            return None;
        }
        folder.write("switch.py", include_str!("../hosts/switch.py"));
        folder.write("nats.conf", NATS);
        folder.shell(CERTIFICATES).exits(0);
        folder.shell("mkfifo orders").exits(0);
        let devices: Vec<String> =
            HOSTS.iter().map(|(host, _)| format!("{prefix}{host}")).collect();
        let switch = format!("exec python3 switch.py {} 0<>orders", devices.join(" "));
        let mut switch = folder.shell(&switch).start();
        switch.until_said(|line| line.starts_with("ready"));
        let mut network = Self { folder, prefix, switch: Some(switch), nats: None };
        for (host, address) in HOSTS {
            let name = format!("{}{host}", network.prefix);
            let script = format!(
                "set -e; ip netns add {name}; ip link set {name} netns {name}
                 ip -n {name} link set lo up; ip -n {name} link set {name} up
                 ip -n {name} address add 10.99.0.{address}/24 dev {name}"
            );
            network.folder.shell(&script).exits(0);
        }
        let mut nats = network.on("k", "nats-server -c nats.conf").start();
        nats.until(|line| line.contains("Server is ready"));
        network.nats = Some(nats);
        Some(network)
    }

    /// Creates a call to any command on a host.
    fn on(&self, host: &str, command: &str) -> Call {
        let name = format!("{}{host}", self.prefix);
        self.folder.shell(&format!("exec ip netns exec {name} {command}"))
    }

    /// Creates a call to `tacho` on a host. It uses the same NATS server as all other hosts.
    fn tacho(&self, host: &str, line: &str) -> Call {
        let nats = "--nats tls://10.99.0.1:4222 --nats-ca ca.pem";
        self.on(host, &format!("$TACHO {line} {nats}")).env("TACHO_NATS_TOKEN", "secret")
    }

    fn agents(&self) -> [Running; 3] {
        ["a", "b", "c"].map(|name| {
            let mut agent =
                self.tacho(name, &format!("agent --name {name} --dir data-{name}")).start();
            agent.until_said(|line| line.starts_with("End"));
            agent
        })
    }

    /// Sends an order to a host's network link. For example, the order `cut` interrupts the connection.
    fn link(&mut self, host: &str, order: &str) {
        let order = format!("echo {}{host} {order} > orders", self.prefix);
        self.folder.shell(&order).exits(0);
        self.switch.as_mut().expect("the switch").until_said(|line| line.starts_with("done"));
    }

    /// Starts a run on `noop` and waits for its measured phase.
    fn measuring(&self, more: &str) -> Running {
        let load = "run tprocc noop --hosts 3 -c 6 --pacing x0.001 --ramp-up 1s --progress plain";
        let mut run = self.tacho("k", &format!("{load} {more}")).start();
        run.until(|line| line.contains("measure  "));
        run
    }

    /// Checks that a run has lost nothing, and that the numbers of the hosts add up to those of the run.
    fn whole(&self, done: &Done) {
        let record = self.folder.record("latest");
        balances(&record);
        assert!(!has_notice(&record, "V26"), "{}", done.err);
        assert_eq!(sum(&record, "sessions"), 6);
        assert_eq!(Some(sum(&record, "due")), record["result"]["accounting"]["due"].as_u64());
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for process in [self.nats.take(), self.switch.take()].into_iter().flatten() {
            process.signal(Signal::TERM);
            process.wait();
        }
        for (host, _) in HOSTS {
            self.folder.shell(&format!("ip netns delete {}{host}", self.prefix)).done();
        }
    }
}

/// Returns everything that the sessions have sent, in the order of the sessions.
fn inputs(text: &str) -> Vec<String> {
    let mut all: Vec<(u32, String)> = Vec::new();
    for rest in text.split("-- session ").skip(1) {
        let (number, body) = rest.trim().split_once('\n').expect("statements");
        all.push((number.trim().parse().expect("a number"), body.trim().to_owned()));
    }
    // The sort keeps the order within each session, because it is stable.
    all.sort_by_key(|(session, _)| *session);
    all.into_iter().map(|(session, body)| format!("{session}: {body}")).collect()
}

/// Three hosts together must send the same inputs as a single host with the same seed. An agent without the right CA,
/// the right token or TLS must be rejected.
#[test]
fn hosts_with_addresses_of_their_own_send_all_that_one_would() {
    let Some(network) = Network::new() else { return };
    let load = "run tproch print -c 4 --ramp-up 0s --seed 11 -o quiet";
    let alone = inputs(&network.folder.tacho(load).done().out);
    let agents = network.agents();
    network.tacho("k", &format!("{load} --hosts 3")).done();
    let record = network.folder.record("latest");
    balances(&record);
    assert_eq!(Some(sum(&record, "due")), record["result"]["accounting"]["due"].as_u64());
    let mut all = String::new();
    for agent in agents {
        agent.signal(Signal::INT);
        let said = agent.wait().out;
        all.push_str(said.split_once("Ctrl-C\n").expect("what an agent says first").1);
        all.push_str("\n\n");
    }
    let many = inputs(&all);
    // Each of the four streams runs 22 queries, so there must be at least this many inputs.
    assert!(alone.len() >= 4 * 22, "{}", alone.len());
    assert_eq!(alone, many);
    for (options, words) in [
        ("--nats tls://10.99.0.1:4222 --nats-ca other.pem", "could not connect to the NATS server"),
        ("--nats tls://10.99.0.1:4222", "connect to the NATS server"),
        ("--nats nats://10.99.0.1:4222", "over the network in clear text"),
    ] {
        let agent = network.on("a", &format!("$TACHO agent --name x {options}"));
        agent
            .env("TACHO_NATS_TOKEN", "secret")
            .done()
            .complains(&[words.trim_start_matches("could not "), "hint: "]);
    }
    let agent =
        network.on("a", "$TACHO agent --name x --nats tls://10.99.0.1:4222 --nats-ca ca.pem");
    agent.env("TACHO_NATS_TOKEN", "wrong").done().complains(&["rejected the token"]);
}

/// A link is cut for ten seconds. With a longer lease, nothing may be lost. With a shorter lease, the host is lost.
#[test]
fn a_link_that_is_cut_for_ten_seconds() {
    let Some(mut network) = Network::new() else { return };
    let agents = network.agents();
    let mut run = network.measuring("-d 15s --lease 30s");
    network.link("b", "cut");
    run.until(|line| line.starts_with("host b has not responded since"));
    std::thread::sleep(Duration::from_secs(10));
    network.link("b", "mend");
    run.until(|line| line.starts_with("host b is back"));
    let done = run.wait();
    network.whole(&done);
    let mut run = network.measuring("-d 13s --lease 5s");
    network.link("b", "cut");
    run.until(|line| line.starts_with("host b is lost: no messages for 5s"));
    std::thread::sleep(Duration::from_secs(5));
    network.link("b", "mend");
    run.wait();
    let record = network.folder.record("latest");
    balances(&record);
    assert!(has_notice(&record, "V26"), "{record}");
    assert_eq!(record["result"]["load_hosts"][1]["name"], "b");
    assert!(record["result"]["load_hosts"][1]["lost"].is_string(), "{record}");
    // The lost host must notice this and keep its measurements. It must be able to take part in another run.
    let kept = network.folder.shell("ls data-b/shares").done().out;
    assert!(kept.contains(".jsonl"), "{kept}");
    let done = network.tacho("k", "run tprocc noop --hosts 3 -c 6 -d 1s --ramp-up 0s").done();
    network.whole(&done);
    end(agents);
}

/// The network loses or delays frames. The run must not lose anything. If frames to a host are delayed, the run must
/// report a larger clock error for this host.
#[test]
fn a_network_that_is_lossy_or_slow() {
    let Some(mut network) = Network::new() else { return };
    let agents = network.agents();
    for host in ["k", "a", "b", "c"] {
        network.link(host, "loss 0.05");
    }
    let done = network.measuring("-d 8s --lease 30s").wait();
    network.whole(&done);
    for host in ["k", "a", "b", "c"] {
        network.link(host, "loss 0");
    }
    network.link("a", "delay 0.2");
    let done = network.measuring("-d 4s --lease 30s").wait();
    network.whole(&done);
    let record = network.folder.record("latest");
    let error = |host: usize| {
        record["result"]["load_hosts"][host]["clock_error_s"].as_f64().expect("an error")
    };
    // A round trip takes 0.4 s.
    assert!(error(0) >= 0.2 && error(0) > error(1), "{record}");
    end(agents);
    let switch = network.switch.take().expect("the switch");
    switch.signal(Signal::TERM);
    let said = switch.wait().out;
    let lost = said.lines().filter(|line| line.contains(" lost ") && !line.ends_with(" lost 0"));
    assert!(lost.count() > 0, "frames were lost: {said}");
}
