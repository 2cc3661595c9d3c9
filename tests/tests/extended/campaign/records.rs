//! Several processes change the same record at the same time, and the record may be damaged. Nothing that a process has
//! confirmed may be lost.

#![expect(clippy::disallowed_methods, reason = "a record is damaged on purpose")]

use std::fs;

use serde_json::Value;
use tacho_tests::Running;

use super::trial::{Trial, expect_documented};

const RUN: &str = "run tpcb sim: -c 2 -d 2s --ramp-up 0s --progress none -o quiet";

/// A process that changes or copies the record.
struct Change {
    what: &'static str,
    value: String,
    running: Running,
}

/// Picks an action for a process at random, and starts the process.
fn start(trial: &mut Trial, id: &str, number: usize) -> Change {
    let what = *trial.pick(&["tag", "tag", "tag", "note", "note", "export", "repair", "show"]);
    let value = match what {
        "tag" => format!("t{number}"),
        "note" => format!("{number}{}", " long".repeat(trial.below(300) as usize)),
        "export" => format!("{number}.tar.zst"),
        _ => String::new(),
    };
    let line = match what {
        "tag" | "note" => format!("runs {what} {id} '{value}'"),
        "export" => format!("runs export {value} {id}"),
        "repair" => format!("runs repair {id}"),
        _ => format!("show {id}"),
    };
    Change { what, value, running: trial.folder.tacho(&line).start() }
}

pub fn perform(trial: &mut Trial) {
    trial.folder.tacho(RUN).exits(0);
    let id = trial.folder.record("latest")["id"].as_str().expect("an id").to_owned();
    if trial.chance(40) {
        let path = trial.folder.runs()[0].join("run.json");
        let text = fs::read(&path).expect("a record");
        let cut = trial.below(text.len() as u64) as usize;
        trial.note(format!("record cut at byte {cut} of {}", text.len()));
        fs::write(&path, &text[..cut]).expect("damage");
    }
    let is_damaged = trial.folder.tacho(&format!("show {id}")).done().code() != 0;
    let count = 3 + trial.below(10) as usize;
    let changes: Vec<Change> = (0..count).map(|number| start(trial, &id, number)).collect();
    trial.note(changes.iter().map(|change| change.what).collect::<Vec<_>>().join(" "));
    let (mut tags, mut notes, mut archives) = (Vec::new(), Vec::new(), Vec::new());
    for Change { what, value, running } in changes {
        let done = running.wait();
        expect_documented(&done);
        if done.code() != 0 {
            assert!(is_damaged || what == "repair", "{done:?}");
            continue;
        }
        match what {
            "tag" => tags.push(value),
            "note" => notes.push(value),
            "export" => archives.push(value),
            _ => {}
        }
    }
    if is_damaged {
        trial.tacho(&format!("runs repair {id}"));
    }
    let record = trial.folder.record(&id);
    let kept: Vec<&str> =
        record["tags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert!(tags.iter().all(|tag| kept.contains(&&**tag)), "of {tags:?} only {kept:?} are kept");
    let note = record["note"].as_str().unwrap_or_default();
    assert!(notes.is_empty() || notes.iter().any(|known| known == note), "{note:?} of {notes:?}");
    assert_eq!(record["result"]["valid"], !is_damaged);
    for archive in archives {
        trial.folder.tacho(&format!("runs import {archive} --dir in-{archive}")).exits(0);
    }
}
