//! What the tests need from the machine, installed where we may.

use xtask::{machine, process};

use crate::servers;
use crate::testing::{Download, Need, Testing};

/// Makes sure that everything is there; installs what is missing if this is Debian and we are root.
pub fn ensure(testing: &Testing) -> Result<(), String> {
    let missing = missing(testing);
    if missing.is_empty() {
        return Ok(());
    }
    let packages = packages(&missing);
    println!("missing: {}", packages.join(" "));
    if machine::install(&packages) && self::missing(testing).is_empty() {
        return Ok(());
    }
    Err(advice(&missing, machine::has("apt-get")))
}

/// Downloads what no package of the system brings, if it is not there.
pub fn fetch(testing: &Testing) {
    if !servers::small(testing) {
        println!("NOT TESTED: what could not be fetched, see above");
    }
}

/// Says aloud what is not tested here, since not every machine can have it.
pub fn announce_untested(testing: &Testing) {
    let there = |one: &Download| {
        let installed = one.installed.as_ref();
        servers::is_named(one)
            || servers::place(&one.folder).is_dir()
            || installed.is_some_and(|command| process::output("sh", &["-c", command]).is_ok())
    };
    for one in &testing.downloads {
        let Some(name) = one.announced.as_ref().filter(|_| !there(one)) else { continue };
        let other = one.variable.as_ref();
        let other = other.map_or(String::new(), |variable| {
            format!(", and {variable} names another folder that has it")
        });
        println!("NOT TESTED: {name}, which is not here; cargo xtask servers fetches it{other}");
    }
}

fn missing(testing: &Testing) -> Vec<&Need> {
    let is_missing = |need: &&Need| !need.probes.iter().any(|probe| machine::has(probe));
    testing.needs.iter().filter(is_missing).collect()
}

fn packages<'a>(needs: &[&'a Need]) -> Vec<&'a str> {
    needs.iter().flat_map(|need| need.packages.iter().map(String::as_str)).collect()
}

/// Says what is missing and how to get it.
fn advice(missing: &[&Need], debian: bool) -> String {
    let whats: Vec<&str> = missing.iter().map(|need| need.what.as_str()).collect();
    let names = packages(missing).join(" ");
    let hint = if debian {
        format!("sudo apt-get update && sudo apt-get install {names}")
    } else {
        format!("install what the Debian packages {names} hold")
    };
    format!("the tests need {}\n\n  hint: {hint}", whats.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_what_is_missing_and_the_packages() {
        let packages = vec!["one".to_owned(), "two".to_owned()];
        let need = Need { what: "a server".into(), probes: Vec::new(), packages };
        let text = advice(&[&need], true);
        assert!(text.contains("a server") && text.contains("apt-get install one two"), "{text}");
        assert!(!advice(&[&need], false).contains("apt-get"));
    }
}
