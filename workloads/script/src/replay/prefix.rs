//! Matches the prefix that PostgreSQL writes at the start of each line of a text log.
//!
//! A prefix is the value of `log_line_prefix`, as described in the manual under "Error Reporting and Logging". Matching
//! a line takes time proportional to the prefix and the line, whatever they contain. Start reading at
//! [`Prefix::matches`]; [`Prefix::recognise`] finds a prefix that fits a log.

use std::collections::HashSet;
use std::ops::Range;

use tacho_core::{Error, Result};

use super::clock::{SECOND, date_time, fraction};

/// Number of bytes at the start of a line within which the prefix must end.
const PREFIX_MAX: usize = 500;

/// Common prefixes. If several of them fit a log equally well, the first one is used.
const COMMON: [&str; 20] = [
    "%m:%r:%u@%d:[%p]:",
    "%m-%c-",
    "%m [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ",
    "%m [%p]: [%l] user=%u,db=%d,app=%a,client=%h ",
    "%m [%p]: user=%u,db=%d,app=%a,client=%h ",
    "%m [%p]: [%l-1] user=%u,db=%d ",
    "%m [%p]: [%l-1] db=%d,user=%u ",
    "%m [%p]: user=%u,db=%d ",
    "%m [%p]: %u@%d ",
    "%m [%p] %q[user=%u,db=%d,app=%a] ",
    "%m [%p] %q%u@%d/%a ",
    "%m [%p] %q%u@%d ",
    "%m [%p] %u@%d ",
    "%m [%p-%l] %q%u@%d ",
    "%m [%p]: [%l-1] ",
    "%m [%p]: [%l] ",
    "%m [%p]: ",
    "%m [%p] ",
    "%m [%c] ",
    "%n [%p] ",
];

/// The part of a record that a line starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// The message, with its severity.
    Message(&'static str),
    Detail,
    Statement,
    /// A part that a replay does not use.
    Other,
}

const LABELS: [(&str, Label); 15] = [
    ("LOG", Label::Message("LOG")),
    ("DETAIL", Label::Detail),
    ("STATEMENT", Label::Statement),
    ("ERROR", Label::Message("ERROR")),
    ("FATAL", Label::Message("FATAL")),
    ("PANIC", Label::Message("PANIC")),
    ("WARNING", Label::Message("WARNING")),
    ("NOTICE", Label::Message("NOTICE")),
    ("INFO", Label::Message("INFO")),
    ("DEBUG", Label::Message("DEBUG")),
    ("HINT", Label::Other),
    ("CONTEXT", Label::Other),
    ("QUERY", Label::Other),
    ("LOCATION", Label::Other),
    ("BACKTRACE", Label::Other),
];

/// Returns the label at the start of a text and the position after it.
fn label(text: &[u8]) -> Option<(Label, usize)> {
    let blanks = text.iter().take_while(|byte| **byte == b' ').count();
    let rest = &text[blanks..];
    LABELS.into_iter().find_map(|(word, label)| {
        let after = rest.strip_prefix(word.as_bytes())?.strip_prefix(b":  ")?;
        Some((label, text.len() - after.len()))
    })
}

/// Returns true if the start of a line contains a label such as `LOG:`, at any position.
pub fn has_label(line: &[u8]) -> bool {
    let line = &line[..line.len().min(PREFIX_MAX)];
    let colons = line.windows(3).enumerate().filter(|(_, part)| *part == b":  ");
    let is_label = |word: &str, at: usize| line[..at].ends_with(word.as_bytes());
    colons.map(|(at, _)| at).any(|at| LABELS.iter().any(|(word, _)| is_label(word, at)))
}

/// Contents of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    /// A date and time: the time of the record, or of the session's start.
    Time {
        is_start: bool,
    },
    /// Seconds since 1970.
    Epoch,
    Process,
    Session,
    Database,
    State,
    /// A number that a replay does not use.
    Number,
    /// Any text.
    Text,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(u8),
    Escape {
        escape: Escape,
        is_padded: bool,
    },
    /// `%q`: the prefix ends here in records that do not belong to a session.
    Stop,
}

/// A compiled prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    pieces: Vec<Piece>,
}

