//! Helper functions shared by both bulk-load paths.

use tacho_core::Result;
use tacho_net::unexpected;

use crate::admin::{number, rows};
use crate::link::Link;

/// Returns the size of the largest packet that the server accepts.
pub async fn packet_limit(link: &mut Link) -> Result<usize> {
    let found = rows(link, "SELECT @@max_allowed_packet").await?;
    let row = found.first().ok_or_else(|| unexpected("no packet size limit"))?;
    Ok(number(row, 0)? as usize)
}
