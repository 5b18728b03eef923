//! Windows: Job Objects for the processes of sessions, and requests to the system for this program itself.
//!
//! Each session's processes are in a job of their own, within one job for all sessions. A process joins both before it
//! runs, so that none it starts can be outside.
#![allow(unsafe_code)]

use super::{CpuCap, CpuTimes, Hold, Machine, Priority, Share, Trees};
use process_wrap::tokio::{CommandWrap, CommandWrapper};
use std::ffi::c_void;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::sync::OnceLock;
use windows::Win32::Foundation::{FILETIME, HANDLE};
use windows::Win32::System::JobObjects as jobs;
use windows::Win32::System::Memory as memory;
use windows::Win32::System::Power as power;
use windows::Win32::System::ProcessStatus::K32EmptyWorkingSet;
use windows::Win32::System::SystemInformation as system;
use windows::Win32::System::Threading as threads;
use windows::core::{PCWSTR, PWSTR};

windows::core::link!("ntdll.dll" "system" fn NtSetInformationProcess(process: HANDLE, class: i32, value: *const c_void, length: u32) -> i32);

/// The class of a process's disk priority.
const PROCESS_IO_PRIORITY: i32 = 33;
/// Disk priorities.
const IO_LOW: u32 = 1;
const IO_NORMAL: u32 = 2;
/// Processes of a job that are listed; more keep what they inherited.
const LISTED_MAX: usize = 4096;
/// Beyond what is locked, what the program itself needs in its working set.
const OWN_WORKING_SET: usize = 64 << 20;

/// A Job Object.
struct Job(OwnedHandle);

impl Job {
    fn new() -> io::Result<Job> {
        // SAFETY: no attributes and no name; the handle is owned from here on.
        let handle = unsafe { jobs::CreateJobObjectW(None, PCWSTR::null()) }?;
        Ok(Job(unsafe { OwnedHandle::from_raw_handle(handle.0) }))
    }

    fn handle(&self) -> HANDLE {
        HANDLE(self.0.as_raw_handle())
    }

    fn assign(&self, process: HANDLE) -> io::Result<()> {
        // SAFETY: both handles are open.
        Ok(unsafe { jobs::AssignProcessToJobObject(self.handle(), process) }?)
    }

    fn set<T>(&self, class: jobs::JOBOBJECTINFOCLASS, value: &T) -> io::Result<()> {
        // SAFETY: `class` is the class of `T` at each call below.
        Ok(unsafe {
            jobs::SetInformationJobObject(self.handle(), class, std::ptr::from_ref(value).cast(), size::<T>())
        }?)
    }

    /// The numbers of its processes.
    fn processes(&self) -> Vec<u32> {
        #[repr(C)]
        struct List {
            head: [u32; 2],
            pids: [usize; LISTED_MAX],
        }
        let mut list = Box::new(List { head: [0; 2], pids: [0; LISTED_MAX] });
        // SAFETY: the list has the layout of JOBOBJECT_BASIC_PROCESS_ID_LIST, with room for more numbers.
        let asked = unsafe {
            let place = std::ptr::from_mut(&mut *list).cast();
            jobs::QueryInformationJobObject(
                Some(self.handle()),
                jobs::JobObjectBasicProcessIdList,
                place,
                size::<List>(),
                None,
            )
        };
        let listed = if asked.is_ok() { list.head[1] as usize } else { 0 };
        list.pids.iter().take(listed).filter_map(|pid| u32::try_from(*pid).ok()).collect()
    }

    /// Does something to each of its processes that can still be opened.
    fn each(&self, act: impl Fn(HANDLE) -> io::Result<()>) -> io::Result<()> {
        let access = threads::PROCESS_SET_INFORMATION | threads::PROCESS_SET_QUOTA | threads::PROCESS_QUERY_INFORMATION;
        let mut outcome = Ok(());
        for pid in self.processes() {
            // SAFETY: the handle is owned from here on. One that has ended meanwhile can't be opened.
            let Ok(handle) = (unsafe { threads::OpenProcess(access, false, pid) }) else { continue };
            let process = unsafe { OwnedHandle::from_raw_handle(handle.0) };
            outcome = outcome.and(act(HANDLE(process.as_raw_handle())));
        }
        outcome
    }
}

