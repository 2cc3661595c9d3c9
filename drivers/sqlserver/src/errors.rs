//! Maps the server's error numbers to [`ErrorKind`] and to hints for the user.
//!
//! The error numbers are listed at
//! <https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors>.

use tacho_core::{Error, ErrorKind, Retry};
use tacho_driver::{kind_of, with_remedy};

use crate::bytes::{Bytes, Read, string};

/// Error numbers by kind. Any other number maps to [`ErrorKind::Other`].
const KINDS: [(ErrorKind, &[u32]); 15] = [
    (ErrorKind::Connect, &[233, 596, 6005, 6006, 10_053, 10_054, 17_142, 40_197, 40_613, 42_109]),
    (
        ErrorKind::Auth,
        // This kind includes the error for changes to a read-only database, because the server rejects them for every
        // login.
        &[
            229, 230, 262, 297, 300, 371, 916, 3906, 3908, 5011, 10_330, 15_151, 15_247, 18_452,
            18_456, 18_461, 18_470, 18_486, 18_487, 18_488, 33_161, 40_615,
        ],
    ),
    (ErrorKind::Timeout, &[8645, 49_977]),
    (ErrorKind::Cancelled, &[3617]),
    (ErrorKind::Deadlock, &[1205, 1211]),
    (
        ErrorKind::Serialization,
        // Error numbers above 41,300 are those of memory-optimized tables.
        &[3960, 3961, 3958, 3966, 41_301, 41_302, 41_305, 41_325, 41_839],
    ),
    (ErrorKind::LockTimeout, &[1222, 5245]),
    (ErrorKind::UniqueViolation, &[1505, 2601, 2627]),
    (
        ErrorKind::Constraint,
        &[
            220, 232, 241, 242, 244, 245, 248, 295, 515, 517, 547, 550, 1753, 2628, 4815, 4819,
            4863, 4864, 4879, 7339, 8114, 8115, 8134, 8152, 8169, 13_535,
        ],
    ),
    (
        ErrorKind::Syntax,
        &[
            102, 103, 105, 109, 110, 111, 119, 120, 121, 128, 134, 137, 144, 156, 170, 178, 201,
            205, 213, 206, 214, 319, 402, 8120, 8144, 8145, 8146, 8178, 10_709,
        ],
    ),
    (
        ErrorKind::Missing,
        &[207, 208, 911, 2702, 2706, 2812, 3701, 3728, 4060, 4121, 4701, 4902, 15_009],
    ),
    (ErrorKind::Exists, &[1779, 1801, 1913, 2705, 2714, 2744, 15_023, 15_025]),
    (
        ErrorKind::Resource,
        &[
            511, 701, 708, 802, 1101, 1105, 1121, 1204, 3967, 5149, 8623, 8628, 8632, 8651, 8657,
            9002, 10_928, 10_929, 10_936, 17_300, 17_803, 17_809, 40_501, 41_805, 41_822, 41_823,
            49_918,
        ],
    ),
    (
        ErrorKind::Unsupported,
        &[12_305, 12_331, 40_510, 40_512, 40_514, 40_515, 40_517, 41_332, 41_333, 41_337, 41_368],
    ),
    (ErrorKind::Protocol, &[4002, 8016, 8023, 8179, 17_805, 17_836]),
];

/// Hints by error number.
const REMEDIES: [(&[u32], &str); 20] = [
    (
        &[18_456],
        "check the user and password; they can also be set in SQLCMDUSER and SQLCMDPASSWORD",
    ),
    (
        &[18_452],
        "only SQL Server logins are supported: enable mixed authentication on the server, or use a SQL Server \
         login",
    ),
    (&[4060, 911], "if the database exists, give the login access to it: CREATE USER"),
    (
        &[229, 230, 262, 297, 300, 371, 916, 15_151, 15_247],
        "grant the login the required privileges, for example ALTER ROLE db_owner ADD MEMBER name, or use another login",
    ),
    (&[3906, 3908], "the database is read-only and may be a secondary: connect to the primary"),
    (&[18_486], "the login is locked out: run ALTER LOGIN name WITH PASSWORD = … UNLOCK"),
    (&[18_487, 18_488], "the password has expired: run ALTER LOGIN name WITH PASSWORD = …"),
    (
        &[1222],
        "another session holds the lock: end that session, or raise lock_timeout in the target",
    ),
    (
        &[3960, 3961],
        "another transaction changed the row: use --retry same, or isolation=read-committed in the target",
    ),
    (&[3952], "run ALTER DATABASE name SET ALLOW_SNAPSHOT_ISOLATION ON"),
    (
        &[41_301, 41_302, 41_305, 41_325],
        "another transaction changed the row of a memory-optimized table: use --retry same",
    ),
    (
        &[41_332, 41_333, 41_368],
        "memory-optimized tables require read-committed: remove isolation from the target, and run ALTER \
         DATABASE name SET MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT = ON",
    ),
    (
        &[41_805, 41_822, 41_823],
        "memory for memory-optimized tables is exhausted: raise max server memory, or load less data",
    ),
    (&[9002], "the log is full: back it up, let it grow, or set the recovery model to simple"),
    (&[1101, 1105, 5149], "the database's disk or filegroup is full: free some space"),
    (&[701, 802, 8645, 8651, 8657], "raise max server memory, or use fewer sessions"),
    (&[1204], "the server has no memory for more locks: raise max server memory"),
    (
        &[17_300, 17_809, 10_928],
        "use fewer sessions, or raise the server's user connections setting",
    ),
    (&[511], "the row is too large for a page, which holds at most 8,060 bytes"),
    (&[33_161, 40_615], "allow this machine's address in the server's firewall"),
];

