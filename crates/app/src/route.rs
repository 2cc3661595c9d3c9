//! Parses the option `--route`, which sends a transaction type to other targets. An example is
//! `stock_level=random:one,two`.

use tacho_core::{Error, Result};
use tacho_engine::Policy;

/// A parsed `--route` option.
pub(crate) struct Given<'a> {
    /// The transaction type.
    pub(crate) kind: &'a str,
    pub(crate) policy: Policy,
    /// Target names or URLs.
    pub(crate) targets: Vec<&'a str>,
}

pub(crate) fn parse(text: &str) -> Result<Given<'_>> {
    let bad = || {
        Error::usage("invalid route")
            .hint("use a value such as stock_level=one,two or stock_level=random:one,two")
            .hint(format!("policies: {}", Policy::NAMES.join(", ")))
    };
    let (kind, rest) = text.split_once('=').ok_or_else(bad)?;
    let named = rest.split_once(':');
    let named = named.and_then(|(word, rest)| Some((Policy::from_name(word)?, rest)));
    let (policy, list) = named.unwrap_or((Policy::RoundRobin, rest));
    let targets: Vec<&str> = list.split(',').map(str::trim).collect();
    if targets.iter().any(|target| target.is_empty()) {
        return Err(bad());
    }
    Ok(Given { kind: kind.trim(), policy, targets })
}

/// Returns the names or addresses of a route's targets, or an empty list if the route is invalid.
pub(crate) fn route_targets(text: &str) -> Vec<&str> {
    parse(text).map(|given| given.targets).unwrap_or_default()
}