fn size<T>() -> u32 {
    u32::try_from(std::mem::size_of::<T>()).unwrap_or(u32::MAX)
}

/// The job of all sessions.
#[derive(Default)]
pub(super) struct AllSessions(OnceLock<Option<Job>>);

impl AllSessions {
    fn job(&self) -> Option<&Job> {
        let create = || Job::new().inspect_err(|error| tracing::warn!(%error, "sessions can't be limited")).ok();
        self.0.get_or_init(create).as_ref()
    }

    pub(super) fn set_cap(&self, cap: Option<CpuCap>) -> io::Result<()> {
        let Some(job) = self.job() else { return Err(io::Error::other("the system has no job for sessions")) };
        job.set(jobs::JobObjectCpuRateControlInformation, &rate(cap))?;
        // The cap comes with a low priority, so that other programs go first.
        let mut limits = jobs::JOBOBJECT_BASIC_LIMIT_INFORMATION::default();
        if cap.is_some() {
            limits.LimitFlags = jobs::JOB_OBJECT_LIMIT_PRIORITY_CLASS;
            limits.PriorityClass = threads::BELOW_NORMAL_PRIORITY_CLASS.0;
        }
        job.set(jobs::JobObjectBasicLimitInformation, &limits)
    }
}

/// A cap as the system takes it: cycles of 10,000.
fn rate(cap: Option<CpuCap>) -> jobs::JOBOBJECT_CPU_RATE_CONTROL_INFORMATION {
    let mut rate = jobs::JOBOBJECT_CPU_RATE_CONTROL_INFORMATION::default();
    if let Some(cap) = cap {
        rate.ControlFlags = jobs::JOB_OBJECT_CPU_RATE_CONTROL_ENABLE;
        if cap.is_hard {
            rate.ControlFlags |= jobs::JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP;
        }
        rate.Anonymous.CpuRate = u32::from(cap.percent) * 100;
    }
    rate
}

fn class(priority: Priority) -> threads::PROCESS_CREATION_FLAGS {
    match priority {
        Priority::BelowNormal => threads::BELOW_NORMAL_PRIORITY_CLASS,
        Priority::Normal => threads::NORMAL_PRIORITY_CLASS,
        Priority::AboveNormal => threads::ABOVE_NORMAL_PRIORITY_CLASS,
    }
}

fn priority(share: &Share) -> Priority {
    if share.is_set_back { Priority::BelowNormal } else { share.priority }
}

/// The limits of a session's job.
fn limits(share: &Share) -> jobs::JOBOBJECT_BASIC_LIMIT_INFORMATION {
    let mut limits = jobs::JOBOBJECT_BASIC_LIMIT_INFORMATION::default();
    let priority = priority(share);
    if priority != Priority::Normal {
        limits.LimitFlags |= jobs::JOB_OBJECT_LIMIT_PRIORITY_CLASS;
        limits.PriorityClass = class(priority).0;
    }
    if let Some(most) = share.processes_max {
        limits.LimitFlags |= jobs::JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
        limits.ActiveProcessLimit = most;
    }
    if let Some(cores) = share.cores {
        limits.LimitFlags |= jobs::JOB_OBJECT_LIMIT_AFFINITY;
        limits.Affinity = cores as usize;
    }
    limits
}

/// The process tree of a session.
pub(super) struct Tree {
    pid: u32,
    job: Job,
}

