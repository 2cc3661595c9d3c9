//! Sample runs that all tests share.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;

use tacho_config::{Arrival, CheckWhen, RetryInput, Spacing};
use tacho_report::TextOptions;
use tacho_store::record::{
    ArrivalsRecord, AuditRecord, CheckRecord, CheckVerdict, ClientLimited, DataRecord,
    DistributionRecord, ErrorRecord, Estimate, FORMAT, HeadlineRecord, HiccupsRecord, HostRecord,
    LedgerRecord, NoticeRecord, PlanRecord, Record, ResultRecord, RunEnd, RunState, ServerRecord,
    SteadinessRecord, SteadinessVerdict, ThresholdRecord, ToolRecord, TpmRecord, TransactionRecord,
    VERSION,
};
use tacho_store::{IntervalRecord, IntervalTransaction};

/// A wide terminal without colour.
pub const WIDE: TextOptions = TextOptions { width: 100, color: false };
/// A small terminal without colour.
pub const NARROW: TextOptions = TextOptions { width: 80, color: false };

/// Asserts that no line is wider than the terminal. Returns the text with ordinary spaces in place
/// of thin ones.
pub fn fitted(text: &str, options: &TextOptions) -> String {
    for line in text.lines() {
        let width = line.chars().count();
        assert!(width <= options.width, "{width} columns: {line}");
        assert!(!line.ends_with(' '), "spaces at the end: {line}");
    }
    text.replace('\u{202f}', " ")
}

/// Returns a run that was killed.
pub fn incomplete() -> Record {
    Record {
        format: FORMAT.into(),
        version: VERSION,
        id: "7q3f".into(),
        state: RunState::Incomplete,
        started_at: "2026-03-02T10:14:05+01:00".into(),
        tags: vec!["nightly".into()],
        note: None,
        tool_version: "0.1.0".into(),
        plan: plan(),
        host: host(),
        server: server(),
        data: Some(DataRecord {
            seed: 42,
            loaded_at: "2026-03-02T10:13:44+01:00".into(),
            runs_before: 0,
            ..DataRecord::default()
        }),
        result: None,
        repaired: false,
    }
}

fn plan() -> PlanRecord {
    let mut plan = PlanRecord {
        workload: "tprocc".into(),
        target: "sqlite:tprocc.db".into(),
        target_name: "local".into(),
        driver: "sqlite".into(),
        profile: "spec".into(),
        scale: tacho_core::units::Amount(1.0),
        scale_unit: "warehouse".into(),
        parameters: BTreeMap::from([("mix".into(), "deck".into())]),
        command: "tacho run tprocc local --seed 42".into(),
        ..PlanRecord::default()
    };
    plan.load.retry.input = RetryInput::Same;
    plan.judgement.check = Some(CheckWhen::After);
    plan
}

fn host() -> HostRecord {
    HostRecord {
        name: "bench1".into(),
        os: "Debian 13".into(),
        kernel: "6.12.1".into(),
        arch: "x86_64".into(),
        cpu: "a processor".into(),
        cores: 2,
        memory_bytes: 16_000_000_000,
    }
}

fn server() -> ServerRecord {
    ServerRecord {
        version: "SQLite 3.51.1".into(),
        embedded: true,
        settings: BTreeMap::from([("journal_mode".into(), "wal".into())]),
        durability_risks: vec!["synchronous=normal: the last commits may be lost".into()],
        ..ServerRecord::default()
    }
}

/// Returns a valid run with one warning.
pub fn valid() -> Record {
    let notice = NoticeRecord {
        id: "W07".into(),
        name: "shared-machine".into(),
        invalidates: false,
        text: "the database runs inside this process; figures include our own CPU use".into(),
        hint: "for a server's figures name a target, such as postgres://bench@db1/tprocc".into(),
    };
    let result = ResultRecord { notices: vec![notice], ..result() };
    Record { state: RunState::Complete, result: Some(result), ..incomplete() }
}

