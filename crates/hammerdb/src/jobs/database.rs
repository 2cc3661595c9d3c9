//! HammerDB's job database, which users' own scripts read.
//!
//! The file may belong to HammerDB and contain its jobs. Tacho therefore only adds its own jobs, each in one transaction,
//! and leaves the file unchanged unless its tables have the expected columns. Jobs never depend on this file: if it
//! cannot be written, a notice says so.
//!
//! Start reading at [`JobDatabase::put`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::dictionary::{JOB_DATABASE, is_own};

/// Definitions of the tables, which are created in a new file.
const TABLES: &str = include_str!("tables.sql");
/// Returns the names of the tables in a file.
const NAMES: &str = include_str!("names.sql");
/// The table by which a file is recognized as a job database.
const MAIN: &str = "JOBMAIN";
/// Tables that contain jobs.
const USED: [&str; 6] = [MAIN, "JOBOUTPUT", "JOBTIMING", "JOBTCOUNT", "JOBMETRIC", "JOBSYSTEM"];
/// The table with charts, which older versions of HammerDB do not have.
const CHARTS: &str = "JOBCHART";
/// Maximum wait for another process that is writing.
const BUSY: Duration = Duration::from_secs(5);
/// Settings of each connection. The file may come from somebody else, so its schema must not be able to call functions
/// with side effects.
const SETTINGS: &str = "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = OFF";

/// A row's column names and values. The column types determine how the values are stored.
pub type Row = Vec<(String, String)>;

/// A job database, which is opened only while it is used.
#[derive(Default)]
pub struct JobDatabase {
    path: Option<PathBuf>,
    /// The file whose name has already been printed in this session.
    announced: Option<PathBuf>,
    /// Problems that this session has reported.
    reported: BTreeSet<String>,
    /// Lines that have not been printed yet.
    lines: Vec<String>,
}

impl JobDatabase {
    /// Sets the file. With `None`, jobs are not stored in a database.
    pub fn set_path(&mut self, path: Option<PathBuf>) {
        self.path = path;
    }

    /// Returns the file.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the lines to print.
    pub fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// Creates the file and its tables unless they exist. Returns the reason if the file cannot be used.
    pub fn create(&self) -> Result<PathBuf, String> {
        let path = self.path.clone();
        let path = path
            .ok_or_else(|| format!("{JOB_DATABASE} is :memory:, so no file contains the jobs"))?;
        let done = change(&path, |_| Ok(()));
        done.map_err(|why| format!("{} cannot be used: {why}", path.display())).map(|_| path)
    }

    /// Stores a job's rows, in place of earlier rows of the same job. If this fails, queues a notice.
    pub fn put(&mut self, job: &str, rows: &[(&str, Row)]) {
        let Some(path) = self.path.clone() else { return };
        let size = path.metadata().map_or(0, |file| file.len());
        let done = change(&path, |transaction| {
            remove(transaction, job)?;
            rows.iter().try_for_each(|(table, row)| insert(transaction, table, job, row))
        });
        let shown = path.display();
        match done {
            Ok(is_new) if self.announced.as_ref() != Some(&path) => {
                self.lines.push(if is_new {
                    format!("Initialized new Jobs on-disk database {shown}")
                } else {
                    format!("Initialized Jobs on-disk database {shown} using existing tables ({size} bytes)")
                });
                self.announced = Some(path);
            }
            Ok(_) => {}
            Err(why) => {
                let text = format!(
                    "Warning: job {job} was not added to {shown}: {why}; hint: the command jobs shows it; to use \
                     another file, use giset commandline {JOB_DATABASE} FILE"
                );
                if self.reported.insert(why) {
                    self.lines.push(text);
                }
            }
        }
    }

    /// Removes a job's rows if the file exists. Returns the reason if this fails.
    pub fn delete(&self, job: &str) -> Result<(), String> {
        match &self.path {
            Some(path) if path.exists() => {
                let done = change(path, |transaction| remove(transaction, job));
                done.map(drop).map_err(|why| format!("{} was not changed: {why}", path.display()))
            }
            _ => Ok(()),
        }
    }
}

