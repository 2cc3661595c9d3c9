//! `/metrics`: the measurement that runs, in Prometheus' text format.
//!
//! Units are seconds and counts, names end in their unit. Counters and histograms are those of the phase so
//! far, and begin again with each phase. Start reading at [`metrics`].

use std::fmt::Write;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use tacho_app::{BUCKETS_US, Buckets, Standing};
use tacho_store::IntervalRecord;
use tacho_store::record::TransactionRecord;

use crate::site::Shared;

/// All of it.
pub(crate) async fn metrics(State(site): State<Shared>) -> impl IntoResponse {
    let (standing, interval, busy) = site.hub.standing();
    let standing: Option<Standing> = serde_json::from_value(standing).ok();
    let (requests, refused) = site.guard.counts();
    let mut page = Page::default();
    page.one("tacho_up", "gauge", "Whether a measurement is running.", f64::from(u8::from(busy)));
    page.one("tacho_web_requests_total", "counter", "Requests to this server.", requests as f64);
    page.one(
        "tacho_web_refused_total",
        "counter",
        "Those of them that were refused.",
        refused as f64,
    );
    if let Some(interval) = interval.filter(|_| busy) {
        page.interval(&interval);
    }
    if let Some(standing) = standing.filter(|_| busy) {
        page.standing(&standing);
    }
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], page.0)
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> =
            labels.iter().map(|(key, text)| format!("{key}=\"{}\"", escaped(text))).collect();
        let labels =
            if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn one(&mut self, name: &str, kind: &str, help: &str, value: f64) {
        self.head(name, kind, help);
        self.line(name, &[], value);
    }

    /// The interval that ended last.
    fn interval(&mut self, own: &IntervalRecord) {
        let gauges = [
            (
                "tacho_sessions",
                "Sessions that were running at the end of the last interval.",
                Some(f64::from(own.sessions)),
            ),
            (
                "tacho_sessions_planned",
                "Sessions that are planned.",
                Some(f64::from(own.sessions_planned)),
            ),
            (
                "tacho_throughput_per_second",
                "Transactions a second in the last interval.",
                Some(own.throughput_per_s),
            ),
            (
                "tacho_headline_per_minute",
                "The workload's own figure in the last interval, such as NOPM, as the client counts.",
                own.headline_per_minute,
            ),
            (
                "tacho_backlog",
                "Arrivals that waited for a free session at the end of the last interval.",
                own.backlog.map(|count| count as f64),
            ),
        ];
        for (name, help, value) in gauges {
            if let Some(value) = value {
                self.one(name, "gauge", help, value);
            }
        }
    }

    /// The phase so far: its counters begin again with each phase.
    fn standing(&mut self, own: &Standing) {
        let name = "tacho_phase_seconds";
        self.head(name, "gauge", "Length of the phase so far.");
        self.line(name, &[("phase", &own.phase)], own.elapsed_s);
        // The last one is all of them together: a sum of the others.
        let kinds = own.transactions.split_last().map_or(&[][..], |(_, kinds)| kinds);
        let kinds: Vec<&TransactionRecord> = kinds.iter().chain(&own.queries).collect();
        let name = "tacho_transactions_total";
        self.head(name, "counter", "Transactions that ended in the phase, by outcome.");
        for kind in &kinds {
            for (outcome, count) in outcomes(kind) {
                let labels = [("transaction", kind.name.as_str()), ("outcome", outcome)];
                self.line(name, &labels, count as f64);
            }
        }
        self.latencies(&own.buckets);
        let name = "tacho_errors_total";
        self.head(name, "counter", "Failures of the run, by transaction and class.");
        for error in &own.errors {
            let labels = [
                ("transaction", error.transaction.as_str()),
                ("kind", &error.kind),
                ("code", &error.code),
            ];
            self.line(name, &labels, error.count as f64);
        }
    }
}

impl Page {
    fn latencies(&mut self, kinds: &[Buckets]) {
        let name = "tacho_transaction_latency_seconds";
        self.head(name, "histogram", "Latency from the moment at which a transaction was due.");
        for kind in kinds {
            let all = ("transaction", kind.name.as_str());
            for (us, count) in BUCKETS_US.iter().zip(&kind.counts) {
                let bound = (*us as f64 / 1e6).to_string();
                self.line(&format!("{name}_bucket"), &[all, ("le", &bound)], *count as f64);
            }
            self.line(&format!("{name}_bucket"), &[all, ("le", "+Inf")], kind.count as f64);
            self.line(&format!("{name}_sum"), &[all], kind.sum_s);
            self.line(&format!("{name}_count"), &[all], kind.count as f64);
        }
    }
}

fn outcomes(kind: &TransactionRecord) -> [(&'static str, u64); 3] {
    let committed = kind.count.saturating_sub(kind.rolled_back);
    [("committed", committed), ("rolled_back", kind.rolled_back), ("failed", kind.failed)]
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
