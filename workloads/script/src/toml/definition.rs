//! The contents of `workload.toml` as read, before its expressions are compiled.
//!
//! Start reading at [`Definition::read`].

use std::path::Path;
use std::sync::Arc;

use tacho_core::{Column, Error, Index, Parameter, ParameterKind, Result, Schema, Table, Type};
use tacho_workload::STORAGE;
use toml::de::DeTable;

use super::entries::{Entries, Entry};
use crate::vm::source::keep;
use crate::vm::source::{Piece, Source};

/// Keys and tables allowed at the top level of the file.
pub const TOP: &[&str] = &[
    "name",
    "title",
    "scale_unit",
    "scale_max",
    "version",
    "let",
    "parameters",
    "profiles",
    "sequences",
    "tables",
    "transactions",
    "checks",
    "headline",
];
/// Keys of a parameter.
pub const PARAMETER: &[&str] = &["default", "min", "max", "choices", "help"];
/// Keys of a profile.
pub const PROFILE: &[&str] = &["about", "set"];
/// Keys of a table.
pub const TABLE: &[&str] = &["rows", "key", "indexes", "unique", "columns"];
/// Keys of a column.
pub const COLUMN: &[&str] = &["type", "value", "nullable", "declared"];
/// Keys of a transaction.
pub const TRANSACTION: &[&str] = &["weight", "think", "steps"];
/// Keys of a check.
pub const CHECK: &[&str] = &["rule", "statement"];
/// Keys of the headline.
pub const HEADLINE: &[&str] = &["name", "counter", "transaction"];

/// The declarations in a file.
#[derive(Debug)]
pub struct Definition {
    pub source: Arc<Source>,
    pub name: String,
    pub title: String,
    pub scale_unit: String,
    pub scale_max: u64,
    pub version: u32,
    pub constants: Vec<Named<Piece>>,
    pub parameters: Vec<Parameter>,
    pub profiles: Vec<ProfileDef>,
    pub sequences: Vec<Named<Piece>>,
    pub tables: Vec<TableDef>,
    pub transactions: Vec<TransactionDef>,
    pub checks: Vec<CheckDef>,
    pub headline: Option<HeadlineDef>,
}

/// A named value and the position of its name.
#[derive(Debug)]
pub struct Named<T> {
    pub name: String,
    pub at: usize,
    pub value: T,
}

#[derive(Debug)]
pub struct ProfileDef {
    pub id: String,
    pub about: String,
    /// Keys and values with their positions.
    pub values: Vec<Named<String>>,
}

/// A table, with the expressions for its row count and its columns.
#[derive(Debug)]
pub struct TableDef {
    pub table: Table,
    pub rows: Piece,
    pub values: Vec<Piece>,
}

#[derive(Debug)]
pub struct TransactionDef {
    pub name: String,
    pub weight: Option<Piece>,
    pub think: Option<Piece>,
    pub steps: Piece,
}

#[derive(Debug)]
pub struct CheckDef {
    pub id: String,
    pub at: usize,
    pub rule: String,
    pub statement: String,
}

#[derive(Debug)]
pub struct HeadlineDef {
    pub at: usize,
    pub name: String,
    pub counter: String,
    pub transaction: String,
}

impl Definition {
    /// Parses a file.
    pub fn read(path: &Path, text: String) -> Result<Self> {
        let source = Arc::new(Source { path: path.display().to_string(), text });
        let table = DeTable::parse(&source.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            source.error(at, error.message()).hint("https://toml.io explains TOML")
        })?;
        let top = Entries::new(&source, "the file", 0, table.get_ref());
        top.require_known(TOP)?;
        let name = top.required("name")?;
        require_word(name, name.text()?, "a name consists of lower-case letters, digits, _ and -")?;
        let text = |key: &str, usual: &str| match top.get(key) {
            Some(entry) => entry.text().map(str::to_owned),
            None => Ok(usual.to_owned()),
        };
        let count = |key: &str, usual: u64| top.get(key).map_or(Ok(usual), Entry::count);
        let transactions: Vec<TransactionDef> = read_all(&top, "transactions", transaction)?;
        if transactions.is_empty() {
            return Err(source
                .error(0, "the file does not declare any transactions")
                .hint("declare a transaction as a [transactions.NAME] table with a steps key"));
        }
        let version = count("version", 1)?;
        Ok(Self {
            name: name.text()?.to_owned(),
            title: text("title", name.text()?)?,
            scale_unit: text("scale_unit", "scale unit")?,
            scale_max: count("scale_max", 1_000_000)?.max(1),
            version: u32::try_from(version).ok().filter(|version| *version > 0).unwrap_or(1),
            constants: pieces(&top, "let")?,
            parameters: read_all(&top, "parameters", parameter)?,
            profiles: read_all(&top, "profiles", profile)?,
            sequences: pieces(&top, "sequences")?,
            tables: read_all(&top, "tables", table_def)?,
            transactions,
            checks: read_all(&top, "checks", check)?,
            headline: headline(&top)?,
            source: Arc::clone(&source),
        })
    }
}

