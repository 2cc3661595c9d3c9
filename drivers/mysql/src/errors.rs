//! Maps the server's error numbers to [`ErrorKind`] and to hints for the user.
//!
//! The error numbers are listed at <https://dev.mysql.com/doc/mysql-errors/en/server-error-reference.html> and
//! <https://mariadb.com/docs/server/reference/error-codes>.

use tacho_core::{Error, ErrorKind, Retry};
use tacho_driver::{kind_of, with_remedy};

use crate::bytes::Bytes;

/// Error numbers by kind. Any other number maps to [`ErrorKind::Other`].
const KINDS: [(ErrorKind, &[u16]); 16] = [
    (ErrorKind::Connect, &[1053, 1077, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 3169]),
    (
        ErrorKind::Auth,
        // This kind includes the errors of read-only servers, which reject changes even if the user has all privileges.
        &[
            1044, 1045, 1129, 1130, 1131, 1132, 1133, 1142, 1143, 1227, 1290, 1370, 1410, 1419,
            1524, 1698, 1792, 1820, 1836, 1862, 3118, 3159, 3891, 4151,
        ],
    ),
    (ErrorKind::Timeout, &[1969, 3024, 4031]),
    (ErrorKind::Cancelled, &[1317, 1028]),
    (ErrorKind::Deadlock, &[1213, 1614, 3058]),
    (ErrorKind::Serialization, &[1020]),
    (ErrorKind::LockTimeout, &[1205, 3572]),
    (ErrorKind::UniqueViolation, &[1022, 1062, 1169, 1557, 1586, 1761, 1762, 1859]),
    (
        ErrorKind::Constraint,
        &[
            1048, 1138, 1216, 1217, 1264, 1265, 1292, 1364, 1366, 1367, 1406, 1451, 1452, 1526,
            1690, 1748, 3140, 3157, 3819, 3988, 4025,
        ],
    ),
    (ErrorKind::Syntax, &[1064, 1065, 1136, 1149, 1166, 1241, 1318, 1327]),
    (
        ErrorKind::Missing,
        &[1008, 1017, 1046, 1049, 1051, 1054, 1091, 1109, 1146, 1176, 1193, 1243, 1305, 1325, 1508],
    ),
    (ErrorKind::Exists, &[1007, 1050, 1061, 1304, 1826]),
    (
        ErrorKind::Resource,
        // The first five errors come from the operating system: files cannot be written, or memory is exhausted.
        &[
            1, 3, 5, 20, 23, 1021, 1026, 1030, 1037, 1038, 1040, 1041, 1114, 1116, 1117, 1118,
            1135, 1153, 1197, 1203, 1206, 1226, 1390, 1436, 1461, 1878, 3015, 3026, 3168,
        ],
    ),
    (
        ErrorKind::Unsupported,
        &[1112, 1115, 1128, 1148, 1178, 1214, 1235, 1251, 1273, 1286, 1289, 1295, 3948, 4166],
    ),
    (ErrorKind::Protocol, &[1047, 1105, 1156, 1157, 1835]),
    (ErrorKind::Usage, &[1210, 1231, 1232]),
];

/// Error numbers after which the server closes the connection.
const LAST: [u16; 5] = [1040, 1153, 1156, 1157, 4031];

/// Hints by error number.
const REMEDIES: [(&[u16], &str); 19] = [
    (&[1040, 1203, 1226], "use fewer sessions, or raise the server's max_connections"),
    (
        &[1045, 1698],
        "check the user and password; the password can also be set in MYSQL_PWD or ~/.my.cnf",
    ),
    (
        &[1044, 1142, 1143, 1227, 1370, 1410],
        "grant the user the required privileges, for example GRANT ALL ON database.* TO user, or use another user",
    ),
    (&[1049], "check the database name; tacho prepare creates the database if it does not exist"),
    (&[1115], "specify another character set in the target, such as charset=utf8mb4"),
    (
        &[1020],
        "another transaction changed the row: use --retry same, or snapshot-isolation=off in the target",
    ),
    (
        &[1129],
        "the server has blocked this host after failed logins: run FLUSH HOSTS on the server",
    ),
    (&[1130], "no user may connect from this host: CREATE USER 'name'@'host'"),
    (
        &[1290, 1792, 1836],
        "the server is read-only and may be a replica: set read_only=OFF on the server",
    ),
    (
        &[1205, 3572],
        "another session holds the lock: end that session, or raise innodb_lock_wait_timeout",
    ),
    (&[1153], "raise max_allowed_packet on the server"),
    (
        &[3, 20, 1026, 1878],
        "the disk that holds the server's temporary files (tmpdir) is full: free up some space",
    ),
    (&[1021, 1114, 3168], "the server's disk or tablespace is full: free up some space"),
    (&[1461, 1390], "raise the server's max_prepared_stmt_count, or use fewer sessions"),
    (&[1206], "the lock table is full: raise innodb_buffer_pool_size"),
    (&[1419], "set log_bin_trust_function_creators=ON on the server"),
    (&[1053], "the server is shutting down: try again once it is running"),
    (&[1820, 1862], "the password has expired: change it with ALTER USER in the server's client"),
    (
        &[1148, 3948],
        "rows are loaded by INSERT instead, which is slower: set local_infile=ON on the server",
    ),
];

