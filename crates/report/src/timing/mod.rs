//! The summary of a time profile as a table for a terminal.

mod csv;
mod xlsx;

pub use csv::csv as timing_csv;
pub use xlsx::xlsx as timing_xlsx;

use tacho_analysis::{Figures, ProcedureTiming, Timing, clean};
use tacho_core::units::{counted, grouped, percent};

use crate::document::Block;
use crate::layout::{Text, TextOptions, text};
use crate::table::{Column, Table, latencies};
use crate::words::duration;

type Figure = fn(&Figures) -> Option<f64>;

/// Columns of a distribution by title.
const COLUMNS: [(&str, Figure); 7] = [
    ("min", |own| own.min_us),
    ("mean", |own| own.mean_us),
    ("max", |own| own.max_us),
    ("p50", |own| own.p50_us),
    ("p95", |own| own.p95_us),
    ("p99", |own| own.p99_us),
    ("sd", |own| own.sd_us),
];

impl Text for Timing {
    fn text(&self, options: &TextOptions) -> String {
        let heading = format!(
            "{} · {}, {} measured · run {}",
            clean(&self.title),
            counted(self.sessions.into(), "session"),
            duration(self.measured_s),
            self.run
        );
        let mut blocks = vec![Block::Table(table(self, "service", |own| &own.service))];
        let waited = |own: &ProcedureTiming| own.latency.total_us > 1.001 * own.service.total_us;
        if self.procedures.iter().any(waited) {
            blocks.push(Block::Table(table(self, "latency", |own| &own.latency)));
            blocks.push(Block::text("service is end − sent, latency is end − due."));
        }
        if self.missing > 0 {
            let missing = counted(self.missing, "transaction");
            let why = if self.truncated { ": the file was truncated" } else { "" };
            blocks.push(Block::text(format!("The histograms lack {missing}{why}.")));
        }
        blocks.push(Block::text(
            "ratio is the share of the time of all sessions; the ramp-up is excluded.",
        ));
        text(&heading, blocks, options)
    }
}

fn table(timing: &Timing, title: &str, figures: fn(&ProcedureTiming) -> &Figures) -> Table {
    let each = |cell: &dyn Fn(&ProcedureTiming) -> String| {
        timing.procedures.iter().map(cell).collect::<Vec<String>>()
    };
    let mut columns = vec![
        Column::left(title, each(&|own| clean(&own.name))),
        Column::right("calls", each(&|own| grouped(figures(own).calls))),
    ];
    for (title, figure) in COLUMNS {
        let values: Vec<Option<f64>> =
            timing.procedures.iter().map(|own| figure(figures(own))).collect();
        columns.push(Column::right(title, latencies(&values)));
    }
    columns.push(Column::right("total", each(&|own| duration(figures(own).total_us / 1e6))));
    if title == "service" {
        columns.push(Column::right("ratio", each(&|own| percent(own.ratio))));
    }
    Table::new(columns)
}
