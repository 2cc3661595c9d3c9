//! Comparisons of runs: their conclusions, which comparisons are rejected, and how often a conclusion is wrong.

use tacho_tests::{Data, Folder};

/// Runs a simulated server for ten seconds. It completes 11 000 transactions with seven round trips each, whose times
/// are distributed exponentially.
fn server(latency: &str, seed: u64) -> String {
    let load = "-c 32 --ramp-up 0s --progress none -o quiet";
    format!("run tpcb 'sim:?latency={latency}&statement=0s' {load} --seed {seed}")
}

/// Compares two servers a hundred times: one with a latency of 4 ms, and one with the given latency. Returns how often
/// the verdict is one of those in `wanted`.
pub fn claims(latency: &str, wanted: &[&str]) -> usize {
    let folder = Folder::new();
    let claimed = |pair: &u64| {
        folder.tacho(&server("4ms", 2 * pair)).exits(0);
        folder.tacho(&server(latency, 2 * pair + 1)).exits(0);
        let answer = folder.tacho("compare -o json").exits(0).json();
        let verdict = answer[0]["metrics"][0]["verdict"].as_str().expect("a verdict").to_owned();
        wanted.contains(&verdict.as_str())
    };
    (0..100).filter(claimed).count()
}

#[test]
fn the_answer_names_conditions_and_judges() {
    let folder = Folder::new();
    folder.tacho(&server("4ms", 1)).exits(0);
    folder.tacho(&server("6ms", 1)).exits(0);
    let done = folder.tacho("compare").exits(0);
    done.says(&["baseline", "server.settings.latency", "6.00", "throughput", "WORSE", "95 % CI"]);
    folder.tacho("compare latest~1 latest --fail-on regression").exits(7);
    folder.tacho("compare latest latest~1 --fail-on regression").exits(0).says(&["better"]);
}

/// If an index is added between two runs, Tacho must report a difference. If the same data is built again, it must
/// report none.
#[test]
fn changed_tables_are_a_difference() {
    let folder = Folder::new();
    let prepare = "prepare tpcb sqlite:a.db --progress none -o quiet";
    let run = "run tpcb sqlite:a.db -c 1 -d 1s --ramp-up 0s --check none --progress none -o quiet";
    let differs = || {
        let compared = folder.tacho("compare latest~1 latest --force -o json").done().json();
        let all = compared[0]["conditions"].as_array().expect("conditions").clone();
        all.into_iter().any(|one| one["name"] == "data.structure")
    };
    folder.tacho(prepare).exits(0);
    folder.tacho(run).done();
    folder.tacho("clean tpcb sqlite:a.db --yes").exits(0);
    folder.tacho(prepare).exits(0);
    folder.tacho(run).done();
    assert!(!differs());
    Data::open(&folder.file("a.db")).run("CREATE INDEX more ON pgbench_accounts (abalance)");
    folder.tacho(run).done();
    assert!(differs());
    let text = folder.tacho("compare latest~1 latest --force").done();
    text.says(&["data.structure"]);
}

/// For query streams, the main metric is the geometric mean of the query times.
#[test]
fn a_gate_for_the_throughput_judges_the_mean_of_streams() {
    let folder = Folder::new();
    for latency in ["4ms", "5ms"] {
        let target = format!("sim:?latency={latency}&statement=0s");
        let run =
            format!("run tproch '{target}' -s 0.01 --set query_sets=20 --check none -o quiet");
        folder.tacho(&run).exits(0);
    }
    let worse = folder.tacho("compare latest~1 latest --fail-on throughput").exits(7);
    worse.says(&["geometric mean of 22", "WORSE"]);
    folder.tacho("compare latest latest~1 --fail-on throughput").exits(0).says(&["better"]);
    // Transactions have a different main metric from queries, so a run with transactions must not be compared with the
    // previous run.
    folder.tacho(&server("4ms", 1)).exits(0);
    let refused = folder.tacho("compare latest~1 latest --fail-on throughput").exits(2);
    refused.is_error().complains(&["tproch", "tpcb"]);
}

