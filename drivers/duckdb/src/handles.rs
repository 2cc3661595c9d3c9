//! DuckDB handles that are released when dropped.
//!
//! Start reading at [`Database`].

#![expect(unsafe_code, reason = "DuckDB is a C library")]

use std::ffi::CStr;
use std::ptr::null_mut;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Value, ValueKind};

use crate::config::Config;
use crate::errors::native;
use crate::library::{Decimal, Handle, HugeInt, Library, RawResult, SUCCESS, c_string, text};
use crate::vectors::{Chunk, DAY_US, Shape};

/// An open database file. If this process opens the same file several times, all of them share one database.
pub struct Database {
    library: &'static Library,
    handle: Handle,
    path: String,
}

/// A connection, which keeps its database open for as long as it exists.
pub struct Connection {
    pub library: &'static Library,
    pub handle: Handle,
    // The database is declared after the handle, because fields are dropped in this order and the database must be
    // closed last.
    database: Database,
}

/// A prepared statement. It must be dropped before its connection.
pub struct Prepared {
    library: &'static Library,
    handle: Handle,
    /// The parameter types that DuckDB chose. A value of any other type would make DuckDB plan the statement again.
    params: Vec<Shape>,
}

/// A statement's complete result, held in memory.
pub struct Answer {
    library: &'static Library,
    raw: RawResult,
}

// SAFETY: handles may move between threads if only one thread uses them at a time. `&mut` and the session's own thread
// ensure this.
unsafe impl Send for Database {}
// SAFETY: as above.
unsafe impl Send for Connection {}
// SAFETY: as above.
unsafe impl Send for Prepared {}

impl Database {
    /// Opens the file, or shares its database if this process has already opened it.
    pub fn open(library: &'static Library, config: &Config) -> Result<Self> {
        let opening = |error: Error| error.during(format!("open {}", config.path.display()));
        config.check_path().map_err(opening)?;
        Self::opened(library, &config.path.to_string_lossy(), &config.settings).map_err(opening)
    }

    /// Creates an in-memory database with DuckDB's default settings.
    pub fn in_memory(library: &'static Library) -> Result<Self> {
        Self::opened(library, ":memory:", &[])
    }

