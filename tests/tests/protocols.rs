//! If the server at a target's port speaks another protocol, the error comes quickly and names that protocol.

use std::io::{Read, Write};
use std::net::TcpListener;

use tacho_testkit::servers::{MariaDb, Postgres};
use tacho_testkit::tds;
use tacho_tests::{Folder, Running};

/// Starts a server that responds to every complete HTTP request, and returns its port.
fn http() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let (mut head, mut buffer) = (Vec::new(), [0; 512]);
                while !head.ends_with(b"\r\n\r\n") {
                    match stream.read(&mut buffer) {
                        Ok(count @ 1..) => head.extend_from_slice(&buffer[..count]),
                        _ => return,
                    }
                }
                // The client may already be gone.
                let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
            });
        }
    });
    port
}

#[test]
fn a_server_of_another_product_is_named() {
    let folder = Folder::new();
    let tds = tds::Server::start();
    let servers = [
        ("PostgreSQL", "postgres", Postgres::shared().port()),
        ("MySQL or MariaDB", "mysql", MariaDb::shared().port()),
        ("SQL Server", "sqlserver", tds.port()),
        ("HTTP", "http", http()),
    ];
    let clients = &servers[..3];
    let pairs =
        clients.iter().flat_map(|client| servers.iter().map(move |server| (client, server)));
    let pairs = pairs.filter(|(client, server)| client.1 != server.1);
    let calls: Vec<_> = pairs
        .map(|((expected, scheme, _), (title, found, port))| {
            let target = format!("{scheme}://u:p@127.0.0.1:{port}/d");
            let running: Running = folder.tacho(&format!("check tpcb '{target}'")).start();
            (
                running,
                format!("127.0.0.1:{port}: the server speaks {title}, not {expected}"),
                *found,
            )
        })
        .collect();
    for (running, text, found) in calls {
        let done = running.wait();
        done.expect_code(3);
        done.is_error().complains(&[&text]);
        if found != "http" {
            done.complains(&[&format!("write the target as {found}://…")]);
        }
    }
}
