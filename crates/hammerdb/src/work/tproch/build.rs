//! The progress lines of a TPROC-H build.
//!
//! The loaders work on several tables at the same time. The first virtual user therefore reports their combined
//! progress.

use tacho_store::event::{BuildState, TableState};

use super::super::request::BuildPlan;
use super::super::story::Story;
use super::super::transcript::Transcript;

/// Number of rows after which a loader reports its progress in HammerDB.
const STEP: u64 = 10_000;

/// The tables whose size depends on the scale factor. Each entry consists of the table's name, HammerDB's name for it
/// during the load, and HammerDB's name for it after the load.
const TABLES: [(&str, &str, &str); 4] = [
    ("supplier", "SUPPLIER", "SUPPLIER"),
    ("customer", "CUSTOMER", "Customer"),
    ("part", "PART/PARTSUPP", "PART and PARTSUPP"),
    ("orders", "ORDERS/LINEITEM", "ORDERS and LINEITEM"),
];

/// The progress lines of TPROC-H.
#[derive(Debug, Default)]
pub(in crate::work) struct Gigabytes {
    /// Number of progress lines printed for each table.
    printed: [u64; 4],
    /// Number of rows in each table.
    rows: [u64; 4],
}

impl Story for Gigabytes {
    fn schema(&self) -> &'static str {
        "TPCH"
    }

    fn tables(&mut self, transcript: &Transcript) {
        for table in ["REGION", "NATION"] {
            transcript.says(1, format!("Loading {table}..."));
            transcript.says(1, format!("Loading {table} COMPLETE"));
        }
    }

    fn share(&self, plan: &BuildPlan, parts: Option<(u64, u64)>) -> String {
        if parts.is_none() {
            return "No Data to Create".into();
        }
        let BuildPlan { size, users, .. } = plan;
        format!("Loading Scale Factor {size} shared by {users} Virtual Users")
    }

    fn progress(&mut self, transcript: &Transcript, state: &BuildState) {
        for (place, (name, loading, _)) in TABLES.iter().enumerate() {
            let of = |table: &&TableState| table.name == *name;
            let rows = state.tables.iter().find(of).map_or(0, |table| table.rows);
            if rows > 0 && self.rows[place] == 0 {
                transcript.says(1, format!("Loading {loading}..."));
            }
            for step in self.printed[place] + 1..=rows / STEP {
                transcript.says(1, format!("Loading {loading}...{}", step * STEP));
            }
            self.printed[place] = self.printed[place].max(rows / STEP);
            self.rows[place] = self.rows[place].max(rows);
        }
    }

    fn loaded(&mut self, transcript: &Transcript) {
        for ((_, _, done), rows) in TABLES.iter().zip(self.rows) {
            transcript.says(1, format!("{done} Done Rows 1..{rows}"));
        }
        transcript.says(1, "Loading TPCH TABLES COMPLETE");
    }

    fn routines(&self, _: &str) -> Option<&'static str> {
        None
    }
}
