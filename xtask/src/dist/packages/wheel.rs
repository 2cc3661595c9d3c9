//! A wheel of Python that carries the program: <https://packaging.python.org/specifications/binary-distribution-format/>.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::dist::archive::{Entry, zip_in_order};
use crate::dist::release::Release;
use crate::dist::targets::Target;
use crate::process;

/// The name of the file. The name of a package has no hyphen in it there.
pub fn name(release: &Release, tag: &str) -> String {
    format!("{}-py3-none-{tag}.whl", stem(release))
}

fn stem(release: &Release) -> String {
    format!("{}-{}", release.pypi.replace('-', "_"), release.version)
}

/// The wheel.
pub fn package(
    release: &Release,
    target: &Target,
    tag: &str,
    program: &[u8],
) -> Result<Vec<u8>, String> {
    let stem = stem(release);
    let own = |file: &str| {
        let content = std::fs::read(process::root().join(file))
            .map_err(|error| format!("read {file}: {error}"))?;
        Ok::<_, String>(Entry::file(format!("{stem}.dist-info/licenses/{file}"), content))
    };
    let licences = crate::dist::licences::text(&crate::dist::crates::all(target.triple)?)?;
    let entries = vec![
        Entry::program(format!("{stem}.data/scripts/{}", target.program(&release.name)), program),
        Entry::file(format!("{stem}.dist-info/METADATA"), metadata(release)),
        Entry::file(format!("{stem}.dist-info/WHEEL"), wheel(tag)),
        own("LICENSE-APACHE")?,
        own("LICENSE-MIT")?,
        Entry::file(format!("{stem}.dist-info/licenses/THIRD-PARTY-LICENCES.txt"), licences),
    ];
    sealed(entries, &format!("{stem}.dist-info/RECORD"))
}

/// With the list of all files as the last one.
fn sealed(mut entries: Vec<Entry>, list: &str) -> Result<Vec<u8>, String> {
    let mut record = String::new();
    for Entry { path, content, .. } in &entries {
        let sum = base64(&Sha256::digest(content));
        let _ = writeln!(record, "{path},sha256={sum},{}", content.len());
    }
    let _ = writeln!(record, "{list},,");
    entries.push(Entry::file(list, record));
    zip_in_order(&entries)
}

fn metadata(release: &Release) -> String {
    let Release { pypi, version, about, homepage, publisher, email, licence, name, .. } = release;
    format!(
        "Metadata-Version: 2.4\nName: {pypi}\nVersion: {version}\nSummary: {about}\nHome-page: {homepage}\n\
         Author: {publisher}\nAuthor-email: {email}\nLicense-Expression: {licence}\n\
         License-File: LICENSE-APACHE\nLicense-File: LICENSE-MIT\nLicense-File: THIRD-PARTY-LICENCES.txt\n\
         Requires-Python: >=3.8\nProject-URL: Source, {homepage}\n\
         Description-Content-Type: text/markdown\n\n\
         {about}.\n\n`pip install {pypi}` installs the program `{name}`; `{name} run` measures the embedded SQLite \
         in ten seconds. Documentation: {homepage}\n"
    )
}

fn wheel(tag: &str) -> String {
    let mut text =
        String::from("Wheel-Version: 1.0\nGenerator: xtask dist\nRoot-Is-Purelib: false\n");
    for platform in tag.split('.') {
        let _ = writeln!(text, "Tag: py3-none-{platform}");
    }
    text
}

/// Base 64 as in addresses, without what fills it up.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let three = [part[0], *part.get(1).unwrap_or(&0), *part.get(2).unwrap_or(&0)];
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for sign in 0..=part.len() {
            text.push(char::from(SIGNS[(bits >> (18 - 6 * sign) & 63) as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::release;
    use std::io::{Cursor, Read};

    #[test]
    fn names_and_sums_are_as_python_wants_them() {
        for (bytes, expected) in
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("\u{3ff}", "z78")]
        {
            assert_eq!(base64(bytes.as_bytes()), expected);
        }
        let release = release::example();
        assert_eq!(name(&release, "win_amd64"), "tacho_bench-1.2.3-py3-none-win_amd64.whl");
        assert!(
            wheel("manylinux_2_17_x86_64.manylinux2014_x86_64")
                .contains("Tag: py3-none-manylinux2014_x86_64\n")
        );
        let wheel = sealed(vec![Entry::program("x/run", "abc")], "x/RECORD").expect("a wheel");
        let mut archive = zip::ZipArchive::new(Cursor::new(wheel)).expect("an archive");
        let mut record = String::new();
        archive.by_name("x/RECORD").expect("a list").read_to_string(&mut record).expect("text");
        let sum = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";
        assert_eq!(record, format!("x/run,sha256={sum},3\nx/RECORD,,\n"));
        assert_eq!(archive.by_name("x/run").expect("a file").unix_mode(), Some(0o100_755));
    }
}
