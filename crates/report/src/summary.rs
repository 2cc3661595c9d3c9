//! The end-of-run summary: first whether the run is valid, then how fast it was, then why one may
//! believe it.
//!
//! Most users read nothing else, so it must never leave out a failure. Start reading at [`summary`].

use tacho_store::record::{Record, ResultRecord};

use crate::document::Fact;
use crate::layout::{Page, TextOptions};
use crate::{
    accounting, acknowledged, analytics, conditions, headline, judgements, notices, outages,
    outcome, replay, settled, steps, streams, transactions, words,
};

/// What stands below the figures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Footer<'a> {
    /// What the workload must say about itself, such as what it is derived from.
    pub notice: &'a str,
    /// Where the run was saved.
    pub saved: Option<&'a str>,
    /// Commands to continue with.
    pub next: &'a [String],
}

/// The summary of a run, also of one that was killed.
pub fn summary(record: &Record, footer: &Footer<'_>, options: &TextOptions) -> String {
    let mut page = Page::new(options);
    headline::title(&mut page, record);
    match &record.result {
        Some(result) => complete(&mut page, record, result),
        None => incomplete(&mut page, record),
    }
    foot(&mut page, footer);
    page.finish()
}

fn complete(page: &mut Page, record: &Record, result: &ResultRecord) {
    // Verdict, outcome and figures are among the first five lines, on a terminal of any width.
    headline::verdict(page, result);
    for sentence in outcome::outcome(record, result) {
        page.text(&format!("  {sentence}"), 4);
    }
    if result.streams.is_empty() {
        headline::figures(page, &record.plan, result);
        headline::nominal(page, &record.plan, result);
        result.analytics.iter().for_each(|own| analytics::figures(page, &record.plan, own));
        page.blank();
        headline::method(page, record, result.measured_s, result.ended_by);
        page.blank();
        if !result.steps.is_empty() {
            page.lines(steps::lines(result));
            page.blank();
        }
        match &result.replay {
            Some(replay) => page.lines(replay::table(result, replay, false).lines()),
            None => page.lines(transactions::fitting(&result.transactions, page.width())),
        }
        result
            .analytics
            .iter()
            .for_each(|own| analytics::queries_table(page, own, &result.query_plans));
    } else {
        streams::figures(page, &result.streams);
        page.blank();
        headline::method(page, record, result.measured_s, result.ended_by);
        page.blank();
        page.lines(streams::table(&result.executions, &result.query_plans).lines());
    }
    if let Some(words) = streams::untold(result) {
        page.text(&format!("  {words}"), 4);
    }
    page.blank();
    page.facts(replay::facts(result));
    page.facts(evidence(record, result));
    page.blank();
    page.remarks(&notices::notices(&result.notices));
}

fn evidence(record: &Record, result: &ResultRecord) -> impl Iterator<Item = Fact> {
    let steadiness = || conditions::steadiness(&result.steadiness);
    [
        accounting::accounting(&result.accounting),
        accounting::arrivals(result),
        accounting::errors(result),
        outages::faults(result),
        outages::outages(result),
        settled::settled(result),
        judgements::thresholds(&result.thresholds),
        judgements::commits(result),
        acknowledged::acknowledged(result),
        judgements::rollbacks(result.rollbacks.as_ref()),
        judgements::checks(record, result),
        judgements::audit(result),
        result.streams.is_empty().then(steadiness).flatten(),
        conditions::data(record.data.as_ref()),
        conditions::server(record, result.server_load.as_ref()),
        conditions::tool(record, &result.tool),
        conditions::load_hosts(&result.load_hosts),
        conditions::addresses(&result.addresses),
    ]
    .into_iter()
    .flatten()
}

fn incomplete(page: &mut Page, record: &Record) {
    let mut parts = vec![format!("began {}", words::minute(&record.started_at))];
    parts.extend(headline::named(record));
    page.line(parts.join(" · "));
    page.blank();
    page.text("  INCOMPLETE: the run was killed or is still running", 4);
    page.blank();
    let facts = [conditions::data(record.data.as_ref()), conditions::server(record, None)];
    page.facts([Fact::new("planned", planned(record))]);
    page.facts(facts.into_iter().flatten());
}

fn planned(record: &Record) -> String {
    let load = &record.plan.load;
    format!("{} after {} ramp-up", words::planned(load.stop), words::span(load.ramp_up))
}

/// Paths and commands are never wrapped: they are there to be copied.
fn foot(page: &mut Page, footer: &Footer<'_>) {
    page.blank();
    if !footer.notice.is_empty() {
        page.text(footer.notice, 0);
        page.blank();
    }
    if let Some(saved) = footer.saved {
        page.line(format!("Saved  {saved}"));
    }
    for (place, command) in footer.next.iter().enumerate() {
        let label = if place == 0 { "Next" } else { "" };
        page.line(format!("{label:<7}{command}"));
    }
}
