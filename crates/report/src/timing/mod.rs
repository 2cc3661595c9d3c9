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

const COLUMNS: [(&str, Figure); 7] = [
    ("min", |figures| figures.min_us),
    ("mean", |figures| figures.mean_us),
    ("max", |figures| figures.max_us),
    ("p50", |figures| figures.p50_us),
    ("p95", |figures| figures.p95_us),
    ("p99", |figures| figures.p99_us),
    ("sd", |figures| figures.sd_us),
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
        let mut blocks = vec![Block::Table(table(self, "service", |procedure| &procedure.service))];
        let waited = |procedure: &ProcedureTiming| {
            procedure.latency.total_us > 1.001 * procedure.service.total_us
        };
        if self.procedures.iter().any(waited) {
            blocks.push(Block::Table(table(self, "latency", |procedure| &procedure.latency)));
            blocks.push(Block::text("Service time is end − sent; latency is end − due."));
        }
        if self.missing > 0 {
            let missing = counted(self.missing, "transaction");
            let why = if self.truncated { ": the file was truncated" } else { "" };
            blocks.push(Block::text(format!("The histograms lack {missing}{why}.")));
        }
        blocks.push(Block::text(
            "ratio is the fraction of all sessions' time; the ramp-up is excluded.",
        ));
        text(&heading, blocks, options)
    }
}

fn table(timing: &Timing, title: &str, figures: fn(&ProcedureTiming) -> &Figures) -> Table {
    let each = |cell: &dyn Fn(&ProcedureTiming) -> String| {
        timing.procedures.iter().map(cell).collect::<Vec<String>>()
    };
    let mut columns = vec![
        Column::left(title, each(&|procedure| clean(&procedure.name))),
        Column::right("calls", each(&|procedure| grouped(figures(procedure).calls))),
    ];
    for (title, figure) in COLUMNS {
        let values: Vec<Option<f64>> =
            timing.procedures.iter().map(|procedure| figure(figures(procedure))).collect();
        columns.push(Column::right(title, latencies(&values)));
    }
    columns.push(Column::right(
        "total",
        each(&|procedure| duration(figures(procedure).total_us / 1e6)),
    ));
    if title == "service" {
        columns.push(Column::right("ratio", each(&|procedure| percent(procedure.ratio))));
    }
    Table::new(columns)
}
