//! Properties of the platform that this program was built for.

/// Returns the C library that this program is linked with, such as `gnu` or `musl`. On platforms with only one C
/// library, the result is empty.
pub const fn c_library() -> &'static str {
    if cfg!(target_env = "gnu") {
        "gnu"
    } else if cfg!(target_env = "musl") {
        "musl"
    } else if cfg!(target_env = "msvc") {
        "msvc"
    } else {
        ""
    }
}

/// Returns true if this program can load libraries at run time. A program that is linked statically with musl cannot.
pub const fn loads_libraries() -> bool {
    !cfg!(all(target_env = "musl", target_feature = "crt-static"))
}
