//! Checks of what a driver reports about itself and its server.

#![expect(clippy::disallowed_methods, reason = "a server's date is held against the real one")]

use std::time::{Duration, SystemTime};

use tacho_core::{ErrorKind, Result};
use tacho_driver::Target;

use super::Bench;

pub fn is_complete(bench: &Bench<'_>) -> Result<()> {
    let manifest = bench.driver.manifest();
    let lower = |text: &str| text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    assert!(lower(manifest.id) && !manifest.id.is_empty(), "id {:?}", manifest.id);
    assert!(manifest.schemes.iter().copied().all(lower), "schemes {:?}", manifest.schemes);
    assert!(!manifest.title.is_empty() && !manifest.tested.is_empty());
    assert!(manifest.docs.starts_with("# "), "the page begins with a title");
    assert!(!bench.driver.dialect().id().is_empty());
    bench.driver.check(&Target::parse(&bench.place)?)
}

pub fn unknown_options_are_refused(bench: &Bench<'_>) -> Result<()> {
    let joint = if bench.place.contains('?') { '&' } else { '?' };
    let colon = if bench.place.contains(':') { "" } else { ":" };
    let target = Target::parse(&format!("{}{colon}{joint}no_such_option=1", bench.place))?;
    let error = bench.driver.check(&target).expect_err("an unknown option");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(!error.hints().is_empty(), "it says what could be meant");
    Ok(())
}

pub fn facts_name_a_version(bench: &Bench<'_>) -> Result<()> {
    let mut session = bench.session()?;
    let facts = bench.wait(session.inspector().facts())?;
    assert!(!facts.version.is_empty());
    for setting in &facts.settings {
        assert!(!setting.name.is_empty() && !setting.value.is_empty(), "{setting:?}");
    }
    bench.wait(session.close())
}

/// Checks that table sizes, if the driver reports them, include all tables. The driver may report the server's machine
/// only if the database stores data.
pub fn sizes_name_each_table(bench: &Bench<'_>) -> Result<()> {
    let mut session = bench.session()?;
    let tables = bench.wait(session.inspector().tables())?;
    if let Some(sizes) = bench.wait(session.inspector().sizes())? {
        let mut named: Vec<String> =
            sizes.tables.iter().map(|table| table.name.to_lowercase()).collect();
        named.sort();
        let mut expected = tables.clone();
        expected.sort();
        assert!(named.is_empty() || named == expected, "{named:?} are not {expected:?}");
        let known = sizes.database_bytes.is_some()
            || sizes.tables.iter().all(|table| table.bytes.is_some());
        assert!(known, "{sizes:?}");
    }
    let machine = bench.wait(session.inspector().machine())?;
    let stores = bench.driver.capabilities().stores_data;
    assert!(machine.is_none() || stores, "what keeps no data has no machine: {machine:?}");
    bench.wait(session.close())
}

/// Checks that the driver reports that the test user may create tables. No table is created. If the server reports its
/// date, the date must be today's.
pub fn rights_are_told(bench: &Bench<'_>) -> Result<()> {
    let mut session = bench.session()?;
    let before = bench.wait(session.inspector().tables())?;
    if let Some(rights) = bench.wait(session.inspector().privileges())? {
        assert!(!rights.granted.is_empty() && rights.missing.is_empty(), "{rights:?}");
    }
    assert_eq!(bench.wait(session.inspector().tables())?, before);
    if let Some(date) = bench.wait(session.inspector().server_time())? {
        let ours = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        assert!(ours.abs_diff(date) < Duration::from_hours(24), "{date:?} is not {ours:?}");
    }
    bench.wait(session.close())
}
