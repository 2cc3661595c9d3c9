//! The prelogin messages, in which client and server announce what they support, and the login message.
//!
//! [MS-TDS] 2.2.6.4 and 2.2.6.5. Start reading at [`login`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_net::unexpected;

use crate::bytes::to_utf16;
use crate::config::{Config, Encryption};

/// Prelogin options.
const VERSION: u8 = 0;
const ENCRYPTION: u8 = 1;
const INSTANCE: u8 = 2;
const THREAD: u8 = 3;
const MARS: u8 = 4;
const END: u8 = 0xFF;
/// Size of the list of options: five bytes for each of the five options, plus the end marker.
const OPTIONS_BYTES: usize = 26;

/// Encryption modes, as the client and the server announce them.
const LOGIN_ONLY: u8 = 0;
const ALL: u8 = 1;
const NOTHING: u8 = 2;
const REQUIRED: u8 = 3;

const TDS_7_4: u32 = 0x7400_0004;
const TDS_8: u32 = 0x0800_0000;
/// Size of the fixed part of the login message, which the strings follow.
const LOGIN_BYTES: usize = 94;
/// Makes the login fail if the database does not exist. Requests notices about changes of the database and the
/// language.
const OPTIONS_1: u8 = 0xE0;
/// Makes the login fail if the language is not available. Requests the ISO settings that ODBC also uses.
const OPTIONS_2: u8 = 0x03;
/// English (United States).
const LANGUAGE: u32 = 0x0409;
const PROGRAM: &str = "tacho";

/// The part of a connection that TLS encrypts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// Nothing.
    Nothing,
    /// The login.
    Login,
    /// Everything.
    All,
}

/// Appends the body of the first message.
pub fn ask(encryption: Encryption, out: &mut Vec<u8>) {
    let wanted = match encryption {
        Encryption::Mandatory => ALL,
        Encryption::Optional => LOGIN_ONLY,
        // TLS was established before this protocol began, so nothing else has to be encrypted.
        Encryption::Strict => NOTHING,
    };
    let values: [(u8, &[u8]); 5] = [
        (VERSION, &[0, 1, 0, 0, 0, 0]),
        (ENCRYPTION, &[wanted]),
        (INSTANCE, &[0]),
        (THREAD, &[0; 4]),
        (MARS, &[0]),
    ];
    let mut at = OPTIONS_BYTES;
    for (option, value) in values {
        out.push(option);
        out.extend_from_slice(&(at as u16).to_be_bytes());
        out.extend_from_slice(&(value.len() as u16).to_be_bytes());
        at += value.len();
    }
    out.push(END);
    for (_, value) in values {
        out.extend_from_slice(value);
    }
}

/// Chooses the part of the connection to encrypt, based on the target's encryption mode and on the server's prelogin
/// response.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] if the client requires encryption and the server does not support it.
pub fn agreed(encryption: Encryption, answer: &[u8]) -> Result<Cover> {
    if encryption == Encryption::Strict {
        return Ok(Cover::Nothing);
    }
    let theirs = option(answer, ENCRYPTION).and_then(|value| value.first().copied());
    match (encryption, theirs.ok_or_else(|| unexpected("no encryption setting"))?) {
        (_, ALL | REQUIRED) => Ok(Cover::All),
        (Encryption::Optional, LOGIN_ONLY) => Ok(Cover::Login),
        (Encryption::Optional, _) => Ok(Cover::Nothing),
        _ => Err(Error::new(
            ErrorKind::Unsupported,
            "the server does not support encrypted connections",
        )
        .hint("install a certificate on the server, or connect with encrypt=optional")),
    }
}

/// Returns an option's value.
fn option(answer: &[u8], wanted: u8) -> Option<&[u8]> {
    for entry in answer.chunks_exact(5).take_while(|entry| entry[0] != END) {
        if entry[0] == wanted {
            let at = usize::from(u16::from_be_bytes([entry[1], entry[2]]));
            let length = usize::from(u16::from_be_bytes([entry[3], entry[4]]));
            return answer.get(at..at + length);
        }
    }
    None
}

