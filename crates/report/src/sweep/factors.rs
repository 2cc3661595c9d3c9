//! The effects of several settings that were varied together, as a table and as sentences.
//!
//! Start reading at [`effects`].

use tacho_analysis::{LevelChange, SettingEffect, SweepView, clean};
use tacho_core::units::counted;

use crate::table::{Column, Table};
use crate::words::change;

pub(crate) fn effects(view: &SweepView) -> Option<Table> {
    let column = |cell: &dyn Fn(&SettingEffect) -> String| -> Vec<String> {
        view.effects.iter().map(cell).collect()
    };
    let interval = |effect: &SettingEffect| {
        format!("{} … {}", change(effect.change.low), change(effect.change.high))
    };
    let found =
        |effect: &SettingEffect| if effect.found { "found" } else { "not shown" }.to_owned();
    (!view.effects.is_empty()).then(|| {
        Table::new(vec![
            Column::left("effect", column(&name)),
            Column::right("change", column(&|effect| change(effect.change.value))),
            Column::right("95 % CI", column(&interval)),
            Column::left("", column(&found)),
        ])
    })
}

/// Describes the effects that were found in one sentence each, the largest first.
pub(super) fn found(view: &SweepView, metric: &str) -> Vec<String> {
    let mut found: Vec<&SettingEffect> =
        view.effects.iter().filter(|effect| effect.found).collect();
    let size = |effect: &SettingEffect| effect.change.value.ln_1p().abs();
    found.sort_by(|one, other| size(other).total_cmp(&size(one)));
    let sentence = |effect: &&SettingEffect| {
        let [value, low, high] =
            [effect.change.value, effect.change.low, effect.change.high].map(change);
        let over = match effect.of.len() {
            1 => "on average over the other settings",
            _ => "beyond the separate changes",
        };
        let name = name(effect);
        format!(
            "{name} changes {metric} by {value} {over}, 95 % confidence interval {low} … {high}."
        )
    };
    found.iter().map(sentence).collect()
}

/// Describes the changes of settings that have this effect, as in `form sql → simple × sessions 1 →
/// 8`.
fn name(effect: &SettingEffect) -> String {
    let one = |level: &LevelChange| format!("{} {} → {}", level.key, level.from, level.to);
    clean(&effect.of.iter().map(one).collect::<Vec<_>>().join(" × "))
}

/// Explains the table of effects.
pub(super) fn sentences(view: &SweepView) -> Vec<String> {
    let Some(first) = view.effects.first() else { return Vec::new() };
    let found = view.effects.iter().filter(|effect| effect.found).count();
    let mut text = format!(
        "{found} of {} found, at a level of 5 % for all together. Each is computed from all runs: the change of a \
         setting is the mean over all combinations of the other settings.",
        counted(view.effects.len() as u64, "effect")
    );
    if view.effects.iter().any(|effect| effect.of.len() > 1) {
        text += " An interaction (×) is the change caused by both settings together, beyond the product of their separate changes.";
    }
    let confounded = "With half of the combinations of three settings, the change of a setting includes the interaction of the \
                      other two.";
    let confounded = first.confounded.then(|| confounded.to_owned());
    [text].into_iter().chain(confounded).collect()
}
