//! The output lines of a build that depend on the benchmark.

use tacho_store::event::BuildState;

use super::request::BuildPlan;
use super::transcript::Transcript;

/// The output lines of a build that describe the tables. Each benchmark has its own lines.
pub(super) trait Story {
    /// Returns the schema name used in output lines, such as `TPCC`.
    fn schema(&self) -> &'static str;
    /// Called when the tables have been created and loading starts.
    fn tables(&mut self, transcript: &Transcript);
    /// Describes a worker's task. If the worker has a share of the parts, `parts` contains the first part and the last
    /// part of this share.
    fn share(&self, plan: &BuildPlan, parts: Option<(u64, u64)>) -> String;
    /// Called when a virtual user starts to load a part of its share.
    fn begins(&self, _: &Transcript, _user: u32, _part: u64) {}
    /// Called when a virtual user has loaded a part of its share.
    fn part_loaded(&self, _: &Transcript, _user: u32, _part: u64) {}
    /// Reports the overall progress.
    fn progress(&mut self, _: &Transcript, _: &BuildState) {}
    /// Called when all rows have been loaded.
    fn loaded(&mut self, _: &Transcript) {}
    /// Returns the stored routines that are created at the end, if any.
    fn routines(&self, prefix: &str) -> Option<&'static str>;
}

/// The output lines of TPROC-C. Part 0 means the items, and part n means warehouse n.
pub(super) struct Warehouses {
    /// True if the routines on PostgreSQL are procedures rather than functions.
    pub(super) procedures: bool,
}

impl Story for Warehouses {
    fn schema(&self) -> &'static str {
        "TPCC"
    }

    fn tables(&mut self, transcript: &Transcript) {
        transcript.says(1, "Loading Item");
    }

    fn share(&self, _: &BuildPlan, parts: Option<(u64, u64)>) -> String {
        match parts {
            Some((first, last)) if last > 0 => {
                let first = first.max(1);
                let count = last - first + 1;
                format!("Loading {count} Warehouses start:{first} end:{last}")
            }
            _ => "No Warehouses to Create".into(),
        }
    }

    fn begins(&self, transcript: &Transcript, user: u32, warehouse: u64) {
        if warehouse > 0 {
            transcript.says(user, "Loading Warehouse");
            transcript.says(user, format!("Loading Stock Wid={warehouse}"));
        }
    }

    fn part_loaded(&self, transcript: &Transcript, user: u32, warehouse: u64) {
        if warehouse == 0 {
            // As in HammerDB, the first virtual user prints this line, even if another one has loaded the items.
            return transcript.says(1, "Item done");
        }
        for text in ["Stock done", "Loading District", "District done"] {
            transcript.says(user, text);
        }
        for (what, done) in [("Customer for DID", "Customer Done"), ("Orders for D", "Orders Done")]
        {
            let of = if done == "Customer Done" { "WID" } else { "W" };
            for district in 1..=DISTRICTS {
                transcript.says(user, format!("Loading {what}={district} {of}={warehouse}"));
                transcript.says(user, done);
            }
        }
    }

    fn routines(&self, prefix: &str) -> Option<&'static str> {
        let functions = prefix == "pg" && !self.procedures;
        Some(if functions { "FUNCTIONS" } else { "STORED PROCEDURES" })
    }
}

/// Number of districts in a warehouse.
const DISTRICTS: u64 = 10;
