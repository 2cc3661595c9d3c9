//! What a driver says of itself and of its server.

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
    let facts = bench.wait(session.facts())?;
    assert!(!facts.version.is_empty());
    for setting in &facts.settings {
        assert!(!setting.name.is_empty() && !setting.value.is_empty(), "{setting:?}");
    }
    bench.wait(session.close())
}
