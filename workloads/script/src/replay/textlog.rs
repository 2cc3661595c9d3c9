//! Reads the records of a PostgreSQL text log.
//!
//! A record consists of its message and of parts such as DETAIL and STATEMENT, each of which starts with the prefix and
//! a label. The further lines of a part start with a tab. Start reading at [`read`].

use std::ops::Range;

use super::event::{Event, Kind};
use super::messages::{Fields, event};
use super::prefix::{Head, Label, Prefix, has_label};

/// Placeholder for any error code. The log shows that a statement failed, but it contains no error codes.
pub const ANY_ERROR: &str = "an error";

/// Role of a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// The first line of a record.
    First(Head),
    /// Another line of the record.
    Further,
    /// A line that another program wrote to the same file.
    Foreign,
    /// A damaged line, or one with a different prefix.
    Broken,
}

/// Determines the role of a line. `first` contains the text and the head of the current record, if there is one.
pub fn line(line: &[u8], prefix: &Prefix, first: Option<(&[u8], &Head)>) -> Line {
    if line.starts_with(b"\t") {
        return if first.is_some() { Line::Further } else { Line::Broken };
    }
    let Some(head) = prefix.matches(line) else {
        return if has_label(line) { Line::Broken } else { Line::Foreign };
    };
    if matches!(head.label, Some(Label::Message(_))) {
        return Line::First(head);
    }
    let is_same = |(record, first): (&[u8], &Head)| {
        record[first.session.clone()] == line[head.session.clone()]
            && record[first.process.clone()] == line[head.process.clone()]
    };
    if first.is_some_and(is_same) { Line::Further } else { Line::Broken }
}

/// Parses a record. Returns `None` if it is incomplete.
pub fn read(record: &[u8], prefix: &Prefix) -> Option<Event> {
    let head = prefix.matches(record)?;
    let Some(Label::Message(severity)) = head.label else { return None };
    let part = |range: &Range<usize>| record[range.clone()].to_vec();
    let mut fields = Fields {
        at: head.at,
        zone: part(&head.zone),
        severity: severity.into(),
        state: part(&head.state),
        ..Fields::default()
    };
    if !head.is_cut {
        fields.session = part(&head.session);
        if fields.session.is_empty() {
            fields.session = part(&head.process);
            fields.session.extend_from_slice(&record[head.start.clone()]);
        }
        fields.database = part(&head.database);
    }
    if fields.database == b"[unknown]" {
        fields.database.clear();
    }
    let mut lines = record.split_inclusive(|byte| *byte == b'\n');
    let first = lines.next()?.get(head.text..)?;
    let (state, first) = verbose(first);
    if let Some(state) = state {
        fields.state = state.into();
    }
    if fields.state.is_empty() {
        fields.state = ANY_ERROR.into();
    }
    fields.message.extend_from_slice(first);
    let mut ignored = Vec::new();
    let mut label = Label::Message(severity);
    for line in lines {
        let (begins, text) = if let Some(text) = line.strip_prefix(b"\t") {
            (label, text)
        } else {
            let head = prefix.matches(line)?;
            (head.label?, &line[head.text..])
        };
        label = begins;
        let part = match label {
            Label::Message(_) => &mut fields.message,
            Label::Detail => &mut fields.detail,
            Label::Statement => &mut fields.query,
            Label::Other => &mut ignored,
        };
        part.extend_from_slice(text);
    }
    for part in [&mut fields.message, &mut fields.detail, &mut fields.query] {
        let line_end = if part.ends_with(b"\r\n") { 2 } else { usize::from(part.ends_with(b"\n")) };
        part.truncate(part.len() - line_end);
    }
    Some(connected(fields, prefix))
}

/// Splits a message into its error code and its text. Servers write the code only if `log_error_verbosity` is
/// `verbose`.
fn verbose(message: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let Some((state, rest)) = message.split_at_checked(5) else { return (None, message) };
    let is_state = state.iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
        && (state[0].is_ascii_digit() || matches!(state[0], b'F' | b'H' | b'P' | b'X'));
    match rest.strip_prefix(b": ") {
        Some(rest) if is_state => (Some(state), rest),
        _ => (None, message),
    }
}

