//! The machine of scripts: values, expressions and programs, whatever language they are written in.
//!
//! It must never know a language. Start reading at [`machine::Machine::eval`] and [`execute::run`].

pub mod client;
pub mod execute;
pub mod functions;
pub mod machine;
pub mod no_tables;
pub mod program;
pub mod source;
pub mod tokens;
pub mod value;

mod mixing;
pub mod numbers;
