//! Permits for tests. A test waits for a permit before it starts a heavy server or measures times.
//!
//! A permit is a lock on a file that all test programs share, so it is released even if its holder crashes.
//!
//! Start reading at [`permit`].

#![expect(clippy::disallowed_methods, reason = "a test lives outside of the product")]

use std::fs::{File, OpenOptions};
use std::time::Duration;

/// A kind of activity that only a few tests may perform at the same time.
#[derive(Clone, Copy, Debug)]
pub enum Group {
    /// A run that must not be delayed. Even a delay of one second would change its result.
    Timing,
    /// The start of a heavy server. It keeps a core busy for several seconds.
    HeavyStart,
}

/// A permit, held until it is dropped.
#[derive(Debug)]
pub struct Permit(#[expect(dead_code, reason = "the lock is the permit")] File);

/// Waits for a permit.
#[expect(clippy::missing_panics_doc, reason = "a helper of tests fails by panicking")]
pub fn permit(group: Group) -> Permit {
    let folder = std::env::temp_dir().join("tacho-test-permits");
    std::fs::create_dir_all(&folder).expect("a folder for permits");
    let files: Vec<File> = (0..slots())
        .map(|slot| {
            let path = folder.join(format!("{group:?}-{slot}"));
            let mut options = OpenOptions::new();
            options.create(true).write(true).truncate(false).open(path).expect("a file to lock")
        })
        .collect();
    loop {
        if let Some(free) = files.iter().position(|slot| slot.try_lock().is_ok()) {
            return Permit(files.into_iter().nth(free).expect("the slot"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the number of permits for each group. It is half the number of cores, so that the rest is left to other
/// tests.
fn slots() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores / 2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permit_that_is_given_back_is_there_again() {
        let held: Vec<Permit> = (0..slots()).map(|_| permit(Group::HeavyStart)).collect();
        let waiting = std::thread::spawn(|| permit(Group::HeavyStart));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!waiting.is_finished());
        drop(held);
        drop(waiting.join().expect("a permit"));
    }
}
