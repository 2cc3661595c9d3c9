//! A session for statements entered by the user. It returns rows as text and measures nothing.

use std::cell::RefCell;

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Session;
pub use tacho_driver::TextRows;

use crate::access::Access;
use crate::{Context, Request};

/// An open session. It must be used only on the thread that opened it.
pub struct TextSession {
    access: Access,
    context: Context,
    session: RefCell<Option<Box<dyn Session>>>,
}

impl TextSession {
    /// Opens a session on a job's database, which must already exist.
    pub fn open(request: Request<'_>) -> Result<Self> {
        let Request { job, context } = request;
        let access = Access::new(job)?;
        let session = RefCell::new(Some(access.connect(request)?));
        Ok(Self { access, context: context.clone(), session })
    }

    /// Executes a statement and returns its rows.
    pub fn rows(&self, sql: &str) -> Result<TextRows> {
        let mut held = self.session.borrow_mut();
        let session =
            held.as_mut().ok_or_else(|| Error::new(ErrorKind::Connect, "the session is closed"))?;
        self.access.unless_stopped(&self.context, session.text_rows(sql))
    }

    /// Closes the session.
    pub fn close(&self) -> Result<()> {
        match self.session.borrow_mut().take() {
            Some(session) => self.access.unless_stopped(&self.context, session.close()),
            None => Ok(()),
        }
    }
}
