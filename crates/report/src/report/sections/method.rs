//! What was measured, in words.

use tacho_core::units::{counted, grouped};
use tacho_store::record::{PlanRecord, Record};

use crate::headline;
use crate::layout::Fact;
use crate::report::document::{Block, Section};
use crate::table::{Column, Table};
use crate::words::{clean, duration};

/// How work arrived, how long, with which mix and retries.
pub(super) fn section(record: &Record) -> Option<Section> {
    let plan = &record.plan;
    let fact = |label: &str, text: String| Fact { label: label.into(), paragraphs: vec![text] };
    let mut facts = vec![
        fact("workload", workload(plan)),
        fact("load", format!("{}, {}", headline::users(plan), headline::load(plan))),
        fact("phases", phases(plan)),
        fact("latency", latency(plan)),
        fact("failures", retry(plan)),
        fact("seed", format!("{}: the same seed gives the same requests", plan.seed)),
    ];
    if let Some(backlog) = plan.backlog {
        let text = format!(
            "at most {} arrivals may wait; later ones are skipped and counted",
            grouped(backlog)
        );
        facts.insert(2, fact("backlog", text));
    }
    let mut blocks = vec![Block::Facts { facts }];
    if !plan.parameters.is_empty() {
        let columns = vec![
            Column::left("parameter", plan.parameters.keys().map(|key| clean(key))),
            Column::left("value", plan.parameters.values().map(|value| clean(value))),
        ];
        blocks.push(Block::folded(
            "Parameters of the workload",
            &Table { columns, indent: 0, gap: 2 },
        ));
    }
    Section::of("method", "Measured", blocks)
}

fn workload(plan: &PlanRecord) -> String {
    let form = match plan.form.as_str() {
        "procedures" => "stored routines, one call a transaction".into(),
        "pipelined" => "single statements, several in one round trip".into(),
        "simple" => "single statements as text, nothing prepared, each a round trip".into(),
        "sql" => "single statements, each a round trip".into(),
        other => format!("form {}", clean(other)),
    };
    let profile = if plan.profile.is_empty() {
        String::new()
    } else {
        format!(", profile {}", clean(&plan.profile))
    };
    let scale = plan.scale.of(&plan.scale_unit);
    format!("{}{profile}, {scale}, {form}", clean(&plan.workload))
}

fn phases(plan: &PlanRecord) -> String {
    let measured = match (plan.duration_s, plan.transactions) {
        (Some(seconds), _) => duration(seconds),
        (None, Some(count)) => counted(count, "transaction"),
        (None, None) => "until all sessions are done".into(),
    };
    let ramp_down = match plan.ramp_down_s {
        s if s > 0.0 => format!(", then {} ramp-down", duration(s)),
        _ => String::new(),
    };
    format!(
        "{} ramp-up, excluded from all figures, then {measured} measured{ramp_down}",
        duration(plan.ramp_up_s)
    )
}

fn latency(plan: &PlanRecord) -> String {
    match plan.rate_per_s {
        Some(_) => "from the scheduled time of a transaction to its end, including the wait for \
                    a free session"
            .into(),
        None => "from the time a session was free to send a transaction to its end; a session \
                 sends the next one only when the last has ended"
            .into(),
    }
}

fn retry(plan: &PlanRecord) -> String {
    match plan.retry.as_str() {
        "none" | "" => "not tried again".into(),
        input => format!(
            "retried with the {input} input, at most {} attempts, {} before the second",
            plan.attempts,
            duration(plan.backoff_s)
        ),
    }
}
