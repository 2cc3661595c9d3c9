//! Tests flat files, which contain the rows of a load. Each part of a load can be generated separately. If generating
//! it fails, no incomplete files may be left.

use crate::hammerdb;
use tacho_testkit::servers::Postgres;
use tacho_tests::{Done, Folder};

/// Returns the sorted names of the files in a subfolder.
fn names(folder: &Folder, below: &str) -> Vec<String> {
    let entries = folder.path().join(below).read_dir().expect("a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.expect("an entry").file_name().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

fn text(folder: &Folder, path: &str) -> String {
    String::from_utf8(folder.read(path)).expect("text")
}

/// Returns for each table the number of rows, and a fingerprint of the rows that does not depend on their order. Times
/// are ignored.
fn fingerprints(server: &Postgres, database: &str, tables: &[&str]) -> String {
    let one = |table: &&str| {
        format!(
            "SELECT '{table}', count(*), sum(hashtextextended((to_jsonb(t) - ARRAY['c_since', \
             'h_date', 'o_entry_d', 'ol_delivery_d'])::text, 0)) FROM {table} t;"
        )
    };
    server.client_on(database, &tables.iter().map(one).collect::<String>()).expect("fingerprints")
}

/// Makes the server load the files into a database. The rows must be the same as those that `prepare` creates.
fn loaded_like_prepared(workload: &str, flags: &str, tables: &[&str]) {
    let (folder, server) = (Folder::new(), Postgres::start().expect("a server"));
    folder.tacho(&format!("prepare {workload} {} {flags}", server.target())).exits(0);
    let prepared = fingerprints(&server, "postgres", tables);
    let target = server.database("loaded").expect("a database");
    let done = folder
        .tacho(&format!("generate {workload} {target} {flags} --sessions 2 --to files"))
        .exits(0);
    done.says(&["✓ Wrote "]);
    open_to_all(&folder);
    let done = folder.tacho(&format!("prepare {workload} {target} --files files")).exits(0);
    done.says(&["✓ Loaded "]);
    assert_eq!(fingerprints(&server, "loaded", tables), prepared);
    folder.tacho(&format!("check {workload} {target}")).exits(0);
    folder.tacho(&format!("prepare {workload} {target} --files files")).exits(0);
}

/// Makes the files readable by the server, which runs as a different user.
fn open_to_all(folder: &Folder) {
    use std::os::unix::fs::PermissionsExt;
    for path in [folder.path(), &folder.path().join("files")] {
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(path, mode).expect("permissions");
    }
}

#[test]
fn files_of_queries_are_the_rows_of_a_load() {
    let tables = [
        "region",
        "nation",
        "supplier",
        "customer",
        "part",
        "partsupp",
        "orders",
        "lineitem",
        "refreshes",
    ];
    loaded_like_prepared("tproch", "--scale 0.01", &tables);
}

#[test]
fn files_of_order_processing_are_the_rows_of_a_load() {
    let tables = [
        "customer",
        "district",
        "history",
        "item",
        "new_order",
        "order_line",
        "orders",
        "stock",
        "warehouse",
    ];
    loaded_like_prepared("tprocc", "--scale 1", &tables);
}

/// Makes the database at this target load files, in each of the two formats that it supports.
pub fn loads_files(workload: &str, scale: &str, target: &str, formats: &[&str]) {
    for format in formats {
        let folder = Folder::new();
        let generate = format!("generate {workload} {target} --scale {scale} --to files");
        folder.tacho(&format!("{generate} --format {format} --load-date 2026-11-25")).exits(0);
        open_to_all(&folder);
        folder.tacho(&format!("prepare {workload} {target} --files files")).exits(0);
        folder.tacho(&format!("check {workload} {target}")).exits(0);
        folder.tacho(&format!("clean {workload} {target} --yes")).exits(0);
    }
}

#[test]
fn parts_that_do_not_fit_are_refused_and_a_stopped_load_is_resumed() {
    let (folder, server) = (Folder::new(), Postgres::start().expect("a server"));
    let target = server.target();
    let generate = |more: &str| {
        folder.tacho(&format!("generate tproch --scale 0.01 --to files {more}")).exits(0)
    };
    let load = |more: &str| folder.tacho(&format!("prepare tproch {target} --files files {more}"));
    refused(&load("").done(), &["cannot read ", "a folder written by tacho generate --to"]);
    std::fs::create_dir(folder.path().join("files")).expect("a folder");
    refused(&load("").done(), &["contains no files written by tacho generate"]);
    generate("--part 1/2 --load-date 2026-11-25");
    refused(&load("").done(), &["does not contain part 2 of 2", "tacho_files_2.json"]);
    generate("--part 2/2 --load-date 2026-11-24");
    refused(&load("").done(), &["parts 1 and 2 contain different data", "the same --load-date"]);
    for name in names(&folder, "files").iter().filter(|name| name.contains("_2.")) {
        std::fs::remove_file(folder.path().join("files").join(name)).expect("removed");
    }
    generate("--part 2/2 --load-date 2026-11-25");
    refused(
        &load("--scale 0.02").done(),
        &["files contains ", " was requested", "omit scale, profile, and seed"],
    );
    refused(
        &folder.tacho("prepare tproch sqlite:x.db --files files").done(),
        &["SQLite cannot load files in csv format", "omit --files"],
    );
    // Test a file that is missing, has other content, or is truncated. It is the smallest file, and is loaded last.
    open_to_all(&folder);
    let all = names(&folder, "files");
    let name = all.iter().find(|name| name.starts_with("region_")).expect("a file");
    let file = folder.path().join("files").join(name);
    let whole = text(&folder, &format!("files/{name}"));
    let write = |text: &str| folder.write(&format!("files/{name}"), text);
    std::fs::remove_file(&file).expect("removed");
    refused(&load("").done(), &[name, " is missing"]);
    write("r_regionkey\nno number\n");
    refused(
        &load("").done(),
        &[
            "the failed statement was supposed to load ",
            name,
            "repeat the command to resume the build",
        ],
    );
    refused(
        &folder.tacho(&format!("prepare tproch {target}")).done(),
        &["loaded its rows from a different source", "use --files with the same folder"],
    );
    let (cut, _) = whole.trim_end().rsplit_once('\n').expect("lines");
    write(&format!("{cut}\n"));
    refused(&load("").done(), &["region has 4 rows, but its files contain 5", "skipped rows"]);
    folder.tacho(&format!("clean tproch {target} --yes")).exits(0);
    write(&whole);
    load("--check after").exits(0).says(&["✓ Loaded ", "✓ Q22"]);
}

#[test]
fn the_last_of_very_many_warehouses_is_made_without_the_others() {
    let folder = Folder::new();
    // The items are a part of their own, so there is one part more than there are warehouses.
    let command = "generate tprocc --scale 100000 --part 100001/100001 --to last --format tbl";
    let done = folder.tacho(&format!("{command} --output json")).exits(0);
    let told: serde_json::Value = serde_json::from_str(&done.out).expect("JSON");
    let of = |table: &str| {
        let files = told["files"].as_array().expect("files");
        files.iter().find(|file| file["table"] == table).expect(table)["rows"].as_u64()
    };
    assert_eq!((of("warehouse"), of("district"), of("stock")), (Some(1), Some(10), Some(100_000)));
    let warehouse = text(&folder, "last/warehouse_100001.tbl");
    assert!(warehouse.starts_with("100000|"), "{warehouse}");
    let districts = text(&folder, "last/district_100001.tbl");
    assert!(districts.lines().all(|line| line.starts_with("100000|")), "{districts}");
    // The rows of a warehouse must not depend on the number of warehouses, or on the way in which they are divided into
    // parts.
    let small = "generate tprocc --scale 2 --to small --format tbl";
    folder.tacho(small).exits(0);
    folder.tacho("generate tprocc --scale 2 --part 3/3 --to part --format tbl").exits(0);
    let (all, part) = (text(&folder, "small/stock_1.tbl"), text(&folder, "part/stock_3.tbl"));
    assert!(all.ends_with(&part) && part.lines().count() == 100_000);
}

fn refused(done: &Done, words: &[&str]) {
    done.is_error().complains(words);
}

#[test]
fn nothing_half_stays_and_nothing_is_overwritten() {
    let folder = Folder::new();
    let command = "generate tproch --scale 0.01 --to files";
    // A disk that is full from the start.
    std::fs::create_dir(folder.path().join("files")).expect("a folder");
    let full = folder.path().join("files/orders_1.csv-part");
    std::os::unix::fs::symlink("/dev/full", full).expect("a link");
    let done = folder.tacho(command).done();
    refused(&done, &["No space left", "the files need about ", "free space in ", "were removed"]);
    assert_eq!(names(&folder, "files"), Vec::<String>::new());
    folder.tacho(command).exits(0);
    let all = names(&folder, "files");
    assert_eq!(all.len(), 10, "nine tables and the note: {all:?}");
    let before = folder.read("files/orders_1.csv");
    refused(&folder.tacho(command).done(), &["already exists", "never overwritten"]);
    assert_eq!(folder.read("files/orders_1.csv"), before);
    refused(
        &folder.tacho("generate tproch --to other --part 5/4").done(),
        &["part 5 of 4 does not exist"],
    );
}

#[test]
fn scripts_generate_files_as_they_are() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path().join("flat")).expect("a folder");
    let flat = folder.path().join("flat").display().to_string();
    let done = hammerdb::script(
        &folder,
        &format!(
            "dbset db pg\ndbset bm TPC-C\ndgset vu 2\ndgset warehouse 2\ndgset directory {flat}\n\
             print datagen\ndatagenrun\nputs FIRST\ndbset bm TPC-H\ndgset scale_fact 1\n\
             file mkdir {flat}/h\ndgset directory {flat}/h\ndatagenrun\ndatagenrun\nputs LAST"
        ),
    );
    let done = done.env("TACHO_HAMMERDB_GIGABYTE", "0.01").exits(2);
    hammerdb::in_order(
        &done,
        &[
            "Set virtual users to 2 for data generation",
            "Vuser 1 created - WAIT IDLE",
            "Vuser 2:RUNNING",
            "Vuser 1:2 WAREHOUSE SCHEMA GENERATED in 0 MINUTES",
            "Vuser 2:FINISHED SUCCESS",
            "ALL VIRTUAL USERS COMPLETE",
            "FIRST",
            "Vuser 1:SCALE FACTOR 1 SCHEMA GENERATED in 0 MINUTES",
            // The files already exist now.
            "Vuser 1:FINISHED FAILED",
            "LAST",
        ],
    );
    done.says(&["Ready to generate the data for a 2 Warehouse PostgreSQL TPROC-C schema in"]);
    done.says(&["stock_2.tbl with ", "already exists"]);
    let stock = text(&folder, "flat/stock_1.tbl") + &text(&folder, "flat/stock_2.tbl");
    assert_eq!(stock.lines().count(), 200_000);
    assert!(stock.lines().all(|line| !line.ends_with('|')));
    assert_eq!(text(&folder, "flat/h/nation_1.tbl").lines().count(), 25);
}
