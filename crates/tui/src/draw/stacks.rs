//! Draws stacked columns, whose heights are multiples of an eighth of a row.

use tacho_report::ChartPoint;

use super::axes::Plot;
use super::{Look, Pen};

/// Characters that fill the lower part of a cell, from one eighth to the whole cell.
const EIGHTHS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Characters that fill the parts of a stacked chart, indexed by texture number.
pub(super) const FILLS: [&str; 4] = ["█", "▓", "▒", "░"];
/// Characters that distinguish the parts of a stack on a terminal without colours. The first one is
/// for the lowest part.
pub(super) const MARKS: [&str; 8] = ["█", "▓", "▒", "░", "#", "=", "+", "·"];

/// A function that returns the height of a part at a point of the chart. It returns `None` if
/// nothing was measured.
type Reader<'a> = Box<dyn Fn(&ChartPoint) -> Option<f64> + 'a>;

/// A part of each column.
pub(super) struct Part<'a> {
    pub(super) value: Reader<'a>,
    pub(super) color: u8,
    pub(super) fill: &'static str,
}

/// Draws the parts of each column from the bottom up. `top` is the value at the upper end of the
/// axis. Points that do not count for the result are grey.
pub(super) fn draw(plot: &Plot<'_>, top: f64, parts: &[Part<'_>], pen: &mut Pen<'_, '_>) {
    let steps = f64::from(plot.area.height) * 8.0;
    for (place, point) in plot.points.iter().enumerate() {
        let mut sum = 0.0;
        let ends: Vec<usize> = parts
            .iter()
            .map(|part| {
                sum += (part.value)(point).unwrap_or(0.0).max(0.0);
                let end = (sum / top * steps).round() as usize;
                // A value above zero must always be visible.
                end.max(usize::from(sum > 0.0)).min(steps as usize)
            })
            .collect();
        for row in 0..plot.area.height {
            let Some((part, mark)) = cell(&ends, usize::from(row) * 8) else { break };
            let mark = mark.unwrap_or(parts[part].fill);
            let look = if point.outside { Look::Dim } else { Look::Series(parts[part].color) };
            for column in plot.columns(place) {
                pen.text(column, plot.area.y + plot.area.height - 1 - row, mark, look);
            }
        }
    }
}

/// Returns the part of a stack that covers most of a row. The row starts at the height `from`, in
/// eighths of a row. If the stack ends within the row, also returns the character that fills the
/// row up to that height.
fn cell(ends: &[usize], from: usize) -> Option<(usize, Option<&'static str>)> {
    let to = from + 8;
    let end = *ends.last()?;
    if end <= from {
        return None;
    }
    let has = |place: usize| {
        let begin = if place == 0 { 0 } else { ends[place - 1] };
        ends[place].min(to).saturating_sub(begin.max(from))
    };
    // If several parts cover the same amount, the lowest one is chosen.
    let part = (0..ends.len()).rev().max_by_key(|place| has(*place))?;
    Some((part, (end < to).then(|| EIGHTHS[end - from - 1])))
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn a_row_is_that_of_the_part_with_most_of_it() {
        // Heights are in eighths of a row. The first part fills five eighths of the first row. The
        // second part ends at 12, in the middle of the second row.
        let ends = [5, 12];
        assert_eq!(cell(&ends, 0), Some((0, None)));
        assert_eq!(cell(&ends, 8), Some((1, Some("▄"))));
        assert_eq!(cell(&ends, 16), None);
        assert_eq!(cell(&[1, 8], 0), Some((1, None)));
        assert_eq!(cell(&[4, 8], 0), Some((0, None)));
        assert_eq!(cell(&[], 0), None);
    }
}
