//! Files in memory. Each file has two states: as programs see it now, and as it would be after a power failure.
//!
//! Start reading at [`Files::sync`] and [`Files::crash`].

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use fuser::{FileAttr, FileType, INodeNo};

/// Number of the root folder.
pub(super) const ROOT: u64 = INodeNo::ROOT.0;

/// The content of a node.
#[derive(Clone)]
pub(super) enum Body {
    File(Vec<u8>),
    Folder(BTreeMap<OsString, u64>),
    Link(PathBuf),
}

/// A file, a folder or a link, with its attributes.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) body: Body,
    pub(super) mode: u16,
    pub(super) user: u32,
    pub(super) group: u32,
}

impl Node {
    pub(super) fn attributes(&self, number: u64) -> FileAttr {
        let (kind, size) = match &self.body {
            Body::File(bytes) => (FileType::RegularFile, bytes.len()),
            Body::Folder(_) => (FileType::Directory, 0),
            Body::Link(to) => (FileType::Symlink, to.as_os_str().len()),
        };
        let time = std::time::UNIX_EPOCH;
        FileAttr {
            ino: INodeNo(number),
            size: size as u64,
            blocks: (size as u64).div_ceil(512),
            atime: time,
            mtime: time,
            ctime: time,
            crtime: time,
            kind,
            perm: self.mode,
            nlink: 1,
            uid: self.user,
            gid: self.group,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }
}

/// A node and its state on the simulated medium. Only `now` contains the changes since the last sync.
struct Both {
    now: Node,
    synced: Option<Node>,
    /// The ranges of a file in which its current state differs from its state on the medium.
    changed: Vec<(usize, usize)>,
}

impl Both {
    fn sync(&mut self) {
        match (&self.now.body, &mut self.synced) {
            (Body::File(now), Some(Node { body: Body::File(kept), mode, user, group })) => {
                kept.resize(now.len(), 0);
                for (from, to) in self.changed.drain(..) {
                    let to = to.min(now.len());
                    if from < to {
                        kept[from..to].copy_from_slice(&now[from..to]);
                    }
                }
                (*mode, *user, *group) = (self.now.mode, self.now.user, self.now.group);
            }
            _ => self.synced = Some(self.now.clone()),
        }
        self.changed.clear();
    }
}

/// All nodes by number.
pub(super) struct Files {
    nodes: HashMap<u64, Both>,
    next: u64,
}

impl Files {
    pub(super) fn new() -> Self {
        let body = Body::Folder(BTreeMap::new());
        let root = Node { body, mode: 0o777, user: 0, group: 0 };
        let root = Both { synced: Some(root.clone()), now: root, changed: Vec::new() };
        Self { nodes: HashMap::from([(ROOT, root)]), next: ROOT + 1 }
    }

    pub(super) fn get(&self, number: u64) -> Option<&Node> {
        self.nodes.get(&number).map(|states| &states.now)
    }

    pub(super) fn get_mut(&mut self, number: u64) -> Option<&mut Node> {
        self.nodes.get_mut(&number).map(|states| &mut states.now)
    }

    /// Returns the names in a folder.
    pub(super) fn names(&mut self, folder: u64) -> Option<&mut BTreeMap<OsString, u64>> {
        match &mut self.get_mut(folder)?.body {
            Body::Folder(names) => Some(names),
            _ => None,
        }
    }

    pub(super) fn find(&self, folder: u64, name: &OsStr) -> Option<u64> {
        match &self.get(folder)?.body {
            Body::Folder(names) => names.get(name).copied(),
            _ => None,
        }
    }

    /// Adds a node to a folder and returns the node's number.
    pub(super) fn add(&mut self, folder: u64, name: &OsStr, node: Node) -> Option<u64> {
        let number = self.next;
        self.names(folder)?.insert(name.to_owned(), number);
        self.next += 1;
        self.nodes.insert(number, Both { now: node, synced: None, changed: Vec::new() });
        Some(number)
    }

    /// Writes into a file.
    pub(super) fn write(&mut self, number: u64, at: usize, bytes: &[u8]) -> Option<()> {
        let states = self.nodes.get_mut(&number)?;
        let Body::File(content) = &mut states.now.body else { return None };
        let (from, to) = (at.min(content.len()), at + bytes.len());
        if content.len() < to {
            content.resize(to, 0);
        }
        content[at..to].copy_from_slice(bytes);
        match states.changed.last_mut() {
            Some(last) if last.0 <= from && from <= last.1 => last.1 = last.1.max(to),
            _ => states.changed.push((from, to)),
        }
        Some(())
    }

    /// Changes the length of a file.
    pub(super) fn resize(&mut self, number: u64, length: usize) -> Option<()> {
        let states = self.nodes.get_mut(&number)?;
        let Body::File(content) = &mut states.now.body else { return None };
        let parts = [content.len(), length];
        states.changed.push((parts[0].min(parts[1]), parts[0].max(parts[1])));
        content.resize(length, 0);
        Some(())
    }

    /// Writes a file or folder to the simulated medium. For a folder, this writes only the names in it, not the
    /// contents of its files.
    pub(super) fn sync(&mut self, number: u64) -> Option<()> {
        self.nodes.get_mut(&number).map(Both::sync)
    }

    /// Writes all nodes to the medium.
    pub(super) fn sync_all(&mut self) {
        self.nodes.values_mut().for_each(Both::sync);
    }

    /// Discards everything that has not been written to the simulated medium. If only the name of a file has been
    /// written, the file becomes empty.
    pub(super) fn crash(&mut self) {
        for states in self.nodes.values_mut() {
            match (&states.synced, &mut states.now.body) {
                (Some(kept), _) => states.now = kept.clone(),
                (None, Body::File(content)) => content.clear(),
                (None, Body::Folder(names)) => names.clear(),
                (None, Body::Link(_)) => {}
            }
            states.changed.clear();
            states.synced = Some(states.now.clone());
        }
        self.forget_unnamed();
    }

    /// Removes nodes that have no name. After a crash, no program can still have them open.
    fn forget_unnamed(&mut self) {
        let mut named = vec![ROOT];
        let mut at = 0;
        while at < named.len() {
            if let Some(Node { body: Body::Folder(names), .. }) = self.get(named[at]) {
                named.extend(names.values().copied());
            }
            at += 1;
        }
        named.sort_unstable();
        self.nodes.retain(|number, _| named.binary_search(number).is_ok());
    }
}
