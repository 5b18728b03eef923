//! Starts an engine's process, and ends it with everything that it started.

use crate::acp::{Process, Streams};
use crate::port::{LaunchPlan, PlannedFile, SESSION_MARK};
use crate::world::Boxed;
use platform::process::{Mark, Root, end_tree, marked};
use platform::resources::Trees;
use process_wrap::tokio::{CommandWrap, KillOnDrop};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

/// Starts the process of a plan, in a session of its own, with the plan's environment alone, and behind the plan's wall.
/// `trees` knows it as long as it runs.
pub fn start(plan: &LaunchPlan, trees: &Trees) -> io::Result<Streams> {
    plan.files.iter().try_for_each(write)?;
    let mut sandboxed = Ok(());
    let mut command = CommandWrap::with_new(&plan.program, |command| {
        command.args(&plan.args).env_clear().envs(&plan.env).current_dir(&plan.cwd);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(sandbox) = &plan.sandbox {
            let is_denied = |path: &&PathBuf| sandbox.denied.iter().any(|denied| path.starts_with(denied));
            let open = sandbox.open.iter().filter(is_denied).try_for_each(std::fs::create_dir_all);
            sandboxed = open.and_then(|()| sandbox.apply(command.as_std_mut()));
        }
    });
    sandboxed.map_err(|error| io::Error::new(error.kind(), format!("couldn't set up its sandbox: {error}")))?;
    command.wrap(KillOnDrop);
    let session = plan.env.get(SESSION_MARK).cloned().unwrap_or_default();
    trees.prepare(&mut command, &session);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessSession);
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    let mut child = command.spawn().map_err(|error| not_started(plan, &error))?;
    let pid = child.id();
    let piped = (child.stdin().take(), child.stdout().take(), child.stderr().take());
    let (Some(output), Some(input), Some(errors)) = piped else {
        return Err(io::Error::other("the engine's process has no pipes"));
    };
    let root = pid.and_then(Root::new);
    let running = pid.map(|pid| trees.started(&session, pid));
    let mark = Mark { name: SESSION_MARK.into(), value: session };
    // The wrapper's own waiting is for its whole group, which may outlive the engine.
    #[cfg(unix)]
    let mut child = child.into_inner();
    let exited = async move {
        let status = child.wait().await;
        drop(running);
        status.ok()?.code()
    };
    let end = move |grace: Duration| -> Boxed<()> {
        let mark = mark.clone();
        Box::pin(async move {
            let _ = tokio::task::spawn_blocking(move || end_tree(&mark, root, grace)).await;
        })
    };
    #[cfg(unix)]
    let input = crate::pipe::Pipe::new(input)?;
    Ok(Streams {
        input: Box::new(input),
        output: Box::new(output),
        errors: Some(Box::new(errors)),
        process: Some(Process { exited: Box::pin(exited), end: Box::new(end) }),
    })
}

/// A command that runs for a session, beside its engine and outside its sandbox.
#[cfg(unix)]
pub struct SideCommand {
    /// The program's file, and its arguments.
    pub program: (PathBuf, Vec<String>),
    /// Its environment, all of it.
    pub env: crate::port::Env,
    /// The folder that it runs in.
    pub cwd: PathBuf,
    /// A sandbox of its own.
    pub sandbox: Option<crate::Sandbox>,
    /// Marks its processes. They also have the session's mark, if that is in `env`.
    pub mark: Mark,
    /// Its standard input, output, and error.
    pub files: [std::os::fd::OwnedFd; 3],
}

/// Starts a command.
#[cfg(unix)]
pub fn run(side: SideCommand) -> io::Result<Process> {
    use std::os::unix::process::ExitStatusExt;
    let SideCommand { program: (program, args), mut env, cwd, sandbox, mark, files: [input, output, errors] } = side;
    env.insert(mark.name.clone(), mark.value.clone());
    let mut sandboxed = Ok(());
    let mut command = CommandWrap::with_new(&program, |command| {
        command.args(&args).env_clear().envs(&env).current_dir(&cwd);
        command.stdin(Stdio::from(input)).stdout(Stdio::from(output)).stderr(Stdio::from(errors));
        if let Some(sandbox) = &sandbox {
            sandboxed = sandbox.apply(command.as_std_mut());
        }
    });
    sandboxed?;
    command.wrap(KillOnDrop);
    command.wrap(process_wrap::tokio::ProcessSession);
    let child = command.spawn()?;
    let root = child.id().and_then(Root::new);
    let mut child = child.into_inner();
    // As a shell tells the end by a signal.
    let exited = async move {
        let status = child.wait().await.ok()?;
        status.code().or_else(|| Some(128 + status.signal()?))
    };
    let end = move |grace: Duration| -> Boxed<()> {
        let mark = mark.clone();
        Box::pin(async move {
            let _ = tokio::task::spawn_blocking(move || end_tree(&mark, root, grace)).await;
        })
    };
    Ok(Process { exited: Box::pin(exited), end: Box::new(end) })
}

fn write(planned: &PlannedFile) -> io::Result<()> {
    let file = &planned.file;
    let told = |error: io::Error| io::Error::new(error.kind(), format!("couldn't write {}: {error}", file.display()));
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(told)?;
    }
    platform::write_private(file, planned.text.as_bytes()).map_err(told)?;
    if planned.is_program { platform::let_run(file).map_err(told) } else { Ok(()) }
}

/// A missing program and a missing folder are the same error to the system.
fn not_started(plan: &LaunchPlan, error: &io::Error) -> io::Error {
    let what = match plan.cwd.is_dir() {
        true => format!("couldn't start {}: {error}", plan.program.display()),
        false => format!("the session's folder {} doesn't exist", plan.cwd.display()),
    };
    io::Error::new(error.kind(), what)
}

/// The sessions of which processes are left, by our names of them. Another copy of the program marks its own in the same way: only
/// what a journal names as one's own may be ended.
pub fn left_behind() -> BTreeSet<String> {
    marked(SESSION_MARK).into_iter().map(|(session, _)| session).collect()
}

/// Ends what is left of a session, after the program itself was ended by force. Takes up to `grace`, and is not to be called where
/// others wait.
pub fn end_left_behind(session: &str, grace: Duration) -> usize {
    end_tree(&Mark { name: SESSION_MARK.into(), value: session.to_owned() }, None, grace)
}
