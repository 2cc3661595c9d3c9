//! Implements `--route`, which sends certain transactions to other databases.
//!
//! For example, `stock_level=random:one,two` sends each stock-level transaction to one of two targets at random. Other
//! transactions go to the run's target.
//!
//! Start reading at [`routes`].

use tacho_core::{Error, ErrorKind, Result};
use tacho_driver::Target;
use tacho_engine::{Health, Policy, Route, Routes};
use tacho_workload::{Instance, Marker};

use crate::access::{Access, environment};
use crate::headroom::require_headroom;
use crate::route::{Given, parse};
use crate::{Job, Request};

/// Name of a route for all transaction types that have no route of their own.
const ALL: &str = "all";

/// Returns a run's routes, if it has any.
pub(crate) fn routes(job: &Job, instance: &dyn Instance) -> Result<Option<Routes>> {
    let texts = &job.resolved.plan.data.routes;
    if texts.is_empty() {
        return Ok(None);
    }
    if job.sets() > 1 {
        let text = "both routes and multiple table sets were specified";
        return Err(Error::usage(text).hint("use either --route or --sets"));
    }
    let given = texts.iter().map(|text| parse(text)).collect::<Result<Vec<_>>>()?;
    let kinds: Vec<&str> = instance.transactions().iter().map(|kind| kind.name).collect();
    for route in &given {
        if route.kind != ALL && !kinds.contains(&route.kind) {
            let text = format!("unknown transaction \"{}\" in a route", route.kind);
            let known = kinds.iter().copied().chain([ALL]);
            return Err(Error::usage(text).did_you_mean(route.kind, known));
        }
    }
    let mut targets = Vec::new();
    let mut of = Vec::new();
    for kind in kinds {
        let (policy, wanted) = match route_of(&given, kind) {
            Some(route) => {
                let wanted = route.targets.iter().map(|text| target(job, text));
                (route.policy, wanted.collect::<Result<Vec<_>>>()?)
            }
            None => (Policy::First, vec![job.target.clone()]),
        };
        let among = wanted.into_iter().map(|target| place(&mut targets, target)).collect();
        of.push(Route { among, policy });
    }
    Ok(Some(Routes { health: Health::new(targets.len()), targets, of }))
}

/// Returns the last route for this transaction type. If there is none, returns the last route for all types.
fn route_of<'a>(given: &'a [Given<'a>], kind: &str) -> Option<&'a Given<'a>> {
    let last = |name: &str| given.iter().rev().find(|route| route.kind == name);
    last(kind).or_else(|| last(ALL))
}

/// Returns the index of a target, adding the target if it is new.
fn place(targets: &mut Vec<Target>, target: Target) -> usize {
    targets.iter().position(|known| *known == target).unwrap_or_else(|| {
        targets.push(target);
        targets.len() - 1
    })
}

fn target(job: &Job, text: &str) -> Result<Target> {
    let target = Target::parse(job.resolved.target_url(text).unwrap_or(text))?;
    let driver = tacho_registry::driver_of(&target, &job.resolved.plan.data.packs)?;
    let (primary, other) = (job.driver.manifest(), driver.manifest());
    if primary.id != other.id {
        let text = format!(
            "a route leads to a {} database, but the target is {}",
            other.title, primary.title
        );
        return Err(Error::usage(text).hint("all databases of a run must use the same driver"));
    }
    driver.check(&target)?;
    Ok(target)
}

/// Returns the routes without passwords.
pub(super) fn shown(job: &Job) -> Vec<String> {
    let name = |text: &str| match (job.resolved.target_url(text), Target::parse(text)) {
        (None, Ok(target)) => target.redacted(),
        _ => text.to_owned(),
    };
    let texts = job.resolved.plan.data.routes.iter().filter_map(|text| parse(text).ok());
    let route = |route: Given<'_>| {
        let targets: Vec<String> = route.targets.into_iter().map(name).collect();
        format!("{}={}:{}", route.kind, route.policy.name(), targets.join(","))
    };
    texts.map(route).collect()
}

/// Returns an error if a target does not accept the sessions or contains different data than the run's target.
pub(super) fn require_same_data(
    request: Request<'_>,
    access: &Access,
    routes: &Routes,
    sessions: u32,
    first: &Marker,
) -> Result<()> {
    let Request { job, context } = request;
    for target in &routes.targets {
        let at = |error: Error| error.during(format!("inspect {}", target.redacted()));
        let session = access.unless_stopped(context, async {
            let environment = environment(context, false, 0);
            let mut session = job.driver.connect(target, environment).await?;
            require_headroom(session.as_mut(), sessions, 0).await?;
            Ok(session)
        });
        let (store, marker) = access.require_ready(request, session.map_err(at)?).map_err(at)?;
        access.unless_stopped(context, store.into_session().close())?;
        let same = Marker { loaded_at: first.loaded_at, runs: first.runs, ..marker } == *first;
        if !same {
            let text =
                format!("{} does not contain the same data as the run's target", target.redacted());
            return Err(Error::new(ErrorKind::Missing, text)
                .during("start run")
                .hint("prepare it with the same workload, scale, profile, and seed"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_for_all_transactions_gives_way_to_one_for_a_type() -> Result<()> {
        let texts = ["payment=a", "all=b", "payment=c", "all=d"];
        let given = texts.into_iter().map(parse).collect::<Result<Vec<_>>>()?;
        let target = |kind| route_of(&given, kind).map(|route| route.targets.concat());
        assert_eq!((target("payment"), target("delivery")), (Some("c".into()), Some("d".into())));
        assert!(route_of(&given[..1], "delivery").is_none());
        Ok(())
    }

    #[test]
    fn routes_are_read() {
        let read = |text: &str| {
            let given = parse(text).ok()?;
            Some((given.kind.to_owned(), given.policy, given.targets.join(" ")))
        };
        let of = |kind: &str, policy, targets: &str| Some((kind.into(), policy, targets.into()));
        assert_eq!(read("payment=a"), of("payment", Policy::RoundRobin, "a"));
        assert_eq!(read("payment=random:a,b"), of("payment", Policy::Random, "a b"));
        let url = "postgres://u@h:1/d";
        assert_eq!(
            read(&format!("x=last_named:{url},b")),
            of("x", Policy::Last, &format!("{url} b"))
        );
        assert_eq!(read(&format!("x={url}")), of("x", Policy::RoundRobin, url));
        for bad in ["payment", "payment=", "payment=a,,b", "payment=random:"] {
            assert!(parse(bad).is_err_and(|error| !error.hints().is_empty()), "{bad}");
        }
    }
}
