//! Events as JSON objects, one on each line of standard error.
//!
//! Start reading at [`JsonLines`].

use tacho_store::{Event, EventKind, Listener};

use crate::printer::say;

/// Writes each event.
pub(super) struct JsonLines;

impl Listener for JsonLines {
    fn on(&mut self, event: &Event) {
        if !self.wants(event.kind()) {
            return;
        }
        if let Ok(line) = serde_json::to_string(event) {
            say(&line);
        }
    }

    fn wants(&self, kind: EventKind) -> bool {
        kind.is_public()
    }
}
