//! On SQLite, every query must return the correct result, and every corruption must be detected.

use crate::common::{DAMAGE, has_plans, instance, is_refreshed, is_right, open, violated};
use tacho_core::Result;
use tacho_driver::parse_sections;
use tacho_testkit::conformance::Bench;

#[test]
fn every_answer_is_right_and_every_damage_is_found() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let driver = tacho_driver_sqlite::driver();
    let target = format!("sqlite:{}?synchronous=off", folder.path().join("suite.db").display());
    let bench = Bench::new(&*driver, &target);
    is_right(&bench)?;
    has_plans(&bench)?;
    let instance = instance(1, &[]);
    let mut exchange = open(&bench, &*instance)?;
    for section in parse_sections(DAMAGE)? {
        // The query of the corresponding condition must detect the corruption. Query results may change as well.
        bench.script(&section.sql[0])?;
        let (name, wanted) = (&section.name, section.name.to_uppercase().replace('_', " "));
        let found = violated(&bench, &mut exchange, &*instance)?;
        let ids: Vec<&str> = found.iter().map(|(id, _)| *id).collect();
        assert!(wanted.split(' ').all(|id| ids.contains(&id)), "{name}: {found:?}");
        bench.script(&section.sql[1])?;
        assert_eq!(violated(&bench, &mut exchange, &*instance)?, [], "{name} is mended");
    }
    is_refreshed(&bench)
}
