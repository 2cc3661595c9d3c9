//! Small files of servers: settings, process ids, logs.

use std::path::Path;

use tacho_core::Result;

/// Lines of a log that an error repeats.
const TAIL: usize = 12;

/// What a file holds; nothing if it is not there.
pub(crate) fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Makes a file.
pub(crate) fn write(path: &Path, content: &str) -> Result<()> {
    #[expect(clippy::disallowed_methods, reason = "the server's own files")]
    std::fs::write(path, content)?;
    Ok(())
}

/// The lines of a log that name an error or, where none does, the last ones.
pub(crate) fn tail(log: &str) -> String {
    let tells =
        |line: &&str| ["[ERROR]", "ERROR:", "FATAL:", "PANIC:"].iter().any(|w| line.contains(w));
    let mut lines: Vec<&str> = log.lines().filter(tells).collect();
    if lines.is_empty() {
        lines = log.trim_end().lines().collect();
    }
    let last = &lines[lines.len().saturating_sub(TAIL)..];
    if last.is_empty() { "it ended without a word".into() } else { last.join("\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_is_the_end_of_a_log() {
        let log: Vec<String> = (0..20).map(|line| format!("line {line}")).collect();
        let tail = tail(&log.join("\n"));
        assert!(tail.starts_with("line 8\n") && tail.ends_with("line 19"), "{tail}");
        assert_eq!(super::tail("a\n[ERROR] b\nc"), "[ERROR] b");
        assert_eq!(super::tail("\n"), "it ended without a word");
    }
}
