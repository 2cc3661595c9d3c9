//! Opens the report page in a real browser. The page needs no server, draws every chart, and shows
//! the same numbers as the JSON report.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tacho_core::units::{grouped, latency, significant};
use tacho_testkit::servers::Postgres;
use tacho_tests::{Browser, Folder, Signal};

/// A server that fails occasionally and receives more arrivals than it can handle.
const TROUBLED: &str = "run tprocc 'sim:?capacity=3&errors=0.02%&deadlocks=0.1%&stall_every=9s&stall=500ms' \
                        -c 16 -r 400 --duration 30s --ramp-up 5s --progress none -o quiet --check none";

/// Script that checks the requirements for every chart at every width.
const EACH_FIGURE: &str = "
[...document.querySelectorAll('figure[data-chart]')].map((figure) => {
  figure.querySelector('details').open = true;
  const texts = [...figure.querySelectorAll('.plot svg text')].map((text) => text.getBoundingClientRect()).filter((box) => box.width);
  const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > -1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  return {
    id: figure.dataset.chart,
    marks: figure.querySelectorAll('.plot svg path, .plot svg rect, .plot svg circle, .plot svg line').length,
    width: Math.max(...[...figure.querySelectorAll('.plot svg')].map((svg) => svg.getBoundingClientRect().right)),
    overlaps: texts.filter((a, i) => texts.slice(i + 1).some((b) => overlap(a, b))).length,
    named: [...figure.querySelectorAll('.plot svg')].every((svg) => svg.getAttribute('role') === 'img' && svg.getAttribute('aria-label')),
    reading: figure.querySelector('figcaption p').textContent.trim().endsWith('.'),
  };
})";

