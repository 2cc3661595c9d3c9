//! Variables that receive the OUT parameters of a called routine.
//!
//! Start reading at [`Variables`].

#![expect(unsafe_code, reason = "the driver writes through pointers")]

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::{Reply, Statement as Known};

use crate::buffers::{Column, Manner, declared};
use crate::handles::Statement;
use crate::library::Length;

const OUTPUT: i16 = 4;
/// Maximum length in characters of a text value that a routine returns. A longer value causes an error instead of being
/// truncated.
const TEXT_CHARS: usize = 1_000;

/// The variables of a statement, one for each field of its result.
pub struct Variables<L> {
    /// The columns are in a `Box`, because the driver keeps their addresses.
    all: Box<[Column<L>]>,
}

impl<L: Length> Variables<L> {
    /// Creates the variables of a statement, or returns `None` if the statement needs none.
    ///
    /// # Errors
    /// Returns a syntax error if the statement has no variable for one of the result's fields.
    pub fn of(known: &Known, manner: Manner) -> Result<Option<Self>> {
        let inputs = known.params.len();
        let stands = |place: usize| known.placeholders.iter().any(|at| usize::from(*at) == place);
        if !(0..known.results.len()).any(|at| stands(inputs + at)) {
            return Ok(None);
        }
        if let Some(at) = (0..known.results.len()).find(|at| !stands(inputs + at)) {
            let text = format!("the statement returns no value for :{}", known.results[at].name);
            return Err(Error::new(ErrorKind::Syntax, text));
        }
        let all = known.results.iter().map(|field| Column::new(field.kind, manner, TEXT_CHARS));
        Ok(Some(Self { all: all.collect() }))
    }

    /// Binds the variables to their placeholders.
    ///
    /// # Errors
    /// Returns any error reported by the driver.
    pub fn bind(&mut self, known: &Known, manner: Manner, statement: &Statement<L>) -> Result<()> {
        for (place, at) in (1..).zip(&known.placeholders) {
            let Some(at) = usize::from(*at).checked_sub(known.params.len()) else { continue };
            let column = &mut self.all[at];
            column.hold(1);
            let (kind, size, digits) = declared(column.kind, column.form, manner, TEXT_CHARS);
            // SAFETY: the memory does not move until the statement is dropped.
            statement.check(unsafe {
                (statement.library.bind_parameter)(
                    statement.handle,
                    place,
                    OUTPUT,
                    column.form.c_type(),
                    kind,
                    L::of(size as isize),
                    digits,
                    column.memory.as_mut_ptr().cast(),
                    L::of(column.width as isize),
                    column.lengths.as_mut_ptr(),
                )
            })?;
        }
        Ok(())
    }

    /// Reads the values that the routine returned. They form the only row of the result.
    ///
    /// # Errors
    /// Returns a protocol error if a value was truncated or does not have the expected type.
    pub fn read(&mut self, reply: &mut Reply) -> Result<()> {
        for column in &mut self.all {
            column.read(0, reply.values())?;
        }
        Ok(())
    }
}
