//! Bulk loading with DuckDB's appender, which receives chunks that are filled in place.

#![expect(unsafe_code, reason = "DuckDB is a C library")]

use std::ptr::null_mut;

use tacho_core::{Result, Table};
use tacho_driver::{RowSource, Values, next_rows};

use crate::errors::native;
use crate::handles::Connection;
use crate::library::{Handle, Library, SUCCESS, c_string, text};
use crate::vectors::Chunk;

/// Appends all rows within the open transaction.
pub fn append(
    connection: &Connection,
    table: &Table,
    rows: &mut dyn RowSource,
    batch: &mut Values,
) -> Result<u64> {
    let appender = Appender::new(connection, table)?;
    let mut chunk = Chunk::to_fill(appender.library, appender.types());
    // SAFETY: the library returns a constant.
    let room = unsafe { (appender.library.vector_size)() } as usize;
    let width = table.columns.len();
    let (mut loaded, mut filled) = (0, 0);
    loop {
        let count = next_rows(rows, batch, table)?;
        for row in 0..count {
            for column in 0..width {
                chunk.write(filled, column, batch.get(row * width + column))?;
            }
            filled += 1;
            if filled == room {
                appender.append(&mut chunk, std::mem::take(&mut filled))?;
            }
        }
        loaded += count as u64;
        if count == 0 {
            appender.append(&mut chunk, filled)?;
            return appender.finish().map(|()| loaded);
        }
    }
}

struct Appender {
    library: &'static Library,
    handle: Handle,
}

impl Appender {
    fn new(connection: &Connection, table: &Table) -> Result<Self> {
        let (library, name) = (connection.library, c_string(table.name));
        let mut appender = Self { library, handle: null_mut() };
        // SAFETY: the connection is open, the strings are C strings, and the pointer refers to a local variable.
        let state = unsafe {
            let place = &raw mut appender.handle;
            (library.appender_create)(connection.handle, std::ptr::null(), name.as_ptr(), place)
        };
        appender.checked(state).map(|()| appender)
    }

    fn types(&self) -> Vec<Handle> {
        // SAFETY: the appender is valid, and the caller owns the types.
        unsafe {
            let columns = (self.library.appender_column_count)(self.handle);
            (0..columns).map(|at| (self.library.appender_column_type)(self.handle, at)).collect()
        }
    }

    fn append(&self, chunk: &mut Chunk, rows: usize) -> Result<()> {
        if rows == 0 {
            return Ok(());
        }
        chunk.set_rows(rows);
        // SAFETY: the chunk was created with the appender's types.
        self.checked(unsafe { (self.library.append_data_chunk)(self.handle, chunk.handle) })?;
        chunk.reset();
        Ok(())
    }

    fn finish(&self) -> Result<()> {
        // SAFETY: the appender is valid.
        self.checked(unsafe { (self.library.appender_flush)(self.handle) })
    }

    fn checked(&self, state: std::ffi::c_int) -> Result<()> {
        if state == SUCCESS {
            return Ok(());
        }
        // SAFETY: the appender failed, so it has an error message.
        let error = native(&text(unsafe { (self.library.appender_error)(self.handle) }));
        // SAFETY: the appender is valid. Clearing it discards its rows, which would otherwise be appended again.
        unsafe { (self.library.appender_clear)(self.handle) };
        Err(error)
    }
}

impl Drop for Appender {
    fn drop(&mut self) {
        // SAFETY: this value owns the appender, whose rows have been written or discarded.
        unsafe { (self.library.appender_destroy)(&raw mut self.handle) };
    }
}
