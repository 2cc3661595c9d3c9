//! The lines of a build that are about the tables of a benchmark.

use tacho_store::event::BuildState;

use super::request::BuildPlan;
use super::transcript::Transcript;

/// What a build tells of the benchmark's own tables.
pub(super) trait Story {
    /// The name of the schema in lines, such as `TPCC`.
    fn schema(&self) -> &'static str;
    /// The tables are there, and rows come.
    fn tables(&mut self, transcript: &Transcript);
    /// What a worker is to do, by the first and the last part of its share.
    fn share(&self, plan: &BuildPlan, parts: Option<(u64, u64)>) -> String;
    /// A virtual user begins a part.
    fn begins(&self, _: &Transcript, _user: u32, _part: u64) {}
    /// A virtual user has loaded a part.
    fn part_loaded(&self, _: &Transcript, _user: u32, _part: u64) {}
    /// How far all are.
    fn progress(&mut self, _: &Transcript, _: &BuildState) {}
    /// All rows are there.
    fn loaded(&mut self, _: &Transcript) {}
    /// The stored routines that come last, if there are any.
    fn routines(&self, prefix: &str) -> Option<&'static str>;
}

/// The story of TPROC-C, whose part 0 is the items, and each further one the warehouse of that number.
pub(super) struct Warehouses {
    /// Whether the routines are procedures on PostgreSQL.
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
            // Whoever has loaded them: the first virtual user has begun to tell of them.
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

/// Districts of a warehouse.
const DISTRICTS: u64 = 10;
