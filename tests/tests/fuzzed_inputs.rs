//! Tests with damaged workload folders, scripts, archives, agent messages, and request bodies. Tacho must either read
//! or reject each of them.

#![expect(clippy::disallowed_methods, reason = "spoiled files are made here")]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tacho_cluster::{Journal, Letter, Message, Part, Records, Saved};
use tacho_engine::Share;
use tacho_metrics::{Ending, Phase, Recorder};
use tacho_store::Store;
use tacho_testkit::contract::choices;
use tacho_tests::Folder;
use tacho_workload::Workload;

use crate::fuzzed::{cases, changes, spoiled};
use crate::web::{end, served};

/// Does everything that can be done with a workload except running it. Its statements are tested in each dialect.
fn used(workload: &dyn Workload) {
    let profile = workload.profiles().first().map_or("default", |profile| profile.id);
    if let Ok(instance) = workload.instance(&choices(1, profile)) {
        for id in ["sqlite", "postgres", "mysql"] {
            let driver = tacho_registry::driver(id).expect("a driver");
            let _ = instance.catalog(driver.dialect());
        }
    }
}

const PGBENCH: &str = include_str!("../../fuzz/corpus/pgbench/all.sql");

/// Returns the files of an example workload.
fn parts() -> &'static Vec<(String, Vec<u8>)> {
    static PARTS: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    PARTS.get_or_init(|| {
        let files = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/queue"));
        let files = files.expect("an example").flatten();
        let files = files.filter(|file| file.path().is_file());
        let read = |path: &Path| fs::read(path).expect("a file");
        files.map(|file| (file.file_name().display().to_string(), read(&file.path()))).collect()
    })
}

/// Returns an archive of a run.
fn archive() -> &'static Vec<u8> {
    static ARCHIVE: OnceLock<Vec<u8>> = OnceLock::new();
    ARCHIVE.get_or_init(|| {
        let folder = Folder::new();
        folder.tacho("run tprocc sim -d 2s --ramp-up 0s --check none").done();
        folder.tacho("runs export all.tar.zst").exits(0);
        folder.read("all.tar.zst")
    })
}

/// Messages as they are sent over the wire.
const LETTERS: [&str; 2] = [
    include_str!("../../fuzz/corpus/messages/claim.json"),
    include_str!("../../fuzz/corpus/messages/piece.json"),
];

/// Returns a report that an agent sends about one interval.
fn records() -> Part {
    let mut recorder = Recorder::new(2);
    for transaction in 0..2 {
        let took = Duration::from_micros(900);
        recorder.start(Phase::Measure, transaction);
        recorder.finish([Phase::Measure; 2], transaction, Ending::Committed, took, took);
    }
    let span = [Duration::ZERO, Duration::from_secs(1)];
    let (phase, sessions) = (Phase::Measure, [3, 0, 0]);
    Part::Records(Box::new(Records { phase, span, sessions, backlog: Some(2), recorder }))
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn workloads_are_read_or_refused(changes in changes(), which in any::<prop::sample::Index>()) {
        let folder = tempfile::tempdir().expect("a folder");
        let chosen = which.index(parts().len());
        for (at, (name, bytes)) in parts().iter().enumerate() {
            let bytes = if at == chosen { spoiled(bytes, &changes) } else { bytes.clone() };
            fs::write(folder.path().join(name), bytes).expect("a file");
        }
        match tacho_registry::workload(&folder.path().display().to_string()) {
            Ok(workload) => used(&*workload),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn scripts_of_pgbench_are_read_or_refused(changes in changes()) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("own.sql");
        fs::write(&path, spoiled(PGBENCH.as_bytes(), &changes)).expect("a file");
        match tacho_registry::workload(&format!("pgbench:{}", path.display())) {
            Ok(workload) => used(&*workload),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn archives_are_read_or_refused(changes in changes()) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("all.tar.zst");
        fs::write(&path, spoiled(archive(), &changes)).expect("a file");
        let store = Store::open(&folder.path().join("data"));
        if store.import(&path).is_ok()
            && let Ok(found) = store.find("latest")
        {
            let _ = found.verified();
        }
    }

    #[test]
    fn what_agents_say_and_save_is_read_or_refused(changes in changes()) {
        let folder = tempfile::tempdir().expect("a folder");
        let share = Share { place: 1, of: 3 };
        let briefing = serde_json::json!({"plan": {}, "key": 1});
        let mut journal = Journal::create(folder.path(), "1f00", "a", share, 0, &briefing).expect("a file");
        journal.add(&records());
        journal.add(&Part::Commits(vec![(1, vec![5; 16])]));
        let path = journal.path().to_owned();
        drop(journal);
        let bytes = spoiled(&fs::read(&path).expect("the file"), &changes);
        fs::write(&path, bytes).expect("a file");
        let _ = Saved::read(&path);

        let text = serde_json::to_string(&records()).expect("a part");
        let messages = [
            Message::Call,
            Message::Claim { share, lease: Duration::from_secs(9), briefing, entry: None },
            Message::Piece { part: 0, piece: 0, pieces: 1, text },
            Message::Release { why: Some("x".into()) },
        ];
        for message in &messages {
            let text = serde_json::to_vec(message).expect("a message");
            let _ = serde_json::from_slice::<Message>(&spoiled(&text, &changes));
        }
        for letter in LETTERS {
            prop_assert!(serde_json::from_str::<Letter>(letter).is_ok(), "{letter}");
            let _ = serde_json::from_slice::<Letter>(&spoiled(letter.as_bytes(), &changes));
        }
    }
}

/// Sends a request with this body. Returns the status code of the response.
fn post(url: &str, token: &str, path: &str, body: &[u8]) -> u16 {
    let address = url.trim_start_matches("http://").split('/').next().expect("an address");
    let mut stream = TcpStream::connect(address).expect("the web view");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a limit");
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(&[head.as_bytes(), body].concat());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer).into_owned();
    text.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default()
}

const BODY: &str = include_str!("../../fuzz/corpus/bodies/run.json");

/// A request with this body only makes a plan and does not run it.
#[test]
fn bodies_are_read_or_refused() {
    let folder = Folder::new();
    let (server, url, token, _) = served(&folder, "");
    assert_eq!(post(&url, &token, "/api/v1/plan", BODY.as_bytes()), 200);
    let cases = Config { cases: cases().cases / 2, ..cases() };
    let outcome = TestRunner::new(cases).run(&changes(), |changes| {
        for path in ["/api/v1/plan", "/api/v1/runs/latest/tags", "/api/v1/activity/stop"] {
            let status = post(&url, &token, path, &spoiled(BODY.as_bytes(), &changes));
            prop_assert!((200..500).contains(&status), "{path}: {status}");
        }
        Ok(())
    });
    outcome.expect("each body is read or refused");
    end(server);
}
