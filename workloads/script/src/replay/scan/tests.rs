use super::*;

#[test]
fn statements_that_no_replay_sends_are_known() {
    let table = [
        ("COPY t FROM stdin", Some(LeftOut::Copy)),
        ("copy (select 1) to STDOUT with csv", Some(LeftOut::Copy)),
        ("COPY t FROM '/tmp/x'", None),
        ("listen a", Some(LeftOut::Listen)),
        ("SELECT 1; SELECT 2", Some(LeftOut::Several)),
        ("SELECT E'it\\'s; SELECT 2' -- ; x", None),
        ("CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END;", None),
        ("SELECT '\0'", Some(LeftOut::ZeroByte)),
        ("/* c */ SELECT 1;", None),
    ];
    for (text, expected) in table {
        assert_eq!(left_out(text.as_bytes(), &Format::Csv), expected, "{text}");
    }
    assert_eq!(left_out(b"KILL 7", &Format::General), Some(LeftOut::Server));
}

#[test]
fn borders_of_transactions_are_seen() {
    let table = [
        ("BEGIN", Border::Opens),
        ("start transaction read only", Border::Opens),
        ("COMMIT AND CHAIN", Border::Closes),
        ("ROLLBACK TO a", Border::None),
        ("ROLLBACK WORK TO a", Border::None),
        ("COMMIT PREPARED 'a'", Border::None),
        ("SELECT 1", Border::None),
        ("/* don't */ ROLLBACK", Border::Closes),
        ("-- it's\nBEGIN", Border::Opens),
    ];
    for (text, expected) in table {
        assert_eq!(border(text.as_bytes(), Syntax::STANDARD), expected, "{text}");
    }
}

/// A session's statements, with their times in milliseconds.
type Statements = Vec<(i64, Vec<u8>)>;

/// Reads a log. Returns it with each session's statements.
fn read(text: &[u8], prefix: &str) -> (Log, Vec<Statements>) {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    std::io::Write::write_all(&mut file, text).expect("a log");
    let log = scan(file.path(), "", prefix, &mut |_, _| true).expect("a log");
    let statement = |entry: &Entry| {
        let from = entry.offset as usize;
        let mut out = Vec::new();
        let record = &text[from..from + entry.length as usize];
        log.format.statement(record, &mut out).expect("a statement");
        (entry.at / 1000, out)
    };
    let sessions = log.sessions.iter();
    let sessions = sessions.map(|session| session.entries.iter().map(statement).collect());
    let sessions = sessions.collect();
    (log, sessions)
}

fn texts(sessions: &[Statements]) -> Vec<Vec<String>> {
    let text = |(_, text): &(i64, Vec<u8>)| String::from_utf8_lossy(text).into_owned();
    sessions.iter().map(|session| session.iter().map(text).collect()).collect()
}

#[test]
fn text_logs_are_read_with_any_prefix() {
    let lines = "\tcut off\n\
        {} UTC 7 u|d LOG:  statement: SELECT 1,\n\t\n\t  2\n\
        {} UTC 8 v|d LOG:  execute s: SELECT $1, '#'\n\
        {} UTC 8 v|d DETAIL:  parameters: $1 = 'a\n\tb'\n\
        cp: cannot stat 'x'\n\
        {} UTC 8 v|d LOG:  duration: 2.000 ms\n\
        {} UTC 7 u|d LOG:  statement: INSERT 1\n\
        {} UTC 7 u|d ERROR:  syntax error\n\
        {} UTC 7 u|d STATEMENT:  INSERT 1\n\
        {} UTC 7 u|d LOG:  disconnection: session time: 0:00:00.002\n\
        {} UTC 7 u|d LOG:  connection authorized: user=u database=d\n\
        {} UTC 7 u|d LOG:  statement: SELECT 3\n";
    let mut text = lines.replace("{}", "2026-11-23 17:55:07").into_bytes();
    let sign = text.iter().position(|byte| *byte == b'#').expect("a sign");
    text[sign] = 0xe9;
    let (log, sessions) = read(&text, "%t %p %u|%d ");
    assert_eq!(
        texts(&sessions),
        [vec!["SELECT 1,\n\n  2", "INSERT 1"], vec!["SELECT 'a\nb', '\u{fffd}'"], vec!["SELECT 3"]]
    );
    assert!(sessions[1][0].1.contains(&0xe9));
    assert_eq!((log.failed, log.timed, log.damage.before, log.damage.broken), (1, 1, 1, 0));
    assert_eq!(log.states, ["an error"]);
    // All statements of the same second are spread evenly over that second, in the order of the log.
    let mut times: Vec<(u64, i64)> = log
        .sessions
        .iter()
        .flat_map(|session| &session.entries)
        .map(|e| (e.offset, e.at))
        .collect();
    times.sort_unstable();
    assert!(times.is_sorted_by(|a, b| a.1 < b.1) && times[3].1 < SECOND, "{times:?}");
}

