//! Compiles a script for the virtual machine. Variables become registers, and conditions become jumps.
//!
//! Start reading at [`compile`].

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tacho_driver::lexer::{
    Lexeme, Place, Syntax, Token, Variable, is_blank, is_name, tokens, variables,
};
use tacho_driver::{Access, Field, Section, StatementId, ValueKind, Verbatim};

use crate::vm::machine::Node;
use crate::vm::program::{Argument, Audited, Capture, Execute, Op, Program};
use crate::vm::source::{Fail, Piece};
use crate::vm::value::{Ty, Val};

use super::columns::columns;
use super::expressions::{Names, Reader};
use super::lines::{Command, CommandKind, Take, parts, uses};
use crate::vm::machine::pgbench::{Call, Operation};

type Compiled<T> = Result<T, Fail>;

/// A script that has been read.
#[derive(Debug)]
pub struct Read {
    pub name: &'static str,
    pub weight: f64,
    pub piece: Piece,
    pub commands: Vec<Command>,
}

/// Data shared by all scripts of a run.
pub struct Shared {
    /// Constants from `-D` or the run. Values that look like numbers are treated as numbers.
    pub given: BTreeMap<String, Node>,
    /// Registers of all variables that scripts set. Register 0 contains the session number.
    pub registers: BTreeMap<String, u16>,
    /// Variables that are integers wherever they are set.
    pub whole: BTreeSet<String>,
    /// For each command prefix, the variables that may be set from the columns of a query. Only the server knows the
    /// names of these columns.
    ///
    /// Each variable has a flag, which is true if nothing else sets the variable. In this case, the server must return
    /// the column.
    pub asked: BTreeMap<String, Vec<(String, bool)>>,
    pub default_seed: i64,
    /// True if statements are sent as text without parameters. Variables in quotes and comments are
    /// then replaced, too.
    pub as_text: bool,
}

/// Variables that a command sets.
pub enum Sets {
    /// Variables with these names.
    Named(Vec<String>),
    /// A variable for each returned column, named with this prefix and the column's name.
    Asked(String),
}

/// Returns the variables that a command sets, or only the prefix of their names if the rest is known only to the
/// server.
///
/// # Errors
/// Returns an error if the command stores the result of a statement that returns no rows, or if a
/// variable name is invalid.
pub fn sets(piece: &Piece, command: &Command) -> Compiled<Sets> {
    Ok(match &command.kind {
        CommandKind::Set(name, _) => Sets::Named(vec![name.clone()]),
        CommandKind::Sql(range, Take::Gset(prefix) | Take::Aset(prefix)) => {
            match columns(&last_part(&piece.text[range.clone()]), command.at)? {
                Some(names) => {
                    let names: Vec<String> =
                        names.iter().map(|name| format!("{prefix}{name}")).collect();
                    if let Some(name) = names.iter().find(|name| !is_name(name)) {
                        let text = format!("invalid variable name \"{name}\"");
                        return Err(Fail::new(command.at, text)
                            .hint("name the column: SELECT expression AS name"));
                    }
                    Sets::Named(names)
                }
                None => Sets::Asked(prefix.clone()),
            }
        }
        _ => Sets::Named(Vec::new()),
    })
}

/// Returns the last statement in a request, whose rows are stored in variables.
fn last_part(request: &str) -> String {
    parts(request).pop().unwrap_or_default()
}

pub fn reads<'a>(piece: &'a Piece, command: &Command) -> Vec<&'a str> {
    match &command.kind {
        CommandKind::Sql(range, _) => {
            let all = uses(&piece.text[range.clone()]);
            // A variable in quotes counts as read too, because its value is inserted even there.
            let is_read =
                |variable: &Variable<'_>| matches!(variable.place, Place::Code | Place::Quotes);
            all.filter(is_read).map(|variable| variable.name).collect()
        }
        CommandKind::Set(_, range)
        | CommandKind::If(range)
        | CommandKind::Elif(range)
        | CommandKind::Sleep(range, _) => names(&piece.text[range.clone()]).collect(),
        _ => Vec::new(),
    }
}

