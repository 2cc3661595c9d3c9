//! Tests of loads and checks whose work is divided among several hosts, on a real server.

use tacho_testkit::live::eventually;
use tacho_testkit::servers::Postgres;
use tacho_tests::{Done, Signal};

use crate::hosts::{Place, end};
use crate::live::drop_database;

/// Returns a hash of all rows in all tables. Dates are left out, because they are different after each load.
fn hash(server: &Postgres, database: &str) -> String {
    let tables = "SELECT string_agg(table_name, ' ' ORDER BY table_name) FROM information_schema.tables \
                  WHERE table_schema = 'public' AND table_name NOT LIKE 'tacho%'";
    let tables = server.client_on(database, tables).expect("the tables");
    let mut all = String::new();
    for table in tables.split_whitespace() {
        let query = format!(
            "SELECT count(*), md5(string_agg(row, ',' ORDER BY row)) FROM (SELECT regexp_replace(t::text, \
             '[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}} [0-9:.]+', '', 'g') COLLATE \"C\" AS row FROM {table} t) AS rows"
        );
        let found = server.client_on(database, &query).expect("a hash");
        all.extend([table, " ", &found, "\n"]);
    }
    assert!(all.lines().count() > 3, "{all}");
    all
}

/// Returns the number in front of the given word in a command's output.
fn number_before(done: &Done, word: &str) -> u64 {
    let text = done.out.split(word).next().expect("a number");
    let digits = text.trim_end().rsplit(|c: char| !c.is_ascii_digit() && !c.is_whitespace());
    let digits: String = digits.take(1).flat_map(str::chars).filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number before {word:?}: {}", done.out))
}

/// Three hosts must create the same rows as a single host.
#[test]
fn hosts_load_and_check_what_one_would() {
    let Some(place) = Place::new() else { return };
    let (folder, server) = (&place.folder, Postgres::shared());
    let alone = server.database("hosts_alone").expect("a database");
    let many = server.database("hosts_many").expect("a database");
    let prepare = "--scale 2 --seed 7 -c 4 --progress plain";
    let one = folder.tacho(&format!("prepare tprocc '{alone}' {prepare}")).exits(0);
    let agents = place.agents(["c", "a", "b"]);
    let hosts = "--hosts 3 --nats nats";
    let three =
        folder.tacho(&format!("prepare tprocc '{many}' {prepare} {hosts} --check after")).exits(0);
    three.says(&["✓ C1"]);
    assert!(three.err.contains("load hosts: a, b, c"), "{}", three.err);
    let rows = |done: &Done| number_before(done, " rows in ");
    assert_eq!(rows(&one), rows(&three), "{}{}", one.out, three.out);
    assert_eq!(hash(server, "hosts_alone"), hash(server, "hosts_many"));
    folder.tacho(&format!("prepare tprocc '{many}' {prepare} {hosts}")).exits(0).says(&["already"]);
    // Three hosts must find the same violations in this data as a single host.
    let check = |more: &str| folder.tacho(&format!("check tprocc '{many}' {more} -o json")).done();
    for (sabotage, code) in [
        ("SELECT 1", 0),
        ("UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2", 5),
        ("DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 3", 5),
    ] {
        server.client_on("hosts_many", sabotage).expect("a change");
        let (one, three) = (check(""), check(hosts));
        assert_eq!((one.code(), three.code()), (code, code), "{}", three.err);
        assert_eq!(one.json()["checks"], three.json()["checks"]);
        assert!(one.json()["checks"].as_array().is_some_and(|all| all.len() > 8));
    }
    end(agents);
    for name in ["hosts_alone", "hosts_many"] {
        drop_database(server, name);
    }
}

/// Waits until all three hosts have begun to copy rows into a database.
fn until_three_copy(database: &str, server: &Postgres) {
    let copying = format!(
        "SELECT count(*) >= 3 FROM pg_stat_activity WHERE datname = '{database}' AND query LIKE 'COPY %'"
    );
    eventually("three hosts that load", || {
        server.client_on(database, &copying).is_ok_and(|found| found.trim() == "t")
    });
}

/// If a host dies during a load, it must be named. Repeating the command must resume the load and keep the rows that
/// the other hosts have loaded.
#[test]
fn a_load_that_lost_a_host_is_resumed() {
    let Some(place) = Place::new() else { return };
    let (folder, server) = (&place.folder, Postgres::shared());
    let target = server.database("hosts_lost").expect("a database");
    let whole = server.database("hosts_whole").expect("a database");
    folder.tacho(&format!("prepare tprocc '{whole}' --scale 3 -c 3")).exits(0);
    let [a, mut b, c] = place.agents(["a", "b", "c"]);
    let line =
        format!("prepare tprocc '{target}' --scale 3 -c 3 --nats nats --lease 8s --progress plain");
    let run = folder.tacho(&format!("{line} --hosts 3")).start();
    b.until(|line| line.contains("share 2 of 3"));
    // Wait until all hosts copy rows, because a host that dies earlier causes another error.
    until_three_copy("hosts_lost", server);
    b.signal(Signal::KILL);
    let done = run.wait();
    assert_ne!(done.code(), 0);
    done.complains(&[
        "1 load host did not finish: b is lost: no messages for 8s",
        "to resume the build",
    ]);
    b.wait();
    let noted = || {
        let noted = server.client_on("hosts_lost", "SELECT count(*) FROM tacho_units");
        noted.expect("the notes").trim().parse::<u64>().expect("a number")
    };
    let kept = noted();
    assert!(kept > 0, "the others have finished their shares");
    folder.tacho(&format!("run tprocc '{target}' -d 1s")).done().complains(&["is incomplete"]);
    let again = folder.tacho(&format!("{line} --hosts 2")).exits(0);
    assert!(again.err.contains("resuming an interrupted build"), "{}", again.err);
    assert!(noted() > kept);
    assert_eq!(hash(server, "hosts_lost"), hash(server, "hosts_whole"));
    folder.tacho(&format!("check tprocc '{target}' --hosts 2 --nats nats")).exits(0);
    end([a, c]);
    for name in ["hosts_lost", "hosts_whole"] {
        drop_database(server, name);
    }
}

