//! From the commands of a script to a program of the machine: variables become registers, conditions jumps.
//!
//! Start reading at [`compile`].

use std::collections::{BTreeMap, BTreeSet};

use tacho_driver::{Access, Field, Section, StatementId, ValueKind, Verbatim, next_anywhere};

use crate::compile::audit;
use crate::machine::Node;
use crate::program::{Argument, Capture, Execute, Op, Program};
use crate::source::{Fail, Piece};
use crate::value::{Ty, Val};

use super::columns::columns;
use super::evaluate::{Call, Operation};
use super::expressions::{Names, Reader};
use super::lines::{Command, CommandKind, Take, literals, parts};

type Compiled<T> = Result<T, Fail>;

/// A script that has been read.
#[derive(Debug)]
pub struct Read {
    pub name: &'static str,
    pub weight: f64,
    pub piece: Piece,
    pub commands: Vec<Command>,
}

/// What all scripts of a run share.
pub struct Shared {
    /// Values that never change: of `-D` and of the run. A text is one that has not the form of a number.
    pub given: BTreeMap<String, Node>,
    /// Registers of all variables that a script sets. The first register is the number of the session.
    pub registers: BTreeMap<String, u16>,
    /// Variables that are whole numbers wherever they are set.
    pub whole: BTreeSet<String>,
    /// Variables that only a `*` can set, whose columns are found by their names: each after the prefix of its command.
    pub starred: BTreeSet<(String, String)>,
    pub default_seed: i64,
}

/// What a command sets.
pub enum Sets {
    /// These variables.
    Named(Vec<String>),
    /// The columns of a `*`, each after this prefix.
    All(String),
}

/// Whether a command sets variables, and which.
pub fn sets(piece: &Piece, command: &Command) -> Compiled<Sets> {
    Ok(match &command.kind {
        CommandKind::Set(name, _) => Sets::Named(vec![name.clone()]),
        CommandKind::Sql(range, Take::Gset(prefix) | Take::Aset(prefix)) => {
            match columns(last_part(&piece.text[range.clone()]), command.at)? {
                Some(names) => {
                    Sets::Named(names.iter().map(|name| format!("{prefix}{name}")).collect())
                }
                None => Sets::All(prefix.clone()),
            }
        }
        _ => Sets::Named(Vec::new()),
    })
}

/// The statement of a request whose rows become variables.
fn last_part(request: &str) -> &str {
    parts(request).pop().unwrap_or(request)
}

/// The variables that a command reads.
pub fn reads(piece: &Piece, command: &Command) -> Vec<String> {
    let text = |range: &std::ops::Range<usize>| &piece.text[range.clone()];
    match &command.kind {
        CommandKind::Sql(range, _) => {
            let text = text(range);
            let all = references(text, 0).into_iter();
            // Also within quotes, where a variable is replaced if one has this name.
            all.filter(|(name, at)| !is_no_variable(text, *at, name))
                .map(|(name, _)| name)
                .collect()
        }
        CommandKind::Set(_, range)
        | CommandKind::If(range)
        | CommandKind::Elif(range)
        | CommandKind::Sleep(range, _) => {
            references(text(range), 0).into_iter().map(|(name, _)| name).collect()
        }
        _ => Vec::new(),
    }
}

/// The names that a text of a script refers to, each with its place.
pub fn references(text: &str, start: usize) -> Vec<(String, usize)> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some((_, name, after)) = next_anywhere(rest) {
        let at = text.len() - after.len() - name.len();
        found.push((name.to_owned(), start + at));
        rest = after;
    }
    found
}

/// Compiles a script; its statements are added to `sections`. Returns also the variables that it sets to something
/// else than a whole number.
///
/// # Errors
/// With its place, for what is wrong in it.
pub fn compile(
    read: &Read,
    shared: &Shared,
    sections: &mut Vec<Section>,
) -> Compiled<(Program, BTreeSet<String>)> {
    let mut compiler = Compiler {
        read,
        shared,
        sections,
        certain: BTreeSet::new(),
        possible: BTreeSet::new(),
        initial: BTreeSet::new(),
        captures: Vec::new(),
        spare: shared.registers.len() as u16 + 1,
        together: false,
        rolls_back: false,
        executes: false,
        begins: false,
        others: BTreeSet::new(),
    };
    let program = compiler.program()?;
    Ok((program, compiler.others))
}

