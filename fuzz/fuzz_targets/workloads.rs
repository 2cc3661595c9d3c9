//! Fuzzes the parser for `workload.toml`, which defines a workload in a folder.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("workload.toml"), text).expect("a file");
    let _ = tacho_registry::workload(&folder.path().display().to_string());
});
