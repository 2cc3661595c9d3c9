//! What both ways of loading rows need.

use tacho_core::Result;
use tacho_net::unexpected;

use crate::admin::{number, rows};
use crate::link::Link;

/// The largest packet that the server takes.
pub async fn packet_limit(link: &mut Link) -> Result<usize> {
    let found = rows(link, "SELECT @@max_allowed_packet").await?;
    let row = found.first().ok_or_else(|| unexpected("no limit of packets"))?;
    Ok(number(row, 0)? as usize)
}
