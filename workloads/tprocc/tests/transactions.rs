//! Compares transactions, statement by statement, on a simulated database.

use crate::common::{Paper, instance, instance_for, paper, paper_of};
use tacho_core::{ErrorKind, Result, Retry};
use tacho_driver::{Capabilities, Dialect, Driver, Form};
use tacho_testkit::contract;
use tacho_workload::{Instance, Outcome};

/// Runs transactions of this type until the requests of one of them satisfy `wanted`. Returns this transaction's
/// outcome and requests.
fn run_until(
    instance: &dyn Instance,
    kind: usize,
    wanted: impl Fn(&[String]) -> bool,
) -> (Outcome, Vec<String>) {
    run_in(tacho_driver_noop::driver().dialect(), instance, kind, wanted)
}

fn run_in(
    dialect: &dyn Dialect,
    instance: &dyn Instance,
    kind: usize,
    wanted: impl Fn(&[String]) -> bool,
) -> (Outcome, Vec<String>) {
    let (mut exchange, paper) = paper_of(instance, dialect);
    let mut client = instance.client(0);
    for _ in 0..100_000 {
        if client.next().transaction != kind {
            continue;
        }
        let outcome = pollster::block_on(client.run(&mut exchange)).expect("a transaction");
        let lines = std::mem::take(&mut paper.lock().expect("the paper").lines);
        if wanted(&lines) {
            return (outcome, lines);
        }
    }
    panic!("no such transaction of kind {kind} in 100,000 tickets");
}

/// Returns the names of the requests. A request that is repeated several times in a row appears once.
fn shape(lines: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> =
        lines.iter().map(|line| line.split(' ').next().unwrap_or(line)).collect();
    names.dedup();
    names
}

fn has(lines: &[String], name: &str) -> bool {
    lines.iter().any(|line| line.starts_with(name))
}

#[test]
fn a_new_order_commits() {
    let spec = instance(1, "spec", &[]);
    let (outcome, lines) = run_until(&*spec, 0, |lines| has(lines, "Commit"));
    assert_eq!(outcome, Outcome::Committed);
    assert_eq!(
        shape(&lines)[..6],
        [
            "Begin(Write)",
            "order_terms",
            "district_take_order",
            "stock_take",
            "order_insert",
            "new_order_insert",
        ]
    );
    let count = |name: &str| lines.iter().filter(|line| line.starts_with(name)).count();
    let inserted = count("order_line_insert");
    // Each of these writes takes two statements, because its result must be read back.
    assert_eq!((count("district_take_order"), count("stock_take")), (2, 2 * inserted));
    assert_eq!(lines.len(), 4 + 2 * inserted + 2 + inserted + 1);
}

#[test]
fn a_write_that_returns_its_row_is_not_read_back() {
    let spec = instance(1, "spec", &[]);
    let (mut exchange, paper) = paper_of(&*spec, tacho_driver_postgres::driver().dialect());
    let mut client = spec.client(0);
    while client.next().transaction != 0 {}
    pollster::block_on(client.run(&mut exchange)).expect("a new-order");
    let lines = &paper.lock().expect("the paper").lines;
    let count = |name: &str| lines.iter().filter(|line| line.starts_with(name)).count();
    assert_eq!((count("district_take_order"), count("order_terms")), (1, 1));
    assert_eq!(count("stock_take"), count("order_line_insert"));
    assert_eq!(lines.len(), 6 + 2 * count("stock_take"));
}

#[test]
fn an_unused_item_rolls_all_but_its_line_back() {
    let spec = instance(1, "spec", &[]);
    let (outcome, lines) = run_until(&*spec, 0, |lines| has(lines, "stock_take 1 100001"));
    assert_eq!(outcome, Outcome::RolledBack);
    let count = |name: &str| lines.iter().filter(|line| line.starts_with(name)).count();
    // Every line is executed except the one with the unused item, clause 2.4.2.3.
    assert_eq!(2 * (count("order_line_insert") + 1), count("stock_take"));
    assert_eq!((count("order_insert"), count("new_order_insert")), (1, 1));
    assert_eq!((count("Commit"), count("Rollback")), (0, 1));
}

