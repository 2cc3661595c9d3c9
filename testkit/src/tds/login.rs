//! The start of a connection, from PRELOGIN (MS-TDS 2.2.6.5) to LOGIN7 (2.2.6.4).
//!
//! This module must not depend on sessions. Start reading at [`welcome`].

use std::io::{Error, ErrorKind, Result};

use super::link::{Inbox, LOGIN, Link, PRELOGIN};
use super::reader::{Reader, utf16};
use super::tokens::{DONE, Reply, Trouble};
use super::{COLLATION, Encryption, Shared, VERSION};

/// Encryption modes in a prelogin response.
const OFF: u8 = 0;
const ON: u8 = 1;
const NOT_SUPPORTED: u8 = 2;
const REQUIRED: u8 = 3;

const TDS_7_2: u32 = 0x7209_0002;
const TDS_7_4: u32 = 0x7400_0004;
const TDS_8: u32 = 0x0800_0000;
const PACKET_BYTES: u32 = 4_096;

/// The client's login data.
pub struct Login {
    pub host: String,
    pub user: String,
    pub application: String,
    pub database: String,
    pub packet_bytes: usize,
    password: String,
    version: u32,
    utf8: bool,
    integrated: bool,
}

fn bad(text: &str) -> Error {
    Error::new(ErrorKind::InvalidData, text)
}

/// Negotiates encryption, checks the login and responds. If the login fails, the connection is closed.
pub fn welcome(link: &Link, inbox: &mut Inbox, shared: &Shared) -> Result<Login> {
    let strict = shared.options.encryption == Encryption::Strict;
    if strict {
        link.encrypt(shared.strict.clone(), inbox, false)?;
    }
    let first = inbox.message(link)?;
    if first.kind != PRELOGIN {
        return Err(bad("no PRELOGIN"));
    }
    let asked = option(&first.body, 1).and_then(|bytes| bytes.first().copied());
    let (answer, whole) = match (shared.options.encryption, asked.unwrap_or(NOT_SUPPORTED)) {
        (Encryption::Strict, _) => (OFF, None),
        (Encryption::Off, _) | (Encryption::Login, NOT_SUPPORTED) => (NOT_SUPPORTED, None),
        (Encryption::Login, OFF) => (OFF, Some(false)),
        (Encryption::Required, OFF | NOT_SUPPORTED) => (REQUIRED, Some(true)),
        _ => (ON, Some(true)),
    };
    let options =
        [(0, &[VERSION.as_slice(), &[0; 2]].concat()[..]), (1, &[answer]), (2, &[0]), (4, &[0])];
    link.send_cut(&prelogin(&options), PACKET_BYTES as usize)?;
    if let Some(whole) = whole {
        link.encrypt(shared.tls.clone(), inbox, true)?;
        let message = inbox.message(link)?;
        if !whole {
            link.decrypt();
        }
        return answer_login(link, &message.body, message.kind, shared);
    }
    let message = inbox.message(link)?;
    answer_login(link, &message.body, message.kind, shared)
}

fn option(body: &[u8], wanted: u8) -> Option<&[u8]> {
    let entry =
        body.chunks(5).take_while(|entry| entry[0] != 0xff).find(|entry| entry[0] == wanted)?;
    let [_, offset_high, offset_low, high, low] = *entry.first_chunk::<5>()?;
    let start = usize::from(u16::from_be_bytes([offset_high, offset_low]));
    body.get(start..start + usize::from(u16::from_be_bytes([high, low])))
}

pub fn prelogin(options: &[(u8, &[u8])]) -> Vec<u8> {
    let mut start = options.len() * 5 + 1;
    let (mut table, mut data) = (Vec::new(), Vec::new());
    for (token, bytes) in options {
        table.push(*token);
        table.extend((start as u16).to_be_bytes());
        table.extend((bytes.len() as u16).to_be_bytes());
        start += bytes.len();
        data.extend(*bytes);
    }
    table.push(0xff);
    [table, data].concat()
}

fn answer_login(link: &Link, body: &[u8], kind: u8, shared: &Shared) -> Result<Login> {
    let login = (kind == LOGIN).then(|| parse(body)).flatten().ok_or_else(|| bad("no LOGIN7"))?;
    let mut reply = Reply::default();
    let troubles = refusal(&login, shared);
    if !troubles.is_empty() {
        for trouble in &troubles {
            reply.error(trouble);
        }
        reply.done(DONE, 0, None, true, false);
        reply.finish();
        link.send(&reply.bytes, PACKET_BYTES as usize)?;
        link.close();
        return Err(ErrorKind::PermissionDenied.into());
    }
    reply.changed(1, &login.database, "master");
    let text = format!("Changed database context to '{}'.", login.database);
    reply.error(&Trouble::new(5701, 0, text));
    reply.changed_bytes(7, &COLLATION, &[]);
    reply.changed(2, "us_english", "");
    reply.login_ack(match shared.options.encryption {
        Encryption::Strict => TDS_8,
        _ => login.version.min(TDS_7_4),
    });
    reply.changed(4, &login.packet_bytes.to_string(), &PACKET_BYTES.to_string());
    if login.utf8 {
        // FEATUREEXTACK for UTF8_SUPPORT.
        reply.bytes.extend([0xae, 0x0a, 1, 0, 0, 0, 1, 0xff]);
    }
    reply.done(DONE, 0, None, false, false);
    reply.finish();
    link.send(&reply.bytes, login.packet_bytes)?;
    Ok(login)
}

fn refusal(login: &Login, shared: &Shared) -> Vec<Trouble> {
    let options = &shared.options;
    let failed = Trouble::new(18456, 14, format!("Login failed for user '{}'.", login.user));
    let same_user = login.user.eq_ignore_ascii_case(&options.user);
    if login.integrated || !same_user || login.password != options.password {
        return vec![failed];
    }
    if !shared.has_database(&login.database) {
        let name = &login.database;
        let text =
            format!("Cannot open database \"{name}\" requested by the login. The login failed.");
        return vec![Trouble::new(4060, 11, text), failed];
    }
    Vec::new()
}

fn parse(body: &[u8]) -> Option<Login> {
    let at = |offset: usize| Reader(body.get(offset..).unwrap_or_default());
    let raw = |field: usize| -> Option<&[u8]> {
        let mut from = at(36 + 4 * field);
        let (start, length) = (usize::from(from.u16()?), usize::from(from.u16()?));
        body.get(start..start + 2 * length)
    };
    let text = |field: usize| raw(field).map(utf16);
    let password: Vec<u8> = raw(2)?.iter().map(|byte| (byte ^ 0xa5).rotate_left(4)).collect();
    let version = at(4).u32()?;
    let known = version >= TDS_7_2 || version == TDS_8;
    let (second, third) = (body.get(25)?, body.get(27)?);
    let size = at(8).u32()?;
    let mut login = Login {
        host: text(0)?,
        user: text(1)?,
        password: utf16(&password),
        application: text(3)?,
        database: text(8)?,
        packet_bytes: if size == 0 { PACKET_BYTES } else { size.clamp(512, 32_767) } as usize,
        version,
        utf8: false,
        integrated: second & 0x80 != 0,
    };
    if login.database.is_empty() {
        "master".clone_into(&mut login.database);
    }
    if third & 0x10 != 0 {
        let place = usize::from(at(36 + 4 * 5).u16()?);
        let mut features = at(at(place).u32()? as usize);
        loop {
            match features.u8()? {
                0xff => break,
                0x0a => login.utf8 = true,
                _ => {}
            }
            let length = features.u32()? as usize;
            features.take(length)?;
        }
    }
    known.then_some(login)
}
