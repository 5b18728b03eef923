//! Trees of processes that are to end as a whole.
//!
//! An agent's commands run in groups and sessions of their own, go on when the agent is gone, and then belong to nobody: neither a
//! process group nor the tree of parents names them all. So every process of a session carries a mark in its environment, which its
//! children inherit, and what carries the mark, descends from what does, or is of a group or session that one of those leads, belongs
//! to it.
//!
//! Deliberately not here: a process that clears its environment, begins a session of its own and lets its parent end, all before
//! anybody looks. Only a control group of its own would hold that one.

/// A variable and its value by which the processes of a tree are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The variable.
    pub name: String,
    /// Its value.
    pub value: String,
}

pub use os::{Root, end_tree, marked, pids_of_tree};

#[cfg(target_os = "linux")]
mod os {
    use super::Mark;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fd::OwnedFd;
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    use std::collections::HashSet;
    use std::os::unix::fs::MetadataExt;
    use std::time::{Duration, Instant};

    /// How long it is waited for the end of one round; new processes are looked for after it.
    const ROUND: Duration = Duration::from_millis(50);
    /// Rounds of stopping before what is stopped is ended: more would mean that it starts processes faster than it can be read.
    const STOP_ROUNDS: usize = 8;
    /// How long processes may take to end that were told to by force; one that hangs in the kernel is left to it.
    const FORCED_WITHIN: Duration = Duration::from_secs(10);

