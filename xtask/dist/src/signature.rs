//! The signature of a macOS program, with a hash of each page. ARM64 systems do not start unsigned programs.
//!
//! Apple's `cs_blobs.h` defines the format: a list of blobs in network byte order, one of which is
//! the code directory with the hashes.

use std::ops::Range;

use sha2::{Digest, Sha256};

const DIRECTORY: usize = 0xfade_0c02;
const LIST: usize = 0xfade_0cc0;
/// Length of a SHA-256 hash, and the number by which signatures refer to this type of hash.
const SHA256: [u8; 2] = [32, 2];

/// Returns an error unless the hashes of all pages of `program` match the signature at `offset`.
pub fn check(program: &[u8], offset: usize) -> Result<(), String> {
    let (place, hashes) = hashes(program, offset)?;
    if program[place] == hashes {
        Ok(())
    } else {
        Err("the program does not match its signature".into())
    }
}

/// Updates the hashes in the signature at `offset` after the program has been modified.
pub fn renew(program: &mut [u8], offset: usize) -> Result<(), String> {
    let (place, hashes) = hashes(program, offset)?;
    program[place].copy_from_slice(&hashes);
    Ok(())
}

/// Returns the position of the hashes in the program, and newly computed hashes of its pages.
fn hashes(program: &[u8], offset: usize) -> Result<(Range<usize>, Vec<u8>), String> {
    let found = directory(program, offset).and_then(|directory| {
        let [start, count, limit] = [16, 28, 32].map(|at| number(program, directory + at));
        let &[length, kind, _, page] = program.get(directory + 36..directory + 40)? else {
            return None;
        };
        let start = directory + start?;
        // The signature does not cover itself.
        let signed = program.get(..limit?).filter(|signed| signed.len() <= offset)?;
        let hashes = signed.chunks(1 << page.min(31)).flat_map(Sha256::digest).collect::<Vec<u8>>();
        let place = start..start + hashes.len();
        let fits =
            [length, kind] == SHA256 && count? * 32 == hashes.len() && place.end <= program.len();
        fits.then_some((place, hashes))
    });
    found.ok_or("the program's signature is truncated or has an unknown format".into())
}

/// Returns the start of the code directory.
fn directory(program: &[u8], offset: usize) -> Option<usize> {
    if number(program, offset)? != LIST {
        return None;
    }
    let starts =
        (0..number(program, offset + 8)?).map(|index| number(program, offset + 16 + 8 * index));
    let mut starts = starts.map_while(|start| Some(offset + start?));
    starts.find(|start| number(program, *start) == Some(DIRECTORY))
}

fn number(content: &[u8], at: usize) -> Option<usize> {
    let bytes = content.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_be_bytes(bytes) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a program of two pages, followed by its signature. A page has 16 bytes, and the
    /// second one is incomplete.
    fn signed() -> Vec<u8> {
        let code: Vec<u8> = (0..20).collect();
        let mut directory = vec![0; 40];
        for (at, value) in [(0, DIRECTORY), (16, 40), (28, 2), (32, 20)] {
            directory[at..at + 4].copy_from_slice(&(value as u32).to_be_bytes());
        }
        directory[36..40].copy_from_slice(&[32, 2, 0, 4]);
        directory.extend(code.chunks(16).flat_map(Sha256::digest));
        let list = [LIST as u32, 0, 1, 0, 20].map(u32::to_be_bytes).concat();
        [code, list, directory].concat()
    }

    #[test]
    fn a_changed_byte_is_found() {
        let mut program = signed();
        assert_eq!(check(&program, 20), Ok(()));
        program[17] ^= 1;
        assert_eq!(check(&program, 20), Err("the program does not match its signature".into()));
        assert_eq!(renew(&mut program, 20), Ok(()));
        assert_eq!(check(&program, 20), Ok(()));
    }

    #[test]
    fn a_signature_that_is_cut_off_is_an_error() {
        let program = signed();
        for length in 0..program.len() {
            assert!(check(&program[..length], 20).is_err(), "{length} bytes");
        }
    }
}
