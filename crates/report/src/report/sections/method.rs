//! The section that describes in words how the measurement was made.

use std::time::Duration;

use tacho_analysis::clean;
use tacho_config::{RetryInput, RetryPolicy};
use tacho_core::Form;
use tacho_core::units::grouped;
use tacho_store::record::{PlanRecord, Record};

use crate::document::Fact;
use crate::document::{Block, Section};
use crate::table::{Column, Table};
use crate::words::{planned, span};
use crate::{headline, settings};

/// Describes the load, the phases and the transaction mix, and what happens after a failure.
pub(super) fn section(record: &Record) -> Option<Section> {
    let plan = &record.plan;
    let mut facts = vec![
        Fact::new("workload", workload(plan)),
        Fact::new("load", format!("{}, {}", headline::users(plan), headline::load(plan))),
        Fact::new("phases", phases(plan)),
        Fact::new("latency", latency(plan)),
        Fact::new("failures", retry(plan)),
        Fact::new(
            "seed",
            format!("{}: the same seed produces the same requests", plan.load.seed.0),
        ),
    ];
    let arrival = plan.load.arrival;
    if arrival.rate.is_some() {
        let text = format!(
            "at most {} arrivals may wait; any more are skipped and counted",
            grouped(arrival.backlog)
        );
        facts.insert(2, Fact::new("backlog", text));
    }
    let mut blocks = vec![Block::Facts { facts }];
    if !plan.parameters.is_empty() {
        let columns = vec![
            Column::left("parameter", plan.parameters.keys().map(|key| clean(key))),
            Column::left("value", plan.parameters.values().map(|value| clean(value))),
        ];
        blocks.push(Block::folded("Parameters of the workload", Table::new(columns)));
    }
    blocks.extend(
        settings::further(record, false).map(|table| Block::table("Further settings", table)),
    );
    Section::of("method", "Measured", blocks)
}

fn workload(plan: &PlanRecord) -> String {
    let form = match plan.form {
        Form::Procedures => "stored routines, one call per transaction",
        Form::Pipelined => "individual statements, several per round trip",
        Form::Simple => {
            "individual statements sent as text without preparation, one per round trip"
        }
        Form::Sql => "individual statements, one per round trip",
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
    let load = &plan.load;
    let ramp_down = match load.ramp_down {
        Duration::ZERO => String::new(),
        length => format!(", then {} ramp-down", span(length)),
    };
    let (ramp_up, measured) = (span(load.ramp_up), planned(load.stop));
    format!("{ramp_up} ramp-up, excluded from all results, then {measured} measured{ramp_down}")
}

fn latency(plan: &PlanRecord) -> String {
    match plan.load.arrival.rate {
        Some(_) => "from the scheduled time of a transaction to its end, including the wait for \
                    a free session"
            .into(),
        None => "from when a session became free until its next transaction ended; a session sends a transaction only after the previous one has ended"
            .into(),
    }
}

fn retry(plan: &PlanRecord) -> String {
    let RetryPolicy { input, attempts, backoff } = plan.load.retry;
    match input {
        RetryInput::None => "not tried again".into(),
        input => format!(
            "retried with the {input} input, up to {attempts} attempts, waiting {} before the second",
            span(backoff)
        ),
    }
}
