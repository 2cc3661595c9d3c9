//! Tests that the time profile matches the histograms and is the same in every format.

use std::io::Cursor;
use std::time::Duration;

use crate::common;
use crate::common::{WIDE, fitted, valid};
use calamine::{Data, Range, Reader, Xlsx};
use tacho_analysis::Timing;
use tacho_metrics::Latencies;
use tacho_report::{Text, json, timing_csv, timing_xlsx};
use tacho_store::record::Record;
use tacho_store::{HistogramEntry, IntervalRecord, IntervalTransaction};

/// Returns a part of the measured phase that lasts four seconds. Most calls take 1 ms, and every
/// tenth takes 3 ms.
fn part(tag: &str, part: u64, calls: u64) -> HistogramEntry {
    let mut latencies = Latencies::new();
    for call in 0..calls {
        latencies.record(Duration::from_millis(if call % 10 == 9 { 3 } else { 1 }));
    }
    let (start, length) = (Duration::from_secs(10 + 4 * part), Duration::from_secs(4));
    HistogramEntry::new(tag.into(), start, length, &latencies)
}

fn interval(second: u64) -> IntervalRecord {
    let name = |name: &str, count: u64| IntervalTransaction {
        name: name.into(),
        committed: count,
        p50_us: Some(1_000.0),
        max_us: Some(3_000.0),
        ..IntervalTransaction::default()
    };
    IntervalRecord {
        at_s: second as f64,
        length_s: 1.0,
        phase: if second <= 10 { "ramp-up" } else { "measure" }.into(),
        throughput_per_s: 40.0,
        transactions: vec![name("new_order", 25), name("payment", 15)],
        totals: name("all", 40),
        ..IntervalRecord::default()
    }
}

/// Returns a profile of six parts, which form spans of twelve seconds.
fn timing() -> Timing {
    let parts = (0..6).flat_map(|number| {
        [
            part("new_order", number, 100),
            part("new_order.service", number, 100),
            part("payment", number, 60),
            part("payment.service", number, 60),
        ]
    });
    let parts: Vec<HistogramEntry> = parts.collect();
    Timing::of(&valid(), &parts, (1..=34).map(interval).collect()).expect("a complete run")
}

fn sheet(bytes: Vec<u8>, name: &str) -> Range<Data> {
    let mut book: Xlsx<_> = Xlsx::new(Cursor::new(bytes)).expect("a spreadsheet");
    book.worksheet_range(name).expect("a sheet")
}

fn number(sheet: &Range<Data>, row: u32, column: u32) -> Option<f64> {
    match sheet.get_value((row, column)) {
        Some(Data::Float(number)) => Some(*number),
        Some(Data::Int(number)) => Some(*number as f64),
        _ => None,
    }
}

#[test]
fn figures_are_those_of_the_calls() {
    let timing = timing();
    let first = &timing.procedures[0];
    assert_eq!((first.name.as_str(), first.service.calls), ("new_order", 600));
    let near = |value: f64, expected: f64| (value / expected - 1.0).abs() < 2e-3;
    // 540 calls take 1 ms and 60 take 3 ms, so the mean is 1.2 and the variance is 0.9 · 0.04 + 0.1 · 3.24 = 0.36.
    assert!(near(first.service.mean_us.expect("calls"), 1_200.0));
    assert!(near(first.service.sd_us.expect("calls"), 600.0));
    assert!(near(first.service.total_us, 720_000.0));
    assert!(near(first.service.p50_us.expect("enough calls"), 1_000.0));
    assert!(near(first.service.p95_us.expect("enough calls"), 3_000.0));
    assert_eq!(first.service.p99_us, None, "a thousand calls are needed");
    let all = timing.procedures.last().expect("all");
    assert_eq!((all.name.as_str(), all.service.calls), ("all", 960));
    let spans: Vec<(f64, f64)> =
        timing.spans.iter().map(|span| (span.start_s, span.length_s)).collect();
    assert_eq!(spans, [(10.0, 12.0), (22.0, 12.0)]);
    assert_eq!(timing.spans[0].transactions[0].service.calls, 300);
}

#[test]
fn every_format_has_the_same_figures() {
    let timing = timing();
    let json: serde_json::Value =
        serde_json::from_str(&json(&timing).expect("JSON")).expect("JSON");
    let bytes = timing_xlsx(&timing).expect("a spreadsheet");
    let summary = sheet(bytes.clone(), "Summary");
    let csv = timing_csv(&timing);
    let width = csv.lines().next().expect("a header").split(',').count();
    assert!(csv.lines().all(|line| line.split(',').count() == width), "{csv}");
    // The CSV columns of min, mean, max, total, p25, p50, p75, p95, p99 and sd.
    let figures = [
        ("min", 8),
        ("mean", 9),
        ("max", 10),
        ("total", 11),
        ("p25", 13),
        ("p50", 14),
        ("p75", 15),
        ("p95", 16),
        ("p99", 17),
        ("sd", 12),
    ];
    for (row, procedure) in (3..).zip(json["procedures"].as_array().expect("procedures")) {
        let name = procedure["name"].as_str().expect("a name");
        let line = csv.lines().find(|line| {
            line.starts_with("summary") && line.contains(&format!(",{name},service,"))
        });
        let cells: Vec<&str> = line.expect("a line").split(',').collect();
        assert_eq!(number(&summary, row, 1), procedure["service"]["calls"].as_f64());
        for (column, (figure, cell)) in (2..).zip(figures) {
            let expected = procedure["service"][format!("{figure}_us")].as_f64().map(|us| us / 1e3);
            assert_eq!(number(&summary, row, column), expected, "{name} {figure}");
            let written = cells[cell].parse::<f64>().ok();
            let same = written.zip(expected).is_none_or(|(a, b)| (a - b).abs() < 1e-6);
            assert!(same && written.is_some() == expected.is_some(), "{name} {figure}");
        }
    }
    let intervals = sheet(bytes.clone(), "Intervals");
    assert_eq!((number(&intervals, 3, 0), number(&intervals, 3, 3)), (Some(1.0), Some(40.0)));
    assert_eq!(number(&intervals, 3, 7), None, "an absent percentile is an empty cell");
    let spans = sheet(bytes, "Spans");
    assert_eq!((number(&spans, 4, 0), number(&spans, 4, 2)), (Some(22.0), Some(300.0)));
}

