//! Uses SQLite to verify that every corruption is detected and that a stream runs all queries in every round.

use crate::common::{SESSIONS, instance, loaded, opened, transacted, violated, violated_among};
use tacho_core::{ErrorKind, Result};
use tacho_driver::parse_sections;
use tacho_testkit::conformance::Bench;
use tacho_workload::Check;

const DAMAGE: &str = include_str!("../sql/damage.sql");

#[test]
fn every_damage_is_found_and_streams_ask_all_queries() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let driver = tacho_driver_sqlite::driver();
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("suite.db").display());
    let bench = Bench::new(&*driver, &target);
    let instance = instance("sqlite");
    loaded(&bench, &*instance)?;
    let mut exchange = opened(&bench, &*instance)?;
    transacted(&bench, &mut exchange, &*instance, 100);
    for section in parse_sections(DAMAGE)? {
        let (name, wanted) = (&section.name, section.name.to_uppercase());
        let wanted: Vec<&str> = wanted.split('_').collect();
        let checks: Vec<Check> =
            instance.checks().into_iter().filter(|check| wanted.contains(&check.id)).collect();
        bench.script(&section.sql[0])?;
        let found = violated_among(&bench, &mut exchange, &*instance, &checks)?;
        let ids: Vec<&str> = found.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, wanted, "{name}: {found:?}");
        bench.script(&section.sql[1])?;
        let found = violated_among(&bench, &mut exchange, &*instance, &checks)?;
        assert_eq!(found, [], "{name} is mended");
    }
    assert_eq!(violated(&bench, &mut exchange, &*instance)?, []);
    let mut stream = instance.client(SESSIONS);
    let mut orders = Vec::new();
    for _ in 0..2 {
        let mut asked = Vec::new();
        for _ in 0..22 {
            asked.push(stream.next().transaction);
            bench.wait(stream.run(&mut exchange))?;
            stream.verify(&exchange)?;
            assert!(stream.rows().is_some());
        }
        orders.push(asked.clone());
        asked.sort_unstable();
        assert_eq!(asked, (5..27).collect::<Vec<usize>>());
    }
    assert_ne!(orders[0], orders[1], "each round has an order of its own");
    // The query fails because it returns the wrong number of rows.
    bench.script("DELETE FROM order_line WHERE ol_number > 10")?;
    let mut kinds = Vec::new();
    for _ in 0..22 {
        stream.next();
        bench.wait(stream.run(&mut exchange))?;
        kinds.extend(stream.verify(&exchange).err().map(|error| error.kind()));
    }
    assert_eq!(kinds, [ErrorKind::WrongAnswer], "q1 alone has a line for each number");
    Ok(())
}
