//! Stored routines: the scripts that create and remove them, and the statements that call them.
//!
//! Each set of routines in `sql/<dialect>/` implements TPC-C's transactions, in Tacho's or in
//! HammerDB's way. It consists of functions, procedures, or both.
//!
//! This file must never contain SQL itself.
//!
//! Start reading at [`Set`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Dialect, RoutineKind, Section, parse_sections};
use tacho_workload::{Options, Routines, SqlFiles};

use crate::statements::SQL;

/// Prefix of the line that precedes each routine in a file and contains its name.
const HEADER: &str = "-- routine:";

/// The kind of routines: functions or procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Functions, which are called with SELECT.
    Functions,
    /// Procedures, which are called with CALL.
    Procedures,
}

impl Kind {
    /// Returns the folder that contains HammerDB's routines of this kind.
    const fn folder(self) -> &'static str {
        match self {
            Self::Functions => "functions",
            Self::Procedures => "procedures",
        }
    }
}

/// The set of routines selected by the parameters for a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    /// Kind of the routines.
    pub kind: Kind,
    /// True for HammerDB's routines, and false for Tacho's.
    pub hammerdb: bool,
    /// If this is n, HammerDB's new-order routine rolls back one of n orders on average. `None` if the routine commits
    /// orders that contain the unused item.
    pub rollback_one_in: Option<u64>,
    /// Index in [`VALUES`] of the way in which values are passed to and from HammerDB's routines.
    values: usize,
}

/// Ways to pass values to and from HammerDB's routines, for dialects that have several.
pub const VALUES: [&str; 3] = ["direct", "results", "variables"];

/// Script that removes a dialect's sets of routines. A dialect without this file has none.
const DROP: &str = "drop.sql";
/// Statements that call Tacho's own routines.
const SPEC_CALLS: &str = "spec/calls.sql";
/// Script that distributes a dialect's routines to the nodes that store the warehouses.
const DISTRIBUTE: &str = "distribute.sql";
/// Start of a comment in HammerDB's procedures that states how often orders are rolled back.
const ROLLS_BACK: &str = "-- rolls back one order in ";

impl Set {
    /// Returns the set that the resolved options select for dialect `dialect`.
    pub fn new(options: &Options, dialect: &str) -> Self {
        let hammerdb = options.on("hammerdb_routines");
        let values = VALUES.iter().position(|way| *way == options.text("call_values"));
        let asked = match options.text("routines") {
            "procedures" => Kind::Procedures,
            _ => Kind::Functions,
        };
        // Dialects without separate folders for functions and procedures have only procedures.
        let alone = SQL.of(dialect, DROP).is_some() && !has_kinds(dialect);
        let kind = if alone { Kind::Procedures } else { asked };
        let rollback_one_in =
            Some(dialect).filter(|_| alone && hammerdb).and_then(rolls_back_one_in);
        Self { kind, hammerdb, rollback_one_in, values: values.unwrap_or_default() }
    }

    /// Returns the scripts that create and remove the set. They are empty if the dialect has no routines.
    ///
    /// If `distributed` is true, the routines are distributed over the same nodes as the data.
    pub fn routines(self, dialect: &dyn Dialect, run: RoutineKind, distributed: bool) -> Routines {
        let Some(drop) = SQL.of(dialect.id(), DROP) else { return Routines::default() };
        let lines = drop.lines().filter(|line| !line.is_empty() && !line.starts_with("--"));
        let create = self.texts(dialect.id(), run);
        let create = create.flat_map(|(path, file)| self.scripts(&path, file));
        let spread = SQL.of(dialect.id(), DISTRIBUTE).filter(|_| distributed);
        let create = create.chain(spread.map(str::to_owned));
        Routines { create: create.collect(), drop: lines.map(str::to_owned).collect() }
    }

    /// Returns the sections with the statements that call the set.
    pub fn calls(self, dialect: &dyn Dialect) -> Result<Vec<Section>> {
        let id = dialect.id();
        let file = match (self.hammerdb, has_kinds(id)) {
            (false, _) => SPEC_CALLS.into(),
            (true, true) => format!("hammerdb/{}/calls.sql", self.kind.folder()),
            (true, false) => format!("hammerdb/{}/calls.sql", VALUES[self.values]),
        };
        let calls = SQL.of(id, &file).ok_or_else(|| self.missing(id))?;
        parse_sections(&self.selected(calls))
    }