impl Tree {
    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    pub(super) fn set_share(&self, share: &Share) -> io::Result<()> {
        self.job.set(jobs::JobObjectBasicLimitInformation, &limits(share))?;
        let memory = if share.low_memory_priority {
            threads::MEMORY_PRIORITY_BELOW_NORMAL
        } else {
            threads::MEMORY_PRIORITY_NORMAL
        };
        let memory = threads::MEMORY_PRIORITY_INFORMATION { MemoryPriority: memory };
        let disk: u32 = if share.low_disk_priority { IO_LOW } else { IO_NORMAL };
        self.job.each(|process| {
            // A job that no longer sets a priority leaves its processes with the last one.
            // SAFETY: the process is open, and each value has the type of its class.
            unsafe {
                if priority(share) == Priority::Normal {
                    threads::SetPriorityClass(process, class(Priority::Normal))?;
                }
                if share.cores.is_none() {
                    let (mut own, mut all) = (0, 0);
                    threads::GetProcessAffinityMask(process, &mut own, &mut all)?;
                    threads::SetProcessAffinityMask(process, all)?;
                }
                let place = std::ptr::from_ref(&memory).cast();
                let length = size::<threads::MEMORY_PRIORITY_INFORMATION>();
                threads::SetProcessInformation(process, threads::ProcessMemoryPriority, place, length)?;
                let status = NtSetInformationProcess(process, PROCESS_IO_PRIORITY, std::ptr::from_ref(&disk).cast(), 4);
                if status < 0 {
                    return Err(io::Error::other(format!("the disk priority can't be set: {status:#x}")));
                }
            }
            Ok(())
        })
    }

    pub(super) fn trim_memory(&self) -> io::Result<()> {
        // SAFETY: the process is open.
        self.job.each(|process| Ok(unsafe { K32EmptyWorkingSet(process) }.ok()?))
    }
}

/// Has a process join its session's job before it runs. Comes before the wrapper that starts it.
#[derive(Clone)]
pub(super) struct JoinJob {
    pub(super) trees: Trees,
    pub(super) session: String,
}

impl std::fmt::Debug for JoinJob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("JoinJob").field(&self.session).finish()
    }
}

impl CommandWrapper for JoinJob {
    fn post_spawn(
        &mut self,
        _: &mut tokio::process::Command,
        child: &mut tokio::process::Child,
        _: &CommandWrap,
    ) -> io::Result<()> {
        let (Some(pid), Some(handle)) = (child.id(), child.raw_handle()) else { return Ok(()) };
        let join = || -> io::Result<Job> {
            if let Some(all) = self.trees.all.job() {
                all.assign(HANDLE(handle))?;
            }
            let job = Job::new()?;
            job.assign(HANDLE(handle))?;
            Ok(job)
        };
        // A session without limits is better than none.
        match join() {
            Ok(job) => drop(self.trees.lock().insert(self.session.clone(), Tree { pid, job })),
            Err(error) => tracing::warn!(%error, session = self.session, "the session's processes can't be limited"),
        }
        Ok(())
    }
}

pub(super) fn machine() -> Machine {
    let mut status = system::MEMORYSTATUSEX { dwLength: size::<system::MEMORYSTATUSEX>(), ..Default::default() };
    // SAFETY: its length is set.
    let has_memory = unsafe { system::GlobalMemoryStatusEx(&mut status) }.is_ok();
    let cores = cores();
    let best = cores.iter().map(|(class, _)| *class).max().unwrap_or_default();
    let of = |is_best: bool| {
        let masks = cores.iter().filter(|(class, _)| (*class == best) == is_best);
        masks.fold(0, |all, (_, mask)| all | mask)
    };
    Machine {
        memory_bytes: if has_memory { status.ullTotalPhys } else { 0 },
        performance_cores: of(true),
        efficiency_cores: of(false),
    }
}

/// The efficiency class and the mask of each core of the first processor group, which is where limits reach.
fn cores() -> Vec<(u8, u64)> {
    let mut length = 0;
    // SAFETY: the first call only asks for the length; the second has that much room, and what it wrote is read below.
    unsafe {
        let _ = system::GetLogicalProcessorInformationEx(system::RelationProcessorCore, None, &mut length);
        let mut room = vec![0_u64; (length as usize).div_ceil(8)];
        let place = room.as_mut_ptr().cast::<system::SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX>();
        if system::GetLogicalProcessorInformationEx(system::RelationProcessorCore, Some(place), &mut length).is_err() {
            return Vec::new();
        }
        let mut cores = Vec::new();
        let mut at = 0;
        while at < length as usize {
            let one = &*place.byte_add(at);
            let core = one.Anonymous.Processor;
            if core.GroupMask[0].Group == 0 {
                cores.push((core.EfficiencyClass, core.GroupMask[0].Mask as u64));
            }
            at += (one.Size as usize).max(1);
        }
        cores
    }
}

