//! Stores rows in an SQLite file, to which each session has a connection. Converts SQLite's errors to those of SQL
//! Server.
//!
//! Readers see only committed data, and only one transaction can write at a time. Start reading at [`open`].

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rusqlite::config::DbConfig;
use rusqlite::functions::{Aggregate, Context, FunctionFlags};
use rusqlite::types::Value;
use rusqlite::{Connection, Error, ErrorCode, ffi};

use super::login::Login;
use super::tokens::Trouble;
use super::{Peer, Shared, VERSION, dates};

/// Views that have the names of SQL Server's system views.
pub const VIEWS: &str = include_str!("../../sql/tds.sql");

/// Number of statements in each session's cache. All statements of a workload's routines fit into it.
const STATEMENTS: usize = 300;

const DEADLOCK: &str = "Transaction (Process ID 51) was deadlocked on lock resources with another process and has been \
     chosen as the deadlock victim. Rerun the transaction.";

/// Opens a connection to the file. It lacks the SQL functions that a session defines.
pub fn raw(file: &Path) -> rusqlite::Result<Connection> {
    let db = Connection::open(file)?;
    db.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON",
    )?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    db.busy_timeout(std::time::Duration::ZERO)?;
    Ok(db)
}

/// Opens a session's connection.
pub fn open(shared: &Arc<Shared>, peer: &Arc<Peer>, login: &Login) -> rusqlite::Result<Connection> {
    let db = raw(&shared.file)?;
    db.set_prepared_statement_cache_capacity(STATEMENTS);
    let constant = |name: &'static str, arguments: i32, value: Value| {
        db.create_scalar_function(name, arguments, FunctionFlags::SQLITE_UTF8, move |_| {
            Ok(value.clone())
        })
    };
    let text = |text: &str| Value::Text(text.to_owned());
    constant("db_name", 0, text(&login.database))?;
    constant("db_id", 0, Value::Integer(5))?;
    constant("schema_name", 0, text(&shared.options.schema))?;
    for name in ["suser_sname", "suser_name", "original_login", "system_user", "user_name"] {
        constant(name, 0, text(&login.user))?;
    }
    constant("host_name", 0, text(&login.host))?;
    constant("app_name", 0, text(&login.application))?;
    constant("has_perms_by_name", 3, Value::Integer(1))?;
    constant("is_srvrolemember", 1, Value::Integer(1))?;
    constant("is_member", 1, Value::Integer(1))?;
    constant("has_dbaccess", 1, Value::Integer(1))?;
    functions(&db)?;
    of_server(&db, shared, peer)?;
    Ok(db)
}

fn of_server(db: &Connection, shared: &Arc<Shared>, peer: &Arc<Peer>) -> rusqlite::Result<()> {
    let (all, client) = (shared.clone(), peer.clone());
    let flags = FunctionFlags::SQLITE_UTF8;
    db.create_scalar_function("tds_count", 1, flags, move |context: &Context<'_>| {
        let counter = match context.get::<String>(0)?.as_str() {
            "commits" => &all.commits,
            "rollbacks" => &all.rollbacks,
            "batches" => &all.batches,
            _ => &client.reads,
        };
        Ok(counter.load(Ordering::Relaxed) as i64)
    })?;
    let all = shared.clone();
    db.create_scalar_function("tds_sessions", 0, flags, move |_| Ok(all.sessions_json()))?;
    let (major, babelfish) = (shared.options.version, shared.options.babelfish);
    db.create_scalar_function("serverproperty", 1, flags, move |context: &Context<'_>| {
        let [_, minor, high, low] = VERSION;
        Ok(match context.get::<String>(0)?.to_lowercase().as_str() {
            "productversion" => {
                Value::Text(format!("{major}.{minor}.{}.0", u16::from_be_bytes([high, low])))
            }
            "productmajorversion" => Value::Text(major.to_string()),
            "edition" => Value::Text("Developer Edition (64-bit)".into()),
            "engineedition" => Value::Integer(3),
            "isxtpsupported" => Value::Integer(1),
            "productlevel" => Value::Text("RTM".into()),
            "babelfish" if babelfish => Value::Integer(1),
            "collation" => Value::Text("Latin1_General_100_CI_AS_SC_UTF8".into()),
            _ => Value::Null,
        })
    })?;
    db.create_scalar_function("databasepropertyex", 2, flags, |_| Ok(Value::Null))
}

