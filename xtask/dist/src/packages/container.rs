//! A container image with only the static program, as a tar archive in the Open Container Initiative layout.

use serde_json::{Value, json};

use super::{File, Product};
use crate::archive::{Entry, gzip, tar};
use crate::sha256;

/// A numeric user ID that has no name, as is usual in images that contain no Linux distribution.
const USER: &str = "65532:65532";
const LAYOUT: &str = "{\"imageLayoutVersion\":\"1.0.0\"}";
const MEDIA: &str = "application/vnd.oci.image";

/// Builds the image.
pub fn image(product: &Product) -> Result<File, String> {
    let Product { release, target, .. } = product;
    let files = vec![
        Entry::folder("tmp", 0o1777),
        // The folder for run records. Users can mount a folder of the host here.
        Entry::folder("data", 0o1777),
        Entry::program(format!("usr/bin/{}", release.name), &*product.program),
        Entry::file("usr/share/doc/copyright", &*product.licences),
    ];
    let image = layout(product, &tar(files, release.date)?)?;
    Ok((format!("{}-{}-{}.oci.tar", release.name, release.version, target.debian()), image))
}

fn layout(product: &Product, plain: &[u8]) -> Result<Vec<u8>, String> {
    let Product { release, target, .. } = product;
    let (created, layer) = (release.timestamp(), gzip(plain)?);
    let config = json!({
        "created": created,
        "architecture": target.debian(),
        "os": "linux",
        "config": {
            "User": USER,
            "Entrypoint": [format!("/usr/bin/{}", release.name)],
            "Env": ["PATH=/usr/bin", "TMPDIR=/tmp"],
            "WorkingDir": "/data",
            "Labels": {
                "org.opencontainers.image.title": release.name,
                "org.opencontainers.image.version": release.version,
                "org.opencontainers.image.source": release.homepage,
                "org.opencontainers.image.licenses": release.licence,
            },
        },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{}", sha256(plain))] },
        "history": [{ "created": created, "created_by": "xtask dist" }],
    });
    let config = config.to_string().into_bytes();
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": format!("{MEDIA}.manifest.v1+json"),
        "config": described("config.v1+json", &config),
        "layers": [described("layer.v1.tar+gzip", &layer)],
    });
    let manifest = manifest.to_string().into_bytes();
    let mut first = described("manifest.v1+json", &manifest);
    first["annotations"] = json!({ "org.opencontainers.image.ref.name": release.version });
    first["platform"] = json!({ "architecture": target.debian(), "os": "linux" });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": format!("{MEDIA}.index.v1+json"),
        "manifests": [first],
    });
    let mut entries =
        vec![Entry::file("oci-layout", LAYOUT), Entry::file("index.json", index.to_string())];
    for blob in [config, manifest, layer] {
        entries.push(Entry::file(format!("blobs/sha256/{}", sha256(&blob)), blob));
    }
    tar(entries, release.date)
}

fn described(kind: &str, content: &[u8]) -> Value {
    json!({
        "mediaType": format!("{MEDIA}.{kind}"),
        "digest": format!("sha256:{}", sha256(content)),
        "size": content.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use std::io::Read;

    #[test]
    fn every_part_is_found_by_its_sum() {
        let (product, _) = crate::packages::example("musl");
        let image = layout(&product, b"a layer").expect("an image");
        let mut archive = tar::Archive::new(image.as_slice());
        let mut files = BTreeMap::new();
        for entry in archive.entries().expect("entries") {
            let mut entry = entry.expect("an entry");
            let path = entry.path().expect("a path").display().to_string();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).expect("content");
            files.insert(path, content);
        }
        let json = |content: &[u8]| serde_json::from_slice::<Value>(content).expect("JSON");
        let named = |value: &Value| {
            let digest = value["digest"].as_str().expect("a sum").replace(':', "/");
            let content = files[&format!("blobs/{digest}")].clone();
            assert_eq!(value["size"], content.len());
            content
        };
        let manifest = json(&named(&json(&files["index.json"])["manifests"][0]));
        let config = json(&named(&manifest["config"]));
        assert_eq!(config["config"]["Entrypoint"][0], "/usr/bin/tacho");
        assert_eq!(config["rootfs"]["diff_ids"][0], format!("sha256:{}", sha256(b"a layer")));
        assert!(!named(&manifest["layers"][0]).is_empty());
    }
}
