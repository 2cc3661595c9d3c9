//! A package of Fedora, SUSE and their relatives, in version 4 of the format:
//! <https://rpm-software-management.github.io/rpm/manual/format_v4.html>.
//!
//! Lead, signature (sums only; `rpmsign` adds a signature), header, and a cpio archive. Start reading at
//! [`package`].

use crate::dist::archive::{Entry, gzip};
use crate::dist::release::Release;
use crate::dist::sha256;
use crate::dist::targets::Target;

/// `LESS | EQUAL | RPMLIB`: what rpm itself must be able to do.
const ABILITY: u32 = 0x0100_000a;
const EQUAL: u32 = 8;
const SHA256: u32 = 8;

/// The name of the file.
pub fn name(release: &Release, target: &Target) -> String {
    format!("{}-{}-1.{}.rpm", release.name, release.version, target.rpm)
}

/// The package with these files, which are sorted.
pub fn package(release: &Release, target: &Target, files: &[Entry]) -> Result<Vec<u8>, String> {
    let archive = cpio(files, release.date);
    let payload = gzip(&archive)?;
    let header = header(release, target, files, &payload)?;
    let mut signature = Store::default();
    signature.text(273, &sha256(&header));
    signature.numbers(1000, &[u32::try_from(header.len() + payload.len()).unwrap_or(u32::MAX)]);
    signature.numbers(1007, &[u32::try_from(archive.len()).unwrap_or(u32::MAX)]);
    let mut signature = signature.finish(62);
    signature.resize(signature.len().next_multiple_of(8), 0);
    Ok([lead(release, target), signature, header, payload].concat())
}

fn lead(release: &Release, target: &Target) -> Vec<u8> {
    let mut lead = vec![0xed, 0xab, 0xee, 0xdb, 3, 0, 0, 0];
    // The processor is not read here any more; 1 and 19 are the traditional numbers.
    lead.extend(if target.rpm == "x86_64" { [0, 1] } else { [0, 19] });
    let mut name = format!("{}-{}-1", release.name, release.version).into_bytes();
    name.resize(66, 0);
    lead.extend(name);
    lead.extend([0, 1, 0, 5]);
    lead.resize(96, 0);
    lead
}

fn header(
    release: &Release,
    target: &Target,
    files: &[Entry],
    payload: &[u8],
) -> Result<Vec<u8>, String> {
    let mut store = Store::default();
    let size: usize = files.iter().map(|file| file.content.len()).sum();
    let date = u32::try_from(release.date).map_err(|_| "the date is too late for the format")?;
    let own = format!("{}-1", release.version);
    store.list(100, &["C"]);
    for (tag, text) in [(1000, &release.name), (1001, &release.version), (1002, &"1".to_owned())] {
        store.text(tag, text);
    }
    store.translated(1004, &release.about);
    store.translated(1005, &release.about);
    store.numbers(1006, &[date]);
    store.text(1007, "localhost");
    store.numbers(1009, &[u32::try_from(size).unwrap_or(u32::MAX)]);
    store.text(1014, &release.licence);
    store.text(1015, &release.publisher);
    store.translated(1016, "Applications/Databases");
    store.text(1020, &release.homepage);
    store.text(1021, "linux");
    store.text(1022, target.rpm);
    store.files(files, date);
    store.text(1044, &format!("{}-{own}.src.rpm", release.name));
    let provided =
        [release.name.clone(), format!("{}({})", release.name, target.rpm.replace('_', "-"))];
    let needs = [
        "libc.so.6()(64bit)",
        "rpmlib(CompressedFileNames)",
        "rpmlib(FileDigests)",
        "rpmlib(PayloadFilesHavePrefix)",
    ];
    store.list(1047, &provided.each_ref().map(String::as_str));
    store.numbers(1048, &[0, ABILITY, ABILITY, ABILITY]);
    store.list(1049, &needs);
    store.list(1050, &["", "3.0.4-1", "4.6.0-1", "4.0-1"]);
    store.text(1064, "4.16.0");
    store.numbers(1112, &[EQUAL, EQUAL]);
    store.list(1113, &[&own, &own]);
    store.text(1124, "cpio");
    store.text(1125, "gzip");
    store.text(1126, "9");
    store.numbers(5011, &[SHA256]);
    store.list(5092, &[&sha256(payload)]);
    store.numbers(5093, &[SHA256]);
    Ok(store.finish(63))
}

/// Entries of a header, sorted by tag at the end, with the data that they point to.
#[derive(Default)]
struct Store {
    /// Tag, type, count and data.
    entries: Vec<(u32, u32, usize, Vec<u8>)>,
}

impl Store {
    fn text(&mut self, tag: u32, text: &str) {
        self.entries.push((tag, 6, 1, [text.as_bytes(), &[0]].concat()));
    }

    fn translated(&mut self, tag: u32, text: &str) {
        self.entries.push((tag, 9, 1, [text.as_bytes(), &[0]].concat()));
    }

    fn list(&mut self, tag: u32, texts: &[&str]) {
        let data = texts.iter().flat_map(|text| [text.as_bytes(), &[0]].concat()).collect();
        self.entries.push((tag, 8, texts.len(), data));
    }

    fn numbers(&mut self, tag: u32, numbers: &[u32]) {
        let data = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        self.entries.push((tag, 4, numbers.len(), data));
    }

    fn short_numbers(&mut self, tag: u32, numbers: &[u16]) {
        let data = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
        self.entries.push((tag, 3, numbers.len(), data));
    }

