//! The contents of a log record in a form that does not depend on the log format.

/// A log record.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Microseconds since 1970 on the log's clock.
    pub at: i64,
    /// Time zone of the log's clock, if the log specifies it.
    pub zone: Vec<u8>,
    /// Identifier of the session that the record belongs to. Empty if it belongs to no session.
    pub session: Vec<u8>,
    /// The session's database, if the record specifies it.
    pub database: Vec<u8>,
    pub kind: Kind,
}

/// Contents of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A session starts in the record's database.
    Begin,
    /// The session switches to the record's database.
    Database,
    /// A statement that was sent.
    Statement(Done),
    /// The text of a prepared statement, which the server logs when it runs the statement. It is not sent if the
    /// session's previous command, such as EXECUTE, has already run the statement.
    Echo(Done),
    /// The previous statement took this many microseconds.
    Took(f64),
    /// Parsing or binding the next statement took this many microseconds.
    Prepared(f64),
    /// A statement failed with this error code.
    Failed { state: String, text: Vec<u8> },
    /// A client requested something that is not replayed.
    LeftOut(LeftOut),
    /// A session ends.
    End,
    /// The server was restarted, which ended all sessions.
    Restart,
    /// A record that does not originate from a client.
    Other,
}

/// A statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    pub text: Vec<u8>,
    /// Time that the server took, in microseconds, if the record contains it.
    pub took: Option<f64>,
    /// Text from which the parameter values can be parsed, if the log format contains such text.
    pub parameters: Option<Vec<u8>>,
    /// Number of rows that were returned or written, if the record contains it.
    pub rows: Option<u64>,
    /// Error code, if the record contains one, or empty if the statement succeeded.
    pub state: Option<String>,
}

macro_rules! left_out {
    ($($(#[doc = $doc:literal])+ $name:ident = $words:literal,)+) => {
        /// Reason why a statement is not replayed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LeftOut {
            $($(#[doc = $doc])+ $name,)+
        }

        impl LeftOut {
            /// Returns a description of the reason, for use in a list of reasons with counts.
            pub fn words(self) -> &'static str {
                match self {
                    $(Self::$name => $words,)+
                }
            }
        }
    };
}

left_out! {
    /// COPY from or to the client. The log does not contain the rows.
    Copy = "COPY from or to the client: the log does not contain the rows",
    /// LOAD DATA LOCAL, MySQL's counterpart to COPY. The log does not contain its rows.
    LoadData = "LOAD DATA LOCAL: the log does not contain the rows",
    /// LISTEN, after which a session waits for other sessions.
    Listen = "LISTEN",
    /// Commands of a replica.
    Replication = "replication commands",
    /// Commands that affect the server or other sessions.
    Server = "KILL and SHUTDOWN",
    /// Additional rows of a portal.
    Fetch = "additional rows of a portal",
    /// A function that is called without a statement.
    Fastpath = "fastpath function calls",
    /// The log does not contain the parameter values.
    NoParameters = "parameters are not in the log",
    /// A parameter value that the server truncated.
    CutParameter = "a parameter ends with '...', so the server may have truncated it",
    /// A statement with a zero byte, which would end the string in the protocol.
    ZeroByte = "a zero byte in the text",
    /// A record longer than the reader's limit.
    TooLong = "longer than 16 MiB",
    /// Several statements in one protocol message.
    Several = "several statements in one message",
    /// A statement that the server ran as part of a PREPARE or EXECUTE command. The command itself is replayed instead.
    Echo = "the inner statements of PREPARE and EXECUTE, because the commands themselves are replayed",
    /// A statement in a database that is not replayed.
    OtherDatabase = "in another database",
    /// A statement in an unknown database. It may not be the database that is replayed.
    UnknownDatabase = "in a session for which the log does not specify a database",
    /// USE. The target specifies the database instead.
    UseDatabase = "USE: the target specifies the database",
    /// A PREPARE command whose text the server hides in the log, or an EXECUTE command for it. The log also contains
    /// the statements that the server executed, so these are sent instead.
    Hidden = "PREPARE whose text the server hides, and its EXECUTE: the statements that the server executed are sent instead",
    /// An EXECUTE command for a statement whose text is not in the log.
    NotPrepared = "EXECUTE of a statement whose text is not in the log",
    /// A statement in a routine. A call to the routine runs it again.
    Routine = "statements in routines, because the calls are replayed",
    /// Parameter values that are sent separately, and other commands for prepared statements.
    LongData = "cursors, resets, separately sent values and other prepared-statement commands",
}

impl LeftOut {
    /// Returns true if the omission of the statement leaves work undone that nothing else in the replay does.
    pub fn is_missed(self) -> bool {
        let is_done_otherwise = matches!(
            self,
            Self::Fetch | Self::Echo | Self::Hidden | Self::Routine | Self::UseDatabase
        );
        !is_done_otherwise && !matches!(self, Self::OtherDatabase | Self::Listen)
    }
}
