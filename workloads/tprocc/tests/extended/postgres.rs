//! PostgreSQL: the profile `hammerdb` in every form, from 1, 8 and 64 sessions.

use crate::common::crowds::{Rules, enter, run_crowds};
use crate::common::instance_in;
use crate::common::routines::{
    acceptance_figures_hold, each_ends_once_in_the_server, make_routines,
};
use crate::postgres::{BY_HAMMERDB, WAREHOUSES, WAYS, figures, start};
use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;

#[test]
fn every_form_of_hammerdb_keeps_what_it_can() -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_postgres::driver();
    // Of its own, since it counts what the whole server does.
    let server = start();
    let bench = Bench::new(&*driver, &server.target());
    // HammerDB's lines are unsorted, and its procedures catch a deadlock and report success.
    let rules = Rules { excused: &BY_HAMMERDB, deadlocks: true, hidden: true };
    let (mut all, mut orders) = (0, 0);
    for (form, kind) in WAYS.into_iter().rev() {
        let instance = instance_in(form, WAREHOUSES, "hammerdb", &[("routines", kind)]);
        if all == 0 {
            contract::load(&bench, &*instance_in(Form::Sql, WAREHOUSES, "hammerdb", &[]))?;
        }
        make_routines(&bench, &*instance)?;
        if form == Form::Procedures {
            assert!((instance.headline().expect("a headline").ratio - 2.3).abs() < 1e-9);
            let sum = run_crowds(&bench, &*instance, form, rules)?;
            assert_eq!(sum.ended.iter().map(|ended| ended.rolled_back).sum::<u64>(), 0);
            all += sum.committed();
            orders += sum.new_orders();
            continue;
        }
        if form == Form::Pipelined {
            acceptance_figures_hold(&bench, &figures(all, orders))?;
            let calls =
                instance_in(Form::Procedures, WAREHOUSES, "hammerdb", &[("routines", kind)]);
            each_ends_once_in_the_server(&bench, &*calls)?;
        }
        run_crowds(&bench, &*instance, form, rules)?;
    }
    Ok(())
}
