//! Redacts reports so that they can be shared. Addresses, paths and text that Tacho did not write are removed. The
//! names of machines, users and targets are removed too.
//!
//! No list of secrets is ever complete. Values therefore keep only numbers and known words. Text written by Tacho is
//! kept, except for anything that looks like an address or a path.
//!
//! Start reading at [`Reported::redacted`].

use std::collections::BTreeMap;

use tacho_store::record::{HostLoadRecord, ObservedHostRecord, Record, ResultRecord};
use tacho_store::sweep::SweepRecord;

use crate::machine::shares_machine;
use crate::{Comparison, Measurement, Reported, Side, SweepComparison, SweepView};

/// The value of `source` for measurements that Tacho itself made on the machine that generates the load.
const CLIENT: &str = "client";
/// The replacement for redacted text.
const HIDDEN: &str = "(hidden)";

/// Lower-case words that may remain in a redacted value. They come from workload parameters and standard SQL.
const WORDS: &str = " on off true false yes no none full default auto always never local read committed \
    uncommitted repeatable serializable snapshot delete truncate memory file normal exclusive shared row \
    statement utf8 latin1 unix socket tcp tls deck weights terminal cell permuted functions procedures sql pipelined \
    simple home spread fixed all uniform poisson exponential partial hash range closed open same new stop reconnect \
    before after both spec hammerdb owned accounts of23 rw ro mode prefer require disable allow ";

