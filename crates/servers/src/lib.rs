//! Private database servers: from binaries found on the machine, in a folder of their own, on
//! loopback and a Unix socket only.
//!
//! It must never touch a server that was there before, and it ends a process only after making
//! sure that it is the one it has started. Start reading at [`Server`]; what differs from product
//! to product is [`Product`], one file each.

mod binaries;
mod family;
mod guard;
mod mariadb;
mod mysql;
mod owner;
mod park;
mod place;
mod ports;
mod postgres;
mod process;
mod product;
mod server;
mod state;
mod text;

pub use guard::Guard;
pub use mariadb::MARIADB;
pub use mysql::MYSQL;
pub use park::{Down, How, Park, Up};
pub use place::Place;
pub use postgres::POSTGRES;
pub use process::{Identity, Process};
pub use product::{Installation, Options, Product, product, products};
pub use server::{Server, Stop};
pub use state::State;