fn result() -> ResultRecord {
    ResultRecord {
        replay: None,
        acknowledged: None,
        faults: Vec::new(),
        undisturbed: None,
        valid: true,
        arrivals: None,
        terminals: None,
        statements: Vec::new(),
        late: None,
        connecting: None,
        stall: None,
        steps: Vec::new(),
        addresses: Vec::new(),
        load_hosts: Vec::new(),
        hosts: Vec::new(),
        verdict: None,
        unsettled: Vec::new(),
        outages: Vec::new(),
        disturbance: None,
        settled: Vec::new(),
        executions: Vec::new(),
        streams: Vec::new(),
        query_plans: Vec::new(),
        unreported_queries: Vec::new(),
        analytics: None,
        commits: Vec::new(),
        isolation: None,
        rollbacks: None,
        server_load: None,
        notices: Vec::new(),
        headline: Some(headline()),
        tpm: Some(TpmRecord {
            per_minute: 265_120.4,
            per_nominal_minute: Some(265_128.0),
            source: "client".into(),
            server_per_minute: None,
            ratio: Some(2.32),
            expected_ratio: Some(2.22),
        }),
        throughput_per_s: 4_418.7,
        interval_95: Some(Estimate {
            value: 4_418.7,
            low: 4_383.4,
            high: 4_454.0,
            samples: 10,
            batches: 10,
        }),
        steadiness: SteadinessRecord {
            verdict: Some(SteadinessVerdict::Steady),
            drift: Some(0.004),
            ..SteadinessRecord::default()
        },
        measured_s: 10.0003,
        ended_by: RunEnd::Time,
        transactions: transactions(),
        accounting: LedgerRecord {
            due: 44_188,
            started: 44_188,
            committed: 43_996,
            rolled_back: 191,
            unfinished: 1,
            longest_unfinished_us: 402,
            ..LedgerRecord::default()
        },
        errors: Vec::new(),
        thresholds: Vec::new(),
        checks: (1..=12).map(|number| check(number, CheckVerdict::Holds, "")).collect(),
        audit: audit(),
        tool: tool(),
    }
}

fn headline() -> HeadlineRecord {
    HeadlineRecord {
        name: "NOPM".into(),
        per_minute: 114_210.2,
        per_nominal_minute: Some(114_213.6),
        most_per_minute: None,
        source: "schema".into(),
        schema_count: Some(19_035),
        schema_elapsed_s: Some(10.0),
        client_count: 19_035,
        whole_run_schema_count: Some(22_911),
        whole_run_client_count: 22_911,
        whole_run_unknown_count: 0,
        whole_run_wrong_count: 0,
        proof_only: false,
    }
}

fn transactions() -> Vec<TransactionRecord> {
    [
        ("new_order", 0.431, 19_045, 191, [190.0, 260.0, 301.0, 488.0]),
        ("payment", 0.449, 19_841, 0, [98.4, 130.0, 151.0, 310.0]),
        ("order_status", 0.04, 1_768, 0, [52.0, 71.0, 80.0, 180.0]),
        ("delivery", 0.04, 1_767, 0, [720.0, 910.0, 1_020.0, 1_900.0]),
        ("stock_level", 0.04, 1_766, 0, [310.0, 402.0, 455.0, 720.0]),
        ("all", 1.0, 44_187, 191, [140.0, 290.0, 420.0, 980.0]),
    ]
    .map(|(name, share, count, rolled_back, times)| TransactionRecord {
        name: name.into(),
        share,
        count,
        rolled_back,
        failed: 0,
        rollback_intended: matches!(name, "new_order" | "all"),
        latency: distribution(count, times),
        service: distribution(count, times.map(|us| us * 0.9)),
    })
    .to_vec()
}

fn distribution(count: u64, [p50, p90, p95, p99]: [f64; 4]) -> DistributionRecord {
    DistributionRecord {
        count,
        min_us: p50 / 4.0,
        mean_us: p50 * 1.1,
        p50_us: Some(p50),
        p90_us: Some(p90),
        p95_us: Some(p95),
        p99_us: Some(p99),
        p999_us: (count > 10_000).then_some(p99 * 2.3),
        max_us: p99 * 9.0,
    }
}

/// Returns a check that was performed after the load.
pub fn check(number: u32, verdict: CheckVerdict, detail: &str) -> CheckRecord {
    CheckRecord {
        when: "after".into(),
        id: format!("C{number}"),
        rule: format!("rule {number} of the specification"),
        verdict,
        detail: detail.into(),
        sampled: false,
    }
}

fn audit() -> Vec<AuditRecord> {
    let mix = [("new_order", 0.448), ("payment", 0.431), ("delivery", 0.04)];
    let others = [("remote order lines", 0.0101), ("customer by name", 0.603)];
    mix.iter().chain(&others).map(|(name, share)| rule(name, *share)).collect()
}

fn rule(name: &str, measured: f64) -> AuditRecord {
    AuditRecord {
        name: name.into(),
        clause: "TPC-C 5.2.3".into(),
        share: true,
        expected: measured,
        low: measured * 0.9,
        high: measured * 1.1,
        measured: Some(measured),
        draws: 44_188,
        passed: true,
    }
}

