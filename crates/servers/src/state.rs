//! What a command writes down of a server that outlives it: `NAME.json` next to the server's folder.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tacho_core::{Error, ErrorKind, Result};

use crate::{Identity, Options, text};

const FORMAT: &str = "tacho-server";
const VERSION: u32 = 1;

/// A server as written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerState {
    /// `tacho-server`.
    pub format: String,
    /// Of this file, not of the server.
    pub version: u32,
    /// Name of the server, of the folder and of this file.
    pub name: String,
    /// Name of the product.
    pub product: String,
    /// Version of the server.
    pub server_version: String,
    /// The folder of binaries that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binaries: Option<PathBuf>,
    /// TCP port on loopback.
    pub port: u16,
    /// Settings that were asked for.
    pub settings: Vec<(String, String)>,
    /// Settings that hold for a while, over those.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub for_a_while: Vec<(String, String)>,
    /// Password for TCP; the file is for its owner only.
    pub password: String,
    /// Target over the Unix socket.
    pub target: String,
    /// Whether the data directory is complete.
    pub made: bool,
    /// The process that was started last and not stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<Identity>,
}

impl ServerState {
    /// A server that is about to be made.
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
        }
    }

    /// Reads a file; `None` if there is none.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        if !path.exists() {
            return Ok(None);
        }
        let wrong = |what: String| {
            Error::new(ErrorKind::Other, what)
                .during(format!("read {}", path.display()))
                .hint("tacho down --all stops and removes what it can; remove the rest by hand")
        };
        let state: Self =
            serde_json::from_str(&text::read(path)).map_err(|error| wrong(error.to_string()))?;
        if state.format != FORMAT || state.version > VERSION {
            let ServerState { format, version, .. } = state;
            return Err(wrong(format!("it is {format} {version}, made by another version")));
        }
        Ok(Some(state))
    }

    /// Replaces the file as a whole; only its owner may read it.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let content = serde_json::to_string_pretty(self)
            .map_err(|error| Error::new(ErrorKind::Other, error.to_string()))?;
        let temporary = path.with_extension("json.tmp");
        text::write_private(&temporary, &content)
            .and_then(|()| Ok(std::fs::rename(&temporary, path)?))
            .map_err(|error| {
                error
                    .during(format!("write {}", path.display()))
                    .hint("--dir names a folder with room that you may write to")
            })
    }

    /// With what it is to be started.
    pub(crate) fn options(&self) -> Options {
        Options {
            settings: self.settings.iter().chain(&self.for_a_while).cloned().collect(),
            version: Some(self.server_version.clone()),
            binaries: self.binaries.clone(),
            ..Options::default()
        }
    }

    /// Whether its process lives.
    pub fn runs(&self) -> bool {
        self.process.as_ref().is_some_and(Identity::lives)
    }

    /// `running`, `stopped`, `ended` of one that was killed or fell with the machine, or
    /// `half-made`.
    pub fn word(&self) -> &'static str {
        match (self.runs(), self.made, &self.process) {
            (true, ..) => "running",
            (false, false, _) => "half-made",
            (false, true, Some(_)) => "ended",
            (false, true, None) => "stopped",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_read_back_and_is_private() -> Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.json");
        assert!(ServerState::read(&path)?.is_none());
        let state =
            ServerState { process: Identity::of(std::process::id()), ..ServerState::new("a", "b") };
        state.write(&path)?;
        assert_eq!(ServerState::read(&path)?.as_ref(), Some(&state));
        assert_eq!(path.metadata()?.permissions().mode() & 0o777, 0o600);
        assert!(state.runs());
        text::write_private(&path, &text::read(&path).replace("\"version\": 1", "\"version\": 2"))?;
        assert!(ServerState::read(&path).is_err());
        Ok(())
    }

    #[test]
    fn words_tell_a_stopped_one_from_an_ended_one() {
        let gone = Identity { pid: std::process::id(), started: "before".into() };
        let state = ServerState { made: true, ..ServerState::new("a", "b") };
        assert_eq!(state.word(), "stopped");
        assert_eq!(ServerState { process: Some(gone), ..state }.word(), "ended");
        assert_eq!(ServerState::new("a", "b").word(), "half-made");
    }
}
