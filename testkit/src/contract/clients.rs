//! Checks of virtual users. They must draw the same transactions in each run, and the transactions must succeed.

use tacho_driver::{Dialect, Exchange, Form};
use tacho_workload::{Client, Instance, Outcome, Tally, Ticket};

use crate::allocation::allocations;
use crate::conformance::Bench;

/// Number of tickets that are compared per session.
const TICKETS: usize = 500;

/// Checks that a session chooses the same transactions when it is started again. Two sessions must choose different
/// transactions, unless the workload takes all transactions from a finite list.
pub fn clients_repeat_themselves(instance: &dyn Instance) {
    let draw = |session, redraws: fn(usize) -> usize| {
        let mut client = instance.client(session);
        let mut tickets: Vec<Ticket> = Vec::new();
        for number in 0..TICKETS {
            if client.ended() {
                break;
            }
            tickets.push(client.next());
            // If a transaction is retried with a new input, the inputs of later transactions must stay the same.
            (0..redraws(number)).for_each(|_| client.redraw());
        }
        let mut tally = Tally::new(instance.audit_rules().len());
        client.audit(&mut tally);
        (tickets, tally)
    };
    let first = draw(0, |_| 0);
    assert!(first == draw(0, |_| 0), "a session draws other tickets the second time");
    let is_fixed = instance.ends() || instance.audit_rules().is_empty();
    assert!(is_fixed || first != draw(1, |_| 0), "two sessions draw the same");
    let retried = draw(0, |number| number % 3);
    assert!(first.0 == retried.0, "a retry with a new input changes the tickets after it");
    assert!(retried == draw(0, |number| number % 3), "a new input is another one the second time");
    let kinds = instance.transactions().len();
    assert!(first.0.iter().all(|ticket| ticket.transaction < kinds));
    let all = first.0.len() == TICKETS;
    assert!(!first.0.is_empty() && (instance.ends() || all), "a client ends before its time");
}

/// Checks that a client in the place of a terminal draws the terminal's tickets, whichever terminal it served before.
/// The mean keying and think time must be the declared one.
pub fn seats_are_independent(instance: &dyn Instance) {
    let Some(model) = instance.terminals() else { return };
    let tickets = |terminal| {
        let mut client = instance.client(terminal);
        (0..TICKETS).map(|_| client.next()).collect::<Vec<Ticket>>()
    };
    let [first, second] = [0, 1].map(tickets);
    let mut client = instance.client(0);
    for place in (0..TICKETS).rev() {
        for (terminal, tickets) in [(0, &first), (1, &second)] {
            client.seat(terminal, place as u64);
            assert!(client.next() == tickets[place], "terminal {terminal} draws another ticket");
        }
    }
    let mut cycles = Vec::new();
    for terminal in 0..40 {
        client.seat(terminal, 0);
        let tickets = (0..TICKETS).map(|_| client.next());
        cycles.extend(tickets.map(|one| (one.keying + one.think).as_secs_f64()));
    }
    let mean = cycles.iter().sum::<f64>() / cycles.len() as f64;
    let declared = model.cycle.as_secs_f64();
    assert!((mean / declared - 1.0).abs() < 0.03, "cycles last {mean} s, not {declared} s");
}

/// Outcomes of one kind of transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Number of committed transactions.
    pub committed: u64,
    /// Number of transactions that the workload rolled back on purpose.
    pub rolled_back: u64,
}

/// Runs the clients in turn. Stops when they end or have run `transactions` transactions. Counts the transactions of
/// each kind.
///
/// # Panics
/// Panics if a transaction fails.
pub fn drive(
    bench: &Bench<'_>,
    exchange: &mut Exchange,
    clients: &mut [Box<dyn Client>],
    transactions: usize,
) -> Vec<Ended> {
    let mut ended = Vec::new();
    for number in 0..transactions {
        let turn = number % clients.len();
        let client = &mut clients[turn];
        if client.ended() {
            continue;
        }
        let kind = client.next().transaction;
        if ended.len() <= kind {
            ended.resize(kind + 1, Ended::default());
        }
        match bench.wait(client.run(exchange)) {
            Ok(Outcome::Committed) => ended[kind].committed += 1,
            Ok(Outcome::RolledBack) => ended[kind].rolled_back += 1,
            Err(error) => panic!("transaction {number} of kind {kind}: {error}"),
        }
    }
    ended
}

/// Returns the number of allocations in `measured` transactions of a client, after `warm_up` transactions that are not
/// counted.
///
/// The test program must have installed the counting allocator.
///
/// # Panics
/// Panics if a transaction fails, or if the test program does not count allocations.
pub fn warm_allocations(
    bench: &Bench<'_>,
    instance: &dyn Instance,
    dialect: &dyn Dialect,
    form: Form,
    [warm_up, measured]: [usize; 2],
) -> u64 {
    let catalog = instance.catalog(dialect).expect("a catalog");
    let session = bench.session().expect("a session");
    let mut exchange = bench.wait(Exchange::new(session, catalog, form)).expect("an exchange");
    let mut clients = vec![instance.client(0)];
    drive(bench, &mut exchange, &mut clients, warm_up);
    let before = allocations();
    assert!(before > 0, "the allocator does not count");
    for _ in 0..measured {
        clients[0].next();
        bench.wait(clients[0].run(&mut exchange)).expect("a transaction");
    }
    allocations() - before
}
