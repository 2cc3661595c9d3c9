//! Measures the width of text in characters rather than bytes, because thin spaces and marks have
//! several bytes.

pub(crate) fn width(text: &str) -> usize {
    text.chars().count()
}

/// Pads text with spaces on the right.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Pads text with spaces on the left.
pub(crate) fn pad_left(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Truncates text that is too long and appends an ellipsis.
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
    fn cuts_long_text() {
        assert_eq!(super::cut("abcdef", 4), "abc…");
    }
}
