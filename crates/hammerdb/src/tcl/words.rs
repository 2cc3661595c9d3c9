//! Words of Tcl.

/// A word that Tcl reads back unchanged, whatever is in it.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,%+@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let mut word = String::with_capacity(text.len() + 8);
    word.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' | '$' | '[' | ']' | '{' | '}' => word.extend(['\\', c]),
            '\n' => word.push_str("\\n"),
            '\r' => word.push_str("\\r"),
            // Ends a C string.
            '\0' => {}
            c => word.push(c),
        }
    }
    word.push('"');
    word
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn odd_characters_are_escaped() {
        assert_eq!(quoted("a_b"), "a_b");
        assert_eq!(quoted(""), "\"\"");
        assert_eq!(quoted("a {b} $c [d] \"e\" \\"), r#""a \{b\} \$c \[d\] \"e\" \\""#);
        assert_eq!(quoted("a\nb;c"), "\"a\\nb;c\"");
    }
}
