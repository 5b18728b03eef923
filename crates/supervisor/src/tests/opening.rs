//! What the programs of a command line may need.

use crate::opening::{GIT_LOGIN, Need, SIGNING, SSH, access_of, needs};

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
