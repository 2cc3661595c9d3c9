//! Widths in characters: thin spaces and marks take several bytes.

/// Characters of a text.
pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// The text, filled with spaces on the right.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text, filled with spaces on the left.
pub(crate) fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text, cut with an ellipsis if it is too long.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.into();
    }
    let kept: String = text.chars().take(columns.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_too_long_is_cut() {
        assert_eq!(super::cut("abcdef", 4), "abc…");
    }
}
