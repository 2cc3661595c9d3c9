//! Tests the summary of successful, failed and incomplete runs.

use crate::common::{NARROW, WIDE, fitted, incomplete, invalid, valid};
use tacho_report::{Footer, TextOptions, summary};
use tacho_store::record::{
    AcknowledgedRecord, ArrivalsRecord, Estimate, FaultRecord, NoticeRecord, OutageRecord, Record,
    ResultRecord, RollbacksRecord, StallRecord, SteadinessVerdict, UndisturbedRecord,
};

const NOTICE: &str = "Derived from the TPC-C benchmark; not a TPC result and not comparable to \
                      published TPC results.";

fn text(record: &Record, options: &TextOptions) -> String {
    let next = ["tacho show --transactions".to_owned(), "tacho runs list".to_owned()];
    let saved = Some("./runs/2026-03-02T10-14-05-tprocc-local-7q3f");
    let footer = Footer { notice: NOTICE, saved, next: &next };
    fitted(&summary(record, &footer, options), options)
}

#[test]
fn a_valid_run() {
    insta::assert_snapshot!(text(&valid(), &WIDE), @r"
    tprocc on local · SQLite 3.51.1 · 1 warehouse · 1 session, closed, no think time
      VALID with 1 warning: shared machine
      114 210 NOPM (schema)   265 120 TPM (client)   95 % CI ±0.8 % (10 intervals of 1 s)

    10 s measured after 2 s ramp-up · profile spec · seed 42 · run 7q3f

      transaction    share  count     p50     p90     p95     p99   p99.9     max failed rolled back
      new_order     43.1 % 19 045  190 µs  260 µs  301 µs  488 µs 1.12 ms 4.39 ms      0         191
      payment       44.9 % 19 841 98.4 µs  130 µs  151 µs  310 µs  713 µs 2.79 ms      0           –
      order_status   4.0 %  1 768 52.0 µs 71.0 µs 80.0 µs  180 µs       – 1.62 ms      0           –
      delivery       4.0 %  1 767  720 µs  910 µs 1.02 ms 1.90 ms       – 17.1 ms      0           –
      stock_level    4.0 %  1 766  310 µs  402 µs  455 µs  720 µs       – 6.48 ms      0           –
      all          100.0 % 44 187  140 µs  290 µs  420 µs  980 µs 2.25 ms 8.82 ms      0         191

      accounting   44 188 started = 43 996 committed + 191 rolled back + 0 failed + 1 unfinished
                   (longest 402 µs)
      errors       none
      commits      ✓ commits match: client 22 911, schema 22 911
      checks       ✓ 12 of 12 after the run
      audit        ✓ 5 of 5 within their bands: mix 44.8/43.1/4.0 %
      throughput   ✓ steady: second half +0.4 % vs. the first
      data         seed 42, loaded 2026-03-02 10:13, first run on this data
      server       ! synchronous=normal: the last commits may be lost
      this tool    CPU 0.98 of 2 cores (embedded database included), 1 204 113 statements in 1 204 113
                   round trips

      ! the database runs inside this process; figures include our own CPU use (W07)
        hint: for a server's figures name a target, such as postgres://bench@db1/tprocc

    Derived from the TPC-C benchmark; not a TPC result and not comparable to published TPC results.

      question     What throughput does SQLite 3.51.1 reach in tprocc with 1 session?
      answer       114 210 NOPM ±0.8 %, p95 420 µs: VALID with 1 warning: shared machine.
      cause        Unknown: nothing that was observed explains the result.
      conditions   SQLite 3.51.1, 1 warehouse, 1 session, closed, no think time; 10 s measured after 2 s
                   ramp-up.
                   Machine: 2 cores, a processor, 14.9 GiB memory.
                   Durability is switched off: synchronous=normal: the last commits may be lost.
      not shown    The database runs inside this process; figures include our own CPU use; hint: for a
                   server's figures name a target, such as postgres://bench@db1/tprocc.
                   How much the result varies between runs: repeat the run with the same --tag.

    Saved  ./runs/2026-03-02T10-14-05-tprocc-local-7q3f
    Next   tacho show --transactions
           tacho runs list
    ");
}

#[test]
fn an_invalid_run_says_why_everywhere() {
    insta::assert_snapshot!(text(&invalid(), &WIDE), @r"
    tprocc on local · SQLite 3.51.1 · 1 warehouse
      64 sessions, open at 5 000/s poisson, keying and think times ×0.5
      INVALID: rate not reached; checks failed · threshold failed: nopm>200k (no data)
      reached 4 419/s of 5 000/s; 5 812 arrivals waiting at the end, 0 at the start
      114 210 NOPM (schema)   265 120 TPM (client)   95 % CI unknown: too few intervals

    3.4 s measured of 10 s planned after 2 s ramp-up · stopped by the user · profile spec · seed 42
      run 7q3f

      transaction    share  count     p50     p90     p95     p99   p99.9     max failed rolled back
      new_order     43.1 % 19 045  190 µs  260 µs  301 µs  488 µs 1.12 ms 4.39 ms      0         191
      payment       44.9 % 19 841 98.4 µs  130 µs  151 µs  310 µs  713 µs  5.10 s    400           –
      order_status   4.0 %  1 768 52.0 µs 71.0 µs 80.0 µs  180 µs       – 1.62 ms      0           –
      delivery       4.0 %  1 767  720 µs  910 µs 1.02 ms 1.90 ms       – 17.1 ms      0           –
      stock_level    4.0 %  1 766  310 µs  402 µs  455 µs  720 µs       – 6.48 ms      0           –
      all          100.0 % 44 187  140 µs  290 µs  420 µs  980 µs 2.25 ms 8.82 ms      0         191

      accounting   50 000 due = 44 188 started + 5 812 skipped
                   44 188 started = 43 596 committed + 191 rolled back + 400 failed + 1 unfinished
                   (longest 402 µs)
                   12 more were due before the measured phase but ended during it
      arrivals     5 812 arrivals waiting at the end, 0 at the start; waited for a session p50 8.00 ms,
                   p99 40.0 ms, max 360 ms
      errors       1 211 lock timeout (SQLITE_BUSY) in payment: database is locked by another
                   1 other in payment: x
                   812 retried, 400 failed in the measured phase
      thresholds   ✓ new_order.p95<50ms   measured 0.30 ms
                   ✗ nopm>200k   no data, which fails
      commits      ✗ 11 commits missing in the database: client 22 911, schema 22 900, 2 of unknown
                     outcome
      checks       ✗ 9 of 11 after the run, 1 excused: C10 (amounts_reversed)
                   ✗ C3 rule 3 of the specification: 3 rows, the first: w_id 1, d_id 2, found 3 004
                   ✗ C4 rule 4 of the specification: could not be checked: no such table: district
      audit        ✗ 3 of 4 within their bands: mix 44.8/43.1/4.0 %, 1 without draws
                   ✗ remote order lines 1.0 % outside 0.9 % to 1.1 % (TPC-C 5.2.3), 44 188 draws
      throughput   – too short to judge
      data         seed 42, loaded 2026-03-02 10:13, first run on this data
      server       ! synchronous=normal: the last commits may be lost
      this tool    CPU 0.98 of 2 cores (embedded database included), scheduler late p99 40.0 µs,
                   1 204 113 statements in 1 204 113 round trips
                   ! did not run for 4.03 s in 2 stops (longest 4.00 s)
                   ! the client limited the rate, not the database
                   ! 1 session lost

      ✗ 4 418/s of 5 000/s were reached (W01)
        hint: what to do
      ✗ 2 of 12 checks do not hold (W09)
        hint: what to do
      ! the database runs inside this process; figures include our own CPU use (W07)
        hint: for a server's figures name a target, such as postgres://bench@db1/tprocc

    Derived from the TPC-C benchmark; not a TPC result and not comparable to published TPC results.

      question     Does tprocc on SQLite 3.51.1 meet new_order.p95<50ms and nopm>200k?
      answer       114 210 NOPM, p95 420 µs: INVALID: rate not reached; checks failed · threshold
                   failed: nopm>200k (no data).
                   Reached 4 419/s of 5 000/s; 5 812 arrivals waiting at the end, 0 at the start.
                   Met: new_order.p95<50ms (0.30 ms).
                   Do not quote these results: the run is INVALID.
      cause        Unknown: nothing that was observed explains the result.
      conditions   SQLite 3.51.1, 1 warehouse, 64 sessions, open at 5 000/s poisson, keying and think
                   times ×0.5; 3.4 s measured of 10 s planned after 2 s ramp-up, stopped by the user.
                   Machine: 2 cores, a processor, 14.9 GiB memory.
                   Durability is switched off: synchronous=normal: the last commits may be lost.
      not shown    A confidence interval: it needs at least 8 intervals of 1 s.
                   4 418/s of 5 000/s were reached; hint: what to do.
                   2 of 12 checks do not hold; hint: what to do.
                   The database runs inside this process; figures include our own CPU use; hint: for a
                   server's figures name a target, such as postgres://bench@db1/tprocc.
                   How much the result varies between runs: repeat the run with the same --tag.

    Saved  ./runs/2026-03-02T10-14-05-tprocc-local-7q3f
    Next   tacho show --transactions
           tacho runs list
    ");
}

#[test]
fn eighty_columns_drop_two_percentiles() {
    insta::assert_snapshot!(text(&valid(), &NARROW), @r"
    tprocc on local · SQLite 3.51.1 · 1 warehouse · 1 session, closed, no think time
      VALID with 1 warning: shared machine
      114 210 NOPM (schema)   265 120 TPM (client)
      95 % CI ±0.8 % (10 intervals of 1 s)

    10 s measured after 2 s ramp-up · profile spec · seed 42 · run 7q3f

      transaction    share  count     p50     p95     p99     max failed rolled back
      new_order     43.1 % 19 045  190 µs  301 µs  488 µs 4.39 ms      0         191
      payment       44.9 % 19 841 98.4 µs  151 µs  310 µs 2.79 ms      0           –
      order_status   4.0 %  1 768 52.0 µs 80.0 µs  180 µs 1.62 ms      0           –
      delivery       4.0 %  1 767  720 µs 1.02 ms 1.90 ms 17.1 ms      0           –
      stock_level    4.0 %  1 766  310 µs  455 µs  720 µs 6.48 ms      0           –
      all          100.0 % 44 187  140 µs  420 µs  980 µs 8.82 ms      0         191

      accounting   44 188 started = 43 996 committed + 191 rolled back + 0 failed +
                   1 unfinished (longest 402 µs)
      errors       none
      commits      ✓ commits match: client 22 911, schema 22 911
      checks       ✓ 12 of 12 after the run
      audit        ✓ 5 of 5 within their bands: mix 44.8/43.1/4.0 %
      throughput   ✓ steady: second half +0.4 % vs. the first
      data         seed 42, loaded 2026-03-02 10:13, first run on this data
      server       ! synchronous=normal: the last commits may be lost
      this tool    CPU 0.98 of 2 cores (embedded database included), 1 204 113
                   statements in 1 204 113 round trips

      ! the database runs inside this process; figures include our own CPU use (W07)
        hint: for a server's figures name a target, such as
              postgres://bench@db1/tprocc

    Derived from the TPC-C benchmark; not a TPC result and not comparable to
    published TPC results.

      question     What throughput does SQLite 3.51.1 reach in tprocc with 1
                   session?
      answer       114 210 NOPM ±0.8 %, p95 420 µs: VALID with 1 warning: shared
                   machine.
      cause        Unknown: nothing that was observed explains the result.
      conditions   SQLite 3.51.1, 1 warehouse, 1 session, closed, no think time;
                   10 s measured after 2 s ramp-up.
                   Machine: 2 cores, a processor, 14.9 GiB memory.
                   Durability is switched off: synchronous=normal: the last commits
                   may be lost.
      not shown    The database runs inside this process; figures include our own
                   CPU use; hint: for a server's figures name a target, such as
                   postgres://bench@db1/tprocc.
                   How much the result varies between runs: repeat the run with the
                   same --tag.

    Saved  ./runs/2026-03-02T10-14-05-tprocc-local-7q3f
    Next   tacho show --transactions
           tacho runs list
    ");
}

#[test]
fn a_killed_run_says_what_is_known() {
    insta::assert_snapshot!(text(&incomplete(), &WIDE), @r"
    tprocc on local · SQLite 3.51.1 · 1 warehouse · 1 session, closed, no think time
    began 2026-03-02 10:14 · profile spec · seed 42 · run 7q3f

      INCOMPLETE: the run was killed or is still running

      planned      10 s after 2 s ramp-up
      data         seed 42, loaded 2026-03-02 10:13, first run on this data
      server       ! synchronous=normal: the last commits may be lost

    Derived from the TPC-C benchmark; not a TPC result and not comparable to published TPC results.

    Saved  ./runs/2026-03-02T10-14-05-tprocc-local-7q3f
    Next   tacho show --transactions
           tacho runs list
    ");
}

#[test]
fn any_width_and_many_digits_are_laid_out() {
    let mut record = invalid();
    let result = record.result.as_mut().expect("a result");
    for transaction in &mut result.transactions {
        transaction.count *= 1_000;
    }
    for width in [80, 90, 100, 200] {
        text(&record, &TextOptions { width, color: false });
    }
    // These widths are too narrow for the summary, but they must not cause a panic.
    for width in [0, 1, 20] {
        summary(&record, &Footer::default(), &TextOptions { width, color: true });
    }
}

#[test]
fn colour_adds_codes_and_changes_no_word() {
    let footer = Footer::default();
    let painted = summary(&invalid(), &footer, &TextOptions { width: 100, color: true });
    assert!(painted.contains("\u{1b}[1;31mINVALID\u{1b}[0m: rate not reached"));
    let mut plain = painted;
    while let Some(start) = plain.find('\u{1b}') {
        let length = plain[start..].find('m').unwrap() + 1;
        plain.replace_range(start..start + length, "");
    }
    assert_eq!(plain, summary(&invalid(), &footer, &WIDE));
}

#[test]
fn reports_lost_and_extra_commits() {
    let table = [
        (Some(100), 100, 0, "✓ commits match: client 100"),
        (Some(101), 100, 1, "✓ commits match: client 100"),
        (Some(99), 100, 0, "✗ 1 commit missing in the database"),
        (Some(105), 100, 1, "✗ 4 in the database that no client committed"),
        (None, 100, 0, "– not counted in the database"),
    ];
    for (schema, client, unknown, expected) in table {
        let mut record = valid();
        let headline = record.result.as_mut().unwrap().headline.as_mut().unwrap();
        headline.whole_run_schema_count = schema;
        headline.whole_run_client_count = client;
        headline.whole_run_unknown_count = unknown;
        let text = text(&record, &WIDE);
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}

#[test]
fn reports_accounts_that_do_not_add_up() {
    let mut record = valid();
    record.result.as_mut().unwrap().accounting.committed += 1;
    assert!(text(&record, &WIDE).contains("✗ these numbers do not add up"));
}

#[test]
fn reports_rollbacks_unknown_to_the_client() {
    let table = [
        (Some((191, 191, 0)), "  rollbacks    ✓ no hidden rollbacks: server 191, client 191"),
        (Some((231, 191, 40)), "  rollbacks    ✗ 40 hidden from the client: server 231"),
    ];
    for (found, expected) in table {
        let mut record = valid();
        record.result.as_mut().unwrap().rollbacks = found.map(|(server, client, hidden)| {
            RollbacksRecord { server, client, hidden, maintenance: 0 }
        });
        let text = text(&record, &WIDE);
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(!text(&valid(), &WIDE).contains("rollbacks "), "nobody counts them");
}

#[test]
fn reports_results_by_planned_minutes_where_they_differ() {
    let line = "rates are per measured minute; for the planned duration of";
    assert!(!text(&valid(), &WIDE).contains(line), "they differ by less than 0.1 %");
    let mut record = valid();
    let headline = record.result.as_mut().unwrap().headline.as_mut().unwrap();
    headline.per_nominal_minute = Some(headline.per_minute * 1.002);
    let told = text(&record, &WIDE);
    assert!(told.contains(line) && told.contains("NOPM\n"), "{told}");
}

/// A modification of a result.
type Change<'a> = &'a dyn Fn(&mut ResultRecord);

/// The first five lines of the summary must be sufficient to distinguish these six kinds of runs,
/// even on a narrow terminal.
#[test]
fn the_first_five_lines_tell_six_kinds_of_runs_apart() {
    let notice = |id: &str, name: &str, text: &str| {
        let (id, name, text, hint) = (id.into(), name.into(), text.into(), String::new());
        NoticeRecord { id, name, invalidates: false, text, hint }
    };
    let over = |result: &mut ResultRecord| {
        (result.valid, result.throughput_per_s) = (false, 429.4);
        let (backlog_start, backlog_end) = (7_850, 23_560);
        let backlog_max = backlog_end;
        result.arrivals = Some(ArrivalsRecord {
            backlog_start,
            backlog_end,
            backlog_max,
            ..ArrivalsRecord::default()
        });
    };
    let outage = |result: &mut ResultRecord| {
        let (sessions_lost, first_commit_after_s) = (10, Some(2.25));
        result.outages = vec![OutageRecord {
            at_s: 5.0,
            sessions_lost,
            first_commit_after_s,
            detected_after_s: 0.003,
            attempts_refused: 60,
            connected_after_s: Some(2.1),
            ..OutageRecord::default()
        }];
    };
    let locked = |result: &mut ResultRecord| {
        let waited_for = "Lock relation".into();
        result.stall = Some(StallRecord { at_s: 5.0, length_s: 8.0, waited_for });
    };
    let used_up = |result: &mut ResultRecord| {
        result.notices =
            vec![notice("W03", "mix-outside", "outside their bands: empty deliveries")];
    };
    let short = |result: &mut ResultRecord| {
        result.notices = vec![notice(
            "W01",
            "too-few-samples",
            "2 full intervals: the confidence interval is imprecise",
        )];
    };
    let table: [(Change<'_>, &str); 6] = [
        (&over, "reached 429/s of 2 000/s; 23 560 arrivals waiting at the end, 7 850 at the start"),
        (&outage, "outage 5 s into the load: 10 connections lost, first commit after 2.25 s"),
        (
            &locked,
            "no transaction ended for 8 s, starting 5 s into the load; sessions waited for Lock relation",
        ),
        (&used_up, "outside their bands: empty deliveries"),
        (&short, "2 full intervals: the confidence interval is imprecise"),
        (&|_| {}, "VALID 114 210 NOPM"),
    ];
    for (place, (change, expected)) in table.iter().enumerate() {
        let mut record = valid();
        let result = record.result.as_mut().expect("a result");
        result.notices.clear();
        change(result);
        record.plan.load.arrival.rate = (place == 0).then_some(2_000.0);
        let all = text(&record, &NARROW);
        let first = all.lines().take(5).map(str::trim).collect::<Vec<_>>().join(" ");
        assert!(first.contains(expected), "{expected}\n{first}");
        let others = table.iter().filter(|other| other.1 != *expected);
        others.for_each(|other| assert!(!first.contains(other.1) || place < 5, "{first}"));
    }
}

/// Returns a run with a fault. If `undisturbed` is true, the verdict covers only the undisturbed
/// time.
fn faulted(undisturbed: bool) -> Record {
    let mut record = valid();
    let result = record.result.as_mut().expect("a result");
    let (at_s, what) = (70.0, "kill pg".to_owned());
    let latency_normal_after_s = Some(20.0);
    result.faults = vec![FaultRecord { at_s, what, latency_normal_after_s, ..Default::default() }];
    let first_commit_after_s = Some(4.3);
    result.outages = vec![OutageRecord { at_s, first_commit_after_s, ..OutageRecord::default() }];
    let acknowledged = 124_061;
    result.acknowledged = Some(AcknowledgedRecord { acknowledged, ..Default::default() });
    let steadiness = std::mem::take(&mut result.steadiness);
    let (value, low, high) = (1_430.0, 1_416.0, 1_444.0);
    let interval_95 = Some(Estimate { value, low, high, samples: 42, batches: 21 });
    let [length_s, throughput_per_s] = [42.0, value];
    let quiet = UndisturbedRecord { length_s, throughput_per_s, interval_95, steadiness };
    result.undisturbed = undisturbed.then_some(quiet);
    result.steadiness.verdict = Some(SteadinessVerdict::Drifting);
    result.steadiness.drift = Some(-0.5);
    record
}

#[test]
fn a_run_with_a_fault_states_its_undisturbed_time_and_the_fault() {
    let words =
        |record: &Record| text(record, &WIDE).split_whitespace().collect::<Vec<_>>().join(" ");
    let all = words(&faulted(true));
    let expected = "VALID with 1 warning: shared machine 1 430/s ±1.0 % in the undisturbed 42 s; kill pg at 1 min 10 s: \
                    away 4.30 s, latency normal after 20.0 s; nothing lost of 124 061 acknowledged commits";
    assert!(all.contains(expected) && all.contains("(42 undisturbed intervals"), "{all}");
    // Records of earlier versions contain no verdict on the undisturbed time, so the verdict is on
    // the whole run.
    let all = words(&faulted(false));
    assert!(all.contains("UNSTABLE: 1 outage; second half −50.0 %"), "{all}");
    assert!(all.contains("nothing lost of 124 061 acknowledged commits"), "{all}");
    let json = serde_json::to_string(&faulted(false)).unwrap();
    assert!(!json.contains("undisturbed"), "{json}");
}

#[test]
fn a_run_in_which_nothing_ended_claims_nothing() {
    let mut record = valid();
    let result = record.result.as_mut().expect("a result");
    result.interval_95 = None;
    result.steadiness = tacho_store::record::SteadinessRecord::default();
    let json = serde_json::to_value(&record).unwrap();
    assert!(json["result"].get("steadiness").is_none(), "{json}");
    let all = text(&record, &WIDE);
    assert!(!all.contains("steady") && !all.contains("throughput  "), "{all}");
    let read: Record = serde_json::from_value(json).unwrap();
    assert!(read.result.unwrap().steadiness.is_unknown());
}
