//! Records of a MySQL or MariaDB slow query log.
//!
//! A record starts with comment lines, which are followed by `use` if the database changes, by `SET timestamp`, and by
//! the statement. The formats are described in the manuals under "The Slow Query Log". Start reading at [`read`].

use tacho_driver::lexer::{Syntax, words};

use super::event::{Done, Event, Kind, LeftOut};
use super::general;

/// Values that a record omits if they are the same as in the previous record.
#[derive(Debug, Default)]
pub struct Carried {
    /// Time of the previous record.
    pub at: i64,
    pub database: Vec<u8>,
}

/// Returns the time in a line such as `# Time: 2026-11-23T17:55:07.123456Z`.
pub fn time(line: &[u8]) -> Option<i64> {
    general::time(line.strip_prefix(b"# Time: ")?.trim_ascii())
}

/// Returns true if the line contains the user of a record.
fn is_user(line: &[u8]) -> bool {
    line.starts_with(b"# User@Host: ") && line.windows(3).any(|part| part == b" @ ")
}

/// Returns true if the line starts a record.
pub fn begins(line: &[u8]) -> bool {
    is_user(line) || time(line).is_some()
}

/// Returns true if this line starts a new record. `record` contains the lines of the current record.
pub fn begins_after(line: &[u8], record: &[u8]) -> bool {
    // A line with the user usually starts a new record. If the current record consists of only its time, the line
    // continues this record instead.
    let is_time = || record.split_inclusive(|byte| *byte == b'\n').all(|line| time(line).is_some());
    begins(line) && !(is_user(line) && is_time())
}

/// The lines before the statement.
#[derive(Debug, Default)]
struct Header {
    at: Option<i64>,
    session: Vec<u8>,
    user: Vec<u8>,
    schema: Vec<u8>,
    /// The database in `use`.
    used: Option<Vec<u8>>,
    took: Option<f64>,
    rows_sent: Option<u64>,
    rows_affected: Option<u64>,
    error: Option<String>,
    /// True if a routine executed the statement.
    is_inner: bool,
    /// The client command of a record that contains no statement.
    command: Option<String>,
}

impl Header {
    /// Reads `Key: value` pairs from a comment line.
    fn pairs(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        if let Some((_, rest)) = line.split_once(" Schema: ") {
            self.schema = rest.split("  ").next().unwrap_or_default().into();
        }
        let mut parts = line.split_ascii_whitespace().peekable();
        while let Some(key) = parts.next() {
            let Some(key) = key.strip_suffix(':') else { continue };
            let value = parts.next_if(|part| !part.ends_with(':')).unwrap_or_default();
            let number = || value.parse::<u64>().ok();
            match key {
                "Id" | "Thread_id" => self.session = value.into(),
                "Query_time" => self.took = value.parse::<f64>().ok().map(|seconds| seconds * 1e6),
                "Rows_sent" => self.rows_sent = number(),
                "Rows_affected" => self.rows_affected = number(),
                "Errno" | "Last_errno" => {
                    self.error = number().map(|code| match code {
                        0 => String::new(),
                        code => code.to_string(),
                    });
                }
                "Stored_routine" => self.is_inner = true,
                _ => {}
            }
        }
    }

    /// Reads a line of the header. Returns false at the first line of the statement.
    fn line(&mut self, line: &[u8], is_last: &mut bool) -> bool {
        let line = line.trim_ascii_end();
        if let Some(command) = line.strip_prefix(b"# administrator command: ") {
            let command = command.strip_suffix(b";").unwrap_or(command);
            self.command = Some(String::from_utf8_lossy(command).into_owned());
        } else if let Some(at) = time(line) {
            self.at = Some(at);
        } else if is_user(line) {
            let end = line.windows(5).position(|part| part == b" Id: ").unwrap_or(line.len());
            self.user = line[..end].trim_ascii_end().to_vec();
            self.pairs(&line[end..]);
        } else if line.starts_with(b"#") {
            self.pairs(line);
        } else if line.starts_with(b"SET ") && is_timestamp(line) {
            *is_last = true;
        } else if words(line, Syntax::BACKSLASH, 1) == ["use"] {
            let line = line.strip_suffix(b";").unwrap_or(line);
            self.used = Some(general::used(line));
        } else {
            return false;
        }
        true
    }

    /// Returns the number of rows that a statement returned or wrote, if the record contains it.
    fn rows(&self, text: &[u8]) -> Option<u64> {
        let reads = || {
            let first = words(text, Syntax::BACKSLASH, 1);
            matches!(first.first().map(String::as_str), Some("select" | "with" | "values" | "show"))
        };
        match (self.rows_sent?, self.rows_affected) {
            (sent, _) if sent > 0 || reads() => Some(sent),
            // MySQL does not log the number of rows that a statement wrote.
            (_, affected) => affected,
        }
    }
}

/// Returns true if the server wrote this SET statement, which contains a statement's start time.
fn is_timestamp(line: &[u8]) -> bool {
    let is_own = |part: &[u8]| {
        let part = part.trim_ascii();
        [&b"timestamp="[..], b"last_insert_id=", b"insert_id="]
            .into_iter()
            .any(|name| part.starts_with(name))
    };
    let Some(line) = line.strip_suffix(b";") else { return false };
    line[4..].split(|byte| *byte == b',').all(is_own)
        && line.windows(10).any(|part| part == b"timestamp=")
}

/// Splits a record into its header and its statement.
fn split(record: &[u8]) -> (Header, &[u8]) {
    let (mut header, mut rest) = (Header::default(), record);
    let mut is_last = false;
    while !is_last && !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        if !header.line(&rest[..end], &mut is_last) {
            break;
        }
        rest = &rest[end..];
    }
    // MySQL writes a client command after the line with its start time.
    if rest.starts_with(b"# administrator command: ") {
        header.line(rest, &mut is_last);
        rest = &[];
    }
    let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
    let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    (header, rest.strip_suffix(b";").unwrap_or(rest))
}

