//! Sweep variables and the grid of their values. Workload parameters, run settings, target options and server settings
//! can vary.
//!
//! Start reading at [`parse`] and [`apply`].

use std::collections::HashSet;

use tacho_config::{Design, Resolved, SETTINGS, setting};
use tacho_core::{Error, Result, is_secret, masked};
use tacho_driver::Target;
use tacho_store::sweep::Varied;
use tacho_workload::Workload;

use crate::settings::Pairs;

/// The prefix of a key that names a target option.
const TARGET_OPTION: &str = "target.";
/// The prefix of a key that names a server setting.
const SERVER_SETTING: &str = "server.";

/// Parses `KEY=VALUE,VALUE,…`. Rejects an unknown key, but does not check the values.
pub(super) fn parse(text: &str, workload: &dyn Workload) -> Result<Varied> {
    let form = || {
        Error::usage(format!("invalid --vary {}", masked(text)))
            .hint("use the form --vary sessions=1,2,4,8")
    };
    let (key, values) = text.split_once('=').ok_or_else(form)?;
    let key = key.trim().replace('-', "_");
    require_no_secret(&key)?;
    let values: Vec<String> = values
        .split(',')
        .map(|value| value.trim().to_owned())
        .filter(|value| !value.is_empty())
        .collect();
    if key.is_empty() || values.is_empty() {
        return Err(form());
    }
    let mut known = HashSet::new();
    if let Some(twice) = values.iter().find(|value| !known.insert(*value)) {
        return Err(Error::usage(format!("--vary {key} contains {} twice", masked(twice)))
            .hint("use --repeat to measure each value more than once"));
    }
    let known = setting(&key).is_some_and(|setting| !setting.repeated)
        || workload.parameters().iter().any(|parameter| parameter.key == key)
        || [TARGET_OPTION, SERVER_SETTING]
            .iter()
            .any(|start| key.strip_prefix(start).is_some_and(|name| !name.is_empty()));
    if known { Ok(Varied { key, values }) } else { Err(unknown(&key, workload)) }
}

/// Returns an error if the values are secrets, because a sweep stores and prints them.
fn require_no_secret(key: &str) -> Result<()> {
    if !key.starts_with(TARGET_OPTION) || !is_secret(key) {
        return Ok(());
    }
    Err(Error::usage(format!(
        "{key} cannot be varied, because it is a secret and a sweep saves its values"
    ))
    .hint("define a target for each value in tacho.toml, and vary the target: --vary target=a,b"))
}

/// Removes passwords from the targets that a sweep varies. The complete targets are kept in `base`, which finds each
/// of them by its text without the password.
pub(super) fn without_passwords(vary: &mut [Varied], base: &mut Resolved) -> Result<()> {
    for varied in vary.iter_mut().filter(|varied| varied.key == "target") {
        for at in 0..varied.values.len() {
            let text = varied.values[at].clone();
            let shown = masked(&text).into_owned();
            if shown == text || base.target_url(&text).is_some() {
                continue;
            }
            if varied.values.contains(&shown) {
                return Err(Error::usage(format!(
                    "--vary target contains {shown} with two passwords"
                ))
                .hint(
                    "define a name for each of these targets in tacho.toml, and vary the names",
                ));
            }
            base.name_target(&shown, text);
            varied.values[at] = shown;
        }
    }
    Ok(())
}

fn unknown(key: &str, workload: &dyn Workload) -> Error {
    let settings = SETTINGS.iter().filter(|setting| !setting.repeated);
    let settings = settings.map(|setting| setting.parameter.key);
    let parameters = workload.parameters().iter().map(|parameter| parameter.key);
    Error::usage(format!("unknown setting \"{key}\""))
        .did_you_mean(key, settings.chain(parameters))
        .hint("use target.OPTION to vary a target option, and server.NAME to vary a server setting")
}

/// Returns every combination of values, with the last key changing fastest.
pub(super) fn grid(vary: &[Varied]) -> Vec<Vec<String>> {
    let mut grid = vec![Vec::new()];
    for varied in vary {
        let longer = |point: &Vec<String>| {
            let point = point.clone();
            varied.values.iter().map(move |value| {
                let mut point = point.clone();
                point.push(value.clone());
                point
            })
        };
        grid = grid.iter().flat_map(longer).collect();
    }
    grid
}

/// Returns the combinations of values to measure. The design of the sweep determines which combinations are needed. The
/// first one contains the first value of each setting.
pub(super) fn design(vary: &[Varied], design: Design) -> Result<Vec<Vec<String>>> {
    let levels = |point: &Vec<String>| -> Vec<usize> {
        let level = |(varied, value): (&Varied, &String)| {
            varied.values.iter().position(|known| known == value).unwrap_or(0)
        };
        vary.iter().zip(point).map(level).collect()
    };
    let mut grid = grid(vary);
    match design {
        Design::Grid => {}
        Design::OneAtATime => {
            grid.retain(|point| levels(point).iter().filter(|level| **level > 0).count() < 2);
        }
        Design::Half => {
            if vary.len() < 3 || vary.iter().any(|varied| varied.values.len() != 2) {
                return Err(Error::usage(
                    "--design half requires at least three --vary options with two values each",
                )
                .hint("use --design one-at-a-time, or measure all combinations"));
            }
            grid.retain(|point| levels(point).iter().sum::<usize>().is_multiple_of(2));
        }
    }
    Ok(grid)
}