fn functions(db: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8;
    let fixed = flags | FunctionFlags::SQLITE_DETERMINISTIC;
    db.create_scalar_function("tds_now", 0, flags, |_| Ok(now()))?;
    db.create_scalar_function("tds_newid", 0, flags, |_| Ok(newid()))?;
    db.create_scalar_function("tds_len", 1, fixed, |context: &Context<'_>| {
        let text = context.get::<Option<String>>(0)?;
        Ok(text.map(|text| text.trim_end_matches(' ').chars().count() as i64))
    })?;
    db.create_aggregate_function("sum", 1, fixed, Sum)?;
    db.create_scalar_function("round", 3, fixed, |context: &Context<'_>| {
        let (number, digits) = (context.get::<Option<f64>>(0)?, context.get::<i32>(1)?);
        let (scale, cut) = (10_f64.powi(digits), context.get::<i64>(2)? != 0);
        // Decimals are stored as doubles, so a number slightly below a whole number must count as that whole number.
        let scaled = |number: f64| number * scale + if cut { number.signum() * 1e-6 } else { 0.0 };
        let whole = |number: f64| if cut { number.trunc() } else { number.round() };
        Ok(number.map(|number| whole(scaled(number)) / scale))
    })?;
    db.create_scalar_function("floor", 1, fixed, |context: &Context<'_>| {
        Ok(context.get::<Option<f64>>(0)?.map(f64::floor))
    })?;
    db.create_scalar_function("tds_base", 1, fixed, |context: &Context<'_>| {
        let name = context.get::<String>(0)?;
        let last = name.rsplit('.').next().unwrap_or_default();
        Ok(last.trim_matches(['[', ']', '"']).to_owned())
    })?;
    for (name, left) in [("tds_left", true), ("tds_right", false)] {
        db.create_scalar_function(name, 2, fixed, move |context: &Context<'_>| {
            let (text, count) = (context.get::<String>(0)?, context.get::<u32>(1)? as usize);
            let skipped = if left { 0 } else { text.chars().count().saturating_sub(count) };
            Ok(text.chars().skip(skipped).take(count).collect::<String>())
        })?;
    }
    db.create_scalar_function("tds_charindex", 2, fixed, |context: &Context<'_>| {
        let (part, text) = (context.get::<String>(0)?, context.get::<String>(1)?);
        Ok(text.find(&part).map_or(0, |at| text[..at].chars().count() as i64 + 1))
    })?;
    db.create_scalar_function("dateadd", 3, fixed, |context: &Context<'_>| {
        let (part, moment) = (context.get::<String>(0)?, context.get::<String>(2)?);
        Ok(dates::add(&part, context.get(1)?, &moment))
    })?;
    for name in ["datediff", "datediff_big"] {
        db.create_scalar_function(name, 3, fixed, |context: &Context<'_>| {
            let (part, from) = (context.get::<String>(0)?, context.get::<String>(1)?);
            Ok(dates::difference(&part, &from, &context.get::<String>(2)?))
        })?;
    }
    for (name, at) in [("year", 0..4), ("month", 5..7), ("day", 8..10)] {
        db.create_scalar_function(name, 1, fixed, move |context: &Context<'_>| {
            let text = context.get::<String>(0)?;
            Ok(text.get(at.clone()).and_then(|part| part.parse::<i64>().ok()))
        })?;
    }
    Ok(())
}

/// Aggregate function that adds decimals and rounds the sum to a millionth. Without rounding, the sum would depend on
/// the order of the decimals.
struct Sum;

impl Aggregate<Option<(i64, f64, bool)>, Value> for Sum {
    fn init(&self, _: &mut Context<'_>) -> rusqlite::Result<Option<(i64, f64, bool)>> {
        Ok(None)
    }

    fn step(
        &self,
        context: &mut Context<'_>,
        sum: &mut Option<(i64, f64, bool)>,
    ) -> rusqlite::Result<()> {
        let (whole, real, exact) = sum.unwrap_or((0, 0.0, true));
        *sum = match context.get::<Value>(0)? {
            Value::Null => return Ok(()),
            Value::Integer(number) => Some((whole.saturating_add(number), real, exact)),
            Value::Real(number) => Some((whole, real + number, false)),
            other => {
                return Err(Error::InvalidFunctionParameterType(0, other.data_type()));
            }
        };
        Ok(())
    }

    fn finalize(
        &self,
        _: &mut Context<'_>,
        sum: Option<Option<(i64, f64, bool)>>,
    ) -> rusqlite::Result<Value> {
        Ok(match sum.flatten() {
            None => Value::Null,
            Some((whole, _, true)) => Value::Integer(whole),
            Some((whole, real, false)) => Value::Real(((whole as f64 + real) * 1e6).round() / 1e6),
        })
    }
}

