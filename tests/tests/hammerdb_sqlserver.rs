//! HammerDB scripts for SQL Server and Oracle. The tests need neither product: one test server speaks the SQL Server
//! protocol (TDS), and another imitates an Oracle listener.

use crate::hammerdb::{in_order, keeps_secret, result, script};
use tacho_testkit::tds::Server;
use tacho_testkit::tns::{Answer, Listener};
use tacho_tests::Folder;

/// Returns a script's first commands, which specify the server.
fn head(server: &Server) -> String {
    let options = server.options();
    format!(
        "dbset db mssqls\ndiset connection mssqls_linux_server 127.0.0.1\n\
         diset connection mssqls_tcp true\ndiset connection mssqls_port {}\n\
         diset connection mssqls_uid {}\ndiset connection mssqls_pass {}\n",
        server.port(),
        options.user,
        options.password
    )
}

#[test]
fn orders_are_worked_on_by_procedures() {
    let (folder, server) = (Folder::new(), Server::start());
    let head = head(&server);
    let built = script(
        &folder,
        &format!("{head}diset tpcc mssqls_dbase tpcc\nbuildschema\nvudestroy\ncheckschema\n"),
    )
    .exits(0);
    in_order(
        &built,
        &[
            "Ready to create a 1 Warehouse MS SQL Server TPROC-C schema",
            "in host 127.0.0.1 in database TPCC?",
            "Vuser 1:CREATING TPCC STORED PROCEDURES",
            "Vuser 1:TPCC SCHEMA COMPLETE",
            "Vuser 1:Check procedures",
            "Vuser 1:tpcc TPROC-C Schema has been checked successfully.",
        ],
    );
    let run = "diset tpcc mssqls_rampup 0\ndiset tpcc mssqls_duration 3\n\
               diset connection mssqls_linux_odbc another\nvuset vu 2\nvucreate\nvurun\nvudestroy\n";
    let done = script(&folder, run).exits(0);
    let (nopm, _) = result(&done, "SQL Server");
    assert!(nopm > 0, "{}", done.out);
    done.says(&[
        "Vuser 1:mssqls_linux_odbc has no effect: Tacho has a client of its own",
        "Vuser 1:Tacho uses its own stored procedures, which are equivalent to HammerDB's",
        "Vuser 1:TPM counts transactions, whereas HammerDB's TPM counts batch requests",
    ]);
    let record = folder.record("latest");
    assert_eq!(record["plan"]["form"], "procedures");
    assert_eq!(record["result"]["accounting"]["failed"], 0, "{}", record["result"]["errors"]);
    let deleted = script(&folder, "deleteschema\n").exits(0);
    deleted.says(&["tpcc TPROC-C schema has been deleted successfully."]);
    keeps_secret(&folder, &server.options().password);
}

/// A HammerDB option requests memory-optimized tables. The build fails with a hint if the database
/// has no filegroup for them.
#[test]
fn tables_in_memory_need_a_filegroup() {
    let (folder, server) = (Folder::new(), Server::start());
    let text = format!(
        "{}diset tpcc mssqls_imdb true\ndiset tpcc mssqls_durability SCHEMA_ONLY\n\
         diset tpcc mssqls_bucket 4\nbuildschema\n",
        head(&server)
    );
    let done = script(&folder, &text).done();
    done.says(&[
        "Vuser 1:mssqls_bucket has no effect",
        "the database has no filegroup for memory-optimized tables",
        "FINISHED FAILED",
    ]);
    assert!(done.code() != 0, "{}", done.out);
}

#[test]
fn queries_have_their_degree_in_their_text() {
    let (folder, server) = (Folder::new(), Server::start());
    let small = |text: &str| script(&folder, text).env("TACHO_HAMMERDB_GIGABYTE", "0.01");
    let build = "dbset bm TPROC-H\ndiset tpch mssqls_maxdop 3\ndiset tpch mssqls_verbose true\nbuildschema\n";
    small(&format!("{}{build}", head(&server))).exits(0);
    // Make the server reject statements with this option, to prove that the option was sent.
    server.fail("option ( maxdop 3 )", 8623, 1);
    let done = small("vurun\n").done();
    done.says(&["Vuser 1:OPTION (MAXDOP 3)", "1 failed: ", "8623"]);
    assert_eq!(folder.record("latest")["plan"]["parameters"]["parallel_degree"], "3");
}

/// A HammerDB option requests TimesTen instead of Oracle. The build fails, because its driver cannot be loaded.
#[test]
fn timesten_is_asked_for_by_a_key_of_oracle() {
    let folder = Folder::new();
    let text = "dbset db ora\ndiset tpcc tpcc_tt_compat true\ndiset tpcc partition true\n\
                diset connection instance 127.0.0.1:1/absent:timesten_client\nbuildschema\nvudestroy\n";
    let done = script(&folder, text).env("TIMESTEN_HOME", "/no/such/home").done();
    done.says(&[
        "Vuser 1:partition has no effect on TimesTen: it has no partitions",
        "the TimesTen ODBC driver cannot be loaded",
        "FINISHED FAILED",
    ]);
    assert!(done.code() != 0, "{}", done.out);
}

/// The Oracle listener does not know the requested service. Each command reports this error on a single line.
#[test]
fn an_instance_of_oracle_that_is_not_there_is_told() {
    let folder = Folder::new();
    let port = Listener::start(Answer::Refuse(12_514)).port();
    let text = format!(
        "dbset db ora\ndiset connection instance 127.0.0.1:{port}/absent\nbuildschema\nvudestroy\n"
    );
    let done = script(&folder, &text).done();
    done.says(&[
        &format!("in database 127.0.0.1:{port}/ABSENT under user TPCC in tablespace USERS?"),
        "Vuser 1:system_user has no effect: the user of the schema does all, and must exist",
        "the service \"absent\" is not registered with the listener (ORA-12514)",
        "FINISHED FAILED",
    ]);
    assert!(done.code() != 0, "{}", done.out);
}
