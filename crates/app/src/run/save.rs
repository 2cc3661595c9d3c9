//! The last stage of a run, which saves the run's record.

use std::path::PathBuf;

use tacho_store::RunWriter;
use tacho_store::record::{Record, ResultRecord, RunState, SizesRecord, StepRecord};

use super::evaluate::Evaluation;
use super::notices::Notice;

/// Returns a run's complete record.
pub(super) fn complete(
    mut record: Record,
    sizes_after: Option<SizesRecord>,
    result: ResultRecord,
    evaluation: Evaluation,
) -> Record {
    if let Some(data) = &mut record.data {
        data.sizes_after = sizes_after;
    }
    let thresholds = evaluation.of_steps.into_iter();
    let steps = result.steps.into_iter().zip(thresholds);
    let result = ResultRecord {
        valid: evaluation.valid,
        verdict: Some(evaluation.verdict),
        unsettled: evaluation.unsettled,
        notices: evaluation.notices,
        thresholds: evaluation.thresholds,
        steps: steps.map(|(step, thresholds)| StepRecord { thresholds, ..step }).collect(),
        ..result
    };
    Record { state: RunState::Complete, result: Some(result), ..record }
}

/// Writes the record and returns its folder. If this fails, returns an empty path and adds a notice to the record.
pub(super) fn save(writer: RunWriter, record: &mut Record) -> PathBuf {
    writer.finish(record.clone()).unwrap_or_else(|error| {
        let lost = error.hint("the summary below is all that remains of this run");
        if let Some(result) = &mut record.result {
            result.notices.push(Notice::RecordIncomplete.found(lost.to_string()));
        }
        PathBuf::new()
    })
}
