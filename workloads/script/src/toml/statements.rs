//! A folder's SQL files: named statements, and overrides for single dialects.
//!
//! Start reading at [`Statements::read`].

use std::collections::HashSet;
use std::sync::Arc;

use tacho_core::{Error, Result};
use tacho_driver::lexer::{Place, Syntax, Variable, tokens};
use tacho_driver::{Catalog, Dialect, Section, parameters, parse_sections, parse_sections_by};

use crate::vm::source::Source;

/// The statements of a folder.
#[derive(Debug, Default)]
pub struct Statements {
    /// Statements for all databases.
    pub common: Vec<Section>,
    /// Statements that replace the common ones in a dialect. Each entry contains the dialect's ID, the file for error
    /// messages, and the statements.
    pub overrides: Vec<(String, Arc<Source>, Vec<Section>)>,
    /// Statements that create tables. The dialect is `None` for statements in `schema.sql`.
    pub tables: Vec<(Option<String>, Arc<Source>, Vec<Section>)>,
}

/// Name of the file that contains the statements to create tables.
const TABLES: &str = "schema";

impl Statements {
    /// Parses the given files. `statements.sql` and `schema.sql` apply to all dialects, whereas a
    /// file such as `schema.DIALECT.sql` applies to one dialect.
    pub fn read(files: Vec<(String, Source)>, dialects: &[(&str, Syntax)]) -> Result<Self> {
        let mut all = Self::default();
        for (name, source) in files {
            let source = Arc::new(source);
            let stem = name.strip_suffix(".sql").unwrap_or(&name);
            let (stem, dialect) = match stem.rsplit_once('.') {
                Some((stem, dialect)) => (stem, Some(dialect)),
                None => (stem, None),
            };
            let mut syntax = Syntax::STANDARD;
            if let Some(dialect) = dialect {
                let Some((_, known)) = dialects.iter().find(|(id, _)| *id == dialect) else {
                    let error = source.error(0, format!("unknown dialect \"{dialect}\""));
                    return Err(error.did_you_mean(dialect, dialects.iter().map(|(id, _)| *id)));
                };
                syntax = *known;
            }
            let sections = sections(&source, syntax)?;
            match dialect.map(str::to_owned) {
                dialect if stem == TABLES => all.tables.push((dialect, source, sections)),
                Some(dialect) => all.overrides.push((dialect, source, sections)),
                None => all.add(&source, sections)?,
            }
        }
        all.require_known()?;
        Ok(all)
    }

    /// Adds statements for all databases.
    fn add(&mut self, source: &Source, sections: Vec<Section>) -> Result<()> {
        for section in sections {
            if self.common.iter().any(|known| known.name == section.name) {
                let text = format!("two statements are named {}", section.name);
                return Err(at_header(source, &section.name, &text));
            }
            self.common.push(section);
        }
        Ok(())
    }

    /// Fails if a dialect overrides an unknown statement or changes its signature.
    fn require_known(&self) -> Result<()> {
        for (_, source, sections) in &self.overrides {
            for section in sections {
                let known = self.common.iter().find(|known| known.name == section.name);
                let Some(known) = known else {
                    let text = format!("unknown statement \"{}\"", section.name);
                    let names = self.common.iter().map(|known| known.name.as_str());
                    let error = at_header(source, &section.name, &text);
                    return Err(error.did_you_mean(&section.name, names));
                };
                if (&known.params, &known.results) != (&section.params, &section.results) {
                    let text = format!("statement {} has two signatures", section.name);
                    return Err(at_header(source, &section.name, &text));
                }
            }
        }
        Ok(())
    }

    /// Fails if a statement creates anything other than the tables in `names`, or has parameters or a result.
    pub fn require_tables(&self, names: &[&str]) -> Result<()> {
        for (_, source, sections) in &self.tables {
            for section in sections {
                let name = &section.name;
                if !names.contains(&name.as_str()) {
                    let error = at_header(source, name, &format!("unknown table \"{name}\""));
                    return Err(match tacho_core::suggestion(name, names.iter().copied()) {
                        Some(hint) => error.hint(hint),
                        None => error.hint("name each section after a table in workload.toml"),
                    });
                }
                if !section.params.is_empty() || !section.results.is_empty() {
                    let text = format!(
                        "the statement that creates {name} must not have a \
                                        signature"
                    );
                    return Err(at_header(source, name, &text)
                        .hint(format!("write -- name: {name}() without parameters")));
                }
            }
        }
        Ok(())
    }

