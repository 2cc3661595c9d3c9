//! What a record of a log says, whatever wrote it.

/// A record.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Microseconds since 1970 by the log's clock.
    pub at: i64,
    /// The zone of that clock, if the log says it.
    pub zone: Vec<u8>,
    /// The session; empty if it is of none.
    pub session: Vec<u8>,
    /// Its database, if the record says it.
    pub database: Vec<u8>,
    pub kind: Kind,
}

/// What it says.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A session begins, in the database of the record.
    Begin,
    /// The session goes to the database of the record.
    Database,
    /// A statement that was sent.
    Statement(Done),
    /// What the server itself ran for the statement before, so that it is sent with that one.
    Echo(Done),
    /// The statement before took so many microseconds.
    Took(f64),
    /// The next statement was parsed or bound for so many microseconds.
    Prepared(f64),
    /// A statement failed with this code.
    Failed { state: String, text: Vec<u8> },
    /// A client asked for something that is not replayed.
    LeftOut(LeftOut),
    /// A session ends.
    End,
    /// All sessions end: the server was started.
    Restart,
    /// Nothing that a client has sent.
    Other,
}

/// A statement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    pub text: Vec<u8>,
    /// How long the server took, in microseconds, if the record says it.
    pub took: Option<f64>,
    /// The text in which the log gives its values, if it may have some.
    pub parameters: Option<Vec<u8>>,
}

macro_rules! left_out {
    ($($(#[doc = $doc:literal])+ $name:ident = $words:literal,)+) => {
        /// Why a statement is not replayed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum LeftOut {
            $($(#[doc = $doc])+ $name,)+
        }

        impl LeftOut {
            /// In words, for a list with counts.
            pub fn words(self) -> &'static str {
                match self {
                    $(Self::$name => $words,)+
                }
            }
        }
    };
}

left_out! {
    /// Rows that the log does not have.
    Copy = "COPY from or to the client: the log has no rows",
    /// The same of MySQL.
    LoadData = "LOAD DATA LOCAL: the log has no rows",
    /// A session that waits for others.
    Listen = "LISTEN",
    /// Commands of a replica.
    Replication = "commands of replication",
    /// Commands for the server or for other sessions.
    Server = "KILL and SHUTDOWN",
    /// More rows of a portal.
    Fetch = "further rows of a portal",
    /// A function that is called without a statement.
    Fastpath = "fastpath function calls",
    /// No values in the log.
    NoParameters = "parameters are not in the log",
    /// Values that the server cut off.
    CutParameter = "a parameter ends with '...', where the server cuts values off",
    /// A zero byte ends a text of the protocol.
    ZeroByte = "a byte 0 in the text",
    /// Longer than what is read.
    TooLong = "longer than 16 MiB",
    /// A statement of the protocol itself.
    Several = "several statements in one message",
    /// Run by the server for the statement before.
    Echo = "repeated by the server for PREPARE and EXECUTE, which are sent",
    /// Not of the database that is replayed.
    OtherDatabase = "of another database",
    /// Not known to be of the database that is replayed.
    UnknownDatabase = "of a session whose database is not in the log",
    /// USE: the target says the database.
    UseDatabase = "USE: the target gives the database",
    /// Long values of a prepared statement.
    LongData = "commands of prepared statements: values sent separately, cursors, resets",
}
