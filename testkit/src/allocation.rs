//! An allocator that counts allocations, for testing code that must allocate little or nothing.
//!
//! To install it, a test program declares `#[global_allocator] static ALLOCATOR: Counting = Counting;`

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// The system's allocator. Calls to it are counted for each thread, and for all threads together.
#[derive(Clone, Copy, Debug)]
pub struct Counting;

static ALL_ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static ALL_BYTES: AtomicI64 = AtomicI64::new(0);

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    static BYTES: Cell<i64> = const { Cell::new(0) };
    static LEFT_OUT: Cell<bool> = const { Cell::new(false) };
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

/// Returns the number of allocations by this thread, excluding the test harness.
pub fn allocations() -> u64 {
    ALLOCATIONS.get()
}

/// Returns the number of bytes that this thread has allocated and not freed.
pub fn bytes() -> i64 {
    BYTES.get()
}

/// Returns the number of allocations by all threads that are not excluded.
pub fn all_allocations() -> u64 {
    ALL_ALLOCATIONS.load(Ordering::Relaxed)
}

/// Returns the number of bytes allocated and not freed by all threads that are not excluded.
pub fn all_bytes() -> i64 {
    ALL_BYTES.load(Ordering::Relaxed)
}

/// Returns the size of the largest block allocated by this thread since the previous call.
pub fn largest() -> usize {
    LARGEST.replace(0)
}

/// Excludes this thread from the totals of all threads.
pub fn leave_out() {
    LEFT_OUT.set(true);
}

fn count_block(size: usize) {
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(size)));
}

fn count(allocations: u64, bytes: i64) {
    // A thread that is exiting may have lost its counters already. Ignore this, because nobody reads them any more.
    let _ = ALLOCATIONS.try_with(|counter| counter.set(counter.get() + allocations));
    let _ = BYTES.try_with(|counter| counter.set(counter.get() + bytes));
    if !LEFT_OUT.try_with(Cell::get).unwrap_or(false) {
        ALL_ALLOCATIONS.fetch_add(allocations, Ordering::Relaxed);
        ALL_BYTES.fetch_add(bytes, Ordering::Relaxed);
    }
}

#[expect(unsafe_code, reason = "only a global allocator sees every allocation")]
// SAFETY: every call is forwarded unchanged to the system allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        count_block(layout.size());
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, -(layout.size() as i64));
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as i64 - layout.size() as i64);
        count_block(size);
        // SAFETY: the caller upholds the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
