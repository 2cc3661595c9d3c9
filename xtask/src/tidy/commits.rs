//! Checks that commit subjects consist of an area, a colon and a description, and have at most 72 characters.
//!
//! Only commits made after this file was added are checked. Whether a subject is in the imperative
//! mood is left to reviewers.

use xtask::process;

use super::Violation;

/// The width beyond which `git log --oneline` and mail clients truncate a subject.
const LENGTH_MAX: usize = 72;
const THIS_FILE: &str = "xtask/src/tidy/commits.rs";

/// Checks the subjects of all commits in the checkout. There are none in a source tree that was
/// exported without its history.
pub fn check() -> Vec<Violation> {
    let added = ["log", "--diff-filter=A", "--format=%H", "--max-count=1", "--", THIS_FILE];
    let Ok(first) = process::output("git", &added) else { return Vec::new() };
    let range = format!("{}..HEAD", String::from_utf8_lossy(&first).trim());
    let log = ["log", "--no-merges", "--format=%h %s", &range];
    let log = process::output("git", &log).unwrap_or_default();
    String::from_utf8_lossy(&log).lines().filter_map(of_commit).collect()
}

/// Checks a line of the log, which contains a short hash and a subject.
fn of_commit(line: &str) -> Option<Violation> {
    let (hash, subject) = line.split_once(' ')?;
    let area = subject.split_once(": ").map_or("", |(area, _)| area);
    let length = subject.chars().count();
    let text = if area.trim().is_empty() {
        format!("\"{subject}\" does not begin with an area, such as `engine: …`")
    } else if length > LENGTH_MAX {
        format!("\"{subject}\" has {length} characters, more than {LENGTH_MAX}")
    } else {
        return None;
    };
    Some(Violation::new(hash, 0, "commit", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_needs_an_area_and_is_short() {
        assert_eq!(of_commit("1a2b3c engine: count late arrivals"), None);
        let long = format!("1a2b3c engine: {}", "x".repeat(LENGTH_MAX));
        for line in ["1a2b3c Count late arrivals", "1a2b3c : count", &long] {
            assert!(of_commit(line).is_some(), "{line}");
        }
    }
}
