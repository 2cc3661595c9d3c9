//! Apache Derby's network server and IBM's client, which both use Db2's protocol. `cargo xtask servers` downloads them.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::live::eventually;

/// Name of the database. It is in upper case, because IBM's client converts names to upper case.
const DATABASE: &str = "TESTDB";

/// A running server with one database. The server is stopped when this value is dropped.
pub struct Derby {
    child: Child,
    port: u16,
    library: PathBuf,
    folder: tempfile::TempDir,
}

impl Derby {
    /// Starts a server. If Derby is not installed, prints a message instead and returns `None`.
    ///
    /// # Panics
    /// Panics if the server is installed but does not start.
    #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
    pub fn start_if_there() -> Option<Self> {
        let tree = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/servers/derby");
        let library = tree.join("clidriver/lib/libdb2.so");
        let Some(library) = library.canonicalize().ok().filter(|_| tree.join("jars").is_dir())
        else {
            eprintln!(
                "NOT TESTED: Db2, for which Derby and IBM's client are not here; hint: cargo xtask servers"
            );
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        // The server cannot choose a free port itself. Another program might take this one before the server starts.
        let free = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = free.local_addr().expect("its address").port();
        drop(free);
        let child = java(&tree, folder.path())
            .args(["org.apache.derby.drda.NetworkServerControl", "start"])
            .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-noSecurityManager"])
            .stdout(Stdio::null())
            .spawn()
            .expect("java");
        let derby = Self { child, port, library, folder };
        derby.wait();
        derby.create(&tree);
        Some(derby)
    }

    fn wait(&self) {
        eventually("Derby's answer", || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    fn create(&self, tree: &Path) {
        let mut child = java(tree, self.folder.path())
            .arg("org.apache.derby.tools.ij")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("java");
        let url = format!("jdbc:derby://127.0.0.1:{}/{DATABASE}", self.port);
        let line = format!("connect '{url};create=true;user=app;password=app';\n");
        child.stdin.take().expect("its input").write_all(line.as_bytes()).expect("a line");
        assert!(child.wait().expect("its end").success(), "the database is not made");
    }

    /// Returns a target for the server's database, with a user and a password.
    pub fn target(&self) -> String {
        self.target_of("app:app", DATABASE)
    }

    /// Returns a target for another user or another database.
    pub fn target_of(&self, login: &str, database: &str) -> String {
        format!(
            "db2://{login}@127.0.0.1:{}/{database}?library={}\
             &keywords=Authentication=SERVER;DescribeOutputLevel=1",
            self.port,
            self.library.display()
        )
    }

    /// Kills the server at once, like a crash.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Derby {
    fn drop(&mut self) {
        self.kill();
    }
}

fn java(tree: &Path, home: &Path) -> Command {
    let mut command = Command::new("java");
    command
        .args(["-Xmx512m", "-Dderby.locks.waitTimeout=2"])
        .arg(format!("-Dderby.system.home={}", home.display()))
        .arg(format!("-Dderby.stream.error.file={}", home.join("derby.log").display()))
        .arg("-cp")
        .arg(tree.join("jars").join("*"));
    command
}
