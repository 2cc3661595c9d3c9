//! Splits a command line into words as a shell does, but without any expansion.
//!
//! Start reading at [`split`].

use tacho_core::{Error, Result};

/// Splits a command line at unquoted spaces. A backslash at the end of a line continues the command.
pub(super) fn split(line: &str) -> Result<Vec<String>> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut quote = None;
    let mut all = line.chars();
    while let Some(c) = all.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => match all.next() {
                Some('\n') => {}
                Some(next) => word.get_or_insert_default().push(next),
                None => return Err(unfinished("a backslash")),
            },
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(unfinished("an open quotation mark"));
    }
    words.extend(word);
    Ok(words)
}

fn unfinished(what: &str) -> Error {
    Error::usage(format!("the command line ends with {what}"))
        .hint("copy the whole line and enclose it in single quotation marks")
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_are_those_of_a_shell() {
        let line = "sysbench  oltp \\\n --a='b c' --d=\"e 'f'\" \"\" g\\ h";
        let words = split(line).expect("words");
        assert_eq!(words, ["sysbench", "oltp", "--a=b c", "--d=e 'f'", "", "g h"]);
        assert!(split("a 'b").is_err() && split("a \\").is_err());
        assert_eq!(split(" \n ").expect("nothing"), [""; 0]);
    }
}
