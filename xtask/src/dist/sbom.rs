//! The list of what is in the program for other programs, `CycloneDX` 1.6: <https://cyclonedx.org>.

use serde_json::{Value, json};

use super::crates::Crate;
use super::release::Release;
use super::sha256;

/// The list for a system.
pub fn cyclone_dx(release: &Release, triple: &str, crates: &[Crate]) -> Value {
    let own = format!("pkg:cargo/tacho-cli@{}", release.version);
    let known = |id: &&String| crates.iter().any(|own| own.id() == **id);
    let components: Vec<Value> = crates.iter().map(component).collect();
    let mut dependencies: Vec<Value> = crates
        .iter()
        .map(|own| {
            let on: Vec<String> = own.needs.iter().filter(known).map(|id| purl(id)).collect();
            json!({ "ref": purl(&own.id()), "dependsOn": on })
        })
        .collect();
    let all: Vec<String> = crates.iter().map(|own| purl(&own.id())).collect();
    dependencies.insert(0, json!({ "ref": own, "dependsOn": all }));
    json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": serial(release, triple, crates),
        "version": 1,
        "metadata": {
            "timestamp": date(release.date),
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": release.name,
                "version": release.version,
                "description": format!("{} for {triple}", release.about),
                "licenses": [{ "expression": release.licence }],
                "purl": own,
            },
        },
        "components": components,
        "dependencies": dependencies,
    })
}

fn component(own: &Crate) -> Value {
    let mut value = json!({
        "type": "library",
        "bom-ref": purl(&own.id()),
        "name": own.name,
        "version": own.version,
        "purl": purl(&own.id()),
        "authors": own.authors.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
    });
    if !own.licence.is_empty() {
        // Old crates separate alternatives by a slash.
        value["licenses"] = json!([{ "expression": own.licence.replace('/', " OR ") }]);
    }
    if !own.sha256.is_empty() {
        value["hashes"] = json!([{ "alg": "SHA-256", "content": own.sha256 }]);
    }
    if !own.repository.is_empty() {
        value["externalReferences"] = json!([{ "type": "vcs", "url": own.repository }]);
    }
    value
}

fn purl(id: &str) -> String {
    format!("pkg:cargo/{id}")
}

/// A number that is the same for the same content, in the form of a UUID of version 8.
fn serial(release: &Release, triple: &str, crates: &[Crate]) -> String {
    let ids: Vec<String> = crates.iter().map(Crate::id).collect();
    let sum = sha256(format!("{} {triple} {}", release.version, ids.join(" ")).as_bytes());
    format!(
        "urn:uuid:{}-{}-8{}-8{}-{}",
        &sum[..8],
        &sum[8..12],
        &sum[13..16],
        &sum[17..20],
        &sum[20..32]
    )
}

/// A date as RFC 3339, from seconds since 1970; by the algorithm of Howard Hinnant's `civil_from_days`.
pub fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::{crates, release};

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

    #[test]
    fn dates_are_right_in_leap_years() {
        let table = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
        ];
        for (seconds, expected) in table {
            assert_eq!(date(seconds), expected);
        }
    }
}