pub fn names(expression: &str) -> impl Iterator<Item = &str> {
    variables(expression, Syntax::PLAIN).map(|variable| variable.name)
}

/// Compiles a script and adds its statements to `sections`. Also returns the variables that may have a non-integer
/// value.
///
/// # Errors
/// Returns an error with its position if the script is invalid.
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
        opens: false,
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
    /// Variables that all paths to this position set, followed by variables that only some paths set.
    certain: BTreeSet<String>,
    possible: BTreeSet<String>,
    /// Registers that may be read before they are set.
    initial: BTreeSet<u16>,
    captures: Vec<Capture>,
    spare: u16,
    together: bool,
    rolls_back: bool,
    executes: bool,
    /// True if an earlier statement starts a transaction.
    begins: bool,
    /// True if the script's BEGIN is sent as an ordinary statement. The COMMIT or ROLLBACK that
    /// follows must then be sent in the same way.
    opens: bool,
    /// Variables that are set to a non-integer value.
    others: BTreeSet<String>,
}

/// Resolves names at one position in a script.
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
    /// A variable that every path to this position sets. The flag is true if its value is always an integer.
    Certain(u16, bool),
    Possible(u16),
    Given(Node),
    Nothing,
}

/// An `\if` that is still open.
struct Branch {
    at: u32,
    /// The jump to the next branch, whose destination is set when that branch starts.
    next: Option<usize>,
    /// The jumps to the end.
    ends: Vec<usize>,
    has_else: bool,
    /// Variables that are always set before the `\if`.
    before: BTreeSet<String>,
    /// For each branch, the variables that are always set at its end.
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
            audited.extend(Audited::of(name, register, &node, &inputs, &read.piece, command.at));
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
            let fail = Fail::new(0, "the script does not send any statements");
            return Err(fail.hint("add a statement, such as SELECT 1;"));
        }
        // Initial values of a session's registers, from `-D` if it sets the variable.
        let mut kept: Vec<(u16, Node)> = Vec::new();
        for (name, register) in &self.shared.registers {
            let given = self.shared.given.get(name);
            let unset = self.initial.contains(register).then_some(Node::Const(Val::Absent));
            kept.extend(given.cloned().or(unset).map(|node| (*register, node)));
        }
        let all_inputs: HashSet<u16> =
            inputs.iter().chain(&kept).map(|(input, _)| *input).collect();
        let is_input = |register: &u16| all_inputs.contains(register);
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
            fail.hint(
                "the variable is set later or in another script: use \\set before this position",
            )
        } else {
            fail.hint(format!("to set it, use -D {name}=VALUE"))
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
        let names: Vec<String> = names(text).map(str::to_owned).collect();
        for name in names {
            self.note_read(&name);
        }
        Ok(read)
    }

    /// Records a read of a variable that may not have been set.
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
                    after.fold(first, |all, names| all.intersection(&names).cloned().collect());
            }
            CommandKind::Sleep(range, unit) => {
                let (node, _) = self.expression(range.clone())?;
                ops.push(Op::Pause { node, unit: *unit, at });
            }
            CommandKind::StartPipeline | CommandKind::EndPipeline => {
                let starts = command.kind == CommandKind::StartPipeline;
                if starts == self.together {
                    let text =
                        if starts { "the pipeline is still open" } else { "no pipeline is open" };
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

    /// Ends the current branch of the innermost `\if` and starts the next.
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
        // A COMMIT or ROLLBACK without BEGIN is an ordinary statement. The server issues a warning for it.
        let control = control(&text).filter(|_| *take == Take::Nothing);
        let op = match control {
            Some(Control::Begin) => Some(Op::Begin(Access::Write)),
            Some(Control::Commit) if self.begins => Some(Op::Commit),
            Some(Control::Rollback) if self.begins => Some(Op::Undo),
            _ => None,
        };
        if let Some(op) = op {
            self.begins = true;
            self.rolls_back |= matches!(op, Op::Undo);
            self.executes = true;
            ops.push(op);
            return Ok(());
        }
        self.opens |= control == Some(Control::BeginAs);
        let params = self.parameters(&text, range.start)?;
        let wanted = self.columns(&text, take, at)?;
        let capture = self.capture(&wanted, take, at)?;
        let field = |name: &str, kind| Field { name: name.to_owned(), kind };
        let results = wanted.names.iter().map(|(name, _)| field(name, ValueKind::Text)).collect();
        let all = parts(&text);
        let count = all.iter().filter(|part| !is_blank(part.as_str(), Syntax::STANDARD)).count();
        if count > 1 && matches!(take, Take::Aset(_)) {
            let fail = Fail::new(at, "\\aset is not supported after several statements");
            return Err(fail.hint("\\gset stores the row of the last statement"));
        }
        let Ok(statement) = u16::try_from(self.sections.len()).map(StatementId) else {
            let text = format!("too many statements (maximum {})", u32::from(u16::MAX) + 1);
            return Err(Fail::new(at, text).hint("split the script"));
        };
        let line = self.read.piece.place(at);
        let required = wanted.names.iter().filter(|(_, is_required)| *is_required).count();
        self.sections.push(Section {
            name: format!("{} at {line}", self.read.name),
            params: params.iter().map(|param| field(&param.name, param.kind)).collect(),
            results,
            sql: vec![all.join(";")],
            verbatim: Some(Verbatim {
                parts: count.max(1) as u16,
                by_name: wanted.by_name,
                required: required as u16,
                everywhere: self.shared.as_text,
            }),
        });
        let arguments: Vec<Argument> =
            params.into_iter().map(|param| (param.node, param.kind, param.at)).collect();
        self.executes = true;
        ops.push(Op::Execute(Box::new(Execute::new(statement, arguments, capture))));
        if let Some(Control::Commit | Control::Rollback) = control.filter(|_| self.opens) {
            let rolled_back = control == Some(Control::Rollback);
            self.rolls_back |= rolled_back;
            ops.push(Op::Ended { rolled_back });
        }
        if let Some(capture) = capture {
            ops.push(Op::Await);
            if let (Take::Gset(_), Some(rows)) = (take, self.captures[capture].rows) {
                let node = wrapped(Operation::OneRow, Node::Register(rows), at);
                ops.push(Op::Require { node, at });
            }
        }
        Ok(())
    }

    /// Returns the variables that a statement uses, without duplicates.
    fn parameters(&mut self, text: &str, start: usize) -> Compiled<Vec<Parameter>> {
        let (mut params, mut known) = (Vec::new(), HashSet::new());
        for variable in uses(text) {
            if variable.place == Place::Comment && !self.shared.as_text
                || known.contains(variable.name)
            {
                continue;
            }
            let at = (start + variable.colon + 1) as u32;
            let (node, kind) = match self.found(variable.name) {
                Found::Certain(register, true) => (Node::Register(register), ValueKind::Int),
                Found::Certain(register, false) | Found::Possible(register) => {
                    let node = wrapped(Operation::Given, Node::Register(register), at);
                    (node, ValueKind::Text)
                }
                Found::Given(node @ Node::Const(Val::Int(_))) => (node, ValueKind::Int),
                Found::Given(node @ Node::Text(_)) => (node, ValueKind::Text),
                Found::Given(node) => (wrapped(Operation::Given, node, at), ValueKind::Text),
                // A colon inside quotes, comments or brackets may belong to a time or an array
                // slice instead of a variable.
                Found::Nothing if variable.place != Place::Code => continue,
                Found::Nothing => return Err(self.unknown(variable.name, at)),
            };
            self.note_read(variable.name);
            known.insert(variable.name);
            params.push(Parameter { name: variable.name.to_owned(), node, kind, at });
        }
        Ok(params)
    }

    /// Returns the columns of a request that are stored in variables.
    fn columns(&self, text: &str, take: &Take, at: u32) -> Compiled<Wanted> {
        let (Take::Gset(prefix) | Take::Aset(prefix)) = take else {
            return Ok(Wanted::default());
        };
        if let Some(names) = columns(&last_part(text), at)? {
            let names = names.into_iter().map(|name| (name, true)).collect();
            return Ok(Wanted { names, by_name: false });
        }
        let asked = self.shared.asked.get(prefix).into_iter().flatten();
        let without_prefix =
            |(name, required): &(String, bool)| (name[prefix.len()..].to_owned(), *required);
        let mut names: Vec<(String, bool)> = asked.map(without_prefix).collect();
        if names.is_empty() {
            // Add an empty name if there are no variables to set, because the rows must still be counted.
            names.push((String::new(), false));
        }
        // Required columns come first.
        names.sort_by_key(|(_, required)| !required);
        Ok(Wanted { names, by_name: true })
    }

    /// Returns the capture that stores a statement's rows in variables, or `None` if the rows are not used.
    fn capture(&mut self, wanted: &Wanted, take: &Take, at: u32) -> Compiled<Option<usize>> {
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
        for (place, (name, is_required)) in wanted.names.iter().enumerate() {
            let name = format!("{prefix}{name}");
            let Some(register) = self.shared.registers.get(&name) else { continue };
            kept.columns.push((place, *register, 0));
            self.others.insert(name.clone());
            if last || !is_required {
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

/// Sets the destination of the jump to the next branch, which starts at the current position.
fn land(jump: Option<usize>, ops: &mut [Op]) {
    let here = ops.len();
    if let Some(Op::JumpUnless { to, .. }) = jump.and_then(|at| ops.get_mut(at)) {
        *to = here;
    }
}

/// A variable that a statement uses.
struct Parameter {
    name: String,
    node: Node,
    kind: ValueKind,
    at: u32,
}

/// The columns of a statement that are stored in variables.
#[derive(Default)]
struct Wanted {
    /// The name of each column. The flag is true if the server must return the column.
    names: Vec<(String, bool)>,
    /// True if the columns are found by name rather than by position.
    by_name: bool,
}

/// The role of a statement at the start or end of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Control {
    Begin,
    /// Starts a transaction with modes specified in the statement.
    BeginAs,
    Commit,
    Rollback,
}

/// Returns the statement's effect on the transaction, or `None` if it neither starts nor ends one.
fn control(text: &str) -> Option<Control> {
    let mut words: Vec<String> = Vec::new();
    for Lexeme { token, range, .. } in tokens(text, Syntax::STANDARD) {
        match token {
            Token::Word => words.push(text[range].to_ascii_lowercase()),
            Token::Blank | Token::Comment | Token::Sign(b';' | b',') => {}
            _ => return None,
        }
        if words.len() > 12 {
            return None;
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words = words.strip_suffix(&["and", "no", "chain"]).unwrap_or(&words);
    match words {
        ["start", "transaction"] | ["begin"] | ["begin", "transaction" | "work"] => {
            Some(Control::Begin)
        }
        ["start", "transaction", ..] | ["begin", ..] => Some(Control::BeginAs),
        ["commit" | "end"] | ["commit" | "end", "transaction" | "work"] => Some(Control::Commit),
        ["rollback" | "abort"] | ["rollback" | "abort", "transaction" | "work"] => {
            Some(Control::Rollback)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_transactions_are_read_past_comments() {
        let table = [
            ("BEGIN;", Some(Control::Begin)),
            ("/* it's */ start transaction -- '", Some(Control::Begin)),
            ("BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY", Some(Control::BeginAs)),
            ("/* don't */ ROLLBACK;", Some(Control::Rollback)),
            ("-- it's\nabort work", Some(Control::Rollback)),
            ("END TRANSACTION", Some(Control::Commit)),
            ("COMMIT AND NO CHAIN", Some(Control::Commit)),
            ("COMMIT AND CHAIN", None),
            ("ROLLBACK TO a", None),
            ("COMMIT PREPARED 'a'", None),
            ("SELECT 'ROLLBACK'", None),
        ];
        for (text, expected) in table {
            assert_eq!(control(text), expected, "{text}");
        }
    }
}
