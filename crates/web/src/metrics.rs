//! `/metrics`, which returns the running measurement in Prometheus' text format.
//!
//! Start reading at [`metrics`]. The metrics themselves are defined in `figures.rs`.

use std::fmt::Write;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use tacho_store::event::{BUCKETS_US, Buckets};

use crate::figures::{Figure, Kind, Value, figures, one};
use crate::site::Shared;

/// Returns all metrics.
pub(crate) async fn metrics(State(site): State<Shared>) -> impl IntoResponse {
    let now = site.hub.snapshot();
    let (requests, refused) = site.guard.counts();
    let about = "1 if a measurement is running, otherwise 0.";
    let mut all = vec![
        one("tacho_up", Kind::Gauge, about, f64::from(u8::from(now.is_busy))),
        one("tacho_web_requests_total", Kind::Counter, "Requests to this server.", requests as f64),
        one(
            "tacho_web_refused_total",
            Kind::Counter,
            "Rejected requests to this server.",
            refused as f64,
        ),
    ];
    if now.is_busy {
        all.extend(figures(now.interval.as_ref(), now.standing.as_ref()));
    }
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], page(&all))
}

fn page(all: &[Figure]) -> String {
    let mut page = Page::default();
    for figure in all {
        page.figure(figure);
    }
    page.0
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn figure(&mut self, figure: &Figure) {
        let kind = match figure.kind {
            Kind::Gauge => "gauge",
            Kind::Counter => "counter",
            Kind::Histogram => "histogram",
        };
        let (name, help) = (figure.name, figure.help);
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for series in &figure.series {
            let labels: Vec<(&str, &str)> =
                series.labels.iter().map(|(key, text)| (*key, text.as_str())).collect();
            match &series.value {
                Value::One(value) => self.line(name, &labels, *value),
                Value::Many(buckets) => self.buckets(name, &labels, buckets),
            }
        }
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: f64) {
        let labels: Vec<String> =
            labels.iter().map(|(key, text)| format!("{key}=\"{}\"", escaped(text))).collect();
        let labels =
            if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn buckets(&mut self, name: &str, labels: &[(&str, &str)], buckets: &Buckets) {
        let mut bucket = |bound: &str, count: u64| {
            let labels = [labels, &[("le", bound)]].concat();
            self.line(&format!("{name}_bucket"), &labels, count as f64);
        };
        for (us, count) in BUCKETS_US.iter().zip(&buckets.counts) {
            bucket(&(*us as f64 / 1e6).to_string(), *count);
        }
        bucket("+Inf", buckets.count);
        self.line(&format!("{name}_sum"), labels, buckets.sum_s);
        self.line(&format!("{name}_count"), labels, buckets.count as f64);
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
