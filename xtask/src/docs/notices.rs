//! Reads notices and exit codes from the source code, because the program does not print them.

use crate::tidy::{Literal, Source};

/// The file that lists the warnings and the reasons for INVALID.
pub const NOTICES: &str = "crates/app/src/run/notices.rs";
/// The file that declares the exit codes.
pub const EXIT_CODES: &str = "crates/app/src/exit.rs";

/// A warning, or a reason for INVALID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Identifier, such as `V01`.
    pub id: String,
    /// Name, such as `rate-not-reached`.
    pub name: String,
    /// The hint for the user.
    pub hint: String,
}

/// Returns all notices in source order.
pub fn notices(source: &Source) -> Vec<Notice> {
    let texts: Vec<_> = source.literals.iter().filter(|text| !source.is_test(text.line)).collect();
    let entry = |window: &[&Literal]| {
        let [id, name, hint] = window else { return None };
        is_notice_id(&id.text).then(|| Notice {
            id: id.text.clone(),
            name: name.text.clone(),
            hint: unwrapped(&hint.text),
        })
    };
    texts.windows(3).filter_map(entry).collect()
}

fn is_notice_id(text: &str) -> bool {
    let digits = text.strip_prefix(['V', 'W']);
    digits.is_some_and(|digits| digits.len() == 2 && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Joins the lines of a string literal that are separated by escaped line breaks.
fn unwrapped(text: &str) -> String {
    text.split("\\\n").map(str::trim_start).collect()
}

/// Returns all exit codes and their meanings, which are taken from the comments above them.
pub fn exit_codes(text: &str) -> Vec<(u8, String)> {
    let mut found = Vec::new();
    let mut comment = String::new();
    for content in text.lines().map(str::trim) {
        if let Some(more) = content.strip_prefix("///") {
            comment.push(' ');
            comment.push_str(more.trim());
            continue;
        }
        let meaning = std::mem::take(&mut comment).trim().to_owned();
        if let Some((_, number)) = content.split_once(" = ")
            && let Ok(code) = number.trim_end_matches(',').parse()
        {
            found.push((code, meaning));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_are_read_with_their_hints() {
        let source = "const fn entry() {\n (\"V01\", \"too-bad\", \"do this \\\n    and that\");\n \
                      (\"W02\", \"so-so\", \"wait\")\n}\n";
        let list = notices(&Source::read(source));
        assert_eq!((list.len(), &*list[0].hint, &*list[1].id), (2, "do this and that", "W02"));
    }

    #[test]
    fn exit_codes_are_read_with_their_meanings() {
        let source = "pub enum Exit {\n    /// Done;\n    /// all is well.\n    Success = 0,\n    \
                      /// Stopped.\n    Stopped = 130,\n}\n";
        let list = exit_codes(source);
        assert_eq!((&*list[0].1, list[1].0), ("Done; all is well.", 130));
    }
}
