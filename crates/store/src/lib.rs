//! The one way to the database: [`Db`], a handle over a driver, and [`Tx`], what SQL is run through.
//!
//! Invariants: an answer goes out after the commit is on disk; there is one writer; every statement is one that SQLite and
//! the PostgreSQL-wire databases both take (`$1` parameters, BIGINT and TEXT columns, keys that begin with the account);
//! [`check_portable`] holds that, in debug builds for every statement. Only a [`DerivedDb`] beside it, which can be made anew at any
//! time, is SQLite's alone.
//! What stands in the way of writing (a full disk, a folder without permission) stops changes and not reading, and is over
//! as soon as a write succeeds again.
//! Deliberately not here: an ORM, and any table of a feature. The only tables here are the log of migrations and `changes`,
//! the append-only record of who changed what, which is the audit, the activity log and the settings' history in one.

mod changes;
mod db;
mod derived;
mod driver;
mod errors;
mod files;
mod lock;
mod migrate;
mod open;
mod portable;
mod readers;
mod relief;
mod rescue;
mod status;
mod tx;
mod value;
mod writer;

#[cfg(test)]
mod tests;

pub use changes::{Change, ChangeRow};
pub use db::{Db, HasDb};
pub use derived::{DerivedDb, DerivedTx};
pub use errors::{
    BACKUP_NOT_USABLE, CODES, DATA_DIR_NOT_WRITABLE, DATABASE_DAMAGED, DATABASE_LOCKED, DATABASE_NEWER, PROGRAM_ENDING,
    Reason, unwritten,
};
pub use lock::{Holder, holder};
pub use migrate::schema_sql;
pub use portable::check_portable;
pub use rescue::{BACKUPS_FOLDER, FILE_NAME, Restored, backups, restore};
pub use status::Integrity;
pub use tx::Tx;
pub use value::{Cell, FromCell, Row, Value};
