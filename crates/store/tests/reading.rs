//! Tests that the store returns all readable runs and reports the unreadable ones.
#![expect(clippy::disallowed_methods, reason = "the tests damage files on purpose")]

use std::fs;
use std::path::PathBuf;

use crate::common::{fill, finished, only, record};
use tacho_core::{ErrorKind, Seed};
use tacho_store::record::{Record, RunVerdict};
use tacho_store::{Entry, RunWriter, Seal, Store, read_histograms, read_intervals};

/// Creates a store with runs on 2, 3 and 4 March. Returns their ids.
fn three() -> (tempfile::TempDir, Store, [String; 3]) {
    let root = tempfile::tempdir().expect("a folder");
    let store = Store::open(root.path());
    let ids = [(2, &["old", "x"][..]), (3, &["x"]), (4, &[])]
        .map(|(day, tags)| finished(&store, day, tags));
    (root, store, ids)
}

fn file(store: &Store, id: &str, name: &str) -> PathBuf {
    store.find(id).expect("a run").path.join(name)
}

#[test]
fn a_missing_root_is_an_empty_store() {
    let store = Store::open("/nowhere/at/all".as_ref());
    assert!(store.list().unwrap().is_empty());
    let error = store.find("latest").unwrap_err();
    assert_eq!(error.to_string(), "run \"latest\" not found: there are no runs yet");
}

#[test]
fn runs_are_listed_newest_first() {
    let (_root, store, [a, b, c]) = three();
    let ids: Vec<String> = store.list().unwrap().iter().map(|run| run.id().to_owned()).collect();
    assert_eq!(ids, [c, b, a]);
}

#[test]
fn runs_of_one_second_are_in_the_order_in_which_they_began() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    // Each folder name ends with a random id, so the order of the names within a second is random.
    let begun = |n: u64| {
        let started_at = format!("2026-03-02T10:14:05.{n}00+01:00");
        let record = Record { started_at, tags: vec!["x".into()], ..record(2) };
        let mut writer = RunWriter::create(&store, record, Seed(n)).unwrap();
        writer.keep();
        writer.id().to_owned()
    };
    let ids: Vec<String> = (0..10).map(begun).collect();
    let tagged = store.catalog().unwrap().find_all("tag:x").unwrap();
    assert_eq!(tagged.iter().map(|run| run.record.id.as_str()).collect::<Vec<_>>(), ids);
    for (back, id) in ids.iter().rev().enumerate() {
        assert_eq!(&store.find(&format!("latest~{back}")).unwrap().record.id, id);
    }
}

#[test]
fn selectors() {
    let (_root, store, [a, b, c]) = three();
    let table = [
        ("latest", &c),
        ("latest~0", &c),
        ("latest~2", &a),
        ("x", &b),
        ("old", &a),
        (a.as_str(), &a),
        (&b[..3], &b),
    ];
    for (selector, expected) in table {
        assert_eq!(&store.find(selector).unwrap().record.id, expected, "{selector}");
    }
}

#[test]
fn selectors_that_name_nothing() {
    let (_root, store, ids) = three();
    for selector in ["latest~3", "latest~x", "latest~", "", "nope"] {
        let error = store.find(selector).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{selector}");
        assert!(!error.hints().is_empty(), "{selector}");
    }
    let hints = store.find("nope").unwrap_err().hints().to_vec();
    assert!(ids.iter().all(|id| hints[0].contains(id.as_str())), "{hints:?}");
    assert_eq!(hints[1], "tacho runs list");
}

#[test]
fn ambiguous_prefixes_are_rejected_with_candidates() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    // Ids start with one of 32 characters, so at least two of 40 ids have the same first character.
    let ids: Vec<String> = (1..=20).chain(1..=20).map(|day| finished(&store, day, &[])).collect();
    let twice = ids.iter().find(|id| ids.iter().filter(|o| o[..1] == id[..1]).count() > 1);
    let start = &twice.expect("a pair")[..1];
    let error = store.find(start).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.message().contains("is the start of"), "{error}");
    assert!(error.hints()[0].contains(twice.unwrap()) || error.hints()[0].contains('…'));
}

