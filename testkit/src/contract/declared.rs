//! Checks of what a workload declares: its manifest, parameters, profiles, statements and rules.

use std::collections::BTreeSet;

use tacho_core::{ErrorKind, Schema, Table};
use tacho_driver::{Dialect, Field, ValueKind};
use tacho_workload::{Instance, Judge, Workload};

use super::choices;

pub fn manifest_is_complete(workload: &dyn Workload) {
    let manifest = workload.manifest();
    for text in [manifest.id, manifest.title, manifest.scale_unit, manifest.docs] {
        assert!(!text.trim().is_empty(), "{manifest:?}");
    }
    assert!(manifest.scale_max >= 1 && manifest.version >= 1, "{manifest:?}");
}

/// Checks that each parameter has a unique key, a help text, and a default value that is valid.
pub fn parameters_are_sound(workload: &dyn Workload) {
    let parameters = workload.parameters();
    let keys: BTreeSet<&str> = parameters.iter().map(|parameter| parameter.key).collect();
    assert_eq!(keys.len(), parameters.len(), "a key is there twice");
    for parameter in parameters {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(parameter.key.chars().all(plain), "{parameter:?}");
        assert!(!parameter.help.is_empty() && !parameter.help.contains('\n'), "{parameter:?}");
        if !parameter.default.is_empty() {
            assert!(parameter.check(parameter.default).is_ok(), "{parameter:?}");
        }
    }
    for quirk in workload.quirks() {
        assert!(keys.contains(quirk.key) && !quirk.clause.is_empty(), "{quirk:?}");
    }
    for key in workload.data_parameters() {
        assert!(keys.contains(key), "{key}");
    }
}

/// Checks that each profile has a unique name, and sets only existing parameters to allowed values.
pub fn profiles_are_sound(workload: &dyn Workload) {
    let profiles = workload.profiles();
    let names: BTreeSet<&str> = profiles.iter().map(|profile| profile.id).collect();
    assert!(!profiles.is_empty() && names.len() == profiles.len(), "{profiles:?}");
    for profile in profiles {
        assert!(!profile.about.is_empty(), "{profile:?}");
        for (key, value) in profile.values {
            let known = workload.parameters().iter().find(|parameter| parameter.key == *key);
            let known = known.unwrap_or_else(|| panic!("{} sets {key}", profile.id));
            assert!(known.check(value).is_ok(), "{} sets {key} to {value}", profile.id);
        }
    }
}

/// Checks that a scale outside the allowed range, an unknown profile and an unknown parameter are usage errors.
pub fn wrong_choices_are_refused(workload: &dyn Workload) {
    let profile = workload.profiles()[0].id;
    let mut unknown_key = choices(1, profile);
    unknown_key.set.insert("no such parameter".into(), "1".into());
    let wrong = [
        choices(0, profile),
        choices(workload.manifest().scale_max + 1, profile),
        choices(1, "no such profile"),
        unknown_key,
    ];
    for choices in wrong {
        let error = workload.instance(&choices).err();
        let error = error.unwrap_or_else(|| panic!("{choices:?} is accepted"));
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        assert!(!error.hints().is_empty(), "{error} has no hint");
    }
}

/// Checks that a workload's statements, checks, main metric, mix and audit rules are consistent with each other.
pub fn instance_is_sound(instance: &dyn Instance, dialect: &dyn Dialect) {
    let catalog = instance.catalog(dialect).expect("a catalog");
    let layout = instance.layout(dialect).expect("a layout");
    let names = |schema: &Schema| -> Vec<Vec<&str>> {
        let of = |table: &Table| table.columns.iter().map(|column| column.name).collect();
        schema.tables.iter().map(of).collect()
    };
    assert_eq!(names(&layout), names(instance.schema()), "columns of the layout");
    let mut ids = BTreeSet::new();
    for check in instance.checks() {
        assert!(!check.rule.is_empty() && ids.insert(check.id), "{}", check.id);
        if !check.samples.is_empty() {
            for sample in &check.samples {
                let wanted = catalog.get(sample.statement).params.len();
                assert_eq!(sample.bound.len(), wanted, "{}", check.id);
            }
            continue;
        }
        let statement = catalog.get(check.statement);
        let int = |field: &Field| field.kind == ValueKind::Int;
        let (bound, keys) =
            statement.params.split_at(check.bound.len().min(statement.params.len()));
        assert_eq!(bound.len(), check.bound.len(), "{}", check.id);
        let parts = if check.keys.is_some() { 2 } else { 0 };
        assert!(keys.iter().all(int) && keys.len() == parts, "{}", check.id);
        let compared = matches!(check.judge, Judge::Compare(_));
        assert!(!compared || check.keys.is_none(), "{} is compared in parts", check.id);
        let count = check.id.to_ascii_lowercase();
        let counted = statement.results.iter().any(|field| field.name == count && int(field));
        let checks = instance.checks();
        let sharing = checks.iter().filter(|other| other.statement == check.statement).count();
        assert!(counted || (sharing == 1 && !statement.results.is_empty()), "{}", check.id);
    }
    let transactions = instance.transactions();
    let sum: f64 = transactions.iter().map(|transaction| transaction.share).sum();
    assert!((sum - 1.0).abs() < 1e-9, "the shares of the transactions add up to {sum}");
    if let Some(headline) = instance.headline() {
        let counter = catalog.get(headline.counter);
        assert!(counter.params.is_empty() && counter.results.len() == 1, "{headline:?}");
        assert!(headline.transaction < transactions.len() && headline.ratio >= 1.0);
    }
    for rule in instance.audit_rules() {
        let (low, high) = rule.band;
        assert!((low..=high).contains(&rule.expected), "{rule:?}");
    }
}
