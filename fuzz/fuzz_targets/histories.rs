//! Fuzzes the parsers for run histories and for histories in Elle's format.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("history.bin"), bytes).expect("a file");
    if let Ok(history) = tacho_store::HistoryFile::read(folder.path()) {
        let _ = tacho_isolation::check(&history);
    }
    let _ = tacho_driver::Operations::decode(bytes, |_| Ok(()));
    if let Ok(history) = tacho_isolation::read_elle(&String::from_utf8_lossy(bytes)) {
        let _ = tacho_isolation::check(&history);
    }
});
