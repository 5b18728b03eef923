//! The command-line token and its file.

use crate::{TokenFile, Tokens, feature, start, token_file};
use kit::clock::FixedClock;
use kit::{Authenticator, Call, Caller, Ctx, DataDir, Kind, Result};
use std::path::Path;
use std::sync::Arc;
use store::{Change, Db, HasDb};
use testkit::{START_MS, refused};

/// This feature over a data directory of its own.
async fn started(dir: &Path) -> Ctx {
    let ctx = Ctx::new(Arc::new(FixedClock::at(START_MS)));
    let feature = feature();
    ctx.provide(Arc::new(Db::open(&dir.join("pilothouse.db"), &[(feature.name, feature.migrations)]).unwrap()));
    ctx.provide(Arc::new(DataDir(dir.to_owned())));
    start(ctx.clone()).await.unwrap();
    ctx
}

fn person(ctx: &Ctx) -> Caller {
    Caller::new(Kind::Cli, ctx.service::<Tokens>().first_account(), "cli")
}

async fn rotate(ctx: &Ctx) -> Result<()> {
    let ops = feature().ops;
    let op = ops.iter().find(|op| op.name == "tokens.rotate").unwrap();
    kit::call(ctx, op, Call::new(person(ctx)), serde_json::Map::new()).await.map(drop)
}

fn in_file(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("cli-token")).unwrap().trim().to_owned()
}

fn known(ctx: &Ctx, token: &str) -> bool {
    ctx.service::<Tokens>().caller(token).is_some()
}

async fn rotations(ctx: &Ctx) -> usize {
    let account = person(ctx).account;
    ctx.db().read(move |tx| tx.changes(&account, "token", "cli", None, 10)).await.unwrap().len()
}

#[tokio::test]
async fn a_rotated_token_is_in_its_file_in_force_and_recorded() {
    let dir = tempfile::tempdir().unwrap();
    let ctx = started(dir.path()).await;
    let old = in_file(dir.path());
    rotate(&ctx).await.unwrap();
    let new = in_file(dir.path());
    assert_ne!(old, new);
    assert!(known(&ctx, &new) && !known(&ctx, &old));
    assert_eq!(rotations(&ctx).await, 1);
    assert!(token_file::waiting(dir.path()).unwrap().is_empty(), "nothing is left beside it");
}

#[tokio::test]
async fn a_rotation_that_cannot_be_recorded_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let ctx = started(dir.path()).await;
    let old = in_file(dir.path());
    ctx.db().close().await;
    rotate(&ctx).await.unwrap_err();
    assert_eq!(in_file(dir.path()), old);
    assert!(known(&ctx, &old));
}

#[test]
fn a_new_token_whose_record_is_not_kept_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let file = TokenFile::open_or_create(dir.path()).unwrap();
    let staged = file.stage("some-change").unwrap();
    assert_eq!(token_file::waiting(dir.path()).unwrap(), ["some-change"]);
    drop(staged);
    assert!(token_file::waiting(dir.path()).unwrap().is_empty());
    assert_eq!(in_file(dir.path()), file.token());
}