    /// Returns the error for a dialect without this set of routines. If the dialect has another
    /// set, the error recommends it.
    #[cold]
    fn missing(self, id: &str) -> Error {
        let form = "use --form sql, which works with every database";
        if self.hammerdb && SQL.of(id, SPEC_CALLS).is_some() {
            let text = format!("HammerDB's stored routines are not supported by the {id} dialect");
            return Error::new(ErrorKind::Unsupported, text)
                .hint("use --profile spec, whose stored routines are supported")
                .hint(format!(
                    "or use a form of this profile that does not need routines: {form}"
                ));
        }
        let text = format!("the {id} dialect has no stored routines for tprocc");
        Error::new(ErrorKind::Unsupported, text).hint(form)
    }

    /// Returns the files that contain the routines, with their paths.
    fn texts(
        self,
        dialect: &str,
        run: RoutineKind,
    ) -> impl Iterator<Item = (String, &'static str)> {
        let kinds = format!("hammerdb/{}/routines.sql", self.kind.folder());
        let paths = if self.hammerdb {
            ["hammerdb/routines.sql".into(), kinds]
        } else {
            match run {
                RoutineKind::Interpreted => ["spec/routines.sql".into(), String::new()],
                RoutineKind::Native => ["native/routines.sql".into(), String::new()],
            }
        };
        let files = paths.map(|path| SQL.of(dialect, &path).map(|file| (path, file)));
        files.into_iter().flatten()
    }

    /// Returns the routines in a file, including those that it takes from the file of another dialect.
    fn scripts(self, path: &str, file: &'static str) -> Vec<String> {
        let mut all: Vec<String> = self.named(file).into_iter().map(|(_, script)| script).collect();
        for (dialect, names) in SqlFiles::taken(file) {
            let others = self.named(SQL.of(dialect, path).unwrap_or_default());
            let taken = others.into_iter().filter(|(name, _)| names.contains(&name.as_str()));
            all.extend(taken.map(|(_, script)| script));
        }
        all
    }

    /// Returns the routines in a file with their names.
    fn named(self, file: &str) -> Vec<(String, String)> {
        let text = self.selected(file);
        // Skip the text before the first header, which is only a comment.
        text.split(HEADER).skip(1).map(with_name).collect()
    }

    /// Returns the text of the file without the lines that are only for the other kind of routine.
    fn selected(self, file: &str) -> String {
        let (ours, other) = match self.kind {
            Kind::Functions => ("--functions:", "--procedures:"),
            Kind::Procedures => ("--procedures:", "--functions:"),
        };
        let mut text = String::with_capacity(file.len());
        for line in file.lines().filter(|line| !line.starts_with(other)) {
            text.push_str(line.strip_prefix(ours).unwrap_or(line));
            text.push('\n');
        }
        text
    }
}

/// Returns true if HammerDB has both kinds of routines for a dialect.
fn has_kinds(dialect: &str) -> bool {
    SQL.of(dialect, "hammerdb/functions/calls.sql").is_some()
}

fn rolls_back_one_in(dialect: &str) -> Option<u64> {
    let file = SQL.of(dialect, "hammerdb/routines.sql")?;
    file.lines().find_map(|line| line.strip_prefix(ROLLS_BACK)?.trim_end_matches('.').parse().ok())
}

