//! SQL files of workloads, and scripts.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = tacho_driver::parse_sections(text);
    let _ = tacho_driver::script::statements(text).count();
});