impl Reported {
    /// Returns a report that is safe to share. `words` contains database terms that need not be hidden.
    #[must_use]
    pub fn redacted(mut self, words: &[&'static str]) -> Self {
        let mut names = Names { words: words.to_vec(), ..Names::default() };
        self.measurements().for_each(|run| names.add(&run.record));
        let several = self.sides.len() > 1;
        for (place, side) in self.sides.iter_mut().enumerate() {
            let name = if several { format!("group {}", place + 1) } else { "run".into() };
            redact_side(side, name.clone(), &names);
            if let Some(comparison) = self.comparisons.get_mut(place) {
                redact_comparison(comparison, name, &names);
            }
        }
        if let Some(side) = &mut self.baseline {
            redact_side(side, "baseline".into(), &names);
        }
        redact_sweeps(&mut self, &names);
        self
    }
}

/// Redacts lists of records in the same way as [`Reported::redacted`] redacts a report.
pub fn redact_lists(
    runs: &mut [&mut Record],
    sweeps: &mut [&mut SweepRecord],
    words: &[&'static str],
) {
    let mut names = Names { words: words.to_vec(), ..Names::default() };
    for run in &*runs {
        names.add(run);
    }
    for run in runs {
        redact_record(run, &names);
    }
    let mut hidden = Numbers::default();
    for sweep in sweeps {
        redact_sweep_record(sweep, &mut hidden, &names);
    }
}

fn redact_side(side: &mut Side, name: String, names: &Names) {
    side.name = name;
    side.runs.iter_mut().for_each(|run| redact_measurement(run, names));
}

fn redact_measurement(run: &mut Measurement, names: &Names) {
    run.gaps.iter_mut().for_each(|gap| *gap = names.without(gap));
    redact_record(&mut run.record, names);
    run.hosts.iter_mut().for_each(|host| redact_load(&mut host.load));
}

fn redact_record(record: &mut Record, names: &Names) {
    record.tags.clear();
    record.note = None;
    record.host.name = HIDDEN.into();
    // Readers need to know whether client and server share a machine, and this is no secret.
    let shared = !record.server.embedded && shares_machine(record);
    let plan = &mut record.plan;
    plan.target = if shared { format!("{}://localhost", plan.driver) } else { HIDDEN.into() };
    plan.target_name.clone_from(&plan.driver);
    plan.command = HIDDEN.into();
    if record.result.as_ref().is_some_and(|result| result.replay.is_some()) {
        plan.workload_folder = None;
    }
    if let Some(steps) = &mut plan.steps {
        // The value of `--load` may contain the name of a file, so replace it with the steps that the file describes.
        steps.expression = steps.expanded();
    }
    let values = plan.parameters.values_mut().chain(record.server.settings.values_mut());
    values.for_each(|value| names.only_plain(value));
    let server = &mut record.server;
    server.version = names.without(&server.version);
    server.durability_risks.iter_mut().for_each(|risk| *risk = names.without(risk));
    for text in [&mut record.host.os, &mut record.host.kernel, &mut record.host.cpu] {
        *text = names.without(text);
    }
    if let Some(machine) = &mut server.machine {
        machine.name = HIDDEN.into();
        machine.data_path = HIDDEN.into();
        for text in [&mut machine.os, &mut machine.cpu, &mut machine.disk] {
            *text = names.without(text);
        }
    }
    server.defaults.values_mut().for_each(|value| names.only_plain(value));
    if let Some(result) = &mut record.result {
        redact_result(result, names);
    }
}

/// Redacts the name and the statements of a replayed log. Also redacts the names of statement kinds, because they
/// contain table names.
fn redact_replay(result: &mut ResultRecord) {
    let Some(replay) = &mut result.replay else { return };
    replay.log = HIDDEN.into();
    replay.differences.clear();
    let place =
        |name: &str| result.transactions.iter().position(|transaction| transaction.name == name);
    let renamed = |name: &str| place(name).map_or(HIDDEN.into(), |at| format!("kind {at}"));
    for kind in &mut replay.kinds {
        kind.transaction = renamed(&kind.transaction);
        kind.statement = HIDDEN.into();
    }
    for error in &mut result.errors {
        error.transaction = renamed(&error.transaction);
    }
    let kinds = result.transactions.iter_mut().enumerate();
    for (at, kind) in kinds.filter(|(_, kind)| kind.name != "all") {
        kind.name = format!("kind {at}");
    }
}

fn redact_result(result: &mut ResultRecord, names: &Names) {
    for notice in &mut result.notices {
        notice.text = names.without(&notice.text);
        notice.hint = names.without(&notice.hint);
    }
    for error in &mut result.errors {
        error.example = HIDDEN.into();
        // Database error codes consist of digits, capital letters and underscores. All other text is hidden.
        let is_code = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        if !error.code.chars().all(is_code) {
            error.code = HIDDEN.into();
        }
    }
    for fault in &mut result.faults {
        // Keep only the first word of the fault's description, because names of servers and programs may follow it.
        fault.what.truncate(fault.what.find(' ').unwrap_or(fault.what.len()));
        fault.error = fault.error.as_ref().map(|_| HIDDEN.into());
    }
    // A script's name may be a path, and its statements contain the user's names.
    for (place, statement) in result.statements.iter_mut().enumerate() {
        statement.name = format!("statement {}", place + 1);
        statement.text = HIDDEN.into();
    }
    redact_replay(result);
    if let Some(found) = &mut result.acknowledged {
        found.unread = found.unread.as_ref().map(|_| HIDDEN.into());
    }
    for (place, host) in result.hosts.iter_mut().enumerate() {
        redact_host(host, place, names);
    }
    for (place, load_host) in result.load_hosts.iter_mut().enumerate() {
        load_host.name = format!("load host {}", place + 1);
        load_host.lost = load_host.lost.as_ref().map(|_| HIDDEN.into());
    }
    for (place, address) in result.addresses.iter_mut().enumerate() {
        address.target = format!("address {}", place + 1);
        address.left_out.iter_mut().for_each(|time| time.why = HIDDEN.into());
    }
    result.checks.iter_mut().for_each(|check| check.detail = names.without(&check.detail));
    if let Some(load) = &mut result.server_load {
        load.missing.iter_mut().for_each(|missing| *missing = names.without(missing));
    }
}

/// Redacts the name of an observed machine but keeps its hardware and load.
fn redact_host(observed: &mut ObservedHostRecord, place: usize, names: &Names) {
    if observed.source != CLIENT {
        observed.source = format!("host {}", place + 1);
    }
    observed.host.name = observed.source.clone();
    for text in [&mut observed.host.os, &mut observed.host.kernel, &mut observed.host.cpu] {
        *text = names.without(text);
    }
    if observed.failure.is_some() {
        observed.failure = Some(HIDDEN.into());
    }
    observed.load.iter_mut().for_each(redact_load);
}

/// Replaces the names of disks and network interfaces with numbers. The names are sorted first, so that each name
/// always gets the same number.
fn redact_load(load: &mut HostLoadRecord) {
    fn numbered<T>(kind: &str, all: &mut BTreeMap<String, T>) {
        let values = std::mem::take(all).into_values().enumerate();
        all.extend(values.map(|(place, value)| (format!("{kind} {:03}", place + 1), value)));
    }
    numbered("disk", &mut load.disks);
    numbered("network", &mut load.networks);
}

fn redact_comparison(comparison: &mut Comparison, name: String, names: &Names) {
    comparison.run.name = name;
    comparison.baseline.name = "baseline".into();
    for side in [&mut comparison.baseline, &mut comparison.run] {
        side.server = names.without(&side.server);
    }
    for condition in &mut comparison.conditions {
        redact_condition(&condition.name, [&mut condition.baseline, &mut condition.run], names);
    }
}

fn redact_condition(name: &str, values: [&mut Option<String>; 2], names: &Names) {
    // The values of these properties are safe to show, because Tacho determines them itself. They never contain a
    // machine's name.
    let ours = ["server.version", "host.cpu", "host.os", "host.kernel", "host.arch"];
    for value in values.into_iter().flatten() {
        if ours.contains(&name) {
            *value = names.without(value);
        } else {
            names.only_plain(value);
        }
    }
}

fn redact_sweeps(report: &mut Reported, names: &Names) {
    // If the values of a swept variable are names, replace them with numbers. The same name gets the same number in all
    // sweeps.
    let mut hidden = Numbers::default();
    for side in &mut report.sweeps {
        redact_sweep(&mut side.view, &mut hidden, names);
        side.name.clone_from(&side.view.sweep.id);
        let runs = side.runs.iter_mut().flatten();
        runs.for_each(|run| redact_measurement(run, names));
    }
    for comparison in &mut report.sweep_comparisons {
        redact_sweep_comparison(comparison, &mut hidden, names);
    }
}

fn redact_sweep(view: &mut SweepView, hidden: &mut Numbers, names: &Names) {
    redact_sweep_record(&mut view.sweep, hidden, names);
    let rows = view.rows.iter_mut().flat_map(|row| &mut row.values);
    let searches = view.searches.iter_mut().flat_map(|search| &mut search.values);
    rows.chain(searches).for_each(|value| hidden.replace(value, names));
    view.rows.iter_mut().filter_map(|row| row.missing.as_mut()).for_each(redact_lack);
    for growth in &mut view.growth {
        (growth.target_name, growth.table) = ("target".into(), None);
    }
}

fn redact_sweep_record(sweep: &mut SweepRecord, hidden: &mut Numbers, names: &Names) {
    sweep.target_name = "target".into();
    let settings = sweep.settings.iter_mut().flat_map(|(_, values)| values);
    settings.for_each(|value| names.only_plain(value));
    let varied = sweep.vary.iter_mut().flat_map(|varied| &mut varied.values);
    let points = sweep.points.iter_mut().flat_map(|point| &mut point.values);
    let found = sweep.found_for.iter_mut().flat_map(|one| &mut one.values);
    varied.chain(points).chain(found).for_each(|value| hidden.replace(value, names));
    for point in &mut sweep.points {
        point.error = point.error.as_ref().map(|_| HIDDEN.into());
    }
}

fn redact_sweep_comparison(comparison: &mut SweepComparison, hidden: &mut Numbers, names: &Names) {
    for side in [&mut comparison.baseline, &mut comparison.run] {
        side.name.clone_from(&side.sweep);
        side.target_name = "target".into();
        side.server = names.without(&side.server);
        let found = side.found_for.iter_mut().flat_map(|one| &mut one.values);
        found.for_each(|value| hidden.replace(value, names));
    }
    for condition in &mut comparison.conditions {
        let values = [&mut condition.baseline, &mut condition.run];
        redact_condition(&condition.name, values, names);
    }
    for point in &mut comparison.points {
        point.values.iter_mut().for_each(|value| hidden.replace(value, names));
        for condition in &mut point.conditions {
            let values = [&mut condition.baseline, &mut condition.run];
            redact_condition(&condition.name, values, names);
        }
    }
    for lone in &mut comparison.unmatched {
        lone.values.iter_mut().for_each(|value| hidden.replace(value, names));
        [&mut lone.baseline, &mut lone.run].into_iter().flatten().for_each(redact_lack);
    }
    for ladder in &mut comparison.ladders {
        ladder.series.iter_mut().for_each(|(_, value)| hidden.replace(value, names));
        for marks in [&mut ladder.peak, &mut ladder.knee] {
            hidden.replace(&mut marks.baseline.at, names);
            hidden.replace(&mut marks.run.at, names);
        }
    }
}

/// Redacts the reason why a point has no result, unless Tacho itself wrote it.
fn redact_lack(reason: &mut String) {
    let known = [
        "not yet measured",
        "skipped: past the peak",
        "its run no longer exists",
        "not in this sweep",
    ];
    if !known.contains(&reason.as_str()) {
        *reason = "failed (the reason is hidden)".into();
    }
}

/// Numbers that replace names.
#[derive(Default)]
struct Numbers(Vec<String>);

impl Numbers {
    fn replace(&mut self, value: &mut String, names: &Names) {
        if names.is_plain(value) || self.is_number(value) {
            return;
        }
        let known =
            self.0.iter().position(|known_value| known_value == value).unwrap_or_else(|| {
                self.0.push(value.clone());
                self.0.len() - 1
            });
        *value = format!("value {}", known + 1);
    }

    /// Returns true if a value is one of the numbered replacements, such as `value 2`.
    fn is_number(&self, value: &str) -> bool {
        let number = value.strip_prefix("value ").and_then(|digits| digits.parse::<usize>().ok());
        number.is_some_and(|number| (1..=self.0.len()).contains(&number))
    }
}

/// Names to hide and words to keep.
#[derive(Default)]
struct Names {
    /// Names from the runs, which may appear in any text.
    hidden: Vec<String>,
    /// Database terms, in lower case, that may appear in values.
    words: Vec<&'static str>,
}

/// Names that are too common to reveal anything.
const COMMON: [&str; 7] = ["localhost", "host", "socket", "root", "tacho", "user", "port"];

impl Names {
    fn add(&mut self, record: &Record) {
        let plan = &record.plan;
        let texts = [&record.host.name, &plan.target, &plan.target_name];
        let hosts = record.result.iter().flat_map(|result| &result.load_hosts);
        let texts = texts.into_iter().chain(hosts.map(|host| &host.name));
        let words = texts.flat_map(|text| text.split(|c: char| !part_of_name(c)));
        for word in words.map(str::to_lowercase) {
            let number = word.chars().all(|c| c.is_ascii_digit());
            let common = word == plan.driver || COMMON.contains(&word.as_str());
            if word.len() > 2 && !number && !common && !self.hidden.contains(&word) {
                self.hidden.push(word);
            }
        }
    }

    /// Returns the text without hidden names and without words that look like an address or a path.
    fn without(&self, text: &str) -> String {
        text.split(' ').map(|word| self.word(word)).collect::<Vec<String>>().join(" ")
    }

    fn word(&self, word: &str) -> String {
        let known = |part: &str| self.hidden.contains(&part.to_lowercase());
        let is_name = known(word.trim_matches(|c: char| !part_of_name(c)))
            || word.split(|c: char| !part_of_name(c)).any(known);
        if is_name || is_address(word) { HIDDEN.into() } else { word.into() }
    }

    fn only_plain(&self, value: &mut String) {
        if !self.is_plain(value) {
            *value = HIDDEN.into();
        }
    }

    /// Returns true if the value consists of known words and numbers, with or without units.
    fn is_plain(&self, value: &str) -> bool {
        let known = |word: String| {
            WORDS.contains(&format!(" {word} ")) || self.words.contains(&word.as_str())
        };
        let words = value.split([' ', ',']).filter(|word| !word.is_empty());
        words.into_iter().all(|word| is_number(word) || known(word.to_lowercase()))
    }
}

fn is_number(word: &str) -> bool {
    let digits = word.trim_start_matches(['-', '+']);
    let rest = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    digits.starts_with(|c: char| c.is_ascii_digit())
        && (unit == "%" || (unit.len() <= 2 && unit.chars().all(|c| c.is_ascii_alphabetic())))
}

fn part_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// Returns true for paths, `host:port`, `user@host`, dotted names and IP addresses.
fn is_address(word: &str) -> bool {
    let trimmed = word.trim_matches(|c: char| "()[]{}\"'`,;:.!?".contains(c));
    let labels: Vec<&str> = trimmed.split('.').collect();
    let numeric = |label: &&str| !label.is_empty() && label.chars().all(|c| c.is_ascii_digit());
    let four = labels.len() == 4 && labels.iter().all(numeric);
    let port = trimmed.rsplit_once(':').is_some_and(|(host, port)| {
        numeric(&port) && host.chars().any(|c| c.is_alphabetic() || matches!(c, '.' | ':'))
    });
    let dotted =
        labels.len() > 2 && labels.iter().any(|label| label.chars().any(char::is_alphabetic));
    // A single slash is a division sign, as in `CPU / core`, not part of a path.
    let path = trimmed.len() > 1 && trimmed.contains(['/', '\\', '@']);
    let six = word.matches(':').count() > 1;
    path || four || port || dotted || six
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_known_words_stay() {
        let names = Names { words: vec!["o_direct"], ..Names::default() };
        for plain in ["", "on", "128MB", "0.9", "26392", "read committed", "-1", "4ms", "O_DIRECT"]
        {
            assert!(names.is_plain(plain), "{plain}");
        }
        for other in
            ["db1", "/var/lib", "10.0.0.1", "bench", "1node", "on, db1", "fast_disk", "fsync"]
        {
            assert!(!names.is_plain(other), "{other}");
        }
    }

    #[test]
    fn texts_lose_names_and_addresses() {
        let names = Names { hidden: vec!["vault7".into()], ..Names::default() };
        let table = [
            ("C1 of vault7: 3 is not 4", "C1 of (hidden) 3 is not 4"),
            ("connect to db.example.com failed", "connect to (hidden) failed"),
            ("at 10.1.2.3 and [::1]", "at (hidden) and (hidden)"),
            ("see /etc/x.conf, or a@b", "see (hidden) or (hidden)"),
            ("p95 is 3.5 ms (3.3.2)", "p95 is 3.5 ms (3.3.2)"),
            ("new_order.p95 < 50ms", "new_order.p95 < 50ms"),
        ];
        for (text, expected) in table {
            assert_eq!(names.without(text), expected);
        }
    }
}
