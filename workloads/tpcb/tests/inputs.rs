//! Tests that every profile passes the audit, wrong inputs fail it, and invalid choices are rejected.

use crate::common::{PROFILES, instance};
use tacho_core::ErrorKind;
use tacho_driver::{Capabilities, Form};
use tacho_testkit::contract;
use tacho_workload::{Instance, Tally};

/// Number of tickets in the audit.
const TICKETS: u32 = 200_000;

fn tally(instance: &dyn Instance, tickets: u32) -> Tally {
    let mut sum = Tally::new(instance.audit_rules().len());
    for session in 0..10 {
        let mut client = instance.client(session);
        for _ in 0..tickets / 10 {
            client.next();
        }
        let mut tally = Tally::new(instance.audit_rules().len());
        client.audit(&mut tally);
        sum.merge(&tally).expect("tallies of one workload");
    }
    sum
}

/// Draws inputs from the instance `submitted`, but audits them with the rules of the instance `promised`. Returns the
/// names of the rules that the inputs violate.
fn broken(promised: &dyn Instance, submitted: &dyn Instance, tickets: u32) -> Vec<&'static str> {
    let tally = tally(submitted, tickets);
    let rules = promised.audit_rules().into_iter().enumerate();
    let outside = rules.filter(|(at, rule)| {
        let (sum, draws) = tally.get(*at);
        let (low, high) = rule.band_for(draws);
        draws > 0 && !(low..=high).contains(&(sum as f64 / draws as f64))
    });
    outside.map(|(_, rule)| rule.name).collect()
}

#[test]
fn the_audit_holds_in_every_profile() {
    for profile in PROFILES {
        for scale in [1, 3, 20, 100_000] {
            for tickets in [100, TICKETS] {
                let instance = instance(scale, profile, &[]);
                let broken = broken(&*instance, &*instance, tickets);
                assert!(broken.is_empty(), "{profile} {scale} {tickets}: {broken:?}");
            }
        }
    }
}

#[test]
fn the_audit_notices_the_inputs_of_another_scale() {
    let (three, four) = (instance(3, "tpcb-like", &[]), instance(4, "tpcb-like", &[]));
    let expected = ["mean account", "branches in the lower half"];
    assert_eq!(broken(&*four, &*three, TICKETS), expected);
}

#[test]
fn a_select_draws_the_accounts_of_the_other_profiles() {
    let account = |profile| tally(&*instance(5, profile, &[]), 1_000).get(0);
    assert_eq!(account("select-only"), account("tpcb-like"));
    assert_eq!(account("select-only"), account("simple-update"));
}

#[test]
fn simple_update_needs_data_that_it_may_unbalance() {
    let workload = tacho_workload_tpcb::workload();
    let mut choices = contract::choices(1, "simple-update");
    choices.set.insert("balanced".into(), "all".into());
    let error = workload.instance(&choices).err().expect("refused");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.hints()[0].contains("--set balanced=accounts"), "{error:?}");
    let serving = instance(1, "tpcb-like", &[("balanced", "accounts")]);
    assert_eq!(serving.transactions()[0].name, "tpcb_like");
}

#[test]
fn rejects_unsupported_forms() {
    let form = |form| {
        let choices = tacho_workload::Choices { form, ..contract::choices(1, "tpcb-like") };
        contract::instance(&*tacho_workload_tpcb::workload(), &choices)
    };
    let sim = tacho_driver_sim::driver();
    for error in [
        form(Form::Procedures).requires(&sim.capabilities()).expect_err("no routines"),
        form(Form::Procedures).catalog(sim.dialect()).expect_err("no routines"),
    ] {
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert_eq!(error.message(), "tpcb has no stored routines");
    }
    let poor = Capabilities::default();
    assert!(form(Form::Sql).requires(&poor).is_ok());
    assert!(form(Form::Pipelined).requires(&poor).is_err());
    let error = form(Form::Simple).requires(&poor).expect_err("no statements as text");
    assert_eq!(
        error.message(),
        "form is simple, but the database cannot accept statements as text"
    );
    assert!(!error.hints().is_empty());
    assert!(form(Form::Pipelined).requires(&sim.capabilities()).is_ok());
}
