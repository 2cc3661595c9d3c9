//! Checks whether a database supports a form.

use tacho_core::{Error, ErrorKind, Form, Result};

use crate::Capabilities;

impl Capabilities {
    /// Returns an error if a database with these capabilities does not support this form. `title` is the database's
    /// name.
    ///
    /// # Errors
    /// Returns an [`ErrorKind::Unsupported`] error if the database does not support the form.
    pub fn require(&self, form: Form, title: &str) -> Result<()> {
        let lacks = match form {
            Form::Procedures if !self.procedures => "run stored routines",
            Form::Pipelined if !self.pipelining => "send several statements in one round trip",
            Form::Simple if !self.simple => "accept statements as text",
            _ => return Ok(()),
        };
        let text = format!("form is {form}, but {title} cannot {lacks}");
        Err(Error::new(ErrorKind::Unsupported, text).hint("use --form sql"))
    }
}
