//! Encrypts a password with the server's public key, for connections without TLS. Uses RSA with OAEP and SHA-1.
//!
//! This module only encrypts with a public key, so it needs no private key. Its only secret is the padded password,
//! which is used once.
//!
//! RFC 8017, section 7.1, defines the padding.

use num_bigint::BigUint;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use ring::rand::{SecureRandom, SystemRandom};
use rustls::pki_types::SubjectPublicKeyInfoDer;
use rustls::pki_types::pem::PemObject;
use tacho_core::{Error, ErrorKind, Result};
use tacho_net::unexpected;

use super::scramble::masked;

const HASH_BYTES: usize = 20;
/// DER tags.
const INTEGER: u8 = 0x02;
const BITS: u8 = 0x03;
const SEQUENCE: u8 = 0x30;

/// Encrypts a short string with the public key from this PEM file.
pub fn encrypt(text: &[u8], pem: &[u8]) -> Result<Vec<u8>> {
    let key = SubjectPublicKeyInfoDer::from_pem_slice(pem).map_err(|_| no_key())?;
    let (modulus, exponent) = public_key(&key).ok_or_else(no_key)?;
    let size = (modulus.bits() as usize).div_ceil(8);
    let mut seed = [0; HASH_BYTES];
    let filled = SystemRandom::new().fill(&mut seed);
    filled.map_err(|_| {
        Error::new(ErrorKind::Resource, "could not get random numbers from the operating system")
    })?;
    let padded = padded(text, size, &seed)?;
    let encrypted = BigUint::from_bytes_be(&padded).modpow(&exponent, &modulus).to_bytes_be();
    Ok([vec![0; size - encrypted.len()], encrypted].concat())
}

/// Returns the padded block: a zero byte, the masked seed, and the masked data.
///
/// Before it is masked, the data consists of the hash of an empty label, zeros, a one, and the text.
fn padded(text: &[u8], size: usize, seed: &[u8]) -> Result<Vec<u8>> {
    let room = size.checked_sub(text.len() + 2 * HASH_BYTES + 2);
    let room = room.ok_or_else(|| {
        Error::usage("the password is too long for the server's public key")
            .hint("connect over TLS or through the Unix socket")
    })?;
    let label = digest(&SHA1_FOR_LEGACY_USE_ONLY, b"");
    let block = [label.as_ref(), &vec![0; room], &[1], text].concat();
    let block = masked(&block, &mask(seed, block.len()));
    let seed = masked(seed, &mask(&block, HASH_BYTES));
    Ok([vec![0], seed, block].concat())
}

/// Derives a mask of `length` bytes from a seed with MGF1.
fn mask(seed: &[u8], length: usize) -> Vec<u8> {
    let count = length.div_ceil(HASH_BYTES) as u32;
    let part = |number: u32| {
        digest(&SHA1_FOR_LEGACY_USE_ONLY, &[seed, &number.to_be_bytes()].concat()).as_ref().to_vec()
    };
    let mut mask: Vec<u8> = (0..count).flat_map(part).collect();
    mask.truncate(length);
    mask
}

/// Returns a public key's modulus and exponent. In DER, a key is a sequence of the algorithm and a bit string that
/// contains these two numbers.
fn public_key(info: &[u8]) -> Option<(BigUint, BigUint)> {
    let (outer, _) = element(info, SEQUENCE)?;
    let (_, rest) = element(outer, SEQUENCE)?;
    let (bits, _) = element(rest, BITS)?;
    let (numbers, _) = element(bits.strip_prefix(&[0])?, SEQUENCE)?;
    let (modulus, rest) = element(numbers, INTEGER)?;
    let (exponent, _) = element(rest, INTEGER)?;
    let modulus = BigUint::from_bytes_be(modulus);
    (modulus.bits() > 0).then(|| (modulus, BigUint::from_bytes_be(exponent)))
}

/// Returns the contents of a DER element that has this tag, and the bytes that follow the element.
fn element(bytes: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    let (&[tag, first], mut rest) = bytes.split_first_chunk()?;
    let mut length = usize::from(first);
    if first & 0x80 != 0 {
        let (digits, after) = rest.split_at_checked(usize::from(first & 0x7F))?;
        let value = |sum: usize, digit: &u8| sum.checked_mul(256)?.checked_add(usize::from(*digit));
        (length, rest) = (digits.iter().try_fold(0, value)?, after);
    }
    if tag == wanted { rest.split_at_checked(length) } else { None }
}

fn no_key() -> Error {
    unexpected("no public key")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_padded_text_can_be_taken_out_again() -> Result<()> {
        let padded = padded(b"secret\0", 128, &[7; HASH_BYTES])?;
        assert_eq!((padded.len(), padded[0]), (128, 0));
        let (seed, block) = padded[1..].split_at(HASH_BYTES);
        let seed = masked(seed, &mask(block, HASH_BYTES));
        assert_eq!(seed, [7; HASH_BYTES]);
        let block = masked(block, &mask(&seed, block.len()));
        assert!(block.starts_with(digest(&SHA1_FOR_LEGACY_USE_ONLY, b"").as_ref()));
        assert!(block.ends_with(b"\0\x01secret\0"));
        assert!(super::padded(&[1; 100], 128, &[7; HASH_BYTES]).is_err());
        Ok(())
    }

    #[test]
    fn rejects_invalid_keys() {
        for pem in ["", "-----BEGIN PUBLIC KEY-----\nMAA=\n-----END PUBLIC KEY-----\n"] {
            assert!(encrypt(b"text", pem.as_bytes()).is_err(), "{pem}");
        }
    }
}
