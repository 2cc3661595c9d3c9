//! Software that the tests need. Missing software is installed if permitted.

use xtask::{machine, process};

use crate::servers;
use crate::testing::{Download, Need, Testing};

/// Checks that the required software is available. On Debian, missing software is installed if the user is root.
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

/// Downloads software that has no system package, unless it is already available.
pub fn fetch(testing: &Testing) {
    if !servers::small(testing) {
        println!("NOT TESTED: software that could not be downloaded; see above");
    }
}

/// Reports everything that cannot be tested on this machine. This is not an error, because some products cannot be
/// installed everywhere.
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
            format!(", or set {variable} to a folder that contains it")
        });
        println!(
            "NOT TESTED: {name}, which is not available; to download it, use cargo xtask \
                  servers{other}"
        );
    }
}

fn missing(testing: &Testing) -> Vec<&Need> {
    let is_missing = |need: &&Need| !need.probes.iter().any(|probe| machine::has(probe));
    testing.needs.iter().filter(is_missing).collect()
}

fn packages<'a>(needs: &[&'a Need]) -> Vec<&'a str> {
    needs.iter().flat_map(|need| need.packages.iter().map(String::as_str)).collect()
}

/// Describes the missing software and how to install it.
fn advice(missing: &[&Need], debian: bool) -> String {
    let whats: Vec<&str> = missing.iter().map(|need| need.what.as_str()).collect();
    let names = packages(missing).join(" ");
    let hint = if debian {
        format!("sudo apt-get update && sudo apt-get install {names}")
    } else {
        format!("install these Debian packages or their equivalents: {names}")
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
