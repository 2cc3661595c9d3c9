//! The terminal while a view is open: alternate screen, raw mode, no cursor. Everything is restored afterwards.

use std::io::{self, BufWriter, Stderr, Write};

use crossterm::cursor::Show;
use crossterm::execute;
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode, is_raw_mode_enabled,
};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::{Rect, Size};
use ratatui::{Terminal, TerminalOptions, Viewport};

/// Size of the buffer for a complete screen, which is written to the terminal at once.
const SCREEN_BYTES: usize = 1 << 16;

/// Restores the terminal if a view is using it. This can be called at any time, from any thread or
/// signal handler.
pub fn give_back() {
    if is_raw_mode_enabled().unwrap_or(false) {
        let mut err = io::stderr().lock();
        // Ignore errors. If the terminal is gone, there is nothing to restore.
        let _ = execute!(err, LeaveAlternateScreen, Show).and_then(|()| err.flush());
        let _ = disable_raw_mode();
    }
}

type Paper = Terminal<CrosstermBackend<BufWriter<Stderr>>>;

/// The terminal while the view uses it. Dropping this value restores the terminal.
pub(crate) struct Screen {
    pub(crate) paper: Paper,
    size: Size,
}

impl Screen {
    /// Takes over the terminal on standard error. `size` is the size of the terminal.
    pub(crate) fn open(size: Size) -> io::Result<Self> {
        enable_raw_mode()?;
        let opened = execute!(io::stderr().lock(), EnterAlternateScreen);
        let opened = opened.and_then(|()| Ok(Self { paper: paper(size)?, size }));
        if opened.is_err() {
            give_back();
        }
        opened
    }

    /// Creates a new screen if the terminal's size has changed or if `redraw` is true.
    pub(crate) fn fit(&mut self, size: Size, redraw: bool) -> io::Result<()> {
        if redraw || size != self.size {
            (self.paper, self.size) = (paper(size)?, size);
        }
        Ok(())
    }
}

/// Creates a screen of fixed size. A screen that resizes itself would query the terminal, which can
/// take seconds.
fn paper(Size { width, height }: Size) -> io::Result<Paper> {
    execute!(io::stderr().lock(), Clear(ClearType::All))?;
    let writer = BufWriter::with_capacity(SCREEN_BYTES, io::stderr());
    let viewport = Viewport::Fixed(Rect { x: 0, y: 0, width, height });
    Terminal::with_options(CrosstermBackend::new(writer), TerminalOptions { viewport })
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}
