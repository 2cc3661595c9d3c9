//! Tests the progress lines, the list of runs, and the detailed views of a run.
#![expect(clippy::disallowed_methods, reason = "the tests damage files on purpose")]

use crate::common::{NARROW, WIDE, fitted, incomplete, interval, invalid, valid};
use tacho_core::Seed;
use tacho_report::{
    audit, checks, errors, interval_header, interval_line, json, plan, runs_json, runs_table,
    server, timeline, transactions,
};
use tacho_store::record::{GaugeRecord, Record, ServerLoadRecord, WaitRecord};
use tacho_store::{IntervalRecord, RunWriter, Store};

#[test]
fn progress_lines_stand_under_their_titles() {
    let late = IntervalRecord {
        skipped: 5,
        late_p99_us: Some(40.0),
        headline_per_minute: None,
        phase: "ramp-down".into(),
        ..interval(4_210.0)
    };
    let empty = IntervalRecord { at_s: 9.6, phase: "ramp-up".into(), ..IntervalRecord::default() };
    let lines = [
        interval_header(Some("NOPM"), false, false),
        interval_line(&empty),
        interval_line(&interval(10.0)),
        interval_line(&late),
    ];
    let text = lines.join("\n").replace('\u{202f}', " ");
    insta::assert_snapshot!(text, @r"
       time  phase      sessions     tps     nopm      p50      p95      p99      max  failed     late
      00:10  ramp-up         0/0    0.00        –        –        –        –        –       0        –
      00:10  measure       64/64   4 410    114 k  10.0 ms  26.0 ms  47.0 ms   171 ms       2        –
    1:10:10  ramp-down     64/64   4 410        –  10.0 ms  26.0 ms  47.0 ms   171 ms       2  40.0 µs  5 skipped
    ");
}

#[test]
fn a_record_in_json_is_read_again() {
    let read: Record = serde_json::from_str(&json(&invalid()).unwrap()).unwrap();
    assert_eq!(read, invalid());
}

/// Returns a store with five runs: valid, invalid, killed, damaged, and in progress.
fn store() -> (tempfile::TempDir, Store, RunWriter) {
    let root = tempfile::tempdir().expect("a folder");
    let store = Store::open(root.path());
    let mut day = 1;
    let mut begin = |record: Record| {
        day += 1;
        let started_at = format!("2026-03-{day:02}T10:14:05+01:00");
        let record = Record { started_at, ..record };
        let mut writer =
            RunWriter::create(&store, record.clone(), Seed(day)).expect("a run begins");
        writer.keep();
        (writer, record)
    };
    for record in [valid(), invalid()] {
        let (writer, record) = begin(record);
        writer.finish(record).expect("a run ends");
    }
    drop(begin(incomplete()));
    let damaged = begin(valid()).0.folder().join("run.json");
    std::fs::write(damaged, "{").expect("a damaged record");
    let (running, _) = begin(incomplete());
    (root, store, running)
}

#[test]
fn every_run_is_listed() {
    let (root, store, _running) = store();
    let entries = store.list().unwrap();
    let root = root.path().display().to_string();
    let wide = runs_table(&entries, &WIDE).replace('\u{202f}', " ");
    // Compare only the table. The remarks below it contain a path whose length differs between
    // machines, which changes the line breaks.
    let table: Vec<&str> = wide.lines().take_while(|line| !line.is_empty()).collect();
    insta::assert_snapshot!(table.join("\n"), @r"
    id   when             workload target     headline verdict                   warnings    tags
    7h96 2026-03-06 10:14 tprocc   local             – running                   –           nightly
    v006 –                –        –                 – unreadable                –
    zxcf 2026-03-04 10:14 tprocc   local             – incomplete                –           nightly
    tbph 2026-03-03 10:14 tprocc   local  114 210 NOPM INVALID, threshold failed W01 W07 W09 nightly
    kjem 2026-03-02 10:14 tprocc   local  114 210 NOPM VALID                     W07         nightly
    ");
    let words = wide.split_whitespace().collect::<Vec<_>>().join(" ");
    let remark = words.replace(&root, "ROOT").split_once("! ").unwrap().1.to_owned();
    assert!(remark.contains(": cannot read ROOT/runs/2026-03-05T10-14-05-tprocc-local-"));
    assert!(remark.contains("the record is damaged"), "{remark}");
    assert!(remark.contains("hint: to rebuild the record from"), "{remark}");
    assert!(remark.contains("; remove the folder ROOT/runs/"), "{remark}");
    for line in runs_table(&entries, &NARROW).lines().take(6) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn the_list_in_json_holds_the_damaged_runs_too() {
    let (_root, store, _running) = store();
    let json = runs_json(&store.list().unwrap()).unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
    let verdicts: Vec<&str> = rows.iter().filter_map(|row| row["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["running", "unreadable", "incomplete", "INVALID", "VALID"]);
    assert_eq!(rows[4]["headline_name"], "NOPM");
    assert!(rows[1]["error"].as_str().unwrap().contains("damaged"));
}

#[test]
fn an_empty_store_says_so() {
    assert_eq!(runs_table(&[], &WIDE), "No runs yet. Use tacho run to start one.\n");
}

#[test]
fn the_timeline_is_what_was_printed() {
    let text = timeline(&valid(), &[interval(10.0), interval(20.0)], &WIDE);
    let expected = [
        interval_header(Some("NOPM"), false, false),
        interval_line(&interval(10.0)),
        interval_line(&interval(20.0)),
    ];
    assert_eq!(text, expected.join("\n") + "\n");
}

#[test]
fn latency_and_service_time() {
    insta::assert_snapshot!(fitted(&transactions(&valid(), &WIDE), &WIDE), @r"
    Latency (end − due)
      transaction  samples     min    mean     p50     p90     p95     p99   p99.9     max
      new_order     19 045 47.5 µs  209 µs  190 µs  260 µs  301 µs  488 µs 1.12 ms 4.39 ms
      payment       19 841 24.6 µs  108 µs 98.4 µs  130 µs  151 µs  310 µs  713 µs 2.79 ms
      order_status   1 768 13.0 µs 57.2 µs 52.0 µs 71.0 µs 80.0 µs  180 µs       – 1.62 ms
      delivery       1 767  180 µs  792 µs  720 µs  910 µs 1.02 ms 1.90 ms       – 17.1 ms
      stock_level    1 766 77.5 µs  341 µs  310 µs  402 µs  455 µs  720 µs       – 6.48 ms
      all           44 187 35.0 µs  154 µs  140 µs  290 µs  420 µs  980 µs 2.25 ms 8.82 ms

    Service time (end − sent)
      transaction  samples     min    mean     p50     p90     p95     p99   p99.9     max
      new_order     19 045 42.8 µs  188 µs  171 µs  234 µs  271 µs  439 µs 1.01 ms 3.95 ms
      payment       19 841 22.1 µs 97.4 µs 88.6 µs  117 µs  136 µs  279 µs  642 µs 2.51 ms
      order_status   1 768 11.7 µs 51.5 µs 46.8 µs 63.9 µs 72.0 µs  162 µs       – 1.46 ms
      delivery       1 767  162 µs  713 µs  648 µs  819 µs  918 µs 1.71 ms       – 15.4 ms
      stock_level    1 766 69.8 µs  307 µs  279 µs  362 µs  410 µs  648 µs       – 5.83 ms
      all           44 187 31.5 µs  139 µs  126 µs  261 µs  378 µs  882 µs 2.03 ms 7.94 ms
    ");
}

#[test]
fn errors_in_full() {
    insta::assert_snapshot!(fitted(&errors(&invalid(), &WIDE), &WIDE), @r"
    1 211 lock timeout in payment, code SQLITE_BUSY
      database is locked by another
    1 other in payment, code –
      x
    ");
    assert_eq!(errors(&valid(), &WIDE), "No errors.\n");
}

#[test]
fn checks_in_full() {
    insta::assert_snapshot!(fitted(&checks(&invalid(), &WIDE), &WIDE), @r"
    ✓ C1 (after) rule 1 of the specification: holds
    ✓ C2 (after) rule 2 of the specification: holds
    ✗ C3 (after) rule 3 of the specification: violated: 3 rows, the first: w_id 1, d_id 2, found 3 004
    ✗ C4 (after) rule 4 of the specification: failed: no such table: district
    ✓ C5 (after) rule 5 of the specification: holds
    ✓ C6 (after) rule 6 of the specification: holds
    ✓ C7 (after) rule 7 of the specification: holds
    ✓ C8 (after) rule 8 of the specification: holds
    ✓ C9 (after) rule 9 of the specification: holds
    – C10 (after) rule 10 of the specification: excused: amounts_reversed
    ✓ C11 (after) rule 11 of the specification: holds
    ✓ C12 (after) rule 12 of the specification: holds
    ");
}

#[test]
fn the_audit_in_full() {
    insta::assert_snapshot!(fitted(&audit(&invalid(), &WIDE), &WIDE), @r"
       rule                measured  expected  lowest  highest   draws  clause
    ✓  new_order             44.8 %    44.8 %  40.3 %   49.3 %  44 188  TPC-C 5.2.3
    ✓  payment               43.1 %    43.1 %  38.8 %   47.4 %  44 188  TPC-C 5.2.3
    ✓  delivery               4.0 %     4.0 %   3.6 %    4.4 %  44 188  TPC-C 5.2.3
    ✗  remote order lines     1.0 %     1.0 %   0.9 %    1.1 %  44 188  TPC-C 5.2.3
    –  customer by name           –    60.3 %  54.3 %   66.3 %  44 188  TPC-C 5.2.3
    ");
}

#[test]
fn the_plan_in_full() {
    insta::assert_snapshot!(fitted(&plan(&invalid(), &WIDE), &WIDE), @r"
    Plan
      target                   local (sqlite:tprocc.db)
      workload                 tprocc
      driver                   sqlite
      scale                    1 warehouse
      sets                     0
      profile                  spec
      form                     sql
      seed                     42
      sessions                 64
      hosts                    1
      rate                     5000
      reconnect                no
      spacing                  poisson
      backlog                  1 000 000
      latency_limit            0 s
      arrival                  open
      pacing                   x0.5
      stagger                  0 s
      duration                 10 s
      ramp_up                  2 s
      ramp_down                0 s
      interval                 1 s
      drain                    30 s
      settle                   0 s
      retry                    same
      attempts                 3
      backoff                  1.00 ms
      on_disconnect            stop
      on_host_loss             invalid
      reconnect_within         5 min
      answer_timeout           1 min
      shared                   no
      require                  valid
      check                    after
      verify                   none
      session_times            no
      statement_times          no
      tag                      nightly
    Workload parameters
      mix                      deck
    Server
      version                  SQLite 3.51.1
      journal_mode             wal
    Client
      name                     bench1
      os                       Debian 13, kernel 6.12.1, x86_64
      cpu                      2 cores, a processor
      memory                   14.9 GiB
      tacho                    0.1.0
    Again
      tacho run tprocc local --seed 42
    ");
}

#[test]
fn a_killed_run_has_no_parts() {
    for show in [transactions, errors, checks, audit] {
        assert!(show(&incomplete(), &WIDE).contains("has no result"));
    }
}

#[test]
fn shows_the_server_load_in_full() {
    let mut record = valid();
    assert!(server(&record, &WIDE).starts_with("The server was not monitored"));
    let wait = |class: &str, event: &str, sessions: f64| WaitRecord {
        class: class.into(),
        event: event.into(),
        kind: None,
        sessions,
        share: sessions / 8.0,
    };
    let age = GaugeRecord { mean: 1_234_567.4, min: 8, max: 9_876_543, last: 12_345 };
    let result = record.result.as_mut().expect("a result");
    result.server_load = Some(ServerLoadRecord {
        samples: 600,
        active_sessions: 8.0,
        waits: vec![wait("lock", "row", 6.0), wait("CPU", "", 2.0)],
        counters: [("deadlocks".to_owned(), 0), ("log_bytes".to_owned(), 512_000_000)].into(),
        gauges: [("checkpoint_age_bytes".to_owned(), age)].into(),
        missing: vec!["the number of deadlocks: ask for the right".into()],
    });
    let text = server(&record, &WIDE).replace('\u{202f}', " ");
    insta::assert_snapshot!(text, @r"
      ! Not seen: the number of deadlocks: ask for the right

    Mean number of sessions over the measured phase: 8.00 in the server, 0.00 waiting for the client; 600 samples
      class  event  sessions   share
      lock   row        6.00  75.0 %
      CPU               2.00  25.0 %

    Growth of the server's counters over the measured phase
      counter         growth  per second  per transaction
      deadlocks            0        0.00             0.00
      log_bytes  512 000 000  51 198 464           11 587

    Gauges
      gauge                      mean  least       most  at the end
      checkpoint_age_bytes  1 234 567      8  9 876 543      12 345
    ");
}
