//! Finds the calls of benchmark tools in a pasted command line. Skips prompts, variables, programs such as `sudo`
//! and `time`, redirections, and other commands of a pipeline.
//!
//! Start reading at [`read`].

use tacho_core::{Error, Result};

use super::words::{Token, straightened, tokens};

/// A tool whose command lines can be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Sysbench,
    Pgbench,
    GoTpc,
    BenchBase,
    HammerDb,
}

/// File names of programs, and the tools that they belong to.
const PROGRAMS: [(&str, Tool); 7] = [
    ("sysbench", Tool::Sysbench),
    ("pgbench", Tool::Pgbench),
    ("go-tpc", Tool::GoTpc),
    ("benchbase", Tool::BenchBase),
    ("benchbase.jar", Tool::BenchBase),
    ("hammerdbcli", Tool::HammerDb),
    ("hammerdb", Tool::HammerDb),
];
/// Programs that start another program. Their own options and arguments are skipped.
const WRAPPERS: [&str; 29] = [
    "sudo", "doas", "su", "time", "env", "nohup", "nice", "ionice", "chrt", "taskset", "numactl",
    "timeout", "stdbuf", "unbuffer", "setsid", "exec", "command", "eval", "perf", "strace",
    "watch", "docker", "podman", "kubectl", "ssh", "sh", "bash", "zsh", "java",
];
/// Shell keywords that may precede a command or stand alone.
const KEYWORDS: [&str; 12] =
    ["do", "then", "else", "{", "}", "!", "if", "while", "until", "done", "fi", "$"];

/// Start of a process substitution, in which a shell replaces a command by a file with the command's output.
const PROCESS: &str = "<(";

/// A call of a tool.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) tool: Tool,
    /// The words after the program name.
    pub(super) words: Vec<String>,
    /// Variables that the line sets for the program.
    pub(super) variables: Vec<(String, String)>,
}

/// The calls in a command line.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) calls: Vec<Call>,
    /// Names of the programs around the calls.
    pub(super) omitted: Vec<String>,
    /// True if typographic characters were replaced.
    pub(super) is_typographic: bool,
    /// Variables that earlier commands set.
    known: Vec<Variable>,
}

/// A shell variable.
#[derive(Debug)]
struct Variable {
    name: String,
    value: String,
    is_exported: bool,
}

/// Finds the calls in the given words. A single word may contain one or more whole command lines.
pub(super) fn read(given: &[String]) -> Result<Line> {
    let is_typographic = given.iter().any(|word| straightened(word) != *word);
    let mut line = Line { is_typographic, ..Line::default() };
    match given {
        [text] => line.read_text(text)?,
        words if is_typographic => {
            let plain = words.iter().map(|word| straightened(word).replace(['"', '\''], ""));
            line.read_command(&plain.collect::<Vec<_>>())?;
        }
        words => line.read_command(words)?,
    }
    // A tool without arguments is probably only mentioned, for example in an installation command. Ignore it if
    // another tool is called with arguments.
    if line.calls.iter().any(|call| !call.words.is_empty()) {
        line.calls.retain(|call| !call.words.is_empty());
    }
    Ok(line)
}

/// Returns the last part of a path.
pub(super) fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

impl Line {
    fn read_text(&mut self, text: &str) -> Result<()> {
        let text = text.trim();
        // If the text has a single line, `#` is the prompt of a root shell. In longer texts, it begins a comment.
        let text = match text.strip_prefix("# ") {
            Some(rest) if !rest.replace("\\\n", "").contains('\n') => rest,
            _ => text,
        };
        let mut words = Vec::new();
        let (mut is_file, mut is_redirected) = (false, false);
        for token in tokens(text)?.into_iter().chain([Token::End]) {
            match token {
                Token::Word(_) if is_file => is_file = false,
                Token::Word(word) => words.push(word),
                Token::Redirection => (is_file, is_redirected) = (true, true),
                Token::End => {
                    self.read_command(&std::mem::take(&mut words))?;
                    if std::mem::take(&mut is_redirected) {
                        self.omit("redirections");
                    }
                }
            }
        }
        Ok(())
    }

