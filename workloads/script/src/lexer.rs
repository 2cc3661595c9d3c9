//! Words of expressions and steps.
//!
//! Start reading at [`tokens`].

use crate::source::Fail;

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name.
    Name(String),
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// A text in quotes.
    Text(String),
    /// An operator or a bracket.
    Sign(&'static str),
    /// The end of a step.
    Newline,
    /// The end of the text.
    End,
}

impl Token {
    /// The word as an error shows it.
    pub fn words(&self) -> String {
        match self {
            Self::Name(name) => format!("\"{name}\""),
            Self::Int(number) => number.to_string(),
            Self::Float(number) => number.to_string(),
            Self::Text(text) => format!("'{text}'"),
            Self::Sign(sign) => format!("\"{sign}\""),
            Self::Newline => "the end of the line".into(),
            Self::End => "the end of the text".into(),
        }
    }
}

/// Longer ones first.
const SIGNS: [&str; 21] = [
    "<=", ">=", "<>", "!=", "==", "||", "<", ">", "=", "+", "-", "*", "/", "%", "(", ")", ",", ".",
    "?", ":", ";",
];

/// The words of a text, each with the byte at which it begins. Line ends within brackets are left out.
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
            c if c.is_ascii_digit() => {
                number(&text[at..]).map_err(|why| Fail::new(at as u32, why))?
            }
            '\'' | '"' => quoted(&text[at..], first).map_err(|why| Fail::new(at as u32, why))?,
            _ => {
                let sign = SIGNS.iter().find(|sign| text[at..].starts_with(**sign));
                let sign = sign.ok_or_else(|| {
                    Fail::new(at as u32, format!("unexpected character \"{first}\""))
                })?;
                (Token::Sign(sign), sign.len())
            }
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
    found.push((Token::End, text.len() as u32));
    Ok(found)
}

fn number(text: &str) -> Result<(Token, usize), String> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    let mut whole = true;
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
        whole = false;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.len() > end + 1 + sign && digits(end + 1 + sign) > 0 {
            end += 1 + sign + digits(end + 1 + sign);
            whole = false;
        }
    }
    let wrong = || format!("invalid number {}: it does not fit into 64 bits", &text[..end]);
    let token = if whole {
        Token::Int(text[..end].parse().map_err(|_| wrong())?)
    } else {
        Token::Float(text[..end].parse().map_err(|_| wrong())?)
    };
    Ok((token, end))
}

/// A text in quotes; the quote itself is written twice in it.
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
    Err(format!("the text has no closing {quote}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_places() {
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
            Token::End,
        ];
        assert_eq!(words, expected);
        assert_eq!(found[5].1, 20);
    }

    #[test]
    fn what_is_no_word_is_refused_at_its_place() {
        for (text, at) in [("a $", 2), ("  'open", 2), ("99999999999999999999", 0)] {
            assert_eq!(tokens(text).expect_err(text).at, at, "{text}");
        }
    }
}
