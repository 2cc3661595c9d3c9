//! Splits a script into SQL statements, which end with a semicolon, and commands, which start with a backslash.
//!
//! Start reading at [`commands`].

use std::ops::Range;

use tacho_driver::lexer::{
    Lexeme, Nesting, Place, Syntax, Token, Variable, is_blank, is_name, tokens, variables,
};

use crate::vm::source::Fail;

/// A command and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub at: u32,
    pub kind: CommandKind,
}

/// The kind of a command. Text that is parsed later is stored as its range of bytes in the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// A statement, including its semicolon, and how its rows are used.
    Sql(Range<usize>, Take),
    /// `\set name expression`
    Set(String, Range<usize>),
    If(Range<usize>),
    Elif(Range<usize>),
    Else,
    Endif,
    /// `\sleep`: a number or variable, and the number of microseconds in its unit.
    Sleep(Range<usize>, i64),
    StartPipeline,
    SyncPipeline,
    EndPipeline,
}

/// Use of a statement's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Take {
    Nothing,
    /// `\gset prefix`: stores the only row in variables.
    Gset(String),
    /// `\aset prefix`: stores the last row, if any, in variables.
    Aset(String),
}

/// Position of the scanner.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

/// Splits a request at `\;` into statements, in the form in which they are sent. `\:` becomes a colon.
pub fn parts(request: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut rest = 0;
    let mut escaped = None;
    for Lexeme { token, range, .. } in tokens(request, Syntax::STANDARD) {
        let is_next = escaped.is_some_and(|at| at + 1 == range.start);
        if let (Token::Sign(sign @ (b';' | b':')), true, Some(at)) = (token, is_next, escaped)
            && let Some(last) = found.last_mut()
        {
            last.push_str(&request[rest..at]);
            rest = if sign == b';' { range.end } else { range.start };
            if sign == b';' {
                found.push(String::new());
            }
        }
        escaped = (token == Token::Sign(b'\\')).then_some(range.start);
    }
    if let Some(last) = found.last_mut() {
        last.push_str(&request[rest..]);
    }
    found
}

/// Returns all uses of variables in a request. After two colons, the second one does not start a
/// variable, even if written `\:`.
pub fn uses(request: &str) -> impl Iterator<Item = Variable<'_>> {
    let is_second = move |variable: &Variable<'_>| {
        let before = request[..variable.colon].strip_suffix('\\');
        let is_code = matches!(variable.place, Place::Code | Place::Brackets);
        is_code && before.is_some_and(|before| before.ends_with(':'))
    };
    variables(request, Syntax::STANDARD).filter(move |variable| !is_second(variable))
}

