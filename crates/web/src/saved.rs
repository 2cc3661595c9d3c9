//! Saves all runs as web pages that need no server. The pages are the web view's lists and reports,
//! with their scripts.
//!
//! The output folder is replaced only if it contains a saved site. Only files that Tacho wrote are
//! removed.
//!
//! Start reading at [`save_site`].

#![expect(clippy::disallowed_methods, reason = "writes the site to a folder chosen by the user")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tacho_analysis::redact_lists;
use tacho_app::{Context, ReportRequest};
use tacho_core::file::RECORD_MAX;
use tacho_core::{Error, Result};
use tacho_registry::plain_words;
use tacho_report::{Body, Text, TextOptions, run_row};
use tacho_store::{Entry, Run, SweepEntry};

use crate::access::Role;
use crate::assets::all_assets;
use crate::page::{Page, Place};

/// The file that identifies a folder as a saved site and lists its files.
const MARK: &str = "tacho-site.json";
const FORMAT: &str = "tacho-site";
/// Scripts that a saved site omits, because they need a server.
const OF_A_SERVER: [&str; 4] = ["new.js", "live.js", "run.js", "targets.js"];
/// Minimum number of runs in a trend.
const TREND_MIN: usize = 3;
/// Width of command line output on a page, in columns.
const COLUMNS: usize = 110;
/// The pages in the navigation.
const WAYS: [(&str, &str); 4] = [
    ("/index.html", "Runs"),
    ("/compare.html", "Comparisons"),
    ("/trends.html", "Trends"),
    ("/sweeps.html", "Sweeps"),
];

/// The contents of a saved site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Number of run pages.
    pub runs: usize,
    /// Number of sweep pages.
    pub sweeps: usize,
    /// Number of comparison pages.
    pub comparisons: usize,
    /// Number of trend pages.
    pub trends: usize,
    /// Total size of the files.
    pub bytes: u64,
    /// Files and folders that were kept when an earlier site was replaced, because Tacho did not
    /// write them.
    pub kept: Vec<String>,
}

/// A link in a list of pages, or the reason why the page does not exist.
struct Link {
    href: Option<String>,
    text: String,
    note: String,
}

/// Writes all saved runs as pages to `folder`, and replaces an earlier site. `redact` hides machines, users and
/// targets.
///
/// `tell` receives the number of pages written so far and the total number.
pub fn save_site(
    context: &Context,
    folder: &Path,
    redact: bool,
    tell: &mut dyn FnMut(usize, usize),
) -> Result<Saved> {
    let earlier = require_ours(folder)?;
    let entries = context.store().list()?;
    if entries.is_empty() {
        return Err(Error::usage("there are no saved runs").hint("to create one, use tacho run"));
    }
    let sibling = |word: &str| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        folder.with_file_name(format!(".{name}.{word}-{}", std::process::id()))
    };
    let (new, old) = (sibling("new"), sibling("old"));
    let files = BTreeSet::new();
    let mut site = Site { context, folder: new.clone(), redact, saved: Saved::default(), files };
    let made = site.write(&entries, tell).and_then(|()| replace(folder, &new, &old, &earlier));
    if made.is_err() {
        // Report the first error.
        let _ = fs::remove_dir_all(&new);
    }
    made.map(|kept| Saved { kept, ..site.saved })
}

/// Returns the files that Tacho wrote to the folder. Returns an error if the folder is not a saved
/// site.
fn require_ours(folder: &Path) -> Result<BTreeSet<String>> {
    let refused = |what: &str| {
        Err(Error::usage(format!("{} {what}", folder.display()))
            .hint("use a new or empty folder, or replace an earlier site by specifying its folder"))
    };
    if folder.file_name().is_none() {
        return refused("is not a folder that can be replaced");
    }
    if folder.is_symlink() || (folder.exists() && !folder.is_dir()) {
        return refused("is not a folder");
    }
    let Ok(mut entries) = folder.read_dir() else { return Ok(BTreeSet::new()) };
    if entries.next().is_none() {
        return Ok(BTreeSet::new());
    }
    let mark = tacho_core::file::text(&folder.join(MARK), RECORD_MAX).unwrap_or_default();
    match serde_json::from_str::<Mark>(&mark) {
        Ok(mark) if mark.format == FORMAT => Ok(mark.files),
        _ => refused("is not empty and was not created by tacho report --site"),
    }
}