/// Returns the settings for a point.
pub(super) fn apply(base: &Resolved, vary: &[Varied], values: &[String]) -> Result<Resolved> {
    let mut resolved = base.clone();
    for (varied, value) in vary.iter().zip(values) {
        let key = varied.key.as_str();
        resolved = if let Some(option) = key.strip_prefix(TARGET_OPTION) {
            let target = with_option(&resolved, option, value)?;
            resolved.with("target", &[target])?
        } else if key.starts_with(SERVER_SETTING) {
            resolved
        } else if setting(key).is_some() {
            resolved.with(key, std::slice::from_ref(value))?
        } else {
            let mut set = resolved.plan.data.set.clone();
            set.insert(key.to_owned(), value.clone());
            let pairs: Vec<String> =
                set.iter().map(|(key, value)| format!("{key}={value}")).collect();
            resolved.with("set", &pairs)?
        };
    }
    Ok(resolved)
}

/// Returns the server settings requested by a point.
pub(super) fn server_settings(vary: &[Varied], values: &[String]) -> Pairs {
    let server_setting = |(varied, value): (&Varied, &String)| {
        Some((varied.key.strip_prefix(SERVER_SETTING)?.to_owned(), value.clone()))
    };
    vary.iter().zip(values).filter_map(server_setting).collect()
}

/// Returns the target with the value of one option replaced.
pub(crate) fn with_option(resolved: &Resolved, option: &str, value: &str) -> Result<String> {
    let text = resolved.plan.data.target.as_deref().ok_or_else(|| {
        Error::usage(format!("target.{option} varies, but no target was specified"))
            .hint("specify one: tacho sweep WORKLOAD TARGET --vary …")
    })?;
    let text = resolved.target_url(text).unwrap_or(text);
    let kept = Target::parse(text)?.options;
    let (place, _) = text.split_once('?').unwrap_or((text, ""));
    let mut options: Vec<String> = kept
        .iter()
        .filter(|(key, _)| key != option)
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    options.push(format!("{option}={value}"));
    let colon = if place.contains(':') { "" } else { ":" };
    Ok(format!("{place}{colon}?{}", options.join("&")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacho_config::{Source, resolve};

    fn varied(key: &str, values: &[&str]) -> Varied {
        Varied { key: key.into(), values: values.iter().map(|value| (*value).into()).collect() }
    }

    #[test]
    fn the_last_key_changes_fastest() {
        let vary = [varied("form", &["sql", "pipelined"]), varied("sessions", &["1", "2"])];
        let grid = grid(&vary);
        let words: Vec<String> = grid.iter().map(|point| point.join(" ")).collect();
        assert_eq!(words, ["sql 1", "sql 2", "pipelined 1", "pipelined 2"]);
    }

    #[test]
    fn designs_choose_among_the_combinations() -> Result<()> {
        let vary = [varied("a", &["0", "1"]), varied("b", &["0", "1"]), varied("c", &["0", "1"])];
        let words = |chosen| -> Result<String> {
            let points = design(&vary, chosen)?;
            Ok(points.iter().map(|point| point.concat()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(words(Design::Grid)?, "000 001 010 011 100 101 110 111");
        assert_eq!(words(Design::OneAtATime)?, "000 001 010 100");
        assert_eq!(words(Design::Half)?, "000 011 101 110");
        assert!(design(&vary[..2], Design::Half).is_err());
        assert!(design(&[varied("a", &["0", "1", "2"])], Design::Half).is_err());
        Ok(())
    }

    #[test]
    fn keys_find_their_place() -> Result<()> {
        let flags = vec![
            ("target".into(), vec!["sim:?latency=1ms&seed=3".into()]),
            ("set".into(), vec!["mix=deck".into()]),
        ];
        let base = resolve(Source { flags, ..Source::default() })?;
        let vary = [
            varied("sessions", &["4"]),
            varied("target.latency", &["9ms"]),
            varied("mix", &["weights"]),
        ];
        let values = ["4", "9ms", "weights"].map(String::from);
        let point = apply(&base, &vary, &values)?;
        assert_eq!(point.plan.load.sessions, 4);
        assert_eq!(point.plan.data.target.as_deref(), Some("sim:?seed=3&latency=9ms"));
        assert_eq!(point.plan.data.set, [("mix".to_owned(), "weights".to_owned())].into());
        Ok(())
    }
}
