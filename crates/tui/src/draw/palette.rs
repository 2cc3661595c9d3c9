//! The colours of the report, as terminals of 256 colours have them.
//!
//! Each is the one of the same number in the report's `style.css`, of a brightness between its light and
//! its dark theme: what the background of a terminal is cannot be known.

use ratatui::style::Color;

/// `--c0` to `--c7`.
pub(super) const COLORS: [Color; 8] = [
    Color::Indexed(33),
    Color::Indexed(166),
    Color::Indexed(35),
    Color::Indexed(169),
    Color::Indexed(178),
    Color::Indexed(44),
    Color::Indexed(99),
    Color::Indexed(245),
];
/// `--quiet`: axes, keys, and what is in no result.
pub(super) const QUIET: Color = Color::Indexed(245);

/// Throughput, and the band of most latencies.
pub(super) const FIRST: u8 = 0;
/// The slowest percentile that is drawn.
pub(super) const TAIL: u8 = 1;
/// The median, and what runs.
pub(super) const MEDIAN: u8 = 2;
/// All the rest together.
pub(super) const REST: u8 = 7;
