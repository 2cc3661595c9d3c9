//! Products whose data directories can be created by copying an existing one, which is faster than creating them anew.
//!
//! The folder `target/tests` contains the directories to copy: an empty one for each installation, and one for each set
//! of initial data that a test program has created.
//!
//! If a setting takes effect only when a data directory is created, it does not affect a copy. Start reading at
//! [`Copied`].

use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::Signal;
use tacho_core::{Error, Result};
use tacho_servers::{Guard, Installation, Options, Product, Server, ServerPlace};

/// A product that creates a data directory by copying an existing one.
pub struct Copied {
    /// The product.
    pub product: &'static dyn Product,
    /// The data directory to copy.
    pub kept: Kept,
}

/// A data directory to copy.
pub enum Kept {
    /// A data directory of this installation, created with these settings.
    Initialised(&'static [(&'static str, &'static str)]),
    /// An existing data directory. Its server has been shut down, so the files are consistent.
    Folder(PathBuf),
}

impl Product for Copied {
    fn id(&self) -> &'static str {
        self.product.id()
    }

    fn short(&self) -> &'static str {
        self.product.short()
    }

    fn title(&self) -> &'static str {
        self.product.title()
    }

    fn usual(&self) -> (u16, &'static str) {
        self.product.usual()
    }

    fn owners(&self) -> &'static [&'static str] {
        self.product.owners()
    }

    fn pid_file(&self) -> &'static str {
        self.product.pid_file()
    }

    fn stop_signal(&self) -> Signal {
        self.product.stop_signal()
    }

    fn find(&self, options: &Options) -> Result<Installation> {
        self.product.find(options)
    }

    /// Copies the data directory, so that no commands are needed. If the copy fails, returns the product's own commands
    /// for creating the directory.
    fn creation(&self, place: &ServerPlace) -> Vec<Command> {
        match self.copy(place) {
            Ok(()) => Vec::new(),
            Err(_) => self.product.creation(place),
        }
    }

    fn configure(&self, place: &ServerPlace, options: &Options) -> Result<()> {
        self.product.configure(place, options)
    }

    fn command(&self, place: &ServerPlace) -> Command {
        self.product.command(place)
    }

    fn clear(&self, place: &ServerPlace) {
        self.product.clear(place);
    }

    fn is_ready(&self, place: &ServerPlace, pid: u32) -> bool {
        self.product.is_ready(place, pid)
    }

    fn socket(&self, place: &ServerPlace) -> PathBuf {
        self.product.socket(place)
    }

    fn target(&self, place: &ServerPlace) -> String {
        self.product.target(place)
    }

    fn tcp_target(&self, place: &ServerPlace) -> String {
        self.product.tcp_target(place)
    }
}

impl Copied {
    fn copy(&self, place: &ServerPlace) -> Result<()> {
        let copied = match &self.kept {
            Kept::Initialised(settings) => {
                self.initialised(place, settings).and_then(|kept| copy(&kept, &place.data()))
            }
            Kept::Folder(kept) => copy(kept, &place.data()),
        };
        if copied.is_err() {
            // Remove the incomplete copy, so that the product can create the directory.
            let _ = std::fs::remove_dir_all(place.data());
        }
        copied
    }

    /// Returns the data directory kept for this installation. Creates it if it does not exist yet.
    fn initialised(&self, place: &ServerPlace, settings: &[(&str, &str)]) -> Result<PathBuf> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tests/servers");
        std::fs::create_dir_all(&folder)?;
        let kept = folder.join(self.name(place, settings)?);
        let lock = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .open(kept.with_added_extension("lock"))?;
        // The lock is necessary because several test programs may run at the same time.
        lock.lock()?;
        if !kept.is_dir() {
            self.make(place, settings, &kept)?;
        }
        drop::<File>(lock);
        Ok(kept)
    }

    /// Returns a name that is different for each installation, and for each way of creating its data directory.
    fn name(&self, place: &ServerPlace, settings: &[(&str, &str)]) -> Result<String> {
        let Installation { server, version, .. } = &place.installation;
        let about = server.metadata()?;
        let mut hasher = DefaultHasher::new();
        (server, about.len(), about.modified()?, settings, &place.password).hash(&mut hasher);
        let folder = place.folder.display().to_string();
        for command in self.product.creation(place) {
            format!("{command:?}").replace(&folder, "").hash(&mut hasher);
        }
        Ok(format!("{}-{version}-{:016x}", self.product.id(), hasher.finish()))
    }

    /// Creates the data directory that servers will copy. If this fails, the directory does not exist.
    fn make(&self, place: &ServerPlace, settings: &[(&str, &str)], kept: &Path) -> Result<()> {
        let guard = Guard::new("tacho-test-", self.product)?;
        let options = Options {
            settings: settings.iter().map(super::owned).collect(),
            binaries: super::binaries(self.product),
            version: Some(place.installation.version.clone()),
            ..Options::default()
        };
        let password = place.password.clone();
        let mut server = Server::create(self.product, guard.folder(), options, password, None)?;
        server.start(&|| true)?;
        server.stop();
        let data = server.place().data();
        // Remove the file with MySQL's server ID, because each server needs a different one.
        let _ = std::fs::remove_file(data.join("auto.cnf"));
        let new = kept.with_added_extension("new");
        // Remove an incomplete copy. A program leaves one behind if it is killed while it copies.
        let _ = std::fs::remove_dir_all(&new);
        copy(&data, &new)?;
        Ok(std::fs::rename(new, kept)?)
    }
}

/// Copies a folder, and keeps the owners of the files.
fn copy(from: &Path, to: &Path) -> Result<()> {
    let mut command = Command::new("cp");
    // Redo logs are mostly zeros.
    command.args(if cfg!(target_os = "linux") { &["-a", "--sparse=always"][..] } else { &["-Rp"] });
    let output = command.arg(from).arg(to).stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Error::usage(said).during(format!("copy {}", from.display())))
}