/// Converts an error packet: `FF`, the error number, an optional `#` with an SQLSTATE, and a message.
#[cold]
pub fn server(body: &[u8]) -> Error {
    let mut bytes = Bytes(body.get(1..).unwrap_or_default());
    let number = bytes.u16().unwrap_or_default();
    if bytes.0.first() == Some(&b'#') {
        let _state = bytes.take(6);
    }
    let text = bytes.0;
    numbered(number, &String::from_utf8_lossy(text))
}

/// Creates an error from a server's error number and message.
#[cold]
pub fn numbered(number: u16, text: &str) -> Error {
    let kind = kind_of(number, &KINDS).unwrap_or(ErrorKind::Other);
    let mut error = Error::new(kind, text).code(number.to_string());
    if LAST.contains(&number) {
        error = error.retry(Retry::NewConnection);
    }
    // The server uses error 1290 for several options that forbid a statement. Only errors about read-only options get
    // the hint.
    let of_read_only = number != 1290 || text.contains("read-only") || text.contains("read_only");
    if of_read_only { with_remedy(error, number, &REMEDIES) } else { error }
}

/// Returns true if the error has one of these server error numbers.
pub fn is(error: &Error, numbers: &[&str]) -> bool {
    error.native_code().is_some_and(|code| numbers.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_classified() {
        let table = [
            (1213, ErrorKind::Deadlock, Retry::SameConnection),
            (1205, ErrorKind::LockTimeout, Retry::SameConnection),
            (1020, ErrorKind::Serialization, Retry::SameConnection),
            (3572, ErrorKind::LockTimeout, Retry::SameConnection),
            (1062, ErrorKind::UniqueViolation, Retry::Never),
            (1048, ErrorKind::Constraint, Retry::Never),
            (1064, ErrorKind::Syntax, Retry::Never),
            (1146, ErrorKind::Missing, Retry::Never),
            (1054, ErrorKind::Missing, Retry::Never),
            (1044, ErrorKind::Auth, Retry::Never),
            (1290, ErrorKind::Auth, Retry::Never),
            (1114, ErrorKind::Resource, Retry::Never),
            (3, ErrorKind::Resource, Retry::Never),
            (1878, ErrorKind::Resource, Retry::Never),
            (1153, ErrorKind::Resource, Retry::NewConnection),
            (1040, ErrorKind::Resource, Retry::NewConnection),
            (1317, ErrorKind::Cancelled, Retry::Never),
            (3024, ErrorKind::Timeout, Retry::Never),
            (1969, ErrorKind::Timeout, Retry::Never),
            (1053, ErrorKind::Connect, Retry::NewConnection),
            (1927, ErrorKind::Connect, Retry::NewConnection),
            (3948, ErrorKind::Unsupported, Retry::Never),
            (1644, ErrorKind::Other, Retry::Never),
            (0, ErrorKind::Other, Retry::Never),
        ];
        for (number, kind, retry) in table {
            let error = numbered(number, "");
            assert_eq!((error.kind(), error.retry_class()), (kind, retry), "{number}");
        }
        let mut all: Vec<u16> = KINDS.iter().flat_map(|(_, numbers)| *numbers).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "each number has one kind");
    }

    #[test]
    fn a_report_is_read_with_and_without_its_state() {
        let error = server(b"\xFF\x15\x04#28000Access denied");
        assert_eq!(error.to_string(), "Access denied (1045)");
        assert_eq!(error.hints().len(), 1);
        assert_eq!(server(b"\xFF\x10\x04Too many").to_string(), "Too many (1040)");
        assert_eq!(server(b"\xFF").native_code(), Some("0"));
        assert!(numbered(1290, "running with the --secure-file-priv option").hints().is_empty());
    }
}
