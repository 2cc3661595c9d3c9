//! Finds out which database a data source connects to, and therefore which SQL dialect to use.
//!
//! Start reading at [`over`].

use std::sync::Arc;

use tacho_core::{Error, Result};
use tacho_driver::{Driver, Target};

use crate::Odbc;
use crate::config::Config;
use crate::connect::connect;
use crate::dialect::SourceDialect;
use crate::manifest::MANIFEST;

/// `SQL_DBMS_NAME`.
const DBMS_NAME: u16 = 17;
/// Name of the dialect for databases that no other driver supports.
const STANDARD: &str = "standard";

/// Returns true if the target is a data source. Its dialect is then determined by [`over`].
pub fn serves(target: &Target) -> bool {
    target.scheme == MANIFEST.id
}

/// Returns the driver for a data source. If the target specifies a dialect, the driver uses it. Otherwise, the driver
/// uses the dialect of the product that the data source reports.
pub fn over(target: &Target, known: &[Arc<dyn Driver>]) -> Result<Arc<dyn Driver>> {
    let config = Config::from_target(target)?;
    let name = match &config.dialect[..] {
        "" => product(&config)?,
        named => named.to_lowercase(),
    };
    let is_it = |driver: &&Arc<dyn Driver>| {
        let manifest = driver.manifest();
        let stores = driver.capabilities().stores_data && manifest.id != MANIFEST.id;
        let names = manifest.schemes.iter().chain([&manifest.id]);
        stores
            && (manifest.title.to_lowercase() == name || names.into_iter().any(|id| **id == name))
    };
    let base = known.iter().find(is_it).cloned();
    if base.is_none() && !config.dialect.is_empty() && name != STANDARD {
        let ids = known.iter().map(|driver| driver.manifest().id).chain([STANDARD]);
        return Err(Error::usage(format!("unknown dialect \"{name}\"")).did_you_mean(&name, ids));
    }
    Ok(Arc::new(Odbc { dialect: SourceDialect { base } }))
}

/// Returns the product that the data source reports, in lower case.
fn product(config: &Config) -> Result<String> {
    let connection = connect(config, Arc::new(SourceDialect { base: None }))?;
    let name = connection.info(DBMS_NAME).to_lowercase();
    connection.close()?;
    Ok(name)
}
