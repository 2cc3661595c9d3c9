//! Parts of a measurement that are being sent to the coordinator. Each part is kept, and sent again if necessary, until
//! the coordinator acknowledges it.
//!
//! The NATS server may lose messages. If a part is lost, it and all later parts are sent again. The coordinator accepts
//! each part only once, and only in the right order.
//!
//! Start reading at [`Outbox::due`].

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::Message;

/// Maximum size of a piece before JSON escaping. A NATS server limits messages to 1 MiB by default.
const PIECE: usize = 256 << 10;
/// Time after which unacknowledged parts are sent again.
const AGAIN: Duration = Duration::from_secs(1);

/// Parts that the coordinator has not acknowledged yet.
#[derive(Default)]
pub(crate) struct Outbox {
    /// Number of the oldest part that is still kept.
    first: u64,
    parts: VecDeque<String>,
    /// Number of kept parts that have been sent but not acknowledged. It is reset to 0 when all of these parts must
    /// be sent again.
    sent: usize,
    last: Option<Instant>,
}

impl Outbox {
    /// Adds a part.
    pub(crate) fn add(&mut self, text: String) {
        self.parts.push_back(text);
    }

    /// Removes the parts that the coordinator has acknowledged. `parts` is the total number of parts that it has
    /// received.
    pub(crate) fn acknowledged(&mut self, parts: u64, now: Instant) {
        while self.first < parts && self.parts.pop_front().is_some() {
            self.first += 1;
            self.sent = self.sent.saturating_sub(1);
            self.last = Some(now);
        }
    }

    /// Returns the messages to send now. These are the new parts or, if acknowledgments have not arrived for some time,
    /// all kept parts.
    pub(crate) fn due(&mut self, now: Instant) -> Vec<Message> {
        if self.last.is_some_and(|last| now.saturating_duration_since(last) >= AGAIN) {
            self.sent = 0;
        }
        let (first, new) = (self.first, self.sent..self.parts.len());
        if new.is_empty() {
            return Vec::new();
        }
        let due = new.flat_map(|place| pieces(first + place as u64, &self.parts[place])).collect();
        self.sent = self.parts.len();
        self.last = Some(now);
        due
    }
}

/// Splits a part into pieces.
fn pieces(part: u64, text: &str) -> Vec<Message> {
    let mut cut = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.floor_char_boundary(PIECE);
        let (one, more) = rest.split_at(end);
        cut.push(one.to_owned());
        rest = more;
    }
    let pieces = cut.len() as u32;
    let numbered = (0_u32..).zip(cut);
    numbered.map(|(piece, text)| Message::Piece { part, piece, pieces, text }).collect()
}

/// Puts parts together from the pieces that the coordinator receives.
#[derive(Default)]
pub(crate) struct Inbox {
    /// Number of complete parts.
    pub(crate) parts: u64,
    /// The pieces of the next part that have arrived so far.
    text: String,
    pieces: u32,
}

impl Inbox {
    /// Adds a piece. If this completes the part, returns the part.
    pub(crate) fn take(
        &mut self,
        part: u64,
        [piece, pieces]: [u32; 2],
        text: &str,
    ) -> Option<String> {
        if part != self.parts {
            return None;
        }
        if piece == 0 {
            // The sender has started to send this part again, so discard the pieces received so far.
            (self.text, self.pieces) = (String::new(), 0);
        }
        if piece != self.pieces {
            return None;
        }
        self.text.push_str(text);
        self.pieces += 1;
        if self.pieces < pieces {
            return None;
        }
        self.parts += 1;
        self.pieces = 0;
        Some(std::mem::take(&mut self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::now;

    fn deliver(inbox: &mut Inbox, messages: &[Message]) -> Vec<String> {
        let take = |message: &Message| match message {
            Message::Piece { part, piece, pieces, text } => {
                inbox.take(*part, [*piece, *pieces], text)
            }
            _ => None,
        };
        messages.iter().filter_map(take).collect()
    }

    #[test]
    fn resends_lost_parts_and_delivers_each_part_once() {
        let (mut outbox, mut inbox, begin) = (Outbox::default(), Inbox::default(), now());
        let long = "ä".repeat(PIECE + 1);
        for text in ["one", &long, "three"] {
            outbox.add(text.into());
        }
        let first = outbox.due(begin);
        assert_eq!(first.len(), 5, "the long one has three pieces");
        assert!(outbox.due(begin).is_empty());
        // Lose two messages: the second of the long part's three pieces, and the third part.
        let mut got = deliver(&mut inbox, &[first[0].clone(), first[1].clone(), first[3].clone()]);
        assert_eq!(got, ["one"]);
        outbox.acknowledged(inbox.parts, begin);
        outbox.add("four".into());
        assert_eq!(deliver(&mut inbox, &outbox.due(begin)).len(), 0);
        let later = begin + AGAIN;
        got.extend(deliver(&mut inbox, &outbox.due(later)));
        assert_eq!(got, ["one", &long, "three", "four"]);
        assert!(deliver(&mut inbox, &first).is_empty());
        outbox.acknowledged(inbox.parts, later);
        assert!(outbox.parts.is_empty());
    }
}
