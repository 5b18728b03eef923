use crate::policy::{Level, Origin, PolicyContext, PolicyRules};
use crate::rules::{OfClaude, Pattern, covering, proposed};
use crate::sensitive::{Platform, Sensitive, SessionPaths};
use engines::{Tier, ToolKind, ToolUse};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

const RULES: PolicyRules = PolicyRules {
    agent_permission_level: Level::Guarded,
    own_level: None,
    auto_approve_config_files: false,
    auto_approve_plans: false,
};

fn sensitive() -> Sensitive {
    Sensitive::new(SessionPaths {
        platform: Platform::L,
        home: "/home/ada".into(),
        data_dir: "/home/ada/.local/share/pilothouse".into(),
        project: "/home/ada/shop".into(),
    })
}

fn context(sensitive: &Sensitive, origin: Origin) -> PolicyContext<'_> {
    static CONFIG: std::sync::LazyLock<[String; 1]> = std::sync::LazyLock::new(|| ["/home/ada/.claude".to_owned()]);
    let (cwd, own_tools) = ("/home/ada/shop", "mcp__pilothouse__");
    PolicyContext { tier: Tier::Primary, origin, cwd, own_tools, own_config: &*CONFIG, sensitive }
}

fn tool(kind: ToolKind, name: &str, paths: &[&str], input: Value) -> ToolUse {
    let paths = paths.iter().map(|path| (*path).to_owned()).collect();
    let name = Some(name.to_owned()).filter(|name| !name.is_empty());
    ToolUse { id: "t".into(), name, title: "the tool".into(), kind, command: None, paths, cwd: None, input }
}

fn run(command: &str) -> ToolUse {
    ToolUse { command: Some(command.into()), ..tool(ToolKind::Execute, "Bash", &[], Value::Null) }
}

fn prefix(words: &str) -> Pattern {
    Pattern::Prefix { words: words.into() }
}

/// Whether a single rule covers a use of a tool.
fn covers(pattern: &Pattern, tool: &ToolUse) -> bool {
    let sensitive = sensitive();
    let all = [pattern.clone()];
    covering(&all, |one| one, tool, &context(&sensitive, Origin::Person), &RULES).is_some()
}

