//! Maps the client's errors and the server's error numbers to [`ErrorKind`] and hints for the user.
//!
//! The numbers are listed at <https://docs.oracle.com/error-help/db/>. Start reading at [`of_client`].

use std::io;

use oracledb::ErrorKind as Client;
use tacho_core::{Error, ErrorKind, Retry};
use tacho_driver::{kind_of, with_remedy};
use tacho_net::{lost, unexpected, unreachable};

/// Error numbers by kind. Any other number maps to [`ErrorKind::Other`].
const KINDS: [(ErrorKind, &[u32]); 13] = [
    (
        ErrorKind::Connect,
        // This kind includes errors about killed sessions, and about instances that are starting, are stopping, or have
        // no free process to accept a connection.
        &[
            28, 600, 1012, 1014, 1033, 1034, 1089, 1090, 1092, 2396, 2399, 3113, 3114, 3135, 3136,
            7445, 12_152, 12_516, 12_518, 12_519, 12_520, 12_521, 12_528, 12_537, 12_541, 12_547,
            12_570, 12_571, 12_583, 25_401, 25_408,
        ],
    ),
    (
        ErrorKind::Auth,
        // This kind includes the errors for locked accounts and read-only databases.
        &[
            1005, 1017, 1031, 1045, 1720, 1950, 16_000, 28_000, 28_001, 28_002, 28_009, 28_040,
            28_759, 46_952,
        ],
    ),
    (ErrorKind::Timeout, &[40, 2049, 12_170, 12_535, 12_606, 12_609]),
    (ErrorKind::Cancelled, &[1013, 56_735]),
    (ErrorKind::Deadlock, &[60, 4020]),
    (ErrorKind::Serialization, &[8176, 8177, 1555]),
    (ErrorKind::LockTimeout, &[54, 30_006, 4021]),
    (ErrorKind::UniqueViolation, &[1, 1452]),
    (
        ErrorKind::Constraint,
        &[
            1400, 1401, 1407, 1426, 1438, 1476, 1722, 1830, 1839, 1841, 2290, 2291, 2292, 6502,
            12_899,
        ],
    ),
    (
        ErrorKind::Syntax,
        &[
            900, 903, 904, 905, 906, 907, 909, 911, 917, 918, 920, 921, 922, 923, 932, 933, 936,
            937, 979, 1006, 1008, 1036, 1747, 2014, 6550, 24_344,
        ],
    ),
    (
        ErrorKind::Missing,
        &[942, 1418, 1435, 1918, 2289, 4043, 6553, 6575, 6576, 12_154, 12_505, 12_514],
    ),
    (ErrorKind::Exists, &[955, 1408, 2260, 2261, 2264, 2275]),
    (
        ErrorKind::Resource,
        &[
            18, 20, 1000, 1536, 1628, 1631, 1650, 1652, 1653, 1654, 1658, 1688, 1691, 4030, 4031,
            4036, 2391, 30_036, 257,
        ],
    ),
];

/// Hints by error number.
const REMEDIES: [(&[u32], &str); 18] = [
    (&[1017, 1005], "check the user and password; the password can also be set in ORACLE_PASSWORD"),
    (&[28_000], "the account is locked: run ALTER USER name ACCOUNT UNLOCK"),
    (&[28_001, 28_002], "the password has expired: run ALTER USER name IDENTIFIED BY …"),
    (&[1045], "GRANT CREATE SESSION TO name"),
    (
        &[1031],
        "grant the user the required privileges, for example GRANT CREATE TABLE, CREATE PROCEDURE TO name",
    ),
    (&[1950, 1536], "run ALTER USER name QUOTA UNLIMITED ON tablespace"),
    (
        &[12_514],
        "check the service name; to list the registered services, run lsnrctl services on the \
            server",
    ),
    (&[12_505], "check the SID; a pluggable database has a service name but no SID"),
    (
        &[12_541, 12_170, 12_535],
        "check the host and port, and that the listener is running: lsnrctl status",
    ),
    (
        &[12_516, 12_518, 12_519, 12_520, 18, 20],
        "use fewer sessions, or raise the instance parameters processes and sessions",
    ),
    (&[1033, 1034, 12_528], "the instance is starting or not open: run STARTUP, or wait"),
    (&[1000], "raise the instance's open_cursors"),
    (
        &[8177],
        "another transaction changed the row: use --retry same, or isolation=read-committed in the target",
    ),
    (
        &[1555],
        "the undo data was overwritten before the query finished: raise undo_retention or enlarge the undo tablespace",
    ),
    (&[54, 30_006], "another session holds the lock: end that session"),
    (
        &[1652, 1653, 1654, 1658, 1688, 30_036],
        "the tablespace is full: add a data file, or allow an existing one to grow",
    ),
    (
        &[257],
        "the archive area is full: back up the archived logs, or raise db_recovery_file_dest_size",
    ),
    (&[28_040], "use SQLNET.ALLOWED_LOGON_VERSION_SERVER to allow the version 12 login protocol"),
];

