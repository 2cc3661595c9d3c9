//! Passwords are read from the same places that each product's own clients use. They are never shown or stored.

use std::os::unix::fs::PermissionsExt;

use tacho_testkit::servers::{Kind, MariaDb, MySql, Options, Postgres, TestServer};
use tacho_tests::{Call, Folder};

/// A password that cannot be guessed and does not appear anywhere else.
const PASSWORD: &str = "Tr0ub4dor-and-3";

/// Writes a file of secrets with the given permissions, and returns its path.
fn file(secrets: &Folder, name: &str, text: &str, mode: u32) -> String {
    secrets.write(name, text);
    let path = secrets.file(name);
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&path, permissions).expect("our file");
    path.display().to_string()
}

/// Runs a command and checks that it exits with the given code and does not show the password.
fn quietly(call: Call, code: i32, complaints: &[&str]) {
    let done = call.exits(code);
    assert!(!done.out.contains(PASSWORD) && !done.err.contains(PASSWORD), "{}", done.err);
    done.complains(complaints);
}

#[test]
fn postgresql_takes_them_from_variables_and_files() {
    let access = ["host all bench 127.0.0.1/32 scram-sha-256"];
    let options = Options { access: &access, ..Options::default() };
    let server = Postgres::start_with(options).expect("a PostgreSQL server");
    let user = format!("CREATE ROLE bench LOGIN CREATEDB PASSWORD '{PASSWORD}'");
    server.client(&user).expect("a role");
    let (folder, secrets, port) = (Folder::new(), Folder::new(), server.port().to_string());
    let target = format!("postgres://bench@127.0.0.1:{port}/kept");
    let line = format!("127.0.0.1:{port}:*:bench:{PASSWORD}\n");
    let private = file(&secrets, "own", &line, 0o600);
    let open = file(&secrets, "open", &line, 0o644);
    let services = format!(
        "[nightly]\nhost=127.0.0.1\nport={port}\nuser=bench\ndbname=kept\npassword={PASSWORD}"
    );
    let services = file(&secrets, "services", &services, 0o600);

    quietly(folder.tacho(&format!("prepare tpcb {target}")).env("PGPASSWORD", PASSWORD), 0, &[]);
    let run = format!("run tpcb {target} --transactions 20 --ramp-up 0s");
    quietly(folder.tacho(&run).env("PGPASSFILE", &private), 0, &[]);
    quietly(
        folder.tacho(&run).env("PGPASSFILE", &open),
        3,
        &["other users can read it", "chmod 600"],
    );
    quietly(folder.tacho(&run), 3, &["none was given", "pgpass"]);
    let service = folder.tacho("check tpcb 'postgres:?service=nightly'");
    quietly(service.env("PGSERVICEFILE", &services), 0, &[]);
    // All parts of the address come from environment variables, as for psql without arguments.
    let mut bare = folder.tacho("check tpcb postgres:").env("PGPASSFILE", &private);
    for (name, value) in
        [("PGHOST", "127.0.0.1"), ("PGPORT", &port), ("PGUSER", "bench"), ("PGDATABASE", "kept")]
    {
        bare = bare.env(name, value);
    }
    quietly(bare, 0, &[]);
    assert_eq!(folder.runs().len(), 1);
    assert!(!folder.mentions(PASSWORD), "a record holds it");
}

/// Checks that passwords for servers of the MySQL family are read from variables and files.
fn takes_them_from_variables_and_files<K: Kind>(server: &TestServer<K>) {
    let scheme = K::product().id();
    let user =
        format!("CREATE USER bench@'%' IDENTIFIED BY '{PASSWORD}'; GRANT ALL ON *.* TO bench@'%'");
    server.client(&user).expect("a user");
    let (folder, secrets, port) = (Folder::new(), Folder::new(), server.port());
    let target = format!("{scheme}://bench@127.0.0.1:{port}/kept");
    let text = format!(
        "[client]\nuser = bench\npassword = \"{PASSWORD}\"\nhost = 127.0.0.1\nport = {port}\n"
    );
    let private = file(&secrets, ".my.cnf", &text, 0o600);
    let open = file(&secrets, "open", &text, 0o644);

    quietly(folder.tacho(&format!("prepare tpcb {target}")).env("MYSQL_PWD", PASSWORD), 0, &[]);
    let run = |file: &str| {
        format!("run tpcb '{target}?defaults-file={file}' --transactions 20 --ramp-up 0s")
    };
    quietly(folder.tacho(&run(&private)), 0, &[]);
    quietly(folder.tacho(&run(&open)), 3, &["other users can read the file", "chmod 600"]);
    quietly(folder.tacho(&format!("check tpcb {target}")), 3, &["MYSQL_PWD"]);
    // Everything except the database name comes from the client configuration file in the user's home folder.
    let home = secrets.path().display().to_string();
    quietly(folder.tacho(&format!("check tpcb {scheme}:///kept")).env("HOME", &home), 0, &[]);
    assert_eq!(folder.runs().len(), 1);
    assert!(!folder.mentions(PASSWORD), "a record holds it");
}

#[test]
fn mariadb_takes_them_from_variables_and_files() {
    takes_them_from_variables_and_files(&MariaDb::start().expect("a MariaDB server"));
}

#[test]
fn mysql_takes_them_from_variables_and_files() {
    let server = MySql::start_if_there(Options::default()).expect("a MySQL server or none");
    if let Some(server) = server {
        takes_them_from_variables_and_files(&server);
    }
}
