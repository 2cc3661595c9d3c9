//! Removes passwords from the process's arguments, because other users could see them in the process list.
//!
//! If an argument contains a password, the program starts again within the same process. In the arguments of the new
//! instance, the password is masked. The new instance reads the original arguments from a private pipe.
//!
//! Start reading at [`own`].

use std::ffi::OsString;

/// The arguments, and a warning about them, if any.
pub(crate) struct Arguments {
    /// The arguments as the user wrote them.
    pub(crate) words: Vec<OsString>,
    /// A warning for the user; present if an argument contains a password.
    pub(crate) warning: Option<&'static str>,
}

/// Environment variable that identifies the pipe and the process that may read it.
const PIPE: &str = "TACHO_ARGUMENTS";
/// The warning to print if the password is no longer visible in the process list.
const MASKED: &str = "warning: other users of this machine could briefly see the password in an \
                      argument, and it is in the shell history\n  hint: use the driver's variable \
                      or password file (tacho describe DRIVER), or define the target in \
                      tacho.toml";
/// The warning to print if the password is still visible in the process list.
const SHOWN: &str = "warning: other users of this machine can see the password in an argument \
                     while tacho is running\n  hint: use the driver's variable or password file \
                     (tacho describe DRIVER), or define the target in tacho.toml";

/// Returns the arguments of this process.
#[expect(clippy::disallowed_methods, reason = "this module reads the environment")]
pub(crate) fn of_this_process() -> Arguments {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(words) = std::env::var(PIPE).ok().and_then(|pipe| system::received(&pipe, &words)) {
        return Arguments { words, warning: Some(MASKED) };
    }
    if !words.iter().any(holds_password) {
        return Arguments { words, warning: None };
    }
    // This returns only if it fails.
    system::start_again(&words);
    Arguments { words, warning: Some(SHOWN) }
}

fn holds_password(word: &OsString) -> bool {
    word.to_str().is_some_and(|word| tacho_core::masked(word) != word)
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::{OsStr, OsString};
    use std::fs::File;
    use std::io::{Read, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::os::unix::process::CommandExt;

    use rustix::io::FdFlags;
    use tacho_core::masked;

    use super::PIPE;

    /// Number of bytes that fit into a pipe on any system, so that writing them does not block.
    const PIPE_BYTES: usize = 4096;

    /// Replaces this process with a new instance of the program, whose arguments are masked. Returns only if this
    /// fails.
    pub(super) fn start_again(words: &[OsString]) {
        let text = words.iter().map(|word| word.as_bytes()).collect::<Vec<_>>().join(&0);
        if text.len() > PIPE_BYTES {
            return;
        }
        let shown = words.iter().skip(1).map(|word| match word.to_str() {
            Some(word) => OsString::from(masked(word).into_owned()),
            None => word.clone(),
        });
        let Ok(program) = std::env::current_exe() else { return };
        let Ok((reader, mut writer)) = std::io::pipe() else { return };
        if writer.write_all(&text).is_err()
            || rustix::io::fcntl_setfd(&reader, FdFlags::empty()).is_err()
        {
            return;
        }
        // Replacing the process closes the write end of the pipe, so that the reader reaches the end of the data.
        let pipe = format!("{}:{}", reader.as_raw_fd(), std::process::id());
        let mut command = std::process::Command::new(program);
        if let Some(name) = words.first() {
            command.arg0(name);
        }
        // If the process cannot be replaced, the caller warns that the password remains visible.
        let _ = command.args(shown).env(PIPE, pipe).exec();
    }

    /// Returns the arguments that a previous instance wrote to a pipe. Returns `None` if they were meant for another
    /// process.
    #[expect(
        clippy::disallowed_methods,
        reason = "opens a pipe of this process by descriptor number"
    )]
    pub(super) fn received(pipe: &str, shown: &[OsString]) -> Option<Vec<OsString>> {
        let (pipe, process) = pipe.split_once(':')?;
        if process.parse() != Ok(std::process::id()) {
            return None;
        }
        let mut text = Vec::new();
        let number: u32 = pipe.parse().ok()?;
        File::open(format!("/proc/self/fd/{number}")).ok()?.read_to_end(&mut text).ok()?;
        let words: Vec<OsString> =
            text.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec())).collect();
        let fits = |(word, shown): (&OsString, &OsString)| {
            let masked = word.to_str().map(|word| masked(word).into_owned());
            masked.as_deref().map_or(word.as_os_str(), OsStr::new) == shown
        };
        let all = words.len() == shown.len() && words.iter().zip(shown).skip(1).all(fits);
        all.then_some(words)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::ffi::OsString;

    pub(super) fn start_again(_: &[OsString]) {}

    pub(super) fn received(_: &str, _: &[OsString]) -> Option<Vec<OsString>> {
        None
    }
}
