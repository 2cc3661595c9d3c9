//! The variables that every client of `PostgreSQL` reads, `PGHOST` to `PGSSLMODE`.

/// Looks a variable up; an empty one counts as none.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A variable of the process.
#[expect(clippy::disallowed_methods, reason = "the PG variables are libpq's interface")]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
