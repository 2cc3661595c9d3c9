//! Tests the web view with TLS, with a server that restarts, and with Prometheus and OpenTelemetry.

#![expect(clippy::disallowed_methods, reason = "a test waits in real time, and starts Prometheus")]
#![expect(clippy::print_stdout, reason = "what is not tested is said")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use serde_json::{Value, json};
use tacho_tests::{Browser, Done, Folder, Signal};

use crate::web::{end, served, started};

/// Time limit that is far longer than any of these tests needs, even on a busy machine.
const LIMIT: Duration = Duration::from_mins(1);

/// Creates a certificate authority, and a certificate for this machine signed by it.
fn papers(folder: &Folder) -> Result<(), rcgen::Error> {
    let mut params = CertificateParams::new(Vec::<String>::new())?;
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate()?;
    folder.write("ca.pem", &params.self_signed(&key)?.pem());
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate()?;
    let mut certificate = CertificateParams::new(vec!["127.0.0.1".to_owned()])?;
    certificate.distinguished_name.push(DnType::CommonName, "127.0.0.1");
    folder.write("own.pem", &certificate.signed_by(&key, &issuer)?.pem());
    folder.write("own.key", &key.serialize_pem());
    Ok(())
}

#[test]
fn a_server_with_a_certificate_speaks_tls_and_nothing_else() {
    let folder = Folder::new();
    papers(&folder).expect("certificates");
    let (server, url, token, _) = served(&folder, "--tls-cert own.pem --tls-key own.key");
    assert!(url.starts_with("https://127.0.0.1:"), "{url}");
    let ask = |options: &str, url: &str| {
        let head = format!("Authorization: Bearer {token}");
        folder
            .shell(&format!("curl -sS --max-time 20 {options} -H '{head}' {url}/api/v1/runs"))
            .done()
    };
    let answer = ask("--cacert ca.pem", &url);
    assert_eq!((answer.code(), answer.out.trim()), (0, "[]"), "{}", answer.err);
    // A certificate from an unknown authority is rejected, and without TLS there is no response.
    assert_eq!(ask("", &url).code(), 60);
    let plain = ask("", &url.replace("https:", "http:"));
    assert!(plain.code() != 0 && plain.out.is_empty(), "{} {}", plain.out, plain.err);
    let watch =
        |flags: &str| folder.tacho(&format!("watch {url} {flags}")).env("TACHO_WEB_TOKEN", &token);
    watch("--ca ca.pem").exits(3).is_error().complains(&["no measurement is running"]);
    watch("").exits(2).is_error().complains(&["--ca FILE"]);
    // Send metrics to the web view over TLS. It does not accept metrics, but even its error response proves that the
    // connection works.
    let run = "run tpcb sim: -d 2s --ramp-up 0s --check none --progress none -o quiet --otlp";
    let send = |authority: &str| {
        let call = folder.tacho(&format!("{run} {url}"));
        call.env("OTEL_EXPORTER_OTLP_CERTIFICATE", authority).exits(0)
    };
    send("ca.pem").complains(&["did not accept the metrics: it responded with 4"]);
    let stranger = send("/etc/ssl/certs/ca-certificates.crt");
    stranger.complains(&["did not accept the metrics"]);
    assert!(!stranger.err.contains("it responded"), "{}", stranger.err);
    end(server);
}

/// Returns a port that nothing is listening on.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

#[test]
fn a_page_says_that_its_server_is_gone_and_catches_up_when_it_is_back() {
    let folder = Folder::new();
    let (port, token) = (free_port(), "a-token-of-some-length");
    let serve = || {
        let call = folder.tacho(&format!("serve --listen 127.0.0.1:{port} -o json"));
        started(call.env("TACHO_WEB_TOKEN", token)).0
    };
    let url = format!("http://127.0.0.1:{port}");
    let server = serve();
    let mut browser = Browser::at(&format!("{url}/?token={token}"), 1280, "light");
    browser.go(&format!("{url}/live"));
    let state = |words: &str| format!("byId('state').textContent.includes('{words}')");
    browser.wait(&state("nothing is running"));
    server.signal(Signal::KILL);
    server.wait();
    browser.wait(&state("connection lost"));
    let server = serve();
    // The restarted server is already running a benchmark when the page reconnects.
    let settings = json!({ "settings": {
        "workload": "tpcb", "target": "noop:", "duration": "2s", "ramp_up": "0s", "check": "none",
    } });
    let head = format!("Authorization: Bearer {token}");
    let json = "Content-Type: application/json";
    let request = format!("curl -sS -f -H '{head}' -H '{json}' -d '{settings}' {url}/api/v1/runs");
    folder.shell(&request).exits(0);
    browser.wait(&state("ended"));
    browser.wait("document.querySelector('#phase a')?.textContent.includes('Report of run')");
    browser.wait("document.querySelector('#kinds tbody tr')");
    end(server);
}