fn tool() -> ToolRecord {
    ToolRecord {
        cpu_cores: Some(0.982),
        cores: 2,
        lateness: DistributionRecord::default(),
        statements: 1_204_113,
        round_trips: 1_204_113,
        client_limited: ClientLimited::NotApplicable,
        sessions_lost: 0,
        ..ToolRecord::default()
    }
}

/// Returns a run with open arrivals and many problems.
pub fn invalid() -> Record {
    let mut record = valid();
    record.plan.load.sessions = 64;
    record.plan.load.arrival = Arrival::open(5_000.0, Spacing::Poisson);
    record.plan.load.pacing = 0.5;
    if let Some(result) = &mut record.result {
        spoil(result);
    }
    record
}

fn spoil(result: &mut ResultRecord) {
    result.valid = false;
    result.ended_by = RunEnd::Interrupt;
    result.measured_s = 3.42;
    result.interval_95 = None;
    result.steadiness = SteadinessRecord {
        verdict: Some(SteadinessVerdict::TooShort),
        ..SteadinessRecord::default()
    };
    result.notices.insert(0, reason("W01", "rate-not-reached", "4 418/s of 5 000/s were reached"));
    result.notices.push(reason("W09", "checks-failed", "2 of 12 checks do not hold"));
    result.errors = errors();
    result.thresholds = thresholds();
    result.checks[2] =
        check(3, CheckVerdict::Violated, "3 rows, the first: w_id 1, d_id 2, found 3 004");
    result.checks[3] = check(4, CheckVerdict::Failed, "no such table: district");
    result.checks[9] = check(10, CheckVerdict::Excused, "amounts_reversed");
    result.audit[3].passed = false;
    result.audit[4].measured = None;
    let ledger = &mut result.accounting;
    (ledger.failed, ledger.committed, ledger.retried) = (400, 43_596, 812);
    (ledger.due, ledger.skipped, ledger.carried_over) = (50_000, 5_812, 12);
    result.arrivals = Some(ArrivalsRecord {
        backlog_end: 5_812,
        backlog_max: 5_812,
        session_wait: distribution(44_188, [8_000.0, 12_000.0, 20_000.0, 40_000.0]),
        ..ArrivalsRecord::default()
    });
    result.tool.hiccups = Some(HiccupsRecord { count: 2, total_s: 4.03, longest_s: 4.0 });
    result.transactions[1].failed = 400;
    result.transactions[1].latency.max_us = 5_100_000.0;
    if let Some(headline) = &mut result.headline {
        headline.whole_run_schema_count = Some(22_900);
        headline.whole_run_unknown_count = 2;
    }
    result.tool.lateness = distribution(50_000, [8.0, 12.0, 20.0, 40.0]);
    result.tool.client_limited = ClientLimited::Yes;
    result.tool.sessions_lost = 1;
}

fn reason(id: &str, name: &str, text: &str) -> NoticeRecord {
    let (id, name, text) = (id.into(), name.into(), text.into());
    NoticeRecord { id, name, invalidates: true, text, hint: "what to do".into() }
}

fn errors() -> Vec<ErrorRecord> {
    [
        ("lock_timeout", "SQLITE_BUSY", 1_211, "database is locked\nby another"),
        ("other", "", 1, "x"),
    ]
    .map(|(kind, code, count, example)| ErrorRecord {
        transaction: "payment".into(),
        kind: kind.into(),
        code: code.into(),
        count,
        example: example.into(),
    })
    .to_vec()
}

fn thresholds() -> Vec<ThresholdRecord> {
    [("new_order.p95<50ms", Some(0.301), true), ("nopm>200k", None, false)]
        .map(|(expression, measured, passed)| ThresholdRecord {
            expression: expression.into(),
            measured,
            measured_text: "0.30 ms".into(),
            passed,
        })
        .to_vec()
}

/// Returns an interval that ends at the given second.
pub fn interval(at_s: f64) -> IntervalRecord {
    IntervalRecord {
        merged: None,
        at_s,
        length_s: 10.0,
        phase: "measure".into(),
        sessions: 64,
        sessions_planned: 64,
        throughput_per_s: 4_410.2,
        headline_per_minute: Some(114_210.0),
        queries_per_hour: None,
        transactions: Vec::new(),
        totals: IntervalTransaction {
            name: "all".into(),
            committed: 44_000,
            rolled_back: 102,
            failed: 2,
            failed_by_kind: BTreeMap::new(),
            p50_us: Some(10_000.0),
            p95_us: Some(26_000.0),
            p99_us: Some(47_000.0),
            max_us: Some(171_000.0),
        },
        skipped: 0,
        late_p99_us: None,
        ..IntervalRecord::default()
    }
}
