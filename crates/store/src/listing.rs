//! A cached list of the runs in a store. A run is read again only if it has changed.
//!
//! Start reading at [`Listing::look`].

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use tacho_core::Result;

use crate::{Entry, Store, folder};

/// Cached values for the runs in a store.
#[derive(Debug)]
pub struct Listing<T> {
    known: HashMap<PathBuf, Known<T>>,
}

#[derive(Debug)]
struct Known<T> {
    /// Size and modification time of the record. `None` while a run is in progress: the run is then always read again,
    /// because its other files change.
    stamp: Option<(u64, SystemTime)>,
    started: SystemTime,
    value: T,
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self { known: HashMap::new() }
    }
}

impl<T: Clone> Listing<T> {
    /// Returns a result for each run, newest run first. Calls `of` only for runs that are new or have changed. For all
    /// other runs, returns the earlier result.
    pub fn look(&mut self, store: &Store, of: impl Fn(&Entry) -> T) -> Result<Vec<T>> {
        let folders = store.folders()?;
        let present: HashSet<&PathBuf> = folders.iter().collect();
        self.known.retain(|path, _| present.contains(path));
        for path in folders {
            let stamp = stamp(&path);
            let same = |known: &Known<T>| stamp.is_some() && known.stamp == stamp;
            if self.known.get(&path).is_some_and(same) {
                continue;
            }
            let Some(entry) = Entry::read(path.clone()) else {
                self.known.remove(&path);
                continue;
            };
            let ended = !matches!(&entry, Entry::Loaded(run) if run.running);
            let known = Known {
                stamp: stamp.filter(|_| ended),
                started: entry.started(),
                value: of(&entry),
            };
            self.known.insert(path, known);
        }
        let mut all: Vec<_> = self.known.iter().collect();
        all.sort_by(|(path, known), (other, with)| {
            with.started.cmp(&known.started).then_with(|| other.cmp(path))
        });
        Ok(all.into_iter().map(|(_, known)| known.value.clone()).collect())
    }
}

fn stamp(path: &std::path::Path) -> Option<(u64, SystemTime)> {
    let file = fs::metadata(path.join(folder::RECORD)).ok()?;
    Some((file.len(), file.modified().ok()?))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the tests damage records")]
    fn does_not_reread_unchanged_runs() -> Result<()> {
        let root = tempfile::tempdir()?;
        let store = Store::open(root.path());
        for id in ["a", "b"] {
            let folder = store.path().join(format!("2026-03-02T10-00-00-x-y-{id}"));
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("run.json"), "{")?;
        }
        let (mut listing, reads) = (Listing::default(), Cell::new(0));
        let mut look = |store: &Store| {
            listing.look(store, |entry| {
                reads.set(reads.get() + 1);
                entry.id().to_owned()
            })
        };
        assert_eq!(look(&store)?, ["b", "a"]);
        assert_eq!((look(&store)?.len(), reads.get()), (2, 2));
        let changed = store.path().join("2026-03-02T10-00-00-x-y-a/run.json");
        fs::write(&changed, "{}")?;
        assert_eq!((look(&store)?.len(), reads.get()), (2, 3));
        fs::remove_dir_all(changed.parent().expect("a folder"))?;
        assert_eq!(look(&store)?, ["b"]);
        Ok(())
    }
}