#[expect(clippy::struct_excessive_bools, reason = "independent facts of one script")]
struct Compiler<'a> {
    read: &'a Read,
    shared: &'a Shared,
    sections: &'a mut Vec<Section>,
    /// Variables that are set on every way here, and on some.
    certain: BTreeSet<String>,
    possible: BTreeSet<String>,
    /// Registers that are read where nothing may have set them.
    initial: BTreeSet<u16>,
    captures: Vec<Capture>,
    spare: u16,
    together: bool,
    rolls_back: bool,
    executes: bool,
    /// Whether a statement begins a transaction before this place.
    begins: bool,
    /// Variables that are set to something else than a whole number.
    others: BTreeSet<String>,
}

/// Names as they mean something at one place of a script.
struct Here<'a, 'b>(&'a Compiler<'b>);

impl Names for Here<'_, '_> {
    fn variable(&self, name: &str, at: u32) -> Compiled<(Node, Option<Ty>)> {
        let compiler = self.0;
        match compiler.found(name) {
            Found::Certain(register, true) => Ok((Node::Register(register), Some(Ty::Int))),
            Found::Certain(register, false) | Found::Possible(register) => {
                Ok((wrapped(Operation::Variable, Node::Register(register), at), None))
            }
            Found::Given(node @ Node::Const(Val::Int(_))) => Ok((node, Some(Ty::Int))),
            Found::Given(node @ Node::Const(_)) => Ok((node, None)),
            Found::Given(node) => Ok((wrapped(Operation::Variable, node, at), None)),
            Found::Nothing => Err(compiler.unknown(name, at)),
        }
    }

    fn default_seed(&self) -> i64 {
        self.0.shared.default_seed
    }
}

fn wrapped(operation: Operation, node: Node, at: u32) -> Node {
    Node::Pgbench(Box::new(Call { operation, arguments: [node].into(), at }))
}

enum Found {
    /// Set on every way here, and whether to a whole number.
    Certain(u16, bool),
    Possible(u16),
    Given(Node),
    Nothing,
}

/// Where an open `\if` is.
struct Branch {
    at: u32,
    /// The jump to the next branch, until it begins.
    next: Option<usize>,
    /// The jumps to the end.
    ends: Vec<usize>,
    has_else: bool,
    /// What was certain before, and at the end of each branch.
    before: BTreeSet<String>,
    after: Vec<BTreeSet<String>>,
}

