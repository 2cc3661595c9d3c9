//! The part of DuckDB's C API that the driver uses, loaded at run time.
//!
//! The API's function pointers must be used only in this file. Their types are those of `duckdb.h` 1.5.
//!
//! All functions belong to the stable API, except those of the instance cache, which was added in version 1.2.
//!
//! Start reading at [`find`].

#![expect(unsafe_code, reason = "DuckDB is a C library")]

use std::error::Error as _;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::sync::OnceLock;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Target, foreign_library};

use crate::config::Config;

/// Return value of a successful call.
pub const SUCCESS: c_int = 0;

/// A DuckDB handle, such as a database, connection, statement, chunk or type.
pub type Handle = *mut c_void;

/// `duckdb_result`. Only DuckDB itself reads its fields.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawResult {
    deprecated: [u64; 3],
    pointers: [*mut c_void; 3],
}

impl RawResult {
    pub const EMPTY: Self = Self { deprecated: [0; 3], pointers: [std::ptr::null_mut(); 3] };
}

/// `duckdb_hugeint`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HugeInt {
    pub lower: u64,
    pub upper: i64,
}

/// `duckdb_decimal`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Decimal {
    pub width: u8,
    pub scale: u8,
    pub value: HugeInt,
}

macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The library and its functions.
        pub struct Library {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            /// The databases that this process has open, by file. They are shared, because DuckDB must not open a file
            /// twice.
            pub cache: Handle,
            // The library is declared last and never unloaded, because its threads may run until the process ends.
            _code: libloading::Library,
        }

        impl Library {
            fn load(library: libloading::Library) -> Result<Self, libloading::Error> {
                // SAFETY: the types match the C API.
                $(let $name: unsafe extern "C" fn($($argument),*) $(-> $result)? =
                    *unsafe { library.get(concat!("duckdb_", stringify!($name), "\0").as_bytes()) }?;)*
                let cache = std::ptr::null_mut();
                let mut loaded = Self { $($name,)* cache, _code: library };
                // SAFETY: the function takes no arguments and is called only once.
                loaded.cache = unsafe { (loaded.create_instance_cache)() };
                Ok(loaded)
            }
        }
    };
}

functions! {
    library_version: fn() -> *const c_char;
    create_instance_cache: fn() -> Handle;
    get_or_create_from_cache: fn(Handle, *const c_char, *mut Handle, Handle, *mut *mut c_char) -> c_int;
    create_config: fn(*mut Handle) -> c_int;
    set_config: fn(Handle, *const c_char, *const c_char) -> c_int;
    destroy_config: fn(*mut Handle);
    connect: fn(Handle, *mut Handle) -> c_int;
    disconnect: fn(*mut Handle);
    close: fn(*mut Handle);
    free: fn(*mut c_void);
    query: fn(Handle, *const c_char, *mut RawResult) -> c_int;
    destroy_result: fn(*mut RawResult);
    result_error: fn(*mut RawResult) -> *const c_char;
    column_count: fn(*mut RawResult) -> u64;
    rows_changed: fn(*mut RawResult) -> u64;
    fetch_chunk: fn(RawResult) -> Handle;
    prepare: fn(Handle, *const c_char, *mut Handle) -> c_int;
    prepare_error: fn(Handle) -> *const c_char;
    destroy_prepare: fn(*mut Handle);
    param_logical_type: fn(Handle, u64) -> Handle;
    execute_prepared: fn(Handle, *mut RawResult) -> c_int;
    bind_null: fn(Handle, u64) -> c_int;
    bind_int16: fn(Handle, u64, i16) -> c_int;
    bind_int32: fn(Handle, u64, i32) -> c_int;
    bind_int64: fn(Handle, u64, i64) -> c_int;
    bind_decimal: fn(Handle, u64, Decimal) -> c_int;
    bind_date: fn(Handle, u64, i32) -> c_int;
    bind_timestamp: fn(Handle, u64, i64) -> c_int;
    bind_varchar_length: fn(Handle, u64, *const c_char, u64) -> c_int;
    create_data_chunk: fn(*mut Handle, u64) -> Handle;
    destroy_data_chunk: fn(*mut Handle);
    data_chunk_reset: fn(Handle);
    data_chunk_get_vector: fn(Handle, u64) -> Handle;
    data_chunk_get_size: fn(Handle) -> u64;
    data_chunk_set_size: fn(Handle, u64);
    vector_size: fn() -> u64;
    vector_get_data: fn(Handle) -> *mut c_void;
    vector_get_validity: fn(Handle) -> *mut u64;
    vector_ensure_validity_writable: fn(Handle);
    vector_assign_string_element_len: fn(Handle, u64, *const c_char, u64);
    vector_get_column_type: fn(Handle) -> Handle;
    get_type_id: fn(Handle) -> c_int;
    decimal_width: fn(Handle) -> u8;
    decimal_scale: fn(Handle) -> u8;
    decimal_internal_type: fn(Handle) -> c_int;
    destroy_logical_type: fn(*mut Handle);
    appender_create: fn(Handle, *const c_char, *const c_char, *mut Handle) -> c_int;
    appender_column_count: fn(Handle) -> u64;
    appender_column_type: fn(Handle, u64) -> Handle;
    append_data_chunk: fn(Handle, Handle) -> c_int;
    appender_flush: fn(Handle) -> c_int;
    appender_error: fn(Handle) -> *const c_char;
    appender_clear: fn(Handle) -> c_int;
    appender_destroy: fn(*mut Handle) -> c_int;
}

