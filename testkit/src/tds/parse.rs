//! Splits T-SQL into tokens, and batches into statements. A statement is either a block, a branch, or a simple
//! statement that is run as a whole.
//!
//! The parser must not depend on SQLite. Start reading at [`batch`].

use super::dates;
use super::tokens::Trouble;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// A name in brackets or double quotes.
    Name,
    /// A string, without its quotes.
    Text,
    Number,
    /// A variable such as `@x`, in lower case.
    Variable,
    Sign,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub text: String,
}

impl Token {
    pub fn new(kind: Kind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into() }
    }

    pub fn sign(text: &str) -> Self {
        Self::new(Kind::Sign, text)
    }

    pub fn word(text: &str) -> Self {
        Self::new(Kind::Word, text)
    }

    pub fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Sign) && self.text.eq_ignore_ascii_case(text)
    }

    pub fn is_one_of(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    /// Returns true if the token can be used as a name.
    pub fn names(&self) -> bool {
        matches!(self.kind, Kind::Word | Kind::Name)
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Node {
    Leaf(Vec<Token>),
    If(Vec<Token>, Vec<Node>, Vec<Node>),
    While(Vec<Token>, Vec<Node>),
    Try(Vec<Node>, Vec<Node>),
}

fn syntax(near: &str) -> Trouble {
    Trouble::new(102, 15, format!("Incorrect syntax near '{near}'."))
}

/// Splits a string into tokens and drops the comments.
pub fn tokens(sql: &str) -> Result<Vec<Token>, Trouble> {
    let mut found = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let second = rest[first.len_utf8()..].chars().next().unwrap_or(' ');
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '$' | '@');
        let until = |stop: &dyn Fn(char) -> bool, from: usize| {
            rest[from..].find(stop).map_or(rest.len(), |at| at + from)
        };
        let length = match (first, second) {
            _ if first.is_whitespace() => first.len_utf8(),
            ('-', '-') => until(&|c| c == '\n', 0),
            ('/', '*') => rest.find("*/").ok_or_else(|| syntax("*"))? + 2,
            ('\'', _) | ('N' | 'n', '\'') => {
                let start = usize::from(first != '\'');
                let (text, length) = quoted(&rest[start..], '\'')?;
                found.push(Token::new(Kind::Text, dates::canonical(&text).unwrap_or(text)));
                start + length
            }
            ('[' | '"', _) => {
                let (text, length) = quoted(rest, if first == '[' { ']' } else { '"' })?;
                found.push(Token::new(Kind::Name, text));
                length
            }
            ('@', _) => {
                let end = until(&|c| !is_name(c), 0);
                found.push(Token::new(Kind::Variable, rest[..end].to_lowercase()));
                end
            }
            ('0', 'x' | 'X') => {
                let end = until(&|c| !c.is_ascii_hexdigit(), 2);
                found.push(Token::new(Kind::Number, format!("x'{}'", &rest[2..end])));
                end
            }
            _ if first.is_ascii_digit() || first == '.' && second.is_ascii_digit() => {
                let mut end = until(&|c| !(c.is_ascii_digit() || c == '.'), 0);
                if rest[end..].starts_with(['e', 'E']) {
                    end = until(&|c| !(c.is_ascii_digit() || matches!(c, '-' | '+')), end + 1);
                }
                found.push(Token::new(Kind::Number, &rest[..end]));
                end
            }
            _ if is_name(first) => {
                let end = until(&|c| !is_name(c), 0);
                let kind = if first == '#' { Kind::Name } else { Kind::Word };
                found.push(Token::new(kind, &rest[..end]));
                end
            }
            ('<' | '>' | '!' | '+' | '-' | '*' | '/', '=') | ('<', '>') | ('|', '|') => {
                found.push(Token::sign(&rest[..2]));
                2
            }
            _ => {
                found.push(Token::sign(&rest[..first.len_utf8()]));
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    Ok(found)
}

/// Returns the content and the total length of a quoted string. In the content, two quotes stand for one.
fn quoted(text: &str, end: char) -> Result<(String, usize), Trouble> {
    let mut found = String::new();
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = rest.next() {
        if c == end && rest.next_if(|(_, next)| *next == end).is_none() {
            return Ok((found, at + c.len_utf8()));
        }
        found.push(c);
    }
    let text = format!("Unclosed quotation mark after the character string '{found}'.");
    Err(Trouble::new(105, 15, text))
}

/// Parses the statements of a batch.
pub fn batch(sql: &str) -> Result<Vec<Node>, Trouble> {
    nodes(&tokens(sql)?)
}

/// Parses the statements that these tokens contain.
pub fn nodes(tokens: &[Token]) -> Result<Vec<Node>, Trouble> {
    Parser { tokens, at: 0 }.until(&[])
}

/// Returns true if a statement creates a routine. The rest of the batch is then the routine's body.
pub fn makes_routine(tokens: &[Token]) -> bool {
    let kinds = ["PROC", "PROCEDURE", "FUNCTION", "TRIGGER"];
    tokens.first().is_some_and(|token| token.is_one_of(&["CREATE", "ALTER"]))
        && tokens.iter().skip(1).take(3).any(|token| token.is_one_of(&kinds))
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
}

/// Keywords that start a statement.
const STARTS: &[&str] = &[
    "SELECT",
    "INSERT",
    "UPDATE",
    "DELETE",
    "IF",
    "WHILE",
    "BEGIN",
    "END",
    "DECLARE",
    "SET",
    "EXEC",
    "EXECUTE",
    "COMMIT",
    "ROLLBACK",
    "SAVE",
    "CREATE",
    "DROP",
    "ALTER",
    "TRUNCATE",
    "PRINT",
    "RAISERROR",
    "THROW",
    "WAITFOR",
    "USE",
    "KILL",
    "CHECKPOINT",
    "DBCC",
    "WITH",
    "ELSE",
    "RETURN",
    "MERGE",
];

impl Parser<'_> {
    fn word(&self, ahead: usize, word: &str) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|token| token.is(word))
    }

    fn eat(&mut self, words: &[&str]) -> bool {
        let all = words.iter().enumerate().all(|(ahead, word)| self.word(ahead, word));
        self.at += if all { words.len() } else { 0 };
        all
    }

    fn expect(&mut self, words: &[&str]) -> Result<(), Trouble> {
        if self.eat(words) {
            return Ok(());
        }
        Err(syntax(self.tokens.get(self.at).map_or("end of file", |token| &token.text)))
    }

    /// Parses statements until the given closing words, such as `END TRY`. If none are given, parses the rest of the
    /// batch.
    fn until(&mut self, end: &[&str]) -> Result<Vec<Node>, Trouble> {
        let mut nodes = Vec::new();
        loop {
            while self.eat(&[";"]) {}
            if self.at == self.tokens.len() && end.is_empty() {
                return Ok(nodes);
            }
            if !end.is_empty() && self.word(0, "END") {
                self.expect(end)?;
                return Ok(nodes);
            }
            if self.at == self.tokens.len() || self.word(0, "END") || self.word(0, "ELSE") {
                self.expect(&["statement"])?;
            }
            nodes.extend(self.statement()?);
        }
    }

    fn statement(&mut self) -> Result<Vec<Node>, Trouble> {
        if self.eat(&["BEGIN", "TRY"]) {
            let body = self.until(&["END", "TRY"])?;
            self.eat(&[";"]);
            self.expect(&["BEGIN", "CATCH"])?;
            return Ok(vec![Node::Try(body, self.until(&["END", "CATCH"])?)]);
        }
        let transaction = self.word(1, "TRAN") || self.word(1, "TRANSACTION");
        if self.word(0, "BEGIN") && !transaction {
            self.at += 1;
            return self.until(&["END"]);
        }
        if self.eat(&["IF"]) {
            let condition = self.leaf();
            let then = self.statement()?;
            let mark = self.at;
            while self.eat(&[";"]) {}
            if self.eat(&["ELSE"]) {
                let otherwise = self.statement()?;
                return Ok(vec![Node::If(condition, then, otherwise)]);
            }
            self.at = mark;
            return Ok(vec![Node::If(condition, then, Vec::new())]);
        }
        if self.eat(&["WHILE"]) {
            return Ok(vec![Node::While(self.leaf(), self.statement()?)]);
        }
        let leaf = self.leaf();
        if leaf.is_empty() {
            self.expect(&["statement"])?;
        }
        Ok(vec![Node::Leaf(leaf)])
    }

    /// Returns the tokens before the next statement.
    fn leaf(&mut self) -> Vec<Token> {
        let start = self.at;
        if makes_routine(&self.tokens[start..]) {
            self.at = self.tokens.len();
            return self.tokens[start..].to_vec();
        }
        let (mut depth, mut cases) = (0, 0);
        while let Some(token) = self.tokens.get(self.at) {
            let here = &self.tokens[start..self.at];
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                depth -= 1;
            } else if token.is("CASE") {
                cases += 1;
            } else if cases > 0 && token.is("END") {
                cases -= 1;
            } else if depth == 0 && cases == 0 {
                let begins = token.is_one_of(STARTS) && !continues(here, token);
                if token.is(";") || begins && (self.at > start || token.is("END")) {
                    break;
                }
            }
            self.at += 1;
        }
        self.tokens[start..self.at].to_vec()
    }
}

