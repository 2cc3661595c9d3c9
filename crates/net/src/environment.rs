//! The variables that the clients of a database read by custom, such as `PGHOST`.

/// Looks a variable up; an empty one counts as none.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A variable of the process.
#[expect(
    clippy::disallowed_methods,
    reason = "they are the interface of the databases' own clients"
)]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
