//! Workloads without tables: scripts and logs, which run on existing data.

use tacho_core::Schema;
use tacho_driver::{RowSource, Values};

pub static NO_TABLES: Schema = Schema { tables: Vec::new() };

/// An empty row source.
pub struct NoRows;

impl RowSource for NoRows {
    fn next_batch(&mut self, _: &mut Values) -> usize {
        0
    }
}

/// Implements those methods of [`tacho_workload::Instance`] that concern tables, for workloads that have none.
macro_rules! no_tables {
    () => {
        fn schema(&self) -> &::tacho_core::Schema {
            &$crate::vm::no_tables::NO_TABLES
        }

        fn units(&self) -> u64 {
            1
        }

        fn unit(&self, _: u64) -> ::tacho_workload::Unit {
            ::tacho_workload::Unit { slices: Vec::new() }
        }

        fn slots(&self, _: usize) -> u64 {
            0
        }

        fn expected_rows(&self, _: usize) -> u64 {
            0
        }

        fn rows(&self, _: &::tacho_workload::Slice) -> Box<dyn ::tacho_driver::RowSource> {
            Box::new($crate::vm::no_tables::NoRows)
        }

        fn checks(&self) -> Vec<::tacho_workload::Check> {
            Vec::new()
        }

        fn headline(&self) -> Option<::tacho_workload::Headline> {
            None
        }
    };
}

pub(crate) use no_tables;
