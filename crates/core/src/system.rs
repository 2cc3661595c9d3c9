//! Properties of the platform that this program was built for.

/// Returns this program's C library, such as `gnu` or `musl`. Empty on platforms with only one C library.
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

/// Returns true if this program can load libraries at run time. A static program with musl cannot.
pub const fn loads_libraries() -> bool {
    !cfg!(all(target_env = "musl", target_feature = "crt-static"))
}
