//! The versions of all keys, as one tree of list prefixes per key.
//!
//! A version is stored once, however often it is read, so a history grows with the number of appends and reads rather
//! than with the length of the lists.

use std::collections::HashMap;

use tacho_core::{Error, ErrorKind, Result};

/// No node, transaction or append.
pub(crate) const NONE: u32 = u32::MAX;
/// Maximum number of versions, and also of transactions. Larger numbers would leave no space for an edge's kind, which
/// is stored in the same word as the edge's target.
pub(crate) const COUNT_MAX: usize = 1 << 29;

/// A version: the parent's list with one more value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) value: u64,
    pub(crate) parent: u32,
    first_child: u32,
    next_sibling: u32,
    pub(crate) key: u32,
}

/// The versions of all keys. In the list of nodes, a parent comes before its children.
#[derive(Clone, Debug, Default)]
pub(crate) struct Versions {
    pub(crate) nodes: Vec<Node>,
    /// Each key's index.
    indexes: HashMap<u64, u32>,
    /// Each index's key.
    pub(crate) keys: Vec<u64>,
    /// Each key's empty list.
    roots: Vec<u32>,
}

impl Versions {
    /// Returns the index of a key.
    pub(crate) fn key(&mut self, key: u64) -> Result<u32> {
        if let Some(index) = self.indexes.get(&key) {
            return Ok(*index);
        }
        let index = self.keys.len() as u32;
        let root = self.push(Node {
            value: 0,
            parent: NONE,
            first_child: NONE,
            next_sibling: NONE,
            key: index,
        })?;
        self.indexes.insert(key, index);
        self.keys.push(key);
        self.roots.push(root);
        Ok(index)
    }

    /// Returns the empty list of a key.
    pub(crate) fn root(&self, key: u32) -> u32 {
        self.roots[key as usize]
    }

    /// Returns the version that follows `parent` with this value. Adds it if there is none.
    pub(crate) fn child(&mut self, parent: u32, value: u64) -> Result<u32> {
        let found = self.children(parent).find(|child| self.node(*child).value == value);
        if let Some(child) = found {
            return Ok(child);
        }
        let Node { first_child, key, .. } = *self.node(parent);
        let node = Node { value, parent, first_child: NONE, next_sibling: first_child, key };
        let child = self.push(node)?;
        self.nodes[parent as usize].first_child = child;
        Ok(child)
    }

    fn push(&mut self, node: Node) -> Result<u32> {
        if self.nodes.len() >= COUNT_MAX {
            let text = format!("the history has more than {COUNT_MAX} versions");
            return Err(Error::new(ErrorKind::Resource, text).hint("check a shorter run"));
        }
        self.nodes.push(node);
        Ok((self.nodes.len() - 1) as u32)
    }

    /// Returns a version.
    pub(crate) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// Returns the versions that follow a version immediately.
    pub(crate) fn children(&self, parent: u32) -> impl Iterator<Item = u32> {
        let mut next = self.node(parent).first_child;
        std::iter::from_fn(move || {
            let child = next;
            if child == NONE {
                return None;
            }
            next = self.node(child).next_sibling;
            Some(child)
        })
    }

    /// Returns the list of a version.
    pub(crate) fn list(&self, node: u32) -> Vec<u64> {
        let mut list: Vec<u64> = self.line(node).map(|node| self.node(node).value).collect();
        list.reverse();
        list
    }

    /// Returns a version and all versions before it, starting with the latest. Omits the empty list.
    pub(crate) fn line(&self, node: u32) -> impl Iterator<Item = u32> {
        let step = |node: &u32| Some(self.node(*node).parent);
        std::iter::successors(Some(node), step).take_while(|node| self.node(*node).parent != NONE)
    }
}
