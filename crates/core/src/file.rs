//! Opens and reads files specified by the user. All code that opens such files must use this module.
//!
//! Only regular files of limited size are accepted, because a pipe or a device would block and a huge file would
//! exhaust the memory. Content that is read only once may also come from a pipe.
//!
//! Start reading at [`open`], [`read`], and [`read_once`].

#![expect(clippy::disallowed_methods, reason = "the only place where files are opened")]

use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::{Error, ErrorKind, Result};

/// Size limit for files written by hand, such as settings, scripts, and keys.
pub const SMALL_MAX: u64 = 1 << 20;
/// Size limit for a certificate file.
pub const CERTIFICATES_MAX: u64 = 16 << 20;
/// Size limit for a run record.
pub const RECORD_MAX: u64 = 64 << 20;

/// The file name for which [`read_once`] and [`text_once`] read the standard input.
pub const STANDARD_INPUT: &str = "-";
/// Time between two checks for an interrupt while waiting for a pipe.
const POLL: Duration = Duration::from_millis(20);

/// Opens a regular file for reading.
///
/// # Errors
/// Returns an error if the file cannot be opened. If `path` is not a regular file, it is rejected without being opened.
pub fn open(path: &Path) -> io::Result<File> {
    require_regular(&path.metadata()?)?;
    let file = File::open(path)?;
    // Check again, because the file may have been replaced after the first check.
    require_regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// Fails like [`open`]. If the file is larger than `most` bytes, returns an error that states this limit.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_opened(&open(path)?, most)
}

/// Reads an open file of at most `most` bytes from its current position.
///
/// # Errors
/// Returns the errors of [`read`].
pub fn read_opened(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let kind = file.metadata()?;
    require_regular(&kind)?;
    if kind.len() > most {
        return Err(too_large(most));
    }
    read_all(file, most)
}

/// Reads a regular file of at most `most` bytes as text.
///
/// # Errors
/// Fails like [`read`]. Also returns an error if the file is not valid UTF-8.
pub fn text(path: &Path, most: u64) -> io::Result<String> {
    read(path, most).and_then(utf8)
}

/// Reads at most `most` bytes from a file, a pipe, or standard input (`-`), as long as `go_on` returns true.
///
/// # Errors
/// Fails in the same cases as [`read`], but with usage errors. If `go_on` returns false, returns an error of kind
/// [`ErrorKind::Cancelled`].
pub fn read_once(path: &Path, most: u64, go_on: &dyn Fn() -> bool) -> Result<Vec<u8>> {
    let usage = |error: io::Error| Error::usage(error.to_string()).source(error);
    let is_input = path == Path::new(STANDARD_INPUT);
    if !is_input {
        let kind = path.metadata().map_err(usage)?;
        if kind.is_file() || kind.is_dir() {
            return read(path, most).map_err(usage);
        }
    }
    let (sender, receiver) = channel();
    let path = path.to_owned();
    // Opening or reading a pipe may block forever, so use a separate thread. This thread does not prevent the process
    // from exiting.
    let work = move || {
        let read = if is_input {
            read_all(io::stdin().lock(), most)
        } else {
            File::open(path).and_then(|file| read_all(file, most))
        };
        // If the caller was interrupted, nobody receives the result, so ignore the error.
        let _ = sender.send(read);
    };
    std::thread::Builder::new().name("read".into()).spawn(work).map_err(usage)?;
    loop {
        match receiver.recv_timeout(POLL) {
            Ok(read) => return read.map_err(usage),
            Err(RecvTimeoutError::Timeout) if go_on() => {}
            Err(_) => return Err(Error::new(ErrorKind::Cancelled, "stopped on request")),
        }
    }
}

/// Reads a file as text, under the same rules as [`read_once`].
///
/// # Errors
/// Fails like [`read_once`]. Also returns an error if the file is not valid UTF-8.
pub fn text_once(path: &Path, most: u64, go_on: &dyn Fn() -> bool) -> Result<String> {
    let bytes = read_once(path, most, go_on)?;
    utf8(bytes).map_err(|error| Error::usage(error.to_string()).source(error))
}

