//! Implements `getchart`, which creates a self-contained page with a single chart.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{JobFile, Jobs};

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 400.0;
/// Space for the axes and their labels.
const MARGIN: f64 = 70.0;
const COLORS: [&str; 4] = ["#2f6db3", "#c9572b", "#3d8f5f", "#7b5ca8"];

/// A chart with labels on the horizontal axis and a list of values for each series.
struct Chart {
    title: String,
    unit: &'static str,
    names: Vec<String>,
    series: Vec<(String, Vec<f64>)>,
    /// True if the chart has lines instead of bars.
    lines: bool,
}

impl Jobs {
    /// Returns a page with a chart of a job, or the reason why there is none.
    pub fn chart(&self, id: &str, what: &str) -> Result<String, String> {
        let job = self.find(id)?;
        let none = |lacks: &str| format!("Chart for jobid {id} not available, {lacks}");
        let chart = match what {
            "result" => self.result_chart(&job).ok_or_else(|| none("Jobid has no test result"))?,
            "timing" => self.timing_chart(&job).ok_or_else(|| none("no timing data"))?,
            "tcount" => tcount_chart(&job).ok_or_else(|| none("no transaction counter data"))?,
            "metrics" => metrics_chart(&job).ok_or_else(|| none("no metrics data"))?,
            _ => {
                return Err(
                    "Error: Usage: jobs <jobid> getchart result|timing|tcount|metrics".into()
                );
            }
        };
        Ok(chart.page())
    }

    /// Returns a page with a chart of a performance profile, which shows NOPM and TPM by number of virtual users.
    pub fn profile_chart(&self, profile: u64) -> Result<String, String> {
        let jobs = self.all().into_iter().filter(|job| job.profile_id == profile);
        let mut points: Vec<(u32, u64, u64)> = jobs
            .filter_map(|job| self.result(&job).map(|(nopm, tpm)| (job.activevu, nopm, tpm)))
            .collect();
        points.sort_unstable();
        if points.is_empty() {
            return Err(format!("Error: No jobs found with performance profile id of {profile}"));
        }
        let chart = Chart {
            title: format!("Performance profile {profile} by virtual users"),
            unit: "per minute",
            names: points.iter().map(|(users, ..)| users.to_string()).collect(),
            series: vec![
                ("NOPM".into(), points.iter().map(|(_, nopm, _)| *nopm as f64).collect()),
                ("TPM".into(), points.iter().map(|(.., tpm)| *tpm as f64).collect()),
            ],
            lines: true,
        };
        Ok(chart.page())
    }

    /// Returns a page with a chart that compares the NOPM of two profiles by number of virtual users.
    pub fn comparison_chart(&self, base: u64, new: u64) -> Result<String, String> {
        let (of_base, of_new) = (self.points(base), self.points(new));
        let users: Vec<u32> =
            of_base.keys().copied().filter(|at| of_new.contains_key(at)).collect();
        if users.is_empty() {
            return Err("Error: the two profiles have no overlapping activevu points".into());
        }
        let series = |profile: u64, points: &BTreeMap<u32, f64>| {
            (format!("NOPM of profile {profile}"), users.iter().map(|at| points[at]).collect())
        };
        let chart = Chart {
            title: format!("Performance profiles {base} and {new} by virtual users"),
            unit: "per minute",
            names: users.iter().map(u32::to_string).collect(),
            series: vec![series(base, &of_base), series(new, &of_new)],
            lines: true,
        };
        Ok(chart.page())
    }

    fn result_chart(&self, job: &JobFile) -> Option<Chart> {
        if job.asks_queries() {
            return self.query_chart(job);
        }
        let (nopm, tpm) = self.result(job)?;
        Some(result_of(job, "per minute", [("NOPM", nopm as f64), ("TPM", tpm as f64)]))
    }

    fn query_chart(&self, job: &JobFile) -> Option<Chart> {
        let found = self.query_result(job)?;
        let mean = found.geomean_s.unwrap_or(0.0);
        Some(result_of(job, "seconds", [("Geomean", mean), ("Query time", found.elapsed_s)]))
    }

    fn query_times_chart(&self, job: &JobFile) -> Option<Chart> {
        let (names, values): (Vec<String>, Vec<f64>) =
            self.query_times(job, None).into_iter().unzip();
        let title = format!("{} query times of {}", job.db, job.jobid);
        let series = vec![("time".to_owned(), values)];
        (!names.is_empty()).then_some(Chart { title, unit: "seconds", names, series, lines: false })
    }

    fn timing_chart(&self, job: &JobFile) -> Option<Chart> {
        if job.asks_queries() {
            return self.query_times_chart(job);
        }
        let times = self.times(job);
        let of = |value: fn(&crate::work::Timing) -> &String| {
            times.iter().map(|timing| value(timing).parse().unwrap_or(0.0)).collect()
        };
        let series = vec![
            ("P50".to_owned(), of(|timing| &timing.p50_ms)),
            ("P95".to_owned(), of(|timing| &timing.p95_ms)),
            ("P99".to_owned(), of(|timing| &timing.p99_ms)),
        ];
        let names: Vec<String> = times.iter().map(|timing| timing.name.to_owned()).collect();
        let title = format!("{} response times of {}", job.db, job.jobid);
        (!names.is_empty()).then_some(Chart { title, unit: "ms", names, series, lines: false })
    }
}

