//! Fuzzes the parser for the file of acknowledged commits.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tacho_driver::CommitLog;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("commits.bin"), bytes).expect("a file");
    if let Ok(notes) = tacho_store::CommitNotes::open(folder.path()) {
        notes.found(0, bytes.len() as u64);
        let _ = notes.counts();
    }
});
