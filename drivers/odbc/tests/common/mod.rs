//! What the tests share.

#![allow(dead_code, reason = "no test program uses everything")]

use std::sync::Arc;

use tacho_core::Result;
use tacho_driver::{Driver, Target};

/// The driver of a data source, in the dialect of what it says it is.
pub fn driver(place: &str) -> Result<Arc<dyn Driver>> {
    let known = [
        tacho_driver_sqlite::driver().into(),
        tacho_driver_postgres::driver().into(),
        tacho_driver_mysql::driver().into(),
    ];
    tacho_driver_odbc::over(&Target::parse(place)?, &known)
}