const TABLES: &str = "
new Promise((done) => setTimeout(() => done(Object.fromEntries(
  [...document.querySelectorAll('figure[data-chart]')].map((figure) => [figure.dataset.chart,
    [...figure.querySelectorAll('tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))]))), 50))";

/// Opens a page, checks what must hold for every page, and returns the tables of its charts.
fn checked(folder: &Folder, page: &str, expected: &[&str]) -> Value {
    let mut browser = Browser::open(&folder.file(page), 1280, "light");
    let mut tables = Value::Null;
    for width in [1280, 680, 390] {
        browser.resize(width);
        let figures = browser.evaluate(EACH_FIGURE);
        let figures = figures.as_array().expect("figures");
        let ids: Vec<&str> = figures.iter().filter_map(|figure| figure["id"].as_str()).collect();
        assert_eq!(ids, expected, "{page}");
        for figure in figures {
            assert!(figure["marks"].as_u64().is_some_and(|marks| marks > 5), "{figure}");
            assert!(figure["width"].as_f64().is_some_and(|right| right <= f64::from(width)));
            assert_eq!(figure["overlaps"], 0, "labels of {page} at {width} overlap: {figure}");
            assert_eq!(figure["named"], true, "{figure}");
            assert_eq!(figure["reading"], true, "how to read it: {figure}");
        }
        let wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert_eq!(browser.evaluate(wider), 0, "{page} is wider than a window of {width}");
        tables = browser.evaluate(TABLES);
    }
    folder.is_report(&browser.evaluate("REPORT"));
    for event in &browser.events {
        let method = event["method"].as_str().unwrap_or_default();
        assert!(
            !matches!(method, "Runtime.consoleAPICalled" | "Runtime.exceptionThrown"),
            "{event}"
        );
        assert_ne!(method, "Log.entryAdded", "{event}");
        if method == "Network.requestWillBeSent" {
            let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
            assert!(url.ends_with(page) || url.starts_with("data:"), "asks for {url}");
        }
    }
    tables
}

fn column(rows: &Value, column: usize) -> Vec<&str> {
    let rows = rows.as_array().expect("a table").iter();
    rows.map(|row| row[column].as_str().expect("a cell")).collect()
}

fn numbers(values: &Value) -> Vec<f64> {
    values
        .as_array()
        .expect("values")
        .iter()
        .map(|number| number.as_f64().expect("a number"))
        .collect()
}

#[test]
fn a_run_is_drawn_and_its_tables_are_the_json() {
    let folder = Folder::new();
    folder.tacho(TROUBLED).done();
    folder.tacho("report").exits(0).complains(&["Saved  report.html"]);
    let charts = ["throughput", "backlog", "failures", "latency", "heatmap", "curves"];
    let tables = checked(&folder, "report.html", &charts);
    let data = &folder.report("latest")["charts"];

    let throughput = &data["throughput"];
    let expected: Vec<String> =
        numbers(&throughput["value"]).into_iter().map(significant).collect();
    assert_eq!(column(&tables["throughput"], 3), expected);
    let kinds = data["failures"]["kinds"].as_array().expect("kinds").len();
    assert!(kinds >= 2, "a deadlock and another error: {}", data["failures"]["kinds"]);
    for kind in 0..kinds {
        let expected: Vec<String> = numbers(&data["failures"]["counts"][kind])
            .into_iter()
            .map(|count| grouped(count as i64))
            .collect();
        assert_eq!(column(&tables["failures"], 2 + kind), expected);
    }
    let cells = numbers(&data["heatmap"]["kinds"][0]["cells"]);
    let expected: Vec<String> =
        cells.iter().skip(2).step_by(3).map(|count| grouped(*count as i64)).collect();
    assert_eq!(column(&tables["heatmap"], 4), expected);
    let last = &data["curves"]["kinds"][0]["latency"]["max"];
    let max = Duration::from_nanos((last.as_f64().expect("a time") * 1e3) as u64);
    let rows = tables["curves"].as_array().expect("rows");
    let row = rows.iter().find(|row| row[0] == "all" && row[1] == "max").expect("a maximum");
    assert_eq!(row[2], latency(max).as_str());
}

#[test]
fn a_comparison_and_many_runs_are_drawn() {
    let folder = Folder::new();
    for seed in 1..=3 {
        let target = format!("'sim:?latency={seed}ms'");
        folder.tacho(&format!("run tprocc {target} -c 8 -d 20s --ramp-up 2s --seed {seed} --progress none -o quiet")).exits(0);
    }
    folder.tacho("report latest --baseline latest~1 -o change.html").exits(0);
    let over = ["changes-0", "over-throughput", "over-curves"];
    let whole = ["throughput", "latency", "heatmap", "curves"];
    let tables = checked(&folder, "change.html", &[&over[..], &whole[..]].concat());
    let data = folder.report("latest --baseline latest~1");
    let verdicts: Vec<&str> = column(&tables["changes-0"], 4);
    assert_eq!(verdicts[0], "WORSE");
    let metrics = data["comparisons"][0]["metrics"].as_array().expect("metrics");
    let changed = metrics.iter().filter(|metric| !metric["change"].is_null()).count();
    assert_eq!(verdicts.len(), changed);

    folder.tacho("report latest,latest~1 latest~2 -o runs.html").exits(0);
    let tables = checked(&folder, "runs.html", &["runs"]);
    assert_eq!(tables["runs"].as_array().map(Vec::len), Some(3));
}

#[test]
fn many_runs_against_a_baseline_are_one_chart_and_one_table() {
    let folder = Folder::new();
    for number in 0..=9 {
        let latency = if number > 6 { 8 } else { 4 };
        let target = format!("'sim:?latency={latency}ms'");
        let flags = format!("-d 20s --ramp-up 0s --seed {number} --progress none -o quiet");
        folder.tacho(&format!("run tpcb {target} {flags}")).exits(0);
    }
    let others: Vec<String> = (0..9).map(|back| format!("latest~{back}")).collect();
    let named = format!("{} --baseline latest~9", others.join(" "));
    folder.tacho(&format!("report {named} -o many.html")).exits(0);
    let ids = ["changes", "runs"];
    let tables = checked(&folder, "many.html", &ids);
    let verdicts: Vec<&str> = column(&tables["changes"], 5);
    assert_eq!((verdicts.len(), &verdicts[6..]), (9, &["WORSE"; 3][..]));
    let json = folder.report(&named);
    assert_eq!(json["comparisons"].as_array().map(Vec::len), Some(9));
    let csv = folder.tacho(&format!("report {named} --table intervals")).exits(0).out;
    assert_eq!(csv.lines().filter(|line| line.contains(",all,")).count(), 10 * 20);
}

#[test]
fn a_frontier_is_drawn_with_both_throughputs() {
    let folder = Folder::new();
    let sweep = "sweep chbench 'sim:?capacity=4' -c 4 -d 5s --ramp-up 0s --vary streams=0,1,2,4";
    folder.tacho(&format!("{sweep} -o quiet")).exits(0);
    folder.tacho("report sweep:latest -o frontier.html").exits(0);
    let tables = checked(&folder, "frontier.html", &["frontier", "profile", "points"]);
    let data = folder.report("sweep:latest");
    let rows = data["sweep"]["rows"].as_array().expect("rows");
    let figure = |key: &str| -> Vec<String> {
        let value = |row: &Value| row[key].as_f64().expect("a figure").round() as i64;
        rows.iter().map(|row| grouped(value(row))).collect()
    };
    assert_eq!(column(&tables["frontier"], 0)[3], "streams 4");
    assert_eq!(column(&tables["frontier"], 1), figure("throughput"));
    assert_eq!(column(&tables["frontier"], 2), figure("queries_per_hour"));
    folder.tacho("report latest -o mixed.html").exits(0);
    let ids = ["throughput", "latency", "heatmap", "curves", "queries", "streams"];
    checked(&folder, "mixed.html", &ids);
}

#[test]
fn a_sweep_is_drawn_with_peak_and_knee() {
    let folder = Folder::new();
    let vary = "--vary sessions=1,2,4,8,16,32 --vary form=sql,pipelined";
    folder
        .tacho(
            "sweep tprocc 'sim:?capacity=4' -d 5s --ramp-up 0s --vary sessions=1,2,4,8,16 -o quiet",
        )
        .exits(0);
    folder.tacho("report sweep:latest -o profile.html").exits(0);
    let tables = checked(&folder, "profile.html", &["profile", "points"]);
    let text = folder.tacho("report sweep:latest --format md").exits(0);
    text.says(&["The peak is", " sessions, with a p95 of", "## Each point"]);
    let data = folder.report("sweep:latest");
    let rows = data["sweep"]["rows"].as_array().expect("rows");
    let expected: Vec<String> = rows
        .iter()
        .map(|row| grouped(row["throughput"].as_f64().expect("a figure").round() as i64))
        .collect();
    assert_eq!(column(&tables["profile"], 2), expected);
    let noted = |word: &str| {
        column(&tables["profile"], 8).iter().filter(|note| note.contains(word)).count()
    };
    assert_eq!((noted("peak"), noted("knee")), (1, 1));

    // The x-axis shows the variable that is given last. This is the statement form, so the points have names instead of
    // numbers.
    folder.tacho(&format!("sweep tpcb sim -d 3s --ramp-up 0s {vary} -o quiet")).exits(0);
    folder.tacho("report sweep:latest -o grid.html").exits(0);
    checked(&folder, "grid.html", &["profile", "points"]);
}

#[test]
fn streams_of_queries_are_drawn_and_compared() {
    let folder = Folder::new();
    let run = |target: &str, more: &str| {
        let flags = "-s 0.01 --check none --progress none -o quiet";
        folder.tacho(&format!("run tproch '{target}' {flags} {more}")).done();
    };
    run("sim:?latency=40ms", "-c 3 --set query_sets=4");
    run("sim:?latency=400ms&errors=2%", "-c 3 --set query_sets=4");
    run("sim:?latency=40ms", "-c 2");
    folder.tacho("report latest~1 -o streams.html").exits(0);
    let tables = checked(&folder, "streams.html", &["queries", "streams"]);
    let record = folder.record("latest~1");
    let executions = record["result"]["executions"].as_array().expect("executions");
    let failed = executions.iter().filter(|one| !one["failed"].is_null()).count();
    assert!(failed > 0, "2 % of 264");
    let data = &folder.report("latest~1")["charts"];
    let queries = data["queries"]["queries"].as_array().expect("queries");
    let of_chart: u64 = queries.iter().filter_map(|query| query["failed"].as_u64()).sum();
    assert_eq!((queries.len(), of_chart), (22, failed as u64));
    // People expect q2 before q10.
    let names: Vec<String> = (1..=22).map(|number| format!("q{number}")).collect();
    assert_eq!(column(&tables["queries"], 0), names);
    let words = column(&tables["queries"], 6);
    assert_eq!(words.iter().filter(|word| word.contains("FAILED")).count(), {
        queries.iter().filter(|query| query["failed"].as_u64() > Some(0)).count()
    });
    assert_eq!(tables["streams"].as_array().map(Vec::len), Some(executions.len()));
    let failures = column(&tables["streams"], 6);
    assert_eq!(failures.iter().filter(|why| !why.is_empty()).count(), failed);
    let csv = folder.tacho("report latest~1 --format csv").exits(0).out;
    assert_eq!(csv.lines().count(), 1 + executions.len());
    let csv = folder.tacho("report latest~1 --format csv --table streams").exits(0).out;
    assert_eq!(csv.lines().count(), 1 + 3);
    folder.tacho("report latest~1 --format md").exits(0).says(&[
        "geometric mean",
        "FAILED: q",
        "Streams, the slowest first",
    ]);

    // An INVALID run is compared only with `--force`. Failed queries are excluded from all means.
    let refused = folder.tacho("report latest~1 --baseline latest~2 -o no.html").done();
    refused.is_error().complains(&["INVALID"]);
    folder.tacho("report latest~1 --baseline latest~2 --force -o change.html").exits(0);
    let ids = ["changes-0", "over-queries", "queries", "streams"];
    let tables = checked(&folder, "change.html", &ids);
    assert_eq!(tables["over-queries"].as_array().map(Vec::len), Some(44));
    let json = folder.report("latest~1 --baseline latest~2 --force");
    let comparison = &json["comparisons"][0];
    assert_eq!(comparison["basis"], "within_run");
    assert!(comparison["notes"][0].as_str().is_some_and(|note| note.starts_with("NOT COMPARED")));
    let mean = &comparison["metrics"][0];
    assert_eq!(mean["name"], "geometric mean of 22");
    let number = |key: &str| mean[key].as_f64().expect("a figure");
    let change = mean["change"]["value"].as_f64().expect("a change");
    assert!((number("run") / number("baseline") / (1.0 + change) - 1.0).abs() < 1e-9);
    // In virtual time, the run is exactly ten times slower, so the verdict does not depend on chance.
    assert_eq!(mean["verdict"], "worse");

    // If there are several runs, each is drawn as a dot. Runs with different numbers of streams cannot be compared.
    folder.tacho("report latest latest~2 -o runs.html").exits(0);
    checked(&folder, "runs.html", &["runs", "over-queries"]);
    let refused = folder.tacho("compare latest~2 latest").done();
    refused.is_error().complains(&["plan.sessions is 3 and 2", "plan.parameters.query_sets"]);
}

#[test]
fn two_sweeps_are_drawn_over_each_other() {
    let folder = Folder::new();
    let ids = ["4", "6"].map(|capacity| {
        let target = format!("'sim:?capacity={capacity}'");
        let vary = "--vary sessions=1,2,4,8,16";
        let line = format!("sweep tprocc {target} -d 5s --ramp-up 0s {vary} -o json");
        let view = folder.tacho(&line).exits(0).json();
        view["sweep"]["id"].as_str().expect("an id").to_owned()
    });
    let both = ids.join(" ");
    folder.tacho(&format!("report {both} -o both.html")).exits(0);
    let tables = checked(&folder, "both.html", &["over-profile"]);
    let data = folder.report(&both);
    let sweeps = data["sweeps"].as_array().expect("sweeps");
    let rows = || sweeps.iter().flat_map(|view| view["rows"].as_array().expect("rows"));
    let figure = |value: &Value| grouped(value.as_f64().expect("a figure").round() as i64);
    let expected: Vec<String> = rows().map(|row| figure(&row["throughput"])).collect();
    assert_eq!(column(&tables["over-profile"], 2), expected);
    // Compare both ends of each confidence interval with those in the chart.
    let points = data["charts"]["over-profile"]["points"].as_array().expect("points");
    for (place, key) in [(3, "low"), (4, "high")] {
        let expected: Vec<String> = points.iter().map(|point| figure(&point[key])).collect();
        assert_eq!(column(&tables["over-profile"], place), expected, "{key}");
    }
    assert_eq!((sweeps.len(), rows().count()), (2, 10));
    let series = column(&tables["over-profile"], 0);
    assert!(series[0].starts_with("baseline") && series[9].starts_with("run"), "{series:?}");
    // The page shows the same comparison as the command line does.
    let compared = folder.tacho(&format!("compare {both} -o json")).exits(0).json();
    assert_eq!(data["sweep_comparisons"], compared);
    let page = folder.tacho(&format!("report {} --baseline {} --format md", ids[1], ids[0]));
    let page = page.exits(0);
    page.says(&["## Against the baseline", "### Throughput at each point", "### Peak and knee"]);
    page.says(&["peak against peak", "Holm", "server.settings.capacity"]);
    let csv = folder.tacho(&format!("report {both} --format csv")).exits(0);
    csv.says(&["baseline,run,point,metric,", "sessions 16,NOPM,per_minute"]);
    let points = folder.tacho(&format!("report {both} --table points")).exits(0).out;
    assert_eq!(points.lines().count(), 11);
    let junit = folder.tacho(&format!("report {both} --format junit")).exits(0);
    junit.says(&["NOPM is not worse at sessions 16"]);
    folder.tacho(&format!("report {both} latest")).exits(2).is_error().complains(&["is a sweep"]);
}

#[test]
fn waits_of_a_server_are_drawn() {
    let folder = Folder::new();
    let server = Postgres::start().expect("a PostgreSQL server");
    let target = server.target();
    folder.tacho(&format!("prepare tpcb '{target}' --progress none -o quiet")).exits(0);
    let load = "-c 4 -d 6s --ramp-up 2s --progress none -o quiet --check none";
    // The exit code is not checked, because it depends on the speed of this machine.
    folder.tacho(&format!("run tpcb '{target}' {load}")).done();
    folder.tacho("report -o waits.html").exits(0);
    let mut charts = vec!["throughput", "latency", "heatmap", "curves", "waits"];
    charts.extend(["host-0-cpu", "host-0-queue", "host-0-disk", "host-0-network"]);
    // Some kernels do not provide pressure information.
    charts.extend(Path::new("/proc/pressure/cpu").exists().then_some("host-0-pressure"));
    let tables = checked(&folder, "waits.html", &charts);
    let data = &folder.report("latest")["charts"]["waits"];
    let rows = tables["waits"].as_array().expect("rows");
    assert_eq!(rows.len(), data["from"].as_array().expect("columns").len());
    let expected: Vec<String> =
        numbers(&data["sessions"][0]).into_iter().map(significant).collect();
    assert_eq!(column(&tables["waits"], 2), expected);
    assert!(data["cores"].as_u64().is_some_and(|cores| cores > 0), "the server is on this machine");
    // The chart's lowest layer shows the running sessions. Sessions that wait for the client are
    // left out, because they are idle.
    let names: Vec<&str> =
        data["waits"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
    let runs = names.iter().position(|name| *name == "CPU");
    assert!(runs.is_none_or(|place| place == 0), "{names:?}");
    assert!(names.iter().all(|name| !name.to_lowercase().starts_with("client")), "{names:?}");
    assert_eq!(data["looks"].as_array().map(Vec::len), Some(names.len()));
}

/// The script in the report page prints latencies with the same digits and units as the program, so zero is `0 ns`.
#[test]
fn the_page_prints_latencies_as_the_program_does() {
    let folder = Folder::new();
    folder.tacho("run tpcb sim -c 1 -d 3s --ramp-up 0s --progress none -o quiet").done();
    folder.tacho("report").exits(0);
    let mut browser = Browser::open(&folder.file("report.html"), 1280, "light");
    let nanos = [0, 1, 7, 850, 1_270, 999_400, 999_600, 13_000_000, 999_600_000, 1_270_000_000_000];
    for nanos in nanos {
        let printed = browser.evaluate(&format!("micros({nanos} / 1000)"));
        assert_eq!(printed, latency(Duration::from_nanos(nanos)), "{nanos} ns");
    }
    assert_eq!(browser.evaluate("tickMicros(0)"), "0\u{202f}ns");
}

/// Script that counts the event marks in the throughput chart.
const SIGNS: &str = "[...document.querySelectorAll('[data-chart=throughput] .event')].length";

#[test]
fn what_happened_is_marked_on_every_chart_over_time() {
    let folder = Folder::new();
    let target = "'sim:?latency=2ms&outage_at=12s&outage=3s&errors=0.5%'";
    let flags = "-c 4 --duration 30s --ramp-up 2s --on-disconnect reconnect --progress none -o quiet --check none";
    folder.tacho(&format!("run tprocc {target} {flags}")).done();
    folder.tacho("report").exits(0);
    let mut browser = Browser::open(&folder.file("report.html"), 1280, "light");
    let kinds = "Object.fromEntries(['throughput', 'latency', 'heatmap'].map((id) => [id, \
        [...new Set(REPORT.charts[id].events.map((event) => event.kind))].sort()]))";
    let expected = json!(["failures", "outage"]);
    let both = json!({ "throughput": expected, "latency": expected, "heatmap": expected });
    assert_eq!(browser.evaluate(kinds), both);
    assert!(browser.evaluate(SIGNS).as_u64() > Some(0), "signs are drawn");
    for id in ["throughput", "latency", "heatmap"] {
        let words = format!("document.querySelector('[data-chart={id}] .tools').textContent");
        let words = browser.evaluate(&words);
        let words = words.as_str().expect("a key");
        assert!(words.contains("outage") && words.contains("failures"), "{id}: {words}");
    }
    // A fault is shaded for as long as it lasts.
    let mut shaded = |to: &str| {
        let fault = format!("{{ kind: 'fault', from: 0.5, to: {to}, words: '' }}");
        let data = format!("{{ from: [0, 1], to: [1, 2], events: [{fault}] }}");
        let plot = format!("Plot.plot({{ marks: eventMarks({data}, 800) }})");
        browser.evaluate(&format!("{plot}.querySelectorAll('.fault rect').length"))
    };
    assert_eq!([shaded("1.5"), shaded("0.5"), shaded("null")], [1, 0, 0]);
}

#[test]
fn a_ladder_of_load_has_the_line_of_ideal_scaling_and_other_factors_an_axis_of_factors() {
    let folder = Folder::new();
    let sweep = |vary: &str| {
        folder
            .tacho(&format!("sweep tprocc 'sim:?capacity=4' -d 3s --ramp-up 0s {vary} -o quiet"))
            .exits(0);
        folder.tacho("report sweep:latest -o ladder.html").exits(0);
        let mut browser = Browser::open(&folder.file("ladder.html"), 1280, "light");
        let key =
            browser.evaluate("document.querySelector('[data-chart=profile] .tools').textContent");
        // All labels on the throughput chart's axis and on the axis below it.
        let ticks = "[...document.querySelectorAll('[data-chart=profile] .plot svg')].map((svg) => \
            [...svg.querySelectorAll('[data-part=\"x-axis tick label\"] text')].map((label) => label.textContent).filter(Boolean))";
        let upwards = "[...document.querySelectorAll('[data-chart=profile] .plot svg')].map((svg) => \
            new Set([...svg.querySelectorAll('[data-part=\"y-axis tick label\"] text')].map((label) => label.textContent)).size)";
        let marks: Vec<f64> = numbers(&browser.evaluate(upwards));
        assert!(marks.len() == 2 && marks.iter().all(|count| *count > 1.0), "{marks:?}");
        let log = "(() => { const chart = REPORT.charts.profile; return valueAxis(chart, chart.points, 1000).type; })()";
        let ticks = browser.evaluate(ticks);
        (key.as_str().expect("a key").to_owned(), ticks, browser.evaluate(log))
    };
    let (key, ticks, kind) = sweep("--vary sessions=1,2,4,8,16,32");
    assert_eq!(kind, "log");
    assert!(key.contains("ideal scaling"), "{key}");
    let all = json!(["1", "2", "4", "8", "16", "32"]);
    assert_eq!(ticks, json!([all, all]), "each point has its tick");
    let (key, _, kind) = sweep("--vary target.capacity=1,4,16,64");
    assert_eq!(kind, "log");
    assert!(!key.contains("ideal"), "more of another thing is not more load: {key}");
}

#[test]
fn service_time_is_seen_within_latency() {
    let folder = Folder::new();
    folder.tacho("run tprocc sim -d 20s --ramp-up 0s --progress none -o quiet").exits(0);
    folder.tacho("report").exits(0);
    let mut browser = Browser::open(&folder.file("report.html"), 1280, "light");
    // In a run without a rate, the two lines are identical, so one of them covers the other. Both are visible only if
    // they have different widths.
    let widths = "[...document.querySelectorAll('[data-chart=curves] .plot svg')[0].querySelectorAll('[data-part=line]')]\
        .map((line) => +line.getAttribute('stroke-width') || +line.querySelector('path').getAttribute('stroke-width'))";
    let widths = browser.evaluate(widths);
    let widths: Vec<f64> = numbers(&widths);
    assert!(
        widths.len() == 2 && widths[0] > 2.0 * widths[1],
        "the thin one lies over the broad one: {widths:?}"
    );
}

#[test]
fn a_cut_table_shows_that_it_scrolls() {
    let folder = Folder::new();
    folder.tacho("run tprocc sim -d 20s --ramp-up 0s --progress none -o quiet").exits(0);
    folder.tacho("report").exits(0);
    let mut browser = Browser::open(&folder.file("report.html"), 1280, "light");
    let table = "(() => {
        const box = document.querySelector('#transactions .scroll');
        const word = box.nextElementSibling;
        return [box.classList.contains('more-right'), getComputedStyle(word).display !== 'none', word.textContent];
    })()";
    assert_eq!(browser.evaluate(table)[0], false, "at 1280 all of it is seen");
    assert_eq!(browser.evaluate(table)[1], false);
    browser.resize(390);
    let cut = "new Promise((done) => setTimeout(() => done(TABLE), 200))".replace("TABLE", table);
    let cut = browser.evaluate(&cut);
    assert_eq!(cut[0], true, "a shadow at the right");
    assert_eq!(cut[1], true, "a word below");
    assert!(cut[2].as_str().is_some_and(|word| word.contains("scroll")), "{cut}");
    let end = "(() => { const box = document.querySelector('#transactions .scroll'); box.scrollLeft = 9999; })()";
    browser.evaluate(end);
    let at_end = "new Promise((done) => setTimeout(() => { const classes = document.querySelector('#transactions .scroll').classList;
        done([classes.contains('more-left'), classes.contains('more-right')]); }, 200))";
    assert_eq!(browser.evaluate(at_end), json!([true, false]));
}

#[test]
fn plans_of_queries_stand_with_their_hashes() {
    let folder = Folder::new();
    folder.tacho("prepare tproch sqlite:h.db -s 0.01 --progress none -o quiet").exits(0);
    folder.tacho("run tproch sqlite:h.db -s 0.01 --check none --progress none -o quiet").done();
    let record = folder.record("latest");
    let plans = record["result"]["query_plans"].as_array().expect("plans");
    assert_eq!(plans.len(), 22);
    folder.tacho("report").exits(0);
    let page = String::from_utf8(folder.read("report.html")).expect("text");
    let markdown = folder.tacho("report --format md").exits(0).out;
    for plan in plans {
        let title = format!(
            "Plan of {}, hash {}",
            plan["transaction"].as_str().expect("a name"),
            plan["hash"].as_str().expect("a hash")
        );
        assert!(page.contains(&title) && markdown.contains(&title), "{title}");
    }
    let first = plans[0]["plan"].as_str().and_then(|plan| plan.lines().next()).expect("a step");
    assert!(markdown.contains(first), "{first}");
}

#[test]
fn titles_say_what_is_compared() {
    let folder = Folder::new();
    for latency in ["1ms", "2ms"] {
        let target = format!("'sim:?latency={latency}'");
        folder
            .tacho(&format!(
                "run tprocc {target} -c 4 -d 20s --ramp-up 0s --progress none -o quiet"
            ))
            .exits(0);
    }
    let single = folder.tacho("report latest --format md").exits(0).out;
    assert!(single.starts_with("# tprocc on sim\n"), "{single}");
    let both = folder.tacho("report latest --baseline latest~1 --format md").exits(0).out;
    let against = "latency 2.00ms against 1.00ms";
    assert!(both.lines().next().is_some_and(|title| title.contains(against)), "{both}");
    assert!(both.contains(&format!("Change against the baseline: sim, {against}")), "{both}");
    let charts = &folder.report("latest --baseline latest~1")["charts"];
    let names: Vec<&str> = charts["over-throughput"]["runs"]
        .as_array()
        .expect("runs")
        .iter()
        .filter_map(|run| run["name"].as_str())
        .collect();
    assert_eq!(names, ["baseline: latency 1.00ms", "run: latency 2.00ms"]);
    folder.tacho("sweep tprocc sim -d 2s --ramp-up 0s --vary sessions=1,2,4 -o quiet").exits(0);
    let sweep = folder.tacho("report sweep:latest --format md").exits(0).out;
    assert!(sweep.starts_with("# tprocc on sim: sessions 1 to 4\n"), "{sweep}");
}

#[test]
fn a_profile_of_a_server_is_one_command_and_its_page_is_drawn() {
    let folder = Folder::new();
    let server = Postgres::start().expect("a PostgreSQL server");
    let target = server.target();
    folder.tacho(&format!("prepare tpcb '{target}' --progress none -o quiet")).exits(0);
    let load = "-d 2s --ramp-up 500ms --check none";
    let vary = "--vary sessions=1,2,4,8,16";
    let done = folder.tacho(&format!("sweep tpcb '{target}' {vary} {load}")).done();
    // The exit code is not checked, because it depends on what this machine achieves in two seconds.
    done.says(&["limit", "knee", "peak", "5 runs"]);
    done.complains(&["5 of 5: sessions=16, about", "Next   tacho report"]);
    folder.tacho("report sweep:latest -o profile.html").exits(0);
    let tables = checked(&folder, "profile.html", &["profile", "sweep-waits", "points"]);
    let data = folder.report("sweep:latest");
    assert_eq!(column(&tables["profile"], 1), ["1", "2", "4", "8", "16"]);
    let waits = data["charts"]["sweep-waits"]["bars"].as_array().expect("bars");
    let rows: usize = waits.iter().map(|bar| bar["waits"].as_array().expect("waits").len()).sum();
    assert_eq!(tables["sweep-waits"].as_array().map(Vec::len), Some(rows));
    // If there is a single session and the client is busy, the session may be waiting for the client in every sample.
    assert!(waits.len() >= 4 && rows >= 4, "each point has been watched: {waits:?}");
    let page = folder.tacho("report sweep:latest --format md").exits(0);
    page.says(&["PostgreSQL", "## Conditions", "shared\\_buffers", "tacho sweep tpcb"]);
}

#[test]
fn a_run_that_was_killed_is_drawn_as_far_as_it_came() {
    let folder = Folder::new();
    let mut run = folder.tacho("run tpcb -d 60s --ramp-up 1s --progress json").start();
    // A histogram is written a few seconds after its interval has ended.
    run.until(|line| line.contains("\"at_s\":8.") || line.contains("\"at_s\":9."));
    run.signal(Signal::KILL);
    run.wait();
    folder.tacho("report").exits(0);
    checked(&folder, "report.html", &["throughput", "latency", "heatmap", "curves"]);
}

#[test]
fn a_reader_can_choose_print_and_change_the_theme() {
    let folder = Folder::new();
    folder.tacho("run tprocc sim -d 20s --ramp-up 2s --progress none -o quiet").exits(0);
    folder.tacho("report").exits(0);
    let mut browser = Browser::open(&folder.file("report.html"), 1280, "dark");
    let paper = "getComputedStyle(document.body).backgroundColor";
    let dark = browser.evaluate(paper);
    browser.evaluate("document.getElementById('theme').click()");
    assert_ne!(browser.evaluate(paper), dark);
    let chosen = browser.evaluate(
        "(() => {
           const figure = document.querySelector('[data-kind=latency]');
           const before = figure.querySelector('.plot').innerHTML;
           const select = figure.querySelector('select');
           select.value = 'payment';
           select.dispatchEvent(new Event('change'));
           const label = figure.querySelector('.plot svg').getAttribute('aria-label');
           return [label, figure.querySelector('.plot').innerHTML !== before];
         })()",
    );
    assert_eq!(chosen, json!(["latency of payment over time", true]));
    let picture = browser.evaluate("picture(document.querySelector('.plot'))");
    let picture = picture.as_str().expect("a picture");
    assert!(picture.starts_with("<svg") && !picture.contains("var("), "colours are resolved");
    // With millions of transactions, percentiles have many nines and therefore long labels.
    let ticks = "[220, 320, 900].flatMap((width) => [1, 3, 5, 7].map((far) => {
        const svg = curvePanel(width, logAxis([10, 1e6], 'latency'), far, 'x', []);
        document.body.append(svg);
        const boxes = [...svg.querySelectorAll('[data-part^=\"x-axis tick label\"] text')]
          .map((text) => text.getBoundingClientRect());
        return boxes.length > 1 && boxes.slice(1).every((box, i) => box.left > boxes[i].right);
      }))";
    assert_eq!(browser.evaluate(ticks), json!(vec![true; 12]));
    browser.evaluate("dispatchEvent(new Event('beforeprint'))");
    let width = browser.evaluate("document.querySelector('.plot svg').getAttribute('width')");
    assert_eq!(width, "860", "wider than paper, to which it shrinks");
}