pub(super) fn cpu_times() -> Option<CpuTimes> {
    let (mut idle, mut kernel, mut user) = (FILETIME::default(), FILETIME::default(), FILETIME::default());
    // SAFETY: three places for times.
    unsafe { threads::GetSystemTimes(Some(&mut idle), Some(&mut kernel), Some(&mut user)) }.ok()?;
    let ticks = |time: FILETIME| u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
    // The kernel's time includes idling.
    let total = ticks(kernel) + ticks(user);
    Some(CpuTimes { busy: total - ticks(idle), total })
}

pub(crate) fn memory_used_percent() -> Option<f64> {
    let mut status = system::MEMORYSTATUSEX { dwLength: size::<system::MEMORYSTATUSEX>(), ..Default::default() };
    // SAFETY: its length is set.
    unsafe { system::GlobalMemoryStatusEx(&mut status) }.ok()?;
    let (total, free) = (status.ullTotalPhys as f64, status.ullAvailPhys as f64);
    (total > 0.0).then(|| 100.0 * (1.0 - free / total))
}

pub(super) fn set_own_priority(priority: Priority) -> io::Result<()> {
    // SAFETY: the handle of the own process is always valid.
    Ok(unsafe { threads::SetPriorityClass(threads::GetCurrentProcess(), class(priority)) }?)
}

/// A file's beginning, mapped and locked.
struct Resident {
    view: memory::MEMORY_MAPPED_VIEW_ADDRESS,
    bytes: usize,
}

// SAFETY: nothing is read or written through the view; it's only unlocked and unmapped, from any thread.
unsafe impl Send for Resident {}
unsafe impl Sync for Resident {}

impl Drop for Resident {
    fn drop(&mut self) {
        // SAFETY: the view is mapped until here.
        unsafe {
            let _ = memory::VirtualUnlock(self.view.Value, self.bytes);
            let _ = memory::UnmapViewOfFile(self.view);
        }
    }
}

pub(super) fn keep_resident(file: &Path, bytes_max: u64) -> io::Result<Hold> {
    let file = std::fs::File::open(file)?;
    let bytes = usize::try_from(file.metadata()?.len().min(bytes_max)).map_err(io::Error::other)?;
    if bytes == 0 {
        return Err(io::Error::other("the file is empty"));
    }
    // SAFETY: the file is open; the mapping is owned here, and the view keeps it after it's closed.
    unsafe {
        let handle = HANDLE(file.as_raw_handle());
        let mapping = memory::CreateFileMappingW(handle, None, memory::PAGE_READONLY, 0, 0, PCWSTR::null())?;
        let mapping = OwnedHandle::from_raw_handle(mapping.0);
        let view = memory::MapViewOfFile(HANDLE(mapping.as_raw_handle()), memory::FILE_MAP_READ, 0, 0, bytes);
        if view.Value.is_null() {
            return Err(io::Error::last_os_error());
        }
        let resident = Resident { view, bytes };
        // Only as much can be locked as the working set may grow to.
        threads::SetProcessWorkingSetSize(
            threads::GetCurrentProcess(),
            bytes + OWN_WORKING_SET,
            bytes + 4 * OWN_WORKING_SET,
        )?;
        memory::VirtualLock(view.Value, bytes)?;
        Ok(Box::new(resident))
    }
}

