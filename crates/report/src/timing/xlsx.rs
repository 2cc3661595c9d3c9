//! The time profile as a spreadsheet with charts.
//!
//! Start reading at [`xlsx`].

use rust_xlsxwriter::{
    Chart, ChartEmptyCells, ChartType, DocProperties, ExcelDateTime, Format, Workbook, Worksheet,
    XlsxError,
};
use tacho_analysis::{Figures, SpanTiming, Timing};
use tacho_core::units::counted;
use tacho_core::{Error, ErrorKind, Result};

type Figure = fn(&Figures) -> Option<f64>;
type Written = std::result::Result<(), XlsxError>;

/// The columns of a distribution, in milliseconds.
const COLUMNS: [(&str, Figure); 10] = [
    ("min ms", |figures| figures.min_us),
    ("mean ms", |figures| figures.mean_us),
    ("max ms", |figures| figures.max_us),
    ("total ms", |figures| Some(figures.total_us)),
    ("p25 ms", |figures| figures.p25_us),
    ("p50 ms", |figures| figures.p50_us),
    ("p75 ms", |figures| figures.p75_us),
    ("p95 ms", |figures| figures.p95_us),
    ("p99 ms", |figures| figures.p99_us),
    ("sd ms", |figures| figures.sd_us),
];
/// The columns of p50, p95 and p99, which the first chart shows.
const CHARTED: [u16; 3] = [7, 9, 10];
/// Row that contains the column titles of a table.
const TITLES: u32 = 2;
const CHART_WIDTH: u32 = 960;
const CHART_HEIGHT: u32 = 360;

/// A table of values over time, with one row for each point in time.
struct Series {
    name: &'static str,
    says: String,
    titles: Vec<String>,
    rows: Vec<Vec<Option<f64>>>,
    /// The charts, each with its title, the title of its axis, and its columns.
    charts: Vec<(&'static str, &'static str, Vec<u16>)>,
}

/// Returns an `.xlsx` file with sheets for the summary, the spans and the intervals.
pub fn xlsx(timing: &Timing) -> Result<Vec<u8>> {
    let failed = |error: &XlsxError| {
        Error::new(ErrorKind::Resource, error.to_string())
            .during("create a spreadsheet")
            .hint("use .csv instead: a sheet can hold at most 1 048 576 rows")
    };
    workbook(timing).and_then(|mut book| book.save_to_buffer()).map_err(|error| failed(&error))
}

fn workbook(timing: &Timing) -> std::result::Result<Workbook, XlsxError> {
    let mut book = Workbook::new();
    // Set a fixed creation date, so that equal runs produce equal files.
    let made = ExcelDateTime::from_ymd(2000, 1, 1)?;
    book.set_properties(&DocProperties::new().set_creation_datetime(&made));
    summary(timing, book.add_worksheet())?;
    spans_series(timing).write(book.add_worksheet())?;
    intervals_series(timing).write(book.add_worksheet())?;
    Ok(book)
}

fn summary(timing: &Timing, sheet: &mut Worksheet) -> Written {
    let bold = Format::new().set_bold();
    sheet.set_name("Summary")?;
    sheet.write_with_format(0, 0, &timing.title, &bold)?;
    sheet.write(
        1,
        0,
        format!(
            "Run {}, {}, {:.1} s measured. Service time: end − sent.",
            timing.run,
            counted(timing.sessions.into(), "session"),
            timing.measured_s
        ),
    )?;
    let titles = ["transaction", "calls"].into_iter().chain(COLUMNS.map(|column| column.0));
    for (column, title) in titles.chain(["ratio", "failed"]).enumerate() {
        sheet.write_with_format(TITLES, column as u16, title, &bold)?;
    }
    let share = Format::new().set_num_format("0.0 %");
    for (row, procedure) in (TITLES + 1..).zip(&timing.procedures) {
        sheet.write(row, 0, &procedure.name)?;
        sheet.write(row, 1, procedure.service.calls)?;
        for (column, (_, figure)) in (2..).zip(COLUMNS) {
            write_ms(sheet, row, column, figure(&procedure.service))?;
        }
        let after = 2 + COLUMNS.len() as u16;
        sheet.write_with_format(row, after, procedure.ratio, &share)?;
        sheet.write(row, after + 1, procedure.failed)?;
    }
    sheet.set_column_width(0, 16)?;
    let last = TITLES + timing.procedures.len() as u32;
    let mut chart = chart(ChartType::Column, "Service time", "milliseconds");
    for column in CHARTED {
        chart
            .add_series()
            .set_name(("Summary", TITLES, column))
            .set_categories(("Summary", TITLES + 1, 0, last, 0))
            .set_values(("Summary", TITLES + 1, column, last, column));
    }
    sheet.insert_chart(last + 2, 0, &chart)?;
    Ok(())
}

