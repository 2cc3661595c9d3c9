//! A scripted server that speaks TDS 7.2 to 7.4 and 8 (MS-TDS) and stores its tables in SQLite.
//!
//! ```no_run
//! let server = tacho_testkit::tds::Server::start();
//! let (host, port) = ("127.0.0.1", server.port());    // user sa, password Secret1!, database tacho
//! server.fail("update", 1205, 1);                      // the next UPDATE is a deadlock's victim
//! server.faults(|faults| faults.packet_bytes = Some(1));
//! ```
//!
//! The server follows the rules of T-SQL for transactions, errors and batches, but only as far as the test suites
//! require.
//!
//! Only one session can write at a time. Others wait, and get error 1222 at the time limit of `SET LOCK_TIMEOUT`.
//!
//! The server has no case-insensitive collations, functions, triggers, cursors, `MERGE` or MARS.
//!
//! As in SQL Server, a first word that is not a keyword is the name of a procedure. Therefore, `SELEC 1` causes error
//! 2812 (unknown procedure) instead of 102 (syntax error).
//!
//! Each session has a second thread, which reads, so that an attention signal is noticed while a statement is running.
//!
//! Start reading at [`Server`].

#![expect(missing_docs, reason = "what is not for users of the module is not documented twice")]

mod babelfish;
mod bulk;
mod dates;
mod link;
mod login;
mod memory;
mod native;
mod parse;
mod query;
mod reader;
mod remote;
mod run;
mod session;
mod state;
mod store;
pub mod stub;
mod tokens;
mod translate;
mod types;

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};
use rusqlite::Connection;
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::version::TLS12;

use self::link::Link;

/// The collation of all columns, `Latin1_General_100_CI_AS_SC_UTF8`, encoded as in MS-TDS 2.2.5.1.2. Bit 26 stands for
/// UTF-8.
const COLLATION: [u8; 5] = [0x09, 0x04, 0xd0, 0x24, 0x00];
/// The version number of SQL Server 2022, 16.0.1000.
const VERSION: [u8; 4] = [16, 0, 0x03, 0xe8];

/// The extent of encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Encryption {
    /// The server does not support encryption.
    Off,
    /// The login is encrypted or, if the client requests it, the whole connection. This is the default in SQL Server.
    #[default]
    Login,
    /// The whole connection is encrypted. Clients that do not support this are rejected.
    Required,
    /// The whole connection is encrypted from its first byte (TDS 8).
    Strict,
}

/// The properties of a server.
#[derive(Clone, Debug)]
pub struct Options {
    pub user: String,
    pub password: String,
    /// Name of the database. The server also has the database `master`.
    pub database: String,
    pub encryption: Encryption,
    /// The name in the certificate.
    pub host: String,
    /// The sessions' default schema.
    pub schema: String,
    /// The major version reported by `SERVERPROPERTY`.
    pub version: u8,
    /// True if the server behaves like Babelfish. `babelfish.rs` contains the differences.
    pub babelfish: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            user: "sa".into(),
            password: "Secret1!".into(),
            database: "tacho".into(),
            encryption: Encryption::default(),
            host: "localhost".into(),
            schema: "dbo".into(),
            version: VERSION[0],
            babelfish: false,
        }
    }
}

/// Faults that tests cause on purpose. They apply to all sessions.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// Size of the content of each packet. It may be smaller than the protocol allows.
    pub packet_bytes: Option<usize>,
    /// Maximum number of bytes that are written to the socket at a time.
    pub write_bytes: Option<usize>,
    /// Number of bytes that the server sends before it closes a connection. This happens only once.
    pub drop_after: Option<usize>,
    /// Delay before each reply.
    pub delay: Duration,
    rules: Vec<(String, i32, u32)>,
}

/// State shared by all sessions.
struct Shared {
    options: Options,
    file: PathBuf,
    tls: Arc<ServerConfig>,
    strict: Arc<ServerConfig>,
    faults: Arc<Mutex<Faults>>,
    peers: Mutex<Vec<Arc<Peer>>>,
    databases: Mutex<Vec<String>>,
    /// Names of memory-optimized tables, in lower case.
    in_memory: Mutex<Vec<String>>,
    commits: AtomicU64,
    rollbacks: AtomicU64,
    batches: AtomicU64,
    transactions: AtomicU64,
    numbers: AtomicU32,
    stopped: AtomicBool,
}

