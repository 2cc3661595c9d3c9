//! Instances that wrap other instances.
//!
//! Start reading at [`InstanceLayer`].

use std::collections::BTreeMap;
use std::sync::Arc;

use tacho_core::{Result, Schema};
use tacho_driver::{
    BoxFuture, Capabilities, Catalog, Dialect, Exchange, Operations, RowSource, layer,
};

use crate::{
    AuditRule, Check, Client, Counter, Headline, Instance, LogComparison, Purpose, Recorded,
    Routines, Slice, Streams, Terminals, Transaction, Unit,
};

layer! {
    /// An instance that wraps another one. It overrides some methods and forwards all other calls.
    InstanceLayer around Instance in "contract.rs";

    fn parameters(&self) -> BTreeMap<String, String>;
    fn schema(&self) -> &Schema;
    fn layout(&self, dialect: &dyn Dialect) -> Result<Schema>;
    fn units(&self) -> u64;
    fn unit(&self, index: u64) -> Unit;
    fn slots(&self, table: usize) -> u64;
    fn expected_rows(&self, table: usize) -> u64;
    fn rows(&self, slice: &Slice) -> Box<dyn RowSource>;
    fn requires(&self, capabilities: &Capabilities) -> Result<()>;
    fn catalog(&self, dialect: &dyn Dialect) -> Result<Arc<Catalog>>;
    fn routines(&self, dialect: &dyn Dialect) -> Result<Routines>;
    fn session_script(&self, dialect: &dyn Dialect) -> Result<String>;
    fn transactions(&self) -> &[Transaction];
    fn reads_only(&self, kind: usize) -> bool;
    fn streams(&self) -> Option<Streams>;
    fn terminals(&self) -> Option<Terminals>;
    fn ends(&self) -> bool;
    fn recorded(&self) -> Option<Recorded>;
    fn compare_with_log(&self) -> Option<LogComparison>;
    fn needs_inspection(&self) -> bool;
    fn numbers_rows(&self) -> bool;
    fn inspect_data<'a>(
        &'a self,
        exchange: &'a mut Exchange,
        tables: u32,
        purpose: Purpose,
    ) -> BoxFuture<'a, Result<Option<String>>>;
    fn has_history(&self) -> bool;
    fn final_reads<'a>(&'a self, exchange: &'a mut Exchange) -> BoxFuture<'a, Result<Vec<Operations>>>;
    fn client(&self, session: u32) -> Box<dyn Client>;
    fn checks(&self) -> Vec<Check>;
    fn checks_after_run(&self) -> Vec<Check>;
    fn headline(&self) -> Option<Headline>;
    fn counters(&self) -> Vec<Counter>;
    fn audit_rules(&self) -> Vec<AuditRule>;
}