/// A process that is stopped at the end of the test.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_real_prometheus_scrapes_a_run_and_answers_the_dashboard() {
    let folder = Folder::new();
    let run = "run tpcb noop: -r 200 -c 2 -d 9s --ramp-up 0s --progress none -o quiet --check none --web=127.0.0.1:0";
    if folder.shell("command -v prometheus").done().code() != 0 {
        println!(
            "NOT TESTED: a real Prometheus, which is not here; hint: apt-get install prometheus"
        );
        return;
    }
    let mut run = folder.tacho(run).start();
    run.until(|line| line.starts_with("Watch "));
    let notice: Value = serde_json::from_slice(&folder.read("tacho-data/web.json")).expect("JSON");
    let text = |key: &str| notice[key].as_str().expect("a text").to_owned();
    let (place, token) = (text("url").replace("http://", ""), text("token"));
    folder.write(
        "prometheus.yml",
        &format!(
            "global: {{ scrape_interval: 1s }}\nscrape_configs:\n- job_name: tacho\n  authorization: {{ credentials: {token} }}\n  static_configs: [ {{ targets: ['{place}'] }} ]\n"
        ),
    );
    let port = free_port();
    let prometheus = Command::new("prometheus")
        .arg(format!("--config.file={}", folder.file("prometheus.yml").display()))
        .arg(format!("--storage.tsdb.path={}", folder.file("tsdb").display()))
        .arg(format!("--web.listen-address=127.0.0.1:{port}"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(Ends)
        .expect("prometheus starts");
    let dashboard: Value =
        serde_json::from_str(include_str!("../../contrib/grafana-dashboard.json")).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels").iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().expect("targets"));
    let all: Vec<&str> = targets.filter_map(|target| target["expr"].as_str()).collect();
    let wanted = |start: &str| {
        all.iter()
            .find(|expression| expression.starts_with(start))
            .copied()
            .unwrap_or_else(|| panic!("{start}"))
    };
    let deadline = Instant::now() + LIMIT;
    let ask = |expression: &str| loop {
        let asked = format!(
            "curl -s --data-urlencode 'query={expression}' http://127.0.0.1:{port}/api/v1/query"
        );
        let answer = folder.shell(&asked).done().out;
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        if let Some(value) = answer["data"]["result"][0]["value"][1].as_str() {
            break value.parse::<f64>().expect("a number");
        }
        assert!(Instant::now() < deadline, "{expression}: {answer}");
        std::thread::sleep(Duration::from_millis(100));
    };
    // A run with 200 open arrivals per second on a database that does nothing.
    let throughput = ask(wanted("tacho_throughput_per_second"));
    assert!((100.0..400.0).contains(&throughput), "{throughput}");
    let p95 = ask(wanted("histogram_quantile(0.95, sum by (le) "));
    assert!(p95 > 0.0 && p95 < 10.0, "{p95}");
    assert!(ask(wanted("tacho_sessions")) > 0.0);
    drop(prometheus);
    is_over(&run.wait());
}

/// Checks that a run ended by itself. It may be INVALID in real time on a busy machine.
fn is_over(done: &Done) {
    assert!([0, 4].contains(&done.code()), "{}\n{}", done.out, done.err);
}

/// Starts a collector that accepts or rejects everything. Returns its port and the requests it received.
fn collector(status: &'static str) -> (u16, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (say, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream);
            let (mut head, mut line) = (String::new(), String::new());
            while reader.read_line(&mut line).is_ok_and(|count| count > 2) {
                head += &line.to_lowercase();
                line.clear();
            }
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length = length.and_then(|text| text.trim().parse().ok()).expect("a length");
            let mut body = vec![0; length];
            reader.read_exact(&mut body).expect("a body");
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 2\r\n\r\n{{}}");
            let _ = reader.get_mut().write_all(answer.as_bytes());
            // The test may have ended.
            let _ = say.send((head, serde_json::from_slice(&body).expect("JSON")));
        }
    });
    (port, requests)
}

/// Returns the metrics in a request, keyed by name.
fn metrics(request: &Value) -> BTreeMap<String, Value> {
    let all = request["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array();
    let named =
        |metric: &Value| (metric["name"].as_str().expect("a name").to_owned(), metric.clone());
    all.expect("metrics").iter().map(named).collect()
}

fn attribute<'a>(list: &'a Value, key: &str) -> &'a str {
    let mut all = list.as_array().expect("attributes").iter();
    let entry = all.find(|entry| entry["key"] == key).unwrap_or_else(|| panic!("no {key}: {list}"));
    entry["value"]["stringValue"].as_str().expect("a text")
}