fn spans_series(timing: &Timing) -> Series {
    let kinds = timing.spans.first().map_or(&[][..], |span| &span.transactions[..]);
    let mut titles = vec!["start s".to_owned(), "length s".to_owned()];
    for kind in kinds {
        let title = |figure: &str| format!("{} {figure}", kind.name);
        titles.extend(["calls", "p50 ms", "p95 ms", "p99 ms", "max ms"].map(title));
    }
    let row = |span: &SpanTiming| {
        let mut row = vec![Some(span.start_s), Some(span.length_s)];
        for transaction in &span.transactions {
            let Figures { calls, p50_us, p95_us, p99_us, max_us, .. } = transaction.service;
            row.push(Some(calls as f64));
            row.extend([p50_us, p95_us, p99_us, max_us].map(|us| us.map(|us| us / 1e3)));
        }
        row
    };
    let percentile = |place: u16| (0..kinds.len() as u16).map(|at| 2 + 5 * at + place).collect();
    Series {
        name: "Spans",
        says: "Service time (end − sent) over spans of about 10 s of the measured phase; \
               percentiles from histograms of all sessions."
            .into(),
        titles,
        rows: timing.spans.iter().map(row).collect(),
        charts: vec![
            ("p95 over time", "milliseconds", percentile(2)),
            ("p50 over time", "milliseconds", percentile(1)),
        ],
    }
}

fn intervals_series(timing: &Timing) -> Series {
    let first = timing.intervals.first();
    let names = first.map(|interval| interval.transactions.iter().chain([&interval.totals]));
    let names: Vec<&str> =
        names.into_iter().flatten().map(|transaction| transaction.name.as_str()).collect();
    let mut titles: Vec<String> =
        ["end s", "length s", "measured", "transactions/s", "failed"].map(Into::into).to_vec();
    let figures = ["count", "p50 ms", "p95 ms", "p99 ms", "max ms"];
    titles.extend(names.iter().flat_map(|name| figures.map(|figure| format!("{name} {figure}"))));
    let row = |interval: &tacho_store::IntervalRecord| {
        let measured = if interval.phase == "measure" { 1.0 } else { 0.0 };
        let failed = interval.totals.failed as f64;
        let mut row =
            [interval.at_s, interval.length_s, measured, interval.throughput_per_s, failed]
                .map(Some)
                .to_vec();
        for kind in interval.transactions.iter().chain([&interval.totals]) {
            row.push(Some(kind.count() as f64));
            let us = [kind.p50_us, kind.p95_us, kind.p99_us, kind.max_us];
            row.extend(us.map(|us| us.map(|us| us / 1e3)));
        }
        row
    };
    let p95 = (0..names.len() as u16).map(|at| 5 + 5 * at + 2).collect();
    Series {
        name: "Intervals",
        says: "Latency (end − due) over the intervals of the run. In ramp-up and ramp-down, the column measured contains 0. Percentiles with too few samples are empty."
            .into(),
        titles,
        rows: timing.intervals.iter().map(row).collect(),
        charts: vec![
            ("Throughput over time", "transactions per second", vec![3]),
            ("p95 over time", "milliseconds", p95),
        ],
    }
}

impl Series {
    fn write(&self, sheet: &mut Worksheet) -> Written {
        let bold = Format::new().set_bold();
        sheet.set_name(self.name)?;
        sheet.write(0, 0, &self.says)?;
        for (column, title) in self.titles.iter().enumerate() {
            sheet.write_with_format(TITLES, column as u16, title, &bold)?;
        }
        for (row, values) in (TITLES + 1..).zip(&self.rows) {
            for (column, value) in values.iter().enumerate() {
                if let Some(value) = value {
                    sheet.write(row, column as u16, *value)?;
                }
            }
        }
        sheet.set_freeze_panes(TITLES + 1, 1)?;
        if self.rows.is_empty() {
            return Ok(());
        }
        let last = TITLES + self.rows.len() as u32;
        for (place, (title, axis, columns)) in (0..).zip(&self.charts) {
            let mut chart = chart(ChartType::ScatterStraight, title, axis);
            chart.x_axis().set_name("seconds since the start of the run");
            chart.show_empty_cells_as(ChartEmptyCells::Gaps);
            for column in columns {
                chart
                    .add_series()
                    .set_name((self.name, TITLES, *column))
                    .set_categories((self.name, TITLES + 1, 0, last, 0))
                    .set_values((self.name, TITLES + 1, *column, last, *column));
            }
            // The charts are placed to the right of the table, one below another.
            let row = TITLES + place * (CHART_HEIGHT / 20 + 2);
            sheet.insert_chart(row, self.titles.len() as u16 + 1, &chart)?;
        }
        Ok(())
    }
}

fn chart(kind: ChartType, title: &str, axis: &str) -> Chart {
    let mut chart = Chart::new(kind);
    chart.title().set_name(title);
    chart.y_axis().set_name(axis).set_min(0);
    chart.set_width(CHART_WIDTH).set_height(CHART_HEIGHT);
    chart
}

fn write_ms(sheet: &mut Worksheet, row: u32, column: u16, us: Option<f64>) -> Written {
    if let Some(us) = us {
        sheet.write(row, column, us / 1e3)?;
    }
    Ok(())
}
