//! Every parameter that a profile sets must have its own effect.

use std::sync::{Arc, Mutex};

use crate::common::{Digest, Paper, instance, instance_for, instance_in, paper, paper_of, visit};
use tacho_driver::{Exchange, Form};
use tacho_workload::{Instance, Tally};

const APART: (&str, &str) = ("statements", "apart");

/// Returns digests of everything that parameters can change: the tables, rows, transactions'
/// inputs, audit rules and statements.
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
    // Rare inputs may not occur in the few transactions whose statements are compared. The audit counts show them,
    // because they cover all inputs drawn above.
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
    // On MySQL, leave out statements for all lines of an order, because the simulated database does not support them.
    let set = [set, &[("statements", "lines")]].concat();
    for form in [Form::Procedures, Form::Sql] {
        let theirs = instance_for("mysql", form, 5, "spec", &set);
        requests(&*theirs, paper_of(&*theirs, mysql.dialect()), &mut statements);
        let begins = theirs.session_script(mysql.dialect()).expect("a script");
        statements.bytes(begins.as_bytes());
    }
    [rows.0, tickets.0, statements.0]
}

/// Runs a few sessions on a simulated database, and adds the requests that they send to the digest.
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
        let default = workload.parameters().iter().find(|parameter| parameter.key == quirk.key);
        let default = default.expect("a parameter").default;
        if value == default {
            // HammerDB uses the default of this parameter. Try the values that the profiles of other tools set instead.
            // These profiles use separate statements.
            let all = workload.profiles().iter().flat_map(|profile| profile.values);
            let others = all.filter(|(key, value)| *key == quirk.key && *value != default);
            // Leave out `sorted`. Sorting moves the unused item to the end, because it has the highest number. This is
            // also its default position, unless another line has a higher warehouse number.
            let others = others.filter(|(_, value)| *value != "sorted");
            for (_, value) in others {
                // Put the unused item before the last line. If it were on the last line, a rollback at this item would
                // look the same as a rollback at the end.
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
        // Some parameters have an effect only on HammerDB's routines.
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
    // In the simulated database, all prices are whole numbers, and at most two customers have the same name. Only these
    // two values therefore have no effect.
    assert_eq!(same, ["line_rounding=whole", "status_position=first"]);
}