#[test]
fn order_lines_are_sorted_by_warehouse_and_item() {
    let spec = instance(3, "spec", &[]);
    let (_, lines) = run_until(&*spec, 0, |lines| {
        let mut supplies: Vec<&str> = lines
            .iter()
            .filter_map(|line| line.strip_prefix("stock_take "))
            .filter_map(|line| line.split(' ').next())
            .collect();
        supplies.dedup();
        supplies.len() > 1
    });
    let stock: Vec<(u64, u64)> = lines
        .iter()
        .filter_map(|line| line.strip_prefix("stock_take "))
        .map(|line| {
            let mut numbers = line.split(' ').map(|word| word.parse().expect("a number"));
            (numbers.next().expect("a warehouse"), numbers.next().expect("an item"))
        })
        .collect();
    assert!(stock.is_sorted(), "{stock:?}");
}

#[test]
fn a_payment_by_name_with_bad_credit_has_all_its_statements() {
    let spec = instance(1, "spec", &[]);
    let (_, lines) = run_until(&*spec, 1, |lines| has(lines, "customers_by_name"));
    assert_eq!(
        shape(&lines),
        [
            "Begin(Write)",
            "warehouse_pay",
            "district_pay",
            "customers_by_name",
            "customer_pay",
            "customer_data_update",
            "history_insert",
            "Commit",
        ]
    );
    // If two customers have the same name, the first one counts as the middle one. The note starts with its number.
    let note = lines.iter().find(|line| line.starts_with("customer_data_update")).expect("a note");
    assert!(note.contains(" '7 ") && note.ends_with(" | BC'"), "{note}");
}

/// Transactions must have as many statements as in HammerDB without stored procedures, because each
/// statement is a round trip.
#[test]
fn hammerdbs_own_sequence_has_its_number_of_statements() {
    let driver = tacho_driver_mysql::driver();
    let hammerdb = instance_for("mysql", Form::Sql, 3, "hammerdb", &[]);
    let run = |kind, wanted: &dyn Fn(&[String]) -> bool| {
        run_in(driver.dialect(), &*hammerdb, kind, wanted)
    };
    let named =
        |lines: &[String], name: &str| lines.iter().filter(|line| line.starts_with(name)).count();
    let (outcome, lines) = run(0, &|lines| has(lines, "Commit"));
    let inserted = named(&lines, "line_insert");
    assert_eq!((outcome, lines.len()), (Outcome::Committed, 4 * inserted + 7));
    let first = ["order_terms", "Begin(Write)", "district_lock", "district_count_up", "item_read"];
    assert_eq!(shape(&lines)[..5], first);
    let last = ["line_insert_exact", "order_insert", "new_order_insert", "Commit"];
    assert_eq!(shape(&lines)[shape(&lines).len() - 4..], last);
    // The order ends at the unused item, before the stock row of this item is read.
    let (outcome, lines) = run(0, &|lines| has(lines, "Rollback"));
    assert_eq!((outcome, named(&lines, "order_insert")), (Outcome::RolledBack, 0));
    assert_eq!(named(&lines, "item_read"), named(&lines, "stock_read") + 1);
    // In the simulated database, all customers have bad credit, so payments need one more statement.
    let (_, lines) = run(1, &|lines| has(lines, "customer_read"));
    assert_eq!(lines.len(), 10, "{lines:?}");
    let (_, lines) = run(1, &|lines| has(lines, "namesakes_read"));
    assert_eq!(lines.len(), 11, "{lines:?}");
    let note = lines.iter().find(|line| line.starts_with("customer_write_data")).expect("a note");
    assert!(note.contains(" '_id 8 c_d_id "), "{note}");
    assert_eq!(run(2, &|lines| has(lines, "customer_status")).1.len(), 5);
    assert_eq!(run(2, &|lines| has(lines, "namesakes_status")).1.len(), 6);
    assert_eq!(run(3, &|_| true).1.len(), 72);
    assert_eq!(run(4, &|_| true).1.len(), 4);
}