/// Parses all commands of a script.
pub fn commands(text: &str) -> Result<Vec<Command>, Fail> {
    let mut scanner = Scanner { text, at: 0 };
    let mut found: Vec<Command> = Vec::new();
    loop {
        scanner.skip_blank();
        if scanner.at >= text.len() {
            return Ok(found);
        }
        if scanner.rest().starts_with('\\') {
            scanner.meta(&mut found)?;
            continue;
        }
        let start = scanner.at;
        let end = scanner.statement()?;
        let sql = start..start + text[start..end].trim_end().len();
        if is_blank(&text[sql.clone()], Syntax::STANDARD) {
            continue;
        }
        found.push(Command { at: start as u32, kind: CommandKind::Sql(sql, Take::Nothing) });
    }
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips whitespace and comments between commands.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with("--") {
                return;
            }
            self.skip_line();
        }
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    /// Returns the position at which a statement ends: after a semicolon, before a command, or at the end of the text.
    fn statement(&mut self) -> Result<usize, Fail> {
        let mut nesting = Nesting::default();
        // A backslash, which starts a command unless followed by a semicolon or colon.
        let mut backslash = None;
        for part in tokens(self.text, Syntax::STANDARD).starting_at(self.at) {
            let Lexeme { token, range, is_closed } = part;
            if let Some(at) = backslash.take() {
                match token {
                    Token::Sign(b';') => nesting = Nesting::default(),
                    Token::Sign(b':') => {}
                    _ => {
                        self.at = at;
                        return Ok(at);
                    }
                }
                continue;
            }
            if !is_closed {
                return Err(unclosed(token, &self.text[range.clone()], range.start));
            }
            if nesting.ends_at(token, &self.text.as_bytes()[range.clone()]) {
                self.at = range.end;
                return Ok(self.at);
            }
            backslash = (token == Token::Sign(b'\\')).then_some(range.start);
        }
        self.at = backslash.unwrap_or(self.text.len());
        Ok(self.at)
    }

    /// Returns the rest of the line. A trailing backslash continues it on the next line.
    fn line(&mut self) -> Range<usize> {
        let start = self.at;
        loop {
            self.skip_line();
            let line = self.text[start..self.at].trim_end_matches('\r');
            if !line.ends_with('\\') || self.at >= self.text.len() {
                return start..start + line.len();
            }
            self.at += 1;
        }
    }

    fn meta(&mut self, found: &mut Vec<Command>) -> Result<(), Fail> {
        let start = self.at;
        let at = start as u32;
        self.at += 1;
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let written = &rest[..length.unwrap_or(rest.len())];
        self.at += written.len();
        // Command names are not case-sensitive.
        let name = written.to_ascii_lowercase();
        let name = name.as_str();
        let line = self.line();
        let words: Vec<&str> = self.text[line.clone()].split_whitespace().collect();
        let none = |kind: CommandKind| match words.first() {
            None => Ok(kind),
            Some(word) => Err(unexpected(self.text, at, name, word)),
        };
        let kind = match name {
            "set" => self.set(at, line, &words)?,
            "if" => CommandKind::If(expression(at, name, line, &words)?),
            "elif" => CommandKind::Elif(expression(at, name, line, &words)?),
            "else" => none(CommandKind::Else)?,
            "endif" => none(CommandKind::Endif)?,
            "sleep" => self.sleep(at, &words)?,
            "startpipeline" => none(CommandKind::StartPipeline)?,
            "syncpipeline" => none(CommandKind::SyncPipeline)?,
            "endpipeline" => none(CommandKind::EndPipeline)?,
            "gset" | "aset" => return self.take(at, name, &words, found),
            "setrandom" => {
                let fail = Fail::new(at, "\\setrandom is not supported");
                let arguments = |at: usize| words.get(at).copied().unwrap_or("…");
                let (variable, low, high) = (arguments(0), arguments(1), arguments(2));
                return Err(fail.hint(format!("write \\set {variable} random({low}, {high})")));
            }
            "setshell" | "shell" => {
                let fail = Fail::new(at, format!("\\{name} is not supported"));
                return Err(
                    fail.hint("remove the command; Tacho does not run programs from scripts")
                );
            }
            _ => {
                let known = KNOWN.into_iter();
                return Err(Fail::unknown(at, "command", &format!("\\{written}"), known));
            }
        };
        found.push(Command { at, kind });
        Ok(())
    }

    fn set(&self, at: u32, line: Range<usize>, words: &[&str]) -> Result<CommandKind, Fail> {
        let [name, _, ..] = words else {
            let fail = Fail::new(at, "\\set requires a name and an expression");
            return Err(fail.hint("write \\set name expression"));
        };
        let start = line.start + self.text[line.clone()].find(name).unwrap_or(0);
        if !is_name(name) {
            return Err(Fail::new(start as u32, format!("invalid variable name \"{name}\""))
                .hint("names consist of letters, digits and _ and must not start with a digit"));
        }
        Ok(CommandKind::Set((*name).to_owned(), start + name.len()..line.end))
    }

    fn sleep(&self, at: u32, words: &[&str]) -> Result<CommandKind, Fail> {
        let (number, unit) = match words {
            [number] => (*number, number.trim_start_matches(|c: char| c.is_ascii_digit())),
            [number, unit] => (*number, *unit),
            _ => {
                let fail = Fail::new(at, "\\sleep requires a time");
                return Err(
                    fail.hint("write, for example, \\sleep 5 ms; the unit can be us, ms or s")
                );
            }
        };
        let joined = words.len() == 1 && !number.starts_with(':');
        let number = if joined { &number[..number.len() - unit.len()] } else { number };
        let micros = match unit.to_ascii_lowercase().as_str() {
            "us" => 1,
            "ms" => 1_000,
            "s" => 1_000_000,
            _ if words.len() == 1 && (unit.is_empty() || !joined) => 1_000_000,
            _ => {
                let fail = Fail::new(at, format!("unknown time unit \"{unit}\""));
                return Err(fail.hint("use us, ms or s"));
            }
        };
        let whole = number.parse::<u32>().is_ok();
        if !whole && !number.strip_prefix(':').is_some_and(is_name) {
            let fail = Fail::new(at, format!("invalid time for \\sleep: \"{number}\""));
            return Err(fail.hint("use a whole number or a variable"));
        }
        let start = self.text[at as usize..].find(number).unwrap_or(0) + at as usize;
        Ok(CommandKind::Sleep(start..start + number.len(), micros))
    }

    fn take(&self, at: u32, name: &str, words: &[&str], found: &mut [Command]) -> Result<(), Fail> {
        let prefix = words.first().copied().unwrap_or_default().to_owned();
        if let Some(more) = words.get(1) {
            return Err(unexpected(self.text, at, name, more));
        }
        let last = found.last_mut().map(|command| &mut command.kind);
        let Some(CommandKind::Sql(_, take @ Take::Nothing)) = last else {
            return Err(Fail::new(at, format!("\\{name} must follow a statement")));
        };
        *take = if name == "gset" { Take::Gset(prefix) } else { Take::Aset(prefix) };
        Ok(())
    }
}

const KNOWN: [&str; 12] = [
    "\\set",
    "\\if",
    "\\elif",
    "\\else",
    "\\endif",
    "\\sleep",
    "\\gset",
    "\\aset",
    "\\startpipeline",
    "\\syncpipeline",
    "\\endpipeline",
    "\\setshell",
];

