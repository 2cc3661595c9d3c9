//! Finds keywords in a connection string that can make a client library load code.
//!
//! Start reading at [`code_of`].

use tacho_driver::Target;
use tacho_net::decoded;

/// Keywords for a server, a database, a socket or a certificate. Their values may contain path separators.
const DATA: &[&str] = &[
    "address",
    "ca",
    "database",
    "dbq",
    "host",
    "hostname",
    "server",
    "servername",
    "socket",
    "sslca",
    "sslcert",
    "sslclientkeystash",
    "sslclientkeystoredb",
    "sslkey",
    "sslrootcert",
    "sslservercertificate",
    "uid",
    "user",
];
/// Parts of dangerous keywords' names. The value of such a keyword is code, or a file with keywords that is read or
/// overwritten.
const CODE: &[&str] = &["filedsn", "library", "plugin", "savefile", "setup"];
/// File name extensions of shared libraries.
const LIBRARIES: &[&str] = &[".dll", ".dylib", ".so"];

/// Returns the target's option that could make a client load code: its `library`, or one of its `keywords`, whose escapes
/// are decoded like the driver does.
pub fn code_of(target: &Target) -> Option<String> {
    let library = target.given_of(&["library"]);
    library.or_else(|| {
        let given = target.option("keywords")?;
        let keywords = decoded(given).ok().flatten();
        code_in(keywords.as_deref().unwrap_or(given))
    })
}

/// Returns the first pair in `KEY=VALUE;…` that could make a client load code. Its value is a driver library, a
/// plug-in, or a path whose purpose is unknown.
pub fn code_in(keywords: &str) -> Option<String> {
    let pairs = keywords.split(';').filter_map(|pair| pair.split_once('='));
    let (key, value) = pairs.into_iter().find(|(key, value)| names_code(key, value))?;
    Some(format!("{}={}", key.trim(), value.trim()))
}

fn names_code(key: &str, value: &str) -> bool {
    let (key, value) = (key.trim().to_ascii_lowercase(), value.trim().to_ascii_lowercase());
    if CODE.iter().any(|part| key.replace(['_', ' '], "").contains(part)) {
        return true;
    }
    let is_library = LIBRARIES.iter().any(|end| value.contains(end));
    !DATA.contains(&key.as_str()) && (is_library || value.contains(['/', '\\']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_keywords_that_load_code_are_found() {
        for text in [
            "bench",
            "DSN=bench",
            "Driver={ODBC Driver 18 for SQL Server};Server=tcp:host\\name,1433;Encrypt=yes",
            "Driver=PostgreSQL Unicode;Server=/tmp;Database=bench;SSLmode=verify-full;SSLrootcert=/a/b",
            "Driver=SQLite3;Database=/data/bench.db",
        ] {
            assert_eq!(code_in(text), None, "{text}");
        }
        for (text, found) in [
            ("Driver=/a/b.so;Server=h", "Driver=/a/b.so"),
            ("dRiVeR = {/a/b} ;Server=h", "dRiVeR={/a/b}"),
            ("Server=h;Driver=evil.so.1", "Driver=evil.so.1"),
            ("FILEDSN=x", "FILEDSN=x"),
            ("DSN=bench;SaveFile=x", "SaveFile=x"),
            ("DSN=bench;PLUGIN_DIR=x", "PLUGIN_DIR=x"),
            ("DSN=bench;TraceFile=/tmp/x", "TraceFile=/tmp/x"),
            ("DSN=bench;Setup=x", "Setup=x"),
        ] {
            assert_eq!(code_in(text).as_deref(), Some(found), "{text}");
        }
    }
}
