//! Which find commands are batched, and how; and the same with the system's own find and grep.

use crate::find::batched;
use proptest::prelude::*;

/// How a batched command begins after `-exec `.
const SH: &str = r#"sh -c '"$@"; :' sh"#;

#[test]
fn commands_that_print_the_same_are_batched() {
    for (line, expected) in [
        (r"find D -exec grep -l x {} \;", "find D -exec @ grep -l x {} +"),
        (
            r"find . -type f -name '*.rs' -exec grep -l 'a b' {} ';'",
            "find . -type f -name '*.rs' -exec @ grep -l 'a b' {} +",
        ),
        (r#"find . -exec grep -L "x$" '{}' ";""#, r#"find . -exec @ grep -L "x$" '{}' +"#),
        (r"find . -exec grep x {} \;", "find . -exec @ grep -h x {} +"),
        (r"find . -exec grep -n x {} \;", "find . -exec @ grep -h -n x {} +"),
        (r"find . -exec grep -c x {} \;", "find . -exec @ grep -h -c x {} +"),
        (r"find . -exec grep -Hn x {} \;", "find . -exec @ grep -Hn x {} +"),
        (r"find . -exec grep -hin -m 3 x {} \;", "find . -exec @ grep -hin -m 3 x {} +"),
        (r"find . -exec grep -e x -ey -m2 {} \;", "find . -exec @ grep -h -e x -ey -m2 {} +"),
        (r"find . -exec grep -l -- -x {} \;", "find . -exec @ grep -l -- -x {} +"),
        (
            r"find . -exec /usr/bin/grep --files-with-matches --regexp=x {} \;",
            "find . -exec @ /usr/bin/grep --files-with-matches --regexp=x {} +",
        ),
        (r"find src lib -exec cat {} \;", "find src lib -exec @ cat {} +"),
        (r"find ~/x -maxdepth 2 -exec sha256sum {} \;", "find ~/x -maxdepth 2 -exec @ sha256sum {} +"),
        (r"find -L . -exec stat -c '%s %n' {} \;", "find -L . -exec @ stat -c '%s %n' {} +"),
        (
            r"find . ! -name a \( -name b -o -size +1k \) -exec cat {} \;",
            r"find . ! -name a \( -name b -o -size +1k \) -exec @ cat {} +",
        ),
        (
            r"find . -path ./node_modules -prune -o -type f -exec grep -l x {} \;",
            "find . -path ./node_modules -prune -o -type f -exec @ grep -l x {} +",
        ),
        (r"find . -exec grep -l x {} \; 2>/dev/null", "find . -exec @ grep -l x {} + 2>/dev/null"),
        (r"cd a && find . -exec grep -l x {} \; || true", "cd a && find . -exec @ grep -l x {} + || true"),
        (
            "find a -exec cat {} \\;\n/usr/bin/find b -exec cat {} \\; ;",
            "find a -exec @ cat {} +\n/usr/bin/find b -exec @ cat {} + ;",
        ),
        ("find . \\\n  -exec grep -l x {} \\;", "find . \\\n  -exec @ grep -l x {} +"),
    ] {
        assert_eq!(batched(line).as_deref(), Some(&*expected.replace('@', SH)), "{line}");
    }
}

#[test]
fn everything_else_stays_as_it_is() {
    for line in [
        "",
        "ls",
        "echo -exec",
        // Already batched, or other actions.
        "find . -exec grep -l x {} +",
        r"find . -execdir grep -l x {} \;",
        r"find . -ok grep -l x {} \;",
        r"find . -okdir cat {} \;",
        r"find . -print -exec cat {} \;",
        r"find . -exec cat {} \; -print",
        r"find . -exec grep -q x {} \; -print",
        r"find . -exec cat {} \; -exec cat {} \;",
        r"find . -exec cat {} \; -quit",
        r"find . -delete -exec cat {} \;",
        r"find . -fprint f -exec cat {} \;",
        r"find . \( -exec cat {} \; \)",
        r"find . ! -exec grep -l x {} \;",
        r"find . -not -exec grep -l x {} \;",
        r"find . \) -exec cat {} \;",
        r"find . -a -newfangled -exec cat {} \;",
        r"find . -atime +1 -exec cat {} \;",
        r"find -D exec . -exec cat {} \;",
        r"find . , -exec cat {} \;",
        // The file isn't last, or is more than one word.
        r"find . -exec cp {} /tmp \;",
        r"find . -exec grep x {} /dev/null \;",
        r"find . -exec grep -l x ./{} \;",
        r"find . -exec cat {} {} \;",
        r"find . -exec cat \;",
        r"find . -exec \;",
        "find . -exec cat {} ;",
        "find . -exec cat {}",
        "find . -exec",
        // Commands that depend on how many files they get, change something, or aren't known.
        r"find . -exec sh -c 'cat $1' sh {} \;",
        r"find . -exec bash -c 'cat {}' \;",
        r"find . -exec wc -l {} \;",
        r"find . -exec head -5 {} \;",
        r"find . -exec ls -l {} \;",
        r"find . -exec file {} \;",
        r"find . -exec echo {} \;",
        r"find . -exec rm {} \;",
        r"find . -exec sed -n 1p {} \;",
        r"find . -exec ./grep -l x {} \;",
        r"find . -exec gr\ep -l x {} \;",
        r"find . -exec cat -n {} \;",
        r"find . -exec sha256sum -c {} \;",
        r"find . -exec stat -c {} \;",
        r"find . -exec grep -r x {} \;",
        r"find . -exec grep -q x {} \;",
        r"find . -exec grep -A1 x {} \;",
        r"find . -exec grep -3 x {} \;",
        r"find . -exec grep -lc x {} \;",
        r"find . -exec grep -f p {} \;",
        r"find . -exec grep --unknown x {} \;",
        r"find . -exec grep x y {} \;",
        r"find . -exec grep -l {} \;",
        r"find . -exec grep x -r {} \;",
        r"find . -exec grep -e x -- y {} \;",
        r"find . -exec grep -e {} \;",
        // What a shell gives a meaning.
        r"find . -exec cat {} \; | head",
        r"find . -exec cat {} \; > all",
        r"find . -exec cat {} \; 2>&1",
        r"find . -exec cat {} \; 2>/dev/nullx",
        r"find . -exec cat {} \; &",
        r"find $D -exec cat {} \;",
        r#"find "$D" -exec cat {} \;"#,
        r#"find . -exec grep -l "$(x)" {} \;"#,
        r"find . -exec grep -l `x` {} \;",
        r"find . -name *.rs -exec cat {} \;",
        r"find {a,b} -exec cat {} \;",
        r"find =x -exec cat {} \;",
        r"find . -exec grep -l 'x {} \;",
        r#"find . -exec grep -l "x {} \;"#,
        r"(find . -exec cat {} \;)",
        r"for d in a b; do find d -exec cat {} \;; done",
        "find . -exec cat {} \\; # all",
        r"LC_ALL=C find . -exec cat {} \;",
        r"sudo find . -exec cat {} \;",
        r"alias cat=rm; find . -exec cat {} \;",
        r"xargs find . -exec cat {} \;",
        r"f ind . -exec cat {} \;",
        r"'find' . -exec cat {} \;",
    ] {
        assert_eq!(batched(line), None, "{line}");
    }
    let long = format!("find . -name '{}' -exec cat {{}} \\;", "x".repeat(20_000));
    assert_eq!(batched(&long), None);
}

proptest! {
    #[test]
    fn no_line_breaks_it_and_a_batched_one_stays_batched(line in r#"(find|cd|grep|-exec|-name|\{\}|[ '"\\;&|a-z$()\n\u{e9}-]|-l| ){0,24}"#) {
        if let Some(once) = batched(&line) {
            prop_assert_eq!(batched(&once), None);
        }
    }
}

#[cfg(unix)]
mod system {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::process::Command;

    const FILES: usize = 1_000;

    /// Folders with files of several kinds, and programs that count how often they run in place of grep and cat.
    fn tree(top: &Path) {
        for number in 0..FILES {
            let folder = top.join(format!("tree/folder {}/deep{}", number % 7, number % 3));
            std::fs::create_dir_all(&folder).unwrap();
            let text = match number % 5 {
                0 => format!("x {number}\nother\nx again"),
                1 => String::new(),
                2 => format!("nothing of {number}\n"),
                3 => format!("\0binary x {number}\n"),
                _ => format!("x\nx\n-- {number}\n"),
            };
            std::fs::write(folder.join(format!("-file '{number}'.txt")), text).unwrap();
        }
        std::fs::create_dir_all(top.join("bin")).unwrap();
        for name in ["grep", "cat", "sha256sum"] {
            let real =
                ["/usr/bin", "/bin"].iter().map(|folder| Path::new(folder).join(name)).find(|file| file.exists());
            let file = top.join("bin").join(name);
            let script = format!("#!/bin/sh\nprintf . >> \"$COUNT\"\nexec {} \"$@\"\n", real.unwrap().display());
            std::fs::write(&file, script).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// What a line prints, its status, and how many counted processes it starts.
    fn run(line: &str, top: &Path) -> (Vec<u8>, Option<i32>, usize) {
        let count = top.join("count");
        std::fs::write(&count, "").unwrap();
        let path = format!("{}:/usr/bin:/bin", top.join("bin").display());
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", line]).current_dir(top).env_clear().env("PATH", path).env("COUNT", &count);
        let done = shell.output().unwrap();
        (done.stdout, done.status.code(), std::fs::read(&count).unwrap().len())
    }

    #[test]
    fn over_a_thousand_files_the_output_and_the_status_are_the_same_with_few_processes() {
        let top = tempfile::TempDir::new().unwrap();
        tree(top.path());
        let part = r"tree/folder\ 1";
        for (line, processes_min) in [
            (r"find tree -exec grep -l x {} \;".to_owned(), FILES),
            (format!(r"find {part} -type f -exec grep -L x {{}} \; 2>/dev/null"), 100),
            (format!(r"find {part} -type f -exec grep -n -o x {{}} \;"), 100),
            (format!(r"find {part} -type f -exec grep -c x {{}} \;"), 100),
            (format!(r"find {part} -type f -exec grep -H -m1 x {{}} \;"), 100),
            (format!(r"find {part} -type f -exec grep -l nowhere {{}} \;"), 100),
            (format!(r"find {part} -type f -exec cat {{}} \;"), 100),
            (r"find tree -name '*77*' -exec sha256sum {} \;".to_owned(), 10),
            (r"find tree/deep missing -type f -exec grep -l x {} \; || echo failed".to_owned(), 0),
            (r"find tree -name none -exec grep -l x {} \; && echo done".to_owned(), 0),
        ] {
            let line = &*line;
            let batched = batched(line).unwrap_or_else(|| panic!("not batched: {line}"));
            let (each, all) = (run(line, top.path()), run(&batched, top.path()));
            assert!(each.0 == all.0, "{line} prints the same");
            assert_eq!(each.1, all.1, "{line} ends with the same status");
            assert!(each.2 >= processes_min, "{line}: {} processes", each.2);
            assert!(all.2 <= 5, "{batched}: {} processes", all.2);
        }
    }
}
