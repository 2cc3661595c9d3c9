//! The scripts of sysbench and the corresponding profiles. Scripts and options of earlier versions of sysbench are
//! included.
//!
//! Start reading at [`profile`].

use std::path::Path;

use tacho_core::file::{SMALL_MAX, text};
use tacho_core::{Error, Result};

use super::super::line::file_name;
use super::super::options::{Options, invalid};

/// Profile for the bulk insert script, which uses one table per thread.
pub(super) const BULK: &str = "bulk-insert";
/// Profile for the script of sysbench-tpcc. Unlike the other profiles, it belongs to a workload for order processing.
pub(super) const TPCC: &str = "sysbench-tpcc";
/// The scripts and the corresponding profiles.
const SCRIPTS: [(&str, &str); 12] = [
    ("oltp_read_write", "read-write"),
    ("oltp_read_only", "read-only"),
    ("oltp_write_only", "write-only"),
    ("oltp_point_select", "point-select"),
    ("oltp_update_index", "update-index"),
    ("oltp_update_non_index", "update-non-index"),
    ("oltp_delete", "delete"),
    ("oltp_insert", "insert"),
    ("bulk_insert", BULK),
    ("select_random_points", "random-points"),
    ("select_random_ranges", "random-ranges"),
    ("tpcc", TPCC),
];
/// The scripts of earlier versions and the corresponding profiles.
const EARLIER: [(&str, &str); 8] = [
    ("oltp", "read-write"),
    ("oltp_simple", "point-select"),
    ("select", "point-select"),
    ("insert", "insert"),
    ("delete", "delete"),
    ("update_index", "update-index"),
    ("update_non_index", "update-non-index"),
    (LOADER, "read-write"),
];
/// Script of earlier versions that loads the tables when it is called with `run`.
const LOADER: &str = "parallel_prepare";
/// Values of `--oltp-nontrx-mode` and the corresponding profiles.
const SINGLE: [(&str, &str); 5] = [
    ("select", "point-select"),
    ("update_key", "update-index"),
    ("update_nokey", "update-non-index"),
    ("insert", "insert"),
    ("delete", "delete"),
];
/// sysbench's tests that do not use a database.
const OF_THE_MACHINE: [&str; 5] = ["cpu", "memory", "threads", "mutex", "fileio"];
/// Prefix of option names in earlier versions of sysbench.
const PREFIX: &str = "oltp_";
/// Options of earlier versions without their prefix, and their current names.
const RENAMED: [(&str, &str); 10] = [
    ("tables_count", "tables"),
    ("dist_type", "rand_type"),
    ("dist_iter", "rand_spec_iter"),
    ("dist_pct", "rand_spec_pct"),
    ("dist_res", "rand_spec_res"),
    ("mysql_table_engine", "mysql_storage_engine"),
    ("num_threads", "threads"),
    ("max_time", "time"),
    ("max_requests", "events"),
    ("tx_rate", "rate"),
];

/// Renames the options of earlier versions to their current names.
pub(super) fn modernize(options: &mut Options) {
    options.strip(PREFIX);
    for (name, new) in RENAMED {
        options.rename(name, new);
    }
}

/// Reads the options in a file. They replace options that are already present.
pub(super) fn file_options(path: &Path, options: &mut Options) -> Result<()> {
    let content = text(path, SMALL_MAX).map_err(|error| {
        Error::usage(format!("could not read {}: {error}", path.display())).source(error)
    })?;
    for line in content.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some((name, value)) = line.split_once('=') {
            options.insert(name.trim_end().trim_start_matches('-'), value.trim());
        }
    }
    Ok(())
}

/// Returns true if this script loads the tables, whatever command is given.
pub(super) fn is_loader(script: &str) -> bool {
    stem(script) == LOADER
}

/// Returns the profile for a script. Its name may include a path and an extension.
pub(super) fn profile(script: &str, options: &mut Options) -> Result<&'static str> {
    let name = stem(script);
    let read_only = options.switch("read_only")? == Some(true);
    let write_only = options.switch("write_only")? == Some(true);
    let (mode, single) = (options.take("test_mode"), options.take("nontrx_mode"));
    let known = SCRIPTS.iter().chain(&EARLIER).find(|(script, _)| *script == name);
    let Some((_, profile)) = known else { return Err(without_profile(script, name)) };
    if name != "oltp" {
        return Ok(profile);
    }
    match mode.as_deref() {
        None | Some("complex") if read_only => Ok("read-only"),
        None | Some("complex") if write_only => Ok("write-only"),
        None | Some("complex") => Ok(profile),
        Some("simple") => Ok("point-select"),
        Some("nontrx") => {
            let single = single.as_deref().unwrap_or("select");
            let known = SINGLE.map(|(name, _)| name).join(", ");
            let found = SINGLE.iter().find(|(name, _)| *name == single);
            found.map(|(_, profile)| *profile).ok_or_else(|| invalid("nontrx_mode", single, &known))
        }
        Some(other) => Err(invalid("test_mode", other, "simple, complex or nontrx")),
    }
}

fn stem(script: &str) -> &str {
    let name = file_name(script);
    name.strip_suffix(".lua").unwrap_or(name)
}

fn without_profile(script: &str, name: &str) -> Error {
    if OF_THE_MACHINE.contains(&name) {
        return Error::usage(format!("sysbench's test \"{name}\" does not use a database"))
            .hint("to check this machine and its disk, use tacho doctor")
            .hint("to run a database workload, use a script such as oltp_read_write");
    }
    let scripts = SCRIPTS.map(|(script, _)| script);
    let error = Error::usage(format!("no profile for the script \"{name}\""));
    let error = if name.len() < file_name(script).len() {
        error
            .hint(format!(
                "Tacho does not run Lua; create a workload folder with tacho init workload {name}, \
                 and describe the script's tables, statements and transactions there"
            ))
            .hint("if the script only sends SQL statements, run them with tacho run pgbench:FILE")
    } else {
        error.hint("to create an example workload, use tacho init workload NAME")
    };
    error.did_you_mean(name, scripts.iter().copied())
}