/// Returns the contents of a record. If a process number is the only session identification, a new connection begins a
/// session.
fn connected(mut fields: Fields, prefix: &Prefix) -> Event {
    let is_one = |start: &[u8]| fields.message.starts_with(start);
    if is_one(b"connection received: ") || is_one(b"connection authenticated: ") {
        fields.session.clear();
    }
    let authorized = is_one(b"connection authorized: ") && !fields.session.is_empty();
    if !authorized || !prefix.reuses_sessions() {
        return event(fields);
    }
    if fields.database.is_empty() {
        let text = String::from_utf8_lossy(&fields.message);
        let name = text.split(" database=").nth(1).and_then(|rest| rest.split(' ').next());
        fields.database = name.unwrap_or_default().as_bytes().to_vec();
    }
    Event { kind: Kind::Begin, ..event(fields) }
}

#[cfg(test)]
mod tests {
    use super::super::event::Done;
    use super::*;

    const TIME: &str = "2026-11-23 17:55:07.123 UTC";

    fn read_with(prefix: &str, text: &str) -> Event {
        let prefix = Prefix::new(prefix).expect("a prefix");
        read(text.replace("{}", TIME).as_bytes(), &prefix).expect("a record")
    }

    #[test]
    fn parts_of_a_record_are_read() {
        let prefix = "%m [%p] %q%u@%d ";
        let text = "{} [7] u@d LOG:  duration: 1.5 ms  execute s: SELECT '$1',\n\t\n\t\t$1\n\
                    {} [7] u@d DETAIL:  parameters: $1 = 'a\n\tb'\n{} [7] u@d HINT:  none\n";
        let event = read_with(prefix, text);
        assert_eq!((event.session.as_slice(), event.database.as_slice()), (&b"7"[..], &b"d"[..]));
        let done = Done {
            text: b"SELECT '$1',\n\n\t$1".to_vec(),
            took: Some(1500.0),
            parameters: Some(b"parameters: $1 = 'a\nb'".to_vec()),
            ..Done::default()
        };
        assert_eq!(event.kind, Kind::Statement(done));
        let failed = |state: &str| Kind::Failed { state: state.into(), text: b"INSERT\n1".into() };
        let statement = "{} [7] u@d STATEMENT:  INSERT\n\t1\n";
        let text = format!("{{}} [7] u@d ERROR:  duplicate\n{{}} [7] u@d DETAIL:  x\n{statement}");
        assert_eq!(read_with(prefix, &text).kind, failed(ANY_ERROR));
        let text = text.replace("duplicate", "23505: duplicate");
        assert_eq!(read_with(prefix, &text).kind, failed("23505"));
        let text = "{} [7] 23505 ERROR:  duplicate\r\n{} [7] 23505 STATEMENT:  INSERT\n\t1\r\n";
        assert_eq!(read_with("%m [%p] %e ", text).kind, failed("23505"));
        let text =
            "{} [7] LOG:  connection authorized: user=u database=shop application_name=psql\n";
        let event = read_with("%m [%p] ", text);
        assert_eq!((event.database.as_slice(), event.kind), (&b"shop"[..], Kind::Begin));
        assert_eq!(read_with("%m %c ", &text.replace("[7]", "6.7")).kind, Kind::Other);
        assert!(read_with(prefix, "{} [7] LOG:  statement: SELECT 1\n").session.is_empty());
    }

    #[test]
    fn lines_of_other_programs_belong_to_no_record() {
        let prefix = Prefix::new("%m [%p] ").expect("a prefix");
        let first = format!("{TIME} [7] LOG:  statement: a\n");
        let head = prefix.matches(first.as_bytes()).expect("a head");
        let within = |text: &str| {
            let text = text.replace("{}", TIME);
            line(text.as_bytes(), &prefix, Some((first.as_bytes(), &head)))
        };
        assert_eq!(line(first.as_bytes(), &prefix, None), Line::First(head.clone()));
        assert_eq!(line(b"\tb\n", &prefix, None), Line::Broken);
        let table = [
            ("\tb", Line::Further),
            ("{} [7] DETAIL:  b", Line::Further),
            ("{} [8] DETAIL:  b", Line::Broken),
            ("cp: cannot stat 'x'", Line::Foreign),
            ("x [7] LOG:  b", Line::Broken),
        ];
        for (text, expected) in table {
            assert_eq!(within(text), expected, "{text}");
        }
    }
}