/// Appends the body of the login message.
pub fn login(config: &Config, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    let version = if config.encryption == Encryption::Strict { TDS_8 } else { TDS_7_4 };
    for number in [0, version, config.packet_bytes as u32, 0, std::process::id(), 0] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(&[OPTIONS_1, OPTIONS_2, 0, 0]);
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&LANGUAGE.to_le_bytes());
    let places = out.len();
    out.resize(start + LOGIN_BYTES, 0);
    let password = config.password.as_ref().map_or("", |secret| &secret.0);
    // In this order, the strings are: machine, user, password, program, server, an unused string, client library,
    // language, database.
    let (host, database) = (&*config.host, &*config.database);
    let texts = ["", &config.user, password, PROGRAM, host, "", PROGRAM, "", database];
    for (at, text) in texts.into_iter().enumerate() {
        let from = out.len();
        to_utf16(text.as_bytes(), out)?;
        if at == 2 {
            // Obfuscate the password as the protocol requires. This only prevents people from reading it at a glance.
            out[from..].iter_mut().for_each(|byte| *byte = byte.rotate_left(4) ^ 0xA5);
        }
        let units = u16::try_from((out.len() - from) / 2).ok().filter(|units| *units <= 128);
        let units = units.ok_or_else(|| {
            Error::usage(
                "the user, password, host and database can have at most 128 characters each",
            )
            .hint("use a shorter name")
        })?;
        let place = places + 4 * at;
        out[place..place + 2].copy_from_slice(&((from - start) as u16).to_le_bytes());
        out[place + 2..place + 4].copy_from_slice(&units.to_le_bytes());
    }
    // The next six bytes are for a MAC address. The positions of three unused fields follow, which must point to the
    // end of the message.
    let end = (out.len() - start) as u32;
    for place in [start + 78, start + 82, start + 86] {
        out[place..place + 2].copy_from_slice(&(end as u16).to_le_bytes());
    }
    out[start..start + 4].copy_from_slice(&end.to_le_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use tacho_driver::Target;

    use super::*;
    use crate::bytes::string;

    #[test]
    fn first_message_requests_the_encryption() {
        for (encryption, wanted) in
            [(Encryption::Mandatory, ALL), (Encryption::Optional, LOGIN_ONLY)]
        {
            let mut out = Vec::new();
            ask(encryption, &mut out);
            assert_eq!(out[..6], [VERSION, 0, 26, 0, 6, ENCRYPTION]);
            assert_eq!(option(&out, ENCRYPTION), Some(&[wanted][..]));
            assert_eq!(option(&out, MARS), Some(&[0][..]));
        }
    }

    #[test]
    fn negotiates_encryption() {
        let answer = |theirs| [&[ENCRYPTION, 0, 6, 0, 1, END][..], &[theirs]].concat();
        let agreed = |ours, theirs| agreed(ours, &answer(theirs)).ok();
        assert_eq!(agreed(Encryption::Mandatory, ALL), Some(Cover::All));
        assert_eq!(agreed(Encryption::Mandatory, REQUIRED), Some(Cover::All));
        assert_eq!(agreed(Encryption::Mandatory, NOTHING), None);
        assert_eq!(agreed(Encryption::Mandatory, LOGIN_ONLY), None);
        assert_eq!(agreed(Encryption::Optional, LOGIN_ONLY), Some(Cover::Login));
        assert_eq!(agreed(Encryption::Optional, REQUIRED), Some(Cover::All));
        assert_eq!(agreed(Encryption::Optional, NOTHING), Some(Cover::Nothing));
        assert!(super::agreed(Encryption::Mandatory, &[END]).is_err());
    }

    #[test]
    fn the_login_has_its_texts_where_it_says() -> Result<()> {
        let target = Target::parse("sqlserver://ann:pä@db1/bench")?;
        let mut out = vec![7; 8];
        login(&Config::read(&target, &|_| None)?, &mut out)?;
        let body = &out[8..];
        let number = |at: usize| usize::from(u16::from_le_bytes([body[at], body[at + 1]]));
        assert_eq!((number(0), body[4..8].to_vec()), (body.len(), vec![4, 0, 0, 0x74]));
        let bytes = |at: usize| &body[number(36 + 4 * at)..][..2 * number(38 + 4 * at)];
        let text = |at: usize| string(bytes(at));
        assert_eq!([text(1), text(3), text(8)], ["ann", "tacho", "bench"]);
        // To obscure a password, swap the two halves of each byte and XOR the result with 0xA5 ([MS-TDS] 2.2.6.4).
        assert_eq!(bytes(2), [0xA2, 0xA5, 0xEB, 0xA5]);
        let long = "x".repeat(129);
        let target = Target::parse(&format!("sqlserver://{long}@db1/bench"))?;
        assert!(login(&Config::read(&target, &|_| None)?, &mut out).is_err());
        Ok(())
    }
}