/// Returns a chart that shows two values of a job next to each other.
fn result_of(job: &JobFile, unit: &'static str, figures: [(&str, f64); 2]) -> Chart {
    let benchmark = if job.asks_queries() { "TPROC-H" } else { "TPROC-C" };
    Chart {
        title: format!("{} {benchmark} result of {}", job.db, job.jobid),
        unit,
        names: figures.map(|(name, _)| name.to_owned()).into(),
        series: vec![(
            format!("{} virtual users", job.activevu),
            figures.map(|(_, value)| value).into(),
        )],
        lines: false,
    }
}

fn tcount_chart(job: &JobFile) -> Option<Chart> {
    let (names, values): (Vec<String>, Vec<f64>) =
        job.tcount.iter().map(|(at, value)| (at.clone(), *value as f64)).unzip();
    let title = format!("{} of {}", job.counter, job.jobid);
    let series = vec![(job.counter.clone(), values)];
    (!names.is_empty()).then_some(Chart { title, unit: "per minute", names, series, lines: true })
}

fn metrics_chart(job: &JobFile) -> Option<Chart> {
    let of = |value: fn(&super::Sample) -> f64| job.metrics.iter().map(value).collect();
    let series = vec![
        ("usr".to_owned(), of(|sample| sample.usr)),
        ("sys".to_owned(), of(|sample| sample.sys)),
        ("irq".to_owned(), of(|sample| sample.irq)),
    ];
    let names: Vec<String> = job.metrics.iter().map(|sample| sample.timestamp.clone()).collect();
    let title = format!("CPU of the load host, {}", job.jobid);
    (!names.is_empty()).then_some(Chart { title, unit: "%", names, series, lines: true })
}

impl Chart {
    fn page(&self) -> String {
        let title = escaped(&self.title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
             <style>body{{font-family:sans-serif;margin:2em}}text{{font-size:12px}}</style></head>\
             <body>\n<h1>{title}</h1>\n{}\n{}<p>Derived from TPC-C or TPC-H; not a TPC result.</p>\n\
             </body></html>\n",
            self.drawing(),
            self.table()
        )
    }

    fn drawing(&self) -> String {
        let top = self.series.iter().flat_map(|(_, values)| values).copied().fold(1e-9, f64::max);
        let (inner_w, inner_h) = (WIDTH - 2.0 * MARGIN, HEIGHT - 2.0 * MARGIN);
        let step = inner_w / self.names.len() as f64;
        let y = |value: f64| HEIGHT - MARGIN - value / top * inner_h;
        let middle = |place: usize| MARGIN + step * (place as f64 + 0.5);
        let mut svg = format!("<svg width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n");
        for part in 0..=4 {
            let (value, at) = (top * f64::from(part) / 4.0, y(top * f64::from(part) / 4.0));
            let right = WIDTH - MARGIN;
            let _ = writeln!(
                svg,
                "<line x1=\"{MARGIN}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.1}\" y=\"{at:.1}\" text-anchor=\"end\">{value:.1}</text>",
                MARGIN - 6.0
            );
        }
        for (number, (name, values)) in self.series.iter().enumerate() {
            let color = COLORS[number % COLORS.len()];
            let x = MARGIN + 160.0 * number as f64;
            let name = escaped(name);
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"20\" fill=\"{color}\">■ {name}</text>");
            if self.lines {
                let points: Vec<String> = (0..)
                    .zip(values)
                    .map(|(place, value)| format!("{:.1},{:.1}", middle(place), y(*value)))
                    .collect();
                let points = points.join(" ");
                let _ = writeln!(
                    svg,
                    "<polyline points=\"{points}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>"
                );
            } else {
                let width = step * 0.8 / self.series.len() as f64;
                for (place, value) in values.iter().enumerate() {
                    let left = MARGIN + step * (place as f64 + 0.1) + width * number as f64;
                    let (at, high) = (y(*value), HEIGHT - MARGIN - y(*value));
                    let _ = writeln!(
                        svg,
                        "<rect x=\"{left:.1}\" y=\"{at:.1}\" width=\"{width:.1}\" \
                         height=\"{high:.1}\" fill=\"{color}\"/>"
                    );
                }
            }
        }
        self.names_along(&mut svg, &middle);
        svg + "</svg>"
    }

    /// Draw at most a dozen labels, so that they do not overlap.
    fn names_along(&self, svg: &mut String, middle: &dyn Fn(usize) -> f64) {
        let every = self.names.len().div_ceil(12);
        for (place, name) in self.names.iter().enumerate().step_by(every.max(1)) {
            // Show only the time of day, without the date.
            let name = escaped(name.rsplit(' ').next().unwrap_or(name));
            let (x, at) = (middle(place), HEIGHT - MARGIN + 18.0);
            let _ =
                writeln!(svg, "<text x=\"{x:.1}\" y=\"{at}\" text-anchor=\"middle\">{name}</text>");
        }
        let unit = self.unit;
        let _ = writeln!(svg, "<text x=\"4\" y=\"{}\">{unit}</text>", MARGIN - 14.0);
    }

    /// Returns the chart's values as a table.
    fn table(&self) -> String {
        let mut rows = "<table>\n<tr><th></th>".to_owned();
        for (name, _) in &self.series {
            let _ = write!(rows, "<th>{}, {}</th>", escaped(name), self.unit);
        }
        for (place, name) in self.names.iter().enumerate() {
            let _ = write!(rows, "</tr>\n<tr><td>{}</td>", escaped(name));
            for (_, values) in &self.series {
                let _ = write!(rows, "<td>{}</td>", values[place]);
            }
        }
        rows + "</tr>\n</table>\n"
    }
}

pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
