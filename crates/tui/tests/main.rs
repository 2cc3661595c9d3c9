//! All of this package's integration tests, except for those that need a separate process.

mod panic;
mod screens;
