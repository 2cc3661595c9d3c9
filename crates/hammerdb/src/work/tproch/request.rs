//! Converts TPROC-H's dictionary keys to the settings of a use case.

use std::time::Duration;

use super::super::Refusal;
use super::super::products;
use super::super::request::{
    BuildPlan, Flags, add, base, build_users, flag, number, require_known, span, stagger,
};
use super::super::target::encoded;
use crate::dictionary::Dictionary;

/// Scale factors allowed by TPC-H.
pub const SCALE_FACTORS: &str = "1 10 30 100 300 1000 3000 10000 30000 100000";

/// The settings of a run, along with other values that the run needs.
#[expect(clippy::struct_excessive_bools, reason = "the switches correspond to dictionary keys")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamsPlan {
    /// The settings.
    pub flags: Flags,
    /// Number of virtual users, each of which runs a query stream.
    pub users: u32,
    /// The virtual user that refreshes the data while the streams run, if any.
    pub refresher: Option<u32>,
    /// True if the run includes refresh functions.
    pub refreshes: bool,
    /// Number of query sets in each stream.
    pub query_sets: u64,
    /// True if the run uses the cloud queries.
    pub cloud: bool,
    /// True if a failed query ends the run.
    pub raise_error: bool,
    /// Number of parallel workers per query. Absent if it is not set or the database does not support it.
    pub degree: Option<u64>,
    /// True if the query texts are printed.
    pub verbose: bool,
    /// The scale that is set in the dictionary, converted to Tacho's unit.
    pub scale: String,
    /// Notes about differences from HammerDB.
    pub notes: Vec<String>,
}

/// Returns the scale in Tacho's unit. A scale factor of 1 is one gigabyte, except in tests.
pub fn scale(dictionary: &Dictionary, gigabyte: f64) -> String {
    gigabytes(dictionary.common("scale_fact").trim(), gigabyte)
}

/// Converts a scale factor to Tacho's unit.
pub fn gigabytes(factor: &str, gigabyte: f64) -> String {
    let number = factor.parse::<f64>().ok().filter(|_| gigabyte < 1.0);
    number.map_or_else(|| factor.to_owned(), |number| (number * gigabyte).to_string())
}

/// Returns the settings for `buildschema`.
pub fn build(dictionary: &Dictionary, gigabyte: f64) -> Result<BuildPlan, Refusal> {
    let what = "buildschema";
    let target = require_known(dictionary, what)?;
    let factor = dictionary.common("scale_fact").trim();
    if !SCALE_FACTORS.split(' ').any(|known| known == factor) {
        return Err(format!("Error: Scale Factor must be a value in {SCALE_FACTORS}"));
    }
    let users = build_users(dictionary)?;
    let mut settings = Vec::new();
    if let Some(tablespace) = products::tablespace(dictionary) {
        settings.push(("default_tablespace", tablespace));
    }
    let mut flags = base(dictionary, with_settings(dictionary, target, &settings));
    flags.push(flag("scale", scale(dictionary, gigabyte)));
    flags.push(flag("sessions", users.to_string()));
    for set in products::tables(dictionary) {
        add(&mut flags, "set", &set);
    }
    let notes = products::without_effect(dictionary);
    Ok(BuildPlan { flags, size: factor.parse().unwrap_or(1), users, notes })
}

/// Returns the target with these server settings added. They apply from the start of each session.
fn with_settings(dictionary: &Dictionary, target: String, settings: &[(&str, String)]) -> String {
    if settings.is_empty() || dictionary.database().prefix != "pg" {
        return target;
    }
    // Spaces and backslashes in these values must be escaped with a backslash.
    let escaped = |value: &str| value.replace('\\', "\\\\").replace(' ', "\\ ");
    let all: Vec<String> =
        settings.iter().map(|(key, value)| format!("-c {key}={}", escaped(value))).collect();
    format!("{target}&options={}", encoded(&all.join(" ")))
}

/// Returns the settings for `vurun`.
pub fn streams(
    dictionary: &Dictionary,
    users: u32,
    gigabyte: f64,
    minute: Duration,
) -> Result<StreamsPlan, Refusal> {
    let what = "vurun";
    let target = require_known(dictionary, what)?;
    let cloud = dictionary.is_on("cloud_query");
    // Regardless of the settings, cloud queries run only once and without refresh functions.
    let query_sets = if cloud { 1 } else { number(dictionary, "total_querysets", 1)? };
    let mut settings = Vec::new();
    if dictionary.database().prefix == "pg" {
        let degree = number(dictionary, "degree_of_parallel", 0)?;
        settings.push(("max_parallel_workers_per_gather", degree.to_string()));
    }
    let mut flags = base(dictionary, with_settings(dictionary, target, &settings));
    // If possible, send queries as text that contains the values.
    let form = products::query_form(dictionary);
    flags.extend([flag("form", form), flag("sessions", users.to_string())]);
    flags.push(flag("check", "none"));
    let refresh = !cloud && dictionary.is_on("refresh_on");
    let mut set = vec![format!("query_sets={query_sets}")];
    let degree = products::degree_key(dictionary).map(|key| number(dictionary, key, 0));
    let degree = degree.transpose()?;
    if let Some(degree) = degree {
        set.push(format!("parallel_degree={degree}"));
    }
    if cloud {
        set.push("queries=cloud".into());
    }
    if refresh {
        set.push("refresh=true".into());
    }
    flags.push(("set".into(), set));
    let stagger = stagger(dictionary, minute, users, false)?;
    if !stagger.is_zero() && users > 1 {
        flags.push(flag("stagger", span(stagger)));
    }
    let raise_error = dictionary.is_on("raise_query_error");
    if raise_error {
        // Failed queries are noticed only at the end of an interval. Use short intervals, so that a failed query ends
        // the run soon.
        flags.push(flag("interval", "100ms"));
    }
    let mut notes = products::notes(dictionary);
    if gigabyte < 1.0 {
        notes.push(format!(
            "TACHO_HAMMERDB_GIGABYTE is set: a scale factor of 1 is {gigabyte} gigabytes"
        ));
    }
    if refresh {
        notes.extend(refresh_notes(dictionary, users));
    }
    Ok(StreamsPlan {
        flags,
        users,
        refresher: (refresh && users > 1).then_some(1),
        refreshes: refresh,
        query_sets,
        cloud,
        raise_error,
        degree,
        verbose: dictionary.is_on("verbose"),
        scale: scale(dictionary, gigabyte),
        notes,
    })
}

