//! The ODBC functions that this crate uses, from a library loaded at run time.
//!
//! The function pointers use types from ODBC 3.8, and only this crate calls them. Text is always passed as UTF-16,
//! because libraries might misinterpret the encoding of single bytes.
//!
//! Start reading at [`Library::open`].

#![expect(unsafe_code, reason = "ODBC is a C library")]

use std::error::Error as _;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use tacho_driver::foreign_library;

/// `SQLHANDLE`: an environment, connection or statement.
pub type Handle = *mut c_void;
/// `SQLRETURN`.
pub type Return = i16;

pub const SUCCESS: Return = 0;
pub const SUCCESS_WITH_INFO: Return = 1;
pub const NO_DATA: Return = 100;

/// Handle types for [`Library::alloc_handle`].
pub const ENVIRONMENT: i16 = 1;
pub const CONNECTION: i16 = 2;
pub const STATEMENT: i16 = 3;

/// `SQLLEN` and `SQLULEN`, which have 64 bits in ODBC but 32 bits in some databases' libraries.
pub trait Length: Copy + Default + PartialEq + Send + Sync + 'static {
    /// Converts a number of bytes, characters or rows. In this crate, all such numbers are below 2^31, so the
    /// conversion cannot fail.
    fn of(number: isize) -> Self;
    /// Returns the length as a number.
    fn number(self) -> isize;
}

impl Length for isize {
    fn of(number: isize) -> Self {
        number
    }

    fn number(self) -> isize {
        self
    }
}

impl Length for i32 {
    fn of(number: isize) -> Self {
        number as Self
    }

    fn number(self) -> isize {
        self as isize
    }
}

/// A length that marks a value as NULL.
pub const NULL_DATA: isize = -1;
const ATTR_ODBC_VERSION: i32 = 200;
const ODBC_3: usize = 3;

/// A length that indicates a null-terminated string.
pub const NTS: i16 = -3;

macro_rules! functions {
    ($($name:ident = $symbol:literal: fn($($argument:ty),*);)*) => {
        /// A library with its functions and environment.
        pub struct Library<L> {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) -> Return,)*
            pub(crate) environment: Handle,
            // The code that the function pointers refer to. It is the last field, so that it would be dropped last.
            // In fact, the library is never unloaded, because its threads may run until the process exits.
            _code: libloading::Library,
        }

        #[cfg(test)]
        impl Library<isize> {
            /// Returns a library for tests. All its functions succeed without doing anything.
            pub(crate) fn stub() -> Self {
                type L = isize;
                Self {
                    $($name: {
                        unsafe extern "C" fn stub($(_: $argument),*) -> Return {
                            SUCCESS
                        }
                        stub
                    },)*
                    environment: null_mut(),
                    _code: libloading::os::unix::Library::this().into(),
                }
            }
        }

        impl<L: Length> Library<L> {
            fn load(library: libloading::Library) -> Result<Self, libloading::Error> {
                // SAFETY: the types match the ODBC headers.
                $(let $name: unsafe extern "C" fn($($argument),*) -> Return =
                    *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }?;)*
                Ok(Self { $($name,)* environment: null_mut(), _code: library })
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
        "SQLBindParameter": fn(Handle, u16, i16, i16, i16, L, i16, *mut c_void, L, *mut L);
    bind_col = "SQLBindCol": fn(Handle, u16, i16, *mut c_void, L, *mut L);
    exec_direct_bytes = "SQLExecDirect": fn(Handle, *const u8, i32);
    num_result_cols = "SQLNumResultCols": fn(Handle, *mut i16);
    describe_col =
        "SQLDescribeColW": fn(Handle, u16, *mut u16, i16, *mut i16, *mut i16, *mut L, *mut i16, *mut i16);
    row_count = "SQLRowCount": fn(Handle, *mut L);
    fetch = "SQLFetch": fn(Handle);
    cancel = "SQLCancel": fn(Handle);
    get_data = "SQLGetData": fn(Handle, u16, i16, *mut c_void, L, *mut L);
    free_stmt = "SQLFreeStmt": fn(Handle, u16);
    end_tran = "SQLEndTran": fn(i16, Handle, i16);
    tables =
        "SQLTablesW": fn(Handle, *const u16, i16, *const u16, i16, *const u16, i16, *const u16, i16);
    columns =
        "SQLColumnsW": fn(Handle, *const u16, i16, *const u16, i16, *const u16, i16, *const u16, i16);
}

// SAFETY: ODBC allows several threads to use the same environment, and the functions have no state of their own.
unsafe impl<L> Send for Library<L> {}
// SAFETY: as above.
unsafe impl<L> Sync for Library<L> {}

impl<L: Length> Library<L> {
    /// Loads the library at `path`, if a path is given. Otherwise, tries each of `names`, first in `folders` and then
    /// in the system's search path.
    ///
    /// # Errors
    /// Returns the system's error message if the library cannot be loaded.
    pub fn find(
        path: Option<&Path>,
        folders: impl IntoIterator<Item = PathBuf>,
        names: &[&str],
    ) -> Result<Self, String> {
        if let Some(path) = path {
            return Self::open(&[path]);
        }
        let within =
            folders.into_iter().flat_map(|folder| names.iter().map(move |n| folder.join(n)));
        let usual = within.filter(|path| path.exists()).chain(names.iter().map(PathBuf::from));
        Self::open(&usual.collect::<Vec<_>>())
    }

    /// Loads the first available library and creates its environment. A path without a folder is looked up in the
    /// system's search path.
    ///
    /// # Errors
    /// If none of the libraries can be loaded, returns the system's error message for the first path.
    fn open(paths: &[impl AsRef<Path>]) -> Result<Self, String> {
        let mut why = String::new();
        for path in paths.iter().map(AsRef::as_ref) {
            // SAFETY: loading an ODBC library does not run any code that could harm this process.
            match unsafe { libloading::Library::new(path) }.and_then(Self::load) {
                Ok(library) => return library.with_environment(),
                Err(error) if why.is_empty() => {
                    // The operating system's message is not in the error itself but in its source.
                    let cause =
                        error.source().map_or_else(|| error.to_string(), ToString::to_string);
                    let path = path.display().to_string();
                    why = if cause.starts_with(&path) { cause } else { format!("{path}: {cause}") };
                    if let Some(foreign) = foreign_library(path.as_ref()) {
                        foreign.message().clone_into(&mut why);
                    }
                }
                Err(_) => {}
            }
        }
        Err(why)
    }

    /// Creates the environment. A process needs only one, because it loads each driver only once.
    fn with_environment(mut self) -> Result<Self, String> {
        let mut handle = null_mut();
        // SAFETY: the handle is written to a valid location.
        let made = unsafe { (self.alloc_handle)(ENVIRONMENT, null_mut(), &raw mut handle) };
        // SAFETY: the attribute is a number that is passed in place of a pointer.
        let set =
            unsafe { (self.set_env_attr)(handle, ATTR_ODBC_VERSION, ODBC_3 as *mut c_void, 0) };
        self.environment = handle;
        let is_made = [made, set].iter().all(|code| [SUCCESS, SUCCESS_WITH_INFO].contains(code));
        if is_made { Ok(self) } else { Err("could not allocate an ODBC environment".into()) }
    }
}
