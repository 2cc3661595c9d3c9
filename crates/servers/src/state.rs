//! The recorded state of a server, stored in `NAME.json` next to its folder.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tacho_core::{Error, ErrorKind, Result, replace_file, visible};

use crate::{Identity, Options, system, text};

const FORMAT: &str = "tacho-server";
const VERSION: u32 = 1;

/// The recorded state of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerState {
    /// `tacho-server`.
    pub format: String,
    /// Version of the file format, not of the server.
    pub version: u32,
    /// Name of the server, of its folder, and of this file.
    pub name: String,
    /// Name of the product.
    pub product: String,
    /// Version of the server.
    pub server_version: String,
    /// The folder in which the user asked Tacho to search for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binaries: Option<PathBuf>,
    /// TCP port on the loopback interface.
    pub port: u16,
    /// Requested settings.
    pub settings: Vec<(String, String)>,
    /// Temporary settings, which take precedence over the requested ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub for_a_while: Vec<(String, String)>,
    /// Password for TCP connections. Only the file's owner can read it.
    pub password: String,
    /// Target over the Unix socket.
    pub target: String,
    /// True if the data directory is complete.
    pub made: bool,
    /// The most recently started process of the server. Absent once it has been stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Identity>,
    /// The process that creates the data directory. Its children belong to the same process group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setup: Option<Identity>,
}

impl ServerState {
    /// Returns the initial state of a server, which is written before the server is created.
    pub(crate) fn new(name: &str, product: &str) -> Self {
        Self {
            format: FORMAT.into(),
            version: VERSION,
            name: name.into(),
            product: product.into(),
            server_version: String::new(),
            binaries: None,
            port: 0,
            settings: Vec::new(),
            for_a_while: Vec::new(),
            password: String::new(),
            target: String::new(),
            made: false,
            process: None,
            setup: None,
        }
    }

    /// Reads a state file. Returns `None` if it does not exist.
    ///
    /// The server's name is used to decide which folder to remove and which file to write. It must
    /// therefore match the name of the state file. Neither the file nor the folder may be a
    /// symbolic link.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or was not written by `tacho up`.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        let Ok(found) = path.symlink_metadata() else { return Ok(None) };
        let wrong = |what: String| {
            Error::new(ErrorKind::Other, what).during(format!("read {}", path.display())).hint(
                "run tacho down --all to stop and remove as much as possible, then remove the rest manually",
            )
        };
        if !found.is_file() {
            return Err(wrong("it is not a regular file".into()));
        }
        let state: Self =
            serde_json::from_str(&text::read(path)).map_err(|error| wrong(error.to_string()))?;
        if state.format != FORMAT || state.version > VERSION {
            let ServerState { format, version, .. } = state;
            return Err(wrong(format!(
                "its format is {format} {version}, written by another version of Tacho"
            )));
        }
        let stem = path.file_stem().unwrap_or_default();
        if stem != state.name.as_str() || !is_plain(&state.name) {
            return Err(wrong(format!("it names another server: \"{}\"", visible(&state.name))));
        }
        let folder = path.with_file_name(&state.name);
        if folder.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            return Err(wrong(format!("{} is not a folder", folder.display())));
        }
        Ok(Some(state))
    }

    /// Replaces the whole file. Only the file's owner can read it.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let content = serde_json::to_string_pretty(self)
            .map_err(|error| Error::new(ErrorKind::Other, error.to_string()))?;
        replace_file(path, content.as_bytes(), &system::private_file()).map_err(|error| {
            Error::from(error)
                .during(format!("write {}", path.display()))
                .hint("use --dir to choose a folder with free space and write permission")
        })
    }

    /// Checks that no other user could have written the file. This matters because the file names a
    /// program that Tacho starts.
    pub(crate) fn require_own(&self, path: &Path) -> Result<()> {
        let Some(binaries) = &self.binaries else { return Ok(()) };
        let about = system::about(&path.symlink_metadata()?);
        // The bits 0o022 allow the group and all others to write.
        if about.user == system::user() && about.mode & 0o022 == 0 && binaries.is_absolute() {
            return Ok(());
        }
        let text = format!(
            "{} would run programs in {}, but another user may have written this file",
            path.display(),
            binaries.display()
        );
        Err(Error::new(ErrorKind::Auth, text)
            .during(format!("start {}", self.name))
            .hint("remove the file, and create the server with tacho up --binaries FOLDER"))
    }

    /// Returns the options with which to start the server.
    pub(crate) fn options(&self) -> Options {
        Options {
            settings: self.settings.iter().chain(&self.for_a_while).cloned().collect(),
            version: Some(self.server_version.clone()),
            binaries: self.binaries.clone(),
            ..Options::default()
        }
    }

    /// Returns true if the server is complete and its process is running.
    pub fn runs(&self) -> bool {
        self.made && self.process.as_ref().is_some_and(Identity::lives)
    }

    /// Returns the state of the server: `running`, `stopped`, `half-made` if its creation was interrupted, or `ended`
    /// if the server or its machine crashed.
    pub fn word(&self) -> &'static str {
        match (self.runs(), self.made, &self.process) {
            (true, ..) => "running",
            (false, false, _) => "half-made",
            (false, true, Some(_)) => "ended",
            (false, true, None) => "stopped",
        }
    }
}

