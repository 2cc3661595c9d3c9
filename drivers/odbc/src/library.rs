//! The functions of ODBC that are used here, from the driver manager that is found at run time.
//!
//! The only file with its function pointers. Their types are those of ODBC 3.8 on 64 bits; texts are
//! wide, so that no driver manager guesses their encoding. Start reading at [`find`].

#![expect(unsafe_code, reason = "ODBC is a C library")]

use std::error::Error as _;
use std::ffi::c_void;
use std::path::Path;
use std::sync::OnceLock;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Target;

use crate::config::Config;

/// `SQLHANDLE`: environment, connection or statement.
pub type Handle = *mut c_void;
/// `SQLRETURN`.
pub type Return = i16;

pub const SUCCESS: Return = 0;
pub const SUCCESS_WITH_INFO: Return = 1;
pub const NO_DATA: Return = 100;

/// What [`Library::alloc_handle`] makes.
pub const ENVIRONMENT: i16 = 1;
pub const CONNECTION: i16 = 2;
pub const STATEMENT: i16 = 3;

/// A length that goes with each value; this one says NULL.
pub const NULL_DATA: isize = -1;
/// A text ends with a null.
pub const NTS: i16 = -3;

macro_rules! functions {
    ($($name:ident = $symbol:literal: fn($($argument:ty),*);)*) => {
        /// The driver manager with its functions.
        pub struct Library {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> Return,)*
            // Last, and never unloaded: drivers may have threads that run until the process ends.
            _code: libloading::Library,
        }

        impl Library {
            fn load(library: libloading::Library) -> Result<Self, libloading::Error> {
                // SAFETY: the types are those of ODBC's headers.
                $(let $name: unsafe extern "C" fn($($argument),*) -> Return =
                    *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }?;)*
                Ok(Self { $($name,)* _code: library })
            }
        }
    };
}

functions! {
    alloc_handle = "SQLAllocHandle": fn(i16, Handle, *mut Handle);
    free_handle = "SQLFreeHandle": fn(i16, Handle);
    set_env_attr = "SQLSetEnvAttr": fn(Handle, i32, *mut c_void, i32);
    set_connect_attr = "SQLSetConnectAttrW": fn(Handle, i32, *mut c_void, i32);
    get_connect_attr = "SQLGetConnectAttrW": fn(Handle, i32, *mut c_void, i32, *mut i32);
    set_stmt_attr = "SQLSetStmtAttrW": fn(Handle, i32, *mut c_void, i32);
    driver_connect =
        "SQLDriverConnectW": fn(Handle, *mut c_void, *const u16, i16, *mut u16, i16, *mut i16, u16);
    disconnect = "SQLDisconnect": fn(Handle);
    get_info = "SQLGetInfoW": fn(Handle, u16, *mut c_void, i16, *mut i16);
    get_diag_rec =
        "SQLGetDiagRecW": fn(i16, Handle, i16, *mut u16, *mut i32, *mut u16, i16, *mut i16);
    prepare = "SQLPrepareW": fn(Handle, *const u16, i32);
    execute = "SQLExecute": fn(Handle);
    exec_direct = "SQLExecDirectW": fn(Handle, *const u16, i32);
    bind_parameter =
        "SQLBindParameter": fn(Handle, u16, i16, i16, i16, usize, i16, *mut c_void, isize, *mut isize);
    bind_col = "SQLBindCol": fn(Handle, u16, i16, *mut c_void, isize, *mut isize);
    exec_direct_bytes = "SQLExecDirect": fn(Handle, *const u8, i32);
    num_result_cols = "SQLNumResultCols": fn(Handle, *mut i16);
    describe_col =
        "SQLDescribeColW": fn(Handle, u16, *mut u16, i16, *mut i16, *mut i16, *mut usize, *mut i16, *mut i16);
    row_count = "SQLRowCount": fn(Handle, *mut isize);
    fetch = "SQLFetch": fn(Handle);
    get_data = "SQLGetData": fn(Handle, u16, i16, *mut c_void, isize, *mut isize);
    free_stmt = "SQLFreeStmt": fn(Handle, u16);
    end_tran = "SQLEndTran": fn(i16, Handle, i16);
    tables =
        "SQLTablesW": fn(Handle, *const u16, i16, *const u16, i16, *const u16, i16, *const u16, i16);
    columns =
        "SQLColumnsW": fn(Handle, *const u16, i16, *const u16, i16, *const u16, i16, *const u16, i16);
}

/// The driver manager, found once and kept: there is one in a process. Without a name it is looked for
/// where the system looks for libraries.
pub fn find(named: Option<&Path>) -> Result<&'static Library> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(|| open(named)).as_ref().map_err(|why| missing(why))
}

/// Where the driver manager was found.
pub fn described(target: Option<&Target>) -> Result<String> {
    let named = target.map(Config::from_target).transpose()?.and_then(|config| config.library);
    find(named.as_deref())?;
    let place = named
        .map_or("where the system has its libraries".into(), |path| path.display().to_string());
    Ok(format!("the ODBC driver manager, {place}"))
}

fn missing(why: &str) -> Error {
    Error::new(ErrorKind::Missing, format!("the ODBC driver manager cannot be loaded: {why}"))
        .hint("install unixODBC: the package unixodbc of Debian, Fedora or Homebrew")
        .hint("or name its library in the target: odbc:bench?library=/path/libodbc.so.2")
}

fn open(named: Option<&Path>) -> Result<Library, String> {
    let usual = ["libodbc.so.2", "libodbc.2.dylib", "odbc32.dll"].map(Path::new);
    let paths = named.as_ref().map_or(&usual[..], std::slice::from_ref);
    let mut why = String::new();
    for path in paths {
        // SAFETY: loading a driver manager runs no code that could harm us.
        match unsafe { libloading::Library::new(*path) }.and_then(Library::load) {
            Ok(library) => return Ok(library),
            Err(error) if why.is_empty() => {
                // The system's own words are in the source of the error.
                let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
                let path = path.display().to_string();
                why = if cause.starts_with(&path) { cause } else { format!("{path}: {cause}") };
            }
            Err(_) => {}
        }
    }
    Err(why)
}