    /// A process: its number alone may be given to another one later.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    struct Process {
        pid: i32,
        started: u64,
    }

    /// The first process of a tree.
    #[derive(Debug, Clone, Copy)]
    pub struct Root(Process);

    impl Root {
        /// The process of this number, as long as it was not waited for: afterwards the number may be another's.
        pub fn new(pid: u32) -> Option<Root> {
            Some(Root(stat(i32::try_from(pid).ok()?)?.process))
        }
    }

    #[derive(Debug, Clone, Copy)]
    struct Stat {
        process: Process,
        parent: i32,
        group: i32,
        session: i32,
        has_ended: bool,
    }

    fn stat(pid: i32) -> Option<Stat> {
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in front may hold anything, brackets too.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<i32>().ok();
        Some(Stat {
            process: Process { pid, started: fields.get(19)?.parse().ok()? },
            parent: number(1)?,
            group: number(2)?,
            session: number(3)?,
            has_ended: matches!(*fields.first()?, "Z" | "X"),
        })
    }

    /// All living processes of this user but this one and those that it descends from.
    fn others() -> Vec<Stat> {
        let own = rustix::process::getuid().as_raw();
        let pids = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = pids.filter(|entry| entry.metadata().is_ok_and(|about| about.uid() == own));
        let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let mut all: Vec<Stat> = pids.filter_map(stat).filter(|stat| !stat.has_ended).collect();
        let mut next = i32::try_from(std::process::id()).unwrap_or_default();
        while let Some(at) = all.iter().position(|stat| stat.process.pid == next) {
            next = all.swap_remove(at).parent;
        }
        all
    }

    fn value(pid: i32, name: &str) -> Option<String> {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
        let value =
            environ.split(|byte| *byte == 0).find_map(|var| var.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
        String::from_utf8(value.to_vec()).ok()
    }

    /// The marked processes of this user, with their marks' values: what an earlier run of the program may have left behind.
    pub fn marked(name: &str) -> Vec<(String, u32)> {
        let all = others().into_iter();
        all.filter_map(|stat| Some((value(stat.process.pid, name)?, u32::try_from(stat.process.pid).ok()?))).collect()
    }

    /// What belongs to a tree, once seen.
    #[derive(Default)]
    struct Tree {
        known: HashSet<Process>,
        /// Numbers of those seen: groups and sessions that they lead are theirs.
        leaders: HashSet<i32>,
    }

    impl Tree {
        /// The living processes of the tree.
        fn look(&mut self, mark: &Mark) -> Vec<Process> {
            let mut rest = others();
            let mut found = Vec::new();
            let mut parents: HashSet<i32> = HashSet::new();
            loop {
                let before = found.len();
                rest.retain(|stat| {
                    let is_first_look = before == 0;
                    let belongs = self.known.contains(&stat.process)
                        || parents.contains(&stat.parent)
                        || self.leaders.contains(&stat.group)
                        || self.leaders.contains(&stat.session)
                        || is_first_look
                            && value(stat.process.pid, &mark.name).is_some_and(|value| value == mark.value);
                    if belongs {
                        found.push(stat.process);
                        parents.insert(stat.process.pid);
                        self.leaders.insert(stat.process.pid);
                        self.known.insert(stat.process);
                    }
                    !belongs
                });
                if found.len() == before {
                    return found;
                }
            }
        }
    }

    /// A hold on just this process, also when its number is given to another one.
    fn hold(process: Process) -> Option<OwnedFd> {
        let held = pidfd_open(Pid::from_raw(process.pid)?, PidfdFlags::empty()).ok()?;
        stat(process.pid).is_some_and(|stat| stat.process == process).then_some(held)
    }

    fn signal(processes: &[Process], signal: Signal) -> Vec<OwnedFd> {
        let held: Vec<OwnedFd> = processes.iter().filter_map(|process| hold(*process)).collect();
        for one in &held {
            let _ = pidfd_send_signal(one, signal);
        }
        held
    }

    /// Waits until one of them has ended, or for a round.
    fn wait(held: &[OwnedFd], round: Duration) {
        let mut fds: Vec<PollFd<'_>> = held.iter().map(|one| PollFd::new(one, PollFlags::IN)).collect();
        let round = Timespec::try_from(round).ok();
        let _ = poll(&mut fds, round.as_ref());
    }

    /// The living processes with the mark, `root`, and what belongs to them.
    pub fn pids_of_tree(mark: &Mark, root: Option<Root>) -> Vec<u32> {
        let mut tree = Tree::default();
        tree.known.extend(root.map(|root| root.0));
        tree.look(mark).into_iter().filter_map(|process| u32::try_from(process.pid).ok()).collect()
    }

    /// Ends all processes with the mark, `root`, and what belongs to them: asks them to, waits for `grace`, then ends them by force.
    /// Gives the number of those that are still there, which is zero unless the kernel holds one. Takes as long as that takes.
    pub fn end_tree(mark: &Mark, root: Option<Root>, grace: Duration) -> usize {
        let mut tree = Tree::default();
        tree.known.extend(root.map(|root| root.0));
        let asked_by = Instant::now() + grace;
        let mut asked = HashSet::new();
        loop {
            let found = tree.look(mark);
            if found.is_empty() {
                return 0;
            }
            let left = asked_by.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let new: Vec<Process> = found.iter().copied().filter(|process| asked.insert(*process)).collect();
            drop(signal(&new, Signal::TERM));
            let held: Vec<OwnedFd> = found.iter().filter_map(|process| hold(*process)).collect();
            wait(&held, ROUND.min(left));
        }
        // What is stopped starts no process: so none slips through between looking and ending.
        let mut stopped = 0;
        for _ in 0..STOP_ROUNDS {
            let found = tree.look(mark);
            drop(signal(&found, Signal::STOP));
            if found.len() <= stopped {
                break;
            }
            stopped = found.len();
        }
        let forced_by = Instant::now() + FORCED_WITHIN;
        loop {
            let found = tree.look(mark);
            if found.is_empty() || Instant::now() >= forced_by {
                return found.len();
            }
            let held = signal(&found, Signal::KILL);
            wait(&held, ROUND);
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod os {
    use super::Mark;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    /// The marked processes of this user: not known here, because the system does not tell what environment a process has.
    pub fn marked(_name: &str) -> Vec<(String, u32)> {
        Vec::new()
    }

    /// The first process of a tree.
    #[derive(Debug, Clone, Copy)]
    pub struct Root(u32);

    impl Root {
        /// The process of this number.
        pub fn new(pid: u32) -> Option<Root> {
            Some(Root(pid))
        }
    }

    /// The processes of a tree: not known here.
    pub fn pids_of_tree(_mark: &Mark, _root: Option<Root>) -> Vec<u32> {
        Vec::new()
    }

    /// Ends the group or the tree that `root` leads. What left it is not found here.
    pub fn end_tree(_mark: &Mark, root: Option<Root>, grace: Duration) -> usize {
        let Some(Root(root)) = root else { return 0 };
        let run = |program: &str, args: &[&str]| {
            let mut command = Command::new(program);
            command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        if cfg!(windows) {
            run("taskkill", &["/T", "/F", "/PID", &root.to_string()]);
            return 0;
        }
        let group = format!("-{root}");
        if run("kill", &["-TERM", "--", &group]) {
            std::thread::sleep(grace);
            run("kill", &["-KILL", "--", &group]);
        }
        0
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    const NAME: &str = "PLATFORM_TEST_MARK";

    /// A value of the mark: the same tests may run on this machine at the same time, and each ends what carries its value.
    fn own(value: &str) -> String {
        format!("{value} of {}", std::process::id())
    }

    /// A shell script that has run as far as it says so: each of its processes that matters writes its number on a line.
    fn start(value: &str, script: &str, lines: usize) -> (Child, Vec<i32>) {
        let mut command = Command::new("sh");
        command.args(["-c", script]).env(NAME, own(value)).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("sh");
        let out = BufReader::new(child.stdout.take().expect("piped"));
        let pids = out.lines().take(lines).map(|line| line.expect("text").trim().parse().expect("a number")).collect();
        (child, pids)
    }

    fn is_alive(pid: i32) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(')')
            .is_some_and(|(_, rest)| !matches!(rest.trim_start().as_bytes().first(), Some(b'Z' | b'X')))
    }

    /// Starts a script, ends its tree and looks whether anything is left.
    fn check(value: &str, script: &str, lines: usize, grace: Duration) {
        let (mut child, pids) = start(value, script, lines);
        assert!(pids.len() == lines && pids.iter().all(|pid| is_alive(*pid)), "{pids:?}");
        let mark = Mark { name: NAME.into(), value: own(value) };
        assert_eq!(end_tree(&mark, Root::new(child.id()), grace), 0);
        let left: Vec<&i32> = pids.iter().filter(|pid| is_alive(**pid)).collect();
        assert!(left.is_empty(), "{left:?} of {pids:?}");
        assert!(marked(NAME).iter().all(|(of, _)| *of != own(value)));
        child.wait().expect("it ended");
    }

    const LONG: Duration = Duration::from_secs(60);
    const NONE: Duration = Duration::ZERO;

    #[test]
    fn groups_sessions_and_daemons_end_with_their_tree() {
        check("plain", "sleep 1000 & echo $!; echo $$; wait", 2, LONG);
        check("session", "setsid sh -c 'echo $$; exec sleep 1000' & echo $$; wait", 2, LONG);
        check("nohup", "nohup setsid sh -c 'echo $$; exec sleep 1000' & echo $$; wait", 2, LONG);
        // Its parents have ended: it belongs to nobody but by its mark.
        check(
            "daemon",
            "(setsid sh -c '(sh -c \"echo \\$\\$; exec sleep 1000\") &') & echo $$; exec sleep 1000",
            2,
            LONG,
        );
    }

    #[test]
    fn what_does_not_want_to_end_is_ended() {
        check(
            "deaf",
            "trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$; sleep 1000; sleep 1000' & echo $$; wait; wait",
            2,
            NONE,
        );
        check("stopped", "sh -c 'echo $$; kill -STOP $$; sleep 1000' & echo $$; wait", 2, NONE);
    }

    #[test]
    fn what_has_no_mark_is_found_below_what_has() {
        check("bare", "env -i /bin/sh -c 'echo $$; exec sleep 1000' & echo $$; wait", 2, LONG);
        check(
            "bare session",
            "env -i setsid /bin/sh -c '/bin/sh -c \"echo \\$\\$; exec sleep 1000\" & echo $$; wait' & echo $$; wait",
            3,
            LONG,
        );
    }

    #[test]
    fn what_is_still_starting_processes_is_ended() {
        let script = "n=0; while [ $n -lt 200 ]; do sleep 1000 & n=$((n + 1)); done; wait; wait";
        check("many", &format!("sh -c 'trap \"\" TERM; echo $$; {script}' & echo $$; wait"), 2, NONE);
    }

    #[test]
    fn nobody_else_is_touched() {
        let (mut other, pids) = start("other", "echo $$; exec sleep 1000", 1);
        check("own", "echo $$; exec sleep 1000", 1, LONG);
        assert!(is_alive(pids[0]));
        assert!(marked(NAME).contains(&(own("other"), other.id())));
        // Without a root too: what an earlier run of the program left is found by its mark alone.
        assert_eq!(end_tree(&Mark { name: NAME.into(), value: own("other") }, None, LONG), 0);
        assert!(!other.wait().expect("it ended").success());
        let nothing = Mark { name: NAME.into(), value: own("nothing") };
        assert_eq!(end_tree(&nothing, None, LONG), 0);
    }
}
