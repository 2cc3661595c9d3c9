//! The virtual machine for scripts: values, expressions and programs, in no particular language.
//!
//! This code must not depend on the language of a script. Start reading at [`machine::Machine::eval`] and
//! [`execute::run`].

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
