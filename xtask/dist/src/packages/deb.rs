//! A package for Debian and its derivatives: an `ar` archive with two tar archives; see deb(5).

use super::{File, Product};
use crate::archive::{Entry, gzip, tar};
use crate::release::Release;

/// Builds a package from the given files.
pub fn package(product: &Product, files: &[Entry]) -> Result<File, String> {
    let Product { release, target, .. } = product;
    let Release { name, version, publisher, email, homepage, about, date, .. } = release;
    let bytes: usize = files.iter().map(|file| file.content.len()).sum();
    let (kilobytes, glibc) = (bytes.div_ceil(1024), target.glibc.unwrap_or_default());
    let architecture = target.debian();
    let control = format!(
        "Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: {publisher} <{email}>\n\
         Installed-Size: {kilobytes}\nDepends: libc6 (>= {glibc})\nSection: database\nPriority: optional\n\
         Homepage: {homepage}\nDescription: {about}\n"
    );
    let files = files.iter().map(|file| Entry { path: format!("./{}", file.path), ..file.clone() });
    let parts = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", gzip(&tar(vec![Entry::file("./control", control)], *date)?)?),
        ("data.tar.gz", gzip(&tar(files.collect(), *date)?)?),
    ];
    let mut package = b"!<arch>\n".to_vec();
    for (name, content) in parts {
        let size = content.len();
        package.extend(format!("{name:<16}{date:<12}0     0     100644  {size:<10}`\n").bytes());
        package.extend(&content);
        package.resize(package.len().next_multiple_of(2), b'\n');
    }
    Ok((format!("{name}_{version}_{architecture}.deb"), package))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn debian_reads_the_package() {
        let (product, files) = crate::packages::example("x86_64-unknown-linux-gnu");
        let (name, package) = package(&product, &files).expect("a package");
        assert!(package.starts_with(b"!<arch>\ndebian-binary   1700000000"));
        let path = std::env::temp_dir().join(format!("{}-{name}", std::process::id()));
        std::fs::write(&path, package).expect("written");
        let said = ["--info", "--contents"]
            .map(|option| Command::new("dpkg-deb").arg(option).arg(&path).output());
        std::fs::remove_file(&path).expect("removed");
        // Skip this check if `dpkg-deb` is missing, because only Debian and its derivatives provide it.
        let [Ok(said), Ok(listed)] = said else { return };
        let [said, listed] =
            [said, listed].map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        assert!(
            said.contains("Depends: libc6 (>= 2.17)") && said.contains("Package: tacho"),
            "{said}"
        );
        assert!(listed.contains("-rwxr-xr-x 0/0") && listed.contains(" usr/bin/tacho"), "{listed}");
    }
}
