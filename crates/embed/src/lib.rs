//! For build scripts: embeds the files of a folder, so that code keeps no list of them.
//!
//! It must never be part of a program. Start reading at [`folder`].

use std::env;
use std::fmt::Write;
use std::fs;
use std::io::{Error, Result};
use std::path::Path;

/// Writes `files.rs` to the folder of the build script's output: an array of all files below `folder` of
/// the package, in order, each with its path below the folder and its text.
pub fn folder(folder: &str) -> Result<()> {
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")?).join(folder);
    let mut paths = Vec::new();
    collect(&root, &mut paths)?;
    paths.sort();
    let mut code = String::from("&[\n");
    for path in paths {
        let file = root.join(&path).display().to_string();
        // Writing to a String cannot fail.
        let _ = writeln!(code, "({path:?}, include_str!({file:?})),");
    }
    code.push_str("]\n");
    #[expect(clippy::disallowed_methods, reason = "the output of a build script")]
    fs::write(Path::new(&variable("OUT_DIR")?).join("files.rs"), code)
}

fn variable(name: &str) -> Result<String> {
    #[expect(clippy::disallowed_methods, reason = "cargo passes it to a build script")]
    env::var(name).map_err(Error::other)
}

/// The files below `root`, with `/` between the parts of their paths.
fn collect(root: &Path, paths: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            let mut below = Vec::new();
            collect(&entry.path(), &mut below)?;
            paths.extend(below.into_iter().map(|path| format!("{name}/{path}")));
        } else {
            paths.push(name);
        }
    }
    Ok(())
}
