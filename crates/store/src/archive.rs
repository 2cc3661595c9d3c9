//! Exports runs and sweeps to a compressed tar archive, which another machine can import.
//!
//! Only files whose names Tacho itself uses are imported, so an archive cannot write outside the
//! store.
//!
//! Start reading at [`Store::export`].

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tacho_core::{Error, ErrorKind, Result, file};
use tar::{Archive, Builder, Header};

use crate::entry::file_name;
use crate::lock::EditLock;
use crate::record::RunState;
use crate::{
    CommitNotes, Entry, Run, Seal, Store, SweepStore, failure, folder, regular, seal, sweep,
};

const RUNS: &str = "runs";
const SWEEPS: &str = "sweeps";
/// Prefix of the temporary folder's name during an import. It starts with a dot, so that the folder
/// is not listed as a run.
const ARRIVING: &str = ".importing-";
/// The zstd compression level. At this level, run records shrink to about a tenth of their size.
const LEVEL: i32 = 3;

/// Returns the names of the files in a run's folder that an archive may contain.
fn files() -> impl Iterator<Item = &'static str> {
    [folder::RECORD, folder::COMMITS].into_iter().chain(folder::SEALED)
}

/// The outcome of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Ids of the runs and sweeps that were added.
    pub added: Vec<String>,
    /// Ids of the runs and sweeps that the store already contained with identical content.
    pub known: Vec<String>,
    /// Ids of the runs and sweeps that were rejected, each with the reason.
    pub refused: Vec<(String, String)>,
}

impl Store {
    /// Writes the given runs and sweep files to an archive.
    pub fn export(&self, runs: &[Run], sweeps: &[PathBuf], to: impl Write) -> Result<()> {
        let compressed = zstd::Encoder::new(to, LEVEL)?;
        let mut archive = Builder::new(compressed);
        for run in runs {
            if run.running || run.record.state != RunState::Complete {
                let what = format!("the run {} is {}", run.record.id, run.state());
                return Err(Error::usage(what).hint("only finished runs can be exported"));
            }
            require_sealed(run)?;
            for name in files() {
                let path = run.path.join(name);
                if path.symlink_metadata().is_ok() {
                    let place = format!("{RUNS}/{}/{name}", file_name(&run.path));
                    append(&mut archive, &place, &path)?;
                }
            }
        }
        for path in sweeps {
            sweep::read(path)?;
            append(&mut archive, &format!("{SWEEPS}/{}", file_name(path)), path)?;
        }
        archive.into_inner()?.finish()?.flush()?;
        Ok(())
    }

    /// Imports all runs and sweeps from an archive, except those that the store already contains.
    pub fn import(&self, archive: &Path) -> Result<Imported> {
        let unread = |error: io::Error| {
            Error::usage(format!("cannot read {}: {error}", archive.display()))
                .hint("to create an archive, use tacho runs export FILE")
        };
        let from = file::open(archive).map_err(unread)?;
        let size = from.metadata().map_err(unread)?.len();
        fs::create_dir_all(self.path()).map_err(failure::writing(self.path()))?;
        let arriving = self.new_arrival()?;
        let read = unpack(from, size, &arriving).and_then(|()| self.take_over(&arriving));
        let _ = fs::remove_dir_all(&arriving);
        read
    }

    /// Creates a folder for the import under a name that no other process is using.
    fn new_arrival(&self) -> Result<PathBuf> {
        let _lock = EditLock::take(self.path())?;
        let name = |number: u32| format!("{ARRIVING}{}-{number}", std::process::id());
        let mut paths = (0..).map(|number| self.path().join(name(number)));
        let path = paths.find(|path| path.symlink_metadata().is_err()).unwrap_or_default();
        fs::create_dir(&path).map_err(failure::writing(&path))?;
        Ok(path)
    }

    fn take_over(&self, arriving: &Path) -> Result<Imported> {
        let mut imported = Imported::default();
        // The lock prevents a new run from taking one of the imported ids.
        let _lock = EditLock::take(self.path())?;
        let ids = self.ids()?;
        let here: BTreeMap<String, PathBuf> = self
            .folders()?
            .into_iter()
            .map(|path| (folder::id(&file_name(&path)).into(), path))
            .collect();
        for from in folders(&arriving.join(RUNS))? {
            let name = file_name(&from);
            let id = folder::id(&name).to_owned();
            if let Some(existing) = here.get(&id).filter(|_| ids.contains(&id)) {
                imported.meet(id, same(&existing.join(folder::RECORD), &from.join(folder::RECORD)));
                continue;
            }
            match Entry::read(from.clone()) {
                Some(Entry::Loaded(run)) if run.record.id == id => {
                    if let Err(error) = require_sealed(&run) {
                        imported.refused.push((id, error.to_string()));
                        continue;
                    }
                    let to = self.path().join(&name);
                    fs::rename(&from, &to).map_err(failure::writing(&to))?;
                    imported.added.push(id);
                }
                Some(Entry::Broken(broken)) => {
                    imported.refused.push((id, broken.reason.to_string()));
                }
                _ => imported
                    .refused
                    .push((id, "the run's folder is named after another run".into())),
            }
        }
        self.take_over_sweeps(&arriving.join(SWEEPS), &mut imported)?;
        Ok(imported)
    }

