//! Sends the metrics of the running measurement to an OpenTelemetry collector, as JSON over OTLP/HTTP.
//!
//! The export must never disturb a measurement. The metrics are totals since the start of the phase, so the next export
//! makes up for a failed one.
//!
//! Start reading at [`Export::start`].

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use serde_json::{Value as Json, json};
use tacho_core::{Error, Result, masked};
use tacho_net::{Stream, TlsMode, Trust};
use tacho_store::event::{BUCKETS_US, Buckets};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::figures::{Figure, Kind, Value, figures, one};
use crate::hub::{Hub, Snapshot};

/// Interval between two exports.
const EVERY: Duration = Duration::from_secs(5);
/// Interval at which the exporter checks whether it should stop.
const LOOK: Duration = Duration::from_millis(100);
/// Maximum time for an export.
const PATIENCE: Duration = Duration::from_secs(3);
/// Maximum size of a response in bytes. A collector returns a count and perhaps an error message.
const RESPONSE_MAX: usize = 1 << 20;
/// The path for metrics, as specified by OTLP.
const PATH: &str = "/v1/metrics";
/// The code in OTLP for cumulative sums. They are counted from the start of the phase.
const CUMULATIVE: u8 = 2;

/// The collector that receives the metrics.
#[derive(Clone)]
pub struct Collector {
    uri: Uri,
    host: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    authorities: Option<PathBuf>,
}

impl Collector {
    /// Parses a URL, and headers in OpenTelemetry's format `key=value,key=value`. Appends the path for metrics to the
    /// URL.
    pub fn read(url: &str, headers: &str) -> Result<Self> {
        let odd = || {
            Error::usage(format!("invalid collector address \"{}\"", masked(url)))
                .hint("use an address such as http://127.0.0.1:4318")
        };
        let given: Uri = url.parse().map_err(|_| odd())?;
        if !matches!(given.scheme_str(), Some("http" | "https")) {
            return Err(odd());
        }
        let host = given.host().ok_or_else(odd)?.trim_matches(['[', ']']).to_owned();
        let path = given.path().trim_end_matches('/');
        let path = if path.ends_with(PATH) { path.to_owned() } else { format!("{path}{PATH}") };
        let uri = Uri::builder()
            .scheme(given.scheme_str().unwrap_or("http"))
            .authority(given.authority().ok_or_else(odd)?.as_str().rsplit('@').next().unwrap_or(""))
            .path_and_query(path)
            .build();
        let header = |pair: &str| {
            let (key, value) = pair.split_once('=')?;
            Some((key.trim().parse().ok()?, value.trim().parse().ok()?))
        };
        let pairs = headers.split(',').filter(|pair| !pair.trim().is_empty());
        let headers = pairs.map(|pair| {
            header(pair).ok_or_else(|| {
                // The error must not show the header, which may contain a secret.
                Error::usage("OTEL_EXPORTER_OTLP_HEADERS is invalid")
                    .hint("use the form key=value,key=value")
            })
        });
        let headers = headers.collect::<Result<_>>()?;
        Ok(Self { uri: uri.map_err(|_| odd())?, host, headers, authorities: None })
    }

    /// Returns the same collector with a file of trusted certificates. For `https`, one is needed.
    pub fn trusting(self, authorities: Option<PathBuf>) -> Self {
        Self { authorities, ..self }
    }

    fn port(&self) -> u16 {
        let usual = if self.is_tls() { 443 } else { 80 };
        self.uri.port_u16().unwrap_or(usual)
    }

    fn is_tls(&self) -> bool {
        self.uri.scheme_str() == Some("https")
    }

