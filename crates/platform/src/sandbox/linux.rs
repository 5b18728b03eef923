//! The sandbox on Linux: mounts in the process's own namespace, with empty ones over denied paths.
//!
//! Signals to processes outside are refused by Landlock, where the kernel can do so (6.12).
//!
//! The steps are taken between fork and exec, where memory must not be allocated: everything that they need is made before. They
//! end in a second namespace, for which the mounts of the first are locked, and without any capability.

#![allow(unsafe_code)]

use super::Sandbox;
use landlock::{CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreated, RulesetError, Scope};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind, mount_change, mount_remount,
    move_mount, open_tree,
};
use rustix::thread::{CapabilitySet, UnshareFlags};
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Nothing that a sandbox needs is larger.
const COVER_OPTIONS: &CStr = c"mode=0755,size=64k";

/// All that is done, made before the process begins.
struct Steps {
    uid_map: String,
    gid_map: String,
    is_root: bool,
    /// A denied folder, over which a small file system is mounted that also holds what covers the others.
    cover: CString,
    empty_folder: CString,
    empty_file: CString,
    holes: Vec<Hole>,
    /// The folders of the holes; has the capacity for all of them.
    kept: Vec<OwnedFd>,
    /// The other denied paths, and whether each is a folder.
    others: Vec<(CString, bool)>,
    cwd: CString,
    /// Refuses signals to what is outside; taken in the new process.
    no_signals: Option<RulesetCreated>,
}

/// A folder below the cover that stays open.
struct Hole {
    folder: CString,
    /// The folders from below the cover down to it.
    way: Vec<CString>,
}

pub(super) fn apply(sandbox: &Sandbox, command: &mut Command) -> io::Result<()> {
    let Some(mut steps) = Steps::new(sandbox)? else { return Ok(()) };
    // SAFETY: the steps only make system calls, on memory that is there already.
    unsafe { command.pre_exec(move || steps.take()) };
    Ok(())
}

/// Sets up a sandbox in a process that ends before it runs anything.
pub(super) fn try_out() -> io::Result<()> {
    const DONE: i32 = rustix::io::Errno::CANCELED.raw_os_error();
    let sandbox = Sandbox { denied: vec![std::env::temp_dir()], open: Vec::new(), cwd: "/".into() };
    let mut command = Command::new("/");
    apply(&sandbox, &mut command)?;
    // SAFETY: nothing is done at all.
    unsafe { command.pre_exec(|| Err(io::Error::from_raw_os_error(DONE))) };
    match command.spawn() {
        Err(error) if error.raw_os_error() != Some(DONE) => Err(error),
        _ => Ok(()),
    }
}

/// Rules that let a process, and what it starts, send signals to one another only.
fn no_signals(level: CompatLevel) -> Result<RulesetCreated, RulesetError> {
    Ruleset::default().set_compatibility(level).scope(Scope::Signal)?.create()
}

pub(super) fn refuses_signals() -> bool {
    no_signals(CompatLevel::HardRequirement).is_ok()
}