#[expect(clippy::disallowed_methods, reason = "a server has a clock of its own")]
fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH);
    let micros = since.unwrap_or_default().as_micros() as i64;
    let epoch = dates::parse("1970-01-01").unwrap_or_default();
    dates::text(epoch + micros * 10)
}

fn newid() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let [high, low] = [0; 2].map(|_: u8| RandomState::new().build_hasher().finish());
    let text = format!("{high:016X}{low:016X}");
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

/// Returns true if another transaction caused the error. The statement may succeed if the session waits and tries
/// again.
pub fn is_busy(error: &Error) -> bool {
    matches!(error, Error::SqliteFailure(failure, _)
        if failure.code == ErrorCode::DatabaseBusy && failure.extended_code != ffi::SQLITE_BUSY_SNAPSHOT)
}

/// Converts an error to the corresponding error of SQL Server.
pub fn trouble(error: &Error) -> Trouble {
    let (code, text) = match error {
        Error::SqliteFailure(failure, text) => {
            (failure.extended_code, text.clone().unwrap_or_default())
        }
        Error::SqlInputError { error, msg, .. } => (error.extended_code, msg.clone()),
        other => return Trouble::new(245, 16, other.to_string()),
    };
    let subject = text.rsplit(": ").next().unwrap_or_default().to_owned();
    let table = subject.split('.').next().unwrap_or_default().to_owned();
    let quoted = text.split('"').nth(1).unwrap_or(&subject).to_owned();
    let (number, class, text) = match code {
        ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => (
            2627,
            14,
            format!(
                "Violation of PRIMARY KEY constraint 'PK_{table}'. Cannot insert duplicate key in object 'dbo.{table}'."
            ),
        ),
        ffi::SQLITE_CONSTRAINT_UNIQUE => (
            2601,
            14,
            format!(
                "Cannot insert duplicate key row in object 'dbo.{table}' with unique index '{subject}'."
            ),
        ),
        ffi::SQLITE_CONSTRAINT_NOTNULL => (
            515,
            16,
            format!(
                "Cannot insert the value NULL into column '{subject}'; column does not allow nulls."
            ),
        ),
        ffi::SQLITE_CONSTRAINT_CHECK => match subject.parse() {
            Ok(8115) => {
                (8115, 16, "Arithmetic overflow error converting to data type numeric.".into())
            }
            Ok(2628) => (2628, 16, "String or binary data would be truncated.".into()),
            _ => (
                547,
                16,
                format!("The statement conflicted with the CHECK constraint \"{subject}\"."),
            ),
        },
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => {
            (547, 16, "The statement conflicted with a FOREIGN KEY constraint.".into())
        }
        ffi::SQLITE_BUSY_SNAPSHOT => (
            3960,
            16,
            "Snapshot isolation transaction aborted due to update conflict. Retry the transaction."
                .into(),
        ),
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => {
            (1222, 16, "Lock request time out period exceeded.".into())
        }
        ffi::SQLITE_INTERRUPT => (3617, 11, "The query was cancelled.".into()),
        ffi::SQLITE_FULL => (1105, 17, "Could not allocate space: the filegroup is full.".into()),
        _ if text.contains("no such table") && text.contains("DROP") => (3701, 11, text),
        _ if text.contains("no such table") => {
            (208, 16, format!("Invalid object name '{subject}'."))
        }
        _ if text.contains("no such column") || text.contains("has no column named") => {
            let name = subject.rsplit([' ', '.']).next().unwrap_or_default();
            (207, 16, format!("Invalid column name '{name}'."))
        }
        _ if text.contains("no such function") => {
            (195, 15, format!("'{subject}' is not a recognized built-in function name."))
        }
        _ if text.contains("syntax error") => {
            (102, 15, format!("Incorrect syntax near '{quoted}'."))
        }
        _ if text.contains("incomplete input") => {
            (102, 15, "Incorrect syntax near 'end of file'.".into())
        }
        _ if text.contains("already exists") => (
            2714,
            16,
            format!("There is already an object named '{quoted}' in the database ({text})."),
        ),
        _ if text.contains("overflow") => {
            (8115, 16, "Arithmetic overflow error converting to data type int.".into())
        }
        _ => (50_000, 16, text),
    };
    Trouble::new(number, class, text)
}

/// Returns an error requested by a test.
pub fn ordered(number: i32) -> Trouble {
    match number {
        1205 => Trouble::new(1205, 13, DEADLOCK),
        1222 => Trouble::new(1222, 16, "Lock request time out period exceeded."),
        number => Trouble::new(number, 16, format!("Error {number}, as the test asked for.")),
    }
}
