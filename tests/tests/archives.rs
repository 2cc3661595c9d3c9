//! When runs are moved to another machine, nothing may be lost or changed. An archive must not write outside its
//! folder.

#![expect(clippy::disallowed_methods, reason = "a test damages archives")]

use tacho_tests::Folder;

const RUN: &str = "run tprocc 'sim:?latency=2ms' -c 4 -d 20s --ramp-up 2s --progress none -o quiet";

#[test]
fn runs_and_sweeps_move_as_they_are() {
    let (here, there) = (Folder::new(), Folder::new());
    here.tacho(&format!("{RUN} --tag base")).exits(0);
    here.tacho("sweep tprocc sim: --vary sessions=1,2 -d 10s --progress none -o quiet").exits(0);
    here.tacho("runs export all.tar.zst").exits(0).complains(&["3 runs and 1 sweep"]);
    here.tacho("runs export base.tar.zst tag:base").exits(0).complains(&["1 run,"]);
    here.tacho("runs export sweep.tar.zst sweep:latest")
        .exits(0)
        .complains(&["2 runs and 1 sweep"]);
    std::fs::copy(here.file("all.tar.zst"), there.file("all.tar.zst")).expect("a copy");
    let import = "runs import all.tar.zst";
    there.tacho(import).exits(0).complains(&["4 imported, 0 already present"]);
    there.tacho(import).exits(0).complains(&["0 imported, 4 already present"]);
    let list = |folder: &Folder| {
        let mut rows = folder.tacho("runs -o json").exits(0).json();
        rows.as_array_mut().expect("rows").iter_mut().for_each(|row| row["path"] = "".into());
        rows
    };
    assert_eq!(list(&here), list(&there));
    let report = |folder: &Folder| folder.tacho("report base -o - --format md").exits(0).out;
    assert_eq!(report(&here), report(&there));
    there.tacho("sweep --show latest").exits(0).says(&["sessions"]);
    assert_eq!(here.names().iter().filter(|name| name.contains("importing")).count(), 0);
    // An import must not replace a run that has been changed on this machine.
    there.tacho("runs tag base mine").exits(0);
    there
        .tacho(import)
        .exits(3)
        .complains(&["was not imported: a different run or sweep with this id"]);
    there.tacho("runs -o json").exits(0).says(&["mine"]);
}

#[test]
fn what_is_no_archive_changes_nothing() {
    let folder = Folder::new();
    folder.tacho(RUN).exits(0);
    folder.tacho("runs export runs.tar.zst").exits(0);
    let whole = folder.read("runs.tar.zst");
    let before = folder.runs();
    folder.tacho("runs import nothing.tar.zst").exits(2).is_error();
    folder.write("text.tar.zst", "no archive");
    folder.tacho("runs import text.tar.zst").exits(3).is_error();
    std::fs::write(folder.file("half.tar.zst"), &whole[..whole.len() / 2]).expect("a file");
    folder.tacho("runs import half.tar.zst").exits(3).is_error();
    folder.shell("mkdir -p runs/x && echo x > runs/x/evil.sh && tar -c runs/x/evil.sh | zstd -q -o evil.tar.zst || touch evil.tar.zst").exits(0);
    folder.tacho("runs import evil.tar.zst").exits(3).is_error();
    assert_eq!(folder.runs(), before);
    folder.tacho("runs export none.tar.zst latest~7").exits(2).is_error();
}
