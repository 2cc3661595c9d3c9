//! An attribution for a terminal: a row for each group, what they sum up to, and what is left.

use tacho_analysis::{Attribution, GroupEffect, clean};
use tacho_core::units::grouped;

use crate::document::Block;
use crate::layout::{Text, TextOptions, text};
use crate::table::{Column, Table};
use crate::words::{ABSENT, change};

impl Text for Attribution {
    fn text(&self, options: &TextOptions) -> String {
        let heading = format!(
            "{} on {}: from {} to {}",
            self.workload,
            clean(&self.target),
            clean(&self.from),
            clean(&self.to)
        );
        let groups = table(self).filled().map(Block::Table).into_iter();
        let changes = changes(self).filled().map(|own| Block::table("Changes", own)).into_iter();
        let said = sentences(self).into_iter().map(Block::text);
        text(&heading, groups.chain(changes).chain(said).collect(), options)
    }
}

fn table(own: &Attribution) -> Table {
    let all = || own.groups.iter();
    let second = |group: &GroupEffect| group.second_order.map_or(ABSENT.into(), change);
    let whole = own.whole.as_ref();
    let interval = |low, high| format!("{} … {}", change(low), change(high));
    let last = |text: Option<String>| std::iter::once(text.unwrap_or(ABSENT.into()));
    Table::new(vec![
        Column::left("group", all().map(|g| g.group.title.clone()).chain(["whole".into()])),
        Column::right(
            "throughput",
            all().map(|g| change(g.change.value)).chain(last(whole.map(|own| change(own.value)))),
        ),
        Column::left(
            "95 % interval",
            all()
                .map(|g| interval(g.change.low, g.change.high))
                .chain(last(whole.map(|own| interval(own.low, own.high)))),
        ),
        Column::right("share", all().map(|g| percent(g.share)).chain([percent(sum(own))])),
        Column::right("first order", all().map(|g| change(g.first_order)).chain(last(None))),
        Column::right("second order", all().map(second).chain(last(None))),
    ])
}

/// What each group changes.
fn changes(own: &Attribution) -> Table {
    let rows = || {
        own.groups.iter().flat_map(|one| {
            let title = |at: usize| if at == 0 { one.group.title.clone() } else { String::new() };
            one.group.changes.iter().enumerate().map(move |(at, text)| (title(at), clean(text)))
        })
    };
    Table::new(vec![
        Column::left("group", rows().map(|(title, _)| title)),
        Column::left("parameter: first, then", rows().map(|(_, text)| text)),
    ])
}

fn sum(own: &Attribution) -> f64 {
    own.groups.iter().map(|group| group.share).sum()
}

fn percent(share: f64) -> String {
    // Nothing has no sign.
    format!("{:.1} %", (share * 1_000.0).round() / 10.0 + 0.0)
}

fn sentences(own: &Attribution) -> Vec<String> {
    let mut said = vec![format!(
        "{} transactions per second became {}, in {} of {} rounds without a failed run.",
        grouped(own.from_per_s.round() as i64),
        grouped(own.to_per_s.round() as i64),
        own.rounds,
        own.rounds_measured
    )];
    if own.whole.is_none() {
        said.push("Not enough data: two rounds without a failed run are needed.".into());
        return said;
    }
    said.push(format!(
        "Groups with an effect beyond chance (95 %) explain {} of the whole, on the logarithmic scale; the \
         remainder of {} is in groups that chance could explain.",
        percent(own.explained),
        percent(1.0 - own.explained)
    ));
    if own.second_order.is_empty() {
        said.push(
            "Groups were changed in one order: in another order each may cost more or less.".into(),
        );
    } else {
        said.push(format!(
            "The change is the mean of two orders; where they differ, groups interact. The second order: {}.",
            own.second_order.join(", ")
        ));
    }
    said
}