/// Returns true if a keyword that can start a statement is a part of the previous statement instead.
fn continues(here: &[Token], token: &Token) -> bool {
    let Some((first, last)) = here.first().zip(here.last()) else { return false };
    let has = |word: &str| here.iter().any(|token| token.is(word));
    let after = |words: &[&str]| last.is_one_of(words);
    let set = !has("SET");
    match token.text.to_ascii_uppercase().as_str() {
        "SELECT" if first.is("INSERT") => {
            let query = here.iter().any(|token| token.is_one_of(&["SELECT", "VALUES", "EXEC"]));
            !query || after(&["UNION", "ALL", "EXCEPT", "INTERSECT"])
        }
        "SELECT" => {
            let mut depth = 0;
            let queried = here.iter().any(|token| {
                depth += i32::from(token.is("(")) - i32::from(token.is(")"));
                depth == 0 && token.is_one_of(&["SELECT", "UPDATE", "DELETE"])
            });
            after(&["UNION", "ALL", "EXCEPT", "INTERSECT", "AS"]) || first.is("WITH") && !queried
        }
        "INSERT" | "UPDATE" | "DELETE" => {
            let bulk = first.is("WITH") && !has("SELECT");
            after(&["ON", "FOR", "AFTER", "GRANT", ","]) || bulk
        }
        "SET" => first.is_one_of(&["UPDATE", "ALTER", "WITH", "MERGE"]) && set,
        "IF" => first.is("DROP") && here.len() == 2,
        "WITH" => !last.is(";"),
        "DROP" | "ALTER" | "CREATE" => first.is("ALTER") && !has(&token.text),
        "EXEC" | "EXECUTE" => first.is("INSERT"),
        _ => false,
    }
}
