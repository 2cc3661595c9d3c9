//! Stubs for systems such as Windows, on which private servers are not supported.

use std::fs::{Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tacho_core::{Error, ErrorKind, Result};

/// A signal. On this system, it is just a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal(i32);

impl Signal {
    /// Suspends a process.
    pub const STOP: Self = Self(19);
    /// Resumes a process.
    pub const CONT: Self = Self(18);
    /// Kills a process.
    pub const KILL: Self = Self(9);
    /// Asks a process to end.
    pub const TERM: Self = Self(15);
    /// Asks a process to exit without waiting for its clients.
    pub const INT: Self = Self(2);

    /// Returns the signal's number on Linux.
    pub fn as_raw(self) -> i32 {
        self.0
    }
}

/// A stand-in for a Unix socket, because this system does not support Unix sockets.
#[derive(Debug)]
pub enum LocalSocket {}

impl LocalSocket {
    /// Returns an error.
    pub fn connect(_: impl AsRef<Path>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Cannot be called.
    pub fn set_read_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        match *self {}
    }
}

impl Read for LocalSocket {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match *self {}
    }
}

/// Returns an error, because private servers are not supported on this system.
pub(crate) fn supported() -> Result<()> {
    let text = format!("private servers are not supported on {}", std::env::consts::OS);
    Err(Error::new(ErrorKind::Unsupported, text)
        .hint("install the database server yourself and specify its URL; see tacho list drivers")
        .hint("or use tacho run without a target to measure the embedded database"))
}

pub(crate) struct About {
    pub(crate) user: u32,
    pub(crate) group: u32,
    pub(crate) mode: u32,
    pub(crate) number: u64,
    pub(crate) device: u64,
}

pub(crate) fn about(_: &Metadata) -> About {
    About { user: 0, group: 0, mode: 0, number: 0, device: 0 }
}

pub(crate) fn user() -> u32 {
    // No user has this ID, not even the administrator.
    u32::MAX
}

pub(crate) fn send(_: u32, _: Signal) {}

pub(crate) fn send_group(_: u32, _: Signal) {}

pub(crate) fn with_own_group(_: &mut Command) {}

pub(crate) fn run_as(_: &mut Command, _: u32, _: u32) {}

pub(crate) fn give(_: &Path, _: u32, _: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

pub(crate) fn private_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)
}

pub(crate) fn private_file() -> OpenOptions {
    OpenOptions::new()
}

#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
pub(crate) fn set_private(_: &Path) -> io::Result<()> {
    Ok(())
}

pub(crate) fn take_space(_: &Path, _: u32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