/// The start of a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Microseconds since 1970 in the log's own time zone, and that time zone.
    pub at: i64,
    pub zone: Range<usize>,
    pub session: Range<usize>,
    pub process: Range<usize>,
    /// Time at which the session started.
    pub start: Range<usize>,
    pub database: Range<usize>,
    pub state: Range<usize>,
    pub label: Option<Label>,
    /// Position of the text after the label.
    pub text: usize,
    /// True if the record does not belong to a session.
    pub is_cut: bool,
}

impl Prefix {
    /// Compiles the value of `log_line_prefix`.
    ///
    /// # Errors
    /// Returns a usage error if the prefix lacks the time or the session.
    pub fn new(text: &str) -> Result<Self> {
        let mut pieces = Vec::new();
        let mut bytes = text.trim_end().bytes().peekable();
        while let Some(byte) = bytes.next() {
            if byte != b'%' {
                pieces.push(Piece::Literal(byte));
                continue;
            }
            let mut is_padded = false;
            while bytes.peek().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-') {
                (is_padded, _) = (true, bytes.next());
            }
            let escape = match bytes.next() {
                Some(b'm' | b't') => Escape::Time { is_start: false },
                Some(b's') => Escape::Time { is_start: true },
                Some(b'n') => Escape::Epoch,
                Some(b'p') => Escape::Process,
                Some(b'c') => Escape::Session,
                Some(b'd') => Escape::Database,
                Some(b'e') => Escape::State,
                Some(b'l' | b'x' | b'v' | b'P' | b'Q') => Escape::Number,
                Some(b'a' | b'u' | b'r' | b'h' | b'L' | b'b' | b'i') => Escape::Text,
                Some(b'q') => {
                    pieces.push(Piece::Stop);
                    continue;
                }
                Some(b'%') => {
                    pieces.push(Piece::Literal(b'%'));
                    continue;
                }
                // The server ignores unknown escapes.
                _ => continue,
            };
            pieces.push(Piece::Escape { escape, is_padded });
        }
        let prefix = Self { pieces };
        if !prefix.has(Escape::Time { is_start: false }) && !prefix.has(Escape::Epoch) {
            let text = format!("the prefix \"{text}\" contains no time");
            return Err(Error::usage(text).hint("add %m to log_line_prefix and write a new log"));
        }
        if !prefix.has(Escape::Session) && !prefix.has(Escape::Process) {
            let text = format!("the prefix \"{text}\" does not identify sessions");
            return Err(Error::usage(text).hint("add %c to log_line_prefix and write a new log"));
        }
        Ok(prefix)
    }

    fn has(&self, wanted: Escape) -> bool {
        let is_it =
            |piece: &Piece| matches!(piece, Piece::Escape { escape, .. } if *escape == wanted);
        self.pieces.iter().any(is_it)
    }

    /// Returns true if the prefix may identify two sessions in the same way, because process numbers are reused.
    pub fn reuses_sessions(&self) -> bool {
        !self.has(Escape::Session) && !self.has(Escape::Time { is_start: true })
    }

    /// Returns the common prefix that fits most of the lines, or `None` if no prefix fits at least half of them.
    pub fn recognise(lines: &[Vec<u8>]) -> Option<Self> {
        let mut best = None;
        for text in COMMON {
            let prefix = Self::new(text).ok()?;
            let heads = lines.iter().filter_map(|line| prefix.matches(line));
            let (found, whole) = heads.fold((0_usize, 0_usize), |(found, whole), head| {
                (found + 1, whole + usize::from(!head.is_cut))
            });
            if best.as_ref().is_none_or(|(count, _)| *count < (found, whole)) {
                best = Some(((found, whole), prefix));
            }
        }
        best.filter(|((found, _), _)| *found > 0 && *found * 2 >= lines.len())
            .map(|(_, prefix)| prefix)
    }

    /// Returns the start of a line, or `None` if the line does not start with this prefix and a label.
    pub fn matches(&self, line: &[u8]) -> Option<Head> {
        let mut head = Head::default();
        self.step(line, 0, 0, &mut head, &mut HashSet::new()).then_some(head)
    }

    /// Matches the rest of a line with the rest of the prefix, starting with the piece at index `piece`. Combinations
    /// of piece and position that have failed before are in `dead`, so that they are not tried again.
    fn step(
        &self,
        line: &[u8],
        piece: usize,
        at: usize,
        head: &mut Head,
        dead: &mut HashSet<(usize, usize)>,
    ) -> bool {
        let rest = &line[at..];
        let mut ends_here = |is_cut: bool| {
            let Some((label, length)) = label(rest) else { return false };
            (head.label, head.text, head.is_cut) = (Some(label), at + length, is_cut);
            true
        };
        let (escape, is_padded) = match self.pieces.get(piece) {
            None => return ends_here(false),
            Some(Piece::Stop) => {
                return ends_here(true) || self.step(line, piece + 1, at, head, dead);
            }
            Some(Piece::Literal(byte)) => {
                let is_here = rest.first() == Some(byte);
                return is_here && self.step(line, piece + 1, at + 1, head, dead);
            }
            Some(Piece::Escape { escape, is_padded }) => (*escape, *is_padded),
        };
        if dead.contains(&(piece, at)) {
            return false;
        }
        let blanks = |at: usize| line[at..].iter().take_while(|byte| **byte == b' ').count();
        let from = if is_padded { at + blanks(at) } else { at };
        for end in ends(escape, &line[from..]) {
            let end = from + end;
            let next = if is_padded { end + blanks(end) } else { end };
            if end > PREFIX_MAX {
                break;
            }
            if self.step(line, piece + 1, next, head, dead) {
                set(head, escape, line, from..end);
                return true;
            }
        }
        dead.insert((piece, at));
        false
    }
}

