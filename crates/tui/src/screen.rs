//! The terminal while the view has it: alternate screen, raw mode, no cursor, and all of it given back.

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

/// A screen in one piece: one write to the terminal.
const SCREEN_BYTES: usize = 1 << 16;

/// Gives the terminal back, if the view has it. May be called at any time and from any thread: from a
/// handler of signals before the process ends, above all.
pub fn give_back() {
    if is_raw_mode_enabled().unwrap_or(false) {
        let mut err = io::stderr().lock();
        // A terminal that is gone needs nothing.
        let _ = execute!(err, LeaveAlternateScreen, Show).and_then(|()| err.flush());
        let _ = disable_raw_mode();
    }
}

type Paper = Terminal<CrosstermBackend<BufWriter<Stderr>>>;

/// The terminal, taken; given back when it is dropped.
pub(crate) struct Screen {
    pub(crate) paper: Paper,
    size: Size,
}

impl Screen {
    /// Takes the terminal at standard error, of this size.
    pub(crate) fn open(size: Size) -> io::Result<Self> {
        enable_raw_mode()?;
        let opened = execute!(io::stderr().lock(), EnterAlternateScreen);
        let opened = opened.and_then(|()| Ok(Self { paper: paper(size)?, size }));
        if opened.is_err() {
            give_back();
        }
        opened
    }

    /// Begins again, if the size is another one or if it is wanted so.
    pub(crate) fn fit(&mut self, size: Size, redraw: bool) -> io::Result<()> {
        if redraw || size != self.size {
            (self.paper, self.size) = (paper(size)?, size);
        }
        Ok(())
    }
}

/// An empty screen. Its size is fixed: a library that follows the terminal's by itself asks it for the
/// place of the cursor at each change, and waits for seconds if it does not answer.
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