/// Describes in which way the refresh functions differ from HammerDB's.
fn refresh_notes(dictionary: &Dictionary, users: u32) -> Vec<String> {
    let key = |name: &str| dictionary.key(name);
    let mut notes = vec![format!(
        "refresh functions run without pauses and without a line for each order: {} and {} have no \
         effect",
        key("trickle_refresh"),
        key("refresh_verbose")
    )];
    if users > 1 {
        let sets = key("update_sets");
        notes.push(format!("{sets} has no effect: there is one update set for each stream"));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dictionary::Benchmark;

    fn dictionary(prefix: &str, values: &[(&str, &str)]) -> Dictionary {
        let mut dictionary = Dictionary::default();
        dictionary.use_database(prefix);
        dictionary.benchmark = Benchmark::TprocH;
        for (key, value) in values {
            assert!(dictionary.set("tpch", key, value).is_ok(), "{key}");
        }
        dictionary
    }

    fn value(flags: &Flags, key: &str) -> String {
        let found = flags.iter().find(|(known, _)| known == key);
        found.map(|(_, values)| values.join(",")).unwrap_or_default()
    }

    #[test]
    fn keys_of_a_run_become_settings() -> Result<(), Refusal> {
        let all =
            [("pg_total_querysets", "2"), ("pg_degree_of_parallel", "4"), ("pg_tpch_user", "u")];
        let plan = streams(&dictionary("pg", &all), 3, 1.0, Duration::from_mins(1))?;
        assert_eq!(value(&plan.flags, "set"), "query_sets=2");
        assert_eq!(value(&plan.flags, "sessions"), "3");
        let how = ["profile", "form"].map(|key| value(&plan.flags, key));
        assert_eq!(how, ["hammerdb", "simple"]);
        let target = value(&plan.flags, "target");
        assert!(target.contains("&user=u&password=tpch&dbname=tpch&"), "{target}");
        let degree = "&options=-c%20max_parallel_workers_per_gather%3D4";
        assert!(target.ends_with(degree), "{target}");
        let all =
            [("pg_cloud_query", "true"), ("pg_total_querysets", "2"), ("pg_refresh_on", "true")];
        let plan = streams(&dictionary("pg", &all), 3, 1.0, Duration::from_mins(1))?;
        assert_eq!(value(&plan.flags, "set"), "query_sets=1,queries=cloud");
        assert_eq!((plan.cloud, plan.refresher, plan.query_sets), (true, None, 1));
        let plan = streams(&dictionary("maria", &[]), 1, 1.0, Duration::from_mins(1))?;
        assert!(!value(&plan.flags, "target").contains("options"), "{plan:?}");
        Ok(())
    }

    #[test]
    fn keys_of_a_build_become_settings() -> Result<(), Refusal> {
        let all =
            [("pg_scale_fact", "30"), ("pg_num_tpch_threads", "4"), ("pg_tpch_tspace", "a b")];
        let plan = build(&dictionary("pg", &all), 1.0)?;
        assert_eq!((plan.size, plan.users), (30, 4));
        assert_eq!(value(&plan.flags, "scale"), "30");
        let target = value(&plan.flags, "target");
        assert!(target.ends_with("&options=-c%20default_tablespace%3Da%5C%20b"), "{target}");
        assert_eq!(value(&build(&dictionary("pg", &all), 0.01)?.flags, "scale"), "0.3");
        Ok(())
    }

    #[test]
    fn rejects_unsupported_keys() {
        let refused = |prefix, values: &[(&str, &str)]| {
            let dictionary = dictionary(prefix, values);
            let build = build(&dictionary, 1.0).err();
            let run = streams(&dictionary, 1, 1.0, Duration::from_mins(1)).err();
            build.or(run).unwrap_or_default()
        };
        assert_eq!(refused("mysql", &[]), "");
        assert!(refused("pg", &[("pg_scale_fact", "2")]).contains("must be a value in 1 10 30"));
        assert!(
            refused("pg", &[("pg_tpch_gpcompat", "true")]).contains("pg_tpch_gpcompat is true")
        );
        let redshift = [("pg_cloud_query", "true"), ("pg_rs_compat", "true")];
        assert!(refused("pg", &redshift).contains("pg_rs_compat is true"));
        let engine = [("maria_tpch_storage_engine", "columnstore")];
        assert!(refused("maria", &engine).contains("maria_tpch_storage_engine to innodb"));
    }
}
