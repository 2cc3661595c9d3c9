//! In which forms a database can be reached.

use tacho_core::{Error, ErrorKind, Form, Result};

use crate::Capabilities;

impl Capabilities {
    /// Fails if a database of these abilities cannot be reached in this form; `title` is its name, or
    /// what else it is called.
    ///
    /// # Errors
    /// Unsupported.
    pub fn require(&self, form: Form, title: &str) -> Result<()> {
        let lacks = match form {
            Form::Procedures if !self.procedures => "store routines",
            Form::Pipelined if !self.pipelining => "send several statements in one round trip",
            Form::Simple if !self.simple => "take statements as text",
            _ => return Ok(()),
        };
        let text = format!("form is {form}, but {title} cannot {lacks}");
        Err(Error::new(ErrorKind::Unsupported, text).hint("use --form sql"))
    }
}
