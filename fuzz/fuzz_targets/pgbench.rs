//! Scripts of pgbench.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("own.sql");
    std::fs::write(&path, text).expect("a file");
    let _ = tacho_registry::workload(&format!("pgbench:{}", path.display()));
});