/// Changes the file in one transaction. Returns true if the tables were created.
fn change(
    path: &Path,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
) -> Result<bool, String> {
    require_file(path)?;
    // Use an absolute path, because a relative path that starts with `file:` would be interpreted as a URI.
    let path = std::path::absolute(path).map_err(|error| error.to_string())?;
    let mut connection = Connection::open(path).map_err(reason)?;
    connection.busy_timeout(BUSY).map_err(reason)?;
    connection.execute_batch(SETTINGS).map_err(reason)?;
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(reason)?;
    let is_new = tables(&transaction).map_err(reason)?.is_empty();
    if is_new {
        transaction.execute_batch(TABLES).map_err(reason)?;
    }
    require_columns(&transaction)?;
    work(&transaction).map_err(reason)?;
    transaction.commit().map_err(reason)?;
    Ok(is_new)
}

/// Fails if the path refers to anything but a regular file owned by this user. A missing file is accepted.
fn require_file(path: &Path) -> Result<(), String> {
    match path.metadata() {
        Ok(found) if !found.is_file() => Err("it is not a regular file".into()),
        Ok(found) if !is_own(&found) => Err("it belongs to another user".into()),
        _ => Ok(()),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "converts an error that is no longer needed")]
fn reason(error: rusqlite::Error) -> String {
    error.to_string()
}

/// Returns the names of all tables in upper case.
fn tables(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    connection.prepare(NAMES)?.query_map([], |row| row.get(0))?.collect()
}

/// Returns the names of a table's columns in lower case.
fn columns(connection: &Connection, table: &str) -> rusqlite::Result<BTreeSet<String>> {
    let mut names = connection.prepare("SELECT lower(name) FROM pragma_table_info(?1)")?;
    names.query_map([table], |row| row.get(0))?.collect()
}

/// Fails unless the tables have the columns of this version of HammerDB.
fn require_columns(found: &Connection) -> Result<(), String> {
    let all = tables(found).map_err(reason)?;
    if !all.contains(MAIN) {
        return Err("it contains the tables of another program".into());
    }
    let expected = Connection::open_in_memory().map_err(reason)?;
    expected.execute_batch(TABLES).map_err(reason)?;
    for table in USED {
        let [expected, found] = [&expected, found].map(|of| columns(of, table).map_err(reason));
        let (expected, found) = (expected?, found?);
        let differ: Vec<&str> = expected.symmetric_difference(&found).map(String::as_str).collect();
        if !differ.is_empty() {
            let differ = differ.join(", ");
            return Err(format!(
                "it belongs to another version of HammerDB, whose table {table} differs in the columns {differ}"
            ));
        }
    }
    Ok(())
}

fn insert(
    transaction: &Transaction<'_>,
    table: &str,
    job: &str,
    row: &Row,
) -> rusqlite::Result<()> {
    let names: Vec<&str> =
        std::iter::once("jobid").chain(row.iter().map(|(name, _)| &**name)).collect();
    let names = names.join(", ");
    let marks = ", ?".repeat(row.len());
    let values = std::iter::once(job).chain(row.iter().map(|(_, value)| value.as_str()));
    let sql = format!("INSERT INTO {table} ({names}) VALUES (?{marks})");
    transaction.prepare_cached(&sql)?.execute(rusqlite::params_from_iter(values)).map(drop)
}