/// A request that the machine stays awake; closing it ends it.
pub(super) fn keep_awake(why: &str) -> io::Result<Hold> {
    let mut why: Vec<u16> = why.encode_utf16().chain([0]).collect();
    let mut context = threads::REASON_CONTEXT {
        Version: 0,
        Flags: threads::POWER_REQUEST_CONTEXT_SIMPLE_STRING,
        ..Default::default()
    };
    context.Reason.SimpleReasonString = PWSTR(why.as_mut_ptr());
    // SAFETY: the text lives until the system has copied it; the handle is owned from here on.
    unsafe {
        let request = OwnedHandle::from_raw_handle(power::PowerCreateRequest(&context)?.0);
        power::PowerSetRequest(HANDLE(request.as_raw_handle()), power::PowerRequestSystemRequired)?;
        Ok(Box::new(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_is_soft_unless_it_is_strict() {
        let soft = rate(Some(CpuCap { percent: 60, is_hard: false }));
        // SAFETY: a rate was written.
        assert_eq!((soft.ControlFlags.0, unsafe { soft.Anonymous.CpuRate }), (1, 6000));
        let hard = rate(Some(CpuCap { percent: 25, is_hard: true }));
        assert_eq!((hard.ControlFlags.0, unsafe { hard.Anonymous.CpuRate }), (5, 2500));
        assert_eq!(rate(None).ControlFlags.0, 0);
    }

    #[test]
    fn a_share_becomes_the_limits_of_a_job() {
        let share = Share {
            priority: Priority::BelowNormal,
            processes_max: Some(512),
            cores: Some(0b1100),
            ..Share::default()
        };
        let limits = limits(&share);
        let all = jobs::JOB_OBJECT_LIMIT_PRIORITY_CLASS
            | jobs::JOB_OBJECT_LIMIT_ACTIVE_PROCESS
            | jobs::JOB_OBJECT_LIMIT_AFFINITY;
        assert_eq!((limits.LimitFlags, limits.ActiveProcessLimit, limits.Affinity), (all, 512, 0b1100));
        assert_eq!(super::limits(&Share::default()).LimitFlags.0, 0);
    }

    /// Starts a program in its job, changes what it may use, and reads the priority from the system.
    #[tokio::test]
    async fn a_session_runs_in_its_job_with_its_share() {
        let trees = Trees::default();
        let mut command = CommandWrap::with_new("cmd", |command| {
            command.args(["/C", "ping -n 60 127.0.0.1 >NUL"]).stdin(std::process::Stdio::null());
        });
        command.wrap(process_wrap::tokio::KillOnDrop);
        trees.prepare(&mut command, "s1");
        command.wrap(process_wrap::tokio::JobObject);
        let child = command.spawn().expect("it starts");
        let pid = child.id().expect("a process");
        let running = trees.started("s1", pid);
        assert_eq!(trees.sessions(), ["s1"]);
        let here = super::super::Here(trees.clone());
        let share = Share { priority: Priority::BelowNormal, ..Share::default() };
        use super::super::Resources;
        here.set_share("s1", &share).expect("a share");
        let priority = |pid| {
            // SAFETY: the handle is closed with its owner.
            unsafe {
                let handle = threads::OpenProcess(threads::PROCESS_QUERY_INFORMATION, false, pid).expect("it runs");
                let process = OwnedHandle::from_raw_handle(handle.0);
                threads::GetPriorityClass(HANDLE(process.as_raw_handle()))
            }
        };
        assert_eq!(priority(pid), threads::BELOW_NORMAL_PRIORITY_CLASS.0);
        assert!(trees.lock()["s1"].job.processes().contains(&pid));
        here.set_share("s1", &Share::default()).expect("a share");
        assert_eq!(priority(pid), threads::NORMAL_PRIORITY_CLASS.0);
        drop(running);
        assert!(trees.sessions().is_empty());
    }

    #[test]
    fn the_machine_tells_what_it_has() {
        let machine = machine();
        assert!(machine.memory_bytes > 0 && machine.performance_cores != 0, "{machine:?}");
        assert!(memory_used_percent().is_some_and(|used| (0.0..=100.0).contains(&used)));
        let times = cpu_times().expect("times");
        assert!(times.busy <= times.total);
    }
}