impl Definition {
    /// Returns the tables in file order.
    pub fn schema(&self) -> Schema {
        Schema { tables: self.tables.iter().map(|def| def.table.clone()).collect() }
    }

    /// Returns a usage error at a byte offset in the file.
    pub fn error(&self, at: usize, text: &str) -> Error {
        self.source.error(at, text)
    }
}

fn read_all<'a, T>(
    top: &Entries<'a>,
    key: &str,
    read: impl Fn(&Entry<'a>, &Entries<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    top.tables(key)?.iter().map(|(entry, table)| read(entry, table)).collect()
}

/// Fails if a word is not a valid name.
fn require_word(entry: &Entry<'_>, word: &str, rule: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    let first = word.starts_with(|c: char| c.is_ascii_lowercase());
    if first && word.chars().all(plain) {
        return Ok(());
    }
    Err(entry.error(format!("invalid name \"{word}\"")).hint(rule))
}

fn require_name(entry: &Entry<'_>) -> Result<String> {
    let rule = "a name begins with a letter and consists of lower-case letters, digits and _";
    let plain = entry.key.chars().all(|c| c != '-');
    if !plain {
        return Err(entry.error(format!("invalid name \"{}\"", entry.key)).hint(rule));
    }
    require_word(entry, entry.key, rule)?;
    Ok(entry.key.to_owned())
}

fn pieces(top: &Entries<'_>, key: &str) -> Result<Vec<Named<Piece>>> {
    let Some(entry) = top.get(key) else { return Ok(Vec::new()) };
    let named = |entry: &Entry<'_>| {
        let (name, at) = (require_name(entry)?, entry.at);
        Ok(Named { name, at, value: entry.expression()? })
    };
    entry.table()?.iter().map(named).collect()
}

fn parameter(entry: &Entry<'_>, table: &Entries<'_>) -> Result<Parameter> {
    table.require_known(PARAMETER)?;
    if entry.key == STORAGE {
        return Err(
            entry.error("every workload already has a storage parameter: use a different name")
        );
    }
    let default = table.required("default")?;
    let value = default.scalar().ok_or_else(|| {
        default.error("invalid value for default: expected a number, a string, true or false")
    })?;
    let limit = |key: &str| table.get(key).map(Entry::number).transpose();
    let (min, max) = (limit("min")?, limit("max")?);
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        return Err(entry.error(format!("min of {} is greater than max", entry.key)));
    }
    let kind = match (default.kind(), table.get("choices")) {
        (_, Some(choices)) => {
            let all: Vec<&'static str> =
                choices.texts()?.into_iter().map(|text| keep(text.to_owned())).collect();
            ParameterKind::Choice(all.leak())
        }
        ("integer", None) => ParameterKind::Count {
            min: min.unwrap_or(0.0).max(0.0) as u64,
            max: max.map_or(u64::MAX, |max| max as u64),
        },
        ("float", None) => {
            ParameterKind::Factor { min: min.unwrap_or(f64::MIN), max: max.unwrap_or(f64::MAX) }
        }
        ("boolean", None) => ParameterKind::Switch,
        _ => ParameterKind::Text,
    };
    let help = match table.get("help") {
        Some(help) => help.text()?.to_owned(),
        None => format!("parameter {}", entry.key),
    };
    let key = keep(require_name(entry)?);
    require_value(kind, &value, || {
        default.error(format!("invalid value for default: \"{value}\""))
    })?;
    Ok(Parameter { key, kind, default: keep(value), help: keep(help) })
}

/// Checks that a parameter of the given kind accepts a value. If it does not, returns `error` and adds hints about
/// valid values.
pub fn require_value(kind: ParameterKind, value: &str, error: impl Fn() -> Error) -> Result<()> {
    let probe = Parameter { key: "default", kind, default: "\u{0}", help: "" };
    let checked = probe.check(value);
    checked.map_err(|wrong| wrong.hints().iter().fold(error(), |e, hint| e.hint(hint.clone())))
}

fn profile(entry: &Entry<'_>, table: &Entries<'_>) -> Result<ProfileDef> {
    table.require_known(PROFILE)?;
    require_word(entry, entry.key, "a name consists of lower-case letters, digits, _ and -")?;
    let about = table.required("about")?.text()?.to_owned();
    let mut values = Vec::new();
    if let Some(set) = table.get("set") {
        for entry in set.table()?.iter() {
            let value =
                entry.scalar().ok_or_else(|| entry.error("expected a number or a string"))?;
            values.push(Named { name: entry.key.to_owned(), at: entry.at, value });
        }
    }
    Ok(ProfileDef { id: entry.key.to_owned(), about, values })
}

