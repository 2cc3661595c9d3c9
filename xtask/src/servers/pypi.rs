//! Libraries from `PyPI`: wheels that hold them built.

use std::path::Path;

use crate::{Outcome, process};

/// IBM's client for Db2, of which the wheel's own module is not needed.
pub fn ibm_client(to: &Path) -> Outcome {
    let script = "python3 -m pip download -q --no-deps --only-binary=:all: ibm_db==3.3.0 -d . \
        && unzip -qo ibm_db-*.whl 'clidriver/*' 'ibm_db.libs/*' && rm ibm_db-*.whl";
    let status = process::program("sh", &["-c", script]).current_dir(to).status();
    Ok(status.map_err(|error| format!("cannot start sh: {error}"))?.success())
}

/// A parser of the SQL of many databases.
pub fn sqlfluff(to: &Path) -> Outcome {
    let folder = to.display().to_string();
    process::succeeds(
        "python3",
        &["-m", "pip", "install", "-q", "--target", &folder, "sqlfluff==4.5.0"],
    )
}
