//! The inputs: the audit holds for every profile, and each switch changes something by itself.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::common::{Digest, Paper, instance, instance_for, instance_in, paper, paper_of, visit};
use tacho_driver::{Exchange, Form};
use tacho_workload::{Instance, Tally};

/// Tickets of the audit.
const TICKETS: u32 = 200_000;

fn tally(instance: &dyn Instance, sessions: u32) -> Tally {
    let mut sum = Tally::new(instance.audit_rules().len());
    for session in 0..sessions {
        let mut client = instance.client(session);
        for _ in 0..TICKETS / sessions {
            client.next();
        }
        let mut own = Tally::new(instance.audit_rules().len());
        client.audit(&mut own);
        sum.merge(&own).expect("tallies of one workload");
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

/// What HammerDB's routines draw in the server is no promise of ours; the rest is.
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

/// All that a choice of parameters can change: tables and rows, tickets, statements, promises.
fn fingerprint(set: &[(&str, &str)]) -> [u64; 3] {
    let instance = instance(5, "spec", set);
    let mut rows = Digest::EMPTY;
    rows.bytes(format!("{:?}", instance.schema()).as_bytes());
    for table in 0..instance.schema().tables.len() {
        for first in [0, instance.slots(table) - instance.slots(table).min(2_000)] {
            let slots = first..instance.slots(table).min(first + 2_000);
            visit(&*instance, table, slots, |values| rows.values(values));
        }
    }
    let mut tickets = Digest::EMPTY;
    let mut client = instance.client(1);
    for _ in 0..100_000 {
        tickets.bytes(format!("{:?}", client.next()).as_bytes());
    }
    // Rare inputs show in the counts only.
    let mut tally = Tally::new(instance.audit_rules().len());
    client.audit(&mut tally);
    tickets.bytes(format!("{tally:?}").as_bytes());
    let postgres = tacho_driver_postgres::driver();
    let routines = instance.routines(postgres.dialect()).expect("routines");
    rows.bytes(format!("{routines:?}").as_bytes());
    let layout = instance.layout(postgres.dialect()).expect("a layout");
    rows.bytes(format!("{layout:?}").as_bytes());
    let mut statements = Digest::EMPTY;
    requests(&*instance, paper(&*instance), &mut statements);
    if set.contains(&APART) {
        return [rows.0, tickets.0, statements.0];
    }
    let calls = instance_in(Form::Procedures, 5, "spec", set);
    requests(&*calls, paper_of(&*calls, postgres.dialect()), &mut statements);
    let mysql = tacho_driver_mysql::driver();
    // The paper database knows no statement over all lines of an order.
    let set = [set, &[("statements", "lines")]].concat();
    for form in [Form::Procedures, Form::Sql] {
        let theirs = instance_for("mysql", form, 5, "spec", &set);
        requests(&*theirs, paper_of(&*theirs, mysql.dialect()), &mut statements);
        let begins = theirs.session_script(mysql.dialect()).expect("a script");
        statements.bytes(begins.as_bytes());
    }
    [rows.0, tickets.0, statements.0]
}

/// Adds what some sessions ask of a database.
fn requests(
    instance: &dyn Instance,
    (mut exchange, paper): (Exchange, Arc<Mutex<Paper>>),
    digest: &mut Digest,
) {
    for session in 0..4 {
        let mut client = instance.client(session);
        for _ in 0..500 {
            client.next();
            pollster::block_on(client.run(&mut exchange)).expect("a transaction");
        }
    }
    for line in &paper.lock().expect("the paper").lines {
        digest.bytes(line.as_bytes());
    }
}

const APART: (&str, &str) = ("statements", "apart");

#[test]
fn every_quirk_changes_something_by_itself() {
    let workload = tacho_workload_tprocc::workload();
    let hammerdb = workload.profiles()[1].values;
    let plain = fingerprint(&[]);
    assert_eq!(plain, fingerprint(&[]));
    let theirs = ("hammerdb_routines", "true");
    let data: Vec<&str> = workload.data_parameters().to_vec();
    let (apart, mut same) = (fingerprint(&[APART]), Vec::new());
    for quirk in workload.quirks() {
        let value = hammerdb.iter().find(|(key, _)| *key == quirk.key).expect("a value").1;
        let default = workload.parameters().iter().find(|own| own.key == quirk.key);
        let default = default.expect("a parameter").default;
        if value == default {
            // Another tool has it, with statements that are sent apart.
            let all = workload.profiles().iter().flat_map(|own| own.values);
            let others = all.filter(|(key, value)| *key == quirk.key && *value != default);
            // Sorting puts the highest item last, unless the line before it is of a higher warehouse.
            let others = others.filter(|(_, value)| *value != "sorted");
            for (_, value) in others {
                // The last line is the end.
                let base = [APART, ("unused_item", "last_but_one")];
                let (base, plain) = match quirk.key {
                    "rollback_at" => (&base[..], fingerprint(&base)),
                    _ => (&base[..1], apart),
                };
                let flipped = fingerprint(&[base, &[(quirk.key, value)]].concat());
                if flipped == plain {
                    same.push(format!("{}={value}", quirk.key));
                }
                let shapes = data.contains(&quirk.key);
                assert!(shapes || flipped[0] == plain[0], "{} shapes the data", quirk.key);
            }
            continue;
        }
        // Some switches are about HammerDB's routines only.
        let (flipped, plain) = if ["by_name_never_matches", "call_values"].contains(&quirk.key) {
            (fingerprint(&[theirs, (quirk.key, value)]), fingerprint(&[theirs]))
        } else {
            (fingerprint(&[(quirk.key, value)]), plain)
        };
        assert_ne!(flipped, plain, "{} changes nothing", quirk.key);
        if flipped[0] != plain[0] {
            assert!(data.contains(&quirk.key), "{} shapes the data", quirk.key);
        }
    }
    // On paper all prices are whole, and a name has two customers at most.
    assert_eq!(same, ["line_rounding=whole", "status_position=first"]);
}

#[test]
fn wrong_weights_are_refused() {
    let workload = tacho_workload_tprocc::workload();
    let mut choices = tacho_testkit::contract::choices(1, "spec");
    choices.set.insert("weights".into(), "0,0,0,0,0".into());
    assert!(workload.instance(&choices).is_err());
}
