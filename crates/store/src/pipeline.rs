//! A pipeline's record. It names the sweep of each workload on each server, and the private servers.
//!
//! Servers are recorded before they are created, so that even a pipeline that is killed leaves no
//! unknown server behind.
//!
//! Start reading at [`PipelineRecord`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacho_core::{Error, ErrorKind, Result};

use crate::lock::Claim;
use crate::record::RunState;
use crate::{atomic, failure, regular, seal};

/// The value of the `format` field in a pipeline record.
pub const FORMAT: &str = "tacho-pipeline";
/// The record version that this build writes.
pub const VERSION: u32 = 1;

/// The latest measurement of a pipeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PipelineRecord {
    /// Always `tacho-pipeline`.
    pub format: String,
    /// Version of the record format.
    pub version: u32,
    /// Name of the pipeline.
    pub name: String,
    /// Progress of the pipeline.
    pub state: RunState,
    /// Start of the measurement in RFC 3339 format, with the UTC offset.
    pub started_at: String,
    /// Version of Tacho.
    pub tool_version: String,
    /// The contents of the pipeline file, without any passwords.
    pub asked: Value,
    /// Names of the private servers that the pipeline created, as printed by `tacho list servers`.
    pub servers: Vec<String>,
    /// The sweep for each workload on each server, in measurement order.
    pub sweeps: Vec<StageRecord>,
}

/// A workload on a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StageRecord {
    /// The workload's name in the pipeline file.
    pub workload: String,
    /// The server's name in the pipeline file.
    pub server: String,
    /// Id of the sweep that measures this workload on this server.
    pub sweep: String,
}

/// All pipelines below a root folder.
#[derive(Clone, Debug)]
pub struct PipelineStore {
    folder: PathBuf,
}

impl PipelineStore {
    /// Opens the pipelines below `root` without accessing any files.
    pub fn open(root: &Path) -> Self {
        Self { folder: root.join("pipelines") }
    }

    /// Returns the path of a pipeline's record.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// Writes a complete record.
    pub fn save(&self, record: &PipelineRecord) -> Result<()> {
        atomic::replace(&self.path(&record.name), &seal::sealed(record, BTreeMap::new())?)
    }

    /// Claims a pipeline for the process that will measure it.
    ///
    /// # Errors
    /// Returns a usage error if another process is already measuring the pipeline.
    pub fn claim(&self, name: &str) -> Result<Claim> {
        Claim::take(&self.path(name))?.ok_or_else(|| {
            Error::usage(format!("another process is measuring pipeline {name}"))
                .hint("wait until it has finished; use tacho watch to follow its runs")
        })
    }

    /// Returns the record with this name, if there is one.
    pub fn find(&self, name: &str) -> Result<Option<PipelineRecord>> {
        let path = self.path(name);
        let text = match regular::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(failure::reading(&path))?,
        };
        let refused = |what: String| {
            Err(Error::new(ErrorKind::Protocol, format!("{} {what}", path.display()))
                .hint("restore the file from a copy, or remove it and start again")
                .hint("to find servers that the pipeline may have left behind, use tacho list servers"))
        };
        let record: PipelineRecord = match serde_json::from_slice(&text) {
            Ok(record) => record,
            Err(error) => return refused(format!("is damaged: {error}")),
        };
        if record.format != FORMAT || record.version > VERSION {
            return refused("was written by a newer version of Tacho".into());
        }
        // The name in the record determines which file is rewritten, so it must match the name of this file.
        if record.name != name {
            return refused(format!("contains the pipeline {}", record.name));
        }
        if seal::inspect(&text) == seal::Seal::Broken {
            return refused("was changed: its checksum does not match".into());
        }
        Ok(Some(record))
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test damages a file")]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_and_damage_is_reported() -> Result<()> {
        let root = tempfile::tempdir()?;
        let store = PipelineStore::open(root.path());
        assert_eq!(store.find("nightly")?, None);
        let record = PipelineRecord {
            format: FORMAT.into(),
            version: VERSION,
            name: "nightly".into(),
            state: RunState::Incomplete,
            started_at: "2026-03-02T10:14:05+01:00".into(),
            tool_version: "0.1.0".into(),
            asked: serde_json::json!({ "repeat": 3 }),
            servers: vec!["nightly-pg".into()],
            sweeps: Vec::new(),
        };
        store.save(&record)?;
        assert_eq!(store.find("nightly")?.as_ref(), Some(&record));
        let path = store.path("nightly");
        let text = std::fs::read_to_string(&path)?;
        std::fs::write(&path, text.replace("nightly-pg", "another"))?;
        let told = store.find("nightly").expect_err("changed").to_string();
        assert!(told.contains("checksum does not match"), "{told}");
        std::fs::write(&path, "{")?;
        assert!(store.find("nightly").expect_err("damaged").to_string().contains("damaged"));
        Ok(())
    }
}
