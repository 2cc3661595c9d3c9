//! The order-processing workload's parameters and the additional ones.
//!
//! Start reading at [`PARAMETERS`].

use std::sync::LazyLock;

use tacho_core::{Parameter, ParameterKind, Result};
use tacho_workload::{Choices, Options, STATEMENT_TIMEOUT};

/// Parameter: the number of query streams.
pub const STREAMS: &str = "streams";

#[rustfmt::skip]
static OWN: [Parameter; 2] = [
    Parameter::new(STREAMS, ParameterKind::Count { min: 0, max: 10_000 }, "1",
        "number of query streams in addition to the transaction sessions; 0 for none"),
    Parameter::new(STATEMENT_TIMEOUT, ParameterKind::Duration, "",
        "time limit for each query and each statement in a transaction: a statement that exceeds \
         it fails; empty for no limit"),
];

/// The additional parameters, followed by the order-processing workload's parameters.
pub static PARAMETERS: LazyLock<Vec<Parameter>> =
    LazyLock::new(|| OWN.iter().chain(crate::orders().parameters()).copied().collect());

/// Returns the values of all parameters, and the user's choices without the additional parameters,
/// which the order-processing workload would reject.
pub fn resolve(choices: &Choices) -> Result<(Options, Choices)> {
    let profiles = crate::orders().profiles();
    let options = Options::resolve(&PARAMETERS, profiles, &choices.profile, &choices.set)?;
    let mut rest = choices.clone();
    rest.set.retain(|key, _| OWN.iter().all(|parameter| parameter.key != key));
    Ok((options, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_docs_explain_every_parameter_of_our_own() {
        for parameter in &OWN {
            let key = format!("`{}`", parameter.key);
            assert!(crate::MANIFEST.docs.contains(&key), "docs.md lacks {key}");
        }
    }
}
