//! Colours, which are added to finished text and therefore cannot change its layout.
//!
//! Start reading at [`paint`].

const RESET: &str = "\u{1b}[0m";

/// The words and symbols to colour, each with its colour. If one word contains another, the longer
/// word comes first.
const COLORS: [(&str, &str); 14] = [
    ("INCOMPLETE", "\u{1b}[1;33m"),
    ("INVALID", "\u{1b}[1;31m"),
    ("UNSTABLE", "\u{1b}[1;33m"),
    ("TOO SHORT", "\u{1b}[1;33m"),
    ("THRESHOLD FAILED", "\u{1b}[1;31m"),
    ("MIXED", "\u{1b}[1;33m"),
    ("NO WINNER", "\u{1b}[1;33m"),
    ("BETTER", "\u{1b}[1;32m"),
    ("WORSE", "\u{1b}[1;31m"),
    ("VALID", "\u{1b}[1;32m"),
    ("✓", "\u{1b}[32m"),
    ("✗", "\u{1b}[31m"),
    ("! ", "\u{1b}[33m"),
    ("hint:", "\u{1b}[36m"),
];

/// Adds colour to the verdicts and marks in a text.
pub(crate) fn paint(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 256);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let begins = out.is_empty() || out.ends_with(['\n', ' ']);
        let word = COLORS.iter().find(|(word, _)| begins && rest.starts_with(word));
        if let Some((word, code)) = word {
            out.extend([code, *word, RESET]);
            rest = &rest[word.len()..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codes_are_added() {
        let painted = paint("  INVALID: é ✗ x\n");
        assert_eq!(painted, "  \u{1b}[1;31mINVALID\u{1b}[0m: é \u{1b}[31m✗\u{1b}[0m x\n");
    }
}
