//! A package for Fedora, SUSE and their derivatives, in RPM format 4. It can be signed with `rpmsign`.

use rpm::{BuildConfig, CompressionWithLevel, Dependency, FileOptions, PackageBuilder};

use super::{File, Product};
use crate::archive::Entry;
use crate::release::Release;

/// Builds a package from the given files.
pub fn package(product: &Product, files: Vec<Entry>) -> Result<File, String> {
    let Release { name, version, licence, about, publisher, homepage, date, .. } = product.release;
    let date =
        u32::try_from(*date).map_err(|_| "the release date is too late for the RPM format")?;
    let architecture = product.target.rpm();
    let config = BuildConfig::v4().compression(CompressionWithLevel::Gzip(9)).source_date(date);
    let mut builder = PackageBuilder::new(name, version, licence, architecture, about);
    builder
        .using_config(config)
        .release("1")
        .description(about)
        .group("Applications/Databases")
        .packager(publisher)
        .url(homepage)
        .build_host("localhost")
        .requires(Dependency::any("libc.so.6()(64bit)"));
    let failed = |error: rpm::Error| format!("build an rpm package: {error}");
    for Entry { path, content, mode } in files {
        let is_text = path.contains("/doc/") || path.contains("/man/");
        let options = FileOptions::new(format!("/{path}")).permissions(mode as u16);
        let options = if is_text { options.doc() } else { options };
        builder.with_file_contents(content, options).map_err(failed)?;
    }
    let mut package = Vec::new();
    builder.build().and_then(|built| built.write(&mut package)).map_err(failed)?;
    Ok((format!("{name}-{version}-1.{architecture}.rpm"), package))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn rpm_reads_the_package() {
        let (product, files) = crate::packages::example("aarch64-unknown-linux-gnu");
        let (name, content) = package(&product, files.clone()).expect("a package");
        assert_eq!(name, "tacho-1.2.3-1.aarch64.rpm");
        assert!(package(&product, files).is_ok_and(|again| again.1 == content), "another package");
        let path = std::env::temp_dir().join(format!("{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("written");
        let said = [&["-qip", "--list", "--nosignature"][..], &["-K", "--nosignature"]]
            .map(|words| Command::new("rpm").args(words).arg(&path).output());
        std::fs::remove_file(&path).expect("removed");
        // Skip this check if `rpm` is missing, because few Debian machines have it.
        let [Ok(said), Ok(sound)] = said else { return };
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let [text, sound] =
            [said, sound].map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        assert!(text.contains("Version     : 1.2.3") && text.contains("/usr/bin/tacho"), "{text}");
        assert!(sound.contains("digests OK"), "{sound}");
    }
}