impl Compiler<'_> {
    fn program(&mut self) -> Compiled<Program> {
        let read = self.read;
        for (name, node) in &self.shared.given {
            if self.shared.registers.contains_key(name) && !matches!(node, Node::Const(Val::Absent))
            {
                self.certain.insert(name.clone());
            }
        }
        let leading = read.commands.iter().take_while(|c| matches!(c.kind, CommandKind::Set(..)));
        let leading = leading.count();
        let (mut inputs, mut audited) = (Vec::new(), Vec::new());
        for command in &read.commands[..leading] {
            let CommandKind::Set(name, range) = &command.kind else { continue };
            let (register, node) = self.set(name, range.clone())?;
            audited.extend(audit(name, register, &node, &inputs, &read.piece, command.at));
            inputs.push((register, node));
        }
        let mut ops = Vec::new();
        let mut open: Vec<Branch> = Vec::new();
        for command in &read.commands[leading..] {
            self.command(command, &mut ops, &mut open)?;
        }
        if let Some(branch) = open.last() {
            return Err(Fail::new(branch.at, "\\if without \\endif"));
        }
        if self.together {
            let at = read.commands.last().map_or(0, |command| command.at);
            return Err(Fail::new(at, "\\startpipeline without \\endpipeline"));
        }
        if !self.executes {
            return Err(Fail::new(0, "the script sends no statement"));
        }
        // Values that a session begins with: those of -D that a script changes, and nothing.
        let mut kept: Vec<(u16, Node)> = Vec::new();
        for (name, register) in &self.shared.registers {
            let given = self.shared.given.get(name);
            let unset = self.initial.contains(register).then_some(Node::Const(Val::Absent));
            kept.extend(given.cloned().or(unset).map(|node| (*register, node)));
        }
        let is_input =
            |register: &u16| inputs.iter().chain(&kept).any(|(input, _)| input == register);
        let captured = || self.captures.iter().flat_map(|capture| &capture.columns);
        Ok(Program {
            piece: read.piece.clone(),
            sets_inputs: ops
                .iter()
                .any(|op| matches!(op, Op::Set { register, .. } if is_input(register)))
                || captured().any(|(_, register, _)| is_input(register)),
            draws: ops.iter().flat_map(Op::nodes).any(Node::draws),
            kept,
            inputs,
            steps: ops,
            registers: usize::from(self.spare),
            captures: std::mem::take(&mut self.captures),
            loops: 0,
            rolls_back: self.rolls_back,
            audited,
        })
    }

    fn text(&self, range: std::ops::Range<usize>) -> &str {
        &self.read.piece.text[range]
    }

    fn found(&self, name: &str) -> Found {
        let register = self.shared.registers.get(name).copied();
        match register {
            Some(register) if self.certain.contains(name) => {
                Found::Certain(register, self.shared.whole.contains(name))
            }
            Some(register) if self.possible.contains(name) => Found::Possible(register),
            Some(_) => Found::Nothing,
            None => match self.shared.given.get(name) {
                _ if name == "client_id" => Found::Certain(0, true),
                Some(node) => Found::Given(node.clone()),
                None => Found::Nothing,
            },
        }
    }

    fn unknown(&self, name: &str, at: u32) -> Fail {
        let known = self.certain.iter().chain(&self.possible).chain(self.shared.given.keys());
        let fail = Fail::unknown(at, "variable", name, known.map(String::as_str));
        if self.shared.registers.contains_key(name) {
            fail.hint("it is set later, or in another script: \\set it before")
        } else {
            fail.hint(format!("-D {name}=VALUE sets it"))
        }
    }

    fn set(&mut self, name: &str, range: std::ops::Range<usize>) -> Compiled<(u16, Node)> {
        let (node, ty) = self.expression(range)?;
        if ty != Some(Ty::Int) {
            self.others.insert(name.to_owned());
        }
        self.note_set(name);
        Ok((self.shared.registers[name], node))
    }

    fn note_set(&mut self, name: &str) {
        self.certain.insert(name.to_owned());
        self.possible.insert(name.to_owned());
    }

    fn expression(&mut self, range: std::ops::Range<usize>) -> Compiled<(Node, Option<Ty>)> {
        let start = range.start as u32;
        let text = self.text(range);
        let read = Reader::new(text, start, &Here(self))?.expression()?;
        let names = references(text, 0);
        for (name, _) in names {
            self.note_read(&name);
        }
        Ok(read)
    }

    /// Notes a variable that may not be set where it is read.
    fn note_read(&mut self, name: &str) {
        if let Found::Possible(register) = self.found(name) {
            self.initial.insert(register);
        }
    }

    fn condition(&mut self, range: std::ops::Range<usize>) -> Compiled<Node> {
        let at = range.start as u32;
        let (node, ty) = self.expression(range)?;
        Ok(if ty == Some(Ty::Bool) { node } else { wrapped(Operation::Truth, node, at) })
    }

    fn command(
        &mut self,
        command: &Command,
        ops: &mut Vec<Op>,
        open: &mut Vec<Branch>,
    ) -> Compiled<()> {
        let at = command.at;
        match &command.kind {
            CommandKind::Sql(range, take) => return self.statement(range.clone(), take, at, ops),
            CommandKind::Set(name, range) => {
                let (register, node) = self.set(name, range.clone())?;
                ops.push(Op::Set { register, node });
            }
            CommandKind::If(range) => {
                let node = self.condition(range.clone())?;
                open.push(Branch {
                    at,
                    next: Some(ops.len()),
                    ends: Vec::new(),
                    has_else: false,
                    before: self.certain.clone(),
                    after: Vec::new(),
                });
                ops.push(Op::JumpUnless { node, to: 0 });
            }
            CommandKind::Elif(range) => {
                self.next_branch("\\elif", at, false, ops, open)?;
                let node = self.condition(range.clone())?;
                if let Some(branch) = open.last_mut() {
                    branch.next = Some(ops.len());
                }
                ops.push(Op::JumpUnless { node, to: 0 });
            }
            CommandKind::Else => self.next_branch("\\else", at, true, ops, open)?,
            CommandKind::Endif => {
                let Some(mut branch) = open.pop() else {
                    return Err(Fail::new(at, "\\endif without \\if"));
                };
                branch.after.push(std::mem::take(&mut self.certain));
                if !branch.has_else {
                    branch.after.push(branch.before);
                }
                let here = ops.len();
                for end in branch.ends {
                    ops[end] = Op::Jump(here);
                }
                land(branch.next, ops);
                let mut after = branch.after.into_iter();
                let first = after.next().unwrap_or_default();
                self.certain =
                    after.fold(first, |all, own| all.intersection(&own).cloned().collect());
            }
            CommandKind::Sleep(range, unit) => {
                let (node, _) = self.expression(range.clone())?;
                ops.push(Op::Pause { node, unit: *unit, at });
            }
            CommandKind::StartPipeline | CommandKind::EndPipeline => {
                let starts = command.kind == CommandKind::StartPipeline;
                if starts == self.together {
                    let text = if starts { "the pipeline is open" } else { "no pipeline is open" };
                    return Err(Fail::new(at, text));
                }
                self.together = starts;
                ops.push(Op::Together(starts));
            }
            CommandKind::SyncPipeline if self.together => ops.push(Op::Send),
            CommandKind::SyncPipeline => return Err(Fail::new(at, "no pipeline is open")),
        }
        Ok(())
    }

    /// Ends a branch of the innermost `\if`, and begins another one.
    fn next_branch(
        &mut self,
        word: &str,
        at: u32,
        last: bool,
        ops: &mut Vec<Op>,
        open: &mut [Branch],
    ) -> Compiled<()> {
        let Some(branch) = open.last_mut() else {
            return Err(Fail::new(at, format!("{word} without \\if")));
        };
        if branch.has_else {
            return Err(Fail::new(at, format!("{word} after \\else")));
        }
        branch.has_else = last;
        branch.after.push(std::mem::replace(&mut self.certain, branch.before.clone()));
        branch.ends.push(ops.len());
        ops.push(Op::Jump(0));
        land(branch.next.take(), ops);
        Ok(())
    }

    fn statement(
        &mut self,
        range: std::ops::Range<usize>,
        take: &Take,
        at: u32,
        ops: &mut Vec<Op>,
    ) -> Compiled<()> {
        let text = self.text(range.clone()).to_owned();
        // An end without a begin is a statement as any other, on which the server remarks.
        let control = control(&text).filter(|op| self.begins || matches!(op, Op::Begin(_)));
        if let (Some(op), Take::Nothing) = (control, take) {
            self.begins = true;
            self.rolls_back |= matches!(op, Op::Undo);
            self.executes = true;
            ops.push(op);
            return Ok(());
        }
        let mut params: Vec<(String, Node, ValueKind, u32)> = Vec::new();
        for (name, place) in references(&text, range.start) {
            if params.iter().any(|(known, ..)| *known == name) {
                continue;
            }
            let own = place as u32;
            let (node, kind) = match self.found(&name) {
                Found::Certain(register, true) => (Node::Register(register), ValueKind::Int),
                Found::Certain(register, false) | Found::Possible(register) => {
                    let node = wrapped(Operation::Given, Node::Register(register), own);
                    (node, ValueKind::Text)
                }
                Found::Given(node @ Node::Const(Val::Int(_))) => (node, ValueKind::Int),
                Found::Given(node @ Node::Text(_)) => (node, ValueKind::Text),
                Found::Given(node) => (wrapped(Operation::Given, node, own), ValueKind::Text),
                Found::Nothing if is_literal(&text, place - range.start, &name) => continue,
                Found::Nothing => return Err(self.unknown(&name, own)),
            };
            self.note_read(&name);
            params.push((name, node, kind, own));
        }
        let (columns, by_name) = self.columns(&text, take, at)?;
        let capture = self.capture(&columns, take, at)?;
        let field = |name: &str, kind| Field { name: name.to_owned(), kind };
        let results = columns.iter().map(|name| field(name, ValueKind::Text)).collect();
        let all = parts(&text);
        let count = all.iter().filter(|part| !is_blank(part)).count();
        if count > 1 && matches!(take, Take::Aset(_)) {
            let fail = Fail::new(at, "\\aset is not supported after several statements");
            return Err(fail.hint("\\gset takes the row of the last one"));
        }
        let statement = StatementId(self.sections.len() as u16);
        let line = self.read.piece.place(at);
        self.sections.push(Section {
            name: format!("{} at {line}", self.read.name),
            params: params.iter().map(|(name, _, kind, _)| field(name, *kind)).collect(),
            results,
            sql: vec![all.join(";")],
            verbatim: Some(Verbatim { parts: count.max(1) as u16, by_name }),
        });
        let arguments: Vec<Argument> =
            params.into_iter().map(|(_, node, kind, at)| (node, kind, at)).collect();
        let whole = |(node, kind, _): &Argument| match (node, kind) {
            (Node::Register(register), ValueKind::Int) => Some(*register),
            _ => None,
        };
        let whole = arguments.iter().map(whole).collect();
        self.executes = true;
        ops.push(Op::Execute(Box::new(Execute { statement, arguments, whole, capture })));
        if let Some(capture) = capture {
            ops.push(Op::Await);
            if let (Take::Gset(_), Some(rows)) = (take, self.captures[capture].rows) {
                let node = wrapped(Operation::OneRow, Node::Register(rows), at);
                ops.push(Op::Require { node, at });
            }
        }
        Ok(())
    }

    /// The names of the columns of a request that become variables, and whether they are found by these names.
    fn columns(&self, text: &str, take: &Take, at: u32) -> Compiled<(Vec<String>, bool)> {
        let (Take::Gset(prefix) | Take::Aset(prefix)) = take else {
            return Ok((Vec::new(), false));
        };
        if let Some(names) = columns(last_part(text), at)? {
            return Ok((names, false));
        }
        let own = self.shared.starred.iter().filter(|(own, _)| own == prefix);
        let names: Vec<String> = own.map(|(own, name)| name[own.len()..].to_owned()).collect();
        if names.is_empty() {
            let fail = Fail::new(at, "no statement reads a variable that * sets");
            return Err(fail.hint("remove \\gset or \\aset, or name the columns"));
        }
        Ok((names, true))
    }

    /// What is kept of the rows of a statement.
    fn capture(&mut self, columns: &[String], take: &Take, at: u32) -> Compiled<Option<usize>> {
        let (prefix, last) = match take {
            Take::Nothing => return Ok(None),
            Take::Gset(prefix) => (prefix, false),
            Take::Aset(prefix) => (prefix, true),
        };
        if self.together {
            let fail = Fail::new(at, "\\gset and \\aset are not supported in a pipeline");
            return Err(fail.hint("end the pipeline before the statement"));
        }
        let mut kept = Capture { last, ..Capture::default() };
        for (place, name) in columns.iter().enumerate() {
            let name = format!("{prefix}{name}");
            kept.columns.push((place, self.shared.registers[&name], 0));
            self.others.insert(name.clone());
            if last {
                self.possible.insert(name);
            } else {
                self.note_set(&name);
            }
        }
        if !last {
            kept.rows = Some(self.spare);
            self.spare += 1;
        }
        self.captures.push(kept);
        Ok(Some(self.captures.len() - 1))
    }
}

