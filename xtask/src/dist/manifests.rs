//! Descriptions of a release for those who install it from its page: Homebrew, winget, Scoop.

use std::path::Path;

use serde_json::json;

use super::release::Release;
use super::sbom::date;
use super::{Artefact, targets};

/// Of the archives that are there; one whose archives are missing is left out and named.
pub fn write(release: &Release, made: &[Artefact], folder: &Path) -> Result<Vec<Artefact>, String> {
    let find = |triple: &str| {
        let target = targets::target(triple);
        let stem = release.stem(triple);
        made.iter().find(|own| own.target == target && own.name().starts_with(&stem))
    };
    let files = [
        ("Homebrew", formula(release, &find)),
        ("Scoop", scoop(release, &find)),
        ("winget", winget(release, &find)),
    ];
    let mut written = Vec::new();
    for (who, files) in files {
        let Some(files) = files else {
            println!("no files for {who}: an archive that they name was not asked for");
            continue;
        };
        for (name, text) in files {
            written.push(Artefact::write(
                folder.join("manifests").join(name),
                text.as_bytes(),
                None,
            )?);
        }
    }
    Ok(written)
}

type Find<'a> = &'a dyn Fn(&str) -> Option<&'a Artefact>;
type Files = Vec<(String, String)>;

fn formula(release: &Release, find: Find<'_>) -> Option<Files> {
    let Release { name, version, about, homepage, licence, download, .. } = release;
    let source = |triple: &str| {
        let archive = find(triple)?;
        Some(format!("url \"{download}/{}\"\n      sha256 \"{}\"", archive.name(), archive.sha256))
    };
    let [arm, intel, linux_arm, linux] = [
        source("aarch64-apple-darwin")?,
        source("x86_64-apple-darwin")?,
        source("aarch64-unknown-linux-gnu")?,
        source("x86_64-unknown-linux-gnu")?,
    ];
    let class: String = name.split('-').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    let licences: Vec<String> = licence.split(" OR ").map(|one| format!("\"{one}\"")).collect();
    let text = format!(
        r##"class {class} < Formula
  desc "{about}"
  homepage "{homepage}"
  version "{version}"
  license any_of: [{}]

  on_macos do
    on_arm do
      {arm}
    end
    on_intel do
      {intel}
    end
  end
  on_linux do
    on_arm do
      {linux_arm}
    end
    on_intel do
      {linux}
    end
  end

  def install
    bin.install "{name}"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/{name}.bash" => "{name}"
    zsh_completion.install "completions/_{name}"
    fish_completion.install "completions/{name}.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/{name} version")
    system bin/"{name}", "run", "--duration", "1s"
  end
end
"##,
        licences.join(", ")
    );
    Some(vec![(format!("{name}.rb"), text)])
}

fn scoop(release: &Release, find: Find<'_>) -> Option<Files> {
    let archive = find("x86_64-pc-windows-gnu")?;
    let Release { name, version, about, homepage, licence, download, .. } = release;
    let stem = release.stem("x86_64-pc-windows-gnu");
    let of_any = |text: &str| text.replace(version.as_str(), "$version");
    let text = json!({
        "version": version,
        "description": about,
        "homepage": homepage,
        "license": licence.replace(" OR ", "|"),
        "architecture": { "64bit": {
            "url": format!("{download}/{}", archive.name()),
            "hash": archive.sha256,
            "extract_dir": stem,
        } },
        "bin": format!("{name}.exe"),
        "checkver": { "github": homepage },
        "autoupdate": { "architecture": { "64bit": {
            "url": of_any(&format!("{download}/{}", archive.name())),
            "extract_dir": of_any(&stem),
        } } },
    });
    Some(vec![(format!("{name}.json"), format!("{text:#}\n"))])
}

