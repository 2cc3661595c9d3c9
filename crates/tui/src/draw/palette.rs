//! The colours of the report on terminals with 256 colours.
//!
//! The report's `style.css` defines the same colours. They suit both light and dark backgrounds.

use ratatui::style::Color;

/// The colours `--c0` to `--c7`.
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
/// The style sheet's colour `--quiet`, used for axes, keys, and data outside the measured phase.
pub(super) const QUIET: Color = Color::Indexed(245);

/// Colour of the throughput, and of the band from the median to p95 in latency charts.
pub(super) const FIRST: u8 = 0;
/// Colour of the highest percentile shown.
pub(super) const TAIL: u8 = 1;
/// Colour of the median latency, and of running sessions.
pub(super) const MEDIAN: u8 = 2;
/// Colour for the sum of all parts that do not have their own colour.
pub(super) const REST: u8 = 7;