fn table_def(entry: &Entry<'_>, table: &Entries<'_>) -> Result<TableDef> {
    table.require_known(TABLE)?;
    let columns = table.required("columns")?.table()?;
    let columns = columns.iter().map(column).collect::<Result<Vec<_>>>()?;
    let (columns, values): (Vec<Column>, Vec<Piece>) = columns.into_iter().unzip();
    let names = |entry: &Entry<'_>, list: Vec<&str>| {
        let name = |name: &str| {
            columns.iter().map(|column| column.name).find(|known| *known == name).ok_or_else(|| {
                let error = entry.error(format!("unknown column \"{name}\""));
                error.did_you_mean(name, columns.iter().map(|column| column.name))
            })
        };
        list.into_iter().map(name).collect::<Result<Vec<&'static str>>>()
    };
    let name = keep(require_name(entry)?);
    let key = match table.get("key") {
        Some(key) => names(key, key.texts()?)?,
        None => Vec::new(),
    };
    let mut indexes = Vec::new();
    for (word, unique) in [("indexes", false), ("unique", true)] {
        if let Some(entry) = table.get(word) {
            for list in entry.lists()? {
                let columns = names(entry, list)?;
                let name = keep(format!("{name}_{}", columns.join("_")));
                indexes.push(Index { name, columns, unique });
            }
        }
    }
    let rows = table.required("rows")?.expression()?;
    let table = Table { name, key, indexes, columns, ..Table::default() };
    Ok(TableDef { table, rows, values })
}

fn column(entry: &Entry<'_>) -> Result<(Column, Piece)> {
    let table = entry.table()?;
    table.require_known(COLUMN)?;
    let ty = table.required("type")?;
    let declared =
        table.get("declared").map(|entry| entry.text().map(str::to_owned)).transpose()?;
    let column = Column {
        name: keep(require_name(entry)?),
        ty: column_type(ty)?,
        nullable: table.get("nullable").map_or(Ok(false), Entry::switch)?,
        declared: declared.map(keep),
    };
    Ok((column, table.required("value")?.expression()?))
}

fn column_type(entry: &Entry<'_>) -> Result<Type> {
    let text = entry.text()?;
    let (word, numbers) = match text.split_once('(') {
        Some((word, rest)) => (word.trim(), rest.trim_end().strip_suffix(')')),
        None => (text.trim(), Some("")),
    };
    let numbers: Option<Vec<u16>> = numbers.and_then(|numbers| {
        let list = numbers.split(',').map(str::trim).filter(|number| !number.is_empty());
        list.map(|number| number.parse().ok()).collect()
    });
    let ty = match (word, numbers.as_deref()) {
        ("smallint", Some([])) => Some(Type::SmallInt),
        ("int", Some([])) => Some(Type::Int),
        ("bigint", Some([])) => Some(Type::BigInt),
        ("timestamp", Some([])) => Some(Type::Timestamp),
        ("date", Some([])) => Some(Type::Date),
        ("char", Some([length @ 1..=u16::MAX])) => Some(Type::Char(*length)),
        ("varchar", Some([length @ 1..=u16::MAX])) => Some(Type::Varchar(*length)),
        ("decimal", Some([precision @ 1..=18, scale])) if scale <= precision => {
            Some(Type::Decimal { precision: *precision as u8, scale: *scale as u8 })
        }
        _ => None,
    };
    let error = || {
        entry.error(format!("invalid type \"{text}\"")).hint(
            "allowed: smallint, int, bigint, decimal(12,2), char(10), varchar(100), timestamp, date",
        )
    };
    ty.ok_or_else(error)
}

fn transaction(entry: &Entry<'_>, table: &Entries<'_>) -> Result<TransactionDef> {
    table.require_known(TRANSACTION)?;
    let piece = |key: &str| table.get(key).map(Entry::expression).transpose();
    let steps = table.required("steps")?;
    steps.text()?;
    Ok(TransactionDef {
        name: require_name(entry)?,
        weight: piece("weight")?,
        think: piece("think")?,
        steps: steps.expression()?,
    })
}

fn check(entry: &Entry<'_>, table: &Entries<'_>) -> Result<CheckDef> {
    table.require_known(CHECK)?;
    Ok(CheckDef {
        id: entry.key.to_owned(),
        at: entry.at,
        rule: table.required("rule")?.text()?.to_owned(),
        statement: table.required("statement")?.text()?.to_owned(),
    })
}

fn headline(top: &Entries<'_>) -> Result<Option<HeadlineDef>> {
    let Some(entry) = top.get("headline") else { return Ok(None) };
    let table = entry.table()?;
    table.require_known(HEADLINE)?;
    let text = |key: &str| Ok::<_, Error>(table.required(key)?.text()?.to_owned());
    let (name, counter, transaction) = (text("name")?, text("counter")?, text("transaction")?);
    Ok(Some(HeadlineDef { at: entry.at, name, counter, transaction }))
}
