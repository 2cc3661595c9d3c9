//! Detects libraries that were built for another machine, because the operating system's own error messages are hard to
//! understand.
//!
//! Start reading at [`foreign_library`].

use std::io::Read;
use std::path::Path;

use tacho_core::{Error, ErrorKind, file};

/// Number of bytes to read from an ELF header, up to and including the machine code at offset 18.
const HEADER: usize = 20;
const CLASS: usize = 4;
const ORDER: usize = 5;
const MACHINE: usize = 18;
const BIG_ENDIAN: u8 = 2;
/// Machine codes in the ELF format.
const MACHINES: [(u16, &str); 6] =
    [(3, "x86"), (40, "arm"), (62, "x86_64"), (183, "aarch64"), (243, "riscv64"), (22, "s390x")];

/// Returns an error if a library was built for a different word size or processor than this program.
pub fn foreign_library(path: &Path) -> Option<Error> {
    let mut header = [0; HEADER];
    // This function is called only if the loader has rejected the file. The loader does not give the reason.
    file::open(path).ok()?.read_exact(&mut header).ok()?;
    let (bits, machine) = built_for(&header)?;
    let program = (usize::BITS, std::env::consts::ARCH);
    if (bits, machine) == program || bits == program.0 && machine.is_empty() {
        return None;
    }
    let what = |(bits, machine): (u32, &str)| match machine {
        "" => format!("{bits} bits"),
        machine => format!("{bits} bits on {machine}"),
    };
    let (theirs, ours) = (what((bits, machine)), what(program));
    let text =
        format!("{} is a library for {theirs}, but this program is for {ours}", path.display());
    let hint = format!("install the library for {}, or use another file", program.1);
    Some(Error::new(ErrorKind::Missing, text).hint(hint))
}

/// Returns the word size and processor for which an ELF file was built. The processor is empty if its code is unknown.
fn built_for(header: &[u8; HEADER]) -> Option<(u32, &'static str)> {
    if !header.starts_with(b"\x7fELF") {
        return None;
    }
    let bits = match header[CLASS] {
        1 => 32,
        2 => 64,
        _ => return None,
    };
    let machine = [header[MACHINE], header[MACHINE + 1]];
    let machine = match header[ORDER] {
        BIG_ENDIAN => u16::from_be_bytes(machine),
        _ => u16::from_le_bytes(machine),
    };
    let known = MACHINES.iter().find(|(number, _)| *number == machine);
    Some((bits, known.map_or("", |(_, name)| name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(class: u8, order: u8, machine: [u8; 2]) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..4].copy_from_slice(b"\x7fELF");
        (header[CLASS], header[ORDER]) = (class, order);
        header[MACHINE..].copy_from_slice(&machine);
        header
    }

    #[test]
    fn a_header_says_what_it_was_built_for() {
        assert_eq!(built_for(&header(1, 1, [3, 0])), Some((32, "x86")));
        assert_eq!(built_for(&header(2, 1, [62, 0])), Some((64, "x86_64")));
        assert_eq!(built_for(&header(2, 2, [0, 22])), Some((64, "s390x")));
        assert_eq!(built_for(&header(2, 1, [9, 9])), Some((64, "")));
        assert_eq!(built_for(&header(7, 1, [62, 0])), None);
        assert_eq!(built_for(&[0; HEADER]), None);
    }

    /// The executable of this test was built for this machine, so it must not be reported as foreign.
    #[test]
    #[cfg(target_os = "linux")]
    fn files_built_here_are_not_foreign() {
        let program = std::env::current_exe().expect("a file");
        assert!(foreign_library(&program).is_none());
        assert!(foreign_library(Path::new("/no/such.so")).is_none());
    }
}
