//! Prepares text from other sources for use in sentences.

/// Puts text from a database or a user on a single line without control characters.
pub fn clean(text: &str) -> String {
    let visible: String = text
        .chars()
        .map(|c| if c.is_control() || tacho_core::is_unsafe(c) { ' ' } else { c })
        .collect();
    visible.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn text_of_others_is_one_line() {
        assert_eq!(super::clean("a\u{1b}[31m\n  b"), "a [31m b");
    }
}
