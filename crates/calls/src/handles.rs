//! ODBC handles, each of which is freed when it is dropped.
//!
//! All calls of ODBC functions are in this file, except for those that use buffers for rows. Start reading at
//! [`Connection::open`].

#![expect(unsafe_code, reason = "ODBC is a C library")]

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Cancels, Dialect};

use crate::errors;
use crate::library::{
    CONNECTION, ENVIRONMENT, Handle, Length, Library, NO_DATA, NTS, Return, STATEMENT, SUCCESS,
    SUCCESS_WITH_INFO,
};
use crate::running::Running;

const ATTR_LOGIN_TIMEOUT: i32 = 103;
const ATTR_AUTOCOMMIT: i32 = 102;
const ATTR_CURRENT_CATALOG: i32 = 109;
const ATTR_CONNECTION_DEAD: i32 = 1209;
const ATTR_ROW_ARRAY_SIZE: i32 = 27;
const ATTR_ROWS_FETCHED: i32 = 26;
const ATTR_PARAMSET_SIZE: i32 = 22;
const ATTR_PARAMS_PROCESSED: i32 = 21;
const ATTR_PARAM_STATUS: i32 = 20;
const ATTR_QUERY_TIMEOUT: i32 = 0;
const ATTR_NOSCAN: i32 = 2;
const COMMIT: i16 = 0;
const ROLLBACK: i16 = 1;
const CLOSE: u16 = 0;
const DBMS_NAME: u16 = 17;
const DBMS_VERSION: u16 = 18;
const NO_PROMPT: u16 = 0;

/// Encodes a string for ODBC's wide functions, with a terminating null. Omits null characters within the string.
pub fn wide(text: &str) -> Vec<u16> {
    let mut wide = Vec::with_capacity(text.len() + 1);
    wide_into(text, &mut wide);
    wide
}

/// Encodes a string like [`wide`], but into a buffer that can be reused.
pub fn wide_into(text: &str, wide: &mut Vec<u16>) {
    wide.clear();
    wide.extend(text.encode_utf16().filter(|unit| *unit != 0));
    wide.push(0);
}

/// Decodes a string written by a wide function.
fn narrow(wide: &[u16]) -> String {
    let end = wide.iter().position(|unit| *unit == 0).unwrap_or(wide.len());
    String::from_utf16_lossy(&wide[..end])
}

fn is_ok(code: Return) -> bool {
    code == SUCCESS || code == SUCCESS_WITH_INFO
}

/// Returns true if the driver has noticed that its connection was lost.
fn is_dead<L>(library: &Library<L>, connection: Handle) -> bool {
    let (mut dead, mut length) = (0_u32, 0);
    // SAFETY: the attribute is a number of four bytes.
    let code = unsafe {
        let out = (&raw mut dead).cast();
        (library.get_connect_attr)(connection, ATTR_CONNECTION_DEAD, out, 4, &raw mut length)
    };
    is_ok(code) && dead == 1
}

/// A connection.
pub struct Connection<L: Length> {
    pub(crate) library: &'static Library<L>,
    handle: Handle,
    dialect: Arc<dyn Dialect>,
    reads_bytes: bool,
    running: Arc<Running<L>>,
    /// Time limit for statements in seconds, or 0 if there is none.
    limit: usize,
}

// SAFETY: a connection is used by only one thread at a time.
unsafe impl<L: Length> Send for Connection<L> {}

impl<L: Length> Connection<L> {
    /// Opens a connection with a connection string and a login time limit.
    ///
    /// # Errors
    /// Returns any error reported by the library, classified by the dialect.
    pub fn open(
        library: &'static Library<L>,
        text: &str,
        login_timeout: Duration,
        dialect: Arc<dyn Dialect>,
    ) -> Result<Self> {
        let (mut handle, environment) = (null_mut(), library.environment);
        // SAFETY: the handle is written to a valid location.
        let code = unsafe { (library.alloc_handle)(CONNECTION, environment, &raw mut handle) };
        if !is_ok(code) {
            return Err(errors::last(library, ENVIRONMENT, environment, &*dialect));
        }
        let running = Arc::new(Running::new(library));
        let connection = Self { library, handle, dialect, reads_bytes: false, running, limit: 0 };
        let seconds = login_timeout.as_secs().max(1) as usize;
        // Ignore errors. A driver that rejects this limit has its own.
        // SAFETY: the attribute is a number, which is passed instead of a pointer.
        let _ = unsafe {
            (library.set_connect_attr)(handle, ATTR_LOGIN_TIMEOUT, seconds as *mut c_void, 0)
        };
        let text = wide(text);
        // SAFETY: the string ends with a null, and nothing is written.
        let code = unsafe {
            let nothing = (null_mut(), 0, null_mut());
            let (out, room, length) = nothing;
            (library.driver_connect)(
                handle,
                null_mut(),
                text.as_ptr(),
                NTS,
                out,
                room,
                length,
                NO_PROMPT,
            )
        };
        connection.check(code).map_err(|error| match error.kind() {
            ErrorKind::Connect if error.hints().is_empty() => {
                error.hint("check the data source's host, port, database, user and password")
            }
            _ => error,
        })?;
        Ok(connection)
    }