#[test]
fn repeated_runs_give_the_spread_between_them() {
    let folder = Folder::new();
    for (seed, tag) in [(1, "a"), (2, "a"), (3, "b"), (4, "b")] {
        folder.tacho(&format!("{} --tag {tag}", server("4ms", seed))).exits(0);
    }
    let done = folder.tacho("compare tag:a tag:b --force").exits(0);
    done.says(&["spread between repeated runs", "no difference", "those of the median run"]);
    folder.tacho("compare latest,latest~1 latest,latest~2 --force").exits(2).is_error();
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = Folder::new();
    folder.tacho("compare").exits(2).is_error().complains(&["tacho run"]);
    folder.tacho(&server("4ms", 1)).exits(0);
    folder.tacho(&format!("{} --scale 2", server("4ms", 1))).exits(0);
    let refused = folder.tacho("compare").exits(2);
    refused.is_error().complains(&["plan.scale is 1 and 2", "--force"]);
    folder.tacho("compare --force").exits(0).says(&["plan.scale", "1", "2"]);
    folder.tacho("compare latest latest").exits(2).is_error().complains(&["on both sides"]);
    folder.tacho("compare latest tag:none").exits(2).is_error().complains(&["no run has the tag"]);
}

/// Runs two builds in turn, and tags their runs. The target of the second build has these additional options.
fn builds(folder: &Folder, tags: [&str; 2], options: &str, repeats: u32) {
    for repeat in 0..repeats {
        for (tag, more) in [(tags[0], ""), (tags[1], options)] {
            let target = format!("'sim:?latency=4ms&statement=0s{more}'");
            let load = format!("-c 4 -d 10s --ramp-up 0s --seed {repeat} --tag {tag} -o quiet");
            folder.tacho(&format!("run tpcb {target} {load}")).exits(0);
        }
    }
}

#[test]
fn a_gate_with_a_size_decides_three_ways() {
    let folder = Folder::new();
    builds(&folder, ["a", "b"], "&latency=4600us", 3);
    let worse = folder.tacho("compare tag:a tag:b --fail-on 'p95>5%'").exits(7);
    assert!(worse.out.starts_with("WORSE: p95 +1"), "{}", worse.out);
    builds(&folder, ["c", "d"], "", 3);
    let within = folder.tacho("compare tag:c tag:d --fail-on 'p95>5%' -o json").exits(0).json();
    assert_eq!(within[0]["gate"]["verdict"], "within", "{}", within[0]["gate"]);
    folder.tacho("compare tag:c tag:d --fail-on 'tps<-5%'").exits(0).says(&["WITHIN THE LIMIT"]);
    // There are too few runs to decide about this threshold, because it is smaller than the noise.
    let few = folder.tacho("compare tag:c tag:d --fail-on 'p99>0.01%'").exits(9);
    assert!(few.out.starts_with("CANNOT TELL: p99 ") && few.out.contains("of each side"));
    folder.tacho("compare --fail-on 'p95>5%'").exits(9).says(&["single runs do not show"]);
    folder.tacho("compare --fail-on 'p95>5%' --pass-undecided").exits(0);
    let wrong = folder.tacho("compare tag:a tag:b --fail-on 'tps>5%'").exits(2);
    wrong.is_error().complains(&["tps<-5%"]);
    folder.tacho("compare --fail-on p95").exits(2).is_error().complains(&["p95>5%"]);
    // A dry run does not compare runs, but reports how large a difference must be to be detected with this number of
    // runs.
    folder.tacho("compare tag:a tag:b --dry-run").exits(0).says(&["earlier runs", "3 repeats: "]);
}

#[test]
fn what_repeats_can_show_is_told_before_anything_is_measured() {
    let folder = Folder::new();
    let sweep = "sweep tpcb sim -d 30s --ramp-up 0s --vary sessions=1,2,4,8,16 --repeat 2";
    let plan = folder.tacho(&format!("{sweep} --dry-run")).exits(0);
    plan.says(&["10 runs, 5m of measurement", "assuming that runs differ by 5", "4 repeats: "]);
    folder.tacho(&format!("{sweep} --dry-run -o json")).exits(0).json();
}