    fn opened(
        library: &'static Library,
        path: &str,
        wished: &[(&'static str, String)],
    ) -> Result<Self> {
        let name = path;
        let mut settings = null_mut();
        // SAFETY: the call fills a new handle.
        unsafe { (library.create_config)(&raw mut settings) };
        let mut refused = None;
        for (key, value) in wished {
            let (name, value) = (c_string(key), c_string(value));
            // SAFETY: the C strings live until the call returns.
            if unsafe { (library.set_config)(settings, name.as_ptr(), value.as_ptr()) } != SUCCESS {
                refused = Some(
                    Error::usage(format!("DuckDB does not accept this value for {key}"))
                        .hint("write memory_limit as a size, such as 4GB or 512MB, and threads as a number"),
                );
            }
        }
        let (mut handle, mut why) = (null_mut(), null_mut());
        let path = c_string(path);
        let state = if refused.is_none() {
            // SAFETY: all pointers refer to local variables.
            unsafe {
                (library.get_or_create_from_cache)(
                    library.cache,
                    path.as_ptr(),
                    &raw mut handle,
                    settings,
                    &raw mut why,
                )
            }
        } else {
            SUCCESS
        };
        // SAFETY: this function created the handle and no longer uses it.
        unsafe { (library.destroy_config)(&raw mut settings) };
        if let Some(refused) = refused {
            return Err(refused);
        }
        if state != SUCCESS {
            let error = native(&text(why));
            // SAFETY: the string was allocated for the caller.
            unsafe { (library.free)(why.cast()) };
            return Err(error);
        }
        Ok(Self { library, handle, path: name.into() })
    }

    /// Opens a separate connection.
    pub fn connect(self) -> Result<Connection> {
        let (library, mut handle) = (self.library, null_mut());
        // SAFETY: the database is open, and the pointer refers to a local variable.
        if unsafe { (library.connect)(self.handle, &raw mut handle) } != SUCCESS {
            return Err(Error::new(ErrorKind::Connect, "DuckDB could not open a connection"));
        }
        Ok(Connection { library, handle, database: self })
    }
}

impl Connection {
    /// Returns the path of the file.
    pub fn path(&self) -> &str {
        &self.database.path
    }

    /// Runs statements without parameters. Returns the first result that has rows, or the last result if none has.
    pub fn query(&self, sql: &str) -> Result<Answer> {
        self.query_c(&c_string(sql))
    }

    /// Like [`Self::query`], but takes a C string.
    pub fn query_c(&self, sql: &CStr) -> Result<Answer> {
        let mut answer = Answer { library: self.library, raw: RawResult::EMPTY };
        // SAFETY: the string is null-terminated, and `Answer` releases the result.
        let state = unsafe { (self.library.query)(self.handle, sql.as_ptr(), &raw mut answer.raw) };
        answer.checked(state)
    }

    /// Prepares a statement.
    pub fn prepare(&self, sql: &str, params: usize) -> Result<Prepared> {
        let (library, sql) = (self.library, c_string(sql));
        let mut prepared = Prepared { library, handle: null_mut(), params: Vec::new() };
        // SAFETY: as above.
        let state =
            unsafe { (library.prepare)(self.handle, sql.as_ptr(), &raw mut prepared.handle) };
        if state != SUCCESS {
            // SAFETY: the statement failed, so its error message is valid.
            return Err(native(&text(unsafe { (library.prepare_error)(prepared.handle) })));
        }
        prepared.params = (1..=params as u64)
            // SAFETY: the returned type belongs to the caller, and `Shape` releases it.
            .map(|at| {
                Shape::of(library, unsafe { (library.param_logical_type)(prepared.handle, at) })
            })
            .collect();
        Ok(prepared)
    }
}

impl Prepared {
    /// Binds a value to the parameter at this zero-based index. Uses the expected type if the value fits into it.
    #[inline]
    pub fn bind(&self, place: usize, value: Value<'_>, kind: ValueKind) -> Result<()> {
        let (library, statement, at) = (self.library, self.handle, place as u64 + 1);
        let shape = self.params.get(place).copied().unwrap_or(Shape::OTHER);
        // SAFETY: the statement is prepared, and strings are copied before the call returns.
        let state = unsafe {
            match value {
                Value::Null => (library.bind_null)(statement, at),
                Value::Int(number) => match shape {
                    Shape::SMALLINT if i16::try_from(number).is_ok() => {
                        (library.bind_int16)(statement, at, number as i16)
                    }
                    Shape::INTEGER if i32::try_from(number).is_ok() => {
                        (library.bind_int32)(statement, at, number as i32)
                    }
                    _ => (library.bind_int64)(statement, at, number),
                },
                Value::Decimal(unscaled) => {
                    let decimal = decimal(unscaled, kind, shape)?;
                    (library.bind_decimal)(statement, at, decimal)
                }
                Value::Time(micros) if shape == Shape::DATE && micros % DAY_US == 0 => {
                    (library.bind_date)(statement, at, (micros / DAY_US) as i32)
                }
                Value::Time(micros) => (library.bind_timestamp)(statement, at, micros),
                Value::Text(text) => {
                    let length = text.len() as u64;
                    (library.bind_varchar_length)(statement, at, text.as_ptr().cast(), length)
                }
            }
        };
        if state == SUCCESS { Ok(()) } else { Err(unbound(place)) }
    }

    pub fn execute(&self) -> Result<Answer> {
        let mut answer = Answer { library: self.library, raw: RawResult::EMPTY };
        // SAFETY: the statement is prepared, and `Answer` releases the result.
        let state = unsafe { (self.library.execute_prepared)(self.handle, &raw mut answer.raw) };
        answer.checked(state)
    }
}

/// Maximum number of decimal digits that Tacho can represent.
const WIDTH: u8 = 18;

fn decimal(unscaled: i64, kind: ValueKind, shape: Shape) -> Result<Decimal> {
    let ValueKind::Decimal(bound_scale) = kind else {
        return Err(Error::usage(
            "a decimal value was bound to a parameter that is not declared as a decimal",
        ));
    };
    let (width, scale, value) = match shape.decimal {
        Some((width, scale)) if scale >= bound_scale => {
            (width, scale, i128::from(unscaled) * 10_i128.pow(u32::from(scale - bound_scale)))
        }
        _ => (WIDTH, bound_scale, i128::from(unscaled)),
    };
    // Check the width here, because DuckDB would store a decimal with more digits than declared.
    if value.unsigned_abs() >= 10_u128.pow(width.into()) {
        let text = format!(
            "a decimal has more than {width} digits, including {scale} after the decimal point"
        );
        return Err(Error::new(ErrorKind::Constraint, text));
    }
    // The lower half is unsigned, and the upper half contains the sign.
    let value = HugeInt { lower: value as u64, upper: (value >> 64) as i64 };
    Ok(Decimal { width, scale, value })
}

#[cold]
fn unbound(place: usize) -> Error {
    Error::usage(format!("parameter {} cannot be bound", place + 1))
}

impl Answer {
    fn checked(mut self, state: std::ffi::c_int) -> Result<Self> {
        if state == SUCCESS {
            return Ok(self);
        }
        // SAFETY: the result is an error, so it has an error message.
        Err(native(&text(unsafe { (self.library.result_error)(&raw mut self.raw) })))
    }

    /// Returns the number of columns.
    pub fn columns(&mut self) -> usize {
        // SAFETY: the result is valid.
        (unsafe { (self.library.column_count)(&raw mut self.raw) }) as usize
    }

    /// Returns the number of rows written.
    pub fn changed(&mut self) -> u64 {
        // SAFETY: the result is valid.
        unsafe { (self.library.rows_changed)(&raw mut self.raw) }
    }

    /// Returns the next chunk of rows, or `None` at the end.
    pub fn chunk(&mut self) -> Option<Chunk> {
        // SAFETY: the result is valid, and the caller owns the chunk.
        Chunk::fetched(self.library, unsafe { (self.library.fetch_chunk)(self.raw) })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: this value owns the handle, which is no longer used.
        unsafe { (self.library.close)(&raw mut self.handle) };
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: this value owns the handle, which is no longer used. Any open transaction is rolled back.
        unsafe { (self.library.disconnect)(&raw mut self.handle) };
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { (self.library.destroy_prepare)(&raw mut self.handle) };
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { (self.library.destroy_result)(&raw mut self.raw) };
    }
}
