//! Splits the text of expressions and steps into tokens.
//!
//! Start reading at [`tokens`].

use crate::vm::source::Fail;
use crate::vm::tokens::{Token, number, sign};

/// Signs, longer ones first.
const SIGNS: [&str; 21] = [
    "<=", ">=", "<>", "!=", "==", "||", "<", ">", "=", "+", "-", "*", "/", "%", "(", ")", ",", ".",
    "?", ":", ";",
];

/// Returns a text's tokens with their byte offsets. Line ends within brackets are omitted.
pub fn tokens(text: &str) -> Result<Vec<(Token, u32)>, Fail> {
    let mut found = Vec::new();
    let (mut at, mut depth) = (0, 0_i32);
    while let Some(first) = text[at..].chars().next() {
        let (token, length) = match first {
            '\n' => (Token::Newline, 1),
            '#' => {
                at += text[at..].find('\n').unwrap_or(text.len() - at);
                continue;
            }
            c if c.is_whitespace() => {
                at += c.len_utf8();
                continue;
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let length = text[at..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let length = length.unwrap_or(text.len() - at);
                (Token::Name(text[at..at + length].to_owned()), length)
            }
            c if c.is_ascii_digit() => whole(&text[at..], at as u32)?,
            '\'' | '"' => quoted(&text[at..], first).map_err(|why| Fail::new(at as u32, why))?,
            _ => sign(&text[at..], &SIGNS, at as u32)?,
        };
        match token {
            Token::Sign("(") => depth += 1,
            Token::Sign(")") => depth -= 1,
            _ => {}
        }
        if token != Token::Newline || depth <= 0 {
            found.push((token, at as u32));
        }
        at += length;
    }
    found.push((Token::End("the end of the text"), text.len() as u32));
    Ok(found)
}

/// Parses a number. An integer must fit into 64 bits, including its sign.
fn whole(text: &str, at: u32) -> Result<(Token, usize), Fail> {
    let fits =
        |token: &Token| !matches!(token, Token::Int(number) if i64::try_from(*number).is_err());
    let found = number(text, false).and_then(|(token, length)| {
        if fits(&token) { Ok((token, length)) } else { Err(&text[..length]) }
    });
    found.map_err(|number| {
        Fail::new(at, format!("invalid number {number}: it does not fit into 64 bits"))
    })
}

/// Parses a quoted string, in which a quote is represented by two quotes.
fn quoted(text: &str, quote: char) -> Result<(Token, usize), String> {
    let mut value = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c != quote {
            value.push(c);
        } else if characters.peek().is_some_and(|(_, next)| *next == quote) {
            characters.next();
            value.push(c);
        } else {
            return Ok((Token::Text(value), at + 1));
        }
    }
    Err(format!("the string has no closing {quote}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_their_positions() {
        let found = tokens("let x = 1.5e3 # why\n'it''s' <= f(2,\n 3)").expect("words");
        let words: Vec<Token> = found.iter().map(|(token, _)| token.clone()).collect();
        let name = |name: &str| Token::Name(name.into());
        let expected = [
            name("let"),
            name("x"),
            Token::Sign("="),
            Token::Float(1500.0),
            Token::Newline,
            Token::Text("it's".into()),
            Token::Sign("<="),
            name("f"),
            Token::Sign("("),
            Token::Int(2),
            Token::Sign(","),
            Token::Int(3),
            Token::Sign(")"),
            Token::End("the end of the text"),
        ];
        assert_eq!(words, expected);
        assert_eq!(found[5].1, 20);
    }

    #[test]
    fn rejects_invalid_tokens_at_their_position() {
        for (text, at) in [("a $", 2), ("  'open", 2), ("99999999999999999999", 0)] {
            assert_eq!(tokens(text).expect_err(text).at, at, "{text}");
        }
    }
}