fn c(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

pub(super) fn services() -> Vec<PathBuf> {
    let uid = rustix::process::geteuid().as_raw();
    let running = PathBuf::from(format!("/run/user/{uid}"));
    let names = ["bus", "systemd", "podman", "docker.sock", "gnupg", "keyring"];
    let terminals = [format!("/tmp/tmux-{uid}").into()];
    names.map(|name| running.join(name)).into_iter().chain(terminals).collect()
}

impl Steps {
    /// None where nothing of what is denied is there.
    fn new(sandbox: &Sandbox) -> io::Result<Option<Steps>> {
        // By where links lead: a mount lies at a place, whatever names that has.
        let mut denied: Vec<PathBuf> = sandbox.denied.iter().filter_map(|path| path.canonicalize().ok()).collect();
        if !denied.is_empty() {
            let closed = services().into_iter().filter(|service| !sandbox.open.contains(service));
            denied.extend(closed.filter_map(|path| path.canonicalize().ok()));
        }
        denied.sort();
        denied.dedup_by(|path, before| path.starts_with(before));
        let cwd = sandbox.cwd.canonicalize()?;
        let open: Vec<PathBuf> = sandbox.open.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let has_open = |folder: &PathBuf| open.iter().chain([&cwd]).any(|open| open.starts_with(folder));
        let with_holes = denied.iter().position(has_open);
        let Some(at) = with_holes.or_else(|| denied.iter().position(|path| path.is_dir())) else {
            let no_folder =
                || io::Error::new(io::ErrorKind::InvalidInput, "a wall needs a folder among what is denied");
            return if denied.is_empty() { Ok(None) } else { Err(no_folder()) };
        };
        let cover = denied.remove(at);
        let mut holes: Vec<Hole> = Vec::new();
        for open in open.iter().chain([&cwd]) {
            if let Some(over) = denied.iter().find(|denied| open.starts_with(denied)) {
                let told = format!("{} is in {}, which is hidden from the session", open.display(), over.display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, told));
            }
            if open.starts_with(&cover) {
                let below = open.ancestors().take_while(|folder| *folder != cover);
                let mut way = below.map(c).collect::<io::Result<Vec<_>>>()?;
                way.reverse();
                holes.push(Hole { folder: c(open)?, way });
            }
        }
        // A hole in a hole is part of it; the outer one comes first.
        holes.sort_by(|a, b| a.folder.cmp(&b.folder));
        holes.dedup_by(|inner, outer| inner.way.contains(&outer.folder));
        let others = denied.iter().map(|path| Ok((c(path)?, path.is_dir()))).collect::<io::Result<_>>()?;
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        Ok(Some(Steps {
            uid_map: format!("{uid} {uid} 1\n"),
            gid_map: format!("{gid} {gid} 1\n"),
            is_root: uid == 0,
            empty_folder: c(&cover.join(".folder"))?,
            empty_file: c(&cover.join(".file"))?,
            cover: c(&cover)?,
            kept: Vec::with_capacity(holes.len()),
            holes,
            others,
            cwd: c(&cwd)?,
            no_signals: Some(no_signals(CompatLevel::BestEffort).map_err(io::Error::other)?),
        }))
    }

    fn take(&mut self) -> io::Result<()> {
        self.enter()?;
        mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        self.put_up()?;
        // Whoever is in the second namespace cannot undo what was mounted in the first, not even with the rights of root in it.
        self.enter()?;
        // The folder that the process stands in may be covered now, and would lead to what is beside it.
        rustix::process::chdir(&*self.cwd)?;
        // Without this one root cannot make namespaces of its own, as sandboxes of agents do; within them it opens nothing.
        let kept = if self.is_root { CapabilitySet::SETFCAP } else { CapabilitySet::empty() };
        for capability in CapabilitySet::all().difference(kept) {
            // Those that this kernel does not know cannot be had either.
            let _ = rustix::thread::remove_capability_from_bounding_set(capability);
        }
        rustix::thread::set_no_new_privs(true)?;
        if let Some(rules) = self.no_signals.take() {
            rules.restrict_self().map_err(|_| io::Error::from(rustix::io::Errno::PERM))?;
        }
        Ok(())
    }

    /// Enters namespaces of users and mounts, as the same user.
    fn enter(&self) -> io::Result<()> {
        // SAFETY: the process has one thread, and shares no file descriptors after this that it shared before.
        unsafe { rustix::thread::unshare_unsafe(UnshareFlags::NEWUSER | UnshareFlags::NEWNS) }?;
        write(c"/proc/self/setgroups", "deny")?;
        write(c"/proc/self/uid_map", &self.uid_map)?;
        write(c"/proc/self/gid_map", &self.gid_map)
    }

    fn put_up(&mut self) -> io::Result<()> {
        let none = Mode::empty();
        for hole in &self.holes {
            let how = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
            self.kept.push(open_tree(CWD, &*hole.folder, how)?);
        }
        let cover = &*self.cover;
        let plain = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        mount(c"tmpfs", cover, c"tmpfs", plain, COVER_OPTIONS)?;
        rustix::fs::mkdir(&*self.empty_folder, none)?;
        // Programs take a settings file without settings in their stride, and one that they may not read for a fault.
        let readable = Mode::from_raw_mode(0o444);
        rustix::fs::open(&*self.empty_file, OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC, readable)?;
        for (hole, folder) in self.holes.iter().zip(&self.kept) {
            for step in &hole.way {
                match rustix::fs::mkdir(&**step, Mode::from_raw_mode(0o755)) {
                    Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            move_mount(folder, c"", CWD, &*hole.folder, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        }
        for (path, is_folder) in &self.others {
            mount_bind(if *is_folder { &*self.empty_folder } else { &*self.empty_file }, &**path)?;
        }
        mount_remount(cover, plain | MountFlags::RDONLY, c"")?;
        self.kept.clear();
        Ok(())
    }
}

fn write(file: &CStr, text: &str) -> io::Result<()> {
    let file = rustix::fs::openat(CWD, file, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, text.as_bytes())?;
    Ok(())
}