    /// Sends metrics. If the collector accepts only some of them, the request counts as failed.
    async fn send(&self, body: String) -> std::result::Result<(), String> {
        let stream = TcpStream::connect((self.host.as_str(), self.port()));
        let stream = stream.await.map_err(|error| error.to_string())?;
        if !self.is_tls() {
            return self.post(TokioIo::new(stream), body).await;
        }
        let trust = Trust {
            mode: TlsMode::VerifyFull,
            authorities: self.authorities.as_deref(),
            identity: None,
            words: ["https", "OTEL_EXPORTER_OTLP_CERTIFICATE", ""],
        };
        match tacho_net::encrypt(stream, &self.host, trust).await {
            Ok(Stream::Tls(stream)) => self.post(TokioIo::new(stream), body).await,
            Ok(_) => Err("it does not speak TLS".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    async fn post(
        &self,
        io: TokioIo<impl AsyncRead + AsyncWrite + Send + Unpin + 'static>,
        body: String,
    ) -> std::result::Result<(), String> {
        let broken = |error: hyper::Error| error.to_string();
        let (mut sender, connection) = http1::handshake(io).await.map_err(broken)?;
        let connection = tokio::spawn(connection);
        let mut request = Request::post(self.uri.path())
            .header(HOST, self.uri.authority().map_or("", |authority| authority.as_str()))
            .header(CONTENT_TYPE, "application/json");
        for (key, value) in &self.headers {
            request = request.header(key, value);
        }
        let request =
            request.body(Full::new(Bytes::from(body))).map_err(|error| error.to_string())?;
        let answer = sender.send_request(request).await.map_err(broken)?;
        let status = answer.status();
        let text = Limited::new(answer.into_body(), RESPONSE_MAX).collect().await;
        connection.abort();
        let text =
            text.map_err(|error| format!("could not read its response: {error}"))?.to_bytes();
        let response: Json = serde_json::from_slice(&text).unwrap_or_default();
        let refused = &response["partialSuccess"]["rejectedDataPoints"];
        match refused.as_str().and_then(|text| text.parse().ok()).or(refused.as_i64()) {
            _ if !status.is_success() => Err(format!("it responded with {status}")),
            Some(count @ 1..) => Err(format!("it rejected {count} data points")),
            _ => Ok(()),
        }
    }
}

/// Counts of all exports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Exports accepted by the collector.
    pub sent: u64,
    /// Exports that failed.
    pub failed: u64,
}

/// A running export.
pub struct Export {
    thread: Option<JoinHandle<Exported>>,
    end: Arc<AtomicBool>,
}

impl Export {
    /// Sends the metrics of `hub` every five seconds and once at the end. Only the first failure is passed to `tell`.
    pub fn start(
        collector: Collector,
        hub: Hub,
        tell: impl Fn(&str) + Send + 'static,
    ) -> Result<Self> {
        let end = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&end);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let work = move || runtime.block_on(export(&collector, &hub, &over, &tell));
        let thread = std::thread::Builder::new().name("otlp".into()).spawn(work)?;
        Ok(Self { thread: Some(thread), end })
    }

    /// Sends the metrics a last time. Returns how many exports succeeded and how many failed in
    /// total.
    pub fn end(mut self) -> Exported {
        self.end.store(true, Ordering::Release);
        self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

async fn export(
    collector: &Collector,
    hub: &Hub,
    over: &AtomicBool,
    tell: &(impl Fn(&str) + Send),
) -> Exported {
    let (mut count, mut sent, mut waited) = (Exported::default(), None, Duration::ZERO);
    loop {
        let is_over = over.load(Ordering::Acquire);
        let mark = (hub.course_mark(), hub.is_busy());
        // If nothing has changed, the metrics are sent again only after a failed export.
        if (is_over || waited >= EVERY) && sent != Some(mark) && mark.0.0 > 0 {
            waited = Duration::ZERO;
            let body = request(&hub.snapshot(), tacho_collect::wall_clock()).to_string();
            let done = tokio::time::timeout(PATIENCE, collector.send(body)).await;
            match done.unwrap_or_else(|_| Err("no response".into())) {
                Ok(()) => {
                    count.sent += 1;
                    sent = Some(mark);
                }
                Err(error) => {
                    if count.failed == 0 {
                        tell(&format!(
                            "the collector {} did not accept the metrics: {error}; the \
                             measurement continues, and further failures are counted",
                            masked(&collector.uri.to_string())
                        ));
                    }
                    count.failed += 1;
                }
            }
        }
        if is_over {
            return count;
        }
        tokio::time::sleep(LOOK).await;
        waited += LOOK;
    }
}

/// Returns a request in OTLP's format. `now` is the time since 1970.
fn request(measured: &Snapshot, now: Duration) -> Json {
    let standing = measured.standing.as_ref();
    let elapsed = standing.map_or(0.0, |standing| standing.elapsed_s);
    let elapsed = Duration::try_from_secs_f64(elapsed).unwrap_or_default();
    let times = [now.saturating_sub(elapsed), now].map(|time| time.as_nanos().to_string());
    let about = "1 if a measurement is running, otherwise 0.";
    let up = one("tacho_up", Kind::Gauge, about, f64::from(u8::from(measured.is_busy)));
    let all = figures(measured.interval.as_ref(), standing);
    let metrics: Vec<Json> = std::iter::once(&up)
        .chain(&all)
        .filter(|figure| !figure.series.is_empty())
        .map(|figure| metric(figure, &times))
        .collect();
    json!({ "resourceMetrics": [{
        "resource": { "attributes": resource(measured) },
        "scopeMetrics": [{
            "scope": { "name": "tacho", "version": env!("CARGO_PKG_VERSION") },
            "metrics": metrics,
        }],
    }] })
}

fn resource(measured: &Snapshot) -> Vec<Json> {
    let mut all = vec![
        ("service.name", "tacho".to_owned()),
        ("service.version", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    if let Some(record) = &measured.record {
        all.push(("service.instance.id", record.id.clone()));
        all.push(("tacho.workload", record.plan.workload.clone()));
        all.push(("tacho.target", record.plan.target_name.clone()));
    }
    all.iter().map(|(key, text)| attribute(key, text)).collect()
}

fn attribute(key: &str, text: &str) -> Json {
    json!({ "key": key, "value": { "stringValue": text } })
}

fn metric(figure: &Figure, times: &[String; 2]) -> Json {
    let points: Vec<Json> = figure
        .series
        .iter()
        .map(|series| {
            let labels = series.labels.iter().map(|(key, text)| attribute(key, text));
            let mut point = json!({
                "attributes": labels.collect::<Vec<_>>(),
                "timeUnixNano": times[1],
            });
            if figure.kind != Kind::Gauge {
                point["startTimeUnixNano"] = times[0].clone().into();
            }
            match &series.value {
                Value::One(value) => point["asDouble"] = (*value).into(),
                Value::Many(buckets) => histogram(&mut point, buckets),
            }
            point
        })
        .collect();
    let mut metric =
        json!({ "name": figure.name, "description": figure.help, "unit": figure.unit });
    match figure.kind {
        Kind::Gauge => metric["gauge"] = json!({ "dataPoints": points }),
        Kind::Counter => {
            metric["sum"] = json!({
                "dataPoints": points,
                "aggregationTemporality": CUMULATIVE,
                "isMonotonic": true,
            });
        }
        Kind::Histogram => {
            metric["histogram"] =
                json!({ "dataPoints": points, "aggregationTemporality": CUMULATIVE });
        }
    }
    metric
}

/// Converts a histogram. Tacho counts the values up to each bound; OTLP counts the values between bounds.
fn histogram(point: &mut Json, buckets: &Buckets) {
    let mut below = 0;
    let up_to = buckets.counts.iter().copied().chain([buckets.count]);
    let between = up_to.map(|count| {
        let here = count.saturating_sub(below);
        below = count;
        here.to_string()
    });
    point["bucketCounts"] = between.collect::<Vec<String>>().into();
    let bounds = BUCKETS_US.iter().take(buckets.counts.len()).map(|us| *us as f64 / 1e6);
    point["explicitBounds"] = bounds.collect::<Vec<f64>>().into();
    point["count"] = buckets.count.to_string().into();
    point["sum"] = buckets.sum_s.into();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_up_to_a_bound_become_counts_between_two() {
        let buckets = Buckets { name: "all".into(), counts: vec![1, 3, 3], count: 5, sum_s: 0.5 };
        let mut point = json!({});
        histogram(&mut point, &buckets);
        assert_eq!(point["bucketCounts"], json!(["1", "2", "0", "2"]));
        assert_eq!(point["explicitBounds"], json!([0.0001, 0.0002, 0.0005]));
        assert_eq!((&point["count"], &point["sum"]), (&json!("5"), &json!(0.5)));
    }

    #[test]
    fn the_path_of_metrics_is_added_once_and_what_is_no_address_is_refused() -> Result<()> {
        for (given, expected) in [
            ("http://h:4318", "http://h:4318/v1/metrics"),
            ("https://h/otlp/", "https://h/otlp/v1/metrics"),
            ("http://h:9090/api/v1/otlp/v1/metrics", "http://h:9090/api/v1/otlp/v1/metrics"),
        ] {
            assert_eq!(Collector::read(given, "")?.uri.to_string(), expected);
        }
        assert_eq!(Collector::read("http://h", "a=b, c=d")?.headers.len(), 2);
        for odd in ["h:4318", "ftp://h", "http://"] {
            assert!(Collector::read(odd, "").is_err(), "{odd}");
        }
        let response = Collector::read("http://h", "secret").err().map(|error| error.to_string());
        assert!(response.is_some_and(|response| !response.contains("secret")));
        Ok(())
    }

    #[test]
    fn a_response_without_end_is_rejected() -> Result<()> {
        let url = format!("http://127.0.0.1:{}", crate::client::tests::endless());
        let collector = Collector::read(&url, "")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let sent = runtime.block_on(collector.send("{}".into()));
        assert!(sent.is_err_and(|error| error.contains("length limit exceeded")));
        Ok(())
    }
}