// SAFETY: function pointers can be shared between threads, and a lock protects the cache.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Returns the library's version, such as `v1.5.6`.
    pub fn version(&self) -> String {
        // SAFETY: the library returns a constant string.
        text(unsafe { (self.library_version)() })
    }
}

/// Returns the library, which is loaded once, because a process can have only one DuckDB.
///
/// By default, Tacho searches the system's library folders.
pub fn find(named: Option<&Path>) -> Result<&'static Library> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(|| open(named)).as_ref().map_err(|why| missing(why))
}

/// Returns the library's version and path.
pub fn described(target: Option<&Target>) -> Result<String> {
    let named = match target {
        Some(target) => Config::from_target(target)?.library,
        None => None,
    };
    let version = find(named.as_deref())?.version();
    let place =
        named.map_or("in a system library folder".into(), |path| path.display().to_string());
    Ok(format!("library {version}, {place}"))
}

fn missing(why: &str) -> Error {
    Error::new(ErrorKind::Missing, format!("the DuckDB library cannot be loaded: {why}"))
        .hint(
            "the library is in the libduckdb archive of a DuckDB release, and in the npm package \
             @duckdb/node-bindings-linux-x64",
        )
        .hint(
            "put the library in a system library folder, or specify its path in the target: \
             duckdb:bench.db?library=/path/libduckdb.so",
        )
}

fn open(named: Option<&Path>) -> Result<Library, String> {
    let usual = ["libduckdb.so", "libduckdb.dylib", "duckdb.dll"].map(Path::new);
    let paths = named.as_ref().map_or(&usual[..], std::slice::from_ref);
    let mut why = String::new();
    for path in paths {
        // SAFETY: DuckDB runs no harmful initialization code when it is loaded.
        let loaded = unsafe { libloading::Library::new(*path) }.and_then(Library::load);
        match loaded {
            Ok(library) => return Ok(library),
            Err(error) if why.is_empty() => {
                // Include the operating system's error message, which tells why the library could not be loaded.
                let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
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

/// Copies a string that the library returned. A null pointer counts as an empty string.
pub fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the pointer is not null, and the library's strings are null-terminated.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// Converts to a C string. Null bytes are omitted.
pub fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).unwrap_or_default()
}
