//! A script as pgbench reads it: SQL statements that end with a semicolon, and commands that begin with a backslash.
//!
//! Start reading at [`commands`].

use std::ops::Range;

use crate::source::Fail;

/// A command and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub at: u32,
    pub kind: CommandKind,
}

/// What a command is. Texts that are read later are ranges of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// A statement with its semicolon, and what becomes of its rows.
    Sql(Range<usize>, Take),
    /// `\set name expression`
    Set(String, Range<usize>),
    If(Range<usize>),
    Elif(Range<usize>),
    Else,
    Endif,
    /// `\sleep`: a number or a variable, and microseconds of its unit.
    Sleep(Range<usize>, i64),
    StartPipeline,
    SyncPipeline,
    EndPipeline,
}

/// What becomes of the rows of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Take {
    Nothing,
    /// `\gset prefix`: one row becomes variables.
    Gset(String),
    /// `\aset prefix`: the last row becomes variables, if there is one.
    Aset(String),
}

/// Where the scanner is.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Texts in quotes and comments.
    literals: Vec<Range<usize>>,
}

/// The texts in quotes and the comments of a statement.
pub fn literals(statement: &str) -> Vec<Range<usize>> {
    let mut scanner = Scanner { text: statement, at: 0, literals: Vec::new() };
    // What is wrong in it has been found when the script was read.
    let _ = scanner.statement();
    scanner.literals
}

/// The statements of one request, between which `\;` stands.
pub fn parts(request: &str) -> Vec<&str> {
    let literals = literals(request);
    let is_text = |at: usize| literals.iter().any(|range| range.contains(&at));
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, separator) in request.match_indices("\\;").filter(|(at, _)| !is_text(*at)) {
        found.push(&request[start..at]);
        start = at + separator.len();
    }
    found.push(&request[start..]);
    found
}

