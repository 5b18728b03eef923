//! A disk without space, in two ways that need no rights: SQLite's own limit of pages, inside this process, and the system's
//! limit of file sizes, in another process of its own.

use super::{Place, all, code, put, refusal, write};
use crate::{Db, Reason, unwritten};
use std::io::{Error, ErrorKind};

async fn allow_pages(db: &Db, pages: &'static str) -> i64 {
    db.write(move |tx| {
        let mut allowed = 0;
        tx.driver.query(&format!("PRAGMA max_page_count = {pages}"), &[], &mut |row| {
            allowed = row.get(0)?;
            Ok(())
        })?;
        Ok(allowed)
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn a_full_disk_stops_changes_only_and_is_over_when_there_is_space() {
    let place = Place::new();
    let db = place.open();
    write(&db, "x", 1).await.unwrap();
    // SQLite raises the limit to what the file has already.
    allow_pages(&db, "1").await;
    let large = || {
        db.write(|tx| {
            put(tx, "large", 2)?;
            let text = "long ".repeat(20_000);
            tx.execute("UPDATE things SET text = $1 WHERE thing_id = 'large'", &[text.into()])
        })
    };
    let refused = refusal(large().await);
    assert_eq!(refused.code().name, "read-only");
    assert!(refused.detail().starts_with("The disk is full"), "{refused}");
    assert_eq!(db.read_only(), Some(Reason::DiskFull));
    assert_eq!(code(large().await), "read-only");
    assert_eq!(db.read(all).await.unwrap(), [("x".to_owned(), 1)].into());

    allow_pages(&db, "1000000").await;
    large().await.unwrap();
    assert_eq!(db.read_only(), None);
    assert_eq!(db.read(all).await.unwrap().len(), 2);
}

fn failing(e: Error) -> std::io::Result<()> {
    Err(e)
}

#[test]
fn a_file_that_cannot_be_written_is_told_from_a_fault() {
    for (kind, begins) in [
        (ErrorKind::StorageFull, "Not kept. The disk is full"),
        (ErrorKind::QuotaExceeded, "Not kept. The disk is full"),
        (ErrorKind::FileTooLarge, "Not kept. The data directory cannot be written"),
        (ErrorKind::ReadOnlyFilesystem, "Not kept. The data directory cannot be written"),
    ] {
        let refusal = unwritten("Not kept.", kind.into());
        assert_eq!(refusal.code().name, "read-only", "{kind:?}");
        assert!(refusal.detail().starts_with(begins), "{kind:?}: {refusal}");
        let panic = std::panic::catch_unwind(|| failing(Error::from(kind)).expect("written"));
        assert_eq!(Reason::behind_panic(&*panic.unwrap_err()), Reason::behind(&kind.into()), "{kind:?}");
    }
    let moved = unwritten("Not kept.", ErrorKind::NotFound.into());
    assert_eq!(moved.code().name, "read-only");
    assert!(moved.detail().starts_with("Not kept. The data directory, or the file"), "{moved}");
    for kind in [ErrorKind::PermissionDenied, ErrorKind::Interrupted, ErrorKind::Other] {
        assert_eq!(unwritten("Not kept.", kind.into()).code().name, "internal", "{kind:?}");
    }
    #[cfg(unix)]
    for errno in [rustix::io::Errno::NOSPC, rustix::io::Errno::DQUOT, rustix::io::Errno::FBIG, rustix::io::Errno::ROFS]
    {
        let told = Error::from_raw_os_error(errno.raw_os_error());
        assert!(Reason::behind(&told).is_some(), "{told}");
        let raw = errno.raw_os_error();
        let panic = std::panic::catch_unwind(|| failing(Error::from_raw_os_error(raw)).expect("written"));
        assert!(Reason::behind_panic(&*panic.unwrap_err()).is_some(), "{errno:?} in a panic");
    }
    let other = std::panic::catch_unwind(|| panic!("an index is out of bounds")).unwrap_err();
    assert_eq!(Reason::behind_panic(&*other), None);
}

#[cfg(unix)]
mod limited {
    use super::*;
    use crate::files::{beside, size};
    use crate::tests::{MORE_THINGS, THINGS, given_place, open_at, this_program};
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    /// No file may grow beyond this many bytes; `None` lifts the limit.
    fn limit_files(bytes: Option<u64>) {
        let maximum = getrlimit(Resource::Fsize).maximum;
        setrlimit(Resource::Fsize, Rlimit { current: bytes.or(maximum), maximum }).expect("the soft limit can be set");
    }

    /// Copies the database as a killed program leaves it, or as one that ended in order does.
    fn copy(from: &Path, to: &Path, killed: bool) {
        for suffix in ["", "-wal", "-shm"] {
            fs::copy(beside(from, suffix), beside(to, suffix)).unwrap();
        }
        if !killed {
            let last = rusqlite::Connection::open(to).unwrap();
            last.query_row("SELECT count(*) FROM things", (), |row| row.get::<_, i64>(0)).unwrap();
            last.close().unwrap();
            assert!(!beside(to, "-wal").exists());
        }
    }

    /// Run as another process by the test below: a limit counts for the whole process.
    #[tokio::test]
    async fn in_a_process_of_its_own() {
        let Some(file) = given_place() else { return };
        let db = open_at(&file);
        write(&db, "x", 1).await.unwrap();

        // The commit fails in the middle of writing a page of the log.
        limit_files(Some(size(&beside(&file, "-wal")) + 2000));
        for _ in 0..3 {
            let refused = refusal(write(&db, "y", 2).await);
            assert_eq!(refused.code().name, "read-only", "{refused:?}");
            assert_eq!(db.read_only(), Some(Reason::NotWritable));
            assert_eq!(db.read(all).await.unwrap(), [("x".to_owned(), 1)].into());
        }
        let backup = file.with_file_name("copy.db");
        limit_files(Some(5000));
        assert_eq!(code(db.backup(&backup).await), "data-dir-not-writable");
        assert!(!backup.exists() && !beside(&backup, ".partial").exists());
        limit_files(None);
        write(&db, "y", 2).await.unwrap();
        assert_eq!(db.read_only(), None);
        assert_eq!(db.read(all).await.unwrap().len(), 2);

        // Starting where nothing can be written at all.
        for killed in [false, true] {
            let folder = file.with_file_name(format!("killed-{killed}"));
            let other = folder.join(crate::FILE_NAME);
            fs::create_dir(&folder).unwrap();
            copy(&file, &other, killed);
            limit_files(Some(0));
            let refused = refusal(Db::open(&other, MORE_THINGS));
            assert_eq!(refused.code().name, "data-dir-not-writable", "its tables cannot be updated: {refused:?}");
            let hindered = open_at(&other);
            assert_eq!(hindered.read_only(), Some(Reason::NotWritable));
            assert_eq!(hindered.read(all).await.unwrap().len(), 2, "killed: {killed}");
            assert_eq!(code(write(&hindered, "z", 3).await), "read-only");
            limit_files(None);
            write(&hindered, "z", 3).await.unwrap();
            assert_eq!(hindered.read_only(), None);
            assert_eq!(hindered.read(all).await.unwrap().len(), 3);
            write(&hindered, "last", 4).await.unwrap();
            drop(hindered);
            assert_eq!(open_at(&other).read(all).await.unwrap().len(), 4);
        }

        // With nothing to read there is nothing to open.
        let nowhere = file.with_file_name("new").join(crate::FILE_NAME);
        limit_files(Some(0));
        assert_eq!(code(Db::open(&nowhere, THINGS)), "data-dir-not-writable");
        limit_files(None);
        open_at(&nowhere);
        println!("all of it was so");
    }

    #[test]
    fn a_write_that_the_system_refuses_loses_nothing_and_later_ones_succeed() {
        let place = Place::new();
        let program = this_program("tests::disk::limited::in_a_process_of_its_own");
        // Beyond the limit the system sends a signal first; a shell can hand on that it is ignored.
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
            .arg(program.get_program())
            .args(program.get_args())
            .env("STORE_TEST_FILE", place.file())
            .output()
            .expect("a shell runs");
        let said = String::from_utf8_lossy(&output.stdout);
        let complained = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("all of it was so"), "{said}\n{complained}");
    }
}
