//! Functions that prove to the server that the client knows the password, without revealing it. There is one function
//! for each authentication method.
//!
//! No function here may leave a password in a string that might be displayed.

use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::{Scalar, clamp_integer};
use ring::digest::{self, Algorithm, SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA512};

fn hash(algorithm: &'static Algorithm, parts: &[&[u8]]) -> Vec<u8> {
    let mut context = digest::Context::new(algorithm);
    for part in parts {
        context.update(part);
    }
    context.finish().as_ref().to_vec()
}

/// Returns the bitwise XOR of the text and the mask. The mask is repeated to the length of the text.
pub fn masked(text: &[u8], mask: &[u8]) -> Vec<u8> {
    text.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask).collect()
}

/// `mysql_native_password`: SHA1(p) ⊕ SHA1(challenge, SHA1(SHA1(p))).
pub fn native(password: &[u8], challenge: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    let sha1 = |parts: &[&[u8]]| hash(&SHA1_FOR_LEGACY_USE_ONLY, parts);
    let once = sha1(&[password]);
    masked(&once, &sha1(&[challenge, &sha1(&[&once])]))
}

/// `caching_sha2_password`: SHA256(p) ⊕ SHA256(SHA256(SHA256(p)), challenge).
pub fn caching_sha2(password: &[u8], challenge: &[u8]) -> Vec<u8> {
    if password.is_empty() {
        return Vec::new();
    }
    let sha256 = |parts: &[&[u8]]| hash(&SHA256, parts);
    let once = sha256(&[password]);
    masked(&once, &sha256(&[&sha256(&[&once]), challenge]))
}

/// `client_ed25519`: an Ed25519 signature of the challenge, with the password as the secret.
/// Signature libraries cannot compute this proof, because they accept only secrets of 32 bytes, whereas a password can
/// have any length.
pub fn ed25519(password: &[u8], challenge: &[u8]) -> Vec<u8> {
    let sha512 = |parts: &[&[u8]]| hash(&SHA512, parts);
    let wide = |bytes: Vec<u8>| {
        let mut wide = [0; 64];
        wide.copy_from_slice(&bytes);
        wide
    };
    let secret = wide(sha512(&[password]));
    let (lower, prefix) = secret.split_at(32);
    let mut half = [0; 32];
    half.copy_from_slice(lower);
    let key = Scalar::from_bytes_mod_order(clamp_integer(half));
    let public = EdwardsPoint::mul_base(&key).compress();
    let nonce = Scalar::from_bytes_mod_order_wide(&wide(sha512(&[prefix, challenge])));
    let point = EdwardsPoint::mul_base(&nonce).compress();
    let seen = wide(sha512(&[point.as_bytes(), public.as_bytes(), challenge]));
    let proof = nonce + Scalar::from_bytes_mod_order_wide(&seen) * key;
    [*point.as_bytes(), proof.to_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

    use super::*;

    #[test]
    fn proofs_agree_with_the_definitions() {
        let once = hash(&SHA1_FOR_LEGACY_USE_ONLY, &[b"pw"]);
        let proof = native(b"pw", b"01234567890123456789");
        // Check the proof in the same way as the server, which stores SHA1(SHA1(password)) and recovers SHA1(password)
        // from the proof.
        let kept = hash(&SHA1_FOR_LEGACY_USE_ONLY, &[&once]);
        let part = hash(&SHA1_FOR_LEGACY_USE_ONLY, &[b"01234567890123456789", &kept]);
        assert_eq!(masked(&proof, &part), once);
        assert_eq!(caching_sha2(b"pw", b"0123").len(), 32);
        assert!(native(b"", b"x").is_empty() && caching_sha2(b"", b"x").is_empty());
    }

    /// Any 32-byte password is also a valid Ed25519 secret, so a signature library must produce the same signature for
    /// it.
    #[test]
    fn signatures_are_those_of_ed25519() {
        let secret = [b'p'; 32];
        let pair = Ed25519KeyPair::from_seed_unchecked(&secret).expect("a secret");
        let proof = ed25519(&secret, b"challenge");
        assert_eq!(proof, pair.sign(b"challenge").as_ref());
        let public = UnparsedPublicKey::new(&ED25519, pair.public_key().as_ref().to_vec());
        assert!(public.verify(b"challenge", &proof).is_ok());
        assert_eq!(ed25519(b"short", b"c").len(), 64);
    }
}