    /// Requests text of unknown length as UTF-8 bytes in this session. This is necessary for drivers that use four
    /// bytes for every character of UTF-16 text.
    pub fn read_bytes(&mut self) {
        self.reads_bytes = true;
    }

    /// Limits the execution time of later statements to whole seconds, where zero means no limit. If the library
    /// cannot set the limit, executes a statement that sets it in the database.
    ///
    /// # Errors
    /// Returns an error of kind Unsupported if neither the library nor the database supports a limit.
    pub fn limit_statements(&mut self, limit: Duration) -> Result<()> {
        if limit.is_zero() {
            return Ok(());
        }
        let seconds = limit.as_secs_f64().ceil() as usize;
        if self.statement()?.set(ATTR_QUERY_TIMEOUT, seconds) {
            self.limit = seconds;
            return Ok(());
        }
        let words = self.dialect.statement_timeout(limit).ok_or_else(|| {
            let text = "neither the driver nor the database supports a statement timeout";
            Error::new(ErrorKind::Unsupported, text).hint("remove query-timeout")
        })?;
        self.run(&words).map_err(|error| error.during(words))
    }

    /// Allows another thread to cancel the statement running on this connection.
    pub fn add_to(&self, cancels: &Cancels) {
        cancels.add(&self.running);
    }

    fn check(&self, code: Return) -> Result<()> {
        if is_ok(code) {
            return Ok(());
        }
        Err(errors::last(self.library, CONNECTION, self.handle, &*self.dialect))
    }

    /// Creates a statement without text.
    pub fn statement(&self) -> Result<Statement<L>> {
        let mut handle = null_mut();
        // SAFETY: the handle is written to a valid location.
        self.check(unsafe {
            (self.library.alloc_handle)(STATEMENT, self.handle, &raw mut handle)
        })?;
        let dialect = Arc::clone(&self.dialect);
        let (library, reads_bytes) = (self.library, self.reads_bytes);
        let (connection, running) = (self.handle, Arc::clone(&self.running));
        let statement = Statement { library, handle, connection, dialect, reads_bytes, running };
        if self.limit > 0 {
            // Errors can be ignored, because the driver has accepted the same limit before.
            let _ = statement.set(ATTR_QUERY_TIMEOUT, self.limit);
        }
        Ok(statement)
    }

    /// Turns automatic commits after each statement on or off.
    pub fn set_autocommit(&self, on: bool) -> Result<()> {
        let value = usize::from(on) as *mut c_void;
        // SAFETY: the attribute is a number that is passed in place of a pointer.
        self.check(unsafe {
            (self.library.set_connect_attr)(self.handle, ATTR_AUTOCOMMIT, value, 0)
        })
    }

    /// Commits the transaction.
    pub fn commit(&self) -> Result<()> {
        // SAFETY: the handle is valid.
        self.check(unsafe { (self.library.end_tran)(CONNECTION, self.handle, COMMIT) })
    }

    /// Rolls back the transaction.
    pub fn roll_back(&self) -> Result<()> {
        // SAFETY: the handle is valid.
        self.check(unsafe { (self.library.end_tran)(CONNECTION, self.handle, ROLLBACK) })
    }

    /// Runs a statement that has no result.
    pub fn run(&self, sql: &str) -> Result<()> {
        self.statement()?.run(&wide(sql)).map(|_| ())
    }

    /// Returns the name and version of the database, as reported by the database.
    pub fn product(&self) -> String {
        [DBMS_NAME, DBMS_VERSION].map(|which| self.info(which)).join(" ")
    }

    /// Returns a property of the data source as text, or an empty string if the data source does not have it.
    pub fn info(&self, which: u16) -> String {
        let mut text = [0_u16; 256];
        let mut length = 0;
        let room = size_of_val(&text) as i16;
        // SAFETY: the driver does not write more than the size that is passed.
        let code = unsafe {
            let out = text.as_mut_ptr().cast();
            (self.library.get_info)(self.handle, which, out, room, &raw mut length)
        };
        if is_ok(code) { narrow(&text) } else { String::new() }
    }

