//! Hundreds of sessions through a connection pooler: pgbouncer in transaction mode, in front of PostgreSQL.

use std::net::TcpListener;

use tacho_testkit::servers::Postgres;
use tacho_tests::{Folder, Running, Signal};

use crate::live::texts;

/// A pooler with twenty connections, which is stopped when this value is dropped.
struct Pooler {
    folder: Folder,
    process: Option<Running>,
    port: u16,
}

impl Pooler {
    /// Starts a pooler. If none is installed, prints a message and returns `None`.
    #[expect(clippy::print_stderr, reason = "whoever reads the tests must know")]
    fn before(server: &Postgres) -> Option<Self> {
        let folder = Folder::open();
        if folder.shell("pgbouncer --version && setpriv --version").done().code() != 0 {
            eprintln!("NOT TESTED: connection poolers: pgbouncer or setpriv is missing");
            return None;
        }
        // The pooler does not run as root.
        let user = "setpriv --reuid 65534 --regid 65534 --clear-groups";
        let user = if rustix::process::geteuid().is_root() { user } else { "" };
        // The free port may have been taken by the time the pooler starts.
        let started = (0..10).find_map(|_| {
            let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
            let port = listener.local_addr().expect("an address").port();
            drop(listener);
            let settings = format!(
                "[databases]\n* = host=127.0.0.1 port={} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
                 listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n\
                 max_client_conn = 1000\ndefault_pool_size = 20\nignore_startup_parameters = extra_float_digits\n",
                server.port()
            );
            folder.write("pgbouncer.ini", &settings);
            let mut process = folder.shell(&format!("exec {user} pgbouncer pgbouncer.ini")).start();
            let mut up = false;
            process.until(|line| {
                up = line.contains("process up");
                up || line.contains("FATAL")
            });
            up.then_some((process, port))
        });
        let (process, port) = started.expect("a pooler that listens");
        Some(Self { folder, process: Some(process), port })
    }

    fn target(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let Some(process) = self.process.take() else { return };
        process.signal(Signal::INT);
        process.wait();
    }
}

/// A pooler accepts more sessions than the server does. The output and the run record name the pooler.
///
/// Every counted commit is in the database.
#[test]
fn hundreds_of_sessions_run_through_a_pooler() {
    // The pool needs 20 connections, and other tests use up those of the shared server.
    let server = &Postgres::start().expect("a server");
    let Some(pooler) = Pooler::before(server) else { return };
    let folder = &pooler.folder;
    let direct = server.database("pooled").expect("a database");
    folder.tacho(&format!("prepare tprocc '{direct}' --scale 2 -c 2")).exits(0);
    let through = pooler.target("pooled");
    let load = "-c 500 --pacing x0.1 -d 4s --ramp-up 3s --form simple";
    let done = folder.tacho(&format!("run tprocc '{through}' {load}")).exits(0);
    done.says(&["connection pooler"]);
    let record = folder.record("latest");
    assert_eq!(record["server"]["settings"]["pooler"], "yes", "{record}");
    let accounts = &record["result"]["accounting"];
    assert_eq!(accounts["failed"], 0, "{record}");
    assert!(accounts["committed"].as_u64() > Some(100), "{accounts}");
    let headline = &record["result"]["headline"];
    assert_eq!(headline["source"], "schema", "{}", done.out);
    assert_eq!(headline["whole_run_schema_count"], headline["whole_run_client_count"]);
    // A session's next transaction may run on another connection, where the session's prepared
    // statements do not exist.
    let sql = folder
        .tacho(&format!("run tprocc '{through}' -c 40 -d 1s --ramp-up 0s --check none"))
        .done();
    assert!(
        sql.out.contains("--form simple") || sql.err.contains("--form simple"),
        "{}{}",
        sql.out,
        sql.err
    );
    folder.tacho(&format!("run tprocc '{direct}' -d 1s --ramp-up 0s --check none")).done();
    assert!(folder.record("latest")["server"]["settings"]["pooler"].is_null());
}

/// Tacho's own connections do not prepare named statements, so statements left in the pool by
/// another run cannot conflict with them.
#[test]
fn runs_through_a_pooler_do_not_disturb_each_other() {
    let server = Postgres::shared();
    let Some(pooler) = Pooler::before(server) else { return };
    let folder = &pooler.folder;
    let direct = server.database("repeated").expect("a database");
    folder.tacho(&format!("prepare tpcb '{direct}' --scale 2 -c 2")).exits(0);
    let through = pooler.target("repeated");
    let run = |options: &str| {
        let load = "--transactions 600 --ramp-up 0s --check after";
        folder.tacho(&format!("run tpcb '{through}' {load} {options}"))
    };
    run("-c 1 --form simple").done();
    // The pool gives its connections to other clients next, so none of the run's settings may remain on them.
    let text = "SELECT name FROM pg_catalog.pg_settings WHERE name IN ('jit', 'random_page_cost') AND source = 'session'";
    assert_eq!(texts(&through, text), Vec::<String>::new());
    for sessions in [1, 200, 200, 1] {
        run(&format!("-c {sessions} --form simple --require valid")).done();
        let record = folder.record("latest");
        let accounts = &record["result"]["accounting"];
        assert_eq!((&accounts["failed"], &accounts["committed"]), (&0.into(), &600.into()));
        let notices = record["result"]["notices"].to_string();
        assert!(!notices.contains("W16"), "{notices}");
        assert!(notices.contains("can halve the throughput"), "{notices}");
        // Prepared statements fail behind this pooler, and their names stay behind on the pool's connections.
        run("-c 40 --form sql").done();
    }
    let doctor = folder.tacho(&format!("doctor '{through}'")).done();
    assert!(doctor.out.contains("can halve the throughput"), "{}", doctor.out);
}
