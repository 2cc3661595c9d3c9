//! Packages of npm: one for each system with the program, and one that finds and starts it.

use serde_json::{Map, Value, json};

use crate::dist::archive::{Entry, gzip, tar};
use crate::dist::release::Release;
use crate::dist::targets::{System, Target};

/// Starts the program of this system; npm has installed only that one.
const LAUNCHER: &str = include_str!("launcher.js");

/// The name of the package with the program for a system.
pub fn package_name(release: &Release, target: &Target) -> String {
    let musl = if target.is_static() { "-musl" } else { "" };
    format!("{}-{}-{}{musl}", release.npm, system(target), target.npm)
}

/// As node calls it.
fn system(target: &Target) -> &'static str {
    match target.system {
        System::Linux => "linux",
        System::Windows => "win32",
        System::MacOs => "darwin",
    }
}

/// The package with the program.
pub fn of_target(release: &Release, target: &Target, program: Vec<u8>) -> Result<Vec<u8>, String> {
    let mut about = described(release, &package_name(release, target));
    about["os"] = json!([system(target)]);
    about["cpu"] = json!([target.npm]);
    if target.system == System::Linux {
        about["libc"] = json!([if target.is_static() { "musl" } else { "glibc" }]);
    }
    let licences = crate::dist::licences::text(&crate::dist::crates::all(target.triple)?)?;
    packed(
        release,
        vec![
            Entry::file("package/package.json", format!("{about:#}\n")),
            Entry::file("package/THIRD-PARTY-LICENCES.txt", licences),
            Entry::program(format!("package/bin/{}", target.program(&release.name)), program),
        ],
    )
}

/// The package that people name: it needs the one of their system.
pub fn launcher(release: &Release, targets: &[&Target]) -> Result<Vec<u8>, String> {
    let mut about = described(release, &release.npm);
    let needs: Map<String, Value> = targets
        .iter()
        .map(|target| (package_name(release, target), release.version.clone().into()))
        .collect();
    about["bin"] = json!({ &release.name: "bin/launcher.js" });
    about["optionalDependencies"] = Value::Object(needs);
    about["engines"] = json!({ "node": ">=18" });
    let text = LAUNCHER.replace("@PACKAGE@", &release.npm).replace("@PROGRAM@", &release.name);
    packed(
        release,
        vec![
            Entry::file("package/package.json", format!("{about:#}\n")),
            Entry::program("package/bin/launcher.js", text),
        ],
    )
}

fn described(release: &Release, name: &str) -> Value {
    json!({
        "name": name,
        "version": release.version,
        "description": release.about,
        "homepage": release.homepage,
        "repository": { "type": "git", "url": format!("git+{}.git", release.homepage) },
        "license": format!("({})", release.licence),
    })
}

fn packed(release: &Release, entries: Vec<Entry>) -> Result<Vec<u8>, String> {
    gzip(&tar(entries, release.date)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::{release, targets};

    #[test]
    fn each_system_has_a_name_of_its_own() {
        let release = release::example();
        let mut names: Vec<String> = targets::named(&[])
            .expect("all")
            .iter()
            .map(|own| package_name(&release, own))
            .collect();
        assert!(names.contains(&"tacho-win32-x64".to_owned()), "{names:?}");
        assert!(names.contains(&"tacho-linux-x64-musl".to_owned()), "{names:?}");
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 6);
    }
}
