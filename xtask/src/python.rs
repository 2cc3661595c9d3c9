//! Programs from `PyPI`, in separate environments under `target`.

use std::path::PathBuf;

use crate::process;

/// Installs missing packages into a folder under the workspace root. Returns the folder with their programs.
///
/// Package versions are pinned, so that all machines use the same ones.
#[expect(clippy::disallowed_methods, reason = "records the installed packages")]
pub fn ensure(folder: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let place = process::root().join(folder);
    let programs = place.join("bin");
    let (note, list) = (place.join("installed"), packages.join("\n"));
    if std::fs::read_to_string(&note).is_ok_and(|text| text == list) {
        return Ok(programs);
    }
    println!("installing {} in {folder}", packages.join(" "));
    let pip = programs.join("pip").display().to_string();
    let words = [&["install", "--quiet", "--disable-pip-version-check"], packages].concat();
    if !process::succeeds("python3", &["-m", "venv", folder])? || !process::succeeds(&pip, &words)?
    {
        return Err(format!("cannot install {list}; Python 3 with venv and pip is required"));
    }
    std::fs::write(&note, list).map_err(|error| format!("write {}: {error}", note.display()))?;
    Ok(programs)
}
