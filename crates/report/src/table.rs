//! Formats tables. On a terminal, each column is as wide as its widest cell.
//!
//! Start reading at [`Table`] and, for columns of latencies, at [`latencies`].

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use tacho_core::units::significant;

use crate::padding::{cut, pad, pad_left, width};
use crate::words::{ABSENT, with_unit};

/// A column with a title. Words are left-aligned, and numbers are right-aligned.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) title: String,
    pub(crate) left: bool,
    pub(crate) cells: Vec<String>,
    narrow: Narrow,
}

/// Ways to adapt a column if the terminal is too narrow for the whole table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Narrow {
    Kept,
    /// The column is given a shorter title.
    Titled(&'static str),
    /// The column is omitted. Columns with rank 1, the lowest, are omitted first.
    Dropped(usize),
    /// The cells are truncated to the remaining width, which is at least this number of characters.
    Cut(usize),
}

impl Column {
    /// Creates a column of words.
    pub(crate) fn left(title: &str, cells: impl IntoIterator<Item = String>) -> Self {
        let cells = cells.into_iter().collect();
        Self { title: title.into(), left: true, cells, narrow: Narrow::Kept }
    }

    /// Creates a column of numbers.
    pub(crate) fn right(title: &str, cells: impl IntoIterator<Item = String>) -> Self {
        Self { left: false, ..Self::left(title, cells) }
    }

    /// Sets a shorter title to be used on narrow terminals.
    pub(crate) fn short(self, title: &'static str) -> Self {
        Self { narrow: Narrow::Titled(title), ..self }
    }

    /// Allows the column to be omitted on a narrow terminal. Columns with the lowest rank are omitted first.
    pub(crate) fn dropped(self, rank: usize) -> Self {
        Self { narrow: Narrow::Dropped(rank), ..self }
    }

    /// Allows cells to be truncated on a narrow terminal. They keep at least `least` characters.
    pub(crate) fn cut(self, least: usize) -> Self {
        Self { narrow: Narrow::Cut(least), ..self }
    }

    /// Returns the rank of a column that may be omitted in a narrow table. Returns 0 if the column must not be omitted.
    fn rank(&self) -> usize {
        match self.narrow {
            Narrow::Dropped(rank) => rank,
            _ => 0,
        }
    }

    fn width(&self) -> usize {
        match self.narrow {
            Narrow::Cut(least) => least,
            _ => self.cells.iter().chain([&self.title]).map(|cell| width(cell)).max().unwrap_or(0),
        }
    }

    fn cell(&self, text: &str) -> String {
        if self.left { pad(text, self.width()) } else { pad_left(text, self.width()) }
    }
}

impl Serialize for Column {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Column", 2)?;
        fields.serialize_field("text", &self.title)?;
        fields.serialize_field("left", &self.left)?;
        fields.end()
    }
}

/// Columns side by side.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) title: String,
    /// True if the table is long and of minor importance, so that a page may fold it.
    pub(crate) folded: bool,
    pub(crate) columns: Vec<Column>,
    /// Number of spaces before the first column.
    pub(crate) indent: usize,
    /// Number of spaces between columns.
    pub(crate) gap: usize,
    /// Further information that is needed to interpret the rows.
    pub(crate) note: String,
}

impl Table {
    /// Creates a table without a title.
    pub(crate) fn new(columns: Vec<Column>) -> Self {
        let [title, note] = [String::new(), String::new()];
        Self { title, folded: false, columns, indent: 2, gap: 2, note }
    }

    /// Creates a table of untitled columns. `widths` contains their minimum widths.
    pub fn words<const N: usize>(widths: [usize; N], rows: &[[impl AsRef<str>; N]]) -> Self {
        let cells = |at: usize| rows.iter().map(move |row| pad(row[at].as_ref(), widths[at]));
        let columns = (0..N).map(|at| Column::left("", cells(at)));
        Self::new(columns.collect()).gap(1)
    }

    /// Creates a table of lines that are never wrapped, such as commands. A label precedes the first line.
    pub fn labelled(label: &str, width: usize, lines: impl IntoIterator<Item = String>) -> Self {
        let labels = std::iter::once(label).chain(std::iter::repeat(""));
        let rows = labels.zip(lines).map(|(label, line)| [label.to_owned(), line]);
        Self::words([width, 0], &rows.collect::<Vec<_>>()).flush()
    }

    /// Sets the number of spaces between columns.
    pub(crate) fn gap(self, gap: usize) -> Self {
        Self { gap, ..self }
    }

    /// Removes the spaces before the first column.
    pub fn flush(self) -> Self {
        Self { indent: 0, ..self }
    }

    /// Returns the table, or `None` if it has no rows.
    pub(crate) fn filled(self) -> Option<Self> {
        (self.length() > 0).then_some(self)
    }

    /// Returns the number of rows.
    pub(crate) fn length(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }

    /// Returns the cells of each row.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Vec<&str>> {
        let cells = |row: usize| self.columns.iter().map(move |column| column.cells[row].as_str());
        (0..self.length()).map(move |row| cells(row).collect())
    }

    /// Returns the most complete table that fits the width. It first reduces the spaces between
    /// columns, then shortens titles, omits columns and finally truncates cells.
    pub(crate) fn fitting(&self, width: usize) -> Self {
        let may_change = |column: &Column| column.narrow != Narrow::Kept;
        if !self.columns.iter().any(may_change) {
            return self.clone();
        }
        let last = self.columns.iter().map(Column::rank).max().unwrap_or(0);
        let forms = (0..=last)
            .flat_map(|gone| [(gone, self.gap, false), (gone, 1, false), (gone, 1, true)]);
        let mut forms = forms.map(|(gone, gap, short)| self.form(gone, gap, short));
        let fits = forms.find(|form| form.width() <= width);
        let mut table = fits.unwrap_or_else(|| {
            let mut form = self.form(last, 1, true);
            form.columns.retain(|column| !matches!(column.narrow, Narrow::Cut(_)));
            form
        });
        let room = width.saturating_sub(table.width());
        for column in &mut table.columns {
            if let Narrow::Cut(least) = column.narrow {
                column.cells.iter_mut().for_each(|cell| *cell = cut(cell, least + room));
            }
        }
        table
    }

    /// Returns a narrower table. Omits the columns whose rank is `gone` or lower.
    fn form(&self, gone: usize, gap: usize, short: bool) -> Self {
        let is_kept = |column: &&Column| column.rank() == 0 || column.rank() > gone;
        let titled = |column: &Column| match column.narrow {
            Narrow::Titled(title) if short => Column { title: title.into(), ..column.clone() },
            _ => column.clone(),
        };
        let columns = self.columns.iter().filter(is_kept).map(titled).collect();
        Self { columns, gap, title: self.title.clone(), note: self.note.clone(), ..*self }
    }

    fn width(&self) -> usize {
        let columns: usize = self.columns.iter().map(Column::width).sum();
        self.indent + columns + self.gap * self.columns.len().saturating_sub(1)
    }

    /// Returns the title line and all rows.
    pub(crate) fn lines(&self) -> Vec<String> {
        let titles = self.columns.iter().map(|column| column.title.as_str()).collect();
        std::iter::once(titles).chain(self.rows()).map(|cells| self.line(&cells)).collect()
    }

    fn line(&self, cells: &[&str]) -> String {
        let cells = self.columns.iter().zip(cells).map(|(column, cell)| column.cell(cell));
        let cells: Vec<String> = cells.collect();
        format!("{}{}", " ".repeat(self.indent), cells.join(&" ".repeat(self.gap)))
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Table", 5)?;
        fields.serialize_field("title", &self.title)?;
        fields.serialize_field("folded", &self.folded)?;
        fields.serialize_field("columns", &self.columns)?;
        fields.serialize_field("rows", &self.rows().collect::<Vec<_>>())?;
        fields.serialize_field("note", &self.note)?;
        fields.end()
    }
}

const UNITS: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];
/// Limit for a number in an unusually small unit. A large latency may be printed in such a unit, so that its column
/// uses fewer different units. From this limit on, the number is printed in its usual unit, which is easier to read.
const FIGURE_MAX: f64 = 1e6;

/// Formats a column of latencies with three significant digits. If possible, uses only two
/// different units in the column.
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

    #[test]
    fn words_stand_in_columns_of_their_widths_and_below_one_label() {
        let rows = [["sim", "one", "x y"], ["postgres", "", "z"]];
        let table = Table::words([4, 4, 0], &rows);
        assert_eq!(table.lines()[1..], ["  sim      one  x y", "  postgres      z  "]);
        let next = ["run", "check"].map(str::to_owned);
        let table = Table::labelled("next", 7, next);
        assert_eq!(table.lines()[1..], ["next    run  ", "        check"]);
    }

    #[test]
    fn a_table_gives_up_space_then_titles_then_columns_and_cuts_the_last() {
        let cells = |text: &str| [text.to_owned()];
        let table = Table::new(vec![
            Column::left("name", cells("payment")),
            Column::right("sessions", cells("8")).dropped(2),
            Column::right("p90", cells("9")).dropped(1),
            Column::right("rolled back", cells("1")).short("rolled"),
            Column::left("tags", cells("nightly, slow")).cut(8),
        ]);
        let at = |width: usize| -> Vec<String> {
            let lines = table.fitting(width).lines();
            lines.iter().map(|line| line.trim_end().to_owned()).collect()
        };
        assert_eq!(at(60)[0], "  name     sessions  p90  rolled back  tags");
        assert_eq!(at(60)[1], "  payment         8    9            1  nightly, slow");
        assert_eq!(at(44)[1], "  payment        8   9           1 nightly,…");
        assert_eq!(at(38)[0], "  name    sessions p90 rolled tags");
        assert_eq!(at(34)[0], "  name    sessions rolled tags");
        assert_eq!(at(1)[0], "  name    rolled");
    }
}