/// Transactions must have as many statements as in the tools that they imitate, because each statement is a round trip.
#[test]
fn other_tools_have_their_numbers_of_statements() {
    let driver = tacho_driver_postgres::driver();
    // Each entry contains the numbers of statements in a tool's transactions. New-order has two numbers: for each order
    // line, and for the rest of the order.
    //
    // Payment by a customer with bad credit also has two: the statements if the customer is selected by number, and the
    // additional ones if by name. The other numbers are for order-status by number, a delivery of ten orders, and
    // stock-level.
    //
    // A payment by name has one additional statement, or two if the tool counts the customers first.
    let table = [
        ("sysbench-tpcc", (4, 7), (10, 2), 5, 72, Some(4)),
        ("tpcc-mysql", (4, 7), (10, 2), 5, 90, None),
        ("dbt2", (4, 8), (10, 1), 5, 72, Some(4)),
        ("benchbase", (4, 8), (10, 1), 5, 72, Some(4)),
    ];
    for (profile, (each, more), (by_number, name), status, delivery, level) in table {
        let set = [("delivery_districts", "all")];
        let chosen = instance_for("postgres", Form::Sql, 3, profile, &set);
        let run = |kind, wanted: &dyn Fn(&[String]) -> bool| {
            run_in(driver.dialect(), &*chosen, kind, wanted)
        };
        let (_, lines) = run(0, &|lines| has(lines, "Commit"));
        let inserted = lines.iter().filter(|line| line.starts_with("stock_write")).count()
            + lines.iter().filter(|line| line.starts_with("stock_reduce")).count();
        assert_eq!(lines.len(), each * inserted + more, "{profile} {lines:?}");
        let is_named = |lines: &[String]| has(lines, "customers_by_name");
        assert_eq!(run(1, &|lines| !is_named(lines)).1.len(), by_number, "{profile}");
        let named = run(1, &is_named).1.len();
        assert_eq!(named, by_number + name, "{profile}");
        let by_number = |lines: &[String]| has(lines, "customer_status");
        assert_eq!(run(2, &by_number).1.len(), status, "{profile}");
        assert_eq!(run(3, &|_| true).1.len(), delivery, "{profile}");
        if let Some(level) = level {
            assert_eq!(run(4, &|_| true).1.len(), level, "{profile}");
        }
    }
}

#[test]
fn hammerdb_picks_the_next_customer_and_adds_the_amount() {
    let hammerdb = instance(1, "hammerdb", &[]);
    let (_, lines) = run_until(&*hammerdb, 1, |lines| has(lines, "customers_by_name"));
    let pay =
        lines.iter().find(|line| line.starts_with("customer_pay_frozen ")).expect("a payment");
    let words: Vec<&str> = pay.split(' ').collect();
    assert_eq!(words[3], "8", "of two customers the second: {pay}");
    assert!(!words[4].starts_with('-') && words[4].ends_with("00"), "{pay}");
}

#[test]
fn a_delivery_skips_the_empty_district_and_hammerdb_stops_there() {
    for (profile, delivered) in [("spec", 9), ("hammerdb", 2)] {
        let instance = instance(1, profile, &[]);
        let (_, lines) = run_until(&*instance, 3, |_| true);
        let count =
            |name: &str| lines.iter().filter(|line| line.split(' ').next() == Some(name)).count();
        // If a district seems to be empty, the delivery searches it a second time to make sure.
        assert_eq!(count("new_order_take"), if profile == "spec" { 10 } else { 3 });
        assert_eq!((count("oldest_new_order"), count("new_order_delete")), (1, 0));
        for name in ["order_deliver", "order_lines_deliver", "customer_deliver"] {
            let name = if name == "customer_deliver" && profile == "hammerdb" {
                "customer_deliver_frozen"
            } else {
                name
            };
            let count = count(name);
            let read_back = matches!(name, "order_deliver" | "order_lines_deliver");
            let each = if read_back { 2 } else { 1 };
            assert_eq!(count, each * delivered, "{profile} {name}");
        }
        let begins = "Begin(Write)";
        assert_eq!((lines[0].as_str(), lines.last().map(String::as_str)), (begins, Some("Commit")));
    }
}

