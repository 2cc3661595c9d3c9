//! The server and ODBC driver of Virtuoso, from two Debian packages. With them, tests run Tacho's `odbc` driver and its
//! database packs.

use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::live::eventually;

const SERVER: &str = "/usr/bin/virtuoso-t";
const CLIENT: &str = "/usr/bin/isql-vt";
const LIBRARY: &str = "/usr/lib/x86_64-linux-gnu/odbc/virtodbc_r.so";
/// The user ID of `nobody`, which is the same on all Linux distributions.
const NOBODY: u32 = 65_534;

/// A running server. The server is stopped when this value is dropped.
pub struct Virtuoso {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Virtuoso {
    /// Starts a server that has the user `bench`. If Virtuoso is not installed, prints that its tests are skipped and
    /// returns `None`.
    ///
    /// # Panics
    /// Panics if the server is installed but does not start.
    #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
    pub fn start_if_there() -> Option<Self> {
        if ![SERVER, CLIENT, LIBRARY].into_iter().all(|path| Path::new(path).exists()) {
            eprintln!(
                "NOT TESTED: Virtuoso, which is not here; hint: apt-get install \
                 virtuoso-opensource-7-bin libvirtodbc0"
            );
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        // The server cannot choose a free port itself. Another program might take this one before the server starts.
        let free = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = free.local_addr().expect("its address").port();
        drop(free);
        let file = configuration(folder.path(), port);
        let child = as_nobody(folder.path())
            .args([SERVER, "-f", "-c"])
            .arg(&file)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("virtuoso-t");
        let server = Self { child, port, _folder: folder };
        eventually("Virtuoso's answer", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        eventually("Virtuoso's user", || server.create_user());
        Some(server)
    }

    fn create_user(&self) -> bool {
        let create = "exec=USER_CREATE('bench', 'bench', vector('SQL_ENABLE', 1));";
        let address = format!("127.0.0.1:{}", self.port);
        let output = Command::new(CLIENT).args([&address, "dba", "dba", create]).output();
        output.is_ok_and(|output| {
            output.status.success() && !String::from_utf8_lossy(&output.stderr).contains("Error")
        })
    }

    /// Returns the location and options of a target. They do not contain the password, which is `bench`.
    pub fn place(&self) -> String {
        let port = self.port;
        format!(
            "Driver={LIBRARY};HOST=127.0.0.1:{port}?user=bench&schema=bench&text=bytes&numbers=text&arrays=off"
        )
    }
}

impl Drop for Virtuoso {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "the files of a server")]
fn configuration(folder: &Path, port: u16) -> PathBuf {
    let at = |name: &str| folder.join(name).display().to_string();
    let text = format!(
        "[Database]\nDatabaseFile={}\nTransactionFile={}\nErrorLogFile={}\nLockFile={}\n\
         xa_persistent_file={}\n[TempDatabase]\nDatabaseFile={}\nTransactionFile={}\n[Parameters]\n\
         ServerPort=127.0.0.1:{port}\nDisableUnixSocket=1\nNumberOfBuffers=10000\nMaxDirtyBuffers=6000\n\
         CheckpointInterval=60\nLiteMode=1\nDefaultIsolation=2\nCaseMode=2\n",
        at("v.db"),
        at("v.trx"),
        at("v.log"),
        at("v.lck"),
        at("v.pxa"),
        at("t.db"),
        at("t.trx"),
    );
    let file = folder.join("virtuoso.ini");
    std::fs::write(&file, text).expect("a file");
    file
}

/// Returns a command that runs a program without root privileges, even if root runs the tests. The caller appends the
/// program and its arguments.
fn as_nobody(folder: &Path) -> Command {
    let is_root = std::fs::metadata(folder).is_ok_and(|folder| folder.uid() == 0);
    if !is_root {
        return Command::new("env");
    }
    chown(folder, Some(NOBODY), Some(NOBODY)).expect("an owner");
    let mut command = Command::new("setpriv");
    let id = NOBODY.to_string();
    command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]);
    command
}
