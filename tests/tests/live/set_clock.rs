//! Changes a running process's clocks, using the library from the `faketime` package.

use std::path::Path;

use tacho_tests::{Call, Folder};

/// Possible paths of the library that intercepts a process's calls to the clock.
const LIBRARIES: [&str; 3] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib64/faketime/libfaketimeMT.so.1",
];

/// Returns the path of the library. If it is not installed, prints a message and returns `None`.
#[expect(clippy::print_stderr, reason = "whoever runs the tests must know what was not tested")]
fn library() -> Option<&'static str> {
    let found = LIBRARIES.into_iter().find(|path| Path::new(path).exists());
    if found.is_none() {
        eprintln!("NOT TESTED: clocks that are set: the package faketime is missing");
    }
    found
}

/// Returns the command with a changed system clock. `time` is a `FAKETIME` value such as `+1h`. If
/// `steady` is true, the monotonic clock changes, too.
pub fn with_clock(call: Call, time: &str, steady: bool) -> Option<Call> {
    let call = intercepted(call, steady)?;
    Some(call.env("FAKETIME", time))
}

/// Returns the command with a system clock that [`step`] can change while the command runs.
pub fn with_calendar(call: Call, folder: &Folder, file: &str) -> Option<Call> {
    let call = intercepted(call, false)?;
    step(folder, file, "+0");
    let file = folder.file(file).display().to_string();
    Some(call.env("FAKETIME_TIMESTAMP_FILE", &file).env("FAKETIME_NO_CACHE", "1"))
}

/// Sets the system clock for all commands that read the time from this file.
pub fn step(folder: &Folder, file: &str, to: &str) {
    let draft = format!("{file}.new");
    folder.write(&draft, to);
    // The file is replaced atomically, so it is never incomplete.
    std::fs::rename(folder.file(&draft), folder.file(file)).expect("a file");
}

fn intercepted(call: Call, steady: bool) -> Option<Call> {
    let fixed = if steady { "0" } else { "1" };
    Some(call.env("LD_PRELOAD", library()?).env("FAKETIME_DONT_FAKE_MONOTONIC", fixed))
}
