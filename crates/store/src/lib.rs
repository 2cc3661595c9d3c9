//! placeholder
pub mod record;