fn expression(
    at: u32,
    name: &str,
    line: Range<usize>,
    words: &[&str],
) -> Result<Range<usize>, Fail> {
    if words.is_empty() {
        return Err(Fail::new(at, format!("\\{name} requires an expression")));
    }
    Ok(line)
}

fn unexpected(text: &str, at: u32, name: &str, word: &str) -> Fail {
    let start = text[at as usize..].find(word).unwrap_or(0) + at as usize;
    Fail::new(start as u32, format!("unexpected \"{word}\" after \\{name}"))
}

/// Returns the error for an unclosed quote or comment.
fn unclosed(token: Token, text: &str, at: usize) -> Fail {
    let prefix = text.find(['\'', '"']).filter(|_| !text.starts_with('$')).unwrap_or(0);
    let (close, at) = match token {
        Token::Comment => ("*/", at),
        Token::Name => ("\"", at + prefix),
        _ if text.starts_with('$') => {
            (&text[..text[1..].find('$').map_or(text.len(), |end| end + 2)], at)
        }
        _ => ("'", at + prefix),
    };
    let what = if token == Token::Comment { "comment" } else { "string" };
    Fail::new(at as u32, format!("the {what} has no closing {close}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let shown = |command: Command| match command.kind {
            CommandKind::Sql(range, take) => format!("{} {take:?}", &text[range]),
            CommandKind::Set(name, range) => format!("set {name}={}", text[range].trim()),
            CommandKind::Sleep(range, micros) => format!("sleep {} {micros}", &text[range]),
            other => format!("{other:?}"),
        };
        commands(text).expect(text).into_iter().map(shown).collect()
    }

    #[test]
    fn statements_end_as_in_psql() {
        let text = "-- first\n\\set a 1 + \\\n 2\nSELECT ';' || E'\\';' || $x$ ; $x$, (1;2) -- ;\n;;\nSELECT 1 \\gset p_\n\
                    select 2\n\\ASET\n\\Sleep 10ms\n\\sleep :a us\n\\sleep 1\nEND";
        let expected = [
            "set a=1 + \\\n 2",
            "SELECT ';' || E'\\';' || $x$ ; $x$, (1;2) -- ;\n; Nothing",
            "SELECT 1 Gset(\"p_\")",
            "select 2 Aset(\"\")",
            "sleep 10 1000",
            "sleep :a 1",
            "sleep 1 1000000",
            "END Nothing",
        ];
        assert_eq!(read(text), expected);
    }

    #[test]
    fn a_request_may_hold_several_statements() {
        let text = "SELECT 1 \\; SELECT '\\;' AS a \\; SELECT 3 \\gset\nSELECT 4;";
        assert_eq!(
            read(text),
            ["SELECT 1 \\; SELECT '\\;' AS a \\; SELECT 3 Gset(\"\")", "SELECT 4; Nothing"]
        );
        assert_eq!(
            parts("SELECT 1 \\; SELECT '\\;' AS a \\; SELECT 3"),
            ["SELECT 1 ", " SELECT '\\;' AS a ", " SELECT 3"]
        );
    }

    #[test]
    fn quotes_and_comments_of_any_kind_hold_no_ends() {
        let text = "/* Let's go; */ SELECT 1 AS a \\gset\n/* don't */ ROLLBACK;\nSELECT E'it\\'s;', $$it's;$$, \"a'b;\" -- it's;\n;\n\
                    CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END;\nSELECT 1\\:\\:int \\; SELECT '\\:';\n/* no; statement */\n-- it's";
        let expected = [
            "/* Let's go; */ SELECT 1 AS a Gset(\"\")",
            "/* don't */ ROLLBACK; Nothing",
            "SELECT E'it\\'s;', $$it's;$$, \"a'b;\" -- it's;\n; Nothing",
            "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END; Nothing",
            "SELECT 1\\:\\:int \\; SELECT '\\:'; Nothing",
        ];
        assert_eq!(read(text), expected);
        assert_eq!(
            parts("SELECT 1\\:\\:int \\; SELECT '\\:'"),
            ["SELECT 1::int ", " SELECT '\\:'"]
        );
        let text = "SELECT 1\\:\\:a, :\\:b, \\::c, \\:d, ':\\:e', [:\\:f], :g";
        assert_eq!(uses(text).map(|variable| variable.name).collect::<Vec<_>>(), ["d", "e", "g"]);
    }

    #[test]
    fn reports_errors_at_their_position() {
        let table = [
            ("\\set 1a 5", 5),
            ("\\sleep :1a", 0),
            ("SELECT /* 'x", 7),
            ("SELECT E'x\\'", 8),
            ("SELECT $a$ x $b$", 7),
            ("SELECT 1;\n  \\sett a 1", 12),
            ("\\set a", 0),
            ("\\gset", 0),
            ("\\shell ls", 0),
            ("SELECT 'x", 7),
            ("\\else now", 6),
            ("\\sleep 5 min", 0),
        ];
        for (text, at) in table {
            assert_eq!(commands(text).expect_err(text).at, at, "{text}");
        }
    }
}