/// Reads all commands of a script.
pub fn commands(text: &str) -> Result<Vec<Command>, Fail> {
    let mut scanner = Scanner { text, at: 0, literals: Vec::new() };
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
        if text[sql.clone()].trim_end_matches(';').trim().is_empty() {
            continue;
        }
        found.push(Command { at: start as u32, kind: CommandKind::Sql(sql, Take::Nothing) });
    }
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips white space and comments between commands.
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

    /// The end of a statement: after its semicolon, before a backslash, or at the end of the text.
    fn statement(&mut self) -> Result<usize, Fail> {
        let mut depth = 0_u32;
        while let Some(next) = self.rest().chars().next() {
            let rest = self.rest();
            let start = self.at;
            match next {
                ';' if depth == 0 => {
                    self.at += 1;
                    return Ok(self.at);
                }
                // Another statement of the same request.
                '\\' if rest.starts_with("\\;") => {
                    self.at += 2;
                    continue;
                }
                '\\' => return Ok(self.at),
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '\'' | '"' => {
                    self.quoted(next)?;
                    self.literals.push(start..self.at);
                    continue;
                }
                '$' if self.dollar_quoted()? => {
                    self.literals.push(start..self.at);
                    continue;
                }
                '-' if rest.starts_with("--") => {
                    self.skip_line();
                    self.literals.push(start..self.at);
                    continue;
                }
                '/' if rest.starts_with("/*") => {
                    self.comment()?;
                    self.literals.push(start..self.at);
                    continue;
                }
                _ => {}
            }
            self.at += next.len_utf8();
        }
        Ok(self.at)
    }

    /// Skips a text in quotes. A backslash escapes only after an `E`.
    fn quoted(&mut self, quote: char) -> Result<(), Fail> {
        let start = self.at;
        let before = &self.text.as_bytes()[..start];
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let escapes = quote == '\''
            && matches!(before.last(), Some(b'e' | b'E'))
            && !before.len().checked_sub(2).and_then(|at| before.get(at)).is_some_and(is_word);
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((at, c)) = characters.next() {
            if c == '\\' && escapes {
                characters.next();
            } else if c == quote {
                self.at = start + at + 1;
                return Ok(());
            }
        }
        Err(Fail::new(start as u32, format!("the text has no closing {quote}")))
    }

    /// Skips `$tag$ … $tag$`, if one begins here.
    fn dollar_quoted(&mut self) -> Result<bool, Fail> {
        let before = self.text[..self.at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            return Ok(false);
        }
        let rest = self.rest();
        let Some(end) = rest[1..].find('$') else { return Ok(false) };
        let tag = &rest[..end + 2];
        let inner = &tag[1..tag.len() - 1];
        if inner.starts_with(|c: char| c.is_ascii_digit())
            || inner.contains(|c: char| !c.is_alphanumeric() && c != '_')
        {
            return Ok(false);
        }
        let close = rest[tag.len()..]
            .find(tag)
            .ok_or_else(|| Fail::new(self.at as u32, format!("the text has no closing {tag}")))?;
        self.at += close + 2 * tag.len();
        Ok(true)
    }

    fn comment(&mut self) -> Result<(), Fail> {
        let (start, mut depth) = (self.at, 0);
        loop {
            let rest = self.rest();
            if rest.starts_with("/*") {
                (depth, self.at) = (depth + 1, self.at + 2);
            } else if rest.starts_with("*/") {
                (depth, self.at) = (depth - 1, self.at + 2);
                if depth == 0 {
                    return Ok(());
                }
            } else if let Some(next) = rest.chars().next() {
                self.at += next.len_utf8();
            } else {
                return Err(Fail::new(start as u32, "the comment has no closing */"));
            }
        }
    }

    /// The rest of a line; a backslash at its end continues it.
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
        let name = &rest[..length.unwrap_or(rest.len())];
        self.at += name.len();
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
                let (own, low, high) = (arguments(0), arguments(1), arguments(2));
                return Err(fail.hint(format!("write \\set {own} random({low}, {high})")));
            }
            "setshell" | "shell" => {
                let fail = Fail::new(at, format!("\\{name} is not supported"));
                return Err(fail.hint("a script runs no programs: remove the command"));
            }
            _ => {
                let known = KNOWN.into_iter();
                return Err(Fail::unknown(at, "command", &format!("\\{name}"), known));
            }
        };
        found.push(Command { at, kind });
        Ok(())
    }

    fn set(&self, at: u32, line: Range<usize>, words: &[&str]) -> Result<CommandKind, Fail> {
        let [name, _, ..] = words else {
            let fail = Fail::new(at, "\\set needs a name and an expression");
            return Err(fail.hint("it is written \\set name expression"));
        };
        let start = line.start + self.text[line.clone()].find(name).unwrap_or(0);
        if !is_name(name) {
            return Err(Fail::new(start as u32, format!("invalid name of a variable \"{name}\""))
                .hint("a name has letters, digits and _"));
        }
        Ok(CommandKind::Set((*name).to_owned(), start + name.len()..line.end))
    }

    fn sleep(&self, at: u32, words: &[&str]) -> Result<CommandKind, Fail> {
        let (number, unit) = match words {
            [number] => (*number, number.trim_start_matches(|c: char| c.is_ascii_digit())),
            [number, unit] => (*number, *unit),
            _ => {
                let fail = Fail::new(at, "\\sleep needs a time");
                return Err(fail.hint("it is written \\sleep 5 ms, with us, ms or s"));
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
                let fail = Fail::new(at, format!("unknown unit of time \"{unit}\""));
                return Err(fail.hint("it is us, ms or s"));
            }
        };
        let whole = number.parse::<u32>().is_ok();
        if !whole && !number.strip_prefix(':').is_some_and(is_name) {
            let fail = Fail::new(at, format!("invalid time of \\sleep \"{number}\""));
            return Err(fail.hint("it is a whole number or a variable"));
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
        return Err(Fail::new(at, format!("\\{name} needs an expression")));
    }
    Ok(line)
}

fn unexpected(text: &str, at: u32, name: &str, word: &str) -> Fail {
    let start = text[at as usize..].find(word).unwrap_or(0) + at as usize;
    Fail::new(start as u32, format!("unexpected \"{word}\" after \\{name}"))
}

/// Whether a text can be the name of a variable.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii())
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
                    select 2\n\\aset\n\\sleep 10ms\n\\sleep :a us\n\\sleep 1\nEND";
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
    fn what_is_wrong_has_its_place() {
        let table = [
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
