//! A list with its folders, in memory: order, moves, and what is deleted. Pure.

use crate::list::Link;
use std::collections::HashSet;

/// A link with its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) link: Link,
    pub(crate) position: i64,
    pub(crate) deleted_ms: i64,
}

/// All links of a list, deleted ones included, by position.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    pub(crate) fn new(mut nodes: Vec<Node>) -> Tree {
        nodes.sort_by(|a, b| (a.position, &a.link.id).cmp(&(b.position, &b.link.id)));
        Tree { nodes }
    }

    pub(crate) fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.link.id == id)
    }

    /// What isn't deleted: each folder before what is in it.
    pub(crate) fn live(&self) -> Vec<&Link> {
        let mut found = Vec::new();
        self.collect(None, &mut found);
        found
    }

    fn collect<'a>(&'a self, folder: Option<&str>, found: &mut Vec<&'a Link>) {
        for node in &self.nodes {
            if node.link.folder.as_deref() == folder && node.deleted_ms == 0 {
                found.push(&node.link);
                if node.link.address.is_none() {
                    self.collect(Some(&node.link.id), found);
                }
            }
        }
    }

    /// A link that is neither deleted nor in a deleted folder.
    pub(crate) fn find(&self, id: &str) -> Option<&Link> {
        let node = self.node(id)?;
        let is_live =
            node.deleted_ms == 0 && node.link.folder.as_deref().is_none_or(|folder| self.find(folder).is_some());
        is_live.then_some(&node.link)
    }

    /// The id and those of everything in it, deleted or not.
    pub(crate) fn within(&self, id: &str) -> HashSet<String> {
        let mut ids = HashSet::from([id.to_owned()]);
        loop {
            let is_new = |node: &&Node| {
                node.link.folder.as_ref().is_some_and(|folder| ids.contains(folder)) && !ids.contains(&node.link.id)
            };
            let more: Vec<String> = self.nodes.iter().filter(is_new).map(|node| node.link.id.clone()).collect();
            if more.is_empty() {
                return ids;
            }
            ids.extend(more);
        }
    }

    /// How many folders a folder is in, itself included; 0 at the top.
    pub(crate) fn depth(&self, folder: Option<&str>) -> usize {
        let mut depth = 0;
        let mut at = folder;
        while let Some(node) = at.and_then(|id| self.node(id)) {
            depth += 1;
            at = node.link.folder.as_deref();
        }
        depth
    }

    /// How many levels of folders a link brings with it.
    pub(crate) fn height(&self, id: &str) -> usize {
        let is_folder = |node: &&Node| node.link.address.is_none();
        let Some(node) = self.node(id).filter(is_folder) else { return 0 };
        let inner = self.nodes.iter().filter(|inner| inner.link.folder.as_deref() == Some(&node.link.id));
        1 + inner.map(|inner| self.height(&inner.link.id)).max().unwrap_or(0)
    }

    /// Puts a link before another one of the folder, or at its end. Returns those whose position changed, the link included.
    /// Deleted links keep their place among the others.
    pub(crate) fn place(&mut self, id: &str, folder: Option<&str>, before: Option<&str>) -> Vec<(String, i64)> {
        let is_other = |node: &&Node| node.link.folder.as_deref() == folder && node.link.id != id;
        let mut order: Vec<String> = self.nodes.iter().filter(is_other).map(|node| node.link.id.clone()).collect();
        let at = before.and_then(|before| order.iter().position(|other| other == before)).unwrap_or(order.len());
        order.insert(at, id.to_owned());
        let mut changed = Vec::new();
        for (position, other) in (0..).zip(order) {
            let Some(node) = self.nodes.iter_mut().find(|node| node.link.id == other) else { continue };
            if node.position != position || other == id {
                node.position = position;
                changed.push((other.clone(), position));
            }
            if other == id {
                node.link.folder = folder.map(str::to_owned);
            }
        }
        *self = Tree::new(std::mem::take(&mut self.nodes));
        changed
    }

    /// Adds a link, which `place` puts in order.
    pub(crate) fn add(&mut self, link: Link) {
        self.nodes.push(Node { link, position: i64::MAX, deleted_ms: 0 });
    }

    /// Deleted links that are to be dropped, with all that is in them: those deleted before `before_ms`, and the oldest while
    /// more than `most` deleted links are stored.
    pub(crate) fn expired(&self, before_ms: i64, most: usize) -> HashSet<String> {
        let mut roots: Vec<&Node> = self.nodes.iter().filter(|node| node.deleted_ms > 0).collect();
        roots.sort_by_key(|node| std::cmp::Reverse(node.deleted_ms));
        let (mut kept, mut dropped) = (HashSet::new(), HashSet::new());
        for root in roots {
            let all = self.within(&root.link.id);
            let is_over = kept.union(&all).count() > most;
            if root.deleted_ms < before_ms || is_over { dropped.extend(all) } else { kept.extend(all) }
        }
        dropped
    }
}