/// Converts an error returned by the client.
#[cold]
pub fn of_client(error: &oracledb::Error) -> Error {
    match error.kind() {
        Client::DbError(db) => numbered(db.code() as u32, db.message()),
        Client::InvalidServiceName(_, service, ..) => {
            numbered(12_514, &format!("the service \"{service}\" is not registered with the listener"))
        }
        Client::InvalidSid(_, sid, ..) => numbered(12_505, &format!("the SID \"{sid}\" is not registered with the listener")),
        Client::ListenerRefusedConnection(.., number) => {
            numbered(*number as u32, "the listener refused the connection")
        }
        Client::UnexpectedRefuse(_) => Error::new(ErrorKind::Connect, "the listener refused the connection")
            .hint("see its log"),
        Client::StreamOperation => of_stream(error),
        Client::DeadConnection | Client::NotConnected | Client::UnableToRecover => {
            lost(&io::ErrorKind::UnexpectedEof.into())
        }
        Client::CallTimeoutExceeded => Error::new(ErrorKind::Timeout, "timed out")
            .retry(Retry::NewConnection)
            .hint("allow more time with call_timeout"),
        Client::TlsOperation => Error::new(ErrorKind::Connect, error.to_string()),
        Client::WalletPasswordMissingOrInvalid(..)
        | Client::WalletPrivateKeyInvalid(_)
        | Client::WalletUnreadable(_)
        | Client::PemFileOperation => Error::usage(error.to_string())
            .hint("set wallet= to the folder that contains ewallet.pem, and ORACLE_WALLET_PASSWORD to the wallet password"),
        Client::NoCredentials => Error::new(ErrorKind::Auth, "no password was specified")
            .hint("set ORACLE_PASSWORD"),
        Client::InvalidConnectString(..) | Client::InvalidNetworkName(_) => {
            Error::usage(error.to_string()).hint("write the target as oracle://user@host:1521/service")
        }
        Client::ServerVersionNotSupported => Error::new(ErrorKind::Unsupported, error.to_string())
            .hint("the client supports version 12.1 and later"),
        Client::NotImplemented(_) => Error::new(ErrorKind::Unsupported, error.to_string()),
        Client::UnsupportedConversion(..) | Client::OutOfRange(_) | Client::InvalidOracleNumber(_) => {
            Error::new(ErrorKind::Protocol, error.to_string()).hint("cast the column to the declared type")
        }
        Client::MissingBindValue(_)
        | Client::WrongNumPositionalBinds(..)
        | Client::DifferentTypes(..)
        | Client::ParseError(..) => Error::usage(error.to_string()),
        _ => unexpected(&error.to_string()),
    }
}

/// Converts the error for a socket that could not be opened or was lost. The client describes the reason only in words.
fn of_stream(error: &oracledb::Error) -> Error {
    let text = error.to_string();
    let says = |words: &str| text.contains(words);
    if says("refused") {
        unreachable(io::ErrorKind::ConnectionRefused.into())
    } else if says("reset by peer") || says("roken pipe") {
        lost(&io::ErrorKind::UnexpectedEof.into())
    } else {
        let why = text.split_once(": ").map_or(&*text, |(_, why)| why);
        Error::new(ErrorKind::Connect, why).hint("check the host and port")
    }
}

/// Creates an error from a server's error number and message. Keeps only the first line of the message, without the
/// number.
#[cold]
pub fn numbered(number: u32, text: &str) -> Error {
    let code = format!("ORA-{number:05}");
    let kind = kind_of(number, &KINDS).unwrap_or(ErrorKind::Other);
    let line = text.lines().next().unwrap_or_default();
    let line = line.strip_prefix(&*code).map_or(line, |rest| rest.trim_start_matches(':').trim());
    let error = Error::new(kind, line).code(code);
    with_remedy(error, number, &REMEDIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_classified() {
        let table = [
            (60, ErrorKind::Deadlock, Retry::SameConnection),
            (8177, ErrorKind::Serialization, Retry::SameConnection),
            (1555, ErrorKind::Serialization, Retry::SameConnection),
            (54, ErrorKind::LockTimeout, Retry::SameConnection),
            (30_006, ErrorKind::LockTimeout, Retry::SameConnection),
            (1, ErrorKind::UniqueViolation, Retry::Never),
            (1400, ErrorKind::Constraint, Retry::Never),
            (2291, ErrorKind::Constraint, Retry::Never),
            (12_899, ErrorKind::Constraint, Retry::Never),
            (942, ErrorKind::Missing, Retry::Never),
            (12_514, ErrorKind::Missing, Retry::Never),
            (955, ErrorKind::Exists, Retry::Never),
            (904, ErrorKind::Syntax, Retry::Never),
            (6550, ErrorKind::Syntax, Retry::Never),
            (1017, ErrorKind::Auth, Retry::Never),
            (28_000, ErrorKind::Auth, Retry::Never),
            (1013, ErrorKind::Cancelled, Retry::Never),
            (1653, ErrorKind::Resource, Retry::Never),
            (3113, ErrorKind::Connect, Retry::NewConnection),
            (12_541, ErrorKind::Connect, Retry::NewConnection),
            (28, ErrorKind::Connect, Retry::NewConnection),
            (20_001, ErrorKind::Other, Retry::Never),
        ];
        for (number, kind, retry) in table {
            let error = numbered(number, "");
            assert_eq!((error.kind(), error.retry_class()), (kind, retry), "{number}");
        }
        let all = KINDS.iter().flat_map(|(_, numbers)| *numbers).copied();
        let mut all: Vec<u32> = all.collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "each number has one kind");
        let has_kind = |number: &u32| all.contains(number);
        assert!(REMEDIES.iter().flat_map(|(numbers, _)| *numbers).all(has_kind));
    }

    #[test]
    fn a_text_is_one_line_without_its_number() {
        let text = "ORA-00060: deadlock detected while waiting for resource\nORA-06512: at \"ME.P\", line 7";
        let error = numbered(60, text);
        assert_eq!(error.to_string(), "deadlock detected while waiting for resource (ORA-00060)");
        assert_eq!(error.native_code(), Some("ORA-00060"));
        assert_eq!(numbered(1, "no number").to_string(), "no number (ORA-00001)");
    }
}