    /// Returns the user's SQL that creates a table in a dialect, or `None` if the dialect generates it.
    pub fn creation(&self, dialect: &str, table: &str) -> Option<String> {
        let of = |dialect: Option<&str>| {
            let files = self.tables.iter().filter(move |(id, ..)| id.as_deref() == dialect);
            let mut sections = files.flat_map(|(.., sections)| sections);
            sections.find(|section| section.name == table)
        };
        let section = of(Some(dialect)).or_else(|| of(None))?;
        let texts = section.sql.iter().map(|sql| sql.trim().trim_end_matches(';'));
        Some(texts.collect::<Vec<_>>().join(";\n"))
    }

    /// Returns a dialect's statements, in the order of [`Statements::common`].
    pub fn catalog(&self, dialect: &dyn Dialect) -> Result<Catalog> {
        let names: Vec<&str> = self.common.iter().map(|section| section.name.as_str()).collect();
        let overrides = self.overrides.iter().filter(|(id, ..)| id == dialect.id());
        let mut files = vec![self.common.clone()];
        files.extend(overrides.map(|(.., sections)| sections.clone()));
        Catalog::build(dialect, &names, &files)
    }
}

/// Parses the sections of a file and checks that each one is complete.
fn sections(source: &Source, syntax: Syntax) -> Result<Vec<Section>> {
    const HEADER: &str = "-- name:";
    if let Some(open) = tokens(&source.text, syntax).find(|part| !part.is_closed) {
        return Err(source
            .error(open.range.start, "a string, name or comment is missing its closing delimiter")
            .hint("a file named FILE.DIALECT.sql is parsed with that database's syntax"));
    }
    let (mut at, mut known) = (0, Vec::new());
    for line in source.text.split_inclusive('\n') {
        if line.starts_with(HEADER) && parse_sections(line).is_err() {
            return Err(source
                .error(at, "invalid statement header")
                .hint("write a header as -- name: NAME(a int, b text) -> (c decimal(2), d time)"));
        }
        if line.trim_end().starts_with("--name") {
            return Err(source
                .error(at, "invalid statement header")
                .hint("begin the header with \"-- name:\""));
        }
        at += line.len();
    }
    let sections = parse_sections_by(&source.text, syntax)?;
    for section in &sections {
        if known.contains(&&section.name) {
            let text = format!("two statements are named {}", section.name);
            return Err(at_header(source, &section.name, &text));
        }
        known.push(&section.name);
        require_placeholders(source, section, syntax)?;
    }
    Ok(sections)
}

/// Fails unless the statement uses exactly the parameters that it declares.
fn require_placeholders(source: &Source, section: &Section, syntax: Syntax) -> Result<()> {
    let name = &section.name;
    if section.sql.iter().all(|sql| sql.trim().is_empty()) {
        return Err(at_header(source, name, &format!("statement {name} is empty")));
    }
    let used = section.sql.iter().flat_map(|sql| parameters(sql, syntax));
    let used: Vec<Variable<'_>> = used.collect();
    let declared = || section.params.iter().map(|field| field.name.as_str());
    let known: HashSet<&str> = declared().collect();
    let is_unknown =
        |variable: &&Variable<'_>| variable.place == Place::Code && !known.contains(variable.name);
    if let Some(Variable { name: unknown, .. }) = used.iter().find(is_unknown) {
        let text = format!("statement {name}: parameter \"{unknown}\" is not declared");
        let start = header_of(source, name);
        let is_it =
            |variable: &Variable<'_>| variable.name == *unknown && variable.place == Place::Code;
        let at = parameters(&source.text[start..], syntax).find(is_it);
        let at = at.map_or(start, |variable| start + variable.colon);
        let error = source.error(at, text);
        return Err(match tacho_core::suggestion(unknown, declared()) {
            Some(hint) => error.hint(hint),
            None => error.hint(format!("declare it: -- name: {name}({unknown} int)")),
        });
    }
    let used: HashSet<&str> = used.iter().map(|variable| variable.name).collect();
    if let Some(unused) = declared().find(|name| !used.contains(name)) {
        let text = format!("statement {name} does not use its parameter \"{unused}\"");
        return Err(
            at_header(source, name, &text).hint(format!("write :{unused} in the statement"))
        );
    }
    Ok(())
}

/// Returns the byte offset of the statement's header or, if there are several, of the last one.
fn header_of(source: &Source, name: &str) -> usize {
    let is_header = |line: &str| {
        let given = line.strip_prefix("-- name:").and_then(|rest| rest.split('(').next());
        given.is_some_and(|given| given.trim() == name)
    };
    let (mut at, mut found) = (0, 0);
    for line in source.text.split_inclusive('\n') {
        if is_header(line) {
            found = at;
        }
        at += line.len();
    }
    found
}

/// Returns an error at a statement's header.
pub fn at_header(source: &Source, name: &str, text: &str) -> Error {
    source.error(header_of(source, name), text)
}
