//! Tests reports in all formats. Numbers must agree, files must be small, and no redacted value may appear.

use std::time::Duration;

use crate::common;
use crate::common::{incomplete, interval, invalid, valid};
use serde_json::Value;
use tacho_analysis::{Baseline, Comparison, Measurement, Reported, Side, SweepSide, SweepView};
use tacho_config::{SETTINGS, Setting, Source, resolve};
use tacho_core::ParameterKind;
use tacho_metrics::{Latencies, Verdict};
use tacho_report::{CsvTable, Format, Text};
use tacho_store::record::{AcknowledgedRecord, Record, RunState, ServerLoadRecord, WaitRecord};
use tacho_store::sweep::{Outcome, Point, SweepRecord, Varied};
use tacho_store::{HistogramEntry, IntervalRecord, IntervalTransaction, ServerIntervalRecord};

const FORMATS: [Format; 5] =
    [Format::Html, Format::Markdown, Format::Csv(CsvTable::Runs), Format::Json, Format::Junit];

fn side(name: &str, runs: Vec<Measurement>) -> Side {
    Side { name: name.into(), runs }
}

fn of(run: Measurement) -> Reported {
    Reported {
        sides: vec![side("latest", vec![run])],
        baseline: None,
        comparisons: Vec::new(),
        sweeps: Vec::new(),
        sweep_comparisons: Vec::new(),
        title: None,
        summary: None,
        notice: "Derived from the TPC-C benchmark; not a TPC result.".into(),
        tool_version: "0.1.0".into(),
    }
}

/// Returns a report that compares two runs.
fn compared(before: Measurement, after: Measurement) -> Reported {
    let (baseline, run) = (side("before", vec![before]), side("after", vec![after]));
    let comparisons = vec![Comparison::of(&baseline, &run, true).expect("comparable")];
    Reported { sides: vec![run], baseline: Some(baseline), comparisons, ..of(measured(valid(), 5)) }
}

/// Returns a run with one-second intervals, histograms, and server waits.
fn measured(record: Record, seconds: u32) -> Measurement {
    let times = (1..=seconds).map(f64::from);
    let intervals: Vec<IntervalRecord> = times
        .clone()
        .map(|at_s| IntervalRecord {
            length_s: 1.0,
            transactions: ["new_order", "payment", "order_status", "delivery", "stock_level"]
                .map(|name| IntervalTransaction { name: name.into(), ..interval(at_s).totals })
                .to_vec(),
            ..interval(at_s)
        })
        .collect();
    let wait = |class: &str, event: &str| WaitRecord {
        class: class.into(),
        event: event.into(),
        kind: None,
        sessions: 1.234_567,
        share: 0.1,
    };
    let load = ServerLoadRecord {
        samples: 10,
        active_sessions: 12.3,
        waits: (0..12).map(|n| wait("Lock", &format!("event{n}"))).collect(),
        ..ServerLoadRecord::default()
    };
    let server = times.map(|at_s| ServerIntervalRecord {
        at_s,
        phase: "measure".into(),
        load: load.clone(),
    });
    let server = server.collect();
    let mut record = record;
    if let Some(result) = &mut record.result {
        result.server_load = Some(load);
    }
    let parts = seconds.div_ceil(10).clamp(1, 240);
    let length = Duration::from_secs((seconds / parts).into());
    let histograms = (0..parts).flat_map(|part| part_of(length * part, length)).collect();
    Measurement { intervals, histograms, server, ..Measurement::of(record) }
}

/// Returns all histograms of one part of the run. Their values range over three decades.
fn part_of(start: Duration, length: Duration) -> Vec<HistogramEntry> {
    let mut entries = Vec::new();
    for kind in ["new_order", "payment", "order_status", "delivery", "stock_level"] {
        for tag in [kind.to_owned(), format!("{kind}.service")] {
            let mut latencies = Latencies::new();
            (1..=1_500).for_each(|n: u64| latencies.record(Duration::from_micros(n * n / 3 + 50)));
            entries.push(HistogramEntry::new(tag, start, length, &latencies));
        }
    }
    entries
}

