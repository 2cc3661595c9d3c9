//! The machine-readable list of the program's components, in `CycloneDX` 1.6 format: <https://cyclonedx.org>.

use serde_json::{Value, json};

use crate::crates::Crate;
use crate::release::Release;
use crate::sha256;

/// Returns the list for a system.
pub fn cyclone_dx(release: &Release, triple: &str, crates: &[Crate]) -> Value {
    let program = format!("pkg:cargo/tacho-cli@{}", release.version);
    let known = |id: &&String| crates.iter().any(|library| library.id() == **id);
    let components: Vec<Value> = crates.iter().map(component).collect();
    let mut dependencies: Vec<Value> = crates
        .iter()
        .map(|library| {
            let on: Vec<String> = library.needs.iter().filter(known).map(|id| purl(id)).collect();
            json!({ "ref": purl(&library.id()), "dependsOn": on })
        })
        .collect();
    let all: Vec<String> = crates.iter().map(|library| purl(&library.id())).collect();
    dependencies.insert(0, json!({ "ref": program, "dependsOn": all }));
    json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": serial(release, triple, crates),
        "version": 1,
        "metadata": {
            "timestamp": release.timestamp(),
            "component": {
                "type": "application",
                "bom-ref": program,
                "name": release.name,
                "version": release.version,
                "description": format!("{} for {triple}", release.about),
                "licenses": [{ "expression": release.licence }],
                "purl": program,
            },
        },
        "components": components,
        "dependencies": dependencies,
    })
}

fn component(library: &Crate) -> Value {
    let mut value = json!({
        "type": "library",
        "bom-ref": purl(&library.id()),
        "name": library.name,
        "version": library.version,
        "purl": purl(&library.id()),
        "authors": library.authors.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
    });
    if !library.licence.is_empty() {
        // Older crates separate alternative licences with a slash instead of OR.
        value["licenses"] = json!([{ "expression": library.licence.replace('/', " OR ") }]);
    }
    if !library.sha256.is_empty() {
        value["hashes"] = json!([{ "alg": "SHA-256", "content": library.sha256 }]);
    }
    if !library.repository.is_empty() {
        value["externalReferences"] = json!([{ "type": "vcs", "url": library.repository }]);
    }
    value
}

fn purl(id: &str) -> String {
    format!("pkg:cargo/{id}")
}

/// Returns a serial number in the form of a version 8 UUID. It depends only on the content, so that
/// every build results in the same number.
fn serial(release: &Release, triple: &str, crates: &[Crate]) -> String {
    let ids: Vec<String> = crates.iter().map(Crate::id).collect();
    let sum = sha256(format!("{} {triple} {}", release.version, ids.join(" ")).as_bytes());
    let [one, two, three, four, five] =
        [0..8, 8..12, 13..16, 17..20, 20..32].map(|part| &sum[part]);
    format!("urn:uuid:{one}-{two}-8{three}-8{four}-{five}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{crates, release};

    #[test]
    fn the_list_names_each_crate_with_what_it_needs() {
        let one = crates::example();
        let two =
            Crate { name: "two".into(), version: "2.0.0".into(), needs: Vec::new(), ..one.clone() };
        let list = cyclone_dx(&release::example(), "x86_64-any", &[one, two]);
        assert_eq!(list["components"][0]["purl"], "pkg:cargo/one@1.0.0");
        assert_eq!(list["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(list["dependencies"][1]["dependsOn"][0], "pkg:cargo/two@2.0.0");
        assert_eq!(list["metadata"]["timestamp"], "2023-11-14T22:13:20Z");
        let serial = list["serialNumber"].as_str().expect("a text");
        assert_eq!((serial.len(), &serial[23..24], &serial[28..29]), (45, "8", "8"), "{serial}");
    }
}