/// A delivery must not wait for an order in one district while it holds a lock in a later one,
/// because deliveries could then deadlock.
#[test]
fn a_delivery_locks_districts_in_one_order() {
    let spec = instance(1, "spec", &[("weights", "0,0,0,100,0")]);
    let delivery = |overtaken| {
        let (mut exchange, paper) = paper(&*spec);
        paper.lock().expect("the paper").overtaken = Some(overtaken);
        let mut client = spec.client(0);
        client.next();
        let outcome = pollster::block_on(client.run(&mut exchange));
        let lines = std::mem::take(&mut paper.lock().expect("the paper").lines);
        let district = |line: &String| line.strip_prefix("new_order_take 1 ")?.parse().ok();
        (outcome, lines.iter().filter_map(district).collect::<Vec<i64>>())
    };
    for (lost, expected) in [
        ((1, 2), vec![1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        ((10, 1), vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]),
    ] {
        let (outcome, districts) = delivery(lost);
        assert!(outcome.is_ok(), "{outcome:?}");
        assert_eq!(districts, expected, "{lost:?}");
    }
    // The delivery holds locks in later districts, so it is rolled back. It can then be run again.
    let (outcome, districts) = delivery((5, 1));
    let error = outcome.expect_err("a later district is locked");
    assert_eq!(error.retry_class(), Retry::SameConnection, "{error}");
    assert_eq!(districts, (1..=10).collect::<Vec<i64>>());
}

#[test]
fn reading_transactions_only_read() {
    let spec = instance(1, "spec", &[]);
    let (_, lines) = run_until(&*spec, 2, |lines| has(lines, "customers_by_name"));
    let status = [
        "Begin(Read)",
        "customers_by_name",
        "customer_status",
        "last_order",
        "order_lines",
        "Commit",
    ];
    assert_eq!(shape(&lines), status);
    let (_, lines) = run_until(&*spec, 4, |_| true);
    assert_eq!(shape(&lines), ["Begin(Read)", "district_next", "low_stock", "Commit"]);
}

#[test]
fn the_same_input_runs_again_after_a_failure() -> Result<()> {
    let spec = instance(1, "spec", &[]);
    let (mut exchange, paper) = paper(&*spec);
    let mut client = spec.client(0);
    for _ in 0..500 {
        client.next();
        pollster::block_on(client.run(&mut exchange))?;
        let first = std::mem::take(&mut paper.lock().expect("the paper").lines);
        pollster::block_on(client.run(&mut exchange))?;
        let second = std::mem::take(&mut paper.lock().expect("the paper").lines);
        assert_eq!(first, second);
    }
    Ok(())
}

#[test]
fn rejects_unsupported_forms() {
    let form = |form| {
        let choices = tacho_workload::Choices { form, ..contract::choices(1, "spec") };
        contract::instance(&*tacho_workload_tprocc::workload(), &choices)
    };
    let noop = tacho_driver_noop::driver();
    let error = form(Form::Procedures).catalog(noop.dialect()).expect_err("no routines");
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(error.message(), "the noop dialect has no stored routines for tprocc");
    let sqlserver = tacho_driver_sqlserver::driver();
    let of_profile = |profile| {
        let choices =
            tacho_workload::Choices { form: Form::Procedures, ..contract::choices(1, profile) };
        contract::instance(&*tacho_workload_tprocc::workload(), &choices)
            .catalog(sqlserver.dialect())
    };
    assert!(of_profile("spec").is_ok());
    let error = of_profile("hammerdb").expect_err("only Tacho's own routines are there");
    assert_eq!(
        error.message(),
        "HammerDB's stored routines are not supported by the sqlserver dialect"
    );
    assert!(error.hints()[0].contains("--profile spec"), "{:?}", error.hints());
    let poor = Capabilities::default();
    for (wanted, accepted) in [
        (Form::Sql, true),
        (Form::Pipelined, false),
        (Form::Simple, false),
        (Form::Procedures, false),
    ] {
        assert_eq!(form(wanted).requires(&poor).is_ok(), accepted, "{wanted:?}");
    }
}

/// Runs transactions until one fails, and returns the kind of the error. `set` prepares the simulated database.
fn first_error(set: impl Fn(&mut Paper)) -> ErrorKind {
    let spec = instance(1, "spec", &[]);
    let (mut exchange, paper) = paper(&*spec);
    set(&mut paper.lock().expect("the paper"));
    let mut client = spec.client(0);
    let failed = (0..1_000).find_map(|_| {
        client.next();
        pollster::block_on(client.run(&mut exchange)).err()
    });
    failed.expect("a failure").kind()
}

#[test]
fn work_that_was_not_done_is_an_error() {
    for empty in ["stock_take", "customers_by_name", "last_order", "order_lines"] {
        assert_eq!(first_error(|paper| paper.empty = Some(empty)), ErrorKind::Missing, "{empty}");
    }
    for affected in [0, 2] {
        let kind = first_error(|paper| paper.affected = Some(affected));
        assert_eq!(kind, ErrorKind::Missing, "{affected} rows");
    }
}

/// Returns the outcome and the requests of a transaction that calls routines on PostgreSQL.
fn call(profile: &str, kind: usize, set: &[(&str, &str)], wanted: &str) -> (Outcome, Vec<String>) {
    call_of(&*tacho_driver_postgres::driver(), (profile, kind), set, wanted)
}

/// Returns the outcome and the requests of a transaction that calls routines, in the driver's dialect.
fn call_of(
    driver: &dyn Driver,
    (profile, kind): (&str, usize),
    set: &[(&str, &str)],
    wanted: &str,
) -> (Outcome, Vec<String>) {
    let instance = instance_for(driver.dialect().id(), Form::Procedures, 3, profile, set);
    let (mut exchange, paper) = paper_of(&*instance, driver.dialect());
    let mut client = instance.client(0);
    for _ in 0..1_000 {
        let drawn = client.next().transaction;
        let outcome = pollster::block_on(client.run(&mut exchange)).expect("a transaction");
        let lines = std::mem::take(&mut paper.lock().expect("the paper").lines);
        if drawn == kind && lines[0].contains(wanted) {
            return (outcome, lines);
        }
    }
    panic!("no call of kind {kind} with {wanted} in 1,000 tickets");
}

#[test]
fn a_call_is_one_request_and_no_more() {
    for profile in ["spec", "hammerdb"] {
        for routines in ["functions", "procedures"] {
            for (kind, name) in ["new_order", "payment", "order_status", "delivery", "stock_level"]
                .iter()
                .enumerate()
            {
                let (outcome, lines) = call(profile, kind, &[("routines", routines)], "");
                assert_eq!(outcome, Outcome::Committed);
                assert_eq!(lines.len(), 1, "{lines:?}");
                assert!(lines[0].starts_with(&format!("call_{name} ")), "{lines:?}");
            }
        }
    }
}

/// Checks the number of round trips that calls of HammerDB's routines take, for each transaction
/// type and each way of passing values.
#[test]
fn calls_take_the_round_trips_of_hammerdb() {
    let driver = tacho_driver_mysql::driver();
    for (way, trips) in
        [("direct", [1, 1, 1, 1, 1]), ("results", [3, 3, 3, 1, 2]), ("variables", [3, 3, 3, 2, 3])]
    {
        for (kind, trips) in trips.into_iter().enumerate() {
            let (outcome, lines) =
                call_of(&*driver, ("hammerdb", kind), &[("call_values", way)], "");
            assert_eq!((outcome, lines.len()), (Outcome::Committed, trips), "{way} {lines:?}");
        }
    }
    // HammerDB's functions search for a parameter's name, but its procedures do not.
    assert!(!call_of(&*driver, ("hammerdb", 1), &[], "BAR").1[0].contains('$'));
}

#[test]
fn a_call_of_new_order_carries_its_lines() {
    let (_, lines) = call("spec", 0, &[], "100001");
    let arrays: Vec<Vec<&str>> = (lines[0].split('\''))
        .filter_map(|word| Some(word.strip_prefix('{')?.strip_suffix('}')?.split(',').collect()))
        .collect();
    let [items, supplies, quantities] = &arrays[..] else { panic!("{lines:?}") };
    assert_eq!(items.last(), Some(&"100001"));
    assert!((5..=15).contains(&items.len()), "{lines:?}");
    assert_eq!((items.len(), items.len()), (supplies.len(), quantities.len()));
    assert!(lines[0].ends_with(" 10 1 0"), "reserve, counted and not taxed: {lines:?}");
    let hammerdb = call("hammerdb", 0, &[], "").1;
    assert_eq!(hammerdb[0].split(' ').count(), 6, "HammerDB sends no lines: {hammerdb:?}");
}

#[test]
fn functions_of_hammerdb_search_for_their_parameter() {
    for (kind, parameter) in [(1, "'$8'"), (2, "'$5'")] {
        assert!(call("hammerdb", kind, &[], "").1[0].ends_with(parameter));
        let honest = [("by_name_never_matches", "false")];
        assert!(!call("hammerdb", kind, &honest, "BAR").1[0].contains('$'));
        // Only functions have this deviation.
        assert!(!call("hammerdb", kind, &[("routines", "procedures")], "BAR").1[0].contains('$'));
    }
}
