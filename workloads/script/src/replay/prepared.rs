//! Statements that a MySQL or MariaDB session prepares by name.
//!
//! MySQL 9 does not log the text of a PREPARE, so the EXECUTE of such a statement cannot be sent. A
//! general log also contains the statement that was executed, which is sent instead. Start reading
//! at [`Prepared::command`].

use std::collections::HashSet;

use tacho_driver::lexer::{Lexeme, Syntax, Token, tokens};

use super::general::unquoted;

/// A command for a prepared statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// A command that can be sent. The log also contains the statement that it prepares or runs,
    /// which must then be skipped.
    Sent,
    /// A command that cannot be sent, because the log does not contain its text.
    Hidden,
    /// An EXECUTE that cannot be sent, because the text of its statement is not in the log. A
    /// general log also contains the executed statement.
    HiddenExecute,
    /// EXECUTE IMMEDIATE, which contains the text. Both logs also contain the statement that it runs.
    Immediate,
}

/// Names of a session's prepared statements whose text is in the log.
#[derive(Debug, Default)]
pub struct Prepared(HashSet<Vec<u8>>);

impl Prepared {
    /// Interprets a command such as PREPARE or EXECUTE, and updates the names of the known prepared statements. Returns
    /// `None` for any other statement.
    pub fn command(&mut self, text: &[u8]) -> Option<Command> {
        let is_code =
            |part: &Lexeme| !matches!(part.token, Token::Blank | Token::Comment | Token::Executed);
        let mut parts = tokens(text, Syntax::BACKSLASH).filter(is_code);
        let mut next = || parts.next().map(|part| &text[part.range]).unwrap_or_default();
        let verb = next().to_ascii_lowercase();
        match verb.as_slice() {
            b"prepare" => {
                let name = name(next());
                let is_from = next().eq_ignore_ascii_case(b"from");
                let rest = [next(), next(), next()];
                if is_from && rest == [b"."; 3] {
                    self.0.remove(&name);
                    return Some(Command::Hidden);
                }
                self.0.insert(name);
                Some(Command::Sent)
            }
            b"execute" => {
                let name = name(next());
                Some(match name.as_slice() {
                    b"immediate" => Command::Immediate,
                    _ if self.0.contains(&name) => Command::Sent,
                    _ => Command::HiddenExecute,
                })
            }
            b"deallocate" | b"drop" => {
                if !next().eq_ignore_ascii_case(b"prepare") {
                    return None;
                }
                let is_known = self.0.remove(&name(next()));
                Some(if is_known { Command::Sent } else { Command::Hidden })
            }
            _ => None,
        }
    }
}

/// Returns a statement's name, which is not case-sensitive.
fn name(word: &[u8]) -> Vec<u8> {
    unquoted(word).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_whose_text_is_hidden_are_known() {
        let mut prepared = Prepared::default();
        let table = [
            ("PREPARE p FROM 'select 1'", Some(Command::Sent)),
            ("execute `P` using @a", Some(Command::Sent)),
            ("PREPARE `q` FROM ...", Some(Command::Hidden)),
            ("/* x */ EXECUTE q", Some(Command::HiddenExecute)),
            ("DEALLOCATE PREPARE q", Some(Command::Hidden)),
            ("EXECUTE IMMEDIATE 'select 1'", Some(Command::Immediate)),
            ("prepare P from ...", Some(Command::Hidden)),
            ("EXECUTE p", Some(Command::HiddenExecute)),
            ("PREPARE p FROM @text", Some(Command::Sent)),
            ("drop prepare p", Some(Command::Sent)),
            ("drop table prepare", None),
            ("select 1", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(prepared.command(text.as_bytes()), expected, "{text}");
        }
    }
}
