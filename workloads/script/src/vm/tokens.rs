//! Expression tokens and a read position, for any language.
//!
//! Start reading at [`Tokens`].

use super::source::Fail;

/// Maximum depth of nested brackets and blocks, which prevents a stack overflow.
const DEPTH_MAX: u32 = 64;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name.
    Name(String),
    /// A name after a colon.
    Variable(String),
    /// An integer.
    Int(u64),
    /// A number with a fraction.
    Float(f64),
    /// A quoted string.
    Text(String),
    /// An operator or a bracket.
    Sign(&'static str),
    /// The end of a step.
    Newline,
    /// The end of the text. Contains a description for error messages, such as `the end of the line`.
    End(&'static str),
}

impl Token {
    /// Returns a description of the token for error messages.
    pub fn words(&self) -> String {
        match self {
            Self::Name(name) => format!("\"{name}\""),
            Self::Variable(name) => format!("\":{name}\""),
            Self::Int(number) => number.to_string(),
            Self::Float(number) => number.to_string(),
            Self::Text(text) => format!("'{text}'"),
            Self::Sign(sign) => format!("\"{sign}\""),
            Self::Newline => "the end of the line".into(),
            Self::End(words) => (*words).into(),
        }
    }
}

/// A list of tokens with their byte offsets, and the position of the next token to read.
pub struct Tokens {
    all: Vec<(Token, u32)>,
    next: usize,
    depth: u32,
}

impl Tokens {
    /// Creates a token list. The last token must be [`Token::End`].
    pub fn new(all: Vec<(Token, u32)>) -> Self {
        Self { all, next: 0, depth: 0 }
    }

    pub fn peek(&self) -> &Token {
        &self.all[self.next].0
    }

    /// Returns the position of the next token.
    pub fn at(&self) -> u32 {
        self.all[self.next].1
    }

    pub fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.next += usize::from(!matches!(token, Token::End(_)));
        token
    }

    /// Consumes the next token if it is the name or sign `word`. Returns true if it was consumed.
    pub fn accepts(&mut self, word: &str) -> bool {
        let found = match self.peek() {
            Token::Name(name) => name == word,
            Token::Sign(sign) => *sign == word,
            _ => false,
        };
        self.next += usize::from(found);
        found
    }

    /// Consumes a required token. `shown` describes it in error messages.
    pub fn expect(&mut self, word: &str, shown: &str) -> Result<(), Fail> {
        if self.accepts(word) { Ok(()) } else { Err(self.unexpected(shown)) }
    }

    /// Returns an error at the next token.
    pub fn unexpected(&self, expected: &str) -> Fail {
        Fail::new(self.at(), format!("unexpected {}: expected {expected}", self.peek().words()))
    }

    /// Enters a bracket or a block.
    pub fn enter(&mut self) -> Result<(), Fail> {
        if self.depth == DEPTH_MAX {
            let text = format!("more than {DEPTH_MAX} nested levels");
            return Err(Fail::new(self.at(), text));
        }
        self.depth += 1;
        Ok(())
    }

    /// Leaves a bracket or a block.
    pub fn leave(&mut self) {
        self.depth -= 1;
    }
}

/// Returns the number at the start of a text, and its length. Returns an error if the number does not fit into 64 bits.
///
/// If `bare` is true, a number may start or end with its decimal point, as in `.5` or `5.`.
pub fn number(text: &str, bare: bool) -> Result<(Token, usize), &str> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes.get(from..).unwrap_or_default().iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let mut end = digits(0);
    let whole = end;
    if bytes.get(end) == Some(&b'.') && (bare || digits(end + 1) > 0) {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let number = &text[..end];
    let token = if end == whole {
        number.parse().ok().map(Token::Int)
    } else {
        number.parse().ok().map(Token::Float)
    };
    token.map(|token| (token, end)).ok_or(number)
}

/// Returns the sign at the start of a text. `signs` must list longer signs first.
pub fn sign(text: &str, signs: &[&'static str], at: u32) -> Result<(Token, usize), Fail> {
    let found = signs.iter().find(|sign| text.starts_with(**sign));
    found.map(|sign| (Token::Sign(sign), sign.len())).ok_or_else(|| {
        let first = text.chars().next().unwrap_or_default();
        Fail::new(at, format!("unexpected character \"{first}\""))
    })
}