/// A session as seen by other sessions.
struct Peer {
    id: u32,
    host: String,
    program: String,
    login: String,
    link: Arc<Link>,
    reads: AtomicU64,
    open: AtomicBool,
    /// True if the running statement must be cancelled.
    cancelled: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn has_database(&self, name: &str) -> bool {
        lock(&self.databases).iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    fn sessions_json(&self) -> String {
        let encrypted = self.options.encryption != Encryption::Off;
        let one = |peer: &Arc<Peer>| {
            let Peer { id, host, program, login, reads, open, .. } = &**peer;
            let (reads, open) =
                (reads.load(Ordering::Relaxed), u8::from(open.load(Ordering::Relaxed)));
            format!(
                "{{\"id\":{id},\"host\":{host:?},\"program\":{program:?},\"login\":{login:?},\"reads\":{reads},\
                 \"open\":{open},\"encrypted\":\"{}\"}}",
                if encrypted { "TRUE" } else { "FALSE" }
            )
        };
        let all: Vec<String> = lock(&self.peers).iter().map(one).collect();
        format!("[{}]", all.join(","))
    }

    /// Returns the error number if a test has requested an error for this statement.
    fn ordered(&self, sql: &str) -> Option<i32> {
        let mut faults = lock(&self.faults);
        let sql = sql.to_lowercase();
        let rule =
            faults.rules.iter_mut().find(|(part, _, left)| *left > 0 && sql.contains(part))?;
        rule.2 -= 1;
        Some(rule.1)
    }
}

/// A server on a free loopback port. The server is stopped when this value is dropped.
pub struct Server {
    port: u16,
    certificate: String,
    shared: Arc<Shared>,
    _folder: tempfile::TempDir,
}

impl Server {
    /// Starts a server with the default options.
    pub fn start() -> Self {
        Self::with(Options::default())
    }

    /// Starts a server with the given options.
    ///
    /// # Panics
    /// Panics if no port, temporary folder or certificate is available.
    pub fn with(options: Options) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("rows.sqlite");
        let db = store::raw(&file).expect("a file of SQLite");
        db.execute_batch(store::VIEWS).expect("views of the system");
        let (certificate, tls, strict) = papers(&options.host);
        let shared = Arc::new(Shared {
            databases: Mutex::new(vec!["master".into(), "tempdb".into(), options.database.clone()]),
            options,
            file,
            tls,
            strict,
            in_memory: Mutex::default(),
            faults: Arc::default(),
            peers: Mutex::default(),
            commits: AtomicU64::new(0),
            rollbacks: AtomicU64::new(0),
            batches: AtomicU64::new(0),
            transactions: AtomicU64::new(0),
            numbers: AtomicU32::new(50),
            stopped: AtomicBool::new(false),
        });
        let state = shared.clone();
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                if state.stopped.load(Ordering::Relaxed) {
                    return;
                }
                let shared = state.clone();
                std::thread::spawn(move || session::serve(socket, &shared));
            }
        });
        Self { port, certificate, shared, _folder: folder }
    }

    /// Returns the port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the options that the server was created with.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// Returns the server's self-signed certificate in PEM format.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Changes the deliberate faults.
    pub fn faults(&self, change: impl FnOnce(&mut Faults)) {
        change(&mut lock(&self.shared.faults));
    }

    /// Makes the next `times` statements that contain `part` fail with this error number. Ignores case and repeated
    /// spaces.
    pub fn fail(&self, part: &str, number: i32, times: u32) {
        self.faults(|faults| faults.rules.push((part.to_lowercase(), number, times)));
    }

    /// Returns the numbers of the open sessions.
    pub fn sessions(&self) -> Vec<u32> {
        lock(&self.shared.peers).iter().map(|peer| peer.id).collect()
    }

    /// Returns the number of requests that all sessions have sent since the server was started.
    pub fn requests(&self) -> u64 {
        self.shared.batches.load(Ordering::Relaxed)
    }

    /// Runs `work` directly on the SQLite tables, for example to add views such as `"sys.dm_os_schedulers"`.
    ///
    /// # Panics
    /// Panics if SQLite cannot open the file.
    pub fn sqlite<T>(&self, work: impl FnOnce(&Connection) -> T) -> T {
        work(&store::raw(&self.shared.file).expect("the file of SQLite"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Relaxed);
        for peer in lock(&self.shared.peers).iter() {
            peer.link.close();
        }
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

/// Returns a certificate in PEM format and two TLS configurations: one for all TLS versions, and one only for TLS 1.2.
///
/// Handshakes in packets require TLS 1.2.
fn papers(host: &str) -> (String, Arc<ServerConfig>, Arc<ServerConfig>) {
    let key = KeyPair::generate().expect("a key");
    let names = vec![host.to_owned(), "127.0.0.1".into()];
    let signed = CertificateParams::new(names).and_then(|params| params.self_signed(&key));
    let certificate = signed.expect("a certificate");
    let config = |versions: &[&'static rustls::SupportedProtocolVersion]| {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder =
            ServerConfig::builder_with_provider(provider).with_protocol_versions(versions);
        let key = PrivatePkcs8KeyDer::from(key.serialize_der()).into();
        let builder = builder.expect("versions of TLS").with_no_client_auth();
        builder
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a usable certificate")
    };
    let mut strict = config(rustls::ALL_VERSIONS);
    strict.alpn_protocols = vec![b"tds/8.0".to_vec()];
    (certificate.pem(), Arc::new(config(&[&TLS12])), Arc::new(strict))
}
