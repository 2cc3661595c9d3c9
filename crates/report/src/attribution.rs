//! Tables and sentences for an attribution, which shows how much each group of changed parameters
//! contributed to a change in performance. A table has one row for each group, followed by the
//! explained part, the unexplained part and the whole change.
//!
//! Start reading at [`outcome`].

use tacho_analysis::{Attribution, GroupEffect, clean};
use tacho_core::units::grouped;
use tacho_metrics::Change;

use crate::document::Block;
use crate::table::{Column, Table};
use crate::words::{ABSENT, change};

/// Returns the heading, which states the workload, the target, and the two configurations that are
/// compared.
pub(crate) fn heading(attribution: &Attribution) -> String {
    let (from, to) = (clean(&attribution.from), clean(&attribution.to));
    format!("{} on {}: from {from} to {to}", attribution.workload, clean(&attribution.target))
}

/// Returns a table that shows the effect of each group of parameters, followed by sentences that
/// explain it.
pub(crate) fn outcome(attribution: &Attribution) -> Vec<Block> {
    let table = table(attribution).filled().map(|table| Block::table("Groups", table)).into_iter();
    table.chain(sentences(attribution).into_iter().map(Block::text)).collect()
}

/// Returns a block with the parameters that each group changes, if there are any.
pub(crate) fn changed(attribution: &Attribution) -> Option<Block> {
    changes(attribution).filled().map(|table| Block::table("Changes", table))
}

/// Returns the summary rows below the groups. Each consists of a title, such as `explained`, and a
/// part of the total change.
fn sums(attribution: &Attribution) -> Vec<(&'static str, f64)> {
    if attribution.whole.is_none() {
        return Vec::new();
    }
    let whole: f64 = attribution.groups.iter().map(|group| group.share).sum();
    vec![
        ("explained", attribution.explained),
        ("not explained", whole - attribution.explained),
        ("whole", whole),
    ]
}

fn table(attribution: &Attribution) -> Table {
    let all = || attribution.groups.iter();
    let sums = sums(attribution);
    let second = |group: &GroupEffect| group.second_order.map_or(ABSENT.into(), change);
    let interval = |effect: &Change| format!("{} … {}", change(effect.low), change(effect.high));
    let effect = |group: &GroupEffect| if group.found { "yes" } else { "chance" }.to_owned();
    // Of the summary rows, only the last one has values in these columns: those of the whole
    // change.
    let below = |figure: &dyn Fn(&Change) -> String| -> Vec<String> {
        let whole = attribution.whole.as_ref().map_or(ABSENT.into(), figure);
        let empty = |at: usize| if at + 1 == sums.len() { whole.clone() } else { String::new() };
        (0..sums.len()).map(empty).collect()
    };
    let nothing = || below(&|_| String::new());
    let titles = all().map(|g| g.group.title.clone());
    Table::new(vec![
        Column::left("group", titles.chain(sums.iter().map(|(title, _)| (*title).to_owned()))),
        Column::right(
            "throughput",
            all().map(|g| change(g.change.value)).chain(below(&|effect| change(effect.value))),
        ),
        Column::left(
            "95 % CI",
            all().map(|g| interval(&g.change)).chain(below(&|effect| interval(effect))),
        ),
        Column::left("effect", all().map(effect).chain(nothing())),
        Column::right(
            "share",
            all().map(|g| percent(g.share)).chain(sums.iter().map(|(_, share)| percent(*share))),
        ),
        Column::right("first order", all().map(|g| change(g.first_order)).chain(nothing())),
        Column::right("second order", all().map(second).chain(nothing())),
    ])
}

/// Returns a table of the parameters that each group changes.
fn changes(attribution: &Attribution) -> Table {
    let rows = || {
        attribution.groups.iter().flat_map(|one| {
            let title = |at: usize| if at == 0 { one.group.title.clone() } else { String::new() };
            one.group.changes.iter().enumerate().map(move |(at, text)| (title(at), clean(text)))
        })
    };
    Table::new(vec![
        Column::left("group", rows().map(|(title, _)| title)),
        Column::left("parameter: first, then", rows().map(|(_, text)| text)),
    ])
}

/// Formats a share of the whole change.
pub(crate) fn percent(share: f64) -> String {
    // Adding 0.0 turns −0.0 into 0.0, which is printed without a sign.
    format!("{:.1} %", (share * 1_000.0).round() / 10.0 + 0.0)
}

fn sentences(attribution: &Attribution) -> Vec<String> {
    let mut said = vec![format!(
        "Throughput changed from {} to {} transactions per second, based on the {} of {} rounds without a failed run.",
        grouped(attribution.from_per_s.round() as i64),
        grouped(attribution.to_per_s.round() as i64),
        attribution.rounds,
        attribution.rounds_measured
    )];
    if attribution.whole.is_none() {
        said.push("Not enough data: at least two rounds without a failed run are needed.".into());
        return said;
    }
    said.push(
        "Explained is the sum of the shares of the groups with an effect: those whose 95 % confidence \
         interval excludes 0 %. A share is the logarithm of a group's ratio divided by that of the whole \
         change. It is negative for a group that changes the throughput in the opposite direction."
            .into(),
    );
    if attribution.second_order.is_empty() {
        said.push(
            "The groups were changed in only one order. In another order, the effect of each group may be larger or smaller.".into(),
        );
    } else {
        said.push(format!(
            "The change is the mean over two orders; if the orders differ, the groups interact. The second \
             order: {}.",
            attribution.second_order.join(", ")
        ));
    }
    said
}
