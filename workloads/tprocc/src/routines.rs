//! Stored routines: which set of them, what makes and removes it, and the statements that call it.
//!
//! A set is in `sql/<dialect>/`: TPC-C's transactions as we write them, or HammerDB's. Each set
//! comes in two kinds, functions and procedures. It must never hold SQL itself. Start reading at
//! [`Set`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Dialect, Section, parse_sections};
use tacho_workload::Routines;

/// Begins a routine in a file.
const HEADER: &str = "-- routine:";

/// Functions or procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Called by SELECT.
    Functions,
    /// Called by CALL.
    Procedures,
}

/// The set of routines that the parameters choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Set {
    /// Its kind.
    pub kind: Kind,
    /// HammerDB's own routines instead of ours.
    pub hammerdb: bool,
}

/// The files of one dialect, but for the one that removes all sets.
struct Files {
    spec: Source,
    /// By kind.
    hammerdb: Option<[Source; 2]>,
}

/// The files of one set.
struct Source {
    routines: &'static [&'static str],
    calls: &'static str,
}

/// A dialect's id, what removes the routines of all sets, and the other files.
const DIALECTS: [(&str, &str, &Files); 2] = [
    ("postgres", include_str!("../sql/postgres/drop.sql"), &FIRST),
    ("mysql", include_str!("../sql/mysql/drop.sql"), &SECOND),
];

/// What sends the routines of a dialect to the nodes of their warehouses.
const DISTRIBUTE: [(&str, &str); 1] =
    [("postgres", include_str!("../sql/postgres/distribute.sql"))];

/// The files of the first dialect.
const FIRST: Files = Files {
    spec: Source {
        routines: &[include_str!("../sql/postgres/spec/routines.sql")],
        calls: include_str!("../sql/postgres/spec/calls.sql"),
    },
    hammerdb: Some([
        Source {
            routines: &[
                include_str!("../sql/postgres/hammerdb/routines.sql"),
                include_str!("../sql/postgres/hammerdb/functions/routines.sql"),
            ],
            calls: include_str!("../sql/postgres/hammerdb/functions/calls.sql"),
        },
        Source {
            routines: &[
                include_str!("../sql/postgres/hammerdb/routines.sql"),
                include_str!("../sql/postgres/hammerdb/procedures/routines.sql"),
            ],
            calls: include_str!("../sql/postgres/hammerdb/procedures/calls.sql"),
        },
    ]),
};

/// The files of the second dialect, whose functions can hold no transaction: both kinds are
/// procedures.
const SECOND: Files = Files {
    spec: Source {
        routines: &[include_str!("../sql/mysql/spec/routines.sql")],
        calls: include_str!("../sql/mysql/spec/calls.sql"),
    },
    hammerdb: None,
};

impl Set {
    /// The scripts that make and remove the set; none where the dialect has no routines. If data is
    /// `distributed`, routines are as well.
    pub fn routines(self, dialect: &dyn Dialect, distributed: bool) -> Routines {
        let Some((drop, files)) = find(dialect) else { return Routines::default() };
        let lines = drop.lines().filter(|line| !line.is_empty() && !line.starts_with("--"));
        let routines = self.source(files).map_or(&[][..], |source| source.routines);
        let create = routines.iter().flat_map(|file| {
            let text = self.selected(file);
            // Before the first header the file speaks to its reader.
            text.split(HEADER).skip(1).map(without_name).collect::<Vec<_>>()
        });
        let spread = DISTRIBUTE.iter().filter(|(id, _)| distributed && *id == dialect.id());
        let create = create.chain(spread.map(|(_, text)| (*text).to_owned()));
        Routines { create: create.collect(), drop: lines.map(str::to_owned).collect() }
    }

    /// The sections that call the set.
    pub fn calls(self, dialect: &dyn Dialect) -> Result<Vec<Section>> {
        let Some(source) = find(dialect).and_then(|(_, files)| self.source(files)) else {
            let text =
                format!("the dialect {} has no such stored routines of tprocc", dialect.id());
            return Err(Error::new(ErrorKind::Unsupported, text)
                .hint("--form sql works with every database"));
        };
        parse_sections(&self.selected(source.calls))
    }

    fn source(self, files: &'static Files) -> Option<&'static Source> {
        if self.hammerdb {
            files.hammerdb.as_ref().map(|kinds| &kinds[self.kind as usize])
        } else {
            Some(&files.spec)
        }
    }

    /// The file with the lines that are only for this kind, and without those for the other one.
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

fn find(dialect: &dyn Dialect) -> Option<(&'static str, &'static Files)> {
    let found = DIALECTS.iter().find(|(id, _, _)| *id == dialect.id());
    found.map(|(_, drop, files)| (*drop, *files))
}

/// The routine after its header, of which the name is left, and without the words to the reader of
/// the next one.
fn without_name(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    let is_comment = |line: &&str| line.is_empty() || line.starts_with("--");
    while lines.last().is_some_and(is_comment) {
        lines.pop();
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Known;
    impl Dialect for Known {
        fn id(&self) -> &'static str {
            "postgres"
        }
        fn placeholder(&self, _: usize, sql: &mut String) {
            sql.push('?');
        }
    }

    fn sets() -> impl Iterator<Item = Set> {
        let kinds = [Kind::Functions, Kind::Procedures];
        kinds.into_iter().flat_map(|kind| [false, true].map(|hammerdb| Set { kind, hammerdb }))
    }

    #[test]
    fn every_set_is_complete_and_of_one_kind() -> Result<()> {
        for set in sets() {
            let Routines { create, drop } = set.routines(&Known, false);
            assert_eq!(create.len(), if set.hammerdb { 6 } else { 5 }, "{set:?}");
            let spread = set.routines(&Known, true).create;
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
            let names: Vec<String> =
                set.calls(&Known)?.into_iter().map(|section| section.name).collect();
            let calls = ["new_order", "payment", "order_status", "delivery", "stock_level"];
            assert_eq!(names, calls.map(|call| format!("call_{call}")), "{set:?}");
        }
        Ok(())
    }
}