/// Replaces the old folder with the new one. Anything that is not in `files` is kept, and its name
/// is returned.
fn replace(folder: &Path, new: &Path, old: &Path, files: &BTreeSet<String>) -> Result<Vec<String>> {
    let failed =
        |error: std::io::Error| Error::from(error).during(format!("write {}", folder.display()));
    let had_one = folder.exists();
    if had_one {
        fs::rename(folder, old).map_err(failed)?;
    }
    if let Err(error) = fs::rename(new, folder) {
        if had_one {
            // Restores the old folder.
            let _ = fs::rename(old, folder);
        }
        return Err(failed(error));
    }
    let mut kept = Vec::new();
    if had_one {
        let moved = move_others(old, folder, "", files, &mut kept);
        moved.and_then(|()| fs::remove_dir_all(old)).map_err(|error| {
            failed(error).hint(format!("the earlier site's other files are in {}", old.display()))
        })?;
    }
    Ok(kept)
}

/// Moves the files and folders below `within` to the new site, except for the `files` of the earlier site.
fn move_others(
    old: &Path,
    folder: &Path,
    within: &str,
    files: &BTreeSet<String>,
    kept: &mut Vec<String>,
) -> std::io::Result<()> {
    for entry in fs::read_dir(old.join(within))? {
        let entry = entry?;
        let name = format!("{within}{}", entry.file_name().to_string_lossy());
        let to = folder.join(within).join(entry.file_name());
        if files.contains(&name) {
            continue;
        }
        if entry.file_type()?.is_dir() && to.is_dir() {
            move_others(old, folder, &format!("{name}/"), files, kept)?;
        } else if to.symlink_metadata().is_ok() {
            let text = format!("{} is not part of the earlier site", entry.path().display());
            return Err(std::io::Error::new(std::io::ErrorKind::AlreadyExists, text));
        } else {
            fs::rename(entry.path(), to)?;
            kept.push(name);
        }
    }
    Ok(())
}

/// The content of the file that marks a folder as a saved site.
#[derive(Serialize, Deserialize)]
struct Mark {
    format: String,
    version: u32,
    /// Paths of the files that Tacho wrote, relative to the site's folder.
    files: BTreeSet<String>,
}

struct Site<'a> {
    context: &'a Context,
    folder: PathBuf,
    redact: bool,
    saved: Saved,
    /// The files written so far.
    files: BTreeSet<String>,
}