/// Returns the positions at which the value of an escape such as `%m` may end, the most likely ones first.
fn ends(escape: Escape, text: &[u8]) -> Box<dyn Iterator<Item = usize>> {
    let count = |is_in: fn(&u8) -> bool| text.iter().take_while(|byte| is_in(byte)).count();
    let digits = || count(u8::is_ascii_digit);
    match escape {
        Escape::Time { .. } => {
            let Some((_, length)) = date_time(text) else { return Box::new(std::iter::empty()) };
            if text.get(length) != Some(&b' ') {
                return Box::new(std::iter::empty());
            }
            let from = length + 1;
            let zone = &text[from..];
            let letters = zone.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            let is_in = |byte: &&u8| byte.is_ascii_digit() || **byte == b':';
            let offset = match zone.first() {
                Some(b'+' | b'-') => 1 + zone[1..].iter().take_while(is_in).count(),
                _ => letters,
            };
            Box::new((from + 1..=from + offset).rev())
        }
        Escape::Epoch => {
            let whole = digits();
            let length = whole + fraction(&text[whole..]).1;
            Box::new((whole > 0).then_some(length).into_iter())
        }
        Escape::Process => {
            let length = digits();
            Box::new((length > 0).then_some(length).into_iter())
        }
        Escape::Session => {
            let length = count(|byte| byte.is_ascii_hexdigit() || *byte == b'.');
            let is_session = text[..length].contains(&b'.');
            Box::new(is_session.then_some(length).into_iter())
        }
        Escape::State => {
            let length = count(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()).min(5);
            Box::new((length == 5).then_some(length).into_iter())
        }
        Escape::Number => {
            let is_in = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'/');
            Box::new((0..=count(is_in)).rev())
        }
        Escape::Database | Escape::Text => Box::new(0..=text.len().min(PREFIX_MAX)),
    }
}

