//! Helpers for quoting and reading Tcl text.

/// Quotes text so that Tcl reads it back unchanged, even with special characters.
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
            // A null character would end the C string early, so remove it.
            '\0' => {}
            c => word.push(c),
        }
    }
    word.push('"');
    word
}

/// Formats text as a list element in the way Tcl prints it.
pub fn element(text: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !"\"\\$[]{};#".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else if text.contains(['{', '}', '\\']) {
        quoted(text)
    } else {
        format!("{{{text}}}")
    }
}

/// Formats sections of keys and values as a Tcl dictionary of dictionaries.
pub fn nested<'a>(sections: impl Iterator<Item = (&'a str, Vec<(&'a str, &'a str)>)>) -> String {
    let words = sections.flat_map(|(section, pairs)| {
        let pairs = pairs.iter().flat_map(|(key, value)| [*key, *value]).map(element);
        let pairs = pairs.collect::<Vec<_>>().join(" ");
        // In text without a backslash, every brace was added in a pair by `element`. Such text can be enclosed in
        // braces, but other text must be quoted.
        let inner = if pairs.contains('\\') { element(&pairs) } else { format!("{{{pairs}}}") };
        [section.to_owned(), inner]
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Removes the lines about Tacho's own procedures from a Tcl stack trace.
pub fn without_internals(stack: &str) -> String {
    const OURS: &str = "\"::hammerdb::";
    let is_head = |line: &str| matches!(line, "    while executing" | "    invoked from within");
    let (mut kept, mut leaves_out) = (Vec::new(), false);
    let mut lines = stack.lines().peekable();
    while let Some(line) = lines.next() {
        let inner = line.strip_prefix("    (procedure ");
        if is_head(line) || line.starts_with("    (") {
            let next = lines.peek().copied().unwrap_or_default();
            leaves_out = match inner {
                Some(name) => name.starts_with(OURS),
                None => is_head(line) && next.starts_with(OURS),
            };
        }
        if !leaves_out {
            kept.push(line);
        }
    }
    kept.join("\n")
}

/// Decodes a script or an input line. If it is not UTF-8, a single-byte encoding is assumed.
pub fn decoded(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect());
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::{decoded, element, nested, quoted, without_internals};

    #[test]
    fn removes_internal_frames_from_a_stack() {
        let stack = "password refused\n    while executing\n\"::hammerdb::ask sql {*}$args\"\n    (procedure \
                     \"::hammerdb::sql\" line 1)\n    invoked from within\n\"::hammerdb::sql open postgres\n{*}$values\
                     \"\n    (procedure \"pg_connect\" line 9)\n    invoked from within\n\"pg_connect x\"";
        let expected = "password refused\n    (procedure \"pg_connect\" line 9)\n    invoked from \
                        within\n\"pg_connect x\"";
        assert_eq!(without_internals(stack), expected);
        assert_eq!(
            without_internals("a\nb\n    while executing\n\"error a\""),
            "a\nb\n    while executing\n\"error a\""
        );
    }

    #[test]
    fn text_of_any_origin_is_read() {
        assert_eq!(decoded("\u{feff}puts é".into()), "puts é");
        assert_eq!(decoded(b"puts \xe9".to_vec()), "puts é");
    }

    #[test]
    fn elements_are_as_tcl_prints_them() {
        for (text, expected) in
            [("BAR", "BAR"), ("", "{}"), ("a b", "{a b}"), ("a}b", "\"a\\}b\""), ("0.05", "0.05")]
        {
            assert_eq!(element(text), expected);
        }
    }

    #[test]
    fn dictionaries_are_nested() {
        let sections = [("a", vec![("b", "c d"), ("e", "")]), ("f", vec![("g", "}")])];
        let expected = "a {b {c d} e {}} f \"g \\\"\\\\\\}\\\"\"";
        assert_eq!(nested(sections.into_iter()), expected);
    }

    #[test]
    fn odd_characters_are_escaped() {
        assert_eq!(quoted("a_b"), "a_b");
        assert_eq!(quoted(""), "\"\"");
        assert_eq!(quoted("a {b} $c [d] \"e\" \\"), r#""a \{b\} \$c \[d\] \"e\" \\""#);
        assert_eq!(quoted("a\nb;c"), "\"a\\nb;c\"");
    }
}
