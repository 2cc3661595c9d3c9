//! Records of a MySQL or MariaDB general log.
//!
//! A record starts with a time or two tabs, the connection number, a command, and a tab. It ends where the next record
//! starts.
//!
//! See "The General Query Log" in the servers' manuals.
//!
//! Start reading at [`head`].

use tacho_driver::lexer::{Lexeme, Syntax, Token, tokens, words};

use super::clock::{SECOND, days};
use super::event::{Done, Event, Kind, LeftOut};

/// Client commands as the servers name them.
const COMMANDS: [&str; 30] = [
    "Binlog Dump",
    "Bulk_execute",
    "Change user",
    "Close stmt",
    "Connect",
    "Connect Out",
    "Create DB",
    "Daemon",
    "Debug",
    "Delayed insert",
    "Drop DB",
    "Error",
    "Execute",
    "Fetch",
    "Field List",
    "Init DB",
    "Kill",
    "Long Data",
    "Ping",
    "Prepare",
    "Processlist",
    "Query",
    "Quit",
    "Refresh",
    "Register Slave",
    "Reset connection",
    "Reset stmt",
    "Set option",
    "Shutdown",
    "Statistics",
];

/// The start of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head<'a> {
    /// Microseconds since 1970, or `None` if the record omits the time because it has not changed.
    pub at: Option<i64>,
    pub session: &'a [u8],
    pub command: &'static str,
    /// Position of the record's text.
    pub text: usize,
}

/// Parses the start of a record, or returns `None`.
pub fn head(line: &[u8]) -> Option<Head<'_>> {
    let (at, rest) = if let Some(rest) = line.strip_prefix(b"\t\t") {
        (None, rest)
    } else {
        let tab = line.iter().take(40).position(|byte| *byte == b'\t')?;
        (Some(time(&line[..tab])?), &line[tab + 1..])
    };
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let rest = &rest[blanks..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (session, rest) = rest.split_at(digits);
    let rest = rest.strip_prefix(b" ").filter(|_| digits > 0)?;
    let end = rest.iter().take(20).position(|byte| matches!(byte, b'\t' | b'\n' | b'\r'));
    let end = end.unwrap_or(rest.len());
    let command =
        COMMANDS.into_iter().find(|known| rest[..end].eq_ignore_ascii_case(known.as_bytes()))?;
    let text = line.len() - rest.len() + end;
    let text = text + usize::from(line.get(text) == Some(&b'\t'));
    Some(Head { at, session, command, text })
}

/// Parses a time such as `231123 17:55:07` (MariaDB) or `2026-11-23T17:55:07.123456Z` (MySQL).
pub fn time(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let clock = |text: &str| -> Option<i64> {
        let mut parts = text.split(':').map(|part| part.trim().parse::<i64>().ok());
        let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
        parts.next().is_none().then_some((hour * 60 + minute) * 60 + second)
    };
    if let Some((date, rest)) = text.split_once('T') {
        let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
        let days = days(parts.next()??, parts.next()??, parts.next()??);
        let (whole, fraction) = rest.split_at_checked(15)?;
        let (seconds, micros) = whole.split_once('.')?;
        let micros = format!("{micros:0<6}").parse::<i64>().ok()?;
        // `Z`, or the offset of the server's time zone, which is the same in the entire log.
        let offset = match fraction.get(..1)? {
            "Z" => 0,
            sign @ ("+" | "-") => {
                let (hours, minutes) = fraction[1..].split_once(':')?;
                let span = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?;
                if sign == "-" { -span } else { span }
            }
            _ => return None,
        };
        return Some((days * 86_400 + clock(seconds)? - offset * 60) * SECOND + micros);
    }
    let (date, rest) = text.split_at_checked(6)?;
    let part = |from: usize| date.get(from..from + 2)?.parse::<i64>().ok();
    let days = days(2000 + part(0)?, part(2)?, part(4)?);
    Some((days * 86_400 + clock(rest.strip_prefix(' ')?)?) * SECOND)
}

/// Returns true if this is the first of the three lines that a server writes when it opens a log.
pub fn is_start(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line.ends_with(b"started with:") && line.windows(11).any(|part| part == b", Version: ")
}

/// Returns true if this is the second or third line that a server writes when it opens a log.
pub fn is_title(line: &[u8]) -> bool {
    line.starts_with(b"Tcp port: ")
        || line.starts_with(b"TCP Port: ")
        || line.starts_with(b"Time  ")
        || line.starts_with(b"Time\t")
}