    /// Returns the catalog for unqualified names, or an empty string if there are no catalogs.
    pub fn catalog(&self) -> String {
        let mut text = [0_u16; 256];
        let room = size_of_val(&text) as i32;
        let mut length = 0;
        // SAFETY: the driver does not write more than the size that is passed.
        let code = unsafe {
            let out = text.as_mut_ptr().cast();
            (self.library.get_connect_attr)(
                self.handle,
                ATTR_CURRENT_CATALOG,
                out,
                room,
                &raw mut length,
            )
        };
        if is_ok(code) { narrow(&text) } else { String::new() }
    }

    /// Closes the connection cleanly.
    pub fn close(self) -> Result<()> {
        // SAFETY: the handle is valid; dropping the connection frees it.
        self.check(unsafe { (self.library.disconnect)(self.handle) })
    }
}

impl<L: Length> Drop for Connection<L> {
    fn drop(&mut self) {
        // Roll back any open transaction, because some drivers otherwise refuse to disconnect. If connecting failed,
        // the calls do nothing.
        // SAFETY: the handles are valid and are used for the last time.
        unsafe {
            let _ = (self.library.end_tran)(CONNECTION, self.handle, ROLLBACK);
            let _ = (self.library.disconnect)(self.handle);
            let _ = (self.library.free_handle)(CONNECTION, self.handle);
        }
    }
}

/// The library's description of a result column.
pub struct Described {
    /// Name of the column.
    pub name: String,
    /// Maximum text length in characters, or 0 if there is no limit.
    pub chars: usize,
    /// Number of the SQL type.
    pub sql_type: i16,
}

/// A statement. It must be dropped before its connection.
pub struct Statement<L: Length> {
    pub(crate) library: &'static Library<L>,
    pub(crate) handle: Handle,
    connection: Handle,
    dialect: Arc<dyn Dialect>,
    /// Set by [`Connection::read_bytes`].
    pub(crate) reads_bytes: bool,
    running: Arc<Running<L>>,
}

// SAFETY: a statement is used by only one thread at a time.
unsafe impl<L: Length> Send for Statement<L> {}

impl<L: Length> Statement<L> {
    /// Converts a return code to a result. If the call failed, returns the error that the driver reported.
    #[inline]
    pub fn check(&self, code: Return) -> Result<()> {
        if is_ok(code) { Ok(()) } else { Err(self.failure()) }
    }

    /// Returns the error reported by the last call.
    #[cold]
    pub fn failure(&self) -> Error {
        let error = errors::last(self.library, STATEMENT, self.handle, &*self.dialect);
        if error.kind() == ErrorKind::Connect || !is_dead(self.library, self.connection) {
            return error;
        }
        // Some drivers have no error code for a lost connection, so set the kind of the error here.
        let code = error.native_code().unwrap_or_default();
        Error::new(ErrorKind::Connect, error.message()).code(code)
    }

    /// Converts a return code like [`Statement::check`]. Returns `false` if the driver reports that there was no data.
    #[inline]
    fn check_done(&self, code: Return) -> Result<bool> {
        if code == NO_DATA { Ok(false) } else { self.check(code).map(|()| true) }
    }

    /// Prepares a statement text.
    pub fn prepare(&self, sql: &str) -> Result<()> {
        let sql = wide(sql);
        // SAFETY: the string ends with a null.
        self.check(unsafe { (self.library.prepare)(self.handle, sql.as_ptr(), NTS.into()) })
    }

    /// Runs the prepared statement. Returns false if the statement changed nothing and has no result.
    #[inline]
    pub fn execute(&self) -> Result<bool> {
        let call = self.running.call(self.handle);
        // SAFETY: the bound memory lives as long as the statement.
        let code = unsafe { (self.library.execute)(self.handle) };
        drop(call);
        self.check_done(code)
    }

    /// Runs SQL text that was encoded by [`wide`]. The result is that of [`Statement::execute`].
    pub fn run(&self, sql: &[u16]) -> Result<bool> {
        let call = self.running.call(self.handle);
        // SAFETY: the string ends with a null.
        let code = unsafe { (self.library.exec_direct)(self.handle, sql.as_ptr(), NTS.into()) };
        drop(call);
        self.check_done(code)
    }

    /// Runs SQL text in UTF-8, which the driver receives unchanged. Returns the same as [`Statement::execute`].
    pub fn run_bytes(&self, sql: &[u8]) -> Result<bool> {
        let call = self.running.call(self.handle);
        // SAFETY: the driver does not read more bytes than the text has.
        let code = unsafe {
            (self.library.exec_direct_bytes)(self.handle, sql.as_ptr(), sql.len() as i32)
        };
        drop(call);
        self.check_done(code)
    }

    /// Makes the driver leave the text unchanged and ignore escape sequences in braces.
    pub fn as_it_is(&self) {
        // A driver that does not support this attribute keeps its default behavior.
        let _ = self.set(ATTR_NOSCAN, 1);
    }

