//! A damaged record is rebuilt and marked as rebuilt, and never becomes VALID again.
#![expect(clippy::disallowed_methods, reason = "the tests damage files on purpose")]

use std::fs;

use crate::common::{finished, only};
use tacho_core::ErrorKind;
use tacho_store::record::{RunState, RunVerdict};
use tacho_store::{REPAIRED, Seal, Store, read_intervals};

#[test]
fn a_damaged_record_is_rebuilt_and_stays_invalid() {
    type Damage = fn(&str) -> Option<String>;
    let damages: [(&str, Damage, bool); 5] = [
        ("truncated in its result", |text| Some(text[..text.rfind("\"result\"")?].into()), true),
        ("two records in one", |text| Some(format!("{text}{}", &text[text.len() / 2..])), true),
        ("overwritten at its start", |text| Some(format!("{{{}", &text[900..])), false),
        ("empty", |_| Some(String::new()), false),
        ("removed", |_| None, false),
    ];
    for (what, damage, keeps_plan) in damages {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(root.path());
        let id = finished(&store, 2, &["nightly"]);
        let run = only(&store);
        let path = run.path.join("run.json");
        let text = fs::read_to_string(&path).unwrap();
        match damage(&text) {
            Some(spoiled) => fs::write(&path, &spoiled).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        assert!(store.find(&id).is_err(), "{what}");
        let kept = fs::read(&path).ok();
        let repaired = store.repair(&id).unwrap_or_else(|error| panic!("{what}: {error}"));
        let record = &repaired.record;
        assert!(record.repaired && record.state == RunState::Complete, "{what}");
        assert_eq!((record.id.as_str(), record.plan.workload.as_str()), (&*id, "tprocc"), "{what}");
        assert_eq!(record.tags.is_empty(), !keeps_plan, "{what}");
        let result = record.result.as_ref().unwrap();
        assert_eq!(result.verdict(), RunVerdict::Invalid, "{what}");
        assert_eq!(result.notices[0].id, REPAIRED.0);
        // The three one-second intervals contain 100, 200 and 300 commits. The histogram contains only 100 samples.
        assert_eq!(result.accounting.committed, 600, "{what}");
        assert!((result.throughput_per_s - 200.0).abs() < 1e-9, "{what}");
        let names: Vec<_> = result.transactions.iter().map(|one| (&*one.name, one.count)).collect();
        assert_eq!(names, [("new_order", 600), ("all", 600)], "{what}");
        assert_eq!(result.transactions[0].latency.count, 100, "{what}");
        assert_eq!(fs::read(repaired.path.join("run.json.damaged")).ok(), kept, "{what}");
        assert!(matches!(store.find(&id).unwrap().seal, Seal::Intact(_)), "{what}");
        // The run stays marked as rebuilt even if the tags are changed or a verdict is forged.
        store.add_tag(&id, "kept").unwrap();
        assert!(store.find(&id).unwrap().record.repaired);
        let text = fs::read_to_string(&path).unwrap();
        let forged = text.replace("\"valid\": false", "\"valid\": true");
        fs::write(&path, forged.replace("\"verdict\": \"invalid\"", "\"verdict\": \"valid\""))
            .unwrap();
        let verdict = only(&store).record.result.unwrap().verdict();
        assert_eq!(verdict, RunVerdict::Invalid, "{what}");
    }
}

#[test]
fn an_intact_run_is_not_repaired() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    let id = finished(&store, 2, &[]);
    let before = fs::read(only(&store).path.join("run.json")).unwrap();
    let error = store.repair(&id).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().contains("is not damaged"), "{error}");
    assert_eq!(fs::read(only(&store).path.join("run.json")).unwrap(), before);
    // Without intervals, the record cannot be rebuilt.
    let path = only(&store).path;
    fs::write(path.join("run.json"), "{").unwrap();
    fs::remove_file(path.join("intervals.jsonl.zst")).unwrap();
    assert!(store.repair(&id).is_err());
    assert_eq!(fs::read(path.join("run.json")).unwrap(), b"{");
    assert!(read_intervals(&path).is_err());
}
