//! The channel binding `tls-server-end-point` (RFC 5929, section 4.1). It contains a hash of the server's certificate,
//! so that the login cannot be forwarded to a server with another certificate.

use ring::digest::{Algorithm, SHA256, SHA384, SHA512, digest};

const SEQUENCE: u8 = 0x30;
const OBJECT_IDENTIFIER: u8 = 0x06;

/// Object identifiers of signature algorithms, each with its hash function. For signatures that use MD5 or SHA-1, the
/// hash function is SHA-256, as the RFC requires.
const SIGNATURES: [(&[u8], &Algorithm); 9] = [
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x04", &SHA256),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x05", &SHA256),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0b", &SHA256),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0c", &SHA384),
    (b"\x2a\x86\x48\x86\xf7\x0d\x01\x01\x0d", &SHA512),
    (b"\x2a\x86\x48\xce\x3d\x04\x01", &SHA256),
    (b"\x2a\x86\x48\xce\x3d\x04\x03\x02", &SHA256),
    (b"\x2a\x86\x48\xce\x3d\x04\x03\x03", &SHA384),
    (b"\x2a\x86\x48\xce\x3d\x04\x03\x04", &SHA512),
];

/// Returns the channel binding for a DER-encoded certificate. Returns `None` if its signature algorithm has no separate
/// hash function, as with Ed25519.
pub fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let signature = signature(certificate)?;
    let (_, function) = SIGNATURES.iter().find(|(known, _)| *known == signature)?;
    Some(digest(function, certificate).as_ref().to_vec())
}

/// Returns the identifier of a certificate's signature algorithm, which is the part after the signed data (RFC 5280,
/// section 4.1).
fn signature(certificate: &[u8]) -> Option<&[u8]> {
    let (fields, _) = element(certificate, SEQUENCE)?;
    let (_, rest) = element(fields, SEQUENCE)?;
    let (algorithm, _) = element(rest, SEQUENCE)?;
    element(algorithm, OBJECT_IDENTIFIER).map(|(identifier, _)| identifier)
}

/// Returns the contents of the first DER element and the bytes that follow it. The element must have this tag.
fn element(bytes: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let [found, first, rest @ ..] = bytes else { return None };
    if *found != tag {
        return None;
    }
    let (length, rest) = match *first {
        // In the long form of a length, the low bits of the first byte are the number of bytes that encode the length.
        first @ 0x81..=0x84 => {
            let (digits, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
        first @ ..=0x7F => (usize::from(first), rest),
        _ => return None,
    };
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a minimal certificate, which consists of `length` bytes of signed data and the identifier of an
    /// algorithm.
    fn certificate(length: u16, identifier: &[u8]) -> Vec<u8> {
        let mut signed = vec![SEQUENCE, 0x82];
        signed.extend(length.to_be_bytes());
        signed.resize(signed.len() + usize::from(length), 7);
        let size = identifier.len() as u8;
        signed.extend([SEQUENCE, size + 2, OBJECT_IDENTIFIER, size]);
        signed.extend(identifier);
        let mut whole = vec![SEQUENCE, 0x82];
        whole.extend((signed.len() as u16).to_be_bytes());
        whole.extend(signed);
        whole
    }

    #[test]
    fn the_digest_is_that_of_the_signature() {
        for (identifier, function) in SIGNATURES {
            let certificate = certificate(400, identifier);
            let expected = digest(function, &certificate);
            assert_eq!(end_point(&certificate).as_deref(), Some(expected.as_ref()));
        }
        assert_eq!(end_point(&certificate(400, b"\x2b\x65\x70")), None, "Ed25519");
    }

    #[test]
    fn truncated_certificates_have_no_digest() {
        let whole = certificate(300, SIGNATURES[2].0);
        assert!((0..whole.len()).all(|length| end_point(&whole[..length]).is_none()));
        assert_eq!(end_point(&[SEQUENCE, 0x80, 0, 0]), None);
    }
}
