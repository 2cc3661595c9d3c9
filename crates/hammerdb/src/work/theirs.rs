//! Recognizes schemas built by HammerDB itself, and uses them unchanged.

use tacho_app::{Adopted, Context, Job, Request, Theirs, recognise};
use tacho_core::Result;

use crate::dictionary::{Benchmark, Database};

/// Returns the tables of a schema. Each table comes after the tables that it references.
pub(super) fn tables(benchmark: Benchmark) -> &'static [&'static str] {
    match benchmark {
        Benchmark::TprocC => &[
            "warehouse",
            "district",
            "customer",
            "history",
            "orders",
            "new_order",
            "order_line",
            "stock",
            "item",
        ],
        Benchmark::TprocH => {
            &["region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem"]
        }
    }
}

/// The names of the TPROC-H tables in upper case. They are needed because MySQL and MariaDB distinguish between upper
/// and lower case in table names.
const UPPER: [&str; 8] =
    ["REGION", "NATION", "SUPPLIER", "CUSTOMER", "PART", "PARTSUPP", "ORDERS", "LINEITEM"];

/// Returns the objects that HammerDB creates. There are two versions, because the table names can be spelled in
/// different ways.
pub(super) fn theirs(job: &Job, benchmark: Benchmark) -> [Theirs<'static>; 2] {
    let tables = tables(benchmark);
    let prefix = Database::of_scheme(&job.target.scheme).map_or("", |database| database.prefix);
    let is_pg = prefix == "pg";
    let lower = Theirs { tables, spelling: "", routines: &[], helpers: &[], ways: &[] };
    if benchmark == Benchmark::TprocH {
        let upper = Theirs { tables: &UPPER, spelling: "upper_names=true", ..lower };
        return [lower, if is_pg { lower } else { upper }];
    }
    if super::products::are_own_routines(prefix) {
        // Tacho cannot call HammerDB's routines on this database, so it sends statements instead.
        return [lower, lower];
    }
    // On PostgreSQL, the routines may be functions or procedures. On other databases, they are always procedures.
    let ways: &[&str] = if is_pg {
        &["routines=functions", "routines=procedures"]
    } else {
        &["routines=procedures"]
    };
    let routines = &["neword", "payment", "delivery", "ostat", "slev"];
    let helpers = &["dbms_random"];
    [Theirs { routines, helpers, ways, ..lower }; 2]
}

/// Returns the schema in the job's database if it was built by HammerDB.
pub(super) fn find(job: &Job, context: &Context, benchmark: Benchmark) -> Result<Option<Adopted>> {
    let [first, second] = theirs(job, benchmark);
    match recognise(Request::new(job, context), &first)? {
        None if second.spelling != first.spelling => recognise(Request::new(job, context), &second),
        found => Ok(found),
    }
}

/// Describes the recognized schema.
pub(super) fn found(adopted: &Adopted, benchmark: Benchmark) -> String {
    let size = match benchmark {
        Benchmark::TprocC => format!("{} warehouses", adopted.scale),
        Benchmark::TprocH => format!("scale factor {}", adopted.scale),
    };
    let routines = match adopted.routines.as_deref().and_then(|way| way.split_once('=')) {
        Some((_, kind)) => format!(", stored {kind}"),
        None if benchmark == Benchmark::TprocC => ", no stored routines".into(),
        None => String::new(),
    };
    format!(
        "This schema was not built by Tacho; its tables and columns are those of HammerDB's {}: \
         {size}{routines}",
        benchmark.name()
    )
}
