//! Runs the `hammerdb` profile in every form on PostgreSQL, with 1, 8 and 64 sessions.

use crate::common::crowds::{ALL, Rules, Sum, damages_are_found, enter, expect_totals, run_crowds};
use crate::common::instance_in;
use crate::common::routines::{
    acceptance_figures_hold, each_ends_once_in_the_server, make_routines,
};
use crate::postgres::{BY_HAMMERDB, WAREHOUSES, WAYS, WEIGHTS, database, figures, start};
use tacho_core::Result;
use tacho_driver::Form;
use tacho_testkit::conformance::Bench;
use tacho_testkit::contract;

#[test]
fn every_form_of_hammerdb_keeps_what_it_can() -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_postgres::driver();
    // Uses a separate server, because the test counts everything that the server does.
    let server = start();
    let bench = Bench::new(&*driver, &server.target());
    // HammerDB does not sort lines, and its procedures catch deadlocks and report success.
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

#[test]
fn every_form_of_the_standard_keeps_every_condition() -> Result<()> {
    let _inside = enter();
    let driver = tacho_driver_postgres::driver();
    let target = database(&*driver, "spec");
    let bench = Bench::new(&*driver, &target);
    let (mut payments, mut delivered) = (0, 0);
    for (form, kind) in WAYS {
        let set = [WEIGHTS, ("routines", kind)];
        let instance = instance_in(form, WAREHOUSES, "spec", &set);
        if form == Form::Sql {
            contract::load(&bench, &*instance)?;
        }
        make_routines(&bench, &*instance)?;
        let Sum { ended, .. } = run_crowds(&bench, &*instance, form, ALL)?;
        assert!(ended[0].rolled_back > 0, "{form:?} {ended:?}");
        payments += ended[1].committed;
        let before = std::mem::replace(&mut delivered, expect_totals(&bench, payments)?);
        // No delivery may find an order that another delivery has taken.
        assert_eq!(delivered - before, ended[3].committed as i64 * 10, "{form:?} {kind}");
    }
    damages_are_found(&bench, &*instance_in(Form::Sql, WAREHOUSES, "spec", &[]))
}
