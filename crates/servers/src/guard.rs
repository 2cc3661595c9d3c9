//! A server's folder, guarded by a shell. If this process is killed, the shell stops the server and removes the folder.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tacho_core::Result;

use crate::Product;
use crate::owner::Owner;
use crate::system;

/// Shell script that waits for the end of this process and then stops the server, whose process ID
/// it reads from a file.
const SCRIPT: &str = r#"
read -r _
pid=$(head -n 1 "$1/$2" 2>/dev/null) && kill "-$3" "$pid" 2>/dev/null
for _ in 1 2 3 4 5 6 7 8 9 10; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
done
kill -9 "$pid" 2>/dev/null
rm -rf -- "$1"
"#;

/// A temporary folder. Dropping it stops the processes that run in it and removes it.
pub struct Guard {
    folder: PathBuf,
    shell: Child,
}

impl Guard {
    /// Creates a temporary folder. Its owner is the user account that runs the product's servers.
    pub fn new(prefix: &str, product: &dyn Product) -> Result<Self> {
        system::supported()?;
        let owner = Owner::choose(product.owners())?;
        let folder = tempfile::Builder::new().prefix(prefix).tempdir()?;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT, "guard"]).arg(folder.path()).arg(product.pid_file());
        shell.arg(product.stop_signal().as_raw().to_string());
        // The shell must outlive this process. It therefore has its own process group, so that Ctrl-C does not
        // interrupt it.
        shell.stdin(Stdio::piped());
        system::with_own_group(&mut shell);
        if let Some(owner) = owner {
            owner.take(folder.path())?;
            owner.run(&mut shell);
        }
        let shell = shell.spawn()?;
        Ok(Self { folder: folder.keep(), shell })
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // Ignore the shell's exit code. If the shell could not remove the folder, it simply remains.
        let _ = self.shell.wait();
    }
}
