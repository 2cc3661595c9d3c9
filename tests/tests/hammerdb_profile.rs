//! Builds, runs and audits the `hammerdb` profile. This profile violates some conditions by design, so its checks
//! accept these violations and state the reason.

use tacho_tests::{Data, Folder};

#[test]
fn the_profile_is_built_run_and_audited() {
    let folder = Folder::new();
    let target = "sqlite:h.db?synchronous=off";
    let prepare = format!("prepare tprocc {target} --profile hammerdb --check after");
    let built = folder.tacho(&prepare).exits(0);
    built.says(&["✓ C1 ", "✓ C9 ", "– C10", "– C11", "– C12", "not run: amounts_reversed=true"]);
    // The run does not specify a profile, so it uses the profile of the data.
    let run = format!("run tprocc {target} -c 2 -d 4s --ramp-up 200ms");
    let done = folder.tacho(&run).exits(0);
    done.says(&["profile hammerdb", "18 of 18 after the run"]);
    let record = folder.record("latest");
    assert_eq!(record["plan"]["profile"], "hammerdb");
    assert_eq!(record["plan"]["parameters"]["mix"], "of23");
    let checks = record["result"]["checks"].as_array().expect("checks");
    let of = |verdict: &str| checks.iter().filter(|check| check["verdict"] == verdict).count();
    // The checks also compare sample rows with the generated rows. This adds six results to those of the 18 conditions.
    assert_eq!((of("holds"), of("excused")), (18 + 6, 6));
    let excused = checks.iter().filter(|check| check["verdict"] == "excused");
    assert!(
        excused.clone().all(|check| check["detail"].as_str().is_some_and(|d| d.contains("=true")))
    );
    mix_is_audited(&record);
    let check = folder.tacho(&format!("check tprocc {target}")).exits(0);
    check.says(&["18 of 18 hold, 7 excused"]);
    assert_eq!(Data::open(&folder.file("h.db")).number("SELECT count(*) FROM item"), 100_000);
}

fn mix_is_audited(record: &serde_json::Value) {
    let shares = [
        ("new-order share", 10.0),
        ("payment share", 10.0),
        ("order-status share", 1.0),
        ("delivery share", 1.0),
        ("stock-level share", 1.0),
    ];
    let audit = record["result"]["audit"].as_array().expect("an audit");
    for (name, cards) in shares {
        let entry = audit.iter().find(|entry| entry["name"] == name).expect(name);
        let number = |key: &str| entry[key].as_f64().unwrap_or_else(|| panic!("{key} of {name}"));
        assert!((number("expected") - cards / 23.0).abs() < 1e-9, "{entry}");
        assert!((number("low")..=number("high")).contains(&number("measured")), "{entry}");
        assert_eq!(entry["passed"], true);
    }
    let unused = audit.iter().find(|entry| entry["name"] == "unused items").expect("a rule");
    assert!((unused["expected"].as_f64().unwrap_or(0.0) - 1.0 / 99.0).abs() < 1e-9, "{unused}");
}

#[test]
fn a_switch_can_be_flipped_alone() {
    let folder = Folder::new();
    let target = "sqlite:s.db?synchronous=off";
    let line = format!("prepare tprocc {target} --set counters_frozen=true --check after");
    let built = folder.tacho(&line).exits(0);
    built.says(&["✓ C10", "– C11", "– C12", "counters_frozen=true"]);
    let done = folder.tacho(&format!("run tprocc {target} -d 1s --ramp-up 0s")).exits(0);
    done.says(&["profile spec", "20 of 20 after the run"]);
    assert_eq!(folder.record("latest")["plan"]["parameters"]["counters_frozen"], "true");
    let refused = folder.tacho(&format!("run tprocc {target} --set counters_frozen=false"));
    refused.exits(3).is_error().complains(&["counters_frozen=true", "--set counters_frozen=true"]);
}