/// Parses a record. `at` is the previous record's time and becomes this record's time.
pub fn read(record: &[u8], at: &mut i64) -> Option<Event> {
    let head = head(record)?;
    *at = head.at.unwrap_or(*at);
    let text = text(record, &head);
    let mut database = Vec::new();
    let done = || Done { text: text.to_vec(), ..Done::default() };
    let kind = match head.command {
        // The server itself has the number 0.
        _ if head.session == b"0" => Kind::Other,
        "Connect" | "Change user" if text.starts_with(b"Access denied") => Kind::Other,
        "Connect" | "Change user" => {
            database = connected(text);
            if head.command == "Connect" { Kind::Begin } else { Kind::Database }
        }
        "Init DB" => {
            database = text.to_vec();
            Kind::Database
        }
        "Query" if words(text, Syntax::BACKSLASH, 1) == ["use"] => {
            database = used(text);
            Kind::Database
        }
        "Query" => Kind::Statement(done()),
        "Execute" | "Bulk_execute" => Kind::Echo(done()),
        "Quit" => Kind::End,
        "Binlog Dump" | "Register Slave" => Kind::LeftOut(LeftOut::Replication),
        "Kill" | "Shutdown" => Kind::LeftOut(LeftOut::Server),
        "Long Data" | "Fetch" | "Reset stmt" | "Reset connection" => {
            Kind::LeftOut(LeftOut::LongData)
        }
        _ => Kind::Other,
    };
    let session = head.session.to_vec();
    Some(Event { at: *at, zone: Vec::new(), session, database, kind })
}

/// Returns the database in a USE statement.
pub fn used(text: &[u8]) -> Vec<u8> {
    let is_code =
        |part: &Lexeme| !matches!(part.token, Token::Blank | Token::Comment | Token::Executed);
    let Some(name) = tokens(text, Syntax::BACKSLASH).filter(is_code).nth(1) else {
        return Vec::new();
    };
    unquoted(&text[name.range])
}

/// Returns a name without its quotes.
pub fn unquoted(name: &[u8]) -> Vec<u8> {
    match name.strip_prefix(b"`").and_then(|name| name.strip_suffix(b"`")) {
        Some(name) => String::from_utf8_lossy(name).replace("``", "`").into_bytes(),
        None => name.to_vec(),
    }
}

/// Returns the text of a record.
pub fn text<'a>(record: &'a [u8], head: &Head<'_>) -> &'a [u8] {
    let text = record.get(head.text..).unwrap_or_default();
    text.strip_suffix(b"\n").unwrap_or(text)
}

/// Returns the database in text such as `user@host on shop using Socket`.
fn connected(text: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let after = text.rsplit_once(" on ").map_or("", |(_, after)| after);
    let name = after.rsplit_once(" using ").map_or(after, |(name, _)| name);
    name.trim().trim_start_matches("using ").as_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_both_servers_are_read() {
        let mut at = 0;
        let mut of = |text: &str| {
            let event = read(text.as_bytes(), &mut at).expect(text);
            (
                String::from_utf8(event.session).expect("a number"),
                event.at,
                event.database,
                event.kind,
            )
        };
        let statement = |text: &str| Kind::Statement(Done { text: text.into(), ..Done::default() });
        let second = 1_795_456_507 * SECOND;
        let connect = of("261123 17:55:07\t     3 Connect\troot@localhost on shop using Socket\n");
        assert_eq!(connect, ("3".into(), second, b"shop".to_vec(), Kind::Begin));
        let query = of("\t\t     3 Query\tselect 1,\n  2\n");
        assert_eq!(query, ("3".into(), second, Vec::new(), statement("select 1,\n  2")));
        assert_eq!(of("\t\t     3 Quit\t\n").3, Kind::End);
        let query = of("2026-11-23T17:55:07.123456Z\t   12 Query\tSELECT 1\n");
        assert_eq!(query, ("12".into(), second + 123_456, Vec::new(), statement("SELECT 1")));
        let query = of("2026-11-23T18:55:07.000001+01:00\t   12 Query\tUSE `a b`;\n");
        assert_eq!(query, ("12".into(), second + 1, b"a b".to_vec(), Kind::Database));
        let used = of("\t\t   12 Query\t/* it's */ use shop -- now\n");
        assert_eq!((used.2, used.3), (b"shop".to_vec(), Kind::Database));
        let connect = of("\t\t    13 Connect\troot@localhost on  using TCP/IP\n");
        assert_eq!((connect.2, connect.3), (Vec::new(), Kind::Begin));
        let connect = of("\t\t    13 Connect\troot@localhost as anonymous on shop\n");
        assert_eq!(connect.2, b"shop");
        assert_eq!(of("\t\t     0 Execute\tCREATE TABLE t (a int)\n").3, Kind::Other);
    }

    #[test]
    fn other_lines_begin_no_record() {
        for line in [
            "select 1",
            "",
            "\t\tQuery\tx",
            "\t\t 3 Queries\tx",
            "261123\t 3 Query\tx",
            "Time  Id Command",
        ] {
            assert_eq!(head(line.as_bytes()), None, "{line}");
        }
        assert!(is_start(
            b"/usr/sbin/mariadbd, Version: 10.11.6-MariaDB (Debian 12). started with:\n"
        ));
    }
}
