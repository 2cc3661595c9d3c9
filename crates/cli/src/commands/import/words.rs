//! Splits a command line into words and operators as a shell does, but without expansion.
//!
//! Start reading at [`tokens`].

use std::iter::Peekable;
use std::str::Chars;

use tacho_core::{Error, Result};

/// A part of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word without its quotation marks. Variables such as `$HOST` are kept.
    Word(String),
    /// A redirection. The next word is its file.
    Redirection,
    /// The end of a command: a line end, or an operator such as `|` or `&&`.
    End,
}

/// Splits a command line at unquoted spaces and operators. A backslash at the end of a line continues the command.
/// Comments and here-documents are skipped.
pub(super) fn tokens(line: &str) -> Result<Vec<Token>> {
    let line = straightened(line).replace("\r\n", "\n");
    let mut reader = Reader { all: line.chars().peekable(), found: Vec::new(), word: None };
    let mut quote = None;
    let mut document = None::<String>;
    while let Some(c) = reader.all.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => reader.escaped(quote.is_some())?,
            (c, Some(open)) if c == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(c);
                reader.word.get_or_insert_default();
            }
            ('$', None | Some('"')) if reader.all.peek() == Some(&'(') => reader.substitution(c),
            ('#', None) if reader.word.is_none() => reader.skip_line(),
            ('\n', None) => {
                reader.end(Some(Token::End));
                if let Some(last) = document.take() {
                    reader.skip_document(&last);
                }
            }
            (c, None) if c.is_whitespace() => reader.end(None),
            ('&', None) if reader.all.peek() == Some(&'>') => reader.end(None),
            (';' | '|' | '&' | '(' | ')', None) => reader.end(Some(Token::End)),
            ('<' | '>', None) if reader.all.peek() == Some(&'(') => reader.substitution(c),
            ('<' | '>', None) => document = reader.redirection().or(document),
            (c, _) => reader.word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(unfinished("an open quotation mark"));
    }
    reader.end(None);
    Ok(reader.found)
}

/// Replaces the typographic quotation marks and dashes that blogs and word processors insert.
pub(super) fn straightened(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '“' | '”' | '„' => found.push('"'),
            '‘' | '’' => found.push('\''),
            '–' | '—' if found.is_empty() || found.ends_with(char::is_whitespace) => {
                // A word processor has probably replaced `-` or `--` with this dash. If only a single letter follows,
                // it was `-`.
                let letters = rest.clone().take_while(|c| c.is_alphanumeric()).count();
                found.push_str(if letters == 1 { "-" } else { "--" });
                rest.next_if_eq(&'-');
            }
            c => found.push(c),
        }
    }
    found
}

/// Returns the words of a command line without its operators.
pub(super) fn plain(line: &str) -> Result<Vec<String>> {
    let words = tokens(line)?.into_iter().filter_map(|token| match token {
        Token::Word(word) => Some(word),
        Token::Redirection | Token::End => None,
    });
    Ok(words.collect())
}

struct Reader<'a> {
    all: Peekable<Chars<'a>>,
    found: Vec<Token>,
    word: Option<String>,
}

impl Reader<'_> {
    /// Ends the current word and adds an operator.
    fn end(&mut self, operator: Option<Token>) {
        self.found.extend(self.word.take().map(Token::Word));
        self.found.extend(operator);
    }

    /// Reads the character after a backslash.
    fn escaped(&mut self, quoted: bool) -> Result<()> {
        match self.all.next() {
            Some('\n') => {}
            Some(next) => {
                let word = self.word.get_or_insert_default();
                if quoted && !"\"\\$`".contains(next) {
                    word.push('\\');
                }
                word.push(next);
            }
            None => return Err(unfinished("a backslash")),
        }
        Ok(())
    }

    /// Reads a command in parentheses, such as `$(nproc)`, as part of the word.
    fn substitution(&mut self, first: char) {
        let word = self.word.get_or_insert_default();
        word.push(first);
        let mut depth = 0;
        for c in self.all.by_ref() {
            word.push(c);
            depth += i32::from(c == '(') - i32::from(c == ')');
            if depth == 0 {
                return;
            }
        }
    }

    /// Reads the rest of a redirection operator. For a here-document, returns the line that ends it.
    fn redirection(&mut self) -> Option<String> {
        // A number directly before the operator is a file descriptor.
        if self.word.as_ref().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit())) {
            self.word = None;
        }
        self.end(Some(Token::Redirection));
        let mut operator = String::new();
        while let Some(c) = self.all.next_if(|c| "<>&|-".contains(*c)) {
            operator.push(c);
        }
        if operator != "<" && operator != "<-" {
            return None;
        }
        while self.all.next_if(|c| *c == ' ').is_some() {}
        let mut last = String::new();
        while let Some(c) = self.all.next_if(|c| !c.is_whitespace() && !";|&".contains(*c)) {
            last.extend((!"'\"\\".contains(c)).then_some(c));
        }
        self.found.push(Token::Word(last.clone()));
        Some(last)
    }

    fn skip_line(&mut self) {
        while self.all.next_if(|c| *c != '\n').is_some() {}
    }

    fn skip_document(&mut self, last: &str) {
        while self.all.peek().is_some() {
            let line: String = self.all.by_ref().take_while(|c| *c != '\n').collect();
            if line.trim() == last {
                return;
            }
        }
    }
}

fn unfinished(what: &str) -> Error {
    Error::usage(format!("the command line ends with {what}"))
        .hint("copy the whole line and enclose it in single quotation marks")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the tokens as text, with `|` for every operator and `>` for every redirection.
    fn shown(line: &str) -> Vec<String> {
        let tokens = tokens(line).expect("tokens");
        let shown = tokens.into_iter().map(|token| match token {
            Token::Word(word) => word,
            Token::Redirection => ">".into(),
            Token::End => "|".into(),
        });
        shown.collect()
    }

    #[test]
    fn words_are_those_of_a_shell() {
        let line = "sysbench  oltp \\\r\n --a='b c' --d=\"e 'f'\" \"\" g\\ h \"\\$i\\j\"";
        assert_eq!(shown(line), ["sysbench", "oltp", "--a=b c", "--d=e 'f'", "", "g h", "$i\\j"]);
        let typographic = "sysbench –ab=“b c” —n 5 –-d=‘e’ f–g";
        assert_eq!(shown(typographic), ["sysbench", "--ab=b c", "-n", "5", "--d=e", "f–g"]);
        assert!(tokens("a 'b").is_err() && tokens("a \\").is_err());
        assert_eq!(shown("  "), [""; 0]);
    }

    #[test]
    fn operators_end_commands_and_redirections_name_files() {
        let line = "a=1 b >x 2>&1 &> y | tee -a z; (c && d) & # it's\n$(nproc) f2>g";
        let expected = "a=1 b > x > 1 > y | tee -a z | | c | | d | | | $(nproc) f2 > g";
        assert_eq!(shown(line).join(" "), expected);
        assert_eq!(
            shown("a <<'END' >x\nit's\nEND\nb <<<\"c\""),
            ["a", ">", "END", ">", "x", "|", "b", ">", "c"]
        );
    }
}
