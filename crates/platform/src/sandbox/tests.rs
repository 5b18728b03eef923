//! Shells in a sandbox that try to get out of it.

use super::{Sandbox, available};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const SECRET: &str = "the-key-itself";

/// A home with a key, a login in one file, and the program's own data, in which a session has a folder.
struct Home {
    dir: TempDir,
}

impl Home {
    fn new() -> Home {
        assert_eq!(available(), Ok(()));
        let home = Home { dir: TempDir::new().unwrap() };
        for folder in [".ssh", "data/sessions/one", "data/sessions/other", "project", ".config"] {
            fs::create_dir_all(home.at(folder)).unwrap();
        }
        for file in [".ssh/id", ".netrc", "data/cli-token", "data/sessions/other/id"] {
            fs::write(home.at(file), SECRET).unwrap();
        }
        fs::write(home.at("project/readme"), "plain").unwrap();
        fs::write(home.at("data/sessions/one/hello"), "plain").unwrap();
        home
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    fn sandbox(&self) -> Sandbox {
        let denied = ["data", ".ssh", ".netrc", ".aws", ".config/gh"].map(|path| self.at(path)).to_vec();
        Sandbox { denied, open: vec![self.at("data/sessions/one")], cwd: self.at("project") }
    }

    fn run_behind(&self, sandbox: &Sandbox, line: &str) -> Output {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(&sandbox.cwd).env("HOME", self.dir.path()).stdin(Stdio::null());
        command.env("OUTSIDE", std::process::id().to_string());
        sandbox.apply(&mut command).unwrap();
        command.output().unwrap()
    }

    fn run(&self, line: &str) -> String {
        let ended = self.run_behind(&self.sandbox(), line);
        format!("{}{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr))
    }
}

#[test]
fn what_is_denied_is_read_by_no_shell_however_it_is_named_and_the_rest_is_there() {
    let home = Home::new();
    std::os::unix::fs::symlink(home.at(".ssh"), home.at("project/link")).unwrap();
    for line in [
        "cat $HOME/.ssh/id",
        "cat $(echo $HOME/.s)sh/i?",
        "eval $(printf '\\143\\141\\164') ~/.netrc",
        "cat link/id",
        "cd .. && cat .s*/id",
        "setsid sh -c '(cat ../.ssh/id; cat ../data/cli-token) 2>&1' | cat",
        "cat ../data/sessions/other/id ../data/sessions/one/../../cli-token",
        "find .. -type f -exec cat {} +",
        "cp -r .. /dev/stdout; tar c .. | cat",
    ] {
        let told = home.run(line);
        assert!(!told.contains(SECRET), "{line}: {told}");
    }
    assert!(home.run("ls ~/.ssh").contains("denied"), "who is run by root is told no as well");
    assert_eq!(home.run("cat ~/.netrc"), "", "what many programs read by themselves is no fault of theirs");
    assert_eq!(home.run("cat readme ../data/sessions/one/hello"), "plainplain");
}

#[test]
fn what_is_denied_is_changed_by_no_shell_and_what_is_open_is() {
    let home = Home::new();
    home.run(
        "echo x > ../.ssh/authorized_keys; echo x > ../data/cli-token; echo x > ../data/new; echo x > ../.netrc; \
         rm -rf ../.ssh ../data/cli-token ../.netrc; mv ../.ssh ../away; mv ../.netrc ../away; ln ../.netrc ../twice; \
         echo new > made; echo new > ../data/sessions/one/made; echo new > ../.config/made",
    );
    for file in [".ssh/id", ".netrc", "data/cli-token"] {
        assert_eq!(fs::read_to_string(home.at(file)).unwrap(), SECRET, "{file}");
    }
    for file in [".ssh/authorized_keys", "data/new", "away", "twice"] {
        assert!(!home.at(file).exists(), "{file}");
    }
    for file in ["project/made", "data/sessions/one/made", ".config/made"] {
        assert_eq!(fs::read_to_string(home.at(file)).unwrap(), "new\n", "{file}");
    }
}

#[test]
fn the_sandbox_cannot_be_left_from_within() {
    let home = Home::new();
    let show = "cat ~/.ssh/id ~/data/cli-token ~/.netrc";
    for line in [
        format!("umount ~/.ssh; umount -l ~/.ssh; umount -l ~/data; umount ~/.netrc; {show}"),
        format!("unshare -Urm sh -c 'umount -l ~/.ssh; umount -l ~/data; umount -l ~/.netrc; {show}'"),
        "unshare -Urm sh -c 'mkdir -p /tmp/m.$$; mount --bind ~ /tmp/m.$$; cat /tmp/m.$$/.ssh/id; rmdir /tmp/m.$$'"
            .to_owned(),
        format!(
            "nsenter -t $OUTSIDE -m sh -c '{show}'; nsenter -t $OUTSIDE -U -m sh -c '{show}'; nsenter -t 1 -m {show}"
        ),
        "cat /proc/$OUTSIDE/root$HOME/.ssh/id /proc/1/root$HOME/.ssh/id /proc/$OUTSIDE/cwd/$HOME/.ssh/id".to_owned(),
        "for fd in /proc/self/fd/*; do cat $fd/.ssh/id $fd/../.ssh/id; done".to_owned(),
        "chmod -R 777 ~/.ssh; cat ~/.ssh/id; mount -o remount,rw ~/.ssh; cat ~/.ssh/id".to_owned(),
    ] {
        let told = home.run(&line);
        assert!(!told.contains(SECRET), "{line}: {told}");
    }
    // What other processes of the user hold is theirs.
    let told = home.run("tr '\\0' '\\n' < /proc/$OUTSIDE/environ");
    assert!(!told.contains("PATH="), "{told}");
}

#[test]
fn no_signal_reaches_a_process_outside() {
    let home = Home::new();
    assert!(super::refuses_signals(), "this test needs Linux 6.12 or later");
    let mut outside = Command::new("sleep").arg("600").process_group(0).spawn().unwrap();
    let pid = outside.id();
    for line in [
        format!("kill -9 {pid}; kill -TERM {pid}; kill -9 -- -{pid}; kill -0 {pid} && echo reached"),
        format!(
            "setsid sh -c 'kill -9 {pid}'; unshare -Urp --fork sh -c 'kill -9 {pid}'; kill -0 {pid} && echo reached"
        ),
    ] {
        let told = home.run(&line);
        assert!(told.contains("not permitted") && !told.contains("reached"), "{told}");
    }
    assert_eq!(outside.try_wait().unwrap(), None, "it still runs");
    outside.kill().unwrap();
    outside.wait().unwrap();
    let told = home.run("sleep 600 & kill $!; wait $!; echo ended with $?");
    assert!(told.contains("ended with 143"), "what it started itself it may end: {told}");
}

#[test]
fn sandboxes_of_agents_work_behind_it() {
    let home = Home::new();
    let told = home.run("unshare -Urm sh -c 'mount -t tmpfs none /tmp && cat readme && ! cat ~/.ssh/id'");
    assert!(told.starts_with("plain"), "{told}");
}

#[test]
fn a_project_below_what_is_denied_is_open_without_its_neighbors() {
    let home = Home::new();
    let sandbox = Sandbox { cwd: home.at("data/sessions/other"), ..home.sandbox() };
    fs::create_dir(home.at("data/sessions/other/sub")).unwrap();
    let told = home.run_behind(&sandbox, "cat id; ls ..; cd ..; cat ../cli-token; echo new > /dev/stderr");
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains(SECRET) && told.matches(SECRET).count() == 1, "{told}");
}

#[test]
fn what_makes_no_sense_is_refused_and_nothing_is_started() {
    let home = Home::new();
    let mut command = Command::new("true");
    let in_a_denied_one = Sandbox { cwd: home.at(".ssh"), ..home.sandbox() };
    // Of the denied folders one can have open ones below it.
    let told = in_a_denied_one.apply(&mut command).expect_err("two of them have").to_string();
    assert!(told.contains("is hidden from the session"), "{told}");
    let files = Sandbox { denied: vec![home.at(".netrc")], ..home.sandbox() };
    assert!(files.apply(&mut command).is_err());
    let nothing = Sandbox { denied: vec![home.at("nowhere")], ..home.sandbox() };
    assert!(nothing.apply(&mut command).is_ok());
}
