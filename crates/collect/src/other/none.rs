//! Placeholders for Linux, where Tacho reads all these facts from the kernel's files instead. They always return
//! `None`.

use std::path::Path;

use crate::{Host, HostReading, Memory, Storage};

pub(crate) fn host() -> Option<Host> {
    None
}

pub(crate) fn processors() -> Option<u32> {
    None
}

pub(crate) fn memory() -> Option<Memory> {
    None
}

pub(crate) fn storage(_: &Path) -> Option<Storage> {
    None
}

pub(crate) fn host_reading() -> Option<HostReading> {
    None
}