fn remove(transaction: &Transaction<'_>, job: &str) -> rusqlite::Result<()> {
    let has_charts = tables(transaction)?.contains(CHARTS);
    let charts = has_charts.then_some(CHARTS);
    for table in charts.into_iter().chain(USED) {
        transaction.execute(&format!("DELETE FROM {table} WHERE jobid = ?1"), [job])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the test writes files")]

    use super::*;

    fn row(pairs: &[(&str, &str)]) -> Row {
        pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    }

    fn job(status: &str) -> [(&'static str, Row); 2] {
        [
            (MAIN, row(&[("db", "PostgreSQL"), ("bm", "TPC-C"), ("profile_id", "5")])),
            ("JOBOUTPUT", row(&[("vu", "1"), ("output", status)])),
        ]
    }

    fn at(path: &Path) -> JobDatabase {
        JobDatabase { path: Some(path.to_owned()), ..JobDatabase::default() }
    }

    fn read(path: &Path, sql: &str) -> String {
        let connection = Connection::open(path).expect("a database");
        connection.query_row(sql, [], |row| row.get(0)).expect("a row")
    }

    #[test]
    fn a_job_is_stored_once_and_removed_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hammer.DB");
        let mut database = at(&path);
        for id in ["A", "B"] {
            database.put(id, &job("begun"));
            database.put(id, &job("ended"));
        }
        let lines = database.take_lines();
        assert_eq!(lines, [format!("Initialized new Jobs on-disk database {}", path.display())]);
        let all = "SELECT group_concat(jobid || vu || output) FROM (SELECT * FROM joboutput ORDER BY jobid)";
        assert_eq!(read(&path, all), "A1ended,B1ended");
        assert_eq!(read(&path, "SELECT typeof(profile_id) || count(*) FROM jobmain"), "integer2");
        database.delete("A").expect("deleted");
        assert_eq!(read(&path, all), "B1ended");
        let mut later = at(&path);
        later.put("C", &job("begun"));
        assert!(later.take_lines()[0].contains("using existing tables ("));
        assert_eq!(read(&path, "SELECT group_concat(jobid) FROM jobmain"), "B,C");
    }

    #[test]
    fn files_of_others_are_not_changed() {
        let folder = tempfile::tempdir().expect("a folder");
        let made = |name: &str, sql: &str| {
            let path = folder.path().join(name);
            Connection::open(&path).expect("a file").execute_batch(sql).expect("tables");
            path
        };
        let old = TABLES.replace("    p75_ms REAL,\n", "");
        assert_ne!(old, TABLES);
        let text = folder.path().join("text");
        std::fs::write(&text, "my notes about the hammer\n".repeat(99)).expect("a file");
        let table = [
            (
                made("old", &old),
                "version of HammerDB, whose table JOBTIMING differs in the columns p75_ms;",
            ),
            (made("other", "CREATE TABLE a (b)"), "the tables of another program;"),
            (text, "file is not a database;"),
            (folder.path().to_owned(), "not a regular file;"),
        ];
        for (path, words) in table {
            let before = std::fs::read(&path).ok();
            let mut database = at(&path);
            database.put("A", &job("begun"));
            database.put("A", &job("ended"));
            let lines = database.take_lines();
            assert!(lines.len() == 1 && lines[0].contains(words), "{lines:?}");
            assert!(database.create().is_err());
            assert_eq!(std::fs::read(&path).ok(), before, "{words}");
        }
        // A file that HammerDB itself has created keeps its jobs, even if its columns are in a different order.
        let main = "CREATE TABLE JobMain (profile_id, JOBID, bm, db, timestamp, jobdict)";
        let rest = TABLES.split_once(");\n").expect("tables").1;
        let theirs =
            made("theirs", &format!("{main};{rest}; INSERT INTO jobmain (jobid) VALUES ('T')"));
        let mut database = at(&theirs);
        database.put("A", &job("ended"));
        assert!(database.take_lines()[0].contains("using existing tables"));
        assert_eq!(
            read(&theirs, "SELECT group_concat(jobid || coalesce(bm, '')) FROM jobmain"),
            "T,ATPC-C"
        );
    }

    #[test]
    fn processes_wait_for_each_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hammer.DB");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    let mut database = at(path);
                    for number in 0..10 {
                        database.put(&format!("{writer}-{number}"), &job("ended"));
                    }
                    assert_eq!(database.take_lines().len(), 1);
                });
            }
        });
        assert_eq!(read(&path, "SELECT '' || count(*) FROM joboutput"), "40");
    }
}