#[test]
fn a_collector_hears_of_a_run_what_the_record_says() {
    let folder = Folder::new();
    let (port, requests) = collector("200 OK");
    let flags = "-c 4 -d 20s --ramp-up 0s --progress none";
    folder
        .tacho(&format!("run tprocc 'sim:?latency=2ms' {flags} --otlp http://127.0.0.1:{port}"))
        .env("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=bench")
        .exits(0);
    let (head, last) = requests.try_iter().last().expect("a request");
    assert!(head.starts_with("post /v1/metrics http/1.1"), "{head}");
    assert!(head.contains("content-type: application/json") && head.contains("x-tenant: bench"));
    let record = folder.record("latest");
    let resource = &last["resourceMetrics"][0]["resource"]["attributes"];
    assert_eq!(attribute(resource, "service.name"), "tacho");
    assert_eq!(attribute(resource, "service.instance.id"), record["id"].as_str().expect("an id"));
    let metrics = metrics(&last);
    let sum = &metrics["tacho_transactions_total"]["sum"];
    assert_eq!((&sum["isMonotonic"], &sum["aggregationTemporality"]), (&json!(true), &json!(2)));
    let histogram = &metrics["tacho_transaction_latency_seconds"];
    assert_eq!(
        (&histogram["unit"], &histogram["histogram"]["aggregationTemporality"]),
        (&json!("s"), &json!(2))
    );
    let number =
        |value: &Value| value.as_str().and_then(|text| text.parse::<u64>().ok()).expect("a number");
    let kinds = record["result"]["transactions"].as_array().expect("kinds");
    for kind in kinds.iter().filter(|kind| kind["name"] != "all") {
        let name = kind["name"].as_str().expect("a name");
        let points = sum["dataPoints"].as_array().expect("points").iter();
        let of_kind = points.filter(|point| attribute(&point["attributes"], "transaction") == name);
        let good = of_kind.filter(|point| attribute(&point["attributes"], "outcome") != "failed");
        let ended: f64 = good.map(|point| point["asDouble"].as_f64().expect("a number")).sum();
        assert_eq!(ended as u64, kind["count"].as_u64().expect("a count"), "{name}");
        let mut points = histogram["histogram"]["dataPoints"].as_array().expect("points").iter();
        let point = points.find(|point| attribute(&point["attributes"], "transaction") == name);
        let point = point.expect("a histogram");
        let counts = point["bucketCounts"].as_array().expect("counts");
        assert_eq!(counts.len(), point["explicitBounds"].as_array().expect("bounds").len() + 1);
        assert_eq!(counts.iter().map(number).sum::<u64>(), number(&point["count"]), "{name}");
        assert!(number(&point["startTimeUnixNano"]) < number(&point["timeUnixNano"]));
    }
    // The names are the same as in the Prometheus output.
    let page = include_str!("../../crates/web/src/figures.rs");
    assert!(metrics.keys().all(|name| name == "tacho_up" || page.contains(&format!("\"{name}\""))));
}

#[test]
fn a_collector_that_fails_disturbs_no_run_and_is_told_once() {
    let folder = Folder::new();
    let (port, heard) = collector("503 Service Unavailable");
    let run = "run tpcb noop: -d 6s --ramp-up 0s --check none --progress none -o quiet --otlp";
    let done = folder.tacho(&format!("{run} http://127.0.0.1:{port}")).done();
    is_over(&done);
    assert_eq!(
        done.err.matches("did not accept the metrics: it responded with 503").count(),
        1,
        "{}",
        done.err
    );
    let tries = heard.try_iter().count();
    assert!(tries >= 2, "{tries}");
    done.complains(&[&format!("{tries} of {tries} metric exports failed")]);
    let run = "run tpcb sim: -d 2s --ramp-up 0s --check none --progress none -o quiet --otlp";
    let gone = folder.tacho(&format!("{run} http://127.0.0.1:{}", free_port())).exits(0);
    gone.complains(&["did not accept the metrics", "1 of 1 metric exports failed"]);
    folder
        .tacho(&format!("{run} nowhere"))
        .exits(2)
        .is_error()
        .complains(&["http://127.0.0.1:4318"]);
    assert_eq!(folder.runs().len(), 2);
}

#[test]
fn a_run_without_a_web_view_is_watched_by_its_folder() {
    let folder = Folder::new();
    let run =
        "run tpcb noop: -d 4s --ramp-up 0s --interval 200ms --check none --progress json -o quiet";
    let mut run = folder.tacho(run).start();
    run.until_event(|event| event["event"] == "interval");
    let mut watch = folder.tacho("watch latest --progress json").start();
    watch.until_event(|event| event["event"] == "interval");
    let second = folder.tacho("watch --progress json").start();
    let told = watch.wait();
    is_over(&told);
    let events: Vec<Value> =
        told.err.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let heard = events.iter().filter(|event| event["event"] == "interval").count();
    let id = folder.record("latest")["id"].as_str().expect("an id").to_owned();
    assert!(events.iter().any(|event| event["event"] == "begins" && event["run"] == id.as_str()));
    // The watcher receives every interval, including intervals from before it connected.
    let saved = folder.tacho("report latest --format csv --table intervals").exits(0).out;
    assert_eq!(heard, saved.lines().filter(|line| line.contains(",all,")).count(), "{saved}");
    // Each watcher exits with the run's exit code.
    assert_eq!(second.wait().code(), told.code());
    assert_eq!(run.wait().code(), told.code());
    folder.tacho("watch latest").exits(3).is_error().complains(&["is complete", "tacho show"]);
    folder.tacho("watch").exits(3).complains(&["no measurement is running"]);
}
