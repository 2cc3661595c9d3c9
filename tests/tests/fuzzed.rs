//! Tests that each parser reads or rejects corrupted input, and never panics, hangs or uses up the memory.
//!
//! `fuzz/` has the same tests for a fuzzer.

#![expect(clippy::disallowed_methods, reason = "spoiled files and servers are made here")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::Config;
use tacho_config::ConfigFile;
use tacho_core::{AttemptOutcome, Instant, Seed};
use tacho_driver::{
    Attempt, Catalog, CommitLog, Environment, HistoryLog, Marked, Operation, Operations, Target,
    parse_sections, script,
};
use tacho_store::{CommitNotes, HistoryFile, Store, read_histograms, read_intervals};
use tacho_tests::Folder;

/// A change of one byte: its position as a fraction of the input, the kind of change, and the new byte for kinds that
/// need one.
pub type Change = (f64, u8, u8);

pub fn changes() -> impl Strategy<Value = Vec<Change>> {
    prop::collection::vec((0.0..1.0_f64, 0..5_u8, any::<u8>()), 1..12)
}

/// Returns the bytes with these changes.
pub fn spoiled(bytes: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for &(place, how, byte) in changes {
        let at = (place * bytes.len() as f64) as usize;
        match how {
            _ if at >= bytes.len() => bytes.push(byte),
            0 => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 => drop(bytes.remove(at)),
            3 => bytes.truncate(at),
            _ => {
                let part = bytes[at..bytes.len().min(at + 40)].to_vec();
                bytes.extend(part);
            }
        }
    }
    bytes
}

/// Returns how many cases are tested for each property. This is the value of `TACHO_FUZZ_CASES` or a small default.
pub fn cases() -> Config {
    let asked = std::env::var("TACHO_FUZZ_CASES").ok().and_then(|text| text.parse().ok());
    Config { cases: asked.unwrap_or(64), failure_persistence: None, ..Config::default() }
}

const SETTINGS: &str = "[defaults]\ncheck = \"both\"\n[targets.bench]\nurl = \"sqlite:bench.db\"\n\
    password = { env = \"PG\" }\n[run.nightly]\nworkload = \"tprocc\"\nsessions = 8\nramp_up = \"2m\"\n\
    threshold = [\"new_order.p95<50ms\", \"errors<0.1%\"]\nscale = 2.5\n";
const STATEMENTS: &str = "-- name: a(x int, y decimal(2), z text) -> (n int, t time)\nSELECT n, t FROM q \
    WHERE x = :x AND y = ':y' AND z = :z -- :x\n;\nUPDATE q SET x = :x\n-- name: b()\nDELETE FROM q\n";

/// Returns the files of a small run.
fn run() -> &'static Vec<(String, Vec<u8>)> {
    static FILES: std::sync::OnceLock<Vec<(String, Vec<u8>)>> = std::sync::OnceLock::new();
    FILES.get_or_init(|| {
        let folder = Folder::new();
        folder.tacho("run tprocc sim -d 2s --ramp-up 0s --check none").done();
        let run = folder.runs().pop().expect("a run");
        let files = std::fs::read_dir(&run).expect("its files").flatten();
        let name = |path: &std::path::Path| path.file_name().expect("a name").display().to_string();
        let read = |path: std::path::PathBuf| (name(&path), std::fs::read(&path).expect("a file"));
        let files = files.map(|file| read(file.path())).collect();
        FOLDER.get_or_init(|| name(&run));
        files
    })
}

