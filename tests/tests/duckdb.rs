//! Workloads on DuckDB, if its library is installed.

use serde_json::Value;
use tacho_testkit::library;
use tacho_tests::Folder;

/// Returns a folder and a target inside it.
fn place() -> Option<(Folder, String)> {
    let library = library::duckdb()?;
    Some((Folder::new(), format!("duckdb:x.db?library={}", library.display())))
}

#[test]
fn all_answers_are_right_and_streams_end() {
    let Some((folder, target)) = place() else { return };
    folder.tacho(&format!("prepare tproch {target} -s 0.01")).exits(0).says(&["86"]);
    folder.tacho(&format!("check tproch {target}")).exits(0).says(&["✓ Q22", "28 of 28 hold"]);
    let run = format!("run tproch {target} -c 2 --set query_sets=2 --check none");
    folder.tacho(&run).exits(0).says(&["VALID", "geometric mean of 44 transactions"]);
    folder.tacho(&format!("clean tproch {target} --yes")).exits(0);
}

/// Query plans must contain neither values of parameters nor estimates.
///
/// After a run, Tacho must be able to copy the log to the database file.
#[test]
fn plans_are_told_and_the_log_can_be_written_back() {
    let Some((folder, target)) = place() else { return };
    folder.tacho(&format!("prepare tproch {target} -s 0.01 -o quiet --progress none")).exits(0);
    let plans = |seed: u32, more: &str| -> Vec<Value> {
        let run = format!("run tproch {target} --seed {seed} --check none {more}");
        folder.tacho(&run).exits(0);
        let result = folder.record("latest")["result"].clone();
        result["query_plans"].as_array().expect("plans").clone()
    };
    let (first, second) = (plans(1, ""), plans(2, "--form simple"));
    assert_eq!((first.len(), second.len()), (22, 22));
    for name in ["q1", "q6"] {
        let of = |all: &[Value]| all.iter().find(|query| query["transaction"] == name).cloned();
        assert_eq!(of(&first), of(&second), "{name}");
    }
    for query in &first {
        let plan = query["plan"].as_str().expect("a plan");
        assert!(!plan.contains("Cardinality") && plan.contains("SCAN"), "{plan}");
    }
    folder.tacho("show latest --transactions").exits(0).says(&["Plan ", " of q6", "SEQ_SCAN"]);

    plans(3, "--set refresh=true --settle 20s");
    let settled = folder.record("latest")["result"]["settled"][0].clone();
    assert_eq!(settled["what"], "checkpoint of log, in KiB", "{settled}");
    assert!(settled["before"].as_u64() > Some(0), "a refresh is in the log: {settled}");
    assert_eq!((&settled["left"], &settled["ended_by"]), (&0.into(), &"done".into()), "{settled}");
}

/// If several transactions write the same row, DuckDB rejects all but the first. The rejected ones must be retried.
#[test]
fn transactions_keep_all_conditions() {
    let Some((folder, target)) = place() else { return };
    folder.tacho(&format!("prepare tprocc {target} -s 1 -o quiet --progress none")).exits(0);
    let run = format!("run tprocc {target} -c 2 -d 3s --ramp-up 0s --retry same --attempts 50");
    folder.tacho(&run).done().says(&["24 of 24 after the run"]);
    let result = &folder.record("latest")["result"];
    assert!(result["accounting"]["committed"].as_u64() > Some(0), "{result}");
    let errors = result["errors"].as_array().expect("errors");
    assert!(errors.iter().all(|error| error["kind"] == "serialization"), "{errors:?}");
    folder.tacho(&format!("clean tprocc {target} --yes")).exits(0);
    folder.tacho(&format!("prepare tpcb {target} -o quiet --progress none")).exits(0);
    let run = format!("run tpcb {target} --transactions 20 --ramp-up 0s");
    folder.tacho(&run).done().says(&["7 of 7 after the run"]);
}

#[test]
fn what_it_cannot_do_is_refused() {
    let Some((folder, target)) = place() else { return };
    for form in ["procedures", "pipelined"] {
        let run = format!("run tprocc {target} --form {form}");
        folder.tacho(&run).done().is_error();
    }
    let absent = folder.tacho("run tpcb 'duckdb:x.db?library=/no/such.so'").done();
    absent.is_error().complains(&["the DuckDB library cannot be loaded", "node-bindings"]);
}
