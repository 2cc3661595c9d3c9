//! Targets as users write them.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(target) = tacho_driver::Target::parse(text) {
        let _ = target.redacted();
    }
});