    fn read_command(&mut self, words: &[String]) -> Result<()> {
        let words: Vec<String> = words.iter().map(|word| self.expanded(word)).collect();
        if self.sets_variables(&words) {
            return Ok(());
        }
        let exported = self.known.iter().filter(|variable| variable.is_exported);
        let mut variables: Vec<(String, String)> =
            exported.map(|variable| (variable.name.clone(), variable.value.clone())).collect();
        let mut is_wrapped = false;
        for (at, word) in words.iter().enumerate() {
            let name = file_name(word);
            if let Some((tool, words)) = called(&words[at..]) {
                self.calls.push(Call { tool, words: words.to_vec(), variables });
                return Ok(());
            }
            if is_wrapped && word.contains(char::is_whitespace) && names_a_tool(word) {
                return self.read_text(word);
            }
            if let Some((name, value)) = assignment(word) {
                variables.push((name.to_owned(), value.to_owned()));
            } else if WRAPPERS.contains(&name) {
                is_wrapped = true;
                self.omit(name);
            } else if !is_wrapped && !is_before_a_command(word) {
                self.omit(name);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Stores the variables if a command only sets variables. Returns true in this case.
    fn sets_variables(&mut self, words: &[String]) -> bool {
        let start = words.iter().take_while(|word| is_before_a_command(word)).count();
        let words = &words[start..];
        let is_exported = words.first().is_some_and(|word| word == "export");
        let pairs: Option<Vec<(&str, &str)>> =
            words.iter().skip(usize::from(is_exported)).map(|word| assignment(word)).collect();
        let Some(pairs) = pairs.filter(|pairs| !pairs.is_empty()) else { return false };
        for (name, value) in pairs {
            let (name, value) = (name.to_owned(), value.to_owned());
            self.known.retain(|variable| variable.name != name);
            self.known.push(Variable { name, value, is_exported });
        }
        true
    }

    /// Replaces variables that earlier commands set.
    fn expanded(&self, word: &str) -> String {
        self.known.iter().fold(word.to_owned(), |word, Variable { name, value, .. }| {
            let word = word.replace(&format!("${{{name}}}"), value);
            let plain = format!("${name}");
            let mut parts = word.split(&plain);
            let mut found = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                let is_longer = part.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
                if is_longer {
                    found.extend(["$", name, part]);
                } else {
                    found.extend([value, part]);
                }
            }
            found
        })
    }

    fn omit(&mut self, name: &str) {
        if !self.omitted.iter().any(|known| known == name) {
            self.omitted.push(name.to_owned());
        }
    }
}

/// Returns true for a keyword or a prompt.
fn is_before_a_command(word: &str) -> bool {
    KEYWORDS.contains(&file_name(word)) || word.ends_with(['$', '#', '%'])
}

/// Returns the tool that a command calls, and the tool's arguments.
fn called(words: &[String]) -> Option<(Tool, &[String])> {
    let (program, rest) = words.split_first()?;
    let name = file_name(program);
    if is_script(program) {
        return Some((Tool::Sysbench, words));
    }
    // `tiup` runs go-tpc as a component called `bench`, with or without a version.
    if let ("tiup", [component, rest @ ..]) = (name, rest)
        && component.split(':').next() == Some("bench")
    {
        return Some((Tool::GoTpc, rest));
    }
    PROGRAMS.iter().find(|(known, _)| *known == name).map(|(_, tool)| (*tool, rest))
}

/// Returns true if the program is a Lua script, because such scripts can be called directly.
fn is_script(program: &str) -> bool {
    program.strip_suffix(".lua").is_some_and(|stem| !stem.is_empty() && !stem.starts_with('-'))
}

fn names_a_tool(line: &str) -> bool {
    PROGRAMS.iter().any(|(name, _)| line.contains(name))
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (starts && name.bytes().all(is_name)).then_some((name, value))
}

/// Adds a hint to the error if the line contains a shell variable.
pub(super) fn explained(error: Error, words: &[String]) -> Error {
    let is_secret = |word: &str| word.to_ascii_lowercase().contains("pass");
    match words.iter().find(|word| has_variable(word) && !is_secret(word)) {
        Some(word) if word.contains(PROCESS) => error
            .hint(format!("write the output of {word} to a file, and specify this file instead")),
        Some(word) => error.hint(format!(
            "replace the shell variable in {word} with its value; for several values, use tacho \
             sweep --vary"
        )),
        None => error,
    }
}

/// Returns true if the word contains something that a shell would expand.
pub(super) fn has_variable(word: &str) -> bool {
    word.contains(['$', '`']) || word.contains(PROCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Line {
        read(&[line.to_owned()]).expect("a line")
    }

    #[test]
    fn a_call_is_found_inside_other_commands() {
        for (line, omitted) in [
            ("sysbench x run", ""),
            ("$ sysbench x run", ""),
            ("# sysbench x run", ""),
            ("me@host:~$ sysbench x run", ""),
            ("sudo -u postgres /usr/bin/sysbench x run", "sudo"),
            ("time nohup sysbench x run > out.txt 2>&1 &", "time nohup redirections"),
            ("env A=b C='d e' sysbench x run 2>/dev/null | tee -a x.log", "env redirections tee"),
            ("A=b timeout -s INT 60 taskset -c 0-3 sysbench x run", "timeout taskset"),
            ("ssh db1 'cd /tmp && sysbench x run'", "ssh cd"),
            ("su - postgres -c \"sysbench x run\"", "su"),
            ("sudo apt install -y sysbench; sysbench x run", "sudo"),
            ("for t in 1 2; do sysbench x run; done", "for"),
            ("# a comment, isn't it\nset -e\nsysbench x \\\n run # end\n", "set"),
            ("(cd x; if true; then ! sysbench x run; fi)", "cd true"),
        ] {
            let found = found(line);
            assert_eq!(found.calls.len(), 1, "{line}: {found:?}");
            assert_eq!(found.calls[0].words, ["x", "run"], "{line}");
            assert_eq!(found.omitted.join(" "), omitted, "{line}");
        }
    }

    #[test]
    fn every_call_and_its_variables_are_found() {
        let line = found("A=1 env B='2 3' sysbench x prepare && sysbench x run\n./t.lua run");
        let words: Vec<String> = line.calls.iter().map(|call| call.words.join(" ")).collect();
        assert_eq!(words, ["x prepare", "x run", "./t.lua run"]);
        let variables = [("A".to_owned(), "1".to_owned()), ("B".to_owned(), "2 3".to_owned())];
        assert_eq!(line.calls[0].variables, variables);
        let found = found("export A=1 B=2; N=8; C=$N\nD=3 pgbench -c ${N} -T $NO -D x=$C db$A");
        assert_eq!(found.calls[0].words.join(" "), "-c 8 -T $NO -D x=8 db1");
        let names: Vec<&str> = found.calls[0].variables.iter().map(|(name, _)| &name[..]).collect();
        assert_eq!((names.join(" "), found.omitted), ("A B D".to_owned(), Vec::<String>::new()));
        let words = ["sudo", "sysbench", "x y", "run"].map(str::to_owned);
        assert_eq!(read(&words).expect("a line").calls[0].words, ["x y", "run"]);
        assert!(read(&["ls | wc".to_owned()]).expect("a line").calls.is_empty());
    }
}