/// Stores the value of an escape.
fn set(head: &mut Head, escape: Escape, line: &[u8], range: Range<usize>) {
    let text = &line[range.clone()];
    match escape {
        Escape::Time { is_start: true } => head.start = range,
        Escape::Time { is_start: false } => {
            let (at, length) = date_time(text).unwrap_or_default();
            (head.at, head.zone) = (at, range.start + length + 1..range.end);
        }
        Escape::Epoch => {
            let whole = text.iter().take_while(|byte| byte.is_ascii_digit()).take(15).count();
            let second =
                text[..whole].iter().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
            head.at = second * SECOND + fraction(&text[whole..]).0;
        }
        Escape::Process => head.process = range,
        Escape::Session => head.session = range,
        Escape::Database => head.database = range,
        Escape::State => head.state = range,
        Escape::Number | Escape::Text => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matches a line. Returns the microseconds in its time, its session or process, its database, its error code, and
    /// its text.
    fn read(prefix: &str, line: &str) -> Option<[String; 5]> {
        let head = Prefix::new(prefix).expect("a prefix").matches(line.as_bytes())?;
        let part = |range: Range<usize>| line[range].to_owned();
        let session = if head.session.is_empty() { head.process } else { head.session };
        let at = (head.at - 1_795_456_507_000_000).to_string();
        Some([at, part(session), part(head.database), part(head.state), line[head.text..].into()])
    }

    #[test]
    fn values_are_found_in_any_prefix() {
        let time = "2026-11-23 17:55:07";
        let table = [
            ("%m [%p] ", "{}.123 UTC [42] LOG:  a", "123000|42|||a"),
            ("%m [%p] %q%u@%d ", "{}.123 CET [42] u@my db LOG:  a: b", "123000|42|my db||a: b"),
            ("%m [%p] %q%u@%d ", "{}.123 CET [42] LOG:  a", "123000|42|||a"),
            ("%t:%r:%u@%d:[%p]:", "{} UTC:::1(5432):u@d:[7]:LOG:  a", "0|7|d||a"),
            ("%t:%r:%u@%d:[%p]:", "{} +03:[local]:u@d:[7]:STATEMENT:  a", "0|7|d||a"),
            ("%t-%c-", "{} UTC-6560.7f-LOG:  a", "0|6560.7f|||a"),
            ("%m%p", "{}.123 UTC42LOG:  a", "123000|42|||a"),
            (
                "%m|%-5p|%10u|%d|%e|%v|%x|%Q|%a|",
                "{}.123 UTC|42   |         u|d|23505|3/4|0|-7|a LOG:  b|ERROR:  a",
                "123000|42|d|23505|a",
            ),
            ("%n 100%% %c ", "1795456507.042 100% 6560.7f LOG:  a", "42000|6560.7f|||a"),
            ("%m [%p] ", "{}.123 UTC [x] LOG:  a", ""),
            ("%m [%p] ", "{}.123 UTC [42] OTHER:  a", ""),
            ("%m [%p] ", "\tLOG:  a", ""),
        ];
        for (prefix, line, expected) in table {
            let line = line.replace("{}", time);
            assert_eq!(
                read(prefix, &line).map_or(String::new(), |parts| parts.join("|")),
                expected,
                "{line}"
            );
        }
        for prefix in ["", "%p ", "%m", "%m %u", "%s %c"] {
            assert!(Prefix::new(prefix).is_err(), "{prefix}");
        }
    }

    #[test]
    fn long_lines_that_do_not_match_take_little_time() {
        let prefix = Prefix::new("%m %a %u %d %r %h %i %b %p ").expect("a prefix");
        let line = format!("2026-11-23 17:55:07.123 UTC {}", "a ".repeat(5000));
        assert_eq!(prefix.matches(line.as_bytes()), None);
    }

    #[test]
    fn common_prefixes_are_recognised() {
        let lines = |text: &str| -> Vec<Vec<u8>> { text.lines().map(Into::into).collect() };
        let time = "2026-11-23 17:55:07.123 UTC";
        let table = [
            ("{} [1] LOG:  a\n\tb\n{} [2] ERROR:  c", "%m [%p] "),
            ("{} [1] LOG:  a\n{} [2] u@d LOG:  b\n{} [2] u@d ERROR:  c", "%m [%p] %q%u@%d "),
            ("{} [1] LOG:  a\n{} [2] u@d/psql LOG:  b", "%m [%p] %q%u@%d/%a "),
            ("{}-6560.7f-LOG:  a", "%m-%c-"),
            ("{}:10.0.0.1(99):u@d:[2]:LOG:  a\n{}::@:[1]:LOG:  b", "%m:%r:%u@%d:[%p]:"),
            (
                "{} [2]: [1-1] user=u,db=d,app=psql,client=::1 LOG:  a",
                "%m [%p]: [%l-1] user=%u,db=%d,app=%a,client=%h ",
            ),
        ];
        for (text, expected) in table {
            let found = Prefix::recognise(&lines(&text.replace("{}", time)));
            assert_eq!(found, Prefix::new(expected).ok(), "{text}");
        }
        assert_eq!(Prefix::recognise(&lines("worker 7 says LOG:  a")), None);
    }
}
