//! A list of saved links as rows.

use crate::address::Reach;
use crate::fault::{NO_ADDRESS, UNKNOWN_LINK, WRONG_FOLDER};
use crate::tree::{Node, Tree};
use kit::error::{CONFLICT, unknown};
use kit::fault::TOO_LONG;
use kit::ids::short_id;
use kit::{Result, invalid, not_found};
use store::{Row, Tx, params};

/// Days for which a deleted link can be restored.
pub const DELETED_DAYS: i64 = 30;
const DAY_MS: i64 = 24 * 3_600_000;
/// Deleted links of a list at most; the oldest are dropped.
const DELETED_MAX: usize = 1_000;

/// A kind of list. A feature declares one.
#[derive(Debug, Clone, Copy)]
pub struct List {
    /// As stored.
    pub name: &'static str,
    /// What its links are called, in the plural.
    pub things: &'static str,
    /// Links of an account at most, folders included.
    pub links_max: usize,
    /// Maximum characters of a name.
    pub name_chars_max: usize,
    /// Maximum characters of a note.
    pub note_chars_max: usize,
    /// Folders within each other at most; 0 for a list without folders.
    pub depth_max: usize,
    /// Where its links can lead.
    pub reach: Reach,
}

/// A saved link, or a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Its id.
    pub id: String,
    /// The folder that it's in; none at the top.
    pub folder: Option<String>,
    /// Its name.
    pub name: String,
    /// Its address; none for a folder.
    pub address: Option<String>,
    /// A note; empty if there is none.
    pub note: String,
    /// When it was last opened, in milliseconds since 1970; 0 if never.
    pub used_ms: i64,
    /// When it was created.
    pub created_ms: i64,
    /// When its name, address, or note last changed.
    pub changed_ms: i64,
}

/// A link to create.
#[derive(Debug, Default)]
pub struct NewLink {
    /// Its name.
    pub name: String,
    /// Its address; none for a folder.
    pub address: Option<String>,
    /// A note.
    pub note: String,
}

/// What is to change of a link.
#[derive(Debug, Default)]
pub struct Change {
    /// Its name.
    pub name: Option<String>,
    /// Its address.
    pub address: Option<String>,
    /// Its note; empty removes it.
    pub note: Option<String>,
}

/// Where a link goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Before this link, in the same folder.
    Before(String),
    /// To the end of this folder, or of the top.
    EndOf(Option<String>),
}

const COLUMNS: &str = "link_id, folder_id, position, name, address, note, used_ms, deleted_ms, created_ms, changed_ms";

fn node_of(row: &dyn Row) -> Result<Node> {
    let folder: String = row.get(1)?;
    Ok(Node {
        position: row.get(2)?,
        deleted_ms: row.get(7)?,
        link: Link {
            id: row.get(0)?,
            folder: (!folder.is_empty()).then_some(folder),
            name: row.get(3)?,
            address: row.get(4)?,
            note: row.get(5)?,
            used_ms: row.get(6)?,
            created_ms: row.get(8)?,
            changed_ms: row.get(9)?,
        },
    })
}

impl List {
    fn tree(&self, tx: &mut Tx<'_>, account: &str) -> Result<Tree> {
        let sql = format!("SELECT {COLUMNS} FROM links WHERE account_id = $1 AND list = $2");
        Ok(Tree::new(tx.query(&sql, params![account, self.name], node_of)?))
    }

    /// All links in order: each folder before what is in it.
    pub fn all(&self, tx: &mut Tx<'_>, account: &str) -> Result<Vec<Link>> {
        Ok(self.tree(tx, account)?.live().into_iter().cloned().collect())
    }

