//! The works in a configuration. Each work is a phase of the load.

use std::fmt::Display;

use roxmltree::Node;
use tacho_core::{Error, Result};

use super::super::draft::Draft;
use super::{content, is_of_queries, without};

/// A phase of the load.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) time: Option<String>,
    pub(super) weights: Option<String>,
    warmup: Option<String>,
    /// Requested transactions per second, or `None` if the rate is not limited.
    rate: Option<f64>,
    terminals: Option<String>,
    is_poisson: bool,
}

impl Work {
    /// Reads the elements and attributes, and adds notes about those without an equivalent.
    pub(super) fn read(node: Node<'_, '_>, notes: &mut Vec<String>) -> Self {
        let mut work = Self::default();
        let attribute = node.attribute("arrival").unwrap_or_default();
        work.is_poisson = attribute.eq_ignore_ascii_case("poisson");
        for child in node.children().filter(Node::is_element) {
            let text = content(child).to_owned();
            match child.tag_name().name() {
                _ if is_of_queries(child) => notes.push(format!(
                    "<{}> of the queries: to choose their number of streams, use --set streams=N",
                    child.tag_name().name()
                )),
                "time" => work.time = Some(text),
                "warmup" => work.warmup = Some(text),
                "weights" => work.weights = Some(text),
                "active_terminals" => work.terminals = Some(text),
                "rate" => work.rate = text.parse().ok(),
                "arrival" => work.is_poisson = text.eq_ignore_ascii_case("poisson"),
                // The element `serial` can be ignored, because Tacho always executes queries one after the other.
                "serial" | "id" => {}
                _ => notes.push(without(child)),
            }
        }
        work
    }

    /// Returns true if two `<work>` elements can be combined in one run.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.rate.is_some() == other.rate.is_some() && self.weights == other.weights
    }

    fn time(&self) -> Result<&str> {
        let time = self.time.as_deref().filter(|time| time.parse::<u64>().is_ok());
        time.ok_or_else(|| {
            Error::usage("each <work> element requires a <time> element with a number of seconds")
        })
    }
}

/// Converts the `<work>` elements of one run. A single element becomes a duration, and several elements become the
/// steps of a load.
pub(super) fn load(works: &[Work], terminals: u64, draft: &mut Draft) -> Result<()> {
    let Some(first) = works.first() else {
        return Err(Error::usage("the file contains no <work>"));
    };
    let is_open = first.rate.is_some();
    let active = |work: &Work| work.terminals.clone().unwrap_or_else(|| terminals.to_string());
    let ramp_up = first.warmup.as_deref().unwrap_or("0");
    if let [work] = works {
        draft.say("sessions", active(work));
        draft.say("duration", format!("{}s", work.time()?));
        draft.say("ramp-up", format!("{ramp_up}s"));
        if let Some(rate) = work.rate {
            draft.say("rate", rate);
        }
    } else {
        if is_open {
            draft.say("sessions", terminals);
        }
        let level = |work: &Work| -> Result<String> {
            let level: &dyn Display = match &work.rate {
                Some(rate) => &format!("{rate}/s"),
                None => &active(work),
            };
            Ok(format!("{level}x{}s", work.time()?))
        };
        let steps = works.iter().map(level).collect::<Result<Vec<String>>>()?;
        draft.say("load", format!("steps: {}", steps.join(", ")));
        draft.say("ramp-up", format!("{ramp_up}s"));
    }
    if is_open {
        if !first.is_poisson {
            draft.say("spacing", "uniform");
        }
        draft.note(
            "with a rate, the latency includes the time in the queue, which BenchBase leaves out; \
             for a closed load, omit the rate",
        );
    }
    Ok(())
}
