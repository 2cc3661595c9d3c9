//! Damaged or malicious input must be displayed literally, and must not cause anything worse than a clear error.

#![expect(clippy::disallowed_methods, reason = "records are damaged on purpose")]

use crate::prepared::ONE;
use tacho_testkit::servers::Postgres;
use tacho_tests::Folder;

const SHORT: &str = "-d 1s --ramp-up 0s --check none";

/// Checks that the text contains no terminal control characters and no characters that reverse the text direction.
#[track_caller]
fn is_harmless(text: &str) {
    let bad = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
    assert!(!text.contains(bad), "{text:?}");
}

#[test]
fn nothing_of_a_record_or_a_server_moves_the_terminal() {
    let folder = Folder::new();
    folder.tacho(&format!("run tpcb sim {SHORT}")).exits(0);
    let run = folder.runs().remove(0).join("run.json");
    let evil = "\\u001b]0;gotcha\\u0007\\u001b[2J\\u202enib.\\u009b1m\\u007f";
    let text = std::fs::read_to_string(&run).expect("a record");
    let note = "\"note\": null";
    let mut spoiled = text.replace("\"version\": \"sim\"", &format!("\"version\": \"sim {evil}\""));
    assert_ne!(spoiled, text);
    if spoiled.contains(note) {
        spoiled = spoiled.replace(note, &format!("\"note\": \"{evil}\""));
    }
    std::fs::write(&run, spoiled).expect("a record");
    for command in [
        "show latest",
        "show latest --plan",
        "show latest --server",
        "show latest --transactions",
        "show latest -o json",
        "runs list",
        "runs list -o json",
        "timing latest",
        "report latest --format md -o -",
    ] {
        let done = folder.tacho(command).done();
        is_harmless(&done.out);
        is_harmless(&done.err);
    }
    let server = Postgres::start().expect("a PostgreSQL server");
    let target = server.target();
    let (place, options) = target.split_once('?').expect("options");
    let place = place.rsplit_once('/').expect("a database").0;
    let evil = format!("{place}/no%1b%5b2J%e2%80%ae?{options}");
    let done = folder.tacho(&format!("run tpcb '{evil}' {SHORT}")).exits(3);
    done.is_error().complains(&["does not exist", "\\u001b[2J\\u202e"]);
    is_harmless(&done.err);
}

#[test]
fn two_targets_are_refused() {
    let folder = Folder::new();
    let refused = folder.tacho(&format!("run tpcb sim -t noop {SHORT}")).exits(2);
    refused.is_error().complains(&["two values for target: sim and --target noop"]);
    folder.tacho(&format!("run tpcb sim -t sim {SHORT}")).exits(0);
}

#[test]
fn config_check_plans_every_run() {
    let folder = Folder::new();
    for (text, words) in [
        ("[run.a]\nworkload = \"tpcx\"", ["run.a", "unknown workload \"tpcx\""]),
        ("[run.a]\nworkload = \"tpcb\"\nthreshold = [\"p95<<5\"]", ["run.a", "invalid value"]),
        ("[run.a]\nthreshold = [\"neworder.p95<5ms\"]", ["run.a", "new_order"]),
        ("[defaults]\nworkload = \"tpcx\"", ["defaults", "tpcx"]),
        ("[targets.b]\nurl = \"sqlite:x?nothing=1\"", ["targets.b", "nothing"]),
    ] {
        folder.write("tacho.toml", text);
        folder.tacho("config check").exits(2).is_error().complains(&words);
    }
    folder.write("tacho.toml", "[run.a]\nworkload = \"tpcb\"\nthreshold = [\"p95<5ms\"]");
    folder.tacho("config check").exits(0).says(&["is valid"]);
}

#[test]
fn a_sweep_on_a_target_that_does_not_exist_fails_once() {
    let folder = Folder::new();
    let sweep = format!("sweep tpcb sqlite:none.db --vary sessions=1,2,3 {SHORT}");
    let done = folder.tacho(&sweep).exits(3);
    done.is_error().complains(&["none.db", "tacho prepare"]);
    assert_eq!(done.err.matches("none.db").count(), 3, "one error and its hint: {}", done.err);
    assert!(!done.err.contains("this point failed"), "{}", done.err);
    folder.tacho("sweep --show latest").exits(2).complains(&["no sweeps yet"]);
}

#[test]
fn the_rest_of_a_sweep_is_in_whole_seconds() {
    let folder = Folder::new();
    let sweep = "sweep tpcb sim --vary sessions=1,2,3 -d 1ms --ramp-up 0s --check none";
    let done = folder.tacho(sweep).done();
    done.complains(&["about 1s left"]);
    assert!(!done.err.contains("µs left") && !done.err.contains("ms left"), "{}", done.err);
}

#[test]
fn a_comparison_says_that_histograms_were_cut_off() {
    let folder = Folder::new();
    for _ in 0..2 {
        folder.tacho("run tpcb sim -d 5s --ramp-up 0s --interval 1s --check none").exits(0);
    }
    let whole = folder.tacho("compare").exits(0);
    let report = folder.tacho("report latest --baseline latest~1 --format md").exits(0);
    for whole in [&whole, &report] {
        assert!(!whole.out.contains("histograms of run"), "{}", whole.out);
    }
    let log = folder.runs().remove(0).join("histograms.hlog");
    let text = std::fs::read_to_string(&log).expect("histograms");
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    std::fs::write(&log, lines[..lines.len() - 4].concat()).expect("histograms");
    folder.tacho("compare").exits(2).is_error().complains(&["histograms.hlog was changed"]);
    folder
        .tacho("compare --force")
        .exits(0)
        .says(&["The histograms of run", "the file was truncated"]);
    let id = folder.runs().remove(0).display().to_string();
    let id = id.rsplit('-').next().expect("an id");
    folder.tacho(&format!("timing {id}")).exits(0).says(&["the file was truncated"]);
}

#[test]
fn too_little_memory_is_an_error_and_no_crash() {
    let folder = ONE.folder();
    // The address space is limited to 100 MB. The unstripped program itself takes up 60 MB of it.
    let script = "ulimit -v 100000; \"$TACHO\" run tprocc sqlite:a.db -d 1s --ramp-up 0s";
    let done = folder.shell(script).exits(3);
    done.is_error().complains(&["address space is limited", "ulimit -v unlimited"]);
}