fn render(report: &Reported, format: Format) -> String {
    tacho_report::render(report, format).expect("a report")
}

fn plain(text: &str) -> String {
    text.replace('\u{202f}', " ")
}

#[test]
fn markdown_reads_well() {
    let text = plain(&render(&of(measured(valid(), 3)), Format::Markdown));
    let (head, _) = text.split_once("## Latency").expect("sections");
    insta::assert_snapshot!(head, @r"
    # tprocc on local, SQLite 3.51.1

    profile spec · seed 42 · run 7q3f · 2026-03-02 10:14 · tag nightly

    **VALID with 1 warning: shared machine**

    - **question**: What throughput does SQLite 3.51.1 reach in tprocc with 1 session?
    - **answer**: 114 210 NOPM ±0.8 %, p95 420 µs: VALID with 1 warning: shared machine.
    - **cause**: Unknown: nothing that was observed explains the result.
    - **conditions**: SQLite 3.51.1, 1 warehouse, 1 session, closed, no think time; 10 s measured after 2 s ramp-up.<br>Machine: 2 cores, a processor, 14.9 GiB memory.<br>Durability is switched off: synchronous=normal: the last commits may be lost.
    - **not shown**: The database runs inside this process; figures include our own CPU use; hint: for a server's figures name a target, such as postgres://bench@db1/tprocc.<br>How much the result varies between runs: repeat the run with the same --tag.

    - **114 210** NOPM, counted in the database
    - **265 120** TPM, counted by the client
    - **±0.8 %** 95 % CI, 10 intervals of 1 s
    - **420 µs** latency p95, of 44 187 transactions, max 8.82 ms
    - **0** failed, 0.0 % of all

    In 10 s, 44 187 transactions ended, 4 419 a second. Half of them took at most 140 µs, and 95 % took at most 420 µs.

    > ✗ Durability is switched off: synchronous=normal: the last commits may be lost\
    > hint: compare only with results that were also measured without durability

    > ! the database runs inside this process; figures include our own CPU use (W07)\
    > hint: for a server's figures name a target, such as postgres://bench@db1/tprocc

    ## Over time

    *Chart in the HTML report: Throughput, NOPM.*

    - **throughput**: ✓ steady: second half +0.4 % vs. the first

    *Chart in the HTML report: Failed transactions, by kind.*

    *Chart in the HTML report: Latency over time.*
    ");
    for part in [
        "| new\\_order | 43.1 % | 19 045 | 190 µs | 260 µs | 301 µs | 488 µs | 1.12 ms | 4.39 ms | 0 | 191 |",
        "- **accounting**: 44 188 started = 43 996 committed + 191 rolled back + 0 failed + 1 unfinished",
        "tacho run tprocc local --seed 42",
        "Derived from the TPC-C benchmark",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn lost_commits_stand_at_the_top_of_the_page() {
    let mut record = valid();
    let result = record.result.as_mut().expect("a result");
    let acknowledged = 124_061;
    result.acknowledged = Some(AcknowledgedRecord { acknowledged, ..Default::default() });
    let text = plain(&render(&of(measured(record, 3)), Format::Markdown));
    let lead = text.find("Nothing lost of 124 061 acknowledged commits.").expect("a sentence");
    assert!(lead < text.find("## ").expect("a section"), "{text}");
}

#[test]
fn junit_fails_what_failed() {
    let text = plain(&render(&of(Measurement::of(invalid())), Format::Junit));
    let (head, rest) = text.split_once("    <testcase name=\"check C5").expect("twelve checks");
    insta::assert_snapshot!(head, @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="tacho" tests="16" failures="3" errors="1" skipped="2">
      <testsuite name="tprocc on local, run 7q3f" tests="16" failures="3" errors="1" skipped="2" timestamp="2026-03-02T10:14:05+01:00" time="3.42">
        <testcase name="run is valid" classname="tprocc on local, run 7q3f">
          <failure message="INVALID: rate not reached; checks failed">INVALID: rate not reached; checks failed
    4 418/s of 5 000/s were reached (W01); hint: what to do
    2 of 12 checks do not hold (W09); hint: what to do</failure>
        </testcase>
        <testcase name="figure is steady" classname="tprocc on local, run 7q3f">
          <skipped message="the run is INVALID">the run is INVALID</skipped>
        </testcase>
        <testcase name="threshold new_order.p95&lt;50ms" classname="tprocc on local, run 7q3f"/>
        <testcase name="threshold nopm&gt;200k" classname="tprocc on local, run 7q3f">
          <failure message="no data, which fails">no data, which fails</failure>
        </testcase>
        <testcase name="check C1 after the run: rule 1 of the specification" classname="tprocc on local, run 7q3f"/>
        <testcase name="check C2 after the run: rule 2 of the specification" classname="tprocc on local, run 7q3f"/>
        <testcase name="check C3 after the run: rule 3 of the specification" classname="tprocc on local, run 7q3f">
          <failure message="3 rows, the first: w_id 1, d_id 2, found 3 004">3 rows, the first: w_id 1, d_id 2, found 3 004</failure>
        </testcase>
        <testcase name="check C4 after the run: rule 4 of the specification" classname="tprocc on local, run 7q3f">
          <error message="failed: no such table: district">failed: no such table: district</error>
        </testcase>
    "#);
    assert!(rest.contains("<skipped message=\"excused: amounts_reversed\">"), "{rest}");
    assert!(rest.ends_with("</testsuites>\n"));
}

#[test]
fn a_run_that_was_killed_is_no_passed_test() {
    let report = of(Measurement::of(incomplete()));
    let text = render(&report, Format::Junit);
    assert!(text.contains("errors=\"1\"") && text.contains("INCOMPLETE"), "{text}");
    let text = render(&report, Format::Markdown);
    assert!(
        text.contains("INCOMPLETE") && text.contains("there are no charts over time"),
        "{text}"
    );
    render(&report, Format::Html);
}

#[test]
fn the_unit_of_a_killed_run_is_that_of_its_figures() {
    let report = of(measured(incomplete(), 3));
    let data: Value = serde_json::from_str(&render(&report, Format::Json)).expect("JSON");
    let throughput = &data["charts"]["throughput"];
    assert_eq!(throughput["metric"], "transactions/s");
    assert_eq!(throughput["value"][0], 4_410.2);
    assert_eq!(throughput["events"][0]["kind"], serde_json::json!("failures"));
}

#[test]
fn csv_leaves_nothing_out() {
    let report = of(measured(valid(), 2_000));
    let text = render(&report, Format::Csv(CsvTable::Intervals));
    let rows: Vec<&str> = text.lines().collect();
    // After the header, each of the 2 000 intervals has six rows: one for each of the five transaction types, and one
    // for their total.
    assert_eq!(rows.len(), 1 + 6 * 2_000);
    let cells = rows[0].split(',').count();
    assert!(rows.iter().all(|row| row.split(',').count() == cells));
    assert_eq!(
        rows[1],
        "7q3f,1,1,measure,64,all,44000,102,2,44102,114210,10000,26000,47000,171000,0,"
    );
    let text = render(&report, Format::Csv(CsvTable::Transactions));
    assert!(text.contains("7q3f,payment,0.449,19841,0,0,19841,24.6,"), "{text}");
    let none =
        tacho_report::render(&report, Format::Csv(CsvTable::Metrics)).expect_err("no comparison");
    assert!(none.hints()[0].contains("--baseline"), "{none}");
}

/// Returns the data embedded in a page.
fn data(page: &str) -> Value {
    let (_, rest) =
        page.split_once("<script type=\"application/json\" id=\"data\">").expect("data");
    let (data, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn a_page_carries_the_figures_of_the_record_and_needs_nothing_else() {
    let mut record = valid();
    record.note = Some("</script><script>alert(1)</script>".into());
    let report = of(measured(record.clone(), 100));
    let page = render(&report, Format::Html);
    let json: Value = serde_json::from_str(&render(&report, Format::Json)).expect("JSON");
    assert_eq!(data(&page), json);
    let mut expected = record;
    expected.result = report.sides[0].runs[0].record.result.clone();
    assert_eq!(json["records"][0], serde_json::to_value(expected).expect("JSON"));
    assert!(page.contains("&lt;script&gt;alert(1)"), "a note is text");
    assert_eq!(page.matches("<script").count(), 4, "data, two libraries, and ours");
    for outside in ["src=", "@import", "url(http", "href=\"http"] {
        let head = page.split("<script>").next().expect("what is before the libraries");
        assert!(!head.contains(outside), "{outside}");
    }
}

#[test]
fn ten_hours_of_2000_sessions_are_less_than_two_megabytes() {
    let mut record = valid();
    record.plan.load.sessions = 2_000;
    let report = of(measured(record, 36_000));
    let page = render(&report, Format::Html);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let charts = &data(&page)["charts"];
    let columns = |chart: &str| charts[chart]["from"].as_array().map(Vec::len);
    assert_eq!(columns("throughput"), Some(600));
    assert_eq!(columns("heatmap"), Some(240));
    assert!(plain(&page).contains("Each column represents 1 min, which is 60 intervals combined."));
    // The heatmap contains every transaction.
    let cells = charts["heatmap"]["kinds"][0]["cells"].as_array().expect("cells");
    let counted: u64 = cells.iter().skip(2).step_by(3).filter_map(Value::as_u64).sum();
    assert_eq!(counted, 240 * 5 * 1_500);
}

#[test]
fn five_hundred_runs_can_be_compared() {
    let runs = |first: u32| -> Vec<Measurement> {
        let run = |n: u32| {
            let mut record = valid();
            record.id = format!("r{n}");
            record.started_at = format!("2026-03-02T10:{:02}:{:02}+01:00", n / 60 % 60, n % 60);
            if let Some(headline) =
                record.result.as_mut().and_then(|result| result.headline.as_mut())
            {
                headline.per_minute += f64::from(n % 7) * 100.0;
            }
            Measurement::of(record)
        };
        (first..first + 250).map(run).collect()
    };
    let (baseline, run) = (side("tag:before", runs(0)), side("tag:after", runs(250)));
    let comparisons = vec![Comparison::of(&baseline, &run, false).expect("comparable")];
    let report = Reported {
        sides: vec![run],
        baseline: Some(baseline),
        comparisons,
        ..of(Measurement::of(valid()))
    };
    let page = render(&report, Format::Html);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert_eq!(data(&page)["charts"]["runs"]["points"].as_array().map(Vec::len), Some(500));
    let csv = render(&report, Format::Csv(CsvTable::Runs));
    assert_eq!(csv.lines().count(), 501);
}

/// Returns a run whose ID, start and results depend on this number.
fn numbered(number: u32) -> Measurement {
    let mut run = measured(valid(), 12);
    run.record.id = format!("r{number:03}");
    run.record.started_at = format!("2026-03-02T{:02}:{:02}:00+01:00", number / 60, number % 60);
    let level = 114_210.0 * (1.0 + f64::from(number % 7) * 0.01);
    let headline = run.record.result.as_mut().and_then(|result| result.headline.as_mut());
    headline.expect("a headline").per_minute = level;
    for (second, interval) in run.intervals.iter_mut().enumerate() {
        interval.headline_per_minute = Some(level * (1.0 + 1e-3 * (second * 5 % 7) as f64));
    }
    run
}

#[test]
fn hundreds_against_a_baseline_have_a_row_each_and_nothing_is_lost() {
    let baseline = side("before", vec![numbered(0)]);
    let against = Baseline::of(&baseline);
    let mut sides = Vec::new();
    let comparisons = (1..=500).map(|number| {
        let mut run = numbered(number);
        if number % 50 == 0 {
            run.record.server.settings.insert("journal_mode".into(), "delete".into());
        }
        let run = side(&run.record.id.clone(), vec![run]);
        let comparison = against.against(&run, false).expect("comparable");
        sides.push(Side { runs: vec![Measurement::of(run.runs[0].record.clone())], ..run });
        comparison
    });
    let comparisons: Vec<Comparison> = comparisons.collect();
    let report = Reported {
        sides,
        comparisons,
        baseline: Some(baseline.clone()),
        ..of(measured(valid(), 5))
    };
    let page = render(&report, Format::Html);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let carried = data(&page);
    assert_eq!(carried["comparisons"], serde_json::json!([]));
    assert_eq!(carried["comparisons_left_out"], 500);
    let drawn = carried["charts"]["changes"]["rows"].as_array().expect("points");
    assert_eq!(drawn.len(), 500);
    // The page omits some comparisons, but all other formats include them.
    let json: Value = serde_json::from_str(&render(&report, Format::Json)).expect("JSON");
    let all = json["comparisons"].as_array().expect("comparisons");
    assert_eq!((all.len(), json.get("comparisons_left_out")), (500, None));
    let metrics: usize =
        all.iter().map(|comparison| comparison["metrics"].as_array().expect("rows").len()).sum();
    let csv = render(&report, Format::Csv(CsvTable::Metrics));
    assert_eq!(csv.lines().count(), 1 + metrics);
    // The table shows the result of each comparison. It also shows, for each condition, in how many
    // runs that condition differs.
    let text = plain(&render(&report, Format::Markdown));
    let (_, table) = text.split_once("### Each against the baseline").expect("a table");
    for comparison in &report.comparisons[..60] {
        let begin = format!("| {} |", comparison.run.name);
        let row = table.lines().find(|line| line.starts_with(&begin)).expect("a row");
        let claimed = comparison.throughput() == Verdict::Better;
        assert_eq!(row.contains("| better |"), claimed, "{row}");
    }
    assert!(table.contains("and 440 more; see the HTML report or the CSV output."));
    for comparison in &report.comparisons {
        let cell = format!(">{}</td>", comparison.run.name);
        assert_eq!(page.matches(&cell).count(), 2, "{cell} in both tables");
    }
    assert!(text.contains("better or worse by chance, of these some 5."), "{text}");
    assert!(text.contains("| server.settings.journal\\_mode | wal | delete | 10 |"), "{text}");
    assert!(text.contains("--table metrics"));
    let better = drawn.iter().filter(|comparison| comparison["verdict"] == "better").count();
    assert!(better > 400, "{better}: six of seven are one per cent and more above it");
}

/// Text fields that the test leaves unchanged, because neither the user nor the server determines
/// their values.
const OURS: [&str; 38] = [
    "format",
    "id",
    "state",
    "started_at",
    "tool_version",
    "workload",
    "driver",
    "profile",
    "form",
    "scale_unit",
    "arrival",
    "spacing",
    "retry",
    "on_disconnect",
    "on_host_loss",
    "check",
    "arch",
    "loaded_at",
    "name",
    "source",
    "verdict",
    "require",
    "unsettled",
    "ended_by",
    "transaction",
    "kind",
    "class",
    "event",
    "when",
    "rule",
    "clause",
    "client_limited",
    "expression",
    "measured_text",
    "verify",
    "os",
    "kernel",
    "cpu",
];

/// Inserts a marker into all texts that do not come from Tacho itself, such as names, addresses and
/// paths.
fn mark(value: &mut Value, key: &str, in_host: bool) {
    match value {
        Value::String(text) if in_host || !OURS.contains(&key) => {
            let alone = format!("vault7{key}");
            *text = match key {
                "text" | "hint" | "detail" | "missing" | "durability_risks" | "gaps"
                | "version" => {
                    format!(
                        "{text} at vault7host of 10.77.1.2:5432, see /srv/vault7/x, by vault7@db"
                    )
                }
                _ => alone,
            };
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                mark(value, key, in_host && key == "name");
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mark(item, key, in_host)),
        _ => {}
    }
}

fn marked(record: Record) -> Record {
    let mut value = serde_json::to_value(record).expect("JSON");
    let format = value["format"].clone();
    mark(&mut value, "", false);
    value["format"] = format;
    value["host"]["name"] = "vault7host".into();
    value["plan"]["target"] =
        "postgres://vault7user@vault7host:5432/vault7db?host=/srv/vault7".into();
    value["plan"]["parameters"]["tablespace"] = "vault7space".into();
    value["server"]["settings"]["data_directory"] = "/srv/vault7/data".into();
    value["server"]["settings"]["listen_addresses"] = "10.77.1.2".into();
    value["tags"] = serde_json::json!(["vault7tag"]);
    value["note"] = "vault7 note".into();
    serde_json::from_value(value).expect("a record")
}

#[test]
fn nothing_hidden_remains() {
    let mut run = measured(marked(invalid()), 5);
    run.gaps.push("read /srv/vault7/runs/x: gone".into());
    let mut other = measured(marked(valid()), 5);
    other.record.id = "7q3g".into();
    other.record.host.name = "vault7other".into();
    let single = of(run.clone());
    let both = compared(run, other);
    let sweep = swept(marked(valid()));
    for report in [single, both, sweep] {
        let before: String = FORMATS.iter().map(|format| render(&report, *format)).collect();
        assert!(before.contains("vault7") && before.contains("10.77.1.2"), "the markers are there");
        let report = report.redacted(&[]);
        for format in FORMATS {
            let text = render(&report, format).to_lowercase();
            for marker in ["vault7", "10.77.1", "/srv"] {
                let at = text.find(marker);
                let around =
                    at.map(|at| String::from_utf8_lossy(&text.as_bytes()[at - 80..at + 40]));
                assert_eq!(at, None, "{format:?}: {around:?}");
            }
            assert!(text.contains("7q3f"), "the id stays: {format:?}");
        }
    }
}

fn swept(record: Record) -> Reported {
    let point = |value: &str, error: Option<&str>| Point {
        values: vec![value.into()],
        repetition: 1,
        equal_side: None,
        headroom: false,
        outcome: if error.is_some() { Outcome::Failed } else { Outcome::Measured },
        run: error.is_none().then(|| "7q3f".into()),
        error: error.map(str::to_owned),
    };
    let sweep = SweepRecord {
        format: "tacho-sweep".into(),
        version: 1,
        id: "s1s1".into(),
        state: RunState::Complete,
        started_at: "2026-03-02T10:14:05+01:00".into(),
        tool_version: "0.1.0".into(),
        workload: "tprocc".into(),
        target_name: "vault7host".into(),
        settings: vec![("target".into(), vec!["vault7host".into()])],
        vary: vec![Varied {
            key: "target".into(),
            values: vec!["vault7a".into(), "vault7b".into()],
        }],
        calibration: None,
        points: vec![point("vault7a", None), point("vault7b", Some("no host 10.77.1.2"))],
        found: None,
        found_for: Vec::new(),
    };
    let view = SweepView::of(sweep, |_| Some(record.clone()));
    let runs = vec![vec![Measurement::of(record.clone())], Vec::new()];
    let side = SweepSide { name: "vault7sweep".into(), view, runs };
    Reported { sides: Vec::new(), sweeps: vec![side], ..of(Measurement::of(record)) }
}

#[test]
fn a_page_of_twenty_long_points_is_small_enough_to_send() {
    let mut report = swept(valid());
    let side = &mut report.sweeps[0];
    let point = |n: usize| {
        let mut row = side.view.rows[0].clone();
        row.values = vec![format!("db{n}")];
        row
    };
    side.view.rows = (0..20).map(point).collect();
    side.runs = (0..20).map(|_| vec![measured(valid(), 3_600)]).collect();
    let page = render(&report, Format::Html);
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    let points = &data(&page)["charts"]["points"]["points"];
    assert_eq!(points.as_array().map(Vec::len), Some(20));
    assert!(page.contains("target db19: run 7q3f, VALID"), "each has its transactions");
}

#[test]
fn a_long_reason_stands_below_the_table() {
    let mut report = swept(valid());
    let log = format!("cannot start: {}the end", "FATAL: out of memory ".repeat(20));
    report.sweeps[0].view.rows[1].missing = Some(log.clone());
    let text = report.sweeps[0].view.text(&common::WIDE);
    let row = text.lines().find(|line| line.contains("vault7b")).expect("a row");
    assert!(row.ends_with('…') && row.chars().count() < 200, "{row}");
    let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(whole.contains(&format!("vault7b: {log}")), "{text}");
    assert!(render(&report, Format::Markdown).contains("the end"));
}

#[test]
fn a_point_that_failed_says_why() {
    let text = render(&swept(valid()), Format::Markdown);
    assert!(text.contains("no host 10.77.1.2"), "{text}");
    let csv = render(&swept(valid()), Format::Csv(CsvTable::Points));
    assert!(
        csv.lines().nth(2).is_some_and(|row| row.ends_with("no host 10.77.1.2,,false,")),
        "{csv}"
    );
}

/// Returns a value for the setting that is not its default.
fn other_value(setting: &Setting) -> &'static str {
    match (setting.parameter.key, setting.parameter.kind) {
        ("set" | "storage", _) => "a=b",
        ("load", _) => "steps: 2x1s, 3x1s",
        ("pacing", _) => "spec",
        (_, ParameterKind::Choice(words)) => words[words.len() - 1],
        (_, ParameterKind::Duration) => "7s",
        _ => "7",
    }
}

/// Returns a run with the given settings.
fn run_with(flags: Vec<(String, Vec<String>)>) -> Record {
    let plan = resolve(Source { flags, ..Source::default() }).expect("a plan").plan;
    let mut record = Record { tags: plan.tags, note: plan.note, ..valid() };
    let planned = &mut record.plan;
    (planned.load, planned.judgement, planned.steps) = (plan.load, plan.judgement, plan.steps);
    (planned.routes, planned.packs) = (plan.data.routes, plan.data.packs);
    (planned.set, planned.sets, planned.form) = (plan.data.set, plan.data.sets, plan.data.form);
    record
}

#[test]
fn a_plan_shows_each_setting_and_a_report_each_that_was_changed() {
    let mut elsewhere = Vec::new();
    for setting in SETTINGS {
        let key = setting.parameter.key;
        // Records do not contain the settings of the log of transactions.
        if key.starts_with("log") {
            continue;
        }
        let mut flags = vec![(key.to_owned(), vec![other_value(setting).to_owned()])];
        // The settings `spacing` and `backlog` have no effect without a rate, so set a rate too.
        if matches!(key, "spacing" | "backlog") {
            flags.push(("rate".into(), vec!["5".into()]));
        }
        let record = run_with(flags);
        let plan = tacho_report::plan(&record, &common::WIDE);
        assert!(plan.lines().any(|line| line.starts_with(&format!("  {key} "))), "{key}: {plan}");
        let report = render(&of(measured(record, 1)), Format::Markdown);
        let row = format!("| {} | ", key.replace('_', "\\_"));
        if !report.lines().any(|line| line.starts_with(&row)) {
            elsewhere.push(key);
        }
    }
    // Reports show these settings elsewhere: in titles, in sentences or in separate tables.
    let stated = "target workload scale profile set form seed sessions rate load spacing backlog pacing duration \
                  terminals transactions ramp_up ramp_down interval retry attempts backoff threshold tag note";
    let mut stated: Vec<&str> = stated.split_whitespace().collect();
    stated.sort_unstable();
    elsewhere.sort_unstable();
    assert_eq!(elsewhere, stated);
}
