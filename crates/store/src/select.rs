//! Selects a run by the text that the user entered: `latest`, `latest~2`, a tag, an id, or the
//! start of an id.
//!
//! A selector that matches several runs is rejected with a list of them. Start reading at [`Store::find`].

use tacho_core::units::counted;
use tacho_core::{Error, Result, nearest};

use crate::entry::file_name;
use crate::latest::{back_from_latest, is_reserved};
use crate::{Broken, Entry, Run, Store, folder};

const CANDIDATES_MAX: usize = 5;

impl Store {
    /// Returns the run that `selector` identifies. The selector is tried as `latest` or `latest~N`,
    /// as an id, as a tag, and as the unique start of an id, in this order.
    ///
    /// `latest` counts all runs in the order of [`Store::list`], including unreadable ones. Selecting an unreadable run
    /// is an error.
    pub fn find(&self, selector: &str) -> Result<Run> {
        let mut entries = self.list()?;
        match entries.swap_remove(place(&entries, selector)?) {
            Entry::Loaded(run) => Ok(run.verified()),
            Entry::Broken(broken) => Err(unreadable(selector, broken)),
        }
    }
}

/// Returns the index of the entry that a selector identifies.
pub(crate) fn place(entries: &[Entry], selector: &str) -> Result<usize> {
    let place = match back_from_latest(selector)? {
        Some(back) => (back < entries.len()).then_some(back),
        None => by_name(entries, selector)?,
    };
    place.ok_or_else(|| unknown(entries, selector))
}

/// Prefix of a selector for all runs that have a tag.
const ALL_OF_TAG: &str = "tag:";

/// A snapshot of the list of runs, so that hundreds of selectors can be resolved without listing the runs each time.
#[derive(Debug)]
pub struct Catalog<'a> {
    store: &'a Store,
    entries: Vec<Entry>,
}

impl Store {
    /// Returns a snapshot of the list of runs for resolving selectors.
    pub fn catalog(&self) -> Result<Catalog<'_>> {
        Ok(Catalog { store: self, entries: self.list()? })
    }
}

impl Catalog<'_> {
    /// Returns the selected runs, oldest first. `selector` is `tag:NAME` or a comma-separated list for [`Store::find`].
    pub fn find_all(&self, selector: &str) -> Result<Vec<Run>> {
        let mut runs = match selector.strip_prefix(ALL_OF_TAG) {
            Some(tag) => self.tagged(tag)?,
            None => selector.split(',').map(|one| self.find(one)).collect::<Result<_>>()?,
        };
        // If only one run is selected, verify its other files too. If several runs are selected, only their records are
        // used.
        if runs.len() == 1 {
            runs = runs.into_iter().map(Run::verified).collect();
        }
        runs.sort_by_cached_key(|run| {
            (folder::started(&run.record.started_at).ok(), file_name(&run.path))
        });
        Ok(runs)
    }

    fn find(&self, selector: &str) -> Result<Run> {
        match &self.entries[place(&self.entries, selector)?] {
            Entry::Loaded(run) => Ok(Run::clone(run)),
            // The stored error cannot be cloned, so read the run again to get the same error.
            Entry::Broken(_) => self.store.find(selector),
        }
    }

    fn tagged(&self, tag: &str) -> Result<Vec<Run>> {
        let with_tag = self.entries.iter().filter_map(|entry| match entry {
            Entry::Loaded(run) if has_tag(entry, tag) => Some(Run::clone(run)),
            _ => None,
        });
        let runs: Vec<Run> = with_tag.collect();
        if runs.is_empty() {
            return Err(Error::usage(format!("no run has the tag \"{tag}\""))
                .hint("to list all tags, use tacho runs list"));
        }
        Ok(runs)
    }
}

/// Returns the error for an unreadable run. If the run was selected by `latest`, the error includes the id.
fn unreadable(selector: &str, broken: Broken) -> Error {
    match back_from_latest(selector) {
        Ok(Some(back)) => broken
            .reason
            .during(format!("read run {}", broken.id))
            .hint(format!("to use the previous run, specify latest~{}", back + 1)),
        _ => broken.reason,
    }
}

fn by_name(entries: &[Entry], selector: &str) -> Result<Option<usize>> {
    if selector.is_empty() {
        return Ok(None);
    }
    let exact = entries.iter().position(|entry| entry.id() == selector);
    let tagged = || entries.iter().position(|entry| has_tag(entry, selector));
    if let Some(place) = exact.or_else(tagged) {
        return Ok(Some(place));
    }
    let begins: Vec<usize> =
        (0..entries.len()).filter(|place| entries[*place].id().starts_with(selector)).collect();
    match begins[..] {
        [] => Ok(None),
        [place] => Ok(Some(place)),
        _ => Err(ambiguous(selector, begins.iter().map(|place| entries[*place].id()))),
    }
}

fn has_tag(entry: &Entry, tag: &str) -> bool {
    matches!(entry, Entry::Loaded(run) if run.record.tags.iter().any(|known| known == tag))
}

fn ambiguous<'a>(selector: &str, ids: impl Iterator<Item = &'a str>) -> Error {
    let ids: Vec<&str> = ids.collect();
    let shown = ids.len().min(CANDIDATES_MAX);
    let more = if ids.len() > shown { ", …" } else { "" };
    Error::usage(format!("\"{selector}\" is the start of {} ids", ids.len()))
        .hint(format!("use more characters: {}{more}", ids[..shown].join(", ")))
}

fn unknown(entries: &[Entry], selector: &str) -> Error {
    if entries.is_empty() {
        return Error::usage(format!("run \"{selector}\" not found: there are no runs yet"))
            .hint("to create one, use tacho run");
    }
    if is_reserved(selector) {
        let count = counted(entries.len() as u64, "run");
        return Error::usage(format!("run \"{selector}\" not found: the store has {count}"))
            .hint("tacho runs list");
    }
    let near = nearest(selector, entries.iter().map(Entry::id));
    let error = Error::usage(format!("no run has the id or tag \"{selector}\""))
        .hint(format!("the nearest ids: {}", near.join(", ")));
    if selector.contains('/') {
        return error
            .hint("instead of a path, use the run's id, which is at the end of its folder name");
    }
    error.hint("tacho runs list")
}