/// Returns true if a name is valid for a server. It must start with a letter or digit and contain no separators.
pub(crate) fn is_plain(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_states_that_name_another_place() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.json");
        let state = ServerState::new("a", "b");
        for name in ["../../../victim", "..", "", "b", "/etc", "a/../b", "a\0", ".a"] {
            ServerState { name: name.into(), ..state.clone() }.write(&path)?;
            let error = ServerState::read(&path).expect_err(name);
            assert!(!error.hints().is_empty(), "{name}: {error}");
        }
        state.write(&path)?;
        assert!(ServerState::read(&path)?.is_some());
        let victim = folder.path().join("victim");
        std::fs::create_dir(&victim)?;
        std::os::unix::fs::symlink(&victim, folder.path().join("a"))?;
        assert!(ServerState::read(&path).is_err());
        std::fs::remove_file(folder.path().join("a"))?;
        std::fs::rename(&path, folder.path().join("real"))?;
        std::os::unix::fs::symlink(folder.path().join("real"), &path)?;
        assert!(ServerState::read(&path).is_err());
        Ok(())
    }

    #[test]
    fn programs_of_a_file_that_others_can_write_are_not_started() -> Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.json");
        let state = ServerState { binaries: Some("/opt/x".into()), ..ServerState::new("a", "b") };
        state.write(&path)?;
        state.require_own(&path)?;
        let relative = ServerState { binaries: Some("evil".into()), ..state.clone() };
        assert!(relative.require_own(&path).is_err());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666))?;
        assert!(state.require_own(&path).is_err());
        Ok(())
    }

    #[test]
    fn a_state_is_read_back_and_is_private() -> Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.json");
        assert!(ServerState::read(&path)?.is_none());
        let process = Identity::of(std::process::id());
        let state = ServerState { made: true, process, ..ServerState::new("a", "b") };
        state.write(&path)?;
        assert_eq!(ServerState::read(&path)?.as_ref(), Some(&state));
        assert_eq!(path.metadata()?.permissions().mode() & 0o777, 0o600);
        assert!(state.runs());
        text::write_private(&path, &text::read(&path).replace("\"version\": 1", "\"version\": 2"))?;
        assert!(ServerState::read(&path).is_err());
        Ok(())
    }

    #[test]
    fn status_words_distinguish_stopped_from_ended_servers() {
        let gone = Identity { pid: std::process::id(), started: "before".into() };
        let state = ServerState { made: true, ..ServerState::new("a", "b") };
        assert_eq!(state.word(), "stopped");
        assert_eq!(ServerState { process: Some(gone), ..state }.word(), "ended");
        assert_eq!(ServerState::new("a", "b").word(), "half-made");
    }
}
