//! Tests regression gates with simulated builds and with a real server. Some builds are slower on purpose, so a gate
//! must fail.

use tacho_core::Seed;
use tacho_testkit::servers::Postgres;
use tacho_tests::Folder;

/// Number of runs of each build.
const REPEATS: u32 = 5;

/// All builds run the same statement, which sleeps for the time that a table contains. To make a build slower, the test
/// writes a larger value to the table.
#[test]
fn a_planted_slowdown_fails_the_gate_and_no_change_never_does() {
    let server = Postgres::start().expect("a PostgreSQL server");
    let folder = Folder::new();
    let target = server.target();
    server.client("CREATE TABLE pace AS SELECT 0.01::float8 AS seconds").expect("a table");
    folder.write("pace.sql", "SELECT pg_sleep(seconds) FROM pace;");
    for repeat in 0..REPEATS {
        for (tag, seconds) in [("old", 0.01), ("same", 0.01), ("slow", 0.02)] {
            let pace = format!("UPDATE pace SET seconds = {seconds}");
            server.client(&pace).expect("a pace");
            let load = format!("-c 4 -d 2s --ramp-up 0s --seed {repeat} --tag {tag} -o quiet");
            folder.tacho(&format!("run pgbench:pace.sql '{target}' {load}")).done();
        }
    }
    let slow = folder.tacho("compare tag:old tag:slow --fail-on 'p95>5%'").exits(7);
    assert!(slow.out.starts_with("WORSE: p95 +"), "{}", slow.out);
    let same = folder.tacho("compare tag:old tag:same --fail-on 'p95>5%'").done();
    assert!([0, 9].contains(&same.code()), "{}: {}", same.code(), same.out);
}

/// Number of simulated builds.
const BUILDS: u64 = 500;
/// Number of runs from which the runs of each build are drawn.
const POOL: u64 = 60;

/// Makes many runs on a simulated server with this latency, and returns the IDs of the runs.
fn pool(folder: &Folder, latency: &str, seconds: &str, seed: u64) -> Vec<String> {
    let id = |run: u64| {
        let seed = seed + run;
        let target = format!("'sim:?latency={latency}&statement=0s&seed={seed}'");
        let load = format!("-c 4 -d {seconds} --ramp-up 0s --seed {seed} --check none -o json");
        let record = folder.tacho(&format!("run tpcb {target} {load}")).done().json();
        record["id"].as_str().expect("an id").to_owned()
    };
    (0..POOL).map(id).collect()
}

/// Returns the number of builds for which a gate of 5 % exits with this code.
fn decided(folder: &Folder, old: &[String], new: &[String], code: i32) -> usize {
    let build = |number: &u64| {
        let mut rng = Seed(7).rng(*number);
        let mut draw = |pool: &[String]| {
            let mut left = pool.to_vec();
            let run = |_| left.swap_remove(rng.below(left.len() as u64) as usize);
            (0..REPEATS).map(run).collect::<Vec<_>>().join(",")
        };
        let (old, new) = (draw(old), draw(new));
        folder.tacho(&format!("compare {old} {new} --fail-on 'p95>5%'")).done().code() == code
    };
    (0..BUILDS).filter(build).count()
}

#[test]
fn of_500_simulated_builds_the_slower_ones_fail() {
    let folder = Folder::new();
    let old = pool(&folder, "4ms", "10s", 0);
    let same = pool(&folder, "4ms", "10s", 1_000);
    let slow = pool(&folder, "4400us", "10s", 2_000);
    let wrong = decided(&folder, &old, &same, 7);
    assert!(wrong <= 25, "{wrong} of {BUILDS} unchanged builds fail");
    let found = decided(&folder, &old, &slow, 7);
    assert!(found >= 450, "{found} of {BUILDS} builds with a 10 % regression fail");
}

/// Runs of half a second have so few transactions that their p95 values differ by more than 5 % from run to run.
#[test]
fn noise_that_hides_the_limit_never_passes() {
    let folder = Folder::new();
    let old = pool(&folder, "4ms", "500ms", 0);
    let same = pool(&folder, "4ms", "500ms", 1_000);
    let passed = decided(&folder, &old, &same, 0);
    assert!(passed <= 5, "{passed} of {BUILDS} builds pass");
}