#[test]
fn damaged_records_are_reported_and_hide_no_other() {
    let (_root, store, [a, b, c]) = three();
    fs::write(file(&store, &a, "run.json"), "{\"format\": \"tacho-run\", \"ver").unwrap();
    fs::remove_file(file(&store, &b, "run.json")).unwrap();
    let entries = store.list().unwrap();
    let broken: Vec<(&str, ErrorKind)> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Broken(broken) => Some((broken.id.as_str(), broken.reason.kind())),
            Entry::Loaded(_) => None,
        })
        .collect();
    assert_eq!(broken, [(b.as_str(), ErrorKind::Missing), (a.as_str(), ErrorKind::Protocol)]);
    assert_eq!(store.find("latest").unwrap().record.id, c);
    let error = store.find(&a).unwrap_err();
    assert!(error.message().starts_with("the record is damaged"), "{error}");
}

#[test]
fn a_newer_record_says_so() {
    let (_root, store, [a, ..]) = three();
    let path = file(&store, &a, "run.json");
    fs::write(path, "{\"format\": \"tacho-run\", \"version\": 99, \"new\": []}").unwrap();
    let error = store.find(&a).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("newer version of Tacho (format version 99"), "{error}");
    assert!(error.hints()[0].contains("newer"), "{error}");
}

#[test]
fn other_files_and_formats_do_no_harm() {
    let (_root, store, [a, ..]) = three();
    fs::write(store.path().join("notes.txt"), "x").unwrap();
    fs::create_dir(store.path().join(".hidden")).unwrap();
    fs::create_dir(store.path().join("é")).unwrap();
    fs::write(file(&store, &a, "run.json"), "{\"format\": \"other\", \"version\": 1}").unwrap();
    assert_eq!(store.list().unwrap().len(), 4);
    let error = store.find(&a).unwrap_err();
    assert!(error.message().contains("its format is \"other\""), "{error}");
}

#[test]
fn intervals_are_read_up_to_the_cut_wherever_it_is() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(root.path());
    let mut writer = RunWriter::create(&store, record(2), Seed(1)).unwrap();
    writer.keep();
    fill(&mut writer, 20);
    drop(writer);
    let folder = only(&store).path;
    let path = folder.join("intervals.jsonl.zst");
    let whole = fs::read(&path).unwrap();
    let mut last = 20;
    for length in (0..whole.len()).rev() {
        fs::write(&path, &whole[..length]).unwrap();
        let read = read_intervals(&folder).unwrap().len();
        assert!(read <= last, "{length}");
        last = read;
    }
    assert_eq!(last, 0);
}

#[test]
fn damage_in_the_middle_is_reported() {
    let (_root, store, [a, ..]) = three();
    let path = file(&store, &a, "intervals.jsonl.zst");
    let text = b"{\"format\":\"tacho-intervals\",\"version\":1}\nnonsense\n";
    fs::write(&path, zstd::encode_all(&text[..], 3).unwrap()).unwrap();
    let error = read_intervals(path.parent().unwrap()).unwrap_err();
    assert!(error.message().starts_with("line 2 is damaged"), "{error}");
}

#[test]
fn histograms_are_read_up_to_the_cut() {
    let (_root, store, [a, ..]) = three();
    let path = file(&store, &a, "histograms.hlog");
    let text = fs::read(&path).unwrap();
    fs::write(&path, &text[..text.len() - 10]).unwrap();
    let folder = path.parent().unwrap();
    assert_eq!(read_histograms(folder).unwrap().len(), 1);
    fs::write(&path, "Tag=x,1.0,1.0,1.0,bm9uc2Vuc2U=\n").unwrap();
    assert_eq!(read_histograms(folder).unwrap_err().kind(), ErrorKind::Protocol);
}

#[test]
fn tags_and_notes() {
    let (_root, store, [a, ..]) = three();
    store.add_tag(&a, "best").unwrap();
    store.add_tag(&a, "best").unwrap();
    assert_eq!(store.find("best").unwrap().record.tags, ["old", "x", "best"]);
    store.remove_tag(&a, "old").unwrap();
    let error = store.remove_tag(&a, "old").unwrap_err();
    assert_eq!(error.hints(), ["its tags: x, best"]);
    store.set_tags(&a, &["one".into(), "one".into(), "two".into()]).unwrap();
    store.set_note(&a, Some("why")).unwrap();
    let run = store.find(&a).unwrap();
    assert_eq!(
        (run.record.tags, run.record.note),
        (vec!["one".to_owned(), "two".to_owned()], Some("why".to_owned()))
    );
    assert!(store.set_tags(&a, &["latest".into()]).is_err());
    assert_eq!(store.set_note(&a, None).unwrap().record.note, None);
}

