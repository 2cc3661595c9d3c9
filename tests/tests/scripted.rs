//! The workloads on the scripted server of TDS: loading, statements and stored routines in its dialect, and what the
//! checks make of them. What it cannot show is the speed and the locks of the product.

use tacho_testkit::tds::Server;
use tacho_tests::Folder;

/// A folder whose `tacho.toml` names the server.
fn folder(server: &Server) -> Folder {
    let folder = Folder::new();
    let (port, options) = (server.port(), server.options());
    let (user, password, database) = (&options.user, &options.password, &options.database);
    folder.write(
        "tacho.toml",
        &format!(
            "[targets.tds]\nurl = \"sqlserver://{user}:{password}@127.0.0.1:{port}/{database}?\
             trust_server_certificate=yes\"\n"
        ),
    );
    folder
}

#[test]
fn orders_are_worked_on_in_every_form() {
    let server = Server::start();
    let folder = folder(&server);
    folder.tacho("prepare tprocc tds -o quiet --progress none").exits(0);
    for form in ["sql", "simple", "procedures"] {
        let run = format!("run tprocc tds --form {form} -c 2 -d 3s --ramp-up 0s --retry same");
        let done = folder.tacho(&run).done();
        assert!([0, 4].contains(&done.code()), "{form}: {}", done.err);
        done.says(&["12 of 12 after the run", "commits match"]);
        let result = &folder.record("latest")["result"];
        assert_eq!(result["accounting"]["failed"], 0, "{form}: {}", result["errors"]);
        assert!(result["accounting"]["committed"].as_u64() > Some(0), "{form}: {result}");
    }
    folder.tacho("clean tprocc tds --yes").exits(0);
}

#[test]
fn accounts_and_queries_are_right() {
    let server = Server::start();
    let folder = folder(&server);
    folder.tacho("prepare tpcb tds -o quiet --progress none").exits(0);
    folder.tacho("doctor tds").done().says(&["not tested against a live server"]);
    let run =
        folder.tacho("run tpcb tds -c 2 --transactions 1000 --ramp-up 0s --retry same").done();
    assert!([0, 4].contains(&run.code()), "{}", run.err);
    run.says(&["6 of 6 after the run", "commits match"]);
    folder.tacho("clean tpcb tds --yes").exits(0);
    folder.tacho("prepare tproch tds -s 0.01 -o quiet --progress none").exits(0);
    folder.tacho("check tproch tds").exits(0).says(&["28 of 28 hold"]);
    folder.tacho("clean tproch tds --yes").exits(0);
}
