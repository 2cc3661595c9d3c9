//! The signature of a program for macOS, which ARM64 does not start without: the hash of each page.
//!
//! Its form is that of Apple's `cs_blobs.h`: numbers in network order, a list of blobs, one of them the code directory.

use sha2::{Digest, Sha256};

const DIRECTORY: u32 = 0xfade_0c02;
const LIST: u32 = 0xfade_0cc0;
/// The number of SHA-256 among the kinds of hashes.
const SHA256: u8 = 2;

/// Fails unless each page of `program` has the hash that the signature at `offset` holds.
pub fn check(program: &[u8], offset: usize) -> Result<(), String> {
    let signature = program.get(offset..).ok_or("the signature lies outside of the program")?;
    let directory = directory(signature).ok_or("the signature has no code directory")?;
    let pages = Pages::read(directory).ok_or("the code directory is cut off")?;
    let code = program.get(..pages.limit).ok_or("more is signed than the program has")?;
    let right = code.chunks(pages.size).map(|page| Sha256::digest(page).to_vec());
    if !right.eq(pages.hashes.chunks(32).map(<[u8]>::to_vec)) {
        return Err("its signature is that of another program".into());
    }
    Ok(())
}

/// What a code directory says of pages.
struct Pages<'a> {
    /// Bytes of the program that are signed: those before the signature.
    limit: usize,
    /// Bytes of a page.
    size: usize,
    hashes: &'a [u8],
}

impl<'a> Pages<'a> {
    fn read(directory: &'a [u8]) -> Option<Self> {
        let [count, limit] = [28, 32].map(|at| number(directory, at));
        let [hash, kind, _, page] = *directory.get(36..40)? else { return None };
        let start = number(directory, 16)?;
        let hashes = directory.get(start..start + count? * 32)?;
        let known = (hash, kind) == (32, SHA256);
        known.then_some(Self { limit: limit?, size: 1 << page.min(31), hashes })
    }
}

fn directory(signature: &[u8]) -> Option<&[u8]> {
    let magic = |blob: &[u8]| number(blob, 0);
    if magic(signature)? != LIST as usize {
        return None;
    }
    (0..number(signature, 8)?)
        .filter_map(|index| signature.get(number(signature, 12 + 8 * index + 4)?..))
        .find(|blob| magic(blob) == Some(DIRECTORY as usize))
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
    }

    #[test]
    fn a_signature_that_is_cut_off_is_an_error() {
        let program = signed();
        for length in 0..program.len() {
            assert!(check(&program[..length], 20).is_err(), "{length} bytes");
        }
    }
}
