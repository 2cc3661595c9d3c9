//! npm packages: one for each system, which contains the program, and one that finds and starts the right program.

use serde_json::{Map, Value, json};

use super::{File, Product};
use crate::archive::{Entry, gzip, tar};
use crate::release::Release;
use crate::targets::{System, Target};

/// Script that starts the program. npm installs only the package for the current system.
const LAUNCHER: &str = include_str!("launcher.js");

/// Returns the name of the package that contains the program for a system.
fn package_name(release: &Release, target: &Target) -> String {
    let musl = if target.is_static() { "-musl" } else { "" };
    format!("{}-{}-{}{musl}", release.npm, system(target), target.npm())
}

/// Returns a system's name in Node.js.
fn system(target: &Target) -> &'static str {
    match target.system {
        System::Linux => "linux",
        System::Windows => "win32",
        System::MacOs => "darwin",
    }
}

/// Builds the package that contains the program.
pub fn of_target(product: &Product) -> Result<File, String> {
    let Product { release, target, .. } = product;
    let name = package_name(release, target);
    let mut about = described(release, &name);
    about["os"] = json!([system(target)]);
    about["cpu"] = json!([target.npm()]);
    if target.system == System::Linux {
        about["libc"] = json!([if target.is_static() { "musl" } else { "glibc" }]);
    }
    let program = format!("package/bin/{}", target.program(&release.name));
    let entries = vec![
        Entry::file("package/package.json", format!("{about:#}\n")),
        Entry::file("package/THIRD-PARTY-LICENCES.txt", &*product.licences),
        Entry::program(program, &*product.program),
    ];
    packed(release, &name, entries)
}

/// Builds the package that users install. It depends on the package for the user's system.
pub fn launcher(release: &Release, targets: &[&Target]) -> Result<File, String> {
    let mut about = described(release, &release.npm);
    let need = |target: &&Target| (package_name(release, target), release.version.clone().into());
    let needs: Map<String, Value> = targets.iter().map(need).collect();
    about["bin"] = json!({ &release.name: "bin/launcher.js" });
    about["optionalDependencies"] = Value::Object(needs);
    about["engines"] = json!({ "node": ">=18" });
    let text = LAUNCHER.replace("@PACKAGE@", &release.npm).replace("@PROGRAM@", &release.name);
    let entries = vec![
        Entry::file("package/package.json", format!("{about:#}\n")),
        Entry::program("package/bin/launcher.js", text),
    ];
    packed(release, &release.npm, entries)
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

fn packed(release: &Release, name: &str, entries: Vec<Entry>) -> Result<File, String> {
    let package = gzip(&tar(entries, release.date)?)?;
    Ok((format!("npm/{name}-{}.tgz", release.version), package))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{release, targets};

    #[test]
    fn each_system_has_a_name_of_its_own() {
        let release = release::example();
        let all = targets::named(&[]).expect("all");
        let names: std::collections::BTreeSet<String> =
            all.iter().map(|target| package_name(&release, target)).collect();
        assert!(
            names.contains("tacho-win32-x64") && names.contains("tacho-linux-x64-musl"),
            "{names:?}"
        );
        assert_eq!(names.len(), 6);
    }
}
