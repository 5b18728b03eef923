//! What the programs of a command line may need.

use crate::opening::{GIT_LOGIN, Need, SIGNING, SSH, access_of, discreet, is_discreet, needs};

/// The needs of a line, as text.
fn words(line: &str) -> Vec<String> {
    let of_need = |need| match need {
        Need::Access(access) => access.words.to_owned(),
        Need::Remote(address) => format!("remote {}", address.unwrap_or_default()),
        Need::Signature => "signature".to_owned(),
    };
    needs(line).into_iter().map(of_need).collect()
}

#[test]
fn a_command_needs_what_its_programs_log_in_with() {
    for (line, expected) in [
        ("ls -la", vec![]),
        ("git status && git diff", vec![]),
        ("git push", vec!["remote "]),
        ("git -C sub -c a.b=c push -u origin main:main", vec!["remote "]),
        ("/usr/bin/git push git@example.org:o/r.git main", vec!["remote git@example.org:o/r.git"]),
        ("git commit -m \"git push\" && git push 2>&1 | tail -3", vec!["signature", "remote "]),
        ("git commit -m \"$(cat <<'E'\nFix it\nE\n)\"; git pull", vec!["signature", "remote "]),
        ("cd web && FOO=1 npm ci", vec!["npm registry login"]),
        ("gh pr create --fill", vec!["GitHub login", "remote "]),
        ("ssh host ls", vec!["SSH keys"]),
        ("echo git push", vec![]),
        ("pip install x; pip install y", vec!["Python package index login"]),
    ] {
        assert_eq!(words(line), expected, "{line}");
    }
}

#[test]
fn the_address_of_a_remote_tells_how_git_logs_in() {
    for (address, access) in [
        ("https://example.org/o/r.git", Some(&GIT_LOGIN)),
        ("ssh://git@example.org/o/r", Some(&SSH)),
        ("git@example.org:o/r", Some(&SSH)),
        ("example.org:o/r", Some(&SSH)),
        ("/srv/r.git", None),
        ("../r.git", None),
        ("file:///srv/r.git", None),
        ("main:main", None),
        ("+HEAD:refs/heads/x.y", None),
    ] {
        assert_eq!(access_of(address), access, "{address}");
    }
    assert!(SIGNING.is_in_services);
}

#[test]
fn external_engines_log_in_with_named_commands_that_show_nothing() {
    let admits = |line: &str| {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        is_discreet(&words[0], &words[1..])
    };
    for line in [
        "git push -u origin main",
        "git pull --rebase",
        "git clone git@example.org:o/r",
        "gh pr create --fill --title x",
        "gh run view 7",
        "npm ci",
        "npm install left-pad",
    ] {
        assert!(admits(line), "{line}");
    }
    for line in [
        "git",
        "git commit -m x",
        "git -c core.sshCommand=./x push",
        "git clone --upload-pack=./x r",
        "git clone -u./x r",
        "git fetch -u ./x",
        "git clone ext::sh",
        "git clone --template=/x r",
        "gh auth token",
        "gh api /user",
        "gh pr create --body-file x",
        "gh pr create -Fx",
        "gh alias set x y",
        "npm run build",
        "npm config get x",
        "npm ci --userconfig x",
        "npm ci --ignore-scripts=false",
        "ssh host",
        "cat x",
    ] {
        assert!(!admits(line), "{line}");
    }
    let found = discreet("cd x && git push origin \"a b\" 2>&1 | tail -1; npm run x; gh pr list 2>/dev/null; true");
    let words: Vec<String> = found.into_iter().map(|(program, args)| format!("{program} {}", args.join("|"))).collect();
    assert_eq!(words, ["git push|origin|a b", "gh pr|list"]);
}
