//! The view, which runs on a separate thread. Other threads send it events and key presses.
//!
//! Sending a snapshot never blocks. Start reading at [`View::open`].

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event as Input};
use crossterm::terminal;
use ratatui::layout::Size;
use tacho_store::Event;

use crate::screen::Screen;
use crate::{Action, MIN_HEIGHT, MIN_WIDTH, Model, Ui, draw};

/// Minimum time between two screen updates.
const PACE: Duration = Duration::from_millis(250);
/// Maximum number of events that wait while the terminal is slow. It suffices for several minutes.
const WAITING_MAX: usize = 1_024;

/// A view on a terminal. If the terminal is too small, the view waits until it is large enough.
pub struct View {
    to: Option<SyncSender<Event>>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    refused: Option<io::Error>,
}

#[derive(Default)]
struct Shared {
    shown: AtomicBool,
    lost: AtomicU64,
    /// Messages of panics that occurred while the view was shown.
    panics: Mutex<Vec<String>>,
}

impl View {
    /// Opens a view if the terminal is large enough. Calls `stop` when the user ends the run or leaves the view.
    pub fn open(ui: Ui, stop: impl Fn() + Send + 'static) -> Self {
        let shared = Arc::<Shared>::default();
        keep_panics(&shared);
        let (to, from) = sync_channel(WAITING_MAX);
        let (say_ready, ready) = sync_channel(1);
        let mut painter = Painter {
            from,
            shared: Arc::clone(&shared),
            stop: Box::new(stop),
            screen: None,
            model: Model::default(),
            ui,
            changed: true,
            refresh: false,
            drawn: None,
            reported_at: now(),
        };
        let thread = Builder::new().name("view".into()).spawn(move || {
            let opened = painter.fit();
            let is_open = opened.is_ok();
            let _ = say_ready.send(opened);
            if is_open {
                painter.paint();
            }
            painter.leave();
        });
        let opened = ready.recv().unwrap_or_else(|_| Err(io::ErrorKind::BrokenPipe.into()));
        let (thread, refused) = match thread {
            Ok(thread) => (Some(thread), opened.err()),
            Err(error) => (None, Some(error)),
        };
        Self { to: Some(to), shared, thread, refused }
    }

    /// Returns the reason why the view is not being shown, if any.
    pub fn why_not(&self) -> Option<String> {
        match &self.refused {
            _ if self.is_shown() => None,
            Some(error) => Some(format!("cannot draw on the terminal ({error})")),
            None => Some(format!("the terminal is smaller than {MIN_WIDTH} × {MIN_HEIGHT}")),
        }
    }

