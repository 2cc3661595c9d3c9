//! The SQL files of a workload: the statements that dialects have in common, and those that a dialect overrides.
//!
//! The build script finds the files of each dialect, so the code of a workload does not contain the names of dialects.
//!
//! A line `-- as in NAME: a, b` reuses the sections `a` and `b` of another dialect.
//!
//! Start reading at [`SqlFiles::sections`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Dialect, Section, parse_sections};

/// Prefix of a line that reuses sections. The name of another dialect follows.
const AS_IN: &str = "-- as in ";

/// The files below `sql/` as pairs of relative path and text, and the name of the workload's package.
#[derive(Clone, Copy, Debug)]
pub struct SqlFiles(pub &'static [(&'static str, &'static str)], pub &'static str);

/// Returns the files found by the package's build script.
#[macro_export]
macro_rules! sql_files {
    () => {
        $crate::SqlFiles(include!(concat!(env!("OUT_DIR"), "/files.rs")), env!("CARGO_PKG_NAME"))
    };
}

impl SqlFiles {
    /// Returns the file at `path`.
    pub fn file(&self, path: &str) -> Option<&'static str> {
        self.0.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
    }

    /// Returns the file at `path` in a dialect's folder, or `None` if there is no such file.
    pub fn of(&self, dialect: &str, path: &str) -> Option<&'static str> {
        self.file(&format!("{dialect}/{path}"))
    }

    /// Returns pairs of a dialect's name and the names of the sections that a file reuses from this dialect.
    pub fn taken(text: &'static str) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(AS_IN)?.split_once(": "));
        lines.map(|(dialect, names)| (dialect, names.split(", ").collect()))
    }

    /// Returns the sections of a dialect's file, including sections reused from other dialects' files.
    fn own_sections(&self, file: &'static str) -> Result<Vec<Section>> {
        let mut sections = parse_sections(file)?;
        for (dialect, names) in Self::taken(file) {
            let others = parse_sections(self.file(&format!("{dialect}.sql")).unwrap_or_default())?;
            for name in names {
                let found = others.iter().find(|section| section.name == name);
                sections.push(found.cloned().ok_or_else(|| {
                    let text = format!("sql/{dialect}.sql has no section {name}");
                    Error::new(ErrorKind::Missing, text)
                })?);
            }
        }
        Ok(sections)
    }

    /// Returns the sections of the given common files, followed by those in `<dialect>.sql`, which take precedence.
    pub fn sections(&self, common: &[&str], dialect: &str) -> Result<Vec<Vec<Section>>> {
        let common = common.iter().map(|path| {
            let missing = || Error::new(ErrorKind::Missing, format!("sql/{path} is not embedded"));
            self.file(path).ok_or_else(missing)
        });
        let common = common.map(|file| parse_sections(file?));
        let sections = self.file(&format!("{dialect}.sql")).map(|text| self.own_sections(text));
        common.chain(sections).collect()
    }

    /// Returns the sections of [`SqlFiles::sections`], overridden by those in the dialect's overlay.
    pub fn written(&self, common: &[&str], dialect: &dyn Dialect) -> Result<Vec<Vec<Section>>> {
        let mut files = self.sections(common, dialect.id())?;
        let workload = self.1.rsplit('-').next().unwrap_or_default();
        files.extend(dialect.overlay(workload).map(parse_sections).transpose()?);
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: SqlFiles = SqlFiles(
        &[
            ("a/more.sql", "-- name: y() -> ()\nA\n"),
            ("a.sql", "-- name: x() -> ()\nA\n"),
            ("b.sql", "-- as in a: x\n-- name: z() -> ()\nB\n"),
            ("c.sql", "-- as in a: y\n"),
            ("default.sql", "-- name: x() -> ()\nD\n"),
        ],
        "tacho-workload-w",
    );

    #[test]
    fn a_dialect_adds_its_own_files() -> Result<()> {
        let texts = |dialect| -> Result<Vec<String>> {
            let files = FILES.sections(&["default.sql"], dialect)?;
            Ok(files.into_iter().flatten().flat_map(|section| section.sql).collect())
        };
        assert_eq!(texts("a")?, ["D", "A"]);
        assert_eq!(texts("d")?, ["D"]);
        assert!(FILES.sections(&["checks.sql"], "a").is_err());
        assert!(FILES.of("a", "more.sql").is_some() && FILES.of("d", "more.sql").is_none());
        // If several dialects use the same text for a section, one file contains it and the others refer to this file.
        assert_eq!(texts("b")?, ["D", "B", "A"]);
        let error = FILES.sections(&["default.sql"], "c").expect_err("there is no such section");
        assert!(error.to_string().contains("no section y"), "{error}");
        Ok(())
    }
}
