//! Tests with a stub driver that reports wrong row counts. It claims to have fetched rows that it did not write,
//! or to have processed fewer rows than it received.

#![expect(unsafe_code, reason = "the stub is called as if it were a C library")]

use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::Arc;
use std::time::Duration;

use tacho_core::{Column, ErrorKind, Result, Storage, Table, Type};
use tacho_driver::{Dialect, Field, Reply, RowSource, ValueKind, Values};

use crate::buffers::{Columns, Manner};
use crate::handles::Connection;
use crate::library::{Handle, Library, NO_DATA, Return, SUCCESS};
use crate::load;

const ROWS_FETCHED: i32 = 26;
const PARAMSET_SIZE: i32 = 22;
const PARAMS_PROCESSED: i32 = 21;

/// The requests that the stub driver received, and how it should behave.
#[derive(Default)]
struct Driver {
    fetched: usize,
    numbers: usize,
    lengths: usize,
    sets: usize,
    taken: usize,
    /// Two numbers for each block: how many rows the driver claims to have fetched, and how many it has actually
    /// written.
    blocks: Vec<(isize, usize)>,
    /// Number of parameter sets that the driver leaves unprocessed.
    leaves: isize,
}

thread_local! {
    static DRIVER: RefCell<Driver> = RefCell::default();
}

unsafe extern "C" fn set_stmt_attr(_: Handle, what: i32, value: *mut c_void, _: i32) -> Return {
    DRIVER.with_borrow_mut(|driver| match what {
        ROWS_FETCHED => driver.fetched = value as usize,
        PARAMSET_SIZE => driver.sets = value as usize,
        PARAMS_PROCESSED => driver.taken = value as usize,
        _ => {}
    });
    SUCCESS
}

unsafe extern "C" fn num_result_cols(_: Handle, count: *mut i16) -> Return {
    // SAFETY: the caller passes a valid pointer.
    unsafe { count.write(1) };
    SUCCESS
}

unsafe extern "C" fn bind_col(
    _: Handle,
    _: u16,
    _: i16,
    memory: *mut c_void,
    _: isize,
    lengths: *mut isize,
) -> Return {
    DRIVER.with_borrow_mut(|driver| {
        (driver.numbers, driver.lengths) = (memory as usize, lengths as usize);
    });
    SUCCESS
}

unsafe extern "C" fn fetch(_: Handle) -> Return {
    DRIVER.with_borrow_mut(|driver| {
        if driver.blocks.is_empty() {
            return NO_DATA;
        }
        let (says, writes) = driver.blocks.remove(0);
        // SAFETY: the bound memory exists and is large enough for more rows than are written.
        unsafe {
            (driver.fetched as *mut isize).write(says);
            for row in 0..writes {
                (driver.numbers as *mut i64).add(row).write(row as i64);
                (driver.lengths as *mut isize).add(row).write(8);
            }
        }
        SUCCESS
    })
}

unsafe extern "C" fn execute(_: Handle) -> Return {
    DRIVER.with_borrow(|driver| {
        let taken = driver.sets as isize - driver.leaves;
        // SAFETY: the bound memory exists.
        unsafe { (driver.taken as *mut isize).write(taken) };
    });
    SUCCESS
}

/// Reports no error.
unsafe extern "C" fn get_diag_rec(
    _: i16,
    _: Handle,
    _: i16,
    _: *mut u16,
    _: *mut i32,
    _: *mut u16,
    _: i16,
    _: *mut i16,
) -> Return {
    NO_DATA
}

struct Plain;

impl Dialect for Plain {
    fn id(&self) -> &'static str {
        "plain"
    }

    fn placeholder(&self, _: usize, sql: &mut String) {
        sql.push('?');
    }

    fn row_limit(&self, _: &str, _: &mut String) {}

    fn analyze(&self, _: &[Table]) -> String {
        String::new()
    }
}

fn connection() -> Result<Connection<isize>> {
    let mut library = Library::stub();
    library.set_stmt_attr = set_stmt_attr;
    library.num_result_cols = num_result_cols;
    library.bind_col = bind_col;
    library.fetch = fetch;
    library.execute = execute;
    library.get_diag_rec = get_diag_rec;
    Connection::open(Box::leak(Box::new(library)), "", Duration::ZERO, Arc::new(Plain))
}

/// Returns the number of rows read from a result that consists of these blocks.
fn rows(blocks: &[(isize, usize)]) -> Result<u64> {
    let connection = connection()?;
    let statement = connection.statement()?;
    let field = Field { name: "n".into(), kind: ValueKind::Int };
    let mut columns = Columns::bind(&[field], Manner::default(), &statement)?;
    DRIVER.with_borrow_mut(|driver| driver.blocks = blocks.to_vec());
    let mut reply = Reply::default();
    reply.start(1);
    columns.read_all(&statement, &mut reply)
}

#[test]
fn rows_that_were_not_written_are_an_error() {
    assert_eq!(rows(&[(4, 4), (2, 2)]).ok(), Some(6));
    assert_eq!(rows(&[]).ok(), Some(0));
    // Values that remain in memory from an earlier block must not be read as rows of this block.
    for (blocks, text) in [
        (&[(4, 3)][..], "fewer than 4 rows"),
        (&[(4, 4), (4, 0)][..], "fewer than 1 rows"),
        (&[(100_000, 4)][..], "fetched 100000 of"),
        (&[(0, 0)][..], "fetched 0 of"),
        (&[(-1, 0)][..], "fetched -1 of"),
    ] {
        let error = rows(blocks).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
        assert!(error.to_string().contains(text), "{error}");
    }
}

/// A source with this many rows.
struct Numbers(usize);

impl RowSource for Numbers {
    fn next_batch(&mut self, rows: &mut Values) -> usize {
        let count = self.0.min(100);
        self.0 -= count;
        (0..count).for_each(|number| rows.int(number as i64));
        count
    }
}

#[test]
fn rows_that_were_not_taken_are_an_error() -> Result<()> {
    let column = Column { name: "n", ty: Type::Int, nullable: false, declared: None };
    let table =
        Table { name: "t", columns: vec![column], storage: Storage::default(), ..Table::default() };
    let insert = |count, leaves| {
        DRIVER.with_borrow_mut(|driver| driver.leaves = leaves);
        load::insert(&connection()?, Manner::default(), 1, &table, &mut Numbers(count))
    };
    assert_eq!(insert(1_000, 0)?, 1_000);
    let error = insert(1_000, 2).expect_err("rows are missing");
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    assert!(error.to_string().contains("accepted 510 of 512 rows"), "{error}");
    assert!(error.hints().iter().any(|hint| hint.contains("arrays=off")), "{error}");
    Ok(())
}