static FOLDER: std::sync::OnceLock<String> = std::sync::OnceLock::new();

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn settings_are_read_or_refused(changes in changes()) {
        let folder = Folder::new();
        let path = folder.file("tacho.toml");
        std::fs::write(&path, spoiled(SETTINGS.as_bytes(), &changes)).expect("a file");
        if let Err(error) = ConfigFile::read(&path, &|| true) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn statements_are_read_or_refused(changes in changes()) {
        let text = spoiled(STATEMENTS.as_bytes(), &changes);
        let text = String::from_utf8_lossy(&text);
        let dialects = ["sqlite", "postgres", "mysql"].map(|id| tacho_registry::driver(id).expect("a driver"));
        if let Ok(sections) = parse_sections(&text) {
            for driver in &dialects {
                let _ = Catalog::build(driver.dialect(), &["a", "b"], std::slice::from_ref(&sections));
            }
        }
        for driver in &dialects {
            let _ = script::statements(&text, driver.dialect().syntax()).count();
        }
        let _ = Target::parse(&text);
    }

    #[test]
    fn records_are_read_or_refused(changes in changes(), which in any::<prop::sample::Index>()) {
        let files = run();
        let chosen = which.index(files.len());
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path());
        let run = store.path().join(FOLDER.get().expect("its name"));
        std::fs::create_dir_all(&run).expect("a folder");
        for (at, (name, bytes)) in files.iter().enumerate() {
            let bytes = if at == chosen { spoiled(bytes, &changes) } else { bytes.clone() };
            std::fs::write(run.join(name), bytes).expect("a file");
        }
        if let Ok(found) = store.find("latest") {
            let _ = found.verified();
        }
        let _ = read_intervals(&run);
        let _ = read_histograms(&run);
    }

    #[test]
    fn notes_of_commits_are_read_or_refused(changes in changes(), present in any::<u64>()) {
        let folder = tempfile::tempdir().expect("a folder");
        let notes = CommitNotes::create(folder.path(), 2, 7).expect("notes");
        let path = notes.path().to_owned();
        drop(notes);
        let mut bytes = std::fs::read(&path).expect("the file");
        // Corrupt only the start of the file. The rest consists of times, whose values have no effect here.
        let (head, rest) = bytes.split_at(8 * (16 + 2 * 2 * 16));
        bytes = [spoiled(head, &changes), rest.to_vec()].concat();
        std::fs::write(&path, bytes).expect("the file");
        if let Ok(notes) = CommitNotes::open(folder.path()) {
            notes.found(0, Marked { commits: present, latest: Some(present / 2) });
            notes.found(1, Marked { commits: 0, latest: None });
            let _ = notes.counts();
        }
    }

    #[test]
    fn histories_are_read_or_refused(changes in changes()) {
        let folder = tempfile::tempdir().expect("a folder");
        let log = HistoryFile::create(folder.path(), 2).expect("a history");
        let mut operations = Operations::default();
        operations.add(Operation::Read { key: 3, list: &[1, 2, 300] });
        operations.add(Operation::Append { key: 300, value: 4 });
        let (begun, ended) = (Instant(5), Instant(70_000));
        for session in [0, 1] {
            log.record(Attempt { session, outcome: AttemptOutcome::Committed, begun, ended }, &operations);
        }
        log.finish().expect("written");
        let path = folder.path().join("history.bin");
        let bytes = std::fs::read(&path).expect("the file");
        std::fs::write(&path, spoiled(&bytes, &changes)).expect("the file");
        if let Ok(history) = HistoryFile::read(folder.path()) {
            let _ = tacho_isolation::check(&history);
        }
        let _ = Operations::decode(&spoiled(operations.bytes(), &changes), |_| Ok(()));
        let text = spoiled(HISTORY.as_bytes(), &changes);
        if let Ok(history) = tacho_isolation::read_elle(&String::from_utf8_lossy(&text)) {
            let _ = tacho_isolation::check(&history);
        }
    }
}

/// A history in Elle's format.
const HISTORY: &str = "{:type :invoke, :process 0, :time 1, :f :txn, :value [[:append 5 1] [:r 5 nil]]}\n\
    {:type :ok, :process 0, :time 2, :f :txn, :value [[:append 5 1] [:r 5 [1]]]} ; a comment\n";