    fn set(&self, attribute: i32, value: usize) -> bool {
        // SAFETY: the attribute is a number that is passed in place of a pointer.
        let code = unsafe {
            (self.library.set_stmt_attr)(self.handle, attribute, value as *mut c_void, 0)
        };
        code == SUCCESS
    }

    /// Makes the driver fetch `rows` rows in each call and write the number actually fetched to `fetched`. Returns
    /// false if the driver does not support this.
    pub fn fetch_blocks(&self, rows: usize, fetched: *mut L) -> bool {
        self.set(ATTR_ROW_ARRAY_SIZE, rows) && self.set(ATTR_ROWS_FETCHED, fetched as usize)
    }

    /// Makes the driver process several parameter sets in each call. The driver then writes the number of processed
    /// sets to the address in `taken`. Returns false if the driver does not support this.
    pub fn take_sets(&self, sets: usize, taken: *mut L) -> bool {
        self.set(ATTR_PARAMSET_SIZE, sets) && self.set(ATTR_PARAMS_PROCESSED, taken as usize)
    }

    /// Makes the driver write each parameter set's status to `states`, if it supports this.
    pub fn note_sets(&self, states: *mut u16) {
        let _ = self.set(ATTR_PARAM_STATUS, states as usize);
    }

    /// Returns the number of columns in the result.
    pub fn columns(&self) -> Result<usize> {
        let mut count = 0;
        // SAFETY: the number is written to a valid location.
        self.check(unsafe { (self.library.num_result_cols)(self.handle, &raw mut count) })?;
        Ok(count.max(0) as usize)
    }

    /// Returns the description of a column. Columns are counted from 1.
    pub fn column(&self, number: usize) -> Result<Described> {
        let (mut name, mut length, mut size) = ([0_u16; 128], 0, L::default());
        let (mut sql_type, mut digits, mut nullable) = (0, 0, 0);
        // SAFETY: the driver does not write more than the size that is passed.
        self.check(unsafe {
            (self.library.describe_col)(
                self.handle,
                number as u16,
                name.as_mut_ptr(),
                name.len() as i16,
                &raw mut length,
                &raw mut sql_type,
                &raw mut size,
                &raw mut digits,
                &raw mut nullable,
            )
        })?;
        Ok(Described { name: narrow(&name), chars: size.number().max(0) as usize, sql_type })
    }

    /// Returns the number of rows that were changed, or 0 if the driver does not know.
    #[inline]
    pub fn changed(&self) -> Result<u64> {
        let mut count = L::default();
        // SAFETY: the number is written to a valid location.
        self.check(unsafe { (self.library.row_count)(self.handle, &raw mut count) })?;
        Ok(count.number().max(0) as u64)
    }

    /// Fetches the next row or block. Returns false if there are no more rows.
    #[inline]
    pub fn fetch(&self) -> Result<bool> {
        let call = self.running.call(self.handle);
        // SAFETY: the bound memory lives as long as the statement.
        let code = unsafe { (self.library.fetch)(self.handle) };
        drop(call);
        self.check_done(code)
    }

    /// Closes the result so that the statement can be run again.
    #[inline]
    pub fn close(&self) -> Result<()> {
        // SAFETY: the handle is valid.
        self.check(unsafe { (self.library.free_stmt)(self.handle, CLOSE) })
    }

    /// Lists the tables in a catalog and schema. An empty name matches every catalog or schema.
    pub fn list_tables(&self, catalog: &str, schema: &str) -> Result<()> {
        let (catalog, schema, kind) = (named(catalog), named(schema), wide("TABLE"));
        // SAFETY: the strings end with a null.
        self.check(unsafe {
            (self.library.tables)(
                self.handle,
                at(catalog.as_ref()),
                NTS,
                at(schema.as_ref()),
                NTS,
                null(),
                0,
                kind.as_ptr(),
                NTS,
            )
        })
    }

    /// Lists the columns of all tables in a catalog and schema.
    pub fn list_columns(&self, catalog: &str, schema: &str) -> Result<()> {
        let (catalog, schema, all) = (named(catalog), named(schema), wide("%"));
        // SAFETY: the strings end with a null.
        self.check(unsafe {
            (self.library.columns)(
                self.handle,
                at(catalog.as_ref()),
                NTS,
                at(schema.as_ref()),
                NTS,
                all.as_ptr(),
                NTS,
                all.as_ptr(),
                NTS,
            )
        })
    }
}

fn named(name: &str) -> Option<Vec<u16>> {
    (!name.is_empty()).then(|| wide(name))
}

fn at(name: Option<&Vec<u16>>) -> *const u16 {
    name.map_or(null(), Vec::as_ptr)
}

impl<L: Length> Drop for Statement<L> {
    fn drop(&mut self) {
        // SAFETY: the handle is valid and is used for the last time.
        let _ = unsafe { (self.library.free_handle)(STATEMENT, self.handle) };
    }
}