/// Lets a jump to the next branch end here.
fn land(jump: Option<usize>, ops: &mut [Op]) {
    let here = ops.len();
    if let Some(Op::JumpUnless { to, .. }) = jump.and_then(|at| ops.get_mut(at)) {
        *to = here;
    }
}

/// The begin or the end of a transaction that a statement is.
fn control(text: &str) -> Option<Op> {
    let words: Vec<String> =
        text.trim_end_matches(';').split_whitespace().map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let word = match words[..] {
        ["start", "transaction"] => "begin",
        [word] | [word, "transaction" | "work"] => word,
        _ => return None,
    };
    match word {
        "begin" => Some(Op::Begin(Access::Write)),
        "commit" | "end" => Some(Op::Commit),
        "rollback" | "abort" => Some(Op::Undo),
        _ => None,
    }
}

/// Whether a text has nothing but white space and comments.
fn is_blank(text: &str) -> bool {
    let comments: Vec<_> = literals(text).into_iter().map(|range| &text[range]).collect();
    let is_comment = |own: &&str| own.starts_with("--") || own.starts_with("/*");
    let mut rest = text.trim_end_matches(';').to_owned();
    for comment in comments.into_iter().filter(is_comment) {
        rest = rest.replacen(comment, "", 1);
    }
    rest.trim().is_empty()
}

/// Whether what looks like a variable is a time, a bound of an array, or a word of a comment.
fn is_no_variable(text: &str, place: usize, name: &str) -> bool {
    let before = &text[..place];
    let opened = before.matches('[').count() > before.matches(']').count();
    let is_comment = |range: &std::ops::Range<usize>| {
        range.contains(&place) && !text[range.clone()].starts_with(['\'', '"', '$'])
    };
    opened
        || name.starts_with(|c: char| c.is_ascii_digit())
        || literals(text).iter().any(is_comment)
}

/// Whether what looks like a variable that nothing sets is a part of the statement: a time in quotes, words of a
/// comment, or the bounds of an array.
fn is_literal(text: &str, place: usize, name: &str) -> bool {
    let before = &text[..place];
    let opened = before.matches('[').count() > before.matches(']').count();
    opened
        || name.starts_with(|c: char| c.is_ascii_digit())
        || literals(text).iter().any(|range| range.contains(&place))
}