#[tokio::test]
async fn a_rotation_cut_off_by_a_crash_is_ended_by_the_next_start_as_its_record_says() {
    for recorded in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let ctx = started(dir.path()).await;
        let old = in_file(dir.path());
        let (caller, path) = (person(&ctx), dir.path().to_owned());
        let db = ctx.db();
        let rotated = db.write(move |tx| {
            let after = "rotated".into();
            let change = Change { subject: "token", subject_id: "cli", field: "", before: None, after: Some(&after) };
            let change_id = tx.record(&caller, START_MS, change)?;
            // A crash runs no destructor.
            std::mem::forget(TokenFile::open_or_create(&path)?.stage(&change_id)?);
            if recorded { Ok(()) } else { Err(kit::not_found()) }
        });
        assert_eq!(rotated.await.is_ok(), recorded);
        db.close().await;
        assert_eq!(in_file(dir.path()), old);

        let ctx = started(dir.path()).await;
        let now = in_file(dir.path());
        assert_eq!(now != old, recorded);
        assert_eq!(rotations(&ctx).await, usize::from(recorded));
        assert!(known(&ctx, &now), "file and guard agree");
        assert_eq!(known(&ctx, &old), !recorded);
        assert!(token_file::waiting(dir.path()).unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_rotation_whose_file_cannot_be_replaced_is_refused_and_ended_by_the_next_start() {
    let dir = tempfile::tempdir().unwrap();
    let ctx = started(dir.path()).await;
    let (old, path) = (in_file(dir.path()), dir.path().join("cli-token"));
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    refused(rotate(&ctx).await, "token-file");
    assert!(known(&ctx, &old), "the program that runs keeps the old one");
    ctx.db().close().await;
    std::fs::remove_dir(&path).unwrap();
    let ctx = started(dir.path()).await;
    assert!(known(&ctx, &in_file(dir.path())) && !known(&ctx, &old));
    assert_eq!(rotations(&ctx).await, 1);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn the_token_file_is_private_or_refused() {
        // A remedy works in such a folder too.
        let dir = tempfile::Builder::new().prefix("somebody's own $folder").tempdir().unwrap();
        let made = TokenFile::open_or_create(dir.path()).unwrap();
        assert_eq!(mode(made.path()), 0o600);
        let follow = |refusal: &kit::Error| {
            let command = refusal.detail().split('`').nth(1).expect("a command");
            assert!(std::process::Command::new("sh").args(["-c", command]).status().unwrap().success(), "{command}");
        };
        assert_eq!(TokenFile::open_or_create(dir.path()).unwrap().token(), made.token(), "it stays the same");
        fs::set_permissions(made.path(), Permissions::from_mode(0o644)).unwrap();
        let refusal = refused(TokenFile::open_or_create(dir.path()), "token-file");
        let remedy = kit::ids::close_token_file(made.path());
        assert!(refusal.detail().contains("0644") && refusal.detail().ends_with(&remedy), "{refusal}");
        follow(&refusal);
        assert_eq!(TokenFile::open_or_create(dir.path()).unwrap().token(), made.token());

        let elsewhere = dir.path().join("elsewhere");
        fs::rename(made.path(), &elsewhere).unwrap();
        for target in [&elsewhere, &dir.path().join("nothing")] {
            symlink(target, made.path()).unwrap();
            let refusal = refused(TokenFile::open_or_create(dir.path()), "token-file");
            assert!(refusal.detail().contains("symbolic link"), "{refusal}");
            follow(&refusal);
            assert_ne!(TokenFile::open_or_create(dir.path()).unwrap().token(), made.token());
            fs::remove_file(made.path()).unwrap();
        }
        fs::create_dir(made.path()).unwrap();
        refused(TokenFile::open_or_create(dir.path()), "token-file");
        fs::remove_dir(made.path()).unwrap();
        // Nobody writes into it: opening it as a file would wait for ever.
        let pipe = std::process::Command::new("mkfifo").args(["-m", "600"]).arg(made.path()).status().unwrap();
        assert!(pipe.success());
        let refusal = refused(TokenFile::open_or_create(dir.path()), "token-file");
        assert!(refusal.detail().contains("plain file"), "{refusal}");
    }

    #[test]
    fn the_token_file_is_of_the_user_who_runs_the_program() {
        assert_eq!(token_file::flaw(true, 0o100600, 1000, 1000), None);
        let flaw = |owner, user| token_file::flaw(true, 0o100600, owner, user).unwrap();
        assert!(flaw(1000, 0).contains("user 1000"), "a folder of the same owner does not make it this user's");
        assert!(flaw(0, 1000).contains("user 0"));
    }

    #[test]
    fn a_data_directory_of_another_user_is_refused_also_for_root() {
        assert_eq!(token_file::foreign(1000, 1000), None);
        assert_eq!(token_file::foreign(0, 0), None);
        for (owner, user) in [(1000, 0), (0, 1000), (1001, 1000)] {
            let whose = token_file::foreign(owner, user).unwrap();
            assert_eq!(whose, format!("belongs to user {owner}, and this program runs as user {user}"));
        }
        let dir = tempfile::tempdir().unwrap();
        let other = rustix::process::geteuid().as_raw() + 1;
        // Only root can give a directory away.
        if std::os::unix::fs::chown(dir.path(), Some(other), None).is_ok() {
            let refusal = refused(token_file::own_folder(dir.path()), "token-file");
            assert!(refusal.detail().contains(&format!("belongs to user {other}")), "{refusal}");
        }
    }

    #[tokio::test]
    async fn a_data_directory_is_the_users_alone_or_refused() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("data");
        fs::create_dir(&dir).unwrap();
        for wide in [0o755, 0o770, 0o777] {
            fs::set_permissions(&dir, Permissions::from_mode(wide)).unwrap();
            started(&dir).await.db().close().await;
            assert_eq!(mode(&dir), 0o700, "{wide:o}");
        }
        // One that is shared by intention keeps its mode.
        fs::set_permissions(&dir, Permissions::from_mode(0o1777)).unwrap();
        let refusal = refused(token_file::own_folder(&dir), "token-file");
        assert!(refusal.detail().contains("1777"), "{refusal}");
        assert_eq!(mode(&dir), 0o1777);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rotations_at_once_leave_one_token_that_is_in_force_and_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let ctx = started(dir.path()).await;
    let old = in_file(dir.path());
    let asked: Vec<_> = (0..8)
        .map(|_| {
            let ctx = ctx.clone();
            tokio::spawn(async move { rotate(&ctx).await })
        })
        .collect();
    for rotation in asked {
        rotation.await.unwrap().unwrap();
    }
    let new = in_file(dir.path());
    assert!(new != old && known(&ctx, &new) && !known(&ctx, &old));
    assert_eq!(rotations(&ctx).await, 8);
    assert!(token_file::waiting(dir.path()).unwrap().is_empty(), "nothing is left beside it");
    ctx.db().close().await;
    let again = started(dir.path()).await;
    assert_eq!(in_file(dir.path()), new);
    assert!(known(&again, &new), "the next start takes the same one");
}