    /// Sends an event to the view and never blocks. If the channel is full, the event counts as lost.
    pub fn tell(&self, event: Event) {
        if self.to.as_ref().is_some_and(|to| to.try_send(event).is_err()) {
            self.shared.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns true if the view is using the terminal. Nothing else may write to the terminal then.
    pub fn is_shown(&self) -> bool {
        self.shared.shown.load(Ordering::SeqCst)
    }

    /// Restores the terminal, and returns the messages of panics that occurred while the view was shown.
    pub fn close(&mut self) -> Vec<String> {
        let is_first = self.to.take().is_some();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        // If this thread is panicking, the panic hook cannot be changed. In that case, keep the view's hook, which also
        // calls the original hook.
        if is_first && !std::thread::panicking() {
            drop(std::panic::take_hook());
        }
        let mut panics = self.shared.panics.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut panics)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// Stores panic messages while the view is shown. Otherwise, they would be lost when the view
/// closes its screen.
fn keep_panics(shared: &Arc<Shared>) {
    let (shared, usual) = (Arc::clone(shared), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |info| {
        if shared.shown.load(Ordering::SeqCst) {
            let mut panics = shared.panics.lock().unwrap_or_else(PoisonError::into_inner);
            panics.push(info.to_string());
        } else {
            usual(info);
        }
    }));
}

/// Returns true if the terminal is large enough for the view.
pub fn fits() -> bool {
    terminal::size().is_ok_and(|size| is_large_enough(size.into()))
}

fn is_large_enough(size: Size) -> bool {
    size.width >= MIN_WIDTH && size.height >= MIN_HEIGHT
}

#[expect(clippy::disallowed_methods, reason = "limits the redraw rate and measures nothing")]
fn now() -> Instant {
    Instant::now()
}

/// The thread that owns the terminal and draws on it.
struct Painter {
    from: Receiver<Event>,
    shared: Arc<Shared>,
    stop: Box<dyn Fn() + Send>,
    screen: Option<Screen>,
    model: Model,
    ui: Ui,
    changed: bool,
    refresh: bool,
    drawn: Option<Instant>,
    /// Time at which the most recent interval arrived.
    reported_at: Instant,
}

impl Painter {
    /// Runs until the terminal no longer exists or all senders have been dropped.
    fn paint(&mut self) {
        loop {
            let waited = if self.screen.is_some() { self.keys() } else { self.wait() };
            let goes_on = self.listen();
            if waited.is_err() || !goes_on || self.fit().is_err() {
                break;
            }
            self.tick();
            if self.draw().is_err() {
                break;
            }
        }
    }

    /// Acquires the terminal when it is large enough, and releases it when it is not.
    fn fit(&mut self) -> io::Result<()> {
        let size = Size::from(terminal::size()?);
        let fits = is_large_enough(size);
        match &mut self.screen {
            Some(screen) if fits => screen.fit(size, std::mem::take(&mut self.refresh))?,
            Some(_) => self.leave(),
            None if fits => {
                // Set this flag before drawing for the first time, because it stops other code from writing to the
                // terminal.
                self.shared.shown.store(true, Ordering::SeqCst);
                match Screen::open(size) {
                    Ok(screen) => self.screen = Some(screen),
                    Err(error) => {
                        self.leave();
                        return Err(error);
                    }
                }
                self.changed = true;
            }
            None => {}
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.screen = None;
        self.shared.shown.store(false, Ordering::SeqCst);
    }

    /// Handles key presses until the screen may have to be drawn again.
    fn keys(&mut self) -> io::Result<()> {
        let mut patience = PACE;
        while event::poll(patience)? {
            patience = Duration::ZERO;
            let action = match event::read()? {
                Input::Key(key) => self.ui.press(key, &self.model),
                Input::Resize(..) => Action::Redraw,
                _ => Action::None,
            };
            self.changed |= action != Action::None;
            self.refresh |= action == Action::Refresh;
            if action == Action::Stop {
                self.model.stopping = true;
                (self.stop)();
            }
        }
        Ok(())
    }

    /// Waits for the next event while the view is not on the screen. During this time, key presses
    /// go to the shell.
    fn wait(&mut self) -> io::Result<()> {
        match self.from.recv_timeout(PACE) {
            Ok(event) => self.learn(&event),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::BrokenPipe.into()),
        }
        Ok(())
    }

    /// Applies all events that have arrived. Returns false if there will be no more events.
    fn listen(&mut self) -> bool {
        loop {
            match self.from.try_recv() {
                Ok(event) => self.learn(&event),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    fn learn(&mut self, event: &Event) {
        if matches!(event, Event::Interval { .. } | Event::Phase { .. }) {
            self.reported_at = now();
        }
        self.model.apply(event);
        self.changed |= self.ui.paused.is_none();
    }

    /// Advances the clock in the title between two intervals.
    fn tick(&mut self) {
        let before = self.model.elapsed().as_secs();
        self.model.since = self.reported_at.elapsed();
        let lost = self.shared.lost.load(Ordering::Relaxed);
        let moved = self.model.elapsed().as_secs() != before || self.model.lost != lost;
        self.model.lost = lost;
        self.changed |= moved && self.ui.paused.is_none();
    }

    fn draw(&mut self) -> io::Result<()> {
        let due = self.drawn.is_none_or(|drawn| drawn.elapsed() >= PACE);
        let Some(screen) = self.screen.as_mut().filter(|_| self.changed && due) else {
            return Ok(());
        };
        let model = self.ui.paused.as_deref().unwrap_or(&self.model);
        let (ui, stopping) = (&self.ui, self.model.stopping);
        screen.paper.draw(|frame| draw(model, ui, stopping, frame))?;
        self.changed = false;
        self.drawn = Some(now());
        Ok(())
    }
}
