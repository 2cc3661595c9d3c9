//! Makes text from other sources safe to print, by escaping control characters and masking passwords in targets.
//!
//! Start reading at [`visible`] and [`masked`].

use std::borrow::Cow;
use std::fmt::Write;

/// Text that is printed in place of a secret.
pub const MASK: &str = "***";
/// Characters that end a token, in addition to white space.
const ENDS: [char; 7] = ['"', '\'', '`', '<', '>', '(', ')'];
/// Words in the name of an option that mark the option as secret.
const SECRETS: [&str; 4] = ["pass", "pwd", "secret", "token"];

/// Escapes control characters, for example as `\u001b`, and characters that change the text direction. Line breaks and
/// tabs are kept.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let ends_line = c == '\r' && characters.peek() == Some(&'\n');
        if is_unsafe(c) && !ends_line {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Returns true if a terminal would interpret the character, or if the character changes the text direction.
pub fn is_unsafe(c: char) -> bool {
    let turns = matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && !matches!(c, '\n' | '\t'))
}

/// Returns true if an option with this name contains a secret.
pub fn is_secret(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    SECRETS.iter().any(|word| key.contains(word))
}

/// Replaces passwords in targets with `***`. A text can contain them as `//user:password@host` and in options such as
/// `password=…`.
pub fn masked(text: &str) -> Cow<'_, str> {
    if !text.contains("//") && !text.contains('=') {
        return Cow::Borrowed(text);
    }
    let is_end = |c: char| c.is_whitespace() || ENDS.contains(&c);
    let mut out = String::with_capacity(text.len());
    for token in text.split_inclusive(is_end) {
        let end = token.trim_end_matches(is_end).len();
        let (word, after) = token.split_at(end);
        out.push_str(&without_options(&without_login(word)));
        out.push_str(after);
    }
    Cow::Owned(out)
}

/// Masks everything in a target that could be a password, even if the target is malformed.
pub fn masked_target(text: &str) -> String {
    let shown = masked(text);
    if shown != text {
        return shown.into_owned();
    }
    match text.rsplit_once('@') {
        Some((_, host)) => format!("{MASK}@{host}"),
        None => text.to_owned(),
    }
}

fn without_login(word: &str) -> String {
    if let Some((first, rest)) = two_targets(word) {
        return format!("{},{}", without_login(first), without_login(rest));
    }
    let Some((before, rest)) = word.split_once("//") else { return word.to_owned() };
    // Split at the last `@`, because passwords can contain this character.
    let Some((login, host)) = rest.rsplit_once('@') else { return word.to_owned() };
    match login.split_once(':') {
        Some((user, _)) => format!("{before}//{user}:{MASK}@{host}"),
        None => word.to_owned(),
    }
}

/// Splits off the first target of a list, such as the value of `--route`. A comma may separate targets, but may also be
/// part of a password.
fn two_targets(word: &str) -> Option<(&str, &str)> {
    let is_scheme =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric());
    word.match_indices(',').map(|(at, _)| (&word[..at], &word[at + 1..])).find(|(first, rest)| {
        let login = first.split_once("//").map_or("", |(_, login)| login);
        rest.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
            && (login.contains('@') || !login.contains(':'))
    })
}

fn without_options(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    for part in word.split_inclusive(['&', '?']) {
        let (pair, mark) = match part.char_indices().next_back() {
            Some((last, '&' | '?')) => part.split_at(last),
            _ => (part, ""),
        };
        let key = pair.split_once('=').map(|(key, _)| key);
        // A sentence may mention a key such as `password=` without a value. There is nothing to hide then.
        match key.filter(|key| is_secret(key) && pair.len() > key.len() + 1) {
            Some(key) => {
                out.push_str(key);
                out.push('=');
                out.push_str(MASK);
            }
            None => out.push_str(pair),
        }
        out.push_str(mark);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_control_characters() {
        let table = [
            ("é ✓ a\tb\nc", "é ✓ a\tb\nc"),
            ("\u{1b}[31mred", "\\u001b[31mred"),
            ("a\u{202e}b\u{2066}\u{9b}\u{7f}", "a\\u202eb\\u2066\\u009b\\u007f"),
            ("over\rwritten\r\n", "over\\u000dwritten\r\n"),
        ];
        for (text, expected) in table {
            assert_eq!(visible(text), expected);
        }
    }

    #[test]
    fn passwords_are_masked() {
        let table = [
            (
                "unexpected \"postgres://u:p@ss@h/d\" found",
                "unexpected \"postgres://u:***@h/d\" found",
            ),
            ("postgres//u:secret@h", "postgres//u:***@h"),
            ("pg://u@h/d?password=x&a=b", "pg://u@h/d?password=***&a=b"),
            ("--vary target.password=a,b", "--vary target.password=***"),
            ("pg:?admin_password=x", "pg:?admin_password=***"),
            ("sqlite:a@b.db", "sqlite:a@b.db"),
            ("https://example.org/a//b", "https://example.org/a//b"),
            (
                "a=postgres://u@h:1/d?x=y,postgres://u@:2",
                "a=postgres://u@h:1/d?x=y,postgres://u@:2",
            ),
            ("a=random:pg://u:p@h,pg://v:q@i", "a=random:pg://u:***@h,pg://v:***@i"),
            ("pg://u:p,a://b@h", "pg://u:***@h"),
        ];
        for (text, expected) in table {
            assert_eq!(masked(text), expected);
        }
        assert_eq!(masked_target("u:secret@h"), "***@h");
        assert_eq!(masked_target("postgre"), "postgre");
    }
}
