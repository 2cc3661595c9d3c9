//! SQL files and scripts of workloads.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tacho_driver::lexer::Syntax;

fuzz_target!(|text: &str| {
    let _ = tacho_driver::parse_sections(text);
    for syntax in [Syntax::STANDARD, Syntax::BACKSLASH] {
        let _ = tacho_driver::script::statements(text, syntax).count();
        let _ = tacho_driver::lexer::variables(text, syntax).count();
    }
});