/// Starts a listener that sends these bytes in response to any request, and then closes the connection. Returns its
/// port.
fn server(bytes: Vec<u8>, greets: bool) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let port = listener.local_addr().expect("its address").port();
    listener.set_nonblocking(true).expect("a listener that can be polled");
    std::thread::spawn(move || {
        // Accept two connections, because a client may connect again, for example if TLS was rejected. No client takes
        // longer than two seconds.
        for _ in 0..2 {
            let mut attempts = (0..400).map(|_| {
                std::thread::sleep(Duration::from_millis(5));
                listener.accept()
            });
            let Some(Ok((mut client, _))) = attempts.find(Result::is_ok) else { return };
            let _ = client.set_read_timeout(Some(Duration::from_millis(200)));
            if !greets {
                let _ = client.read(&mut [0; 4096]);
            }
            let _ = client.write_all(&bytes);
            let _ = client.read(&mut [0; 4096]);
        }
    });
    port
}

/// The first messages that real servers of PostgreSQL, MySQL and SQL Server send.
pub const GREETINGS: [(&str, bool, &[u8]); 3] = [
    (
        "postgres://u:p@127.0.0.1:PORT/d?sslmode=disable",
        false,
        b"R\0\0\0\x08\0\0\0\0S\0\0\0\x16server_version\x0017.0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x02Z\0\0\0\x05I\
          1\0\0\0\x04t\0\0\0\x06\0\0T\0\0\0\x1a\0\x01a\0\0\0\0\0\0\0\0\0\0\x17\0\x04\xff\xff\xff\xff\0\0\
          D\0\0\0\x0b\0\x01\0\0\0\x011C\0\0\0\x0dSELECT 1\0Z\0\0\0\x05I",
    ),
    (
        "mysql://u:p@127.0.0.1:PORT/d?tls=off",
        true,
        b"\x4a\0\0\0\x0a8.0.36\0\x08\0\0\0abcdefgh\0\xff\xf7\xff\x02\0\xff\xdf\x15\0\0\0\0\0\0\0\0\0\0\
          abcdefghijkl\0mysql_native_password\0\x07\0\0\x02\0\0\0\x02\0\0\0",
    ),
    (
        "sqlserver://u:p@127.0.0.1:PORT/d",
        false,
        b"\x04\x01\0\x1a\0\0\x01\0\0\0\x0b\0\x06\x01\0\x11\0\x01\xff\x10\0\0\0\0\0\x02\xfd\0\0\0",
    ),
];

proptest! {
    #![proptest_config(Config { cases: cases().cases / 4, ..cases() })]

    #[test]
    fn answers_of_servers_are_read_or_refused(
        changes in changes(),
        which in 0..GREETINGS.len(),
    ) {
        let (url, greets, bytes) = GREETINGS[which];
        let port = server(spoiled(bytes, &changes), greets);
        let target = Target::parse(&url.replace("PORT", &port.to_string())).expect("a target");
        let scheme = url.split(':').next().expect("a scheme");
        let driver = tacho_registry::driver(scheme).expect("a driver");
        let event_loop = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("an event loop");
        let environment = Environment {
            clock: Arc::new(tacho_engine::BlockingClock::new(std::time::Instant::now(), Arc::default())),
            output: Arc::new(Mutex::new(std::io::sink())),
            seed: Seed(1),
            session: 0,
            create: false,
            set: 0,
            cancels: tacho_driver::Cancels::default(),
        };
        let connect = async {
            let connected = tokio::time::timeout(
                Duration::from_secs(20),
                driver.connect(&target, environment),
            );
            match connected.await {
                Ok(Ok(mut session)) => {
                    // After the login, the server has closed the connection. The next statement must not hang.
                    let ask = session.script("SELECT 1");
                    tokio::time::timeout(Duration::from_secs(20), ask).await.is_ok()
                }
                Ok(Err(error)) => !error.to_string().is_empty(),
                Err(_) => false,
            }
        };
        prop_assert!(event_loop.block_on(connect), "it hangs");
    }
}
