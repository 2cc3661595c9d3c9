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

/// Restores the terminal if the view is using it. Any thread or signal handler may call this at any time.
pub fn give_back() {
    if is_raw_mode_enabled().unwrap_or(false) {
        let mut err = io::stderr().lock();
        // If the terminal no longer exists, it need not be restored.
        let _ = execute!(err, LeaveAlternateScreen, Show).and_then(|()| err.flush());
        let _ = disable_raw_mode();
    }
}

type Paper = Terminal<CrosstermBackend<BufWriter<Stderr>>>;

/// The terminal, as the view uses it. Dropping this value restores the terminal.
pub(crate) struct Screen {
    pub(crate) paper: Paper,
    size: Size,
}

impl Screen {
    /// Takes over the terminal of standard error, which has the given size.
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

/// Creates a screen of fixed size. With a variable size, the terminal would be queried, which can take seconds.
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
