//! HammerDB's profile must meet the acceptance values in section 12 of Tacho's specification. These
//! tests cover those that need only the generators.
//!
//! `postgres.rs` and `mysql.rs` test the values that need a run.

use std::collections::HashMap;

use crate::common::{column, count, instance, paper, table, visit};
use tacho_driver::Value;
use tacho_workload::Instance;

const DISTRICTS: u64 = 10;
/// Number of customers in each district, which is also the number of orders.
const PER_DISTRICT: u64 = 3_000;

#[test]
fn hammerdbs_mix_is_23_parts() {
    let instance = instance(1, "hammerdb", &[]);
    let mut client = instance.client(0);
    let mut seen = [0_u32; 5];
    (0..1_000_000).for_each(|_| seen[client.next().transaction] += 1);
    for (count, expected) in seen.into_iter().zip([43.478, 43.478, 4.348, 4.348, 4.348]) {
        let percent = f64::from(count) / 1e4;
        assert!((percent - expected).abs() < 0.15, "{seen:?}");
    }
}

/// Returns the number of customers with each name. The keys are names in the form in which a
/// transaction searches for them.
fn namesakes(instance: &dyn Instance) -> HashMap<String, u32> {
    let customers = table(instance, "customer");
    let width = instance.schema().tables[customers].columns.len();
    let at = ["c_w_id", "c_d_id", "c_last"].map(|name| column(instance, customers, name));
    let mut found = HashMap::new();
    visit(instance, customers, 0..DISTRICTS * PER_DISTRICT, |values| {
        for row in (0..values.len()).step_by(width) {
            let [Value::Int(w), Value::Int(d), Value::Text(last)] =
                at.map(|at| values.get(row + at))
            else {
                panic!("a customer has a place and a name");
            };
            let words = format!("{w} {d} '{}'", String::from_utf8_lossy(last));
            *found.entry(words).or_default() += 1;
        }
    });
    found
}

/// In each district, a thousand customers get names in order, and two thousand get random names
/// with the same distribution as the searched names.
///
/// A search therefore finds 1 + 2000 Σp² = 12.29 customers on average. With probability Σp(1−p)²⁰⁰⁰
/// = 10.2 %, it finds only one.
#[test]
fn a_last_name_finds_twelve_customers() {
    let weights = [("mix", "weights"), ("weights", "0,50,50,0,0")];
    let instance = instance(1, "hammerdb", &weights);
    let namesakes = namesakes(&*instance);
    let (mut exchange, paper) = paper(&*instance);
    let mut client = instance.client(0);
    let mut matched = Vec::new();
    for _ in 0..20_000 {
        client.next();
        pollster::block_on(client.run(&mut exchange)).expect("a transaction");
        for line in paper.lock().expect("the paper").lines.drain(..) {
            matched.extend(line.strip_prefix("customers_by_name ").map(|words| namesakes[words]));
        }
    }
    let lookups = matched.len() as f64;
    assert!((lookups / 20_000.0 - 0.6).abs() < 0.02, "{lookups} by name");
    let mean = matched.iter().map(|count| f64::from(*count)).sum::<f64>() / lookups;
    assert!((mean - 12.3).abs() < 0.6, "{mean} customers of a name");
    let alone = matched.iter().filter(|count| **count == 1).count() as f64 / lookups;
    assert!((alone - 0.102).abs() < 0.015, "{alone} of the names have one customer");
    let most = matched.iter().max().expect("a lookup");
    assert!((65..=90).contains(most), "{most} customers have one name");
}

/// The customer of order i is drawn from i to 3000, so customer c has no order with probability 1 − c/3000.
#[test]
fn half_of_the_customers_have_no_order() {
    let instance = instance(10, "hammerdb", &[]);
    let districts = 10 * DISTRICTS;
    let mut without = 0;
    let mut most = 0;
    for district in 0..districts {
        let mut orders = vec![0_u32; PER_DISTRICT as usize + 1];
        let mut order = 0;
        let slots = district * PER_DISTRICT..(district + 1) * PER_DISTRICT;
        count(&*instance, ("orders", "o_c_id"), slots, |value| {
            order += 1;
            let Value::Int(customer) = value else { panic!("an order has a customer") };
            assert!((order..=3_000).contains(&customer), "order {order} of {customer}");
            orders[customer as usize] += 1;
            true
        });
        without += orders[1..].iter().filter(|orders| **orders == 0).count();
        most = most.max(orders.into_iter().max().unwrap_or(0));
    }
    let without = without as f64 / districts as f64;
    assert!((1_490.0..=1_510.0).contains(&without), "{without} of a district have none");
    assert!((12..=20).contains(&most), "{most} orders of one customer");
}

/// A warehouse has 30,000 orders with 5 to 15 lines each, so about 300,000 lines, with a standard deviation of 500.
#[test]
fn a_warehouse_has_300_000_lines() {
    let instance = instance(20, "hammerdb", &[]);
    let mut lines = 0;
    count(&*instance, ("orders", "o_ol_cnt"), 0..20 * DISTRICTS * PER_DISTRICT, |value| {
        let Value::Int(count) = value else { panic!("an order has lines") };
        lines += count;
        true
    });
    let each = lines as f64 / 20.0;
    assert!((each / 300_000.0 - 1.0).abs() < 0.001, "{each}");
}