/// Inserts a digit before the first digit of a field in a record.
fn change(path: &PathBuf, field: &str) {
    let text = fs::read_to_string(path).expect("a record");
    let field = format!("\"{field}\": ");
    assert!(text.contains(&field), "{text}");
    fs::write(path, text.replacen(&field, &format!("{field}9"), 1)).expect("a changed record");
}

#[test]
fn a_changed_digit_makes_a_run_invalid() {
    let (_root, store, [a, ..]) = three();
    let path = file(&store, &a, "run.json");
    assert!(store.find(&a).unwrap().record.result.unwrap().valid);
    change(&path, "throughput_per_s");
    let listed = store.list().unwrap();
    let run = store.find(&a).unwrap();
    let result = run.record.result.unwrap();
    assert_eq!(result.verdict(), RunVerdict::Invalid);
    assert!(result.notices[0].text.starts_with("run.json was changed"), "{:?}", result.notices);
    let is_same = |entry: &&Entry| entry.id() == a;
    let Some(Entry::Loaded(loaded)) = listed.iter().find(is_same) else { panic!("it is listed") };
    assert!(!loaded.record.result.as_ref().unwrap().valid, "the list says it too");
    // Adding a tag must not replace the checksum by a new one.
    let refused = store.add_tag(&a, "best").unwrap_err();
    assert!(refused.message().contains("checksum does not match"), "{refused}");
}

#[test]
fn a_changed_or_missing_file_makes_a_run_invalid() {
    let (_root, store, [a, b, c]) = three();
    let path = file(&store, &a, "histograms.hlog");
    let mut text = fs::read(&path).unwrap();
    let last = text.len() - 2;
    text[last] ^= 1;
    fs::write(&path, text).unwrap();
    fs::remove_file(file(&store, &b, "intervals.jsonl.zst")).unwrap();
    for (id, words) in [(&a, "histograms.hlog was changed"), (&b, "intervals.jsonl.zst is missing")]
    {
        let result = store.find(id).unwrap().record.result.unwrap();
        assert!(!result.valid && result.notices[0].text.starts_with(words), "{:?}", result.notices);
        let one = store.catalog().unwrap().find_all(id).unwrap();
        assert!(!one[0].record.result.as_ref().unwrap().valid);
    }
    assert!(store.find(&c).unwrap().record.result.unwrap().valid);
}

#[test]
fn a_tag_keeps_the_checksums_right() {
    let (_root, store, [a, ..]) = three();
    store.add_tag(&a, "best").unwrap();
    store.set_note(&a, Some("why")).unwrap();
    let run = store.find(&a).unwrap();
    assert!(
        matches!(&run.seal, Seal::Intact(checksums) if checksums.files.contains_key("histograms.hlog"))
    );
    assert!(run.record.result.unwrap().valid);
}

#[test]
fn a_record_without_checksums_is_read_as_before() {
    let (_root, store, [a, ..]) = three();
    let path = file(&store, &a, "run.json");
    let mut value: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let sealed = value.clone();
    value.as_object_mut().unwrap().remove("checksums");
    value["result"].as_object_mut().unwrap().remove("verdict");
    fs::write(&path, value.to_string()).unwrap();
    let run = store.find(&a).unwrap();
    assert_eq!(run.seal, Seal::Absent);
    assert!(run.record.result.unwrap().valid);
    store.add_tag(&a, "best").unwrap();
    assert_eq!(store.find("best").unwrap().seal, Seal::Absent, "nobody vouches for it now");
    // A current record without checksums must be rejected, although old records have none.
    let mut stripped = sealed;
    stripped["result"]["verdict"] = "valid".into();
    stripped.as_object_mut().unwrap().remove("checksums");
    fs::write(&path, stripped.to_string()).unwrap();
    assert!(!store.find(&a).unwrap().record.result.unwrap().valid);
}

#[test]
fn latest_never_passes_over_a_damaged_run() {
    let (_root, store, [a, b, c]) = three();
    fs::write(file(&store, &c, "run.json"), "{\"format\": \"tacho-run\", \"ver").unwrap();
    let error = store.find("latest").unwrap_err();
    assert!(error.to_string().contains(&c), "{error}");
    assert!(
        error.hints().iter().any(|hint| hint.ends_with("specify latest~1")),
        "{:?}",
        error.hints()
    );
    assert_eq!(store.find("latest~1").unwrap().record.id, b);
    assert_eq!(store.find("latest~2").unwrap().record.id, a);
    assert!(store.catalog().unwrap().find_all("latest").is_err());
}
