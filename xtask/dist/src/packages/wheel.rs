//! A Python wheel that contains the program: <https://packaging.python.org/specifications/binary-distribution-format/>.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::{File, Product};
use crate::archive::{Entry, zip};
use crate::manifests::fill;

const METADATA: &str = include_str!("metadata.txt");

/// Builds the wheel.
pub fn package(product: &Product) -> Result<File, String> {
    let Product { release, target, documents, .. } = product;
    // The package name in a wheel's file name must not contain hyphens.
    let stem = format!("{}-{}", release.pypi.replace('-', "_"), release.version);
    let info = |file: &str| format!("{stem}.dist-info/{file}");
    let licence =
        |file: &str| Entry::file(info(&format!("licenses/{file}")), documents.content(file));
    let program = format!("{stem}.data/scripts/{}", target.program(&release.name));
    let entries = vec![
        Entry::program(program, &*product.program),
        Entry::file(info("METADATA"), fill(METADATA, release, &[])),
        Entry::file(info("WHEEL"), wheel(target.wheel)),
        licence("LICENSE-APACHE"),
        licence("LICENSE-MIT"),
        Entry::file(info("licenses/THIRD-PARTY-LICENCES.txt"), &*product.licences),
    ];
    let wheel = zip(&sealed(entries, info("RECORD")))?;
    Ok((format!("{stem}-py3-none-{}.whl", target.wheel), wheel))
}

/// Adds the list of all files as the last entry.
fn sealed(mut entries: Vec<Entry>, list: String) -> Vec<Entry> {
    let mut record = String::new();
    for Entry { path, content, .. } in &entries {
        let sum = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(content));
        let _ = writeln!(record, "{path},sha256={sum},{}", content.len());
    }
    let _ = writeln!(record, "{list},,");
    entries.push(Entry::file(list, record));
    entries
}

fn wheel(tag: &str) -> String {
    let tags = tag.split('.').map(|platform| format!("Tag: py3-none-{platform}\n"));
    "Wheel-Version: 1.0\nGenerator: xtask dist\nRoot-Is-Purelib: false\n".to_owned()
        + &tags.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sums_are_as_python_wants_them() {
        let (product, _) = crate::packages::example("x86_64-unknown-linux-gnu");
        let (name, content) = package(&product).expect("a wheel");
        assert_eq!(
            name,
            "tacho_bench-1.2.3-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
        );
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(content)).expect("an archive");
        let program = archive.by_name("tacho_bench-1.2.3.data/scripts/tacho").expect("a program");
        assert_eq!(program.unix_mode(), Some(0o100_755));
        assert!(wheel(product.target.wheel).contains("Tag: py3-none-manylinux2014_x86_64\n"));
        let entries = sealed(vec![Entry::program("x/run", "abc")], "x/RECORD".into());
        let sum = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";
        let record = format!("x/run,sha256={sum},3\nx/RECORD,,\n");
        assert_eq!(entries[1].content, record.as_bytes());
    }
}
