//! Effects of several settings that vary together, each computed from all runs.
//!
//! Start reading at [`effects`].

use schemars::JsonSchema;
use serde::Serialize;
use tacho_metrics::{Cell, Change, FactorEffect, Sample, factor_effects};
use tacho_store::sweep::{SweepRecord, Varied};

use super::SweepRow;

/// Probability of falsely claiming at least one effect in a sweep.
const FAMILY: f64 = 0.05;
/// Maximum number of interactions. With more of them, a grid is not considered a factorial experiment.
const INTERACTIONS_MAX: usize = 30;

/// Effect of a setting, or of the interaction between two settings, on the throughput.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingEffect {
    /// The settings that change: one for a main effect, two for an interaction.
    pub of: Vec<LevelChange>,
    /// Change in throughput. The main effect of a setting is its mean change over all combinations of the other
    /// settings. An interaction is the change caused by both settings together, divided by the product of their
    /// separate changes.
    pub change: Change,
    /// True if the effect is significant. The probability that a sweep falsely reports any effect is at most 5 %.
    pub found: bool,
    /// True if only half of the combinations of three settings were measured. The effect of one setting then cannot
    /// be distinguished from the interaction of the other two.
    pub confounded: bool,
}

/// The change of a setting from its first value to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LevelChange {
    /// Key of the setting.
    pub key: String,
    /// The setting's first value.
    pub from: String,
    /// The other value.
    pub to: String,
}

/// Returns the main effects, then the interactions of two settings. Requires at least two varied settings, and the
/// same number of runs for every combination.
pub(super) fn effects(sweep: &SweepRecord, rows: &[SweepRow]) -> Vec<SettingEffect> {
    let counts: Vec<usize> = sweep.vary.iter().map(|varied| varied.values.len()).collect();
    let combinations = counts.iter().copied().fold(1, usize::saturating_mul);
    let is_half = rows.len() * 2 == combinations && counts.iter().all(|count| *count == 2);
    if counts.len() < 2 || counts.contains(&1) || !(rows.len() == combinations || is_half) {
        return Vec::new();
    }
    let Some(cells) = rows.iter().map(|row| cell(&sweep.vary, row)).collect::<Option<Vec<Cell>>>()
    else {
        return Vec::new();
    };
    let pairs = (0..counts.len()).flat_map(|a| (a + 1..counts.len()).map(move |b| (a, b)));
    let interactions: usize = pairs.map(|(a, b)| (counts[a] - 1) * (counts[b] - 1)).sum();
    // If only half of the combinations were measured, interactions are computed only with more than four settings.
    // With fewer, they cannot be distinguished from other effects.
    let is_distinct = !is_half || counts.len() > 4;
    let confounded = is_half && counts.len() == 3;
    let effects = factor_effects(&cells, is_distinct && interactions <= INTERACTIONS_MAX);
    let named = |effect: FactorEffect| {
        let change = |(factor, level): &(usize, usize)| {
            let Varied { key, values } = &sweep.vary[*factor];
            LevelChange { key: key.clone(), from: values[0].clone(), to: values[*level].clone() }
        };
        SettingEffect {
            of: effect.of.iter().map(change).collect(),
            change: effect.change,
            found: effect.adjusted_p <= FAMILY,
            confounded,
        }
    };
    effects.unwrap_or_default().into_iter().map(named).collect()
}

fn cell(vary: &[Varied], row: &SweepRow) -> Option<Cell> {
    let level =
        |(varied, value): (&Varied, &String)| varied.values.iter().position(|known| known == value);
    let levels = vary.iter().zip(&row.values).map(level).collect::<Option<Vec<usize>>>()?;
    let values: Vec<f64> = row.by_repetition.iter().map(|repetition| repetition.1).collect();
    Some(Cell { levels, sample: Sample::of(&values, &row.within)? })
}
