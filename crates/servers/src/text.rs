//! A server's small files: settings, process IDs and logs.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use tacho_core::{Result, file};

use crate::system;

/// Number of log lines included in an error.
const TAIL: usize = 12;
/// Number of bytes at the end of a log that are searched for error lines.
const LOG_END: u64 = 1 << 20;

/// Returns the content of a file. It is empty if the file is missing, too large or not a regular file.
pub fn read(path: &Path) -> String {
    let bytes = file::read(path, file::RECORD_MAX).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the last lines of a log of any length, formatted for use in an error.
pub(crate) fn log_tail(path: &Path) -> String {
    let mut end = Vec::new();
    // If the log cannot be read, the error is reported without it.
    let _ = file::open(path).and_then(|mut file| {
        file.seek(SeekFrom::Start(file.metadata()?.len().saturating_sub(LOG_END)))?;
        file.take(LOG_END).read_to_end(&mut end)
    });
    tail(&String::from_utf8_lossy(&end))
}

/// Creates a file that only its owner can read.
pub(crate) fn write_private(path: &Path, content: &str) -> Result<()> {
    use std::io::Write;
    let mut options = system::private_file();
    let mut file = options.write(true).create(true).truncate(true).open(path)?;
    Ok(file.write_all(content.as_bytes())?)
}

/// Returns the last lines of a log. If a longer log contains errors, returns only lines with
/// errors.
pub(crate) fn tail(log: &str) -> String {
    let tells =
        |line: &&str| ["[ERROR]", "ERROR:", "FATAL:", "PANIC:"].iter().any(|w| line.contains(w));
    let mut lines: Vec<&str> = log.trim_end().lines().collect();
    if lines.len() > TAIL && lines.iter().any(tells) {
        lines.retain(tells);
    }
    let last = &lines[lines.len().saturating_sub(TAIL)..];
    if last.is_empty() { "it ended without a message".into() } else { last.join("\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_is_the_end_of_a_log() {
        let log: Vec<String> = (0..20).map(|line| format!("line {line}")).collect();
        let tail = tail(&log.join("\n"));
        assert!(tail.starts_with("line 8\n") && tail.ends_with("line 19"), "{tail}");
        assert_eq!(super::tail("a\n[ERROR] b\nc"), "a\n[ERROR] b\nc");
        let much = format!("{}\n[ERROR] b\n{0}", ["a"; 20].join("\n"));
        assert_eq!(super::tail(&much), "[ERROR] b");
        assert_eq!(super::tail("\n"), "it ended without a message");
    }
}