    fn take_over_sweeps(&self, arriving: &Path, imported: &mut Imported) -> Result<()> {
        let sweeps: SweepStore = self.sweeps();
        for from in folders(arriving)? {
            let name = file_name(&from);
            let id = folder::id(name.trim_end_matches(".json")).to_owned();
            let to = sweeps.folder().join(&name);
            let other = sweeps.list()?.into_iter().find(|sweep| sweep.id == id);
            if let Some(other) = other {
                imported.meet(id, same(&other.path, &from));
                continue;
            }
            if let Err(error) = sweep::read(&from) {
                imported.refused.push((id, error.to_string()));
                continue;
            }
            fs::create_dir_all(sweeps.folder()).map_err(failure::writing(sweeps.folder()))?;
            fs::rename(&from, &to).map_err(failure::writing(&to))?;
            imported.added.push(id);
        }
        Ok(())
    }
}

impl Imported {
    /// Handles an imported run or sweep whose id already exists in the store. If `same` is true, the contents are
    /// identical, and the id is added to `known`. Otherwise, it is added to `refused`.
    fn meet(&mut self, id: String, same: bool) {
        if same {
            self.known.push(id);
        } else {
            self.refused.push((
                id,
                "a different run or sweep with this id already exists, or the \
                                    tags differ"
                    .into(),
            ));
        }
    }
}

/// Returns an error if a run's folder contains a symbolic link, a file that does not belong to it,
/// a file that has changed, or an unreadable commit log.
fn require_sealed(run: &Run) -> Result<()> {
    let refused = |what: String| {
        Err(Error::new(ErrorKind::Protocol, format!("run {}: {what}", run.record.id))
            .hint("restore the run's folder from a copy"))
    };
    if run.path.is_symlink() {
        return refused(format!("the run's folder {} is a symbolic link", run.path.display()));
    }
    if run.seal == Seal::Broken {
        return refused(seal::changed(folder::RECORD));
    }
    if let Seal::Intact(checksums) = &run.seal {
        if let Some(what) = seal::compare(&run.path, checksums) {
            return refused(what);
        }
        let is_there = |name: &&str| run.path.join(name).symlink_metadata().is_ok();
        let mut foreign = folder::SEALED.into_iter().filter(is_there);
        if let Some(name) = foreign.find(|name| !checksums.files.contains_key(*name)) {
            return refused(format!("{name} was added after the run ended"));
        }
    }
    if run.path.join(folder::COMMITS).symlink_metadata().is_ok() {
        CommitNotes::open(&run.path)
            .map_err(|error| error.hint("restore the run's folder from a copy"))?;
    }
    Ok(())
}

fn same(one: &Path, other: &Path) -> bool {
    let read = |path| regular::read(path).ok();
    read(one).is_some_and(|text| read(other) == Some(text))
}

fn append<W: Write>(archive: &mut Builder<W>, place: &str, path: &Path) -> Result<()> {
    let file = regular::open(path).map_err(failure::reading(path))?;
    let about = file.metadata().map_err(failure::reading(path))?;
    let mut header = Header::new_gnu();
    // The header omits the file's owner and date, so that an archive reveals nothing beyond the records.
    header.set_size(about.len());
    header.set_mode(0o644);
    archive.append_data(&mut header, place, file).map_err(failure::reading(path))?;
    Ok(())
}

/// Returns the entries of a folder, or an empty list if the folder does not exist.
fn folders(path: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failure::reading(path))?,
    };
    let mut all: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    all.sort();
    Ok(all)
}

/// Maximum number of files in an archive.
const FILES_MAX: usize = 100_000;
/// Fixed part of the limit for an archive's unpacked size. The other part is [`RATIO`] times the size of the archive.
/// Records are usually compressed to about a tenth of their size, so the limit is more than enough.
const LEAST_TOTAL: u64 = 64 << 20;
const RATIO: u64 = 100;

/// A reader that returns an error once an archive has unpacked to more than the permitted size.
struct Limited<R> {
    from: R,
    left: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(into)?;
        let left = self.left.checked_sub(count as u64).ok_or_else(|| {
            let text = format!("the archive unpacks to more than {RATIO} times its size");
            io::Error::new(io::ErrorKind::FileTooLarge, text)
        });
        self.left = left?;
        Ok(count)
    }
}

/// Returns the maximum size of a file in an archive, which depends on its type.
fn file_limit(place: &Path) -> u64 {
    let is_record = place.extension().is_some_and(|end| end == "json");
    if is_record { file::RECORD_MAX } else { u64::MAX }
}