    /// What is known of each file.
    fn files(&mut self, files: &[Entry], date: u32) {
        let same = |number: u32| vec![number; files.len()];
        let split = |file: &Entry| {
            let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            (format!("/{folder}/"), name.to_owned())
        };
        let (folders, names): (Vec<String>, Vec<String>) = files.iter().map(split).unzip();
        let mut each = folders.clone();
        each.sort();
        each.dedup();
        let place = |folder: &String| each.iter().position(|own| own == folder).unwrap_or(0) as u32;
        let sums: Vec<String> = files.iter().map(|file| sha256(&file.content)).collect();
        let strings =
            |all: &[String]| all.iter().map(String::as_str).collect::<Vec<&str>>().join("\n");
        let mut list = |tag: u32, all: &[String]| {
            let text = strings(all);
            self.list(tag, &text.split('\n').collect::<Vec<&str>>());
        };
        let (root, none) = (vec!["root".to_owned(); files.len()], vec![String::new(); files.len()]);
        list(1035, &sums);
        list(1036, &none);
        list(1039, &root);
        list(1040, &root);
        list(1097, &none);
        list(1117, &names);
        list(1118, &each);
        let sizes: Vec<u32> = files.iter().map(|file| file.content.len() as u32).collect();
        let modes: Vec<u16> = files.iter().map(|file| 0o100_000 | file.mode as u16).collect();
        let is_text = |file: &Entry| {
            u32::from(file.path.contains("/doc/") || file.path.contains("/man/")) * 2
        };
        self.numbers(1028, &sizes);
        self.short_numbers(1030, &modes);
        self.short_numbers(1033, &vec![0; files.len()]);
        self.numbers(1034, &same(date));
        self.numbers(1037, &files.iter().map(is_text).collect::<Vec<u32>>());
        self.numbers(1045, &same(u32::MAX));
        self.numbers(1095, &same(1));
        self.numbers(1096, &(1..=files.len() as u32).collect::<Vec<u32>>());
        self.numbers(1116, &folders.iter().map(place).collect::<Vec<u32>>());
    }

    /// The header, with the entry that shows that it was not changed.
    fn finish(mut self, region: u32) -> Vec<u8> {
        self.entries.sort_by_key(|entry| entry.0);
        let count = self.entries.len() as u32 + 1;
        let (mut index, mut data) = (Vec::new(), Vec::new());
        for (tag, kind, number, content) in &self.entries {
            let step = match kind {
                3 => 2,
                4 => 4,
                _ => 1,
            };
            data.resize(data.len().next_multiple_of(step), 0);
            index.push([*tag, *kind, data.len() as u32, *number as u32]);
            data.extend(content);
        }
        index.insert(0, [region, 7, data.len() as u32, 16]);
        let back = (count * 16).wrapping_neg();
        data.extend([region, 7, back, 16].iter().flat_map(|number| number.to_be_bytes()));
        let head = [0x8ead_e801, 0, count, data.len() as u32];
        let numbers =
            head.iter().chain(index.iter().flatten()).flat_map(|number| number.to_be_bytes());
        numbers.chain(data).collect()
    }
}

/// The files as `cpio -H newc` has them.
fn cpio(files: &[Entry], date: u64) -> Vec<u8> {
    let mut archive = Vec::new();
    let end = Entry { path: "TRAILER!!!".into(), content: Vec::new(), mode: 0 };
    for (number, file) in files.iter().chain([&end]).enumerate() {
        let is_end = number == files.len();
        let name = if is_end { file.path.clone() } else { format!("./{}", file.path) };
        let (mode, date, inode) = if is_end {
            (0, 0, 0)
        } else {
            (0o100_000 | file.mode, date as u32, number as u32 + 1)
        };
        let size = file.content.len() as u32;
        // Inode, mode, user, group, links, date, size, four numbers of devices, length of the name, sum.
        let fields = [inode, mode, 0, 0, 1, date, size, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        archive.extend(b"070701");
        for field in fields {
            archive.extend(format!("{field:08x}").into_bytes());
        }
        archive.extend(name.as_bytes());
        archive.push(0);
        archive.resize(archive.len().next_multiple_of(4), 0);
        archive.extend(&file.content);
        archive.resize(archive.len().next_multiple_of(4), 0);
    }
    archive
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::{packages, release, targets};
    use std::process::Command;

    #[test]
    fn rpm_reads_the_package() {
        let target = targets::target("aarch64-unknown-linux-gnu").expect("a target");
        let release = release::example();
        assert_eq!(name(&release, target), "tacho-1.2.3-1.aarch64.rpm");
        let package = package(&release, target, &packages::example_files()).expect("a package");
        assert_eq!(
            (&package[..4], &package[96..100]),
            (&[0xed, 0xab, 0xee, 0xdb][..], &[0x8e, 0xad, 0xe8, 1][..])
        );
        let path = std::env::temp_dir().join(format!("tacho-{}.rpm", std::process::id()));
        std::fs::write(&path, package).expect("written");
        let said =
            Command::new("rpm").args(["-qip", "--list", "--nosignature"]).arg(&path).output();
        let sound = Command::new("rpm").args(["-K", "--nosignature"]).arg(&path).output();
        std::fs::remove_file(&path).expect("removed");
        // Few machines with Debian have it.
        let (Ok(said), Ok(sound)) = (said, sound) else { return };
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        assert!(text.contains("Version     : 1.2.3") && text.contains("/usr/bin/tacho"), "{text}");
        let sound = String::from_utf8_lossy(&sound.stdout).into_owned();
        assert!(sound.contains("digests OK"), "{sound}");
    }
}