/// If the user stops the load or one of the agents, all hosts must stop and become available again.
#[test]
fn a_load_that_is_stopped_is_resumed() {
    let Some(place) = Place::new() else { return };
    let (folder, server) = (&place.folder, Postgres::shared());
    let target = server.database("hosts_stopped").expect("a database");
    let [a, mut b, c] = place.agents(["a", "b", "c"]);
    let line = format!("prepare tprocc '{target}' --scale 8 -c 3 --nats nats --hosts");
    // The user may stop the command before all agents have started. An agent must not report that its own user has
    // stopped it.
    for _ in 0..6 {
        let run = folder.tacho(&format!("{line} 3 --progress plain")).start();
        b.until(|line| line.contains("share 2 of 3"));
        run.signal(Signal::INT);
        let done = run.wait();
        assert_eq!(done.code(), 130, "{}", done.err);
        assert!(done.err.contains("repeat the command to resume"), "{}", done.err);
    }
    let run = folder.tacho(&format!("{line} 3 --progress plain")).start();
    b.until(|line| line.contains("share 2 of 3"));
    b.signal(Signal::INT);
    run.wait().complains(&["b is lost: stopped by its user", "to resume the build"]);
    b.wait();
    folder.tacho(&format!("{line} 2")).exits(0);
    folder.tacho(&format!("check tprocc '{target}'")).exits(0);
    end([a, c]);
    drop_database(server, "hosts_stopped");
}

/// If a host dies during a check, there is no result for its part of the data. The output must say so.
#[test]
fn a_check_that_lost_a_host_does_not_hold() {
    let Some(place) = Place::new() else { return };
    let (folder, server) = (&place.folder, Postgres::shared());
    let target = server.database("hosts_checked").expect("a database");
    folder.tacho(&format!("prepare tprocc '{target}'")).exits(0);
    let [a, mut b] = [place.agent("a", ""), place.agent("b", "")];
    // Because of this lock, the check's queries cannot finish before a host is lost.
    let held = std::thread::spawn(|| {
        let lock = "BEGIN; LOCK TABLE stock, district, orders, warehouse; SELECT pg_sleep(300)";
        Postgres::shared().client_on("hosts_checked", lock).expect_err("it is cancelled");
    });
    let who = "FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted \
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let locks = format!("SELECT count(*) {who}");
    while server.client_on("hosts_checked", &locks).expect("the locks").trim() == "0" {
        std::thread::yield_now();
    }
    let line = format!("check tprocc '{target}' --hosts 2 --nats nats --lease 3s");
    let check = folder.tacho(&line).start();
    b.until(|line| line.contains("share 2 of 2"));
    b.signal(Signal::KILL);
    b.wait();
    let release = format!("SELECT pg_cancel_backend(min(pid)) {who}");
    server.client_on("hosts_checked", &release).expect("no lock");
    let done = check.wait();
    assert_eq!(done.code(), 5, "{}{}", done.out, done.err);
    done.says(&["could not be run: load host b is lost: no messages for 3s"]);
    held.join().expect("the lock is gone");
    end([a]);
}

/// If work cannot be divided among hosts, it must be rejected before anything is started.
#[test]
fn what_hosts_cannot_load_is_refused() {
    let Some(place) = Place::new() else { return };
    let server = Postgres::shared();
    let target = server.database("hosts_refused").expect("a database");
    for (line, words) in [
        (
            "prepare tprocc 'TARGET' --hosts 2 --nats nats",
            "not enough sessions: 1 session for 2 hosts",
        ),
        ("check tprocc 'TARGET' --hosts 3 --check-sessions 2 --nats nats", "--check-sessions"),
        ("prepare tprocc 'TARGET' --hosts 2 -c 2", "--hosts requires a NATS server"),
        ("check tprocc 'TARGET' --hosts 2", "--hosts requires a NATS server"),
        ("prepare tprocc sqlite:a.db --hosts 2 -c 2 --nats nats", "embedded"),
        (
            "prepare tprocc noop --hosts 2 -c 2 --nats nats",
            "does not support loading from several hosts",
        ),
        (
            "check tprocc 'TARGET' --hosts 2 --nats nats --commits latest",
            "--commits cannot be combined with --hosts",
        ),
    ] {
        let line = line.replace("TARGET", &target);
        place.folder.tacho(&line).exits(2).complains(&[words, "hint: "]);
    }
    let line = format!("prepare tprocc '{target}' --hosts 2 -c 2 --nats nats --hosts-within 1s");
    place.folder.tacho(&line).done().complains(&["0 of 2 agents responded", "hint: "]);
}
