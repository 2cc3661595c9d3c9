//! All integration tests of this package, except those that need a separate process.

mod panic;
mod screens;
