//! Tests of private servers. Tacho must list the default settings with which the rate of a long load varies, and the
//! first commands of README must work.

use std::path::Path;

use tacho_tests::Folder;

/// Maximum number of runs that are made to get a VALID one, because other work on the machine can make a run UNSTABLE
/// or INVALID.
const TRIES: usize = 4;

/// Returns the option with the folder of MySQL's programs, if `cargo xtask servers` has downloaded them.
fn place() -> String {
    let binaries = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/servers/mysql/usr/sbin");
    if Path::new(binaries).is_dir() { format!("--binaries {binaries}") } else { String::new() }
}

/// A private server uses the default settings of its product. With some of them, the rate of a long load varies, so
/// `up` must list them.
#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn defaults_under_which_a_load_drifts_are_named() {
    let place = place();
    let folder = Folder::open();
    let up = folder.tacho(&format!("up mysql {place}")).done();
    if up.misses_a_server() {
        return eprintln!("NOT TESTED: {}", up.err);
    }
    let settings = "--set innodb_buffer_pool_size=1G --set innodb_redo_log_capacity=2G";
    up.expect_code(0);
    up.says(&[
        "slows down during the first minutes",
        "tacho down my",
        &format!("tacho up mysql {settings}"),
    ]);
    folder.tacho("down my").exits(0);
    let up = folder.tacho(&format!("up mysql {settings} {place}")).exits(0);
    assert!(!up.out.contains("slows down"), "{}", up.out);
    folder.tacho("down my").exits(0);
    let other = folder.tacho("up mariadb").exits(0);
    assert!(!other.out.contains("slows down"), "{}", other.out);
    folder.tacho("down maria").exits(0);
}

/// Runs README's commands for a database at a small scale. Returns the notices of the first run that is VALID.
fn first_commands(folder: &Folder, target: &str) -> Vec<String> {
    folder.tacho("doctor").exits(0);
    folder.tacho(&format!("prepare tprocc {target} --scale 2 --progress none")).exits(0);
    let run = format!("run tprocc {target} -c 4 -d 10s -r 50 --progress none");
    for _ in 0..TRIES {
        let done = folder.tacho(&run).done();
        done.says(&["commits match", "24 of 24 after the run"]);
        let result = folder.record("latest")["result"].clone();
        if result["verdict"] == "valid" {
            assert_eq!(done.code(), 0, "{}", done.out);
            let notices = result["notices"].as_array().expect("notices");
            let ids = notices.iter().filter_map(|notice| notice["id"].as_str());
            return ids.map(str::to_owned).collect();
        }
    }
    panic!("none of {TRIES} runs on {target} ended VALID");
}

/// Runs the first commands of README on each database. Only a warning about the size of the cache is allowed, and it
/// must disappear once its hint is followed.
#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn the_first_commands_of_readme_end_valid_on_every_database() {
    let folder = Folder::open();
    assert_eq!(first_commands(&folder, "sqlite:bench.db"), [""; 0]);
    for (product, name, place, hint) in [
        ("postgres", "pg", String::new(), "shared_buffers=1GB"),
        ("mariadb", "maria", String::new(), "innodb_buffer_pool_size=1G"),
        ("mysql", "my", place(), "innodb_buffer_pool_size=1G --set innodb_redo_log_capacity=2G"),
    ] {
        let up = folder.tacho(&format!("up {product} {place}")).done();
        if up.misses_a_server() {
            eprintln!("NOT TESTED: {}", up.err);
            continue;
        }
        up.expect_code(0);
        assert_eq!(first_commands(&folder, name), ["W17"], "{product}");
        let (setting, _) = hint.split_once('=').expect("a setting");
        folder.tacho("show latest").exits(0).says(&[setting]);
        folder.tacho(&format!("down {name}")).exits(0);
        folder.tacho(&format!("up {product} --set {hint} {place}")).exits(0);
        assert_eq!(first_commands(&folder, name), [""; 0], "{product}");
        folder.tacho(&format!("down {name}")).exits(0);
    }
}