fn winget(release: &Release, find: Find<'_>) -> Option<Files> {
    const FORMAT: &str = "1.9.0";
    let archive = find("x86_64-pc-windows-gnu")?;
    let Release { name, version, about, homepage, licence, publisher, winget, download, .. } =
        release;
    let head = |kind: &str| {
        format!(
            "# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{FORMAT}.schema.json\n\
             PackageIdentifier: {winget}\nPackageVersion: {version}\n"
        )
    };
    let end = |kind: &str| format!("ManifestType: {kind}\nManifestVersion: {FORMAT}\n");
    let stem = release.stem("x86_64-pc-windows-gnu");
    let day = &date(release.date)[..10];
    let version_file = format!("{}DefaultLocale: en-US\n{}", head("version"), end("version"));
    let installer = format!(
        "{}InstallerType: zip\nNestedInstallerType: portable\nNestedInstallerFiles:\n\
         - RelativeFilePath: {stem}\\{name}.exe\n  PortableCommandAlias: {name}\nReleaseDate: {day}\n\
         Installers:\n- Architecture: x64\n  InstallerUrl: {download}/{}\n  InstallerSha256: {}\n{}",
        head("installer"),
        archive.name(),
        archive.sha256.to_uppercase(),
        end("installer")
    );
    let locale = format!(
        "{}PackageLocale: en-US\nPublisher: {publisher}\nPackageName: {name}\nPackageUrl: {homepage}\n\
         License: {licence}\nShortDescription: {about}\nMoniker: {name}\n{}",
        head("defaultLocale"),
        end("defaultLocale")
    );
    Some(vec![
        (format!("{winget}.yaml"), version_file),
        (format!("{winget}.installer.yaml"), installer),
        (format!("{winget}.locale.en-US.yaml"), locale),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::release;
    use crate::process;

    fn archives() -> Vec<Artefact> {
        let of = |target: &'static targets::Target| {
            let end = if target.triple.contains("windows") { "zip" } else { "tar.gz" };
            let path = format!("/any/{}.{end}", release::example().stem(target.triple)).into();
            Artefact { path, sha256: "ab".repeat(32), bytes: 1, target: Some(target) }
        };
        targets::named(&[]).expect("all").into_iter().map(of).collect()
    }

    fn all() -> Files {
        let (release, made) = (release::example(), archives());
        let find = |triple: &str| made.iter().find(|own| own.target == targets::target(triple));
        [formula(&release, &find), scoop(&release, &find), winget(&release, &find)]
            .into_iter()
            .flat_map(Option::unwrap_or_default)
            .collect()
    }

    #[test]
    fn each_names_its_archive_with_its_sum() {
        let files = all();
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[..3], ["tacho.rb", "tacho.json", "Tacho.Tacho.yaml"]);
        let address = "https://example.com/tacho/releases/download/v1.2.3/tacho-1.2.3-";
        let formula = &files[0].1;
        assert!(
            formula.contains(&format!("url \"{address}aarch64-apple-darwin.tar.gz\"")),
            "{formula}"
        );
        assert_eq!(formula.matches(&"ab".repeat(32)).count(), 4);
        assert!(formula.contains("license any_of: [\"MIT\", \"Apache-2.0\"]"), "{formula}");
        let scoop: serde_json::Value = serde_json::from_str(&files[1].1).expect("JSON");
        assert_eq!(
            scoop["architecture"]["64bit"]["extract_dir"],
            "tacho-1.2.3-x86_64-pc-windows-gnu"
        );
        assert!(
            scoop["autoupdate"].to_string().contains("v$version/tacho-$version-x86_64"),
            "{scoop}"
        );
        let installer = &files[3].1;
        assert!(
            installer.contains(&format!("InstallerUrl: {address}x86_64-pc-windows-gnu.zip")),
            "{installer}"
        );
        assert!(installer.contains("ReleaseDate: 2023-11-14\n"), "{installer}");
    }

    #[test]
    fn without_its_archives_a_manager_is_left_out() {
        let none = |_: &str| None;
        assert!(formula(&release::example(), &none).is_none());
    }

    /// `cargo binstall` has its own words for the same name.
    #[test]
    fn cargo_binstall_finds_the_archive() {
        let text =
            std::fs::read_to_string(process::root().join("crates/cli/Cargo.toml")).expect("read");
        let line = |key: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "))
                .expect("a line")
        };
        let of = |text: &str| {
            let words = [
                ("{ repo }", "https://example.com/tacho"),
                ("{ version }", "1.2.3"),
                ("{ target }", "x86_64-pc-windows-gnu"),
                ("{ archive-suffix }", ".zip"),
                ("{ bin }", "tacho"),
                ("{ binary-ext }", ".exe"),
            ];
            words.iter().fold(text.trim_matches('"').to_owned(), |text, (word, value)| {
                text.replace(word, value)
            })
        };
        let release = release::example();
        let stem = release.stem("x86_64-pc-windows-gnu");
        assert_eq!(of(line("pkg-url")), format!("{}/{stem}.zip", release.download));
        assert_eq!(of(line("bin-dir")), format!("{stem}/tacho.exe"));
    }
}
