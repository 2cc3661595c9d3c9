//! Tests the inputs. Every profile passes the audit, and each switch has its own effect.

use std::time::Duration;

use crate::common::{instance, instance_in};
use tacho_driver::Form;
use tacho_workload::{Instance, Tally};

/// Number of tickets in the audit.
const TICKETS: u32 = 200_000;

fn tally(instance: &dyn Instance, sessions: u32) -> Tally {
    let mut sum = Tally::new(instance.audit_rules().len());
    for session in 0..sessions {
        let mut client = instance.client(session);
        for _ in 0..TICKETS / sessions {
            client.next();
        }
        let mut tally = Tally::new(instance.audit_rules().len());
        client.audit(&mut tally);
        sum.merge(&tally).expect("tallies of one workload");
    }
    sum
}

#[test]
fn the_audit_holds_in_every_profile_and_mode() {
    let sets: [&[(&str, &str)]; 4] =
        [&[], &[("mix", "deck")], &[("warehouses", "all")], &[("weights", "10,20,30,20,20")]];
    for profile in ["spec", "hammerdb"] {
        for set in sets {
            for scale in [1, 20] {
                let instance = instance(scale, profile, set);
                let tally = tally(&*instance, 10);
                for (at, rule) in instance.audit_rules().iter().enumerate() {
                    let (sum, draws) = tally.get(at);
                    let found = sum as f64 / draws.max(1) as f64;
                    let (low, high) = rule.band_for(draws);
                    assert!((low..=high).contains(&found), "{profile} {set:?}: {rule:?}: {found}");
                }
            }
        }
    }
}

/// The audit leaves out only those inputs that HammerDB's routines draw on the server.
#[test]
fn the_audit_leaves_out_what_the_server_draws() {
    let names = |form, profile| -> Vec<&str> {
        let rules = instance_in(form, 20, profile, &[]).audit_rules();
        rules.into_iter().map(|rule| rule.name).collect()
    };
    let (all, ours) = (names(Form::Sql, "hammerdb"), names(Form::Procedures, "spec"));
    assert_eq!(all, ours);
    let theirs = names(Form::Procedures, "hammerdb");
    let missing: Vec<&&str> = all.iter().filter(|name| !theirs.contains(name)).collect();
    assert_eq!(missing, [&"remote order lines", &"unused items", &"deliveries of empty districts"]);
    let instance = instance_in(Form::Procedures, 20, "hammerdb", &[]);
    let tally = tally(&*instance, 10);
    for (at, rule) in instance.audit_rules().iter().enumerate() {
        let (sum, draws) = tally.get(at);
        let (low, high) = rule.band_for(draws);
        let found = sum as f64 / draws as f64;
        assert!((low..=high).contains(&found), "{rule:?}: {found}");
    }
}

#[test]
fn the_audit_notices_a_wrong_share() {
    let (one, other) = (instance(20, "spec", &[]), instance(20, "spec", &[("mix", "deck")]));
    let tally = tally(&*other, 10);
    let broken = one.audit_rules().iter().enumerate().any(|(at, rule)| {
        let (sum, draws) = tally.get(at);
        let (low, high) = rule.band_for(draws);
        draws > 0 && !(low..=high).contains(&(sum as f64 / draws as f64))
    });
    assert!(broken, "a deck passes for weights");
}

#[test]
fn keying_and_think_times_are_those_of_the_clause() {
    let means = |profile: &str, set: &[(&str, &str)]| {
        let instance = instance(1, profile, set);
        let mut client = instance.client(0);
        let mut sums = [(Duration::ZERO, Duration::ZERO, 0_u32); 5];
        for _ in 0..400_000 {
            let ticket = client.next();
            let sum = &mut sums[ticket.transaction];
            *sum = (sum.0 + ticket.keying, sum.1 + ticket.think, sum.2 + 1);
        }
        sums.map(|(keying, think, count)| (keying / count, (think / count).as_secs_f64()))
    };
    let keying = [18, 3, 2, 2, 2].map(Duration::from_secs);
    let cases =
        [("spec", [12.0, 12.0, 10.0, 5.0, 5.0]), ("hammerdb", [12.0, 12.0, 5.0, 10.0, 5.0])];
    for (profile, thinks) in cases {
        for (kind, (found, think)) in means(profile, &[]).into_iter().enumerate() {
            assert_eq!(found, keying[kind]);
            assert!((think / thinks[kind] - 1.0).abs() < 0.04, "{profile} {kind}: {think}");
        }
    }
}

#[test]
fn rejects_invalid_weights() {
    let workload = tacho_workload_tprocc::workload();
    let mut choices = tacho_testkit::contract::choices(1, "spec");
    choices.set.insert("weights".into(), "0,0,0,0,0".into());
    assert!(workload.instance(&choices).is_err());
}
