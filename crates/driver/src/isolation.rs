//! The isolation level of a session, and the isolation that the database promises for it.

use tacho_core::IsolationLevel;

/// A session's isolation level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolation {
    /// The level as the database calls it, such as `REPEATABLE-READ`.
    pub asked: String,
    /// The level that the vendor's manual describes under this name, or `None` if the name is unknown.
    pub promised: Option<IsolationLevel>,
}

impl Isolation {
    /// Finds the level in a table of the database's names. Case, spaces, hyphens and underscores do not matter.
    pub fn of(asked: &str, promises: &[(&str, IsolationLevel)]) -> Self {
        let plain = |text: &str| {
            let letters = text.chars().filter(|c| !matches!(c, ' ' | '-' | '_'));
            letters.collect::<String>().to_ascii_lowercase()
        };
        let name = plain(asked);
        let found = promises.iter().find(|(other, _)| plain(other) == name);
        Self { asked: asked.trim().to_owned(), promised: found.map(|(_, level)| *level) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_found_in_any_spelling() {
        let promises = [("read committed", IsolationLevel::ReadCommitted)];
        for text in ["READ-COMMITTED", "read committed", "Read_Committed "] {
            let found = Isolation::of(text, &promises);
            assert_eq!(found.promised, Some(IsolationLevel::ReadCommitted), "{text}");
        }
        let other = Isolation::of(" chaos ", &promises);
        assert_eq!((other.asked.as_str(), other.promised), ("chaos", None));
    }
}
