//! The contract suite, which checks the requirements for a workload: its declarations, its data, and its runs on a
//! driver.
//!
//! The suite must not name a workload or a driver. Start reading at [`declare_and_generate`] and [`run`].

mod clients;
mod columns;
mod declared;
mod rows;
mod stored;

use std::sync::Arc;

use tacho_core::Seed;
use tacho_driver::{Driver, Form};
use tacho_workload::{Choices, Instance, Workload};

pub use clients::{Ended, drive, warm_allocations};
pub use columns::{
    Cells, Changes, UNNOTICED, changes_are_noticed, column_named, listed_columns, listed_rows,
    new_value, rows_are_counted,
};
pub use stored::{find, load};

/// Checks the declarations of `workload`, the data that it generates, and the transactions of its virtual users.
///
/// # Panics
/// Panics if the workload violates the contract.
pub fn declare_and_generate(workload: &dyn Workload) {
    declared::manifest_is_complete(workload);
    declared::parameters_are_sound(workload);
    declared::profiles_are_sound(workload);
    declared::wrong_choices_are_refused(workload);
    for instance in instances(workload) {
        rows::units_cover_every_slot_once(&*instance);
        rows::rows_fit_the_schema(&*instance);
        rows::rows_do_not_depend_on_the_cut(&*instance);
        clients::clients_repeat_themselves(&*instance);
        clients::seats_are_independent(&*instance);
    }
}

/// Checks the statements of `workload` in the dialect of the driver. Runs the smallest data set on the database at
/// `target`, which must be empty.
///
/// # Panics
/// Panics if the workload violates the contract.
pub fn run(workload: &dyn Workload, driver: &dyn Driver, target: &str) {
    for instance in instances(workload) {
        declared::instance_is_sound(&*instance, driver.dialect());
    }
    let instance = instance(workload, &choices(1, workload.profiles()[0].id));
    if driver.capabilities().stores_data {
        stored::the_data_stays_consistent(&*instance, driver, target);
    } else {
        stored::transactions_run_through(&*instance, driver, target);
    }
}

/// Returns an instance of each profile at each of two scales.
fn instances(workload: &dyn Workload) -> impl Iterator<Item = Arc<dyn Instance>> {
    let cases =
        workload.profiles().iter().flat_map(|profile| [1, 3].map(|scale| (scale, profile.id)));
    cases.map(move |(scale, profile)| instance(workload, &choices(scale, profile)))
}

/// Returns the choices that tests make for a workload: four sessions, fixed seeds, and a fixed load date.
pub fn choices(scale: u64, profile: &str) -> Choices {
    Choices {
        scale,
        data_seed: Seed(11),
        seed: Seed(22),
        loaded_at: 1_700_000_000_000_000,
        profile: profile.into(),
        set: std::collections::BTreeMap::new(),
        form: Form::Sql,
        sessions: 4,
        dialect: String::new(),
        sets: 1,
        turn: 0,
    }
}

/// Creates an instance of the workload for these choices, such as its scale and its seeds.
///
/// # Panics
/// Panics if the workload rejects the choices.
pub fn instance(workload: &dyn Workload, choices: &Choices) -> Arc<dyn Instance> {
    let made = workload.instance(choices);
    made.unwrap_or_else(|error| panic!("{} {choices:?}: {error}", workload.manifest().id))
}
