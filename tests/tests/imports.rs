//! Conversion of other tools' command lines. The printed Tacho command runs and does the same work.

use tacho_testkit::servers::Postgres;
use tacho_tests::Folder;

const QUIET: &str = "--progress none";

#[test]
fn a_printed_command_runs() {
    let server = Postgres::shared();
    let database = "imported_oltp";
    server.database(database).expect("a database");
    // This server accepts every user without asking for a password.
    let (port, password) = (server.port(), "Not-Asked-For-7");
    let folder = Folder::new();
    let place = format!(
        "--pgsql-host=127.0.0.1 --pgsql-port={port} --pgsql-user=postgres --pgsql-db={database} \
         --pgsql-password={password}"
    );
    let script = "sysbench oltp_read_write --tables=2 --table-size=300 --threads=2";
    let imported = |rest: &str| {
        let done = folder.tacho(&format!("import '{script} {rest} {place}'")).exits(0);
        assert!(!done.out.contains(password), "{}", done.out);
        done.complains(&["PGPASSWORD"]);
        done.out.trim().strip_prefix("tacho ").expect("a command of ours").to_owned()
    };
    let call = |line: &str| folder.tacho(line).env("PGPASSWORD", password);
    call(&format!("{} {QUIET}", imported("--rand-type=uniform prepare"))).exits(0);
    let rows = server.client_on(database, "SELECT count(*) FROM sbtest2").expect("a count");
    assert!(rows.contains("300"), "{rows}");
    let run = imported("--rand-type=uniform --time=0 --events=40 run");
    call(&format!("{run} {QUIET}")).exits(0).says(&["40 committed"]);
    let record = folder.record("latest");
    let plan = &record["plan"];
    assert_eq!(
        (plan["profile"].as_str(), plan["sessions"].as_u64()),
        (Some("read-write"), Some(2))
    );
    assert_eq!(record["result"]["tool"]["statements"], 40 * 20, "as many as sysbench sends");
    call(&format!("{} --yes", imported("cleanup"))).exits(0);
    let tables = "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'sbtest%'";
    let left = server.client_on(database, tables).expect("a count");
    assert!(left.contains('0') && !left.contains('2'), "{left}");
}

#[test]
fn what_cannot_be_imported_is_refused() {
    let folder = Folder::new();
    let refused = |line: &str, words: &[&str]| {
        let done = folder.tacho(&format!("import {line}")).exits(2);
        done.complains(words);
        assert_eq!(done.out, "");
    };
    refused("'sysbench oltp_read_write --tabels=8 run'", &["--tabels", "--tables"]);
    refused("sysbench cpu run", &["\"cpu\" does not use a database", "tacho doctor"]);
    refused("'sudo sysbench ./mine.lua run'", &["mine", "tacho init workload mine"]);
    refused("'sysbench oltp_insert --threads=$T run'", &["shell variable in --threads=$T"]);
    refused("'sysbench oltp_insert --mysql-host=$H run'", &["shell variable in --mysql-host=$H"]);
    refused("sysbench oltp_read_write", &["a sysbench script and command"]);
    refused("'sysbench oltp_read_write \"run'", &["quotation mark"]);
    refused("hammerdb", &["accepts one script"]);
    refused("oltp_common run", &["no profile", "oltp_common"]);
    let done = folder.tacho("import sysbench bulk_insert run").exits(0);
    done.says(&["--profile bulk-insert", "--set bulk_rows=40000"])
        .complains(&["sysbench's tps are 40000 times Tacho's"]);
    // The imported command line may start without the program's name.
    let done = folder.tacho("import sysbench oltp_insert --threads=4 --percentile=99 run").exits(0);
    done.says(&["tacho run oltp", "--profile insert", "--sessions 4"]).complains(&["--percentile"]);
}

#[test]
fn a_printed_pgbench_command_runs() {
    let server = Postgres::shared();
    let database = "imported_pgbench";
    server.database(database).expect("a database");
    let folder = Folder::new();
    folder.write("one.sql", "SELECT :x;");
    let line = format!(
        "PGHOST=127.0.0.1 time pgbench -n -c2 -t5 -f one.sql -D x=1 -p {} -U postgres {database} | tee a",
        server.port()
    );
    let done = folder.tacho(&format!("import '{line}'")).exits(0);
    let run = done.out.trim().strip_prefix("tacho ").expect("a command of ours").to_owned();
    // A run of ten transactions is too short to be valid, so do not check the exit code.
    folder.tacho(&format!("{run} {QUIET}")).done().says(&["10 committed"]);
}

#[test]
fn a_configuration_file_becomes_commands_that_run() {
    let folder = Folder::new();
    let values = "<url>jdbc:sqlite:a.db</url><scalefactor>1</scalefactor><terminals>2</terminals>";
    let work = "<works><work><time>5</time><rate>unlimited</rate></work></works>";
    let kinds = "<transactiontypes><transactiontype><name>NewOrder</name></transactiontype></transactiontypes>";
    folder.write("c.xml", &format!("<parameters>{values}{work}{kinds}<odd>1</odd></parameters>"));
    let done = folder.tacho("import benchbase c.xml").exits(0);
    done.complains(&["<odd> has no equivalent"]);
    assert_eq!(done.out.lines().count(), 2, "{}", done.out);
    for command in done.out.lines() {
        let command = command.strip_prefix("tacho ").expect("a command of ours");
        folder.tacho(&format!("{command} --dry-run")).exits(0);
    }
}

#[test]
fn a_line_is_imported_with_everything_around_the_command() {
    let folder = Folder::new();
    let line = "sudo -u me env X=1 time sysbench oltp_insert --threads=4 --mysql-password=$P run > a.log 2>&1 | tee b";
    let done = folder.tacho(&format!("import '{line}'")).exits(0);
    done.says(&["tacho run oltp", "--profile insert", "--sessions 4"]).complains(&[
        "omitted from the command line: sudo, env, time, redirections, tee",
        "omitted environment variables: X",
    ]);
    let lines =
        "# both\nfor t in 1; do sysbench oltp_insert prepare && sysbench oltp_insert run; done";
    let done = folder.tacho(&format!("import '{lines}'")).exits(0);
    assert_eq!(done.out.lines().count(), 2, "{}", done.out);
    done.says(&["tacho prepare oltp", "tacho run oltp"]);
}

/// Workload parameters and the scale can be given as options that have their names, such as `--table-size` and
/// `--tables`, as in sysbench and go-tpc.
#[test]
fn parameters_and_the_unit_of_the_scale_are_flags() {
    let folder = Folder::new();
    let target = "sqlite:x.db?synchronous=off";
    let prepare = format!("prepare oltp {target} --tables=2 --table-size 100 --progress none");
    folder.tacho(&prepare).exits(0).says(&["200 rows"]);
    let run = format!(
        "run oltp {target} --tables=2 --table_size=100 --skip-trx --transactions 20 --ramp-up 0s"
    );
    folder.tacho(&run).exits(0);
    let plan = folder.record("latest")["plan"].clone();
    assert_eq!(plan["scale"].as_f64(), Some(2.0));
    let parameters = &plan["parameters"];
    assert_eq!(
        (&parameters["table_size"], &parameters["skip_trx"]),
        (&"100".into(), &"true".into())
    );
    folder.tacho(&format!("run oltp {target} --tabels=2")).exits(2).complains(&["--tabels"]);
}