fn unpack(from: impl Read, size: u64, to: &Path) -> Result<()> {
    let odd = |error: io::Error| {
        Error::new(ErrorKind::Protocol, format!("not a valid run archive: {error}"))
            .hint("to create an archive, use tacho runs export FILE")
    };
    let left = LEAST_TOTAL.saturating_add(size.saturating_mul(RATIO));
    let from = Limited { from: zstd::Decoder::new(from).map_err(odd)?, left };
    let mut archive = Archive::new(from);
    for (number, file) in archive.entries().map_err(odd)?.enumerate() {
        let mut file = file.map_err(odd)?;
        if number >= FILES_MAX {
            return Err(odd(io::Error::other(format!(
                "the archive contains more than {FILES_MAX} files"
            ))));
        }
        let path = file.path().map_err(odd)?.into_owned();
        let Some(place) = place(&path) else {
            let what =
                format!("the archive contains {}, which is not part of a run", path.display());
            return Err(Error::new(ErrorKind::Protocol, what)
                .hint("to create a valid archive, use tacho runs export FILE"));
        };
        if !file.header().entry_type().is_file() {
            let what =
                format!("the archive contains {}, which is not a regular file", path.display());
            return Err(Error::new(ErrorKind::Protocol, what)
                .hint("to create a valid archive, use tacho runs export FILE"));
        }
        if file.size() > file_limit(&place) {
            let most = file_limit(&place) >> 20;
            let text = format!("{} is larger than {most} MiB", place.display());
            return Err(odd(io::Error::new(io::ErrorKind::FileTooLarge, text)));
        }
        let place = to.join(place);
        let parent = place.parent().unwrap_or(to);
        fs::create_dir_all(parent).map_err(failure::writing(parent))?;
        let target = File::options().write(true).create_new(true).open(&place);
        let mut target = target.map_err(failure::writing(&place))?;
        io::copy(&mut file, &mut target).map_err(odd)?;
    }
    Ok(())
}

/// Returns the path in the import folder where a file from an archive belongs. Returns `None` if
/// Tacho never creates a file with this path.
fn place(path: &Path) -> Option<PathBuf> {
    let parts: Vec<&str> = path.to_str()?.split('/').collect();
    let plain = |name: &&str| {
        !name.is_empty()
            && !name.starts_with('.')
            && name.chars().all(|c| folder::plain(c, '/') == c)
    };
    match parts[..] {
        [RUNS, run, file] => {
            let known = files().any(|name| name == file);
            (plain(&run) && known).then(|| [RUNS, run, file].iter().collect())
        }
        [SWEEPS, file] => {
            let fits = plain(&file) && Path::new(file).extension().is_some_and(|end| end == "json");
            fits.then(|| [SWEEPS, file].iter().collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates an archive that contains only a file of zeros at this path.
    fn archive(place: &str, bytes: u64) -> Result<Vec<u8>> {
        let mut archive = Builder::new(zstd::Encoder::new(Vec::new(), LEVEL)?);
        let mut header = Header::new_gnu();
        header.set_size(bytes);
        archive.append_data(&mut header, place, io::repeat(0).take(bytes))?;
        Ok(archive.into_inner()?.finish()?)
    }

    #[test]
    fn an_archive_that_expands_without_end_is_rejected() -> Result<()> {
        let to = tempfile::tempdir()?;
        for (place, bytes, why) in [
            ("runs/x-a/intervals.jsonl.zst", 80 << 20, "100 times its size"),
            ("runs/x-a/run.json", 65 << 20, "run.json is larger than 64 MiB"),
            ("sweeps/x-a.json", 65 << 20, "larger than 64 MiB"),
        ] {
            let packed = archive(place, bytes)?;
            assert!(packed.len() < 100_000, "{}", packed.len());
            let error = unpack(packed.as_slice(), packed.len() as u64, to.path());
            let error = error.expect_err(place);
            assert!(error.to_string().contains(why), "{error}");
        }
        let packed = archive("runs/x-a/log.txt", 1 << 20)?;
        unpack(packed.as_slice(), packed.len() as u64, to.path())
    }

    #[test]
    fn an_archive_of_too_many_files_is_rejected() -> Result<()> {
        let mut archive = Builder::new(zstd::Encoder::new(Vec::new(), LEVEL)?);
        for number in 0..=FILES_MAX {
            let mut header = Header::new_gnu();
            header.set_size(0);
            archive.append_data(&mut header, format!("sweeps/{number}.json"), io::empty())?;
        }
        let packed = archive.into_inner()?.finish()?;
        let to = tempfile::tempdir()?;
        let unpacked = unpack(packed.as_slice(), packed.len() as u64, to.path());
        let error = unpacked.expect_err("one file too many");
        assert!(error.to_string().contains("more than 100000 files"), "{error}");
        Ok(())
    }

    #[test]
    fn no_path_leads_out_of_the_store() {
        for good in [
            "runs/2026-x-a1b2/run.json",
            "runs/x/commits.bin",
            "runs/x/log.txt",
            "sweeps/2026-x-y.json",
        ] {
            assert_eq!(place(Path::new(good)), Some(PathBuf::from(good)));
        }
        for bad in [
            "/etc/passwd",
            "runs/../x/run.json",
            "runs/../../run.json",
            "runs/x/../run.json",
            "runs/x/other",
            "runs/.x/run.json",
            "runs//run.json",
            "sweeps/../x.json",
            "sweeps/x",
            "x",
            "",
            "runs/a\\b/run.json",
        ] {
            assert_eq!(place(Path::new(bad)), None, "{bad}");
        }
    }
}
