//! Fuzzes the parsers for messages between load hosts and for an agent's state file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tacho_cluster::{Letter, Part, Saved};

fuzz_target!(|bytes: &[u8]| {
    let _ = serde_json::from_slice::<Letter>(bytes);
    let _ = serde_json::from_slice::<Part>(bytes);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("share.jsonl");
    std::fs::write(&path, bytes).expect("a file");
    let _ = Saved::read(&path);
});
