//! The vocabulary that every other crate shares: seeds, clocks, units, errors, schemas.
//!
//! It must never know a database, a workload, a file or a terminal.
//! Start reading at [`Error`] and [`Seed`].

mod clock;
mod error;
mod parameter;
mod schema;
mod seed;
pub mod units;
mod visible;
mod work;

pub use clock::{Clock, Instant, Timer};
pub use error::{Error, ErrorKind, Result, Retry};
pub use parameter::{Kind, Parameter, nearest};
pub use schema::{
    Column, Distribution, HashPartitions, Index, Reference, Schema, Storage, StorageOption, Table,
    Type,
};
pub use seed::{Rng, Seed};
pub use visible::{MASK, is_secret, is_unsafe, masked, masked_target, visible};
pub use work::Work;