impl Site<'_> {
    fn write(&mut self, entries: &[Entry], tell: &mut dyn FnMut(usize, usize)) -> Result<()> {
        for folder in ["assets", "runs", "compare", "trends", "sweeps"] {
            let folder = self.folder.join(folder);
            fs::create_dir_all(&folder).map_err(|error| {
                Error::from(error)
                    .during(format!("make {}", folder.display()))
                    .hint("use a folder whose parent folder is writable")
            })?;
        }
        for (name, content) in all_assets().filter(|(name, _)| !OF_A_SERVER.contains(name)) {
            self.file(&format!("assets/{name}"), content)?;
        }
        let runs: Vec<&Run> = entries.iter().filter_map(loaded).collect();
        for (at, run) in runs.iter().enumerate() {
            tell(at, runs.len());
            self.require_go_on()?;
            let body = self.body(vec![run.record.id.clone()], None)?;
            self.report(&format!("runs/{}.html", run.record.id), "/index.html", body, "")?;
            self.saved.runs += 1;
        }
        let kinds = by_kind(&runs);
        self.comparisons(&kinds)?;
        self.trends(&kinds)?;
        let (entries, sweeps) = self.listed()?;
        self.sweeps(&sweeps, &entries)?;
        self.list(&entries)?;
        self.files.insert(MARK.into());
        let files = std::mem::take(&mut self.files);
        let mark = json!(Mark { format: FORMAT.into(), version: 2, files });
        self.file(MARK, &format!("{mark:#}\n"))
    }

    /// Returns the runs and sweeps to list. A redacted site omits unreadable ones, whose errors may contain names.
    fn listed(&self) -> Result<(Vec<Entry>, Vec<SweepEntry>)> {
        let store = self.context.store();
        let (mut entries, mut sweeps) = (store.list()?, store.sweeps().list()?);
        if self.redact {
            entries.retain(|entry| loaded(entry).is_some());
            sweeps.retain(|sweep| sweep.record.is_ok());
            let runs = entries.iter_mut().filter_map(|entry| match entry {
                Entry::Loaded(run) => Some(&mut run.record),
                Entry::Broken(_) => None,
            });
            let records = sweeps.iter_mut().filter_map(|sweep| sweep.record.as_mut().ok());
            let (mut runs, mut records): (Vec<_>, Vec<_>) = (runs.collect(), records.collect());
            redact_lists(&mut runs, &mut records, &plain_words());
        }
        Ok((entries, sweeps))
    }

    /// Returns the name of a target for use on the pages. On redacted pages, this is only the name of the driver.
    fn target<'b>(&self, target: &'b str, run: &'b Run) -> &'b str {
        if self.redact { &run.record.plan.driver } else { target }
    }

    fn reason(&self, error: &Error) -> String {
        if self.redact { "the reason is hidden".into() } else { error.to_string() }
    }

    fn require_go_on(&self) -> Result<()> {
        if self.context.interrupted() {
            return Err(Error::new(tacho_core::ErrorKind::Cancelled, "the site was not written"));
        }
        Ok(())
    }

    fn file(&mut self, name: &str, content: &str) -> Result<()> {
        let path = self.folder.join(name);
        fs::write(&path, content)
            .map_err(|error| Error::from(error).during(format!("write {}", path.display())))?;
        self.saved.bytes += content.len() as u64;
        self.files.insert(name.to_owned());
        Ok(())
    }

    fn body(&self, what: Vec<String>, baseline: Option<String>) -> Result<Body> {
        let redact = self.redact;
        let request = ReportRequest { what, baseline, redact, ..ReportRequest::default() };
        tacho_report::body(&tacho_app::report(self.context, &request)?)
    }

    /// Writes a page that contains a report followed by text.
    fn report(&mut self, name: &str, here: &'static str, body: Body, text: &str) -> Result<()> {
        let page = Page {
            title: body.title,
            report: body.html,
            charts: true,
            text: text.to_owned(),
            ..Page::new(here, "", "saved")
        };
        let place = Place { root: "..", ways: &WAYS, saved: Some(&json!({})) };
        let html = page.html(Role::Look, &place)?;
        self.file(name, &html)
    }

    /// Writes a page to the root of the site.
    fn first(&mut self, name: &str, page: Page, saved: &Value) -> Result<()> {
        let place = Place { root: ".", ways: &WAYS, saved: Some(saved) };
        let html = page.html(Role::Look, &place)?;
        self.file(name, &html)
    }

    fn links(&mut self, name: &str, page: Page, links: &[Link]) -> Result<()> {
        let links: Vec<Value> = links
            .iter()
            .map(|link| json!({ "href": link.href, "text": link.text, "note": link.note }))
            .collect();
        self.first(name, Page { filled: json!({ "links": links }), ..page }, &json!({}))
    }

    /// Writes the list of all runs, together with the data that its script requests.
    fn list(&mut self, entries: &[Entry]) -> Result<()> {
        let rows: Vec<Value> = entries
            .iter()
            .map(|entry| {
                let mut row = serde_json::to_value(run_row(entry)).unwrap_or_default();
                // Omit the path on this machine, because it is of no use elsewhere.
                row["path"] = "".into();
                row["page"] = loaded(entry).is_some().into();
                row
            })
            .collect();
        let page = Page { script: "runs.js", ..Page::new("/index.html", "Runs", "runs") };
        self.first("index.html", page, &json!({ "/runs": rows }))
    }

    fn sweeps(&mut self, all: &[SweepEntry], entries: &[Entry]) -> Result<()> {
        let mut links = Vec::new();
        for sweep in all {
            self.require_go_on()?;
            let Ok(record) = &sweep.record else { continue };
            let id = record.id.clone();
            // A sweep without runs has no page of its own, but the list still shows its state.
            if let Ok(body) = self.body(vec![format!("sweep:{id}")], None) {
                self.report(&format!("sweeps/{id}.html"), "/sweeps.html", body, "")?;
                self.saved.sweeps += 1;
                links.push(id);
            }
        }
        let rows = tacho_report::sweep_rows(all, entries);
        let mut rows = serde_json::to_value(rows).unwrap_or_default();
        for row in rows.as_array_mut().into_iter().flatten() {
            let has_page = row["id"].as_str().is_some_and(|id| links.iter().any(|link| link == id));
            row["page"] = has_page.into();
            if let Some(row) = row.as_object_mut() {
                row.remove("path");
            }
        }
        let page = Page { script: "runs.js", ..Page::new("/sweeps.html", "Sweeps", "sweeps") };
        self.first("sweeps.html", page, &json!({ "/sweeps": rows }))
    }

    /// For each combination of workload and target, compares the two most recent runs.
    fn comparisons(&mut self, kinds: &BTreeMap<(&str, &str), Vec<&Run>>) -> Result<()> {
        let mut links = Vec::new();
        for ((workload, target), runs) in kinds {
            self.require_go_on()?;
            let [run, baseline, ..] = runs[..] else { continue };
            let target = self.target(target, run);
            let (run, baseline) = (&run.record, &baseline.record);
            let text = format!("{workload} on {target}: {} compared with {}", run.id, baseline.id);
            let body = self.body(vec![run.id.clone()], Some(baseline.id.clone()));
            links.push(match body {
                Ok(body) => {
                    let name = format!("compare/{}-{}.html", run.id, baseline.id);
                    let note = body.title.clone();
                    self.report(&name, "/compare.html", body, "")?;
                    self.saved.comparisons += 1;
                    Link { href: Some(name), text, note }
                }
                Err(error) => Link { href: None, text, note: self.reason(&error) },
            });
        }
        let page = Page::new("/compare.html", "Comparisons", "saved");
        let page = Page {
            text: "The latest run of each workload and target compared with the \
                                 previous one; requires two runs."
                .into(),
            ..page
        };
        self.links("compare.html", page, &links)
    }

    /// For each combination of workload and target, writes a trend.
    fn trends(&mut self, kinds: &BTreeMap<(&str, &str), Vec<&Run>>) -> Result<()> {
        let (store, options) = (self.context.store(), TextOptions { width: COLUMNS, color: false });
        let mut links = Vec::new();
        for (at, ((workload, target), runs)) in kinds.iter().enumerate() {
            self.require_go_on()?;
            if runs.len() < TREND_MIN {
                continue;
            }
            let ids: Vec<&str> = runs.iter().rev().map(|run| run.record.id.as_str()).collect();
            let target = self.target(target, runs[0]);
            let text = format!("{workload} on {target}: {} runs", ids.len());
            let trend = tacho_app::trend(&store, Some(&ids.join(",")), None);
            links.push(match trend {
                Ok(trend) => {
                    let what = trend.runs.iter().map(|run| run.id.clone()).collect();
                    let body = self.body(what, None)?;
                    let name = format!("trends/{}.html", at + 1);
                    // On a redacted site, omit the text of the trend, because it contains targets
                    // and values.
                    let text = if self.redact { String::new() } else { trend.text(&options) };
                    self.report(&name, "/trends.html", body, &text)?;
                    self.saved.trends += 1;
                    Link { href: Some(name), text, note: String::new() }
                }
                Err(error) => Link { href: None, text, note: self.reason(&error) },
            });
        }
        let page = Page::new("/trends.html", "Trends", "saved");
        let page = Page {
            text: "All runs of each workload and target in chronological order; requires three \
                   runs."
                .into(),
            ..page
        };
        self.links("trends.html", page, &links)
    }
}

fn loaded(entry: &Entry) -> Option<&Run> {
    match entry {
        Entry::Loaded(run) => Some(run),
        Entry::Broken(_) => None,
    }
}

/// Groups the runs that have a result by workload and target. The newest run of a group comes first.
fn by_kind<'a>(runs: &[&'a Run]) -> BTreeMap<(&'a str, &'a str), Vec<&'a Run>> {
    let mut kinds: BTreeMap<(&str, &str), Vec<&Run>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.record.result.is_some()) {
        let plan = &run.record.plan;
        kinds.entry((&plan.workload, &plan.target_name)).or_default().push(run);
    }
    kinds
}