/// The lowest severity at which the server closes the connection.
const FATAL: u8 = 20;
/// The number that Babelfish uses for all errors that do not exist in SQL Server.
const UNMAPPED: u32 = 33_557_097;
/// Phrases by which Babelfish's errors are classified. They come from PostgreSQL, on which Babelfish is based.
const WORDS: [(&str, ErrorKind); 9] = [
    ("does not exist", ErrorKind::Missing),
    ("already exists", ErrorKind::Exists),
    ("syntax error", ErrorKind::Syntax),
    ("could not serialize", ErrorKind::Serialization),
    ("lock timeout", ErrorKind::LockTimeout),
    ("permission denied", ErrorKind::Auth),
    ("not supported", ErrorKind::Unsupported),
    ("not currently supported", ErrorKind::Unsupported),
    ("canceling statement", ErrorKind::Cancelled),
];

/// Converts the body of an ERROR token, which contains a number, a state, a severity, a message, and a location.
#[cold]
pub fn server(body: &[u8]) -> Error {
    let mut bytes = Bytes(body);
    let mut read = || -> Read<(u32, u8, String)> {
        let number = bytes.u32()?;
        let [_state, severity] = bytes.array()?;
        Ok((number, severity, string(bytes.long_text()?)))
    };
    match read() {
        Ok((number, severity, text)) => {
            let error = numbered(number, &text);
            if severity >= FATAL { error.retry(Retry::NewConnection) } else { error }
        }
        Err(stop) => stop.into(),
    }
}

/// Creates an error from a server's error number and message.
#[cold]
pub fn numbered(number: u32, text: &str) -> Error {
    let by_words = || {
        let found = WORDS.iter().find(|(words, _)| number == UNMAPPED && text.contains(words));
        found.map_or(ErrorKind::Other, |(_, kind)| *kind)
    };
    let kind = kind_of(number, &KINDS).unwrap_or_else(by_words);
    let error = Error::new(kind, text.trim_end()).code(number.to_string());
    with_remedy(error, number, &REMEDIES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::to_utf16;

    #[test]
    fn numbers_are_classified() {
        let table = [
            (1205, ErrorKind::Deadlock, Retry::SameConnection),
            (1222, ErrorKind::LockTimeout, Retry::SameConnection),
            (3960, ErrorKind::Serialization, Retry::SameConnection),
            (3961, ErrorKind::Serialization, Retry::SameConnection),
            (41_301, ErrorKind::Serialization, Retry::SameConnection),
            (41_302, ErrorKind::Serialization, Retry::SameConnection),
            (41_305, ErrorKind::Serialization, Retry::SameConnection),
            (41_325, ErrorKind::Serialization, Retry::SameConnection),
            (2627, ErrorKind::UniqueViolation, Retry::Never),
            (2601, ErrorKind::UniqueViolation, Retry::Never),
            (547, ErrorKind::Constraint, Retry::Never),
            (515, ErrorKind::Constraint, Retry::Never),
            (8115, ErrorKind::Constraint, Retry::Never),
            (102, ErrorKind::Syntax, Retry::Never),
            (208, ErrorKind::Missing, Retry::Never),
            (207, ErrorKind::Missing, Retry::Never),
            (4060, ErrorKind::Missing, Retry::Never),
            (2714, ErrorKind::Exists, Retry::Never),
            (18_456, ErrorKind::Auth, Retry::Never),
            (229, ErrorKind::Auth, Retry::Never),
            (701, ErrorKind::Resource, Retry::Never),
            (511, ErrorKind::Resource, Retry::Never),
            (3617, ErrorKind::Cancelled, Retry::Never),
            (596, ErrorKind::Connect, Retry::NewConnection),
            (50_000, ErrorKind::Other, Retry::Never),
        ];
        for (number, kind, retry) in table {
            let error = numbered(number, "");
            assert_eq!((error.kind(), error.retry_class()), (kind, retry), "{number}");
        }
        let mut all: Vec<u32> = KINDS.iter().flat_map(|(_, numbers)| *numbers).copied().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "each number has one kind");
    }

    #[test]
    fn an_error_without_a_number_of_its_own_is_known_by_its_words() {
        let kind = |text: &str| numbered(UNMAPPED, text).kind();
        assert_eq!(kind("relation \"x\" does not exist"), ErrorKind::Missing);
        assert_eq!(kind("syntax error near 'SELEC'"), ErrorKind::Syntax);
        let statistics = "'UPDATE STATISTICS' is not currently supported in Babelfish";
        assert_eq!(kind(statistics), ErrorKind::Unsupported);
        assert_eq!(kind("something else"), ErrorKind::Other);
        assert_eq!(numbered(50_000, "x does not exist").kind(), ErrorKind::Other);
    }

    #[test]
    fn a_token_is_read() -> tacho_core::Result<()> {
        for (severity, retry) in [(16, Retry::Never), (20, Retry::NewConnection)] {
            let mut body = vec![0xC3, 0x4C, 0, 0, 1, severity, 3, 0];
            to_utf16(b"no!", &mut body)?;
            body.extend([0, 0, 1, 0, 0, 0]);
            let error = server(&body);
            assert_eq!(error.to_string(), "no! (19651)");
            assert_eq!(error.retry_class(), retry);
        }
        assert_eq!(server(&[1]).kind(), ErrorKind::Protocol);
        Ok(())
    }
}
