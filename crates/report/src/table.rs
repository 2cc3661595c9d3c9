//! Tables of text: columns as wide as their widest cell.
//!
//! Start reading at [`Table`] and, for columns of latencies, [`latencies`].

use tacho_core::units::significant;

use crate::layout::{pad, pad_left, width};
use crate::words::{ABSENT, with_unit};

/// A column with its title.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) title: String,
    pub(crate) left: bool,
    pub(crate) cells: Vec<String>,
}

impl Column {
    /// A column of words.
    pub(crate) fn left(title: &str, cells: impl IntoIterator<Item = String>) -> Self {
        Self { title: title.into(), left: true, cells: cells.into_iter().collect() }
    }

    /// A column of figures.
    pub(crate) fn right(title: &str, cells: impl IntoIterator<Item = String>) -> Self {
        Self { left: false, ..Self::left(title, cells) }
    }

    fn width(&self) -> usize {
        self.cells.iter().chain([&self.title]).map(|cell| width(cell)).max().unwrap_or(0)
    }

    fn cell(&self, text: &str) -> String {
        if self.left { pad(text, self.width()) } else { pad_left(text, self.width()) }
    }
}

/// Columns beside each other.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    /// Spaces before the first column.
    pub(crate) indent: usize,
    /// Spaces between columns.
    pub(crate) gap: usize,
}

impl Table {
    /// Characters of a line.
    pub(crate) fn width(&self) -> usize {
        let columns: usize = self.columns.iter().map(Column::width).sum();
        self.indent + columns + self.gap * self.columns.len().saturating_sub(1)
    }

    /// The titles and all rows.
    pub(crate) fn lines(&self) -> Vec<String> {
        let rows = self.columns.first().map_or(0, |column| column.cells.len());
        let title = self.line(|column| &column.title);
        let row = |row: usize| self.line(|column| column.cells.get(row).map_or("", |cell| cell));
        std::iter::once(title).chain((0..rows).map(row)).collect()
    }

    fn line<'a>(&'a self, text: impl Fn(&'a Column) -> &'a str) -> String {
        let cells: Vec<String> =
            self.columns.iter().map(|column| column.cell(text(column))).collect();
        format!("{}{}", " ".repeat(self.indent), cells.join(&" ".repeat(self.gap)))
    }
}

const UNITS: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];
/// Above it a figure in a smaller unit reads worse than a third unit in the column.
const FIGURE_MAX: f64 = 1e6;

/// A column of latencies in microseconds, with three significant digits and at most two units if
/// that is possible: what would need a third one is written in the second.
pub(crate) fn latencies(values_us: &[Option<f64>]) -> Vec<String> {
    let nanos: Vec<Option<f64>> = values_us.iter().map(|us| us.map(|us| us * 1e3)).collect();
    let mut units: Vec<usize> = nanos.iter().flatten().map(|nanos| natural_unit(*nanos)).collect();
    units.sort_unstable();
    units.dedup();
    let second = units.get(1).copied().unwrap_or(UNITS.len() - 1);
    let cell = |nanos: &Option<f64>| nanos.map_or(ABSENT.into(), |nanos| in_unit(nanos, second));
    nanos.iter().map(cell).collect()
}

fn natural_unit(nanos: f64) -> usize {
    match nanos {
        n if n < 999.5 => 0,
        n if n < 999_500.0 => 1,
        n if n < 999_500_000.0 => 2,
        _ => 3,
    }
}

fn in_unit(nanos: f64, largest: usize) -> String {
    let natural = natural_unit(nanos);
    let unit = if nanos / UNITS[natural.min(largest)].0 < FIGURE_MAX {
        natural.min(largest)
    } else {
        natural
    };
    let (size, name) = UNITS[unit];
    with_unit(&significant(nanos / size), name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_core::units::THIN_SPACE;

    fn column(values_us: &[f64]) -> Vec<String> {
        let values: Vec<Option<f64>> = values_us.iter().copied().map(Some).collect();
        latencies(&values).iter().map(|cell| cell.replace(THIN_SPACE, " ")).collect()
    }

    #[test]
    fn a_column_has_at_most_two_units() {
        assert_eq!(column(&[850.0, 13_000.0]), ["850 µs", "13.0 ms"]);
        assert_eq!(column(&[850.0, 13_000.0, 1_270_000.0]), ["850 µs", "13.0 ms", "1 270 ms"]);
        assert_eq!(column(&[13_000.0, 1_270_000.0]), ["13.0 ms", "1.27 s"]);
        assert_eq!(column(&[0.85, 5.0, 60e6]), ["850 ns", "5.00 µs", "60.0 s"]);
        assert_eq!(latencies(&[None]), ["–"]);
    }
}
