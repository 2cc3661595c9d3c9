//! Writes events as JSON objects, one per line, to standard error.
//!
//! A separate thread writes the lines, so that a full pipe cannot delay the measurement.
//!
//! Start reading at [`JsonLines::send`].

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SendError, Sender, channel};
use std::thread::{Builder, JoinHandle};

use tacho_core::units::counted;
use tacho_store::{Event, EventKind, Listener};

use crate::printer::say;

/// Maximum number of lines waiting to be written. Once this number is reached, measurements are dropped if the next
/// event of the same kind replaces them anyway.
const WAITING_MAX: usize = 256;

/// Writes each event as a line.
pub(super) struct JsonLines {
    to: Option<Sender<String>>,
    thread: Option<JoinHandle<()>>,
    /// Number of lines that have not been written yet.
    waiting: Arc<AtomicUsize>,
    left_out: u64,
}

impl JsonLines {
    pub(super) fn open() -> Self {
        let (to, lines) = channel();
        let waiting = Arc::<AtomicUsize>::default();
        let unwritten = Arc::clone(&waiting);
        let work = move || write(&lines, &unwritten);
        let thread = Builder::new().name("progress".into()).spawn(work).ok();
        Self { to: Some(to), thread, waiting, left_out: 0 }
    }

    /// Sends an event to the writing thread. If the reader is too slow, omits measurements that the next event of the
    /// same kind will update anyway.
    fn send(&mut self, event: &Event) {
        if self.waiting.load(Ordering::Acquire) >= WAITING_MAX && event.kind().is_droppable() {
            self.left_out += 1;
            return;
        }
        self.say_left_out();
        self.line(event);
    }

    fn say_left_out(&mut self) {
        let count = std::mem::take(&mut self.left_out);
        if count > 0 {
            let lines = counted(count, "line");
            let text = format!("progress output was read too slowly: {lines} omitted");
            self.line(&Event::Note { text });
        }
    }

    fn line(&self, event: &Event) {
        let Ok(line) = serde_json::to_string(event) else { return };
        let Some(to) = &self.to else { return };
        self.waiting.fetch_add(1, Ordering::AcqRel);
        // If there is no writing thread, write the line here.
        if let Err(SendError(line)) = to.send(line) {
            say(&line);
        }
    }
}

fn write(lines: &Receiver<String>, unwritten: &AtomicUsize) {
    for line in lines {
        say(&line);
        unwritten.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Listener for JsonLines {
    fn on(&mut self, event: &Event) {
        if self.wants(event.kind()) {
            self.send(event);
        }
    }

    fn wants(&self, kind: EventKind) -> bool {
        kind.is_public()
    }
}

/// Waits until every line has been written, so that later output comes after them.
impl Drop for JsonLines {
    fn drop(&mut self) {
        self.say_left_out();
        self.to = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
