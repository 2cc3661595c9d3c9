//! Opens the file and applies the requested settings.
//!
//! Fails if SQLite has not applied a requested setting, because the run would then measure something other than what
//! the user wanted.

use rusqlite::{Connection, MAIN_DB, OpenFlags};
use tacho_core::{Clock, Error, ErrorKind, Result};
use tacho_driver::MARKER_TABLE;

use crate::config::Config;
use crate::errors::native;
use crate::facts::pragma;

/// Opens a connection with the settings in `config`.
pub fn open(config: &Config, clock: &dyn Clock) -> Result<Connection> {
    try_open(config, clock).map_err(|error| error.during(format!("open {}", config.path.display())))
}

fn try_open(config: &Config, clock: &dyn Clock) -> Result<Connection> {
    check_path(config)?;
    let connection = Connection::open_with_flags(&config.path, flags(config)).map_err(native)?;
    connection.busy_timeout(config.busy_timeout).map_err(native)?;
    check_file(&connection, config)?;
    apply(&connection, config, clock)?;
    Ok(connection)
}

/// Explains problems with the path, which SQLite would report only as "unable to open".
fn check_path(config: &Config) -> Result<()> {
    let path = &config.path;
    let missing = |message: String| Err(Error::new(ErrorKind::Missing, message));
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
        let hint = format!("create it first: mkdir -p {}", directory.display());
        return missing(format!("directory {} does not exist", directory.display()))
            .map_err(|error| error.hint(hint));
    }
    if path.is_dir() {
        return missing(format!("{} is a directory", path.display()))
            .map_err(|error| error.hint("specify a file in this directory"));
    }
    if (config.read_only || !config.create) && !path.exists() {
        return missing(format!("file {} does not exist", path.display()));
    }
    Ok(())
}

/// Returns the flags for opening the file. Paths are not interpreted as URIs. Mutexes are turned off, because each
/// session has a single thread.
fn flags(config: &Config) -> OpenFlags {
    let access = match (config.read_only, config.create) {
        (true, _) => OpenFlags::SQLITE_OPEN_READ_ONLY,
        (false, true) => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        (false, false) => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    access | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// Reads from the file before anything is written to it. Fails if the file is not a database, or if it is unexpectedly
/// read-only.
fn check_file(connection: &Connection, config: &Config) -> Result<()> {
    pragma(connection, "schema_version").map_err(|error| match error.native_code() {
        Some("SQLITE_NOTADB") => {
            let text = "the file is not an SQLite database and will not be changed";
            Error::new(ErrorKind::Protocol, text).code("SQLITE_NOTADB").hint("use a different file")
        }
        _ => error,
    })?;
    // If the user lacks write permission, SQLite opens the file read-only without reporting an error.
    if !config.read_only && connection.is_readonly(MAIN_DB).map_err(native)? {
        return Err(Error::new(ErrorKind::Auth, "the file is read-only")
            .hint("make the file writable, or open it read-only with mode=ro"));
    }
    Ok(())
}

fn apply(connection: &Connection, config: &Config, clock: &dyn Clock) -> Result<()> {
    set(connection, "cache_size", &format!("-{}", config.cache_mb * 1024))?;
    if config.read_only {
        return check_page_size(connection, config);
    }
    if may_change(connection, config)? {
        set(connection, "page_size", &config.page_size.to_string())?;
        set_journal_mode(connection, config, clock)?;
    }
    set(connection, "synchronous", &config.synchronous)?;
    if config.max_pages > 0 {
        set(connection, "max_page_count", &config.max_pages.to_string())?;
    }
    check_page_size(connection, config)
}

/// Returns true if Tacho may change the page size and journal mode, because the file is new or contains Tacho's tables.
fn may_change(connection: &Connection, config: &Config) -> Result<bool> {
    let mut names = connection
        .prepare("SELECT lower(name) FROM sqlite_schema WHERE type = 'table'")
        .map_err(native)?;
    let names = names.query_map([], |row| row.get::<_, String>(0)).map_err(native)?;
    let names: Vec<String> = names.collect::<Result<_, _>>().map_err(native)?;
    let ours = names.iter().any(|name| name == MARKER_TABLE);
    Ok(ours || (names.is_empty() && config.create))
}

fn set(connection: &Connection, name: &str, value: &str) -> Result<()> {
    connection.execute_batch(&format!("PRAGMA {name} = {value}")).map_err(native)
}

/// Sets the journal mode unless the file already has it, because a change requires exclusive access to the file.
fn set_journal_mode(connection: &Connection, config: &Config, clock: &dyn Clock) -> Result<()> {
    let wished = config.journal_mode.as_str();
    let last = clock.now().plus(config.busy_timeout);
    while pragma(connection, "journal_mode")? != wished {
        match set(connection, "journal_mode", wished) {
            // Try again, because if two sessions change the mode at the same time, SQLite lets one of them fail at once
            // instead of waiting.
            Err(error) if error.kind() == ErrorKind::LockTimeout && clock.now() < last => {}
            Err(error) => return Err(error),
            Ok(()) => return check_journal_mode(connection, wished),
        }
    }
    Ok(())
}

fn check_journal_mode(connection: &Connection, wished: &str) -> Result<()> {
    let found = pragma(connection, "journal_mode")?;
    if found == wished {
        return Ok(());
    }
    let text = format!("the file still uses journal_mode={found} instead of {wished}");
    Err(Error::new(ErrorKind::Unsupported, text)
        .hint("wal requires a local file system with shared memory; journal_mode=delete does not"))
}

fn check_page_size(connection: &Connection, config: &Config) -> Result<()> {
    let found = pragma(connection, "page_size")?;
    if !config.page_size_given || found == config.page_size.to_string() {
        return Ok(());
    }
    Err(Error::usage(format!(
        "the file has a page size of {found} bytes, not {}",
        config.page_size
    ))
    .hint("omit page_size, or prepare a new file"))
}