/// Returns a part of a spreadsheet file, which is a ZIP archive.
fn part_of_file(bytes: &[u8], name: &str) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let part = archive.by_name(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    std::io::read_to_string(part).expect("text")
}

/// Returns each piece of text between the two delimiters.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> Vec<&'a str> {
    text.split(begin).skip(1).filter_map(|rest| Some(rest.split_once(end)?.0)).collect()
}

/// Returns the cells in a column range such as `Spans!$C$4:$C$6`.
fn cells(bytes: &[u8], reference: &str) -> Vec<Option<Data>> {
    let (name, range) = reference.split_once('!').expect("a sheet");
    let sheet = sheet(bytes.to_vec(), name);
    let corner = |reference: &str| -> (u32, u32) {
        let (_, rest) = reference.split_once('$').expect("a column");
        let (letters, row) = rest.split_once('$').expect("a row");
        let column = letters.bytes().fold(0, |sum, letter| 26 * sum + u32::from(letter - b'A') + 1);
        (row.parse::<u32>().expect("a row") - 1, column - 1)
    };
    let (from, to) = range.split_once(':').unwrap_or((range, range));
    let ((first, column), (last, same)) = (corner(from), corner(to));
    assert_eq!(column, same, "a series is one column: {reference}");
    (first..=last).map(|row| sheet.get_value((row, column)).cloned()).collect()
}

#[test]
fn the_spreadsheet_has_its_charts_over_its_own_figures() {
    let bytes = timing_xlsx(&timing()).expect("a spreadsheet");
    // The charts of each of the three sheets are listed in a drawing file. Every chart must be in one of these files.
    let drawn: String = (1..=3)
        .map(|number| part_of_file(&bytes, &format!("xl/drawings/_rels/drawing{number}.xml.rels")))
        .collect();
    let types = part_of_file(&bytes, "[Content_Types].xml");
    for number in 1..=5 {
        let file = format!("charts/chart{number}.xml");
        assert!(drawn.contains(&file) && types.contains(&file), "{file}");
        let chart = part_of_file(&bytes, &format!("xl/{file}"));
        let series = between(&chart, "<c:ser>", "</c:ser>");
        assert!(!series.is_empty(), "{file} draws nothing");
        for element in series {
            let references = between(element, "<c:f>", "</c:f>");
            let [name, places, values] = references[..] else { panic!("{references:?}") };
            let title = cells(&bytes, name);
            assert!(matches!(&title[..], [Some(Data::String(_))]), "{name}: {title:?}");
            let (places, values) = (cells(&bytes, places), cells(&bytes, values));
            assert_eq!(places.len(), values.len(), "{references:?}");
            assert!(
                places.iter().all(|place| place.as_ref().is_some_and(|cell| *cell != Data::Empty))
            );
            let is_number =
                |cell: &Option<Data>| matches!(cell, Some(Data::Float(_) | Data::Int(_)));
            let is_empty =
                |cell: &Option<Data>| cell.as_ref().is_none_or(|value| *value == Data::Empty);
            assert!(values.iter().all(|cell| is_number(cell) || is_empty(cell)), "{values:?}");
        }
        let axes = between(&chart, "<a:t>", "</a:t>");
        assert!(axes.len() >= 2, "{file} has a title and a unit: {axes:?}");
    }
    let values = |chart: u32, series: usize| {
        let chart = part_of_file(&bytes, &format!("xl/charts/chart{chart}.xml"));
        let element = between(&chart, "<c:ser>", "</c:ser>")[series].to_owned();
        cells(&bytes, between(&element, "<c:f>", "</c:f>")[2])
    };
    // The summary's p50 is 1 ms for each transaction type. Each interval has 40 transactions per second.
    let figure = |cell: &Option<Data>| match cell {
        Some(Data::Float(figure)) => Some(*figure),
        _ => None,
    };
    let medians: Vec<f64> = values(1, 0).iter().filter_map(figure).collect();
    // The three values are those of new_order, payment and all, because no other transaction was
    // executed.
    assert!(medians.len() == 3 && medians.iter().all(|ms| (ms - 1.0).abs() < 2e-3), "{medians:?}");
    assert_eq!(values(4, 0), vec![Some(Data::Float(40.0)); 34]);
    assert!(bytes == timing_xlsx(&timing()).expect("a spreadsheet"), "the same each time");
}

#[test]
fn the_table_fits_and_runs_without_a_result_are_rejected() {
    let text = fitted(&timing().text(&WIDE), &WIDE);
    assert!(text.contains("new_order") && text.contains("ratio"), "{text}");
    let killed = Record { result: None, ..common::incomplete() };
    let error = Timing::of(&killed, &[], Vec::new()).expect_err("no result");
    assert!(error.to_string().contains("has no result"));
    let empty = Timing::of(&valid(), &[], Vec::new()).expect("a run without histograms");
    assert!(empty.spans.is_empty() && timing_xlsx(&empty).is_ok() && empty.missing > 0);
    assert!(empty.text(&WIDE).contains("The histograms lack"));
}
