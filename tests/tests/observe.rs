//! An agent observes a host, which is the local machine in this test. The record and the report contain its
//! measurements.

use serde_json::Value;
use tacho_tests::{Folder, Signal};

use crate::prepared::ONE;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

/// Returns the URL printed by an agent.
fn address(line: &str) -> Option<String> {
    let said: Value = serde_json::from_str(line).ok()?;
    said["url"].as_str().map(str::to_owned)
}

#[test]
fn an_agent_adds_its_machine_to_the_record_and_the_report() {
    let folder = ONE.folder();
    let mut agent = folder
        .tacho("agent --observe --listen 127.0.0.1:0 -o json")
        .env("TACHO_AGENT_TOKEN", TOKEN)
        .start();
    let found = std::cell::RefCell::new(None);
    agent.until_said(|line| {
        found.replace(address(line));
        found.borrow().is_some()
    });
    let url = found.into_inner().expect("a URL");
    let run = format!("run tprocc sqlite:a.db?synchronous=off -d 4s --ramp-up 1s --observe {url}");
    folder.tacho(&run).env("TACHO_AGENT_TOKEN", TOKEN).exits(0);
    let record = folder.record("latest");
    let hosts = record["result"]["hosts"].as_array().expect("hosts");
    assert_eq!(hosts.len(), 2, "{hosts:?}");
    assert_eq!(
        (hosts[0]["source"].as_str(), hosts[1]["source"].as_str()),
        (Some("client"), Some(url.as_str()))
    );
    for host in hosts {
        let load = &host["load"];
        let cores = load["cores"].as_array().expect("cores").len() as u64;
        assert!(cores >= record["host"]["cores"].as_u64().expect("cores"), "{load}");
        let sum: f64 =
            load["cpu"].as_object().expect("shares").values().filter_map(Value::as_f64).sum();
        assert!((sum - 1.0).abs() < 1e-6, "{load}");
        assert!(host["readings"].as_u64() >= Some(2) && host["failures"] == 0, "{host}");
    }
    assert!(hosts[1]["clock_error_s"].as_f64().is_some_and(|error| error < 1.0), "{}", hosts[1]);
    assert!(!folder.mentions(TOKEN), "the token is in no file");
    folder.tacho("report latest -o page.html").exits(0);
    let page = String::from_utf8_lossy(&folder.read("page.html")).into_owned();
    for chart in ["host-0-cpu", "host-1-cpu", "host-1-disk", "Observed machines"] {
        assert!(page.contains(chart), "{chart}");
    }
    let hidden = folder.tacho("report latest --redact --format json").exits(0);
    assert!(!hidden.out.contains(&url) && hidden.out.contains("\"host 2\""), "{}", hidden.out);
    // If the token is missing or wrong, the run is rejected before it starts.
    for token in ["", "ffffffffffffffffffffffffffffffff"] {
        let refused = folder.tacho(&run).env("TACHO_AGENT_TOKEN", token).done();
        assert_ne!(refused.code(), 0);
        refused.complains(&["error: ", "hint: "]);
    }
    agent.signal(Signal::INT);
    agent.wait().expect_code(130);
    let gone = folder.tacho(&run).env("TACHO_AGENT_TOKEN", TOKEN).done();
    gone.complains(&["no response from", "start tacho agent --observe on that machine"]);
}

#[test]
fn an_agent_that_other_machines_reach_needs_tls() {
    let folder = Folder::new();
    let refused = folder.tacho("agent --observe --listen 0.0.0.0:0").exits(2);
    refused.complains(&["can be reached from other machines", "--tls-cert"]);
}