#[test]
fn executed_statements_are_sent_if_the_log_hides_their_text() {
    let lines = "{}1Z\t 8 Connect\tu@h on d using TCP/IP\n\
        {}2Z\t 8 Query\tPREPARE `p` FROM ...\n\
        {}2Z\t 8 Prepare\tselect ?\n\
        {}3Z\t 8 Query\tEXECUTE p USING @a\n\
        {}3Z\t 8 Execute\tselect 1\n\
        {}4Z\t 8 Query\tDEALLOCATE PREPARE p\n\
        {}5Z\t 8 Query\tPREPARE p FROM 'select 2'\n\
        {}6Z\t 8 Query\tEXECUTE p\n\
        {}6Z\t 8 Execute\tselect 2\n\
        {}7Z\t 8 Quit\t\n";
    let (log, sessions) = read(lines.replace("{}", "2026-11-23T17:55:07.00000").as_bytes(), "");
    assert_eq!(texts(&sessions), [["select 1", "PREPARE p FROM 'select 2'", "EXECUTE p"]]);
    let count = |why| log.left_out.get(&why).copied();
    assert_eq!((count(LeftOut::Hidden), count(LeftOut::Echo)), (Some(3), Some(1)));
}

#[test]
fn slow_logs_of_both_servers_are_read() {
    let mysql = "/usr/sbin/mysqld, Version: 9.4.0 (Source). started with:\n\
        Tcp port: 3306  Unix socket: x\nTime                 Id Command    Argument\n\
        # Time: 2026-11-23T17:55:07.900000Z\n# User@Host: u[u] @ h []  Id:     8\n\
        # Query_time: 0.400000  Lock_time: 0.0 Rows_sent: 2  Rows_examined: 2\n\
        use shop;\nSET timestamp=1795456507;\nselect ';',\n2;\n\
        # Time: 2026-11-23T17:55:08.000000Z\n# User@Host: u[u] @ h []  Id:     8\n\
        # Query_time: 0.000100  Lock_time: 0.0 Rows_sent: 0  Rows_examined: 2\n\
        SET timestamp=1795456508;\nexecute p;\n\
        # Time: 2026-11-23T17:55:08.000000Z\n# User@Host: u[u] @ h []  Id:     8\n\
        # Query_time: 0.000100  Lock_time: 0.0 Rows_sent: 0  Rows_examined: 2\n\
        SET timestamp=1795456508;\n# administrator command: Quit;\n\
        # Time: 2026-11-23T17:55:08.500000Z\n# User@Host: u[u] @ h []  Id:     9\n\
        # Query_time: 0.000000  Lock_time: 0.0 Rows_sent: 0  Rows_examined: 2\n\
        SET timestamp=1795456508;\ndelete from t;\n";
    let (log, sessions) = read(mysql.as_bytes(), "");
    assert_eq!(texts(&sessions), [["select ';',\n2"], ["delete from t"]]);
    assert_eq!(sessions[1][0].0, 1000);
    assert_eq!((log.timed, log.has_errors), (2, false));
    assert_eq!(log.left_out.get(&LeftOut::NotPrepared), Some(&1));
    let rows: u64 = log.groups.all.iter().map(|group| group.rows).sum();
    assert_eq!(rows, 2);
    let mariadb = "# User@Host: u[u] @ h []\n# Thread_id: 3  Schema: shop  QC_hit: No\n\
        # Query_time: 0.000000  Lock_time: 0.0  Rows_sent: 0  Rows_examined: 2\n\
        # Rows_affected: 4  Bytes_sent: 1\nSET timestamp=1795456507;\nupdate t set a = {};\n";
    let record = |number: &str| mariadb.replace("{}", number);
    let other = record("3").replace("id: 3", "id: 4");
    let text = format!("# Time: 261123  9:55:07\n{}{other}{}", record("1"), record("2"));
    let (log, sessions) = read(text.as_bytes(), "");
    assert_eq!(
        texts(&sessions),
        [vec!["update t set a = 1", "update t set a = 2"], vec!["update t set a = 3"]]
    );
    let [first, second, third] = [sessions[0][0].0, sessions[1][0].0, sessions[0][1].0];
    assert!(first == 0 && first < second && second < third && third < 1000);
    assert_eq!(log.groups.all.iter().map(|group| group.rows).sum::<u64>(), 12);
}
