//! The SQL files of a workload: the common subset, and what each dialect writes in its own way.
//!
//! The list is made by the build script of the workload, so that its code names no dialect. Start reading
//! at [`SqlFiles::sections`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Dialect, Section, parse_sections};

/// The files below `sql/`, each with its path there and its text; and the package of the workload.
#[derive(Clone, Copy, Debug)]
pub struct SqlFiles(pub &'static [(&'static str, &'static str)], pub &'static str);

/// The files that the build script of this package has found.
#[macro_export]
macro_rules! sql_files {
    () => {
        $crate::SqlFiles(include!(concat!(env!("OUT_DIR"), "/files.rs")), env!("CARGO_PKG_NAME"))
    };
}

impl SqlFiles {
    /// The file at this path.
    pub fn file(&self, path: &str) -> Option<&'static str> {
        self.0.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
    }

    /// The file at this path below the folder of a dialect; `None` where it has no such file.
    pub fn of(&self, dialect: &str, path: &str) -> Option<&'static str> {
        self.file(&format!("{dialect}/{path}"))
    }

    /// The sections of files of the common subset, then those of `<dialect>.sql` that replace some.
    pub fn sections(&self, common: &[&str], dialect: &str) -> Result<Vec<Vec<Section>>> {
        let common = common.iter().map(|path| {
            let missing = || Error::new(ErrorKind::Missing, format!("sql/{path} is not embedded"));
            self.file(path).ok_or_else(missing)
        });
        let own = self.file(&format!("{dialect}.sql")).map(Ok);
        common.chain(own).map(|file| parse_sections(file?)).collect()
    }

    /// The same for a dialect, whose overlay for this workload stands over all of them.
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
        assert_eq!(texts("b")?, ["D"]);
        assert!(FILES.sections(&["checks.sql"], "a").is_err());
        assert!(FILES.of("a", "more.sql").is_some() && FILES.of("b", "more.sql").is_none());
        Ok(())
    }
}
