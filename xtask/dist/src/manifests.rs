//! Manifests for package managers that download and install a release: Homebrew, winget and Scoop.
//!
//! Each manifest has a template in `manifests/`. In a template, `@NAME@` stands for a property of
//! the release, and `@SHA256 TRIPLE@` for the checksum of an archive.

use std::path::Path;

use crate::Artefact;
use crate::release::Release;

/// Package managers with their templates and the names of the resulting files.
#[rustfmt::skip]
const MANAGERS: [(&str, &[(&str, &str)]); 3] = [
    ("Homebrew", &[("@NAME@.rb", include_str!("manifests/homebrew.rb"))]),
    ("Scoop", &[("@NAME@.json", include_str!("manifests/scoop.json"))]),
    ("winget", &[
        ("@WINGET@.yaml", include_str!("manifests/winget.yaml")),
        ("@WINGET@.installer.yaml", include_str!("manifests/winget.installer.yaml")),
        ("@WINGET@.locale.en-US.yaml", include_str!("manifests/winget.locale.en-US.yaml")),
    ]),
];

/// Writes the manifests for the archives that were built. Prints which package managers lack an archive.
pub fn write(release: &Release, made: &[Artefact], folder: &Path) -> Result<Vec<Artefact>, String> {
    let mut written = Vec::new();
    for (manager, files) in MANAGERS {
        let filled =
            |(name, text): &(&str, &str)| (fill(name, release, &[]), fill(text, release, made));
        let files: Vec<(String, String)> = files.iter().map(filled).collect();
        if files
            .iter()
            .any(|(_, text)| text.contains("@SHA256 ") || text.contains("@UPPER_SHA256 "))
        {
            println!("skipped {manager}: a required archive was not built");
            continue;
        }
        for (name, text) in files {
            written.push(Artefact::write(folder.join("manifests").join(name), text.as_bytes())?);
        }
    }
    Ok(written)
}

/// Replaces placeholders with information about the release or its archives.
pub fn fill(template: &str, release: &Release, archives: &[Artefact]) -> String {
    let Release { name, version, about, homepage, licence, publisher, winget, pypi, email, .. } =
        release;
    let class: String = name.split('-').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    let licences: Vec<String> = licence.split(" OR ").map(|one| format!("\"{one}\"")).collect();
    let download = release.download();
    let mut text = template.to_owned();
    #[rustfmt::skip]
    let marks = [
        ("NAME", name), ("CLASS", &class), ("VERSION", version), ("ABOUT", about), ("HOMEPAGE", homepage),
        ("DOWNLOAD", &download), ("LICENCE", licence), ("LICENCES", &licences.join(", ")),
        ("SCOOP_LICENCE", &licence.replace(" OR ", "|")), ("PUBLISHER", publisher), ("EMAIL", email),
        ("WINGET", winget), ("PYPI", pypi), ("DAY", &release.timestamp()[..10].to_owned()),
    ];
    for (mark, value) in marks {
        text = text.replace(&format!("@{mark}@"), value);
    }
    let stem = release.stem("");
    for archive in archives {
        let name = archive.name();
        let Some(rest) = name.strip_prefix(&stem) else { continue };
        let triple = rest.strip_suffix(".tar.gz").or(rest.strip_suffix(".zip")).unwrap_or_default();
        text = text
            .replace(&format!("@ARCHIVE {triple}@"), &name)
            .replace(&format!("@SHA256 {triple}@"), &archive.sha256)
            .replace(&format!("@UPPER_SHA256 {triple}@"), &archive.sha256.to_uppercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{release, targets};
    use xtask::process;

    fn archives() -> Vec<Artefact> {
        let of = |target: &targets::Target| {
            let end = if target.triple.contains("windows") { "zip" } else { "tar.gz" };
            let path = format!("/any/{}.{end}", release::example().stem(target.triple)).into();
            Artefact { path, sha256: "ab".repeat(32), bytes: 1 }
        };
        targets::named(&[]).expect("all").into_iter().map(of).collect()
    }

    #[test]
    fn each_names_its_archive_with_its_sum() {
        let (release, archives) = (release::example(), archives());
        let filled =
            |index: usize, file: usize| fill(MANAGERS[index].1[file].1, &release, &archives);
        let (formula, scoop, installer) = (filled(0, 0), filled(1, 0), filled(2, 1));
        let address = "https://example.com/tacho/releases/download/v1.2.3/tacho-1.2.3-";
        assert!(
            formula.contains(&format!("url \"{address}aarch64-apple-darwin.tar.gz\"")),
            "{formula}"
        );
        assert_eq!(formula.matches(&"ab".repeat(32)).count(), 4);
        assert!(formula.contains("license any_of: [\"MIT\", \"Apache-2.0\"]"), "{formula}");
        let scoop: serde_json::Value = serde_json::from_str(&scoop).expect("JSON");
        let folder = "tacho-1.2.3-x86_64-pc-windows-gnu";
        assert_eq!(scoop["architecture"]["64bit"]["extract_dir"], folder);
        let url = format!("InstallerUrl: {address}x86_64-pc-windows-gnu.zip");
        assert!(installer.contains(&url) && installer.contains(&"AB".repeat(32)), "{installer}");
        assert!(installer.contains("ReleaseDate: 2023-11-14\n"), "{installer}");
        for text in [formula, installer, filled(2, 0), filled(2, 2), scoop.to_string()] {
            assert!(!text.contains('@'), "{text}");
        }
    }

    #[test]
    fn without_its_archives_a_manager_is_left_out() {
        assert!(write(&release::example(), &[], Path::new("")).is_ok_and(|made| made.is_empty()));
    }

    /// The template for `cargo binstall` has its own placeholders, but must result in the same file name.
    #[test]
    fn cargo_binstall_finds_the_archive() {
        let text =
            std::fs::read_to_string(process::root().join("crates/cli/Cargo.toml")).expect("read");
        let of = |key: &str| {
            let mut lines =
                text.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            #[rustfmt::skip]
            let words = [
                ("{ repo }", "https://example.com/tacho"), ("{ version }", "1.2.3"), ("{ archive-suffix }", ".zip"),
                ("{ target }", "x86_64-pc-windows-gnu"), ("{ bin }", "tacho"), ("{ binary-ext }", ".exe"),
            ];
            let line = lines.next().expect("a line").trim_matches('"').to_owned();
            words.iter().fold(line, |text, (word, value)| text.replace(word, value))
        };
        let release = release::example();
        let stem = release.stem("x86_64-pc-windows-gnu");
        assert_eq!(of("pkg-url"), format!("{}/{stem}.zip", release.download()));
        assert_eq!(of("bin-dir"), format!("{stem}/tacho.exe"));
    }
}