/// Splits a routine into the name in its header line and its text. Comments at the end are removed,
/// because they belong to the next routine.
fn with_name(text: &str) -> (String, String) {
    let (name, text) = text.split_once('\n').unwrap_or((text, ""));
    let mut lines: Vec<&str> = text.lines().collect();
    let is_comment = |line: &&str| line.is_empty() || line.starts_with("--");
    while lines.last().is_some_and(is_comment) {
        lines.pop();
    }
    (name.trim().to_owned(), lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known(&'static str);
    impl Dialect for Known {
        fn id(&self) -> &'static str {
            self.0
        }
        fn placeholder(&self, _: usize, sql: &mut String) {
            sql.push('?');
        }
    }

    const CALLS: [&str; 5] = ["new_order", "payment", "order_status", "delivery", "stock_level"];

    fn names(set: Set, dialect: &Known) -> Result<Vec<String>> {
        let sections = set.calls(dialect)?.into_iter();
        Ok(sections.filter_map(|s| s.name.strip_prefix("call_").map(str::to_owned)).collect())
    }

    #[test]
    fn every_set_of_two_kinds_is_complete_and_of_one_kind() -> Result<()> {
        let known = Known("postgres");
        let kinds = [Kind::Functions, Kind::Procedures];
        let sets = kinds.into_iter().flat_map(|kind| {
            [false, true].map(|hammerdb| Set { kind, hammerdb, rollback_one_in: None, values: 0 })
        });
        for set in sets {
            let Routines { create, drop } = set.routines(&known, RoutineKind::Interpreted, false);
            assert_eq!(create.len(), if set.hammerdb { 6 } else { 5 }, "{set:?}");
            let spread = set.routines(&known, RoutineKind::Interpreted, true).create;
            assert!(spread.len() == create.len() + 1 && spread.starts_with(&create));
            assert!(spread.last().is_some_and(|script| script.contains("colocate_with")));
            for script in &create {
                assert!(script.trim_start().starts_with("CREATE OR REPLACE "), "{script}");
                assert!(script.ends_with("$$") && !script.contains("--functions"), "{script}");
                assert!(!script.contains("--procedures"), "{script}");
                let (_, name) = script.split_once("REPLACE ").expect("a kind and a name");
                let (kind, rest) = name.split_once(' ').expect("a kind");
                let (name, _) = rest.split_once('(').expect("a name");
                let helper = name == "dbms_random";
                let function = set.kind == Kind::Functions || helper;
                assert_eq!(kind, if function { "FUNCTION" } else { "PROCEDURE" }, "{set:?} {name}");
                assert!(drop.iter().any(|line| line.contains(&format!(" {name}("))), "{name}");
            }
            assert_eq!(names(set, &known)?, CALLS, "{set:?}");
        }
        Ok(())
    }

    #[test]
    fn native_routines_have_the_names_of_interpreted_routines() {
        let known = Known("sqlserver");
        let set = Set { kind: Kind::Procedures, hammerdb: false, rollback_one_in: None, values: 0 };
        let name = |script: &String| script.split_whitespace().nth(2).map(str::to_owned);
        let names = |run| {
            let scripts = set.routines(&known, run, false).create;
            scripts.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(names(RoutineKind::Native), names(RoutineKind::Interpreted));
        for script in set.routines(&known, RoutineKind::Native, false).create {
            assert!(script.contains("NATIVE_COMPILATION, SCHEMABINDING"), "{script}");
        }
    }

    /// Two of the routines are in the dialect's own file, and the others come from another dialect's file.
    #[test]
    fn a_dialect_takes_routines_from_another_one() -> Result<()> {
        let set = Set { kind: Kind::Procedures, hammerdb: false, rollback_one_in: None, values: 0 };
        let of = |id| set.routines(&Known(id), RoutineKind::Interpreted, false);
        let (theirs, timesten) = (of("oracle"), of("timesten"));
        assert_eq!((timesten.create.len(), timesten.drop.len()), (5, 5));
        let same = timesten.create.iter().filter(|script| theirs.create.contains(script)).count();
        assert_eq!(same, 3, "{:?}", timesten.create);
        for words in ["LISTAGG", "RETURNING SUM"] {
            assert!(theirs.create.iter().any(|script| script.contains(words)), "{words}");
            assert!(!timesten.create.iter().any(|script| script.contains(words)), "{words}");
        }
        assert_eq!(names(set, &Known("timesten"))?, CALLS);
        Ok(())
    }

    #[test]
    fn every_set_of_procedures_alone_is_complete() -> Result<()> {
        let known = Known("mysql");
        assert_eq!(rolls_back_one_in("mysql"), Some(99));
        for (hammerdb, values) in [(false, 0), (true, 0), (true, 1), (true, 2)] {
            let set = Set { kind: Kind::Procedures, hammerdb, rollback_one_in: None, values };
            let Routines { create, drop } = set.routines(&known, RoutineKind::Interpreted, false);
            assert_eq!((create.len(), drop.len()), (5, 10), "{set:?}");
            for script in &create {
                let name =
                    script.trim_start().strip_prefix("CREATE PROCEDURE ").expect("a procedure");
                let (name, _) = name.split_once('(').expect("a name");
                assert!(script.ends_with("END"), "{script}");
                assert!(drop.iter().any(|line| line.ends_with(&format!(" {name}"))), "{name}");
            }
            assert_eq!(names(set, &known)?, CALLS, "{set:?}");
        }
        Ok(())
    }
}
