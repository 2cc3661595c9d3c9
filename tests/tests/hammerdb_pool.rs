//! Connection pools in HammerDB scripts, and the equivalent options of Tacho's own commands.

use crate::hammerdb::{console, in_order, script, write_below};
use tacho_testkit::servers::Postgres;
use tacho_tests::Folder;

/// Writes a pool file with these two connections. The new-order transactions use the second
/// connection, and the stock-level transactions alternate between both.
pub fn pool(folder: &Folder, prefix: &str, connections: [&str; 2]) {
    let sproc = |name: &str, connections: &str, policy: &str| {
        format!(
            "<{name}><connections>{connections}</connections><policy>{policy}</policy></{name}>\n"
        )
    };
    let sprocs = [
        sproc("neworder", "c1 c2", "last_named"),
        sproc("payment", "c1 c2", "first_named"),
        sproc("delivery", "c1", "random"),
        sproc("stocklevel", "c1 c2", "round_robin"),
        sproc("orderstatus", "c1 c2", "random"),
    ];
    let [one, two] = connections;
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<connpool>\n<connections>\n<c1>{one}</c1>\n\
         <c2>{two}</c2>\n</connections>\n<sprocs>\n{}</sprocs>\n</connpool>\n",
        sprocs.concat()
    );
    write_below(folder, &format!("config/connectpool/{prefix}cpool.xml"), &text);
}

#[test]
fn what_is_wrong_with_a_pool_is_told() {
    let folder = Folder::new();
    let server = Postgres::start().expect("a server");
    let head = format!(
        "dbset db pg\ndiset connection pg_host 127.0.0.1\ndiset connection pg_port {}\n\
         diset tpcc pg_superuserpass {{}}\ndiset tpcc pg_rampup 0\ndiset tpcc pg_duration 1\n\
         diset tpcc pg_connect_pool true\n",
        server.port()
    );
    let run = format!("{head}puts CAUGHT[catch vurun message]\nputs $message\nvudestroy");
    let file = "config/connectpool/pgcpool.xml";
    script(&folder, &run).exits(0).says(&["CAUGHT1", file, "vurun was not run"]);
    write_below(&folder, file, "<connpool><connections></connpool>");
    script(&folder, &run)
        .exits(0)
        .says(&["CAUGHT1", "expected 'connections' tag, not 'connpool' at 1:24"]);
    pool(&folder, "pg", ["<pg_host>127.0.0.1</pg_host>", "<pg_hosts>x</pg_hosts>"]);
    script(&folder, &run).exits(0).says(&["CAUGHT1", "<c2> has an unknown key pg_hosts"]);
    // A pool whose second database is empty at first and later contains the same data as the first.
    script(&folder, &format!("{head}buildschema")).exits(0);
    server.client("CREATE DATABASE other OWNER tpcc").expect("a database");
    pool(&folder, "pg", ["", "<pg_dbase>other</pg_dbase>"]);
    let empty = script(&folder, &run).exits(3);
    empty.says(&["CAUGHT0", "Error in Virtual User", "cannot inspect other: "]);
    script(&folder, &format!("{head}diset tpcc pg_dbase other\nbuildschema")).exits(0);
    let done = script(&folder, &run).exits(0);
    in_order(&done, &["Vuser 1:1 Active Virtual Users configured", "CAUGHT0"]);
    // The same routes without a script.
    let port = server.port();
    let text = format!(
        "[targets.one]\nurl = \"postgres://tpcc:tpcc@127.0.0.1:{port}/tpcc\"\n\
         [targets.two]\nurl = \"postgres://tpcc:tpcc@127.0.0.1:{port}/other\"\n\
         [run.both]\ntarget = \"one\"\nworkload = \"tprocc\"\nduration = \"2s\"\n\
         ramp_up = \"0s\"\nroute = [\"new_order=random:one,two\", \"payment=two\"]\n"
    );
    folder.write("tacho.toml", &text);
    folder.tacho("run both").exits(0);
    let routes = folder.record("latest")["plan"]["routes"].to_string();
    assert_eq!(routes, "[\"new_order=random:one,two\",\"payment=round_robin:two\"]");
    folder
        .tacho("run both --route nothing=two")
        .exits(2)
        .complains(&["unknown transaction", "hint"]);
    folder.tacho("run both --route payment=sqlite:x.db").exits(2).complains(&["the same driver"]);
    let python = "dbset('db','pg')\ndiset('tpcc','pg_connect_pool','true')\ntry:\n    vurun()\n\
                  except Exception as error:\n    print('CAUGHT', error)\n";
    folder.write("pool.py", python);
    write_below(&folder, file, "<connpool/>");
    console(&folder, "py auto pool.py").exits(0).says(&["CAUGHT", "<connections> not found"]);
}