/// Reads a line of at most `most` bytes from standard input, including its end. Returns `None` at the end of the input.
///
/// # Errors
/// Returns any I/O error, and an error if the line is too long.
pub fn typed_line(most: u64) -> io::Result<Option<Vec<u8>>> {
    line(&mut io::stdin().lock(), most)
}

fn line(from: &mut impl BufRead, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    from.take(most + 1).read_until(b'\n', &mut line)?;
    if line.len() as u64 > most {
        let text = format!("a line of the standard input is longer than {} MiB", most >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(Some(line).filter(|line| !line.is_empty()))
}

fn require_regular(kind: &std::fs::Metadata) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
}

/// Reads at most `most` bytes. The limit applies to the bytes actually read, because a pipe has no length and a file
/// may grow.
fn read_all(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

fn too_large(most: u64) -> io::Error {
    let text = format!("the file is larger than {} MiB", most >> 20);
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    let error = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not valid UTF-8");
    String::from_utf8(bytes).map_err(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_up_to_its_limit() -> io::Result<()> {
        let mut input: &[u8] = b"ab\n\nabc";
        assert_eq!(line(&mut input, 3)?, Some(b"ab\n".to_vec()));
        assert_eq!(line(&mut input, 3)?, Some(b"\n".to_vec()));
        assert_eq!(line(&mut input, 3)?, Some(b"abc".to_vec()));
        assert_eq!(line(&mut input, 3)?, None);
        assert!(line(&mut io::BufReader::new(io::repeat(0)), 3).is_err());
        Ok(())
    }

    #[test]
    fn a_regular_file_is_read_up_to_its_limit() -> io::Result<()> {
        let path = std::env::temp_dir().join(format!("tacho-core-file-{}", std::process::id()));
        std::fs::write(&path, "abc")?;
        assert_eq!(text(&path, 3)?, "abc");
        let go_on = || true;
        assert_eq!(text_once(&path, 3, &go_on).expect("the file"), "abc");
        for limit in [0, 2] {
            assert!(read(&path, limit).is_err_and(|error| error.to_string().contains("larger")));
            assert!(read_once(&path, limit, &go_on).is_err());
        }
        // A sparse file of two gigabytes, which occupies no disk space.
        std::fs::OpenOptions::new().write(true).open(&path)?.set_len(2 << 30)?;
        assert!(read(&path, RECORD_MAX).is_err_and(|error| error.to_string().contains("64 MiB")));
        std::fs::write(&path, [0xff])?;
        assert!(text(&path, 3).is_err_and(|error| error.to_string().contains("UTF-8")));
        std::fs::remove_file(&path)
    }

    #[test]
    #[cfg(unix)]
    fn a_device_is_read_once_up_to_the_limit_or_not_at_all() {
        let [zero, null] = ["/dev/zero", "/dev/null"].map(Path::new);
        assert!(open(zero).is_err() && read(zero, SMALL_MAX).is_err());
        let all = read_once(zero, SMALL_MAX, &|| true).expect_err("without end");
        assert!(all.to_string().contains("larger than 1 MiB"), "{all}");
        assert_eq!(read_once(null, SMALL_MAX, &|| true).expect("nothing"), b"");
        assert!(open(Path::new("/")).is_err() && read_once(Path::new("/"), 1, &|| true).is_err());
    }

    #[cfg(unix)]
    fn pipe(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("tacho-core-{name}-{}", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        path
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_without_a_writer_is_left_on_request() {
        let path = pipe("left");
        assert!(open(&path).is_err());
        let stopped = read_once(&path, SMALL_MAX, &|| false).expect_err("stopped");
        assert_eq!(stopped.kind(), ErrorKind::Cancelled);
        std::fs::remove_file(&path).expect("removed");
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_is_read_to_its_end() {
        let path = pipe("read");
        let writer = {
            let path = path.clone();
            std::thread::spawn(move || std::fs::write(path, "late"))
        };
        assert_eq!(read_once(&path, SMALL_MAX, &|| true).expect("the text"), b"late");
        writer.join().expect("the writer").expect("written");
        std::fs::remove_file(&path).expect("removed");
    }
}