    /// A link; an error if there is none.
    pub fn expect(&self, tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Link> {
        self.tree(tx, account)?.find(id).cloned().ok_or_else(not_found)
    }

    /// Checks the name, address, and note of a link.
    pub fn check(&self, change: &Change) -> Result<Change> {
        let name = change.name.as_deref().map(str::trim);
        if let Some(name) = name {
            kit::text::expect_name(name, self.name_chars_max, "/name")?;
        }
        let address = change.address.as_deref().map(|address| self.reach.expect(address, "/address")).transpose()?;
        let note = change.note.as_deref().map(str::trim);
        if let Some(note) = note.filter(|note| !note.is_empty()) {
            if note.chars().count() > self.note_chars_max {
                let detail = format!("The note is too long. Use up to {} characters.", self.note_chars_max);
                return Err(invalid("/note", TOO_LONG, detail));
            }
            kit::text::expect_text(note, self.note_chars_max, "/note")?;
        }
        Ok(Change { name: name.map(str::to_owned), address, note: note.map(str::to_owned) })
    }

    /// Creates a link whose parts were checked.
    pub fn create(&self, tx: &mut Tx<'_>, account: &str, new: NewLink, place: &Place, now_ms: i64) -> Result<Link> {
        let mut tree = self.tree(tx, account)?;
        self.expect_room(&tree, 1)?;
        let link = Link {
            id: short_id(),
            folder: None,
            name: new.name,
            address: new.address,
            note: new.note,
            used_ms: 0,
            created_ms: now_ms,
            changed_ms: now_ms,
        };
        let id = link.id.clone();
        tree.add(link);
        let (folder, before) = self.target(&tree, &id, place)?;
        let changed = tree.place(&id, folder.as_deref(), before.as_deref());
        let node = tree.node(&id).ok_or_else(not_found)?;
        let (link, position) = (node.link.clone(), node.position);
        tx.execute(
            "INSERT INTO links (account_id, list, link_id, folder_id, position, name, address, note, used_ms, deleted_ms, \
             created_ms, changed_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 0, $9, $9)",
            params![
                account,
                self.name,
                &id,
                folder.as_deref().unwrap_or_default(),
                position,
                &link.name,
                link.address.as_deref(),
                &link.note,
                now_ms
            ],
        )?;
        self.store_positions(tx, account, &changed)?;
        Ok(link)
    }

    /// Changes a link. The parts were checked. A folder gets no address.
    pub fn update(
        &self,
        tx: &mut Tx<'_>,
        account: &str,
        id: &str,
        change: Change,
        now_ms: i64,
    ) -> Result<(Link, Link)> {
        let before = self.expect(tx, account, id)?;
        if change.address.is_some() && before.address.is_none() {
            return Err(invalid("/address", NO_ADDRESS, "A folder has no address. Omit it."));
        }
        let mut link = before.clone();
        link.name = change.name.unwrap_or(link.name);
        link.address = change.address.or(link.address);
        link.note = change.note.unwrap_or(link.note);
        if link != before {
            link.changed_ms = now_ms;
        }
        tx.execute(
            "UPDATE links SET name = $4, address = $5, note = $6, changed_ms = $7 \
             WHERE account_id = $1 AND list = $2 AND link_id = $3",
            params![account, self.name, id, &link.name, link.address.as_deref(), &link.note, link.changed_ms],
        )?;
        Ok((before, link))
    }

    /// Moves a link.
    pub fn place(&self, tx: &mut Tx<'_>, account: &str, id: &str, place: &Place) -> Result<(Link, Link)> {
        let mut tree = self.tree(tx, account)?;
        let before = tree.find(id).cloned().ok_or_else(not_found)?;
        if *place == Place::Before(id.to_owned()) {
            return Ok((before.clone(), before));
        }
        let (folder, other) = self.target(&tree, id, place)?;
        let changed = tree.place(id, folder.as_deref(), other.as_deref());
        tx.execute(
            "UPDATE links SET folder_id = $4 WHERE account_id = $1 AND list = $2 AND link_id = $3",
            params![account, self.name, id, folder.as_deref().unwrap_or_default()],
        )?;
        self.store_positions(tx, account, &changed)?;
        let after = tree.find(id).cloned().ok_or_else(not_found)?;
        Ok((before, after))
    }

    /// Deletes a link with everything in it, and removes permanently what was deleted too long ago.
    pub fn delete(&self, tx: &mut Tx<'_>, account: &str, id: &str, now_ms: i64) -> Result<Link> {
        let link = self.expect(tx, account, id)?;
        self.set_deleted(tx, account, id, now_ms.max(1))?;
        let tree = self.tree(tx, account)?;
        for id in tree.expired(now_ms - DELETED_DAYS * DAY_MS, DELETED_MAX) {
            let sql = "DELETE FROM links WHERE account_id = $1 AND list = $2 AND link_id = $3";
            tx.execute(sql, params![account, self.name, id])?;
        }
        Ok(link)
    }

    /// Restores a deleted link to its position, or to the top if its folder is gone. Nothing happens if it isn't deleted.
    pub fn restore(&self, tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Link> {
        let mut tree = self.tree(tx, account)?;
        if let Some(link) = tree.find(id) {
            return Ok(link.clone());
        }
        let node = tree.node(id).filter(|node| node.deleted_ms > 0).ok_or_else(not_found)?;
        let folder = node.link.folder.clone();
        self.expect_room(&tree, tree.within(id).len())?;
        self.set_deleted(tx, account, id, 0)?;
        if folder.is_some_and(|folder| tree.find(&folder).is_none()) {
            let changed = tree.place(id, None, None);
            let sql = "UPDATE links SET folder_id = '' WHERE account_id = $1 AND list = $2 AND link_id = $3";
            tx.execute(sql, params![account, self.name, id])?;
            self.store_positions(tx, account, &changed)?;
        }
        self.expect(tx, account, id)
    }

    /// Notes that a link was opened.
    pub fn mark_used(&self, tx: &mut Tx<'_>, account: &str, id: &str, now_ms: i64) -> Result<Link> {
        let link = self.expect(tx, account, id)?;
        let sql = "UPDATE links SET used_ms = $4 WHERE account_id = $1 AND list = $2 AND link_id = $3";
        tx.execute(sql, params![account, self.name, id, now_ms])?;
        Ok(Link { used_ms: now_ms, ..link })
    }

    fn expect_room(&self, tree: &Tree, more: usize) -> Result<()> {
        if tree.live().len() + more <= self.links_max {
            return Ok(());
        }
        Err(CONFLICT.error(format!("You can have {} {}. Delete some first.", self.links_max, self.things)))
    }

    /// The folder that a link goes to, and the one that it goes before.
    fn target(&self, tree: &Tree, id: &str, place: &Place) -> Result<(Option<String>, Option<String>)> {
        let gone = |pointer: &str| unknown(UNKNOWN_LINK, pointer);
        let (folder, before) = match place {
            Place::Before(other) => {
                let found = tree.find(other).ok_or_else(|| gone("/before"))?;
                (found.folder.clone(), Some(other.clone()))
            }
            Place::EndOf(folder) => (folder.clone(), None),
        };
        if let Some(folder) = &folder {
            let found = tree.find(folder).ok_or_else(|| gone("/folderId"))?;
            if found.address.is_some() {
                return Err(invalid("/folderId", WRONG_FOLDER, "This isn't a folder. Name a folder."));
            }
            if tree.within(id).contains(folder) {
                return Err(invalid("/folderId", WRONG_FOLDER, "A folder can't be moved into itself."));
            }
        }
        if tree.depth(folder.as_deref()) + tree.height(id) > self.depth_max {
            let detail = format!("Folders can be {} deep. Choose a folder further up.", self.depth_max);
            return Err(invalid("/folderId", WRONG_FOLDER, detail));
        }
        Ok((folder, before))
    }

    fn set_deleted(&self, tx: &mut Tx<'_>, account: &str, id: &str, deleted_ms: i64) -> Result<()> {
        let sql = "UPDATE links SET deleted_ms = $4 WHERE account_id = $1 AND list = $2 AND link_id = $3";
        tx.execute(sql, params![account, self.name, id, deleted_ms]).map(drop)
    }

    fn store_positions(&self, tx: &mut Tx<'_>, account: &str, changed: &[(String, i64)]) -> Result<()> {
        for (id, position) in changed {
            let sql = "UPDATE links SET position = $4 WHERE account_id = $1 AND list = $2 AND link_id = $3";
            tx.execute(sql, params![account, self.name, id, *position])?;
        }
        Ok(())
    }
}
