//! Archives contain exactly what Tacho wrote: no links, and no files without a checksum in the record.
#![expect(clippy::disallowed_methods, reason = "the tests forge folders and archives")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::common::{finished, only};
use tacho_core::Result;
use tacho_store::Store;

fn exported(store: &Store) -> Result<Vec<u8>> {
    let mut archive = Vec::new();
    store.export(&[only(store)], &[], &mut archive).map(|()| archive)
}

#[test]
fn nothing_behind_a_link_is_exported() {
    type Forge = fn(&Path, &Path);
    let forgeries: [(&str, Forge); 6] = [
        ("commits.bin is a link", |run, secret| symlink(secret, run.join("commits.bin")).unwrap()),
        ("a link to nothing", |run, _| symlink("/nowhere", run.join("sessions.hlog")).unwrap()),
        ("commits.bin is another file", |run, secret| {
            fs::copy(secret, run.join("commits.bin")).unwrap();
        }),
        ("a file was added", |run, secret| {
            fs::copy(secret, run.join("sessions.hlog")).unwrap();
        }),
        ("log.txt is a link to its content", |run, secret| {
            fs::copy(run.join("log.txt"), secret).unwrap();
            fs::remove_file(run.join("log.txt")).unwrap();
            symlink(secret, run.join("log.txt")).unwrap();
        }),
        ("the folder is a link", |run, secret| {
            let other = secret.with_extension("folder");
            fs::rename(run, &other).unwrap();
            symlink(other, run).unwrap();
        }),
    ];
    for (what, forge) in forgeries {
        let root = tempfile::tempdir().unwrap();
        let store = Store::open(&root.path().join("data"));
        finished(&store, 2, &[]);
        assert!(exported(&store).is_ok());
        let secret = root.path().join("secret");
        fs::write(&secret, "root:x:0:0").unwrap();
        forge(&only(&store).path, &secret);
        let error = exported(&store).expect_err(what);
        assert!(!error.hints().is_empty(), "{what}: {error}");
    }
}

/// Returns a copy of the exported archive with a link added to it.
fn forged(store: &Store, link: &str, target: &str) -> Vec<u8> {
    let whole = zstd::decode_all(&exported(store).expect("an archive")[..]).expect("an archive");
    let mut builder = tar::Builder::new(zstd::Encoder::new(Vec::new(), 1).expect("an archive"));
    for entry in tar::Archive::new(&whole[..]).entries().expect("an archive") {
        let entry = entry.expect("an archive");
        let (mut header, path) =
            (entry.header().clone(), entry.path().expect("an archive").into_owned());
        builder.append_data(&mut header, path, entry).expect("an archive");
    }
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    builder.append_link(&mut header, link, target).expect("an archive");
    builder.into_inner().expect("an archive").finish().expect("an archive")
}

#[test]
fn does_not_import_links_or_changed_runs() {
    let root = tempfile::tempdir().unwrap();
    let store = Store::open(&root.path().join("here"));
    finished(&store, 2, &[]);
    let name = only(&store).path.file_name().unwrap().to_string_lossy().into_owned();
    let file = root.path().join("runs.tar.zst");
    let there = Store::open(&root.path().join("there"));
    fs::write(&file, forged(&store, &format!("runs/{name}/commits.bin"), "/etc/passwd")).unwrap();
    let error = there.import(&file).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
    assert!(there.list().unwrap().is_empty());
    // Modifies a file whose checksum is in the record.
    let archive = zstd::decode_all(&exported(&store).unwrap()[..]).unwrap();
    let mut changed = archive;
    let text = b"     1.500 a line";
    let at = changed.windows(text.len()).position(|part| part == text).unwrap();
    changed[at + 8] = b'9';
    fs::write(&file, zstd::encode_all(&changed[..], 1).unwrap()).unwrap();
    let imported = there.import(&file).unwrap();
    assert!(imported.added.is_empty());
    assert!(imported.refused[0].1.contains("log.txt was changed"), "{:?}", imported.refused);
    fs::write(&file, exported(&store).unwrap()).unwrap();
    assert_eq!(there.import(&file).unwrap().added.len(), 1);
}
