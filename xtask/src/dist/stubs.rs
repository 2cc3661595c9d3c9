//! What stands for the SDK of macOS when a program is linked: of each library of the system its place and
//! the symbols that the program takes from it, as `macos.txt` lists them.
//!
//! A crate that takes another symbol does not link: the linker names the symbol, and it is added to the list.
//! Start reading at [`write_sdk`].

use std::path::{Path, PathBuf};

use super::write;

const LIST: &str = include_str!("macos.txt");

/// A library of the system.
#[derive(Debug, PartialEq)]
struct Library<'a> {
    name: &'a str,
    symbols: Vec<&'a str>,
}

/// The libraries of the list; a line that is not indented is a library's name.
fn libraries(text: &str) -> Vec<Library<'_>> {
    let mut all: Vec<Library<'_>> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match (line.strip_prefix("  "), all.last_mut()) {
            (Some(symbol), Some(last)) => last.symbols.push(symbol),
            _ => all.push(Library { name: line, symbols: Vec::new() }),
        }
    }
    all
}

impl Library<'_> {
    /// Where macOS has it, and where its stub is in an SDK. All are frameworks but Objective-C's.
    fn places(&self) -> [String; 2] {
        match self.name {
            "objc" => ["/usr/lib/libobjc.A.dylib".into(), "usr/lib/libobjc.tbd".into()],
            name => {
                let folder = format!("System/Library/Frameworks/{name}.framework");
                [format!("/{folder}/Versions/A/{name}"), format!("{folder}/{name}.tbd")]
            }
        }
    }

    /// Its stub, a text-based definition of a dynamic library, version 4.
    fn stub(&self) -> String {
        const TARGETS: &str = "[ x86_64-macos, arm64-macos ]";
        let [place, _] = self.places();
        let head =
            format!("--- !tapi-tbd\ntbd-version: 4\ntargets: {TARGETS}\ninstall-name: {place}\n");
        let exports = match self.symbols.join(", ") {
            symbols if symbols.is_empty() => String::new(),
            symbols => format!("exports:\n  - targets: {TARGETS}\n    symbols: [ {symbols} ]\n"),
        };
        format!("{head}{exports}...\n")
    }
}

/// Writes the stubs below a folder of tools; the root of the SDK.
pub fn write_sdk(tools: &Path) -> Result<PathBuf, String> {
    let sdk = tools.join("macos");
    for library in libraries(LIST) {
        let [_, stub] = library.places();
        let stub = sdk.join(stub);
        let folder = stub.parent().ok_or("a stub without a folder")?;
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("make {}: {error}", folder.display()))?;
        write(&stub, library.stub().as_bytes())?;
    }
    Ok(sdk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_names_its_place_and_its_symbols() {
        let all = libraries("# why\nIOKit\n  _IOa\n  _kIOb\nobjc\n");
        assert_eq!(all[0].symbols, ["_IOa", "_kIOb"]);
        let place = "/System/Library/Frameworks/IOKit.framework/Versions/A/IOKit";
        assert!(all[0].stub().contains(&format!("install-name: {place}\n")));
        assert!(all[0].stub().contains("symbols: [ _IOa, _kIOb ]"));
        assert!(!all[1].stub().contains("exports"));
        assert_eq!(libraries(LIST).len(), 5);
    }
}
