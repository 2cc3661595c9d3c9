//! A package of Debian and its relatives: an `ar` archive of two tar archives, deb(5).

use crate::dist::archive::{Entry, gzip, tar};
use crate::dist::release::Release;
use crate::dist::targets::Target;

/// The name of the file.
pub fn name(release: &Release, target: &Target) -> String {
    format!("{}_{}_{}.deb", release.name, release.version, target.debian)
}

/// The package with these files.
pub fn package(release: &Release, target: &Target, files: Vec<Entry>) -> Result<Vec<u8>, String> {
    let bytes: usize = files.iter().map(|file| file.content.len()).sum();
    let control = Entry::file("./control", control(release, target, bytes.div_ceil(1024)));
    let files = files.into_iter().map(|file| Entry { path: format!("./{}", file.path), ..file });
    let parts = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", gzip(&tar(vec![control], release.date)?)?),
        ("data.tar.gz", gzip(&tar(files.collect(), release.date)?)?),
    ];
    let mut package = b"!<arch>\n".to_vec();
    for (name, content) in parts {
        let head =
            format!("{name:<16}{:<12}0     0     100644  {:<10}`\n", release.date, content.len());
        package.extend(head.as_bytes());
        package.extend(&content);
        if content.len() % 2 == 1 {
            package.push(b'\n');
        }
    }
    Ok(package)
}

fn control(release: &Release, target: &Target, kilobytes: usize) -> String {
    let glibc = target.glibc.unwrap_or_default();
    let Release { name, version, publisher, email, homepage, about, .. } = release;
    format!(
        "Package: {name}\nVersion: {version}\nArchitecture: {}\nMaintainer: {publisher} <{email}>\n\
         Installed-Size: {kilobytes}\nDepends: libc6 (>= {glibc})\nSection: database\nPriority: optional\n\
         Homepage: {homepage}\nDescription: {about}\n",
        target.debian
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::{packages, release, targets};
    use std::process::Command;

    #[test]
    fn debian_reads_the_package() {
        let target = targets::target("x86_64-unknown-linux-gnu").expect("a target");
        let package =
            package(&release::example(), target, packages::example_files()).expect("a package");
        assert!(package.starts_with(b"!<arch>\ndebian-binary   1700000000"));
        let path = std::env::temp_dir().join(format!("tacho-{}.deb", std::process::id()));
        std::fs::write(&path, package).expect("written");
        let said = Command::new("dpkg-deb").arg("--info").arg(&path).output();
        let listed = Command::new("dpkg-deb").arg("--contents").arg(&path).output();
        std::fs::remove_file(&path).expect("removed");
        // Only Debian has its program.
        let (Ok(said), Ok(listed)) = (said, listed) else { return };
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(
            said.contains("Depends: libc6 (>= 2.17)") && said.contains("Package: tacho"),
            "{said}"
        );
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        assert!(listed.contains("-rwxr-xr-x 0/0") && listed.contains(" usr/bin/tacho"), "{listed}");
    }
}