/// Returns the statement of a record.
pub fn text(record: &[u8]) -> &[u8] {
    split(record).1
}

/// Parses a record. `carried` contains values that a record may omit if they are the same as in the record before.
pub fn read(record: &[u8], carried: &mut Carried) -> Option<Event> {
    let (mut header, text) = split(record);
    carried.at = header.at.unwrap_or(carried.at);
    if let Some(used) = header.used.take() {
        carried.database = used;
    }
    if !header.schema.is_empty() {
        carried.database.clone_from(&header.schema);
    }
    // Old servers do not log the connection, so all connections of a user count as one session.
    let session =
        if header.session.is_empty() { header.user.clone() } else { header.session.clone() };
    if session.is_empty() || (text.is_empty() && header.command.is_none()) {
        return None;
    }
    let kind = match header.command.as_deref() {
        Some("Quit") => Kind::End,
        Some("Long Data" | "Fetch" | "Reset stmt") => Kind::LeftOut(LeftOut::LongData),
        Some("Binlog Dump" | "Register Slave") => Kind::LeftOut(LeftOut::Replication),
        Some(_) => Kind::Other,
        None if header.is_inner => Kind::LeftOut(LeftOut::Routine),
        None if words(text, Syntax::BACKSLASH, 1) == ["use"] => Kind::Database,
        None => Kind::Statement(Done {
            text: text.to_vec(),
            took: header.took,
            parameters: None,
            rows: header.rows(text),
            state: header.error,
        }),
    };
    if kind == Kind::Database {
        carried.database = general::used(text);
    }
    let database = carried.database.clone();
    Some(Event { at: carried.at, zone: Vec::new(), session, database, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MYSQL: &str = "# Time: 2026-11-23T17:55:07.123456Z\n\
        # User@Host: root[root] @ localhost []  Id:    12\n\
        # Query_time: 0.000500  Lock_time: 0.000002 Rows_sent: 0  Rows_examined: 1\n\
        use shop;\nSET timestamp=1795456507;\n";
    const MARIADB: &str = "# User@Host: root[root] @ localhost []\n\
        # Thread_id: 31  Schema: a b  QC_hit: No\n\
        # Query_time: 0.001000  Lock_time: 0.000060  Rows_sent: 0  Rows_examined: 4\n\
        # Rows_affected: 3  Bytes_sent: 57\nSET timestamp=1795456507;\n";

    fn of(record: &str, carried: &mut Carried) -> Event {
        read(record.as_bytes(), carried).expect("a record")
    }

    fn done(event: Event) -> Done {
        let Kind::Statement(done) = event.kind else { panic!("{event:?}") };
        done
    }

    #[test]
    fn headers_of_both_servers_are_read() {
        let mut carried = Carried::default();
        let text = "UPDATE t SET a = ';\n# Time: none';\n";
        let event = of(&format!("{MYSQL}{text}"), &mut carried);
        assert_eq!(
            (event.session.as_slice(), event.database.as_slice()),
            (&b"12"[..], &b"shop"[..])
        );
        assert_eq!(event.at, 1_795_456_507_123_456);
        let found = done(event);
        assert_eq!(found.text, b"UPDATE t SET a = ';\n# Time: none'");
        assert_eq!((found.took, found.rows, found.state), (Some(500.0), None, None));
        let select = format!("{MYSQL}select 1;\n").replace("use shop;\n", "");
        let select = select.replace("examined: 1", "examined: 1 Thread_id: 12 Errno: 1064");
        let event = of(&select, &mut carried);
        assert_eq!(event.database, b"shop");
        let found = done(event);
        assert_eq!((found.rows, found.state.as_deref()), (Some(0), Some("1064")));
        let event = of(&format!("{MARIADB}delete from t;\n"), &mut carried);
        assert_eq!((event.session.as_slice(), event.at), (&b"31"[..], 1_795_456_507_123_456));
        assert_eq!(event.database, b"a b");
        assert_eq!(done(event).rows, Some(3));
        let quit = format!("{MYSQL}# administrator command: Quit;\n");
        assert_eq!(of(&quit, &mut carried).kind, Kind::End);
        let inner = MARIADB.replace("# Rows", "# Stored_routine: shop.p\n# Rows");
        let inner = of(&format!("{inner}select 1;\n"), &mut carried);
        assert_eq!(inner.kind, Kind::LeftOut(LeftOut::Routine));
        let user = format!("{MYSQL}use `o``o`;\n");
        let event = of(&user, &mut carried);
        assert_eq!((event.database.as_slice(), event.kind), (&b"o`o"[..], Kind::Database));
        let set = format!("{MYSQL}SET @a=1;\nselect 2;\n");
        assert_eq!(done(of(&set, &mut carried)).text, b"SET @a=1;\nselect 2");
    }

    #[test]
    fn records_start_with_a_time_or_a_user() {
        let (time, user) = ("# Time: 261123  9:55:07\n", "# User@Host: a[a] @ b [1.2.3.4]\n");
        assert!(begins(time.as_bytes()) && begins(user.as_bytes()));
        assert!(!begins(b"# Time: flies\n") && !begins(b"# User@Host: unknown\n"));
        assert!(!begins_after(user.as_bytes(), time.as_bytes()));
        assert!(begins_after(user.as_bytes(), user.as_bytes()));
        let record = format!("{time}{user}select 1;\n");
        assert!(begins_after(user.as_bytes(), record.as_bytes()));
        assert!(begins_after(time.as_bytes(), record.as_bytes()));
    }
}