#[test]
fn every_case_stands_in_the_golden_table() {
    let mut text = String::from(
        "What permission rules cover at level guarded, in a session in /home/ada/shop.\nWritten by the tests; look at each change of it.\n\nThe rule that \"Always allow\" makes of a request\n",
    );
    let sensitive = sensitive();
    let context = context(&sensitive, Origin::Person);
    let url = |url: &str| tool(ToolKind::Fetch, "WebFetch", &[], json!({"url": url}));
    let files = |kind, path: &str| tool(kind, "Edit", &[path], Value::Null);
    let mut row = |name: &str, tool: &ToolUse| {
        let rule = proposed(tool, &context, &RULES).map_or_else(|| "none".to_owned(), |rule| rule.words());
        writeln!(text, "{name:52}{rule}").expect("a text takes it");
    };
    for command in [
        "git commit -m x",
        "npm test",
        "npm run build",
        "cargo test -p kit",
        "make",
        "ls -la",
        "git -C /tmp commit",
        "npm run ./x",
        "rm -rf build",
        "bash build",
        "python3 run",
        "git commit -m x && git push",
        "git log | head",
        "git commit -m \"$(cat notes)\"",
        "git diff > out",
        "FOO=1 npm test",
        "cat ~/.ssh/config",
    ] {
        row(command, &run(command));
    }
    row("make, in /srv", &ToolUse { cwd: Some("/srv".into()), ..run("make") });
    row("fetching https://Docs.rs/serde", &url("https://Docs.rs/serde"));
    row("fetching https://docs.rs@evil.example", &url("https://docs.rs@evil.example"));
    row("fetching file:///home/ada/.netrc", &url("file:///home/ada/.netrc"));
    row("a search of the web", &tool(ToolKind::Fetch, "WebSearch", &[], json!({"query": "x"})));
    row("the tool mcp__tracker__list", &tool(ToolKind::Other, "mcp__tracker__list", &[], json!({})));
    row("a tool without a name", &tool(ToolKind::Other, "", &[], json!({})));
    row("a tool that names a file of another folder", &tool(ToolKind::Other, "X", &["/srv/x"], json!({})));
    row("changing /srv/site/a.css", &files(ToolKind::Edit, "/srv/site/a.css"));
    row("reading ../notes/a.md", &files(ToolKind::Read, "../notes/a.md"));
    row("reading /home/ada/notes/a.md", &files(ToolKind::Read, "/home/ada/notes/a.md"));
    row("reading /home/ada/a.md", &files(ToolKind::Read, "/home/ada/a.md"));
    row("reading ~/.ssh/id_rsa", &files(ToolKind::Read, "~/.ssh/id_rsa"));
    row("changing ~/.claude/settings.json", &files(ToolKind::Edit, "~/.claude/settings.json"));
    row("a plan", &tool(ToolKind::SwitchMode, "ExitPlanMode", &[], json!({})));

    text += "\nWhat the rule \"Commands that start with `git commit`\" covers\n";
    for command in [
        "git commit",
        "git commit -m 'a change'",
        " git  commit -a",
        "git commits",
        "git push",
        "git -c x=y commit",
        "git commit; rm -rf /",
        "git commit & make",
        "git commit && make",
        "git commit || make",
        "git commit | cat",
        "git commit\nmake",
        "git commit -m `make`",
        "git commit -m $(make)",
        "git commit -F <(make)",
        "git commit > out",
        "git commit {--amend,}",
        "git commit -m $'x'",
        "FOO=1 git commit",
        "\"git\" commit",
        "git commit -F ~/.ssh/id_rsa",
        "git commit -F .env",
    ] {
        let says = if covers(&prefix("git commit"), &run(command)) { "yes" } else { "no" };
        writeln!(text, "{:52}{says}", command.replace('\n', "\\n")).expect("a text takes it");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/rules.txt");
    if std::fs::read_to_string(&path).unwrap_or_default() != text {
        std::fs::write(&path, text).expect("the checkout can be written");
        panic!("golden/rules.txt did not match the rules; it is rewritten now: look at the change and commit it");
    }
}

#[test]
fn no_rule_counts_for_read_only_sessions_or_for_email() {
    let sensitive = sensitive();
    let all = [prefix("git commit")];
    let of = |origin, level| {
        let rules = PolicyRules { agent_permission_level: level, ..RULES };
        let (tool, context) = (run("git commit"), context(&sensitive, origin));
        let is_covered = covering(&all, |one| one, &tool, &context, &rules).is_some();
        assert_eq!(is_covered, proposed(&tool, &context, &rules).is_some());
        is_covered
    };
    assert!(of(Origin::Person, Level::Guarded) && of(Origin::Agent, Level::Guarded));
    assert!(!of(Origin::Person, Level::ReadOnly) && !of(Origin::Email, Level::Guarded));
}

#[test]
fn an_exact_command_is_covered_as_a_whole_alone() {
    let rule = Pattern::Command { command: "make && make install".into() };
    assert!(covers(&rule, &run("make && make install")));
    assert!(!covers(&rule, &run("make && make install; ls")) && !covers(&rule, &run("make")));
    let rule = Pattern::Command { command: "cat .env".into() };
    assert!(!covers(&rule, &run("cat .env")), "a sensitive file is asked for each time");
}

#[test]
fn files_are_covered_in_their_folder_and_in_one_way() {
    let rule = Pattern::Files { kind: ToolKind::Edit, folder: Some("/srv/site".into()) };
    let edit = |paths: &[&str]| tool(ToolKind::Edit, "Edit", paths, Value::Null);
    assert!(covers(&rule, &edit(&["/srv/site/b/c.css", "src/a.rs"])));
    for paths in [&["/srv/site2/c"][..], &["/srv/site/a", "/etc/x"], &["/srv/site/../x"], &[]] {
        assert!(!covers(&rule, &edit(paths)), "{paths:?}");
    }
    assert!(!covers(&rule, &tool(ToolKind::Delete, "", &["/srv/site/a"], Value::Null)));
    assert!(!covers(&rule, &edit(&["/srv/site/.env"])));
}

#[test]
fn the_settings_of_claude_are_read_and_what_is_not_understood_is_left_out() {
    let sensitive = sensitive();
    let context = context(&sensitive, Origin::Person);
    let of = |permissions: Value, tool: &ToolUse| {
        let settings = json!({"permissions": permissions}).to_string();
        OfClaude::read(&settings).allows(tool, &context, &RULES).is_some()
    };
    let allow = json!({"allow": [
        "Bash(git commit:*)", "Bash(npm test)", "Read", "WebFetch(domain:docs.rs)", "mcp__tracker__list", "Bash(make *)", "Bash", 3,
    ]});
    let other = |name: &str| tool(ToolKind::Other, name, &[], json!({}));
    let fetch = |url: &str| tool(ToolKind::Fetch, "WebFetch", &[], json!({"url": url}));
    for (tool, expected) in [
        (run("git commit -m x"), true),
        (run("git commit && make"), false),
        (run("npm test"), true),
        (run("npm test --all"), false),
        (run("make all"), false),
        (tool(ToolKind::Read, "Read", &["/srv/a"], Value::Null), true),
        (tool(ToolKind::Read, "Read", &["/home/ada/.ssh/id"], Value::Null), false),
        (tool(ToolKind::Edit, "Edit", &["/srv/a"], Value::Null), false),
        (fetch("https://docs.rs/serde"), true),
        (fetch("https://crates.io"), false),
        (other("mcp__tracker__list"), true),
        (other("mcp__tracker__delete"), false),
    ] {
        assert_eq!(of(allow.clone(), &tool), expected, "{tool:?}");
    }
    let more = |more: Value| of(more, &run("git push"));
    assert!(more(json!({"allow": ["Bash(git push:*)"]})));
    assert!(!more(json!({"allow": ["Bash(git push:*)"], "ask": ["Bash(git push)"]})));
    assert!(!more(json!({"allow": ["Bash(git push:*)"], "deny": ["Bash(git * origin)"]})), "it may be meant");
    for settings in ["", "{", "[]", "{\"permissions\": 3}", "{\"permissions\": {\"allow\": \"Edit\"}}"] {
        assert_eq!(OfClaude::read(settings), OfClaude::default());
    }
}
