//! Checks the glibc versions, libraries and load commands that a program requires, and reports
//! those that a supported system may lack.

use std::ops::Range;
use std::path::Path;

use object::Object;
use object::endian::LittleEndian;
use object::read::macho::{LoadCommandVariant, MachOFile64};

use crate::targets::{System, Target};
use crate::{read, signature};

/// Libraries that every system of this kind provides.
const LINUX: [&str; 6] =
    ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux"];
const MACOS: [&str; 2] = ["/usr/lib/libSystem", "/System/Library/Frameworks/"];
const MACOS_MORE: [&str; 4] =
    ["/usr/lib/libobjc", "/usr/lib/libiconv", "/usr/lib/libresolv", "/usr/lib/libcharset"];

/// Returns an error if the program needs anything from its system, such as a library, that the documentation does not
/// list as a requirement.
pub fn program(target: &Target, program: &Path) -> Result<(), String> {
    let content = read(program)?;
    let asked = match target.system {
        System::Linux => linux(target, &content),
        System::Windows => windows(&content),
        System::MacOs => macos(&content),
    };
    let asked = asked.map_err(|why| format!("{}: {why}", program.display()))?;
    println!("{:.1} MB, {asked}", content.len() as f64 / 1e6);
    Ok(())
}

fn linux(target: &Target, content: &[u8]) -> Result<String, String> {
    let needed = needed(content)?;
    let Some(limit) = target.glibc else {
        return match needed.as_slice() {
            [] => Ok("static".into()),
            some => Err(format!("must be statically linked, but requires {}", some.join(", "))),
        };
    };
    if let Some(odd) = needed.iter().find(|name| !LINUX.iter().any(|known| name.starts_with(known)))
    {
        return Err(format!("requires the library {odd}"));
    }
    let newest = glibc_versions(content).into_iter().max().unwrap_or_default();
    if newest > version(limit) {
        return Err(format!("requires glibc {newest:?}, but must run with {limit}"));
    }
    let newest: Vec<String> = newest.iter().map(u32::to_string).collect();
    Ok(format!("needs glibc {}, {}", newest.join("."), needed.join(" ")))
}

/// Returns the libraries that a program imports, for any executable format.
fn needed(content: &[u8]) -> Result<Vec<String>, String> {
    let failed = |error: object::Error| error.to_string();
    let file = object::File::parse(content).map_err(failed)?;
    let mut names = Vec::new();
    for library in file.import_libraries().map_err(failed)? {
        let name = library.map_err(failed)?.name().to_vec();
        names.push(String::from_utf8_lossy(&name).into_owned());
    }
    Ok(names)
}

/// Returns the glibc versions named in the program's string table, such as `GLIBC_2.14`.
fn glibc_versions(content: &[u8]) -> Vec<Vec<u32>> {
    content
        .split(|byte| *byte == 0)
        .filter_map(|text| std::str::from_utf8(text).ok()?.strip_prefix("GLIBC_"))
        .filter(|text| text.starts_with(|c: char| c.is_ascii_digit()))
        .map(version)
        .collect()
}

fn version(text: &str) -> Vec<u32> {
    text.split('.').filter_map(|number| number.parse().ok()).collect()
}

fn windows(content: &[u8]) -> Result<String, String> {
    let mut names: Vec<String> = needed(content)?.iter().map(|name| name.to_lowercase()).collect();
    names.sort();
    names.dedup();
    // These libraries belong to compilers and are not part of Windows.
    if let Some(odd) =
        names.iter().find(|name| name.starts_with("libgcc") || name.starts_with("libwinpthread"))
    {
        return Err(format!("requires the library {odd}"));
    }
    Ok(format!("needs {}", names.join(" ")))
}

fn macos(content: &[u8]) -> Result<String, String> {
    let failed = |error: object::Error| error.to_string();
    let file: MachOFile64<LittleEndian> = MachOFile64::parse(content).map_err(failed)?;
    let endian = file.endian();
    let (libraries, mut oldest) = (needed(content)?, None);
    let (_, signature) = identity(content)?;
    if let Some(signature) = signature {
        signature::check(content, signature)?;
    }
    let mut commands = file.macho_load_commands().map_err(failed)?;
    while let Some(command) = commands.next().map_err(failed)? {
        match command.variant().map_err(failed)? {
            LoadCommandVariant::BuildVersion(build, _) => oldest = Some(build.minos.get(endian)),
            LoadCommandVariant::VersionMin(minimum) => oldest = Some(minimum.version.get(endian)),
            _ => {}
        }
    }
    let known =
        |name: &String| MACOS.iter().chain(&MACOS_MORE).any(|known| name.starts_with(known));
    if let Some(odd) = libraries.iter().find(|name| !known(name)) {
        return Err(format!("requires the library {odd}"));
    }
    let oldest = oldest.ok_or("does not specify the required macOS version")?;
    let is_arm = matches!(file.architecture(), object::Architecture::Aarch64);
    if is_arm && signature.is_none() {
        return Err("programs for this processor must have at least an ad hoc signature".into());
    }
    let signed = if signature.is_some() { ", signed ad hoc" } else { "" };
    Ok(format!(
        "needs macOS {}.{}, {}{signed}",
        oldest.0 >> 16,
        oldest.0 >> 8 & 0xff,
        libraries.join(" ")
    ))
}

/// Returns the position of the identifier in a macOS program and, if the program is signed, the
/// position of the signature.
pub fn identity(content: &[u8]) -> Result<(Range<usize>, Option<usize>), String> {
    let failed = |error: object::Error| error.to_string();
    let file: MachOFile64<LittleEndian> = MachOFile64::parse(content).map_err(failed)?;
    let (mut id, mut signature) = (None, None);
    // The load commands follow the header.
    let mut offset = size_of::<object::macho::MachHeader64<LittleEndian>>();
    let mut commands = file.macho_load_commands().map_err(failed)?;
    while let Some(command) = commands.next().map_err(failed)? {
        match command.variant().map_err(failed)? {
            LoadCommandVariant::Uuid(_) => id = Some(offset + 8..offset + 24),
            LoadCommandVariant::LinkeditData(data)
                if command.cmd() == object::macho::LC_CODE_SIGNATURE =>
            {
                signature = Some(data.dataoff.get(file.endian()) as usize);
            }
            _ => {}
        }
        offset += command.cmdsize() as usize;
    }
    Ok((id.ok_or("the program has no identifier")?, signature))
}

/// Returns the range of bytes that contains a Windows program's link date.
pub fn place_of_date(content: &[u8]) -> Result<Range<usize>, String> {
    let head = content.get(0x3c..0x40).and_then(|bytes| bytes.try_into().ok());
    let date = head.map_or(0, u32::from_le_bytes) as usize + 8;
    let is_whole = content.starts_with(b"MZ") && content.len() >= date + 4;
    is_whole.then_some(date..date + 4).ok_or("not a Windows program".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_glibc_are_found_and_compared_as_numbers() {
        let found = glibc_versions(b"x\0GLIBC_2.17\0y\0GLIBC_2.4\0GLIBC_PRIVATE\0");
        assert_eq!(found.into_iter().max(), Some(vec![2, 17]));
        assert!(version("2.9") < version("2.17"));
    }

    #[test]
    fn this_very_program_needs_libraries() {
        let program = std::env::current_exe().expect("a program");
        let needed = needed(&read(&program).expect("read")).expect("names");
        assert!(needed.iter().any(|name| name == "libc.so.6"), "{needed:?}");
    }
}
