//! Default server settings under which a load drifts.

use std::path::Path;

use tacho_tests::Folder;

/// A private server uses its product's default settings. If a load would drift under these settings, `up` names the
/// ones to change.
#[test]
#[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
fn defaults_under_which_a_load_drifts_are_named() {
    let binaries = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/servers/mysql/usr/sbin");
    let place =
        if Path::new(binaries).is_dir() { format!("--binaries {binaries}") } else { String::new() };
    let folder = Folder::open();
    let up = folder.tacho(&format!("up mysql {place}")).done();
    if up.misses_a_server() {
        return eprintln!("NOT TESTED: {}", up.err);
    }
    let settings = "--set innodb_buffer_pool_size=1G --set innodb_redo_log_capacity=2G";
    up.expect_code(0);
    up.says(&[
        "slows down during its first minutes",
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
