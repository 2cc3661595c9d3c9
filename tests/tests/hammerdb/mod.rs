//! Helpers for tests of HammerDB scripts. The tests parse the output of the scripts, as programs of users do.

#![allow(dead_code, reason = "each test program uses a part")]
#![expect(clippy::disallowed_methods, reason = "scripts are files")]

use std::path::Path;

use tacho_testkit::servers::{MariaDb, Options, Postgres};
use tacho_tests::{Call, Done, Folder};

/// Time that tests wait for each minute that a script specifies. Rates are still calculated from the real time.
pub const MINUTE: &str = "500ms";

/// Copies a script from `tests/scripts` to a folder. Replaces names in it by the values of this server.
pub fn place(folder: &Folder, script: &str, values: &[(&str, &str)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(script);
    let mut text = std::fs::read_to_string(path).expect("a script");
    for (name, value) in values {
        text = text.replace(&format!("@{name}@"), value);
    }
    assert!(!text.contains('@'), "a value of {script} is missing");
    let name = script.rsplit('/').next().unwrap_or(script);
    folder.write(name, &text);
}

/// Writes a file in a subfolder.
pub fn write_below(folder: &Folder, name: &str, text: &str) {
    let parent = folder.path().join(name);
    std::fs::create_dir_all(parent.parent().expect("a folder")).expect("a folder");
    folder.write(name, text);
}

/// Creates a console call in a folder. The folder also contains the temporary files of the call.
pub fn console(folder: &Folder, words: &str) -> Call {
    let call = folder.tacho(&format!("hammerdb {words}"));
    call.env("TMP", &folder.path().display().to_string()).env("TACHO_HAMMERDB_MINUTE", MINUTE)
}

/// Runs a script given as text.
pub fn script(folder: &Folder, text: &str) -> Call {
    folder.write("script.tcl", text);
    console(folder, "auto script.tcl")
}

/// Starts a server with a copy of a schema that has one warehouse. Writes only the script's settings to `folder`.
pub fn built_on_postgres(folder: &Folder) -> Postgres {
    let head = |server: &Postgres| {
        format!(
            "dbset db pg\ndiset connection pg_host 127.0.0.1\ndiset connection pg_port {}\n\
             diset tpcc pg_superuserpass {{}}\n",
            server.port()
        )
    };
    let make = |server: &Postgres| {
        script(&Folder::new(), &format!("{}buildschema", head(server))).exits(0);
    };
    let server = Postgres::start_with_data(Options::default(), "hammerdb", make);
    let server = server.expect("a server");
    script(folder, &head(&server)).exits(0);
    server
}

/// Starts a MariaDB server whose schema has one warehouse, like [`built_on_postgres`].
pub fn built_on_mariadb(folder: &Folder) -> MariaDb {
    let head = |server: &MariaDb| {
        format!(
            "dbset db maria\ndiset connection maria_socket null\n\
             diset connection maria_host 127.0.0.1\ndiset connection maria_port {}\n\
             diset tpcc maria_user tacho\ndiset tpcc maria_pass {{{}}}\n",
            server.port(),
            server.password()
        )
    };
    let make = |server: &MariaDb| {
        script(&Folder::new(), &format!("{}buildschema", head(server))).exits(0);
    };
    let server = MariaDb::start_with_data(Options::default(), "hammerdb", make);
    let server = server.expect("a server");
    script(folder, &head(&server)).exits(0);
    server
}

/// Removes the settings that earlier scripts have saved, so that the next script starts with the defaults.
pub fn forget_settings(folder: &Folder) {
    std::fs::remove_file(folder.file("tacho-hammerdb-settings.json")).expect("a file of settings");
}

/// Removes the file with the settings of the scripts. Fails if another file in the folder contains a password.
#[track_caller]
pub fn keeps_secret(folder: &Folder, password: &str) {
    forget_settings(folder);
    assert!(password.is_empty() || !folder.mentions(password), "a password was written to a file");
}

/// Fails unless the output contains these lines in this order. There may be other lines between them.
#[track_caller]
pub fn in_order(done: &Done, wanted: &[&str]) {
    let mut lines = done.out.lines();
    for line in wanted {
        assert!(
            lines.any(|said| said == *line),
            "no line {line:?}, or not in its place, in\n{}\n{}",
            done.out,
            done.err
        );
    }
}

/// Returns the output from a mark to the next mark. A mark is a line such as `== NAME`.
#[track_caller]
pub fn part<'a>(done: &'a Done, mark: &str) -> &'a str {
    let start = format!("== {mark}\n");
    let (_, rest) =
        done.out.split_once(&start).unwrap_or_else(|| panic!("no {mark}: {}", done.out));
    rest.split("\n== ").next().unwrap_or(rest)
}

/// Returns the NOPM and the TPM of the first result.
#[track_caller]
pub fn result(done: &Done, label: &str) -> (u64, u64) {
    let start = "TEST RESULT : System achieved ";
    let line = done.out.lines().find_map(|line| line.split_once(start).map(|(_, rest)| rest));
    let line = line.unwrap_or_else(|| panic!("no result in\n{}\n{}", done.out, done.err));
    let (nopm, rest) = line.split_once(" NOPM from ").expect("NOPM");
    let tpm = rest.strip_suffix(&format!(" {label} TPM")).expect("the label and TPM");
    (nopm.parse().expect("a whole number"), tpm.parse().expect("a whole number"))
}

/// Returns the ID in the last line that starts with `start`.
#[track_caller]
pub fn jobid(done: &Done, start: &str) -> String {
    let start = format!("{start} jobid=");
    let line = done.out.lines().rev().find_map(|line| line.strip_prefix(&start));
    let id = line.unwrap_or_else(|| panic!("no {start} in\n{}\n{}", done.out, done.err));
    assert!(id.len() == 24 && id.chars().all(|c| c.is_ascii_hexdigit()), "{id}");
    id.to_owned()
}
