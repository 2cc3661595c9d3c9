//! The signature of a program for macOS, which ARM64 does not start without: the hash of each page.
//!
//! Its form is that of Apple's `cs_blobs.h`: numbers in network order, a list of blobs, one of them the code directory.

use std::ops::Range;

use sha2::{Digest, Sha256};

const DIRECTORY: u32 = 0xfade_0c02;
const LIST: u32 = 0xfade_0cc0;
/// The number of SHA-256 among the kinds of hashes.
const SHA256: u8 = 2;

/// Fails unless each page of `program` has the hash that the signature at `offset` holds.
pub fn check(program: &[u8], offset: usize) -> Result<(), String> {
    let pages = Pages::read(program, offset)?;
    if program[pages.hashes.clone()] != pages.hashes_of(program) {
        return Err("its signature is that of another program".into());
    }
    Ok(())
}

/// Writes the hashes of a program that was changed to the signature at `offset`.
pub fn renew(program: &mut [u8], offset: usize) -> Result<(), String> {
    let pages = Pages::read(program, offset)?;
    let hashes = pages.hashes_of(program);
    program[pages.hashes].copy_from_slice(&hashes);
    Ok(())
}

/// What a code directory says of pages.
struct Pages {
    /// Bytes of the program that are signed: those before the signature.
    limit: usize,
    /// Bytes of a page.
    size: usize,
    /// Where the hashes are in the program.
    hashes: Range<usize>,
}

impl Pages {
    fn read(program: &[u8], offset: usize) -> Result<Self, String> {
        let signature = program.get(offset..).ok_or("the signature lies outside of the program")?;
        let start = directory(signature).ok_or("the signature has no code directory")?;
        let pages = Self::of(&signature[start..], offset + start);
        let pages = pages.ok_or("the code directory is unknown or cut off")?;
        let whole = pages.limit <= offset && pages.hashes.end <= program.len();
        let all = pages.limit.div_ceil(pages.size) * 32 == pages.hashes.len();
        if whole && all {
            Ok(pages)
        } else {
            Err("the code directory is of another program".into())
        }
    }

    fn of(directory: &[u8], offset: usize) -> Option<Self> {
        let [hash, kind, _, page] = *directory.get(36..40)? else { return None };
        let [start, count, limit] = [16, 28, 32].map(|at| number(directory, at));
        let start = offset + start?;
        let hashes = start..start + count? * 32;
        let known = (hash, kind) == (32, SHA256);
        known.then_some(Self { limit: limit?, size: 1 << page.min(31), hashes })
    }

    fn hashes_of(&self, program: &[u8]) -> Vec<u8> {
        program[..self.limit].chunks(self.size).flat_map(Sha256::digest).collect()
    }
}

/// Where the code directory begins.
fn directory(signature: &[u8]) -> Option<usize> {
    let magic = |blob: &[u8]| number(blob, 0);
    if magic(signature)? != LIST as usize {
        return None;
    }
    (0..number(signature, 8)?)
        .filter_map(|index| number(signature, 12 + 8 * index + 4))
        .find(|start| signature.get(*start..).and_then(magic) == Some(DIRECTORY as usize))
}

fn number(content: &[u8], at: usize) -> Option<usize> {
    let bytes = content.get(at..at + 4)?.try_into().ok()?;
    Some(u32::from_be_bytes(bytes) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pages of 16 bytes, the second one short, and their signature.
    fn signed() -> Vec<u8> {
        let code: Vec<u8> = (0..20).collect();
        let mut directory = vec![0; 40];
        for (at, value) in [(0, DIRECTORY), (16, 40), (28, 2), (32, 20)] {
            directory[at..at + 4].copy_from_slice(&value.to_be_bytes());
        }
        directory[36..40].copy_from_slice(&[32, SHA256, 0, 4]);
        for page in code.chunks(16) {
            directory.extend(Sha256::digest(page));
        }
        let list = [LIST, 0, 1, 0, 20].map(u32::to_be_bytes).concat();
        [code, list, directory].concat()
    }

    #[test]
    fn a_changed_byte_is_found() {
        let mut program = signed();
        assert_eq!(check(&program, 20), Ok(()));
        program[17] ^= 1;
        assert_eq!(check(&program, 20), Err("its signature is that of another program".into()));
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
