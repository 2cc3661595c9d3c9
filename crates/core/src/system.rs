//! What this program is built for.

/// The C library that it is built with, such as `gnu` or `musl`; empty where there is but one.
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

/// Whether it can load libraries at run time: a static program with musl cannot.
pub const fn loads_libraries() -> bool {
    !cfg!(all(target_env = "musl", target_feature = "crt-static"))
}
