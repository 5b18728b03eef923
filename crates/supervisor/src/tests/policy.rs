use crate::policy::{Class, Decision, Level, Origin, PolicyContext, PolicyRules, Verdict, decide, decide_class};
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
const TIERS: [Tier; 3] = [Tier::Primary, Tier::Second, Tier::External];

/// One table: a line for each class, a column for each level.
fn table(title: &str, answer: impl Fn(Class, Level) -> Verdict) -> String {
    let mut text = format!("{title}\n{:40}", "");
    let levels = Level::ALL.map(|level| format!("{:>11}", level.name())).concat();
    writeln!(text, "{levels}").expect("a text takes it");
    for class in Class::ALL {
        let cells =
            Level::ALL.map(|level| format!("{:>11}", format!("{:?}", answer(class, level).decision).to_lowercase()));
        writeln!(text, "{:40}{}", class.words(), cells.concat()).expect("a text takes it");
    }
    text + "\n"
}

#[test]
fn every_case_stands_in_the_golden_table() {
    let mut text = String::from(
        "What an agent may do by itself at each value of agentPermissionLevel.\nWritten by the tests; look at each change of it.\n\n",
    );
    for tier in TIERS {
        let name = format!("{tier:?} engine").to_lowercase();
        let at = |level| PolicyRules { agent_permission_level: level, ..RULES };
        text += &table(&format!("{name}, started by the person, an agent or an automation"), |class, level| {
            let verdict = decide_class(class, tier, Origin::Person, &at(level));
            for origin in [Origin::Agent, Origin::Automation] {
                assert_eq!(decide_class(class, tier, origin, &at(level)), verdict);
            }
            verdict
        });
        let on = |level| PolicyRules { auto_approve_config_files: true, auto_approve_plans: true, ..at(level) };
        text += &table(&format!("{name}, autoApproveConfigFiles and autoApprovePlans on"), |class, level| {
            decide_class(class, tier, Origin::Person, &on(level))
        });
        text += &table(&format!("{name}, started by e-mail, whatever is on"), |class, level| {
            let verdict = decide_class(class, tier, Origin::Email, &on(level));
            assert_eq!(decide_class(class, tier, Origin::Email, &at(level)), verdict);
            verdict
        });
    }
    text += &table("second engine with a level of its own (the columns), agentPermissionLevel full", |class, level| {
        let rules = PolicyRules { agent_permission_level: Level::Full, own_level: Some(level), ..RULES };
        decide_class(class, Tier::Second, Origin::Person, &rules)
    });
    text += "Why, at level guarded\n";
    for class in Class::ALL {
        for tier in TIERS {
            let why = decide_class(class, tier, Origin::Person, &RULES).why;
            writeln!(text, "{:40}{:10}{why}", class.words(), format!("{tier:?}").to_lowercase())
                .expect("a text takes it");
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/policy.txt");
    if std::fs::read_to_string(&path).unwrap_or_default() != text {
        std::fs::write(&path, text).expect("the checkout can be written");
        panic!("golden/policy.txt did not match the rules; it is rewritten now: look at the change and commit it");
    }
}

#[test]
fn a_higher_level_never_asks_more() {
    for tier in TIERS {
        for class in Class::ALL {
            let at = |level| {
                let rules = PolicyRules { agent_permission_level: level, ..RULES };
                decide_class(class, tier, Origin::Person, &rules).decision
            };
            assert!(Level::ALL.windows(2).all(|pair| at(pair[0]) >= at(pair[1])), "{class:?} {tier:?}");
        }
    }
}

fn tool(kind: ToolKind, paths: &[&str]) -> ToolUse {
    ToolUse {
        id: "t".into(),
        name: None,
        title: "the tool".into(),
        kind,
        command: None,
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        cwd: None,
        input: Value::Null,
    }
}

fn run(command: &str) -> ToolUse {
    ToolUse { command: Some(command.into()), ..tool(ToolKind::Execute, &[]) }
}

fn rules() -> Sensitive {
    Sensitive::new(SessionPaths {
        platform: Platform::L,
        home: "/home/ada".into(),
        data_dir: "/home/ada/.local/share/pilothouse".into(),
        project: "/home/ada/shop".into(),
    })
}

/// The decisions at the four levels, as `a`llow, as`k` or `d`eny.
fn levels(tool: &ToolUse, tier: Tier) -> String {
    let sensitive = rules();
    let context = context(&sensitive, tier, Origin::Person);
    let letter = |level| match decide(tool, &context, &PolicyRules { agent_permission_level: level, ..RULES }).decision
    {
        Decision::Allow => 'a',
        Decision::Ask => 'k',
        Decision::Deny => 'd',
    };
    Level::ALL.map(letter).iter().collect()
}

fn context(sensitive: &Sensitive, tier: Tier, origin: Origin) -> PolicyContext<'_> {
    static CONFIG: std::sync::LazyLock<[String; 2]> =
        std::sync::LazyLock::new(|| ["~/.claude".to_owned(), "/home/ada/shop/.claude".to_owned()]);
    PolicyContext {
        tier,
        origin,
        cwd: "/home/ada/shop",
        own_tools: "mcp__pilothouse__",
        own_config: &*CONFIG,
        sensitive,
    }
}

#[test]
fn tools_are_judged_by_what_they_do_and_where() {
    use ToolKind::{Delete, Edit, Fetch, Move, Other, Read, Search, SwitchMode, Think};
    let with = |kind, input: Value| ToolUse { input, ..tool(kind, &[]) };
    for (tool, expected) in [
        (tool(Read, &["src/a.rs"]), "aaaa"),
        (tool(Read, &["/home/ada/shop/src/a.rs", "src/../../notes"]), "kkaa"),
        (tool(Read, &["../.ssh/config"]), "kkka"),
        (tool(Read, &[".env"]), "kkka"),
        (tool(Read, &[]), "kkaa"),
        (with(Read, json!({"file_path": "/home/ada/.ssh/config"})), "kkka"),
        (tool(Search, &[]), "aaaa"),
        (tool(Search, &["/home/ada"]), "kkka"),
        (with(Search, json!({"pattern": "~/.ssh/*"})), "kkka"),
        (with(Search, json!({"pattern": "fn main"})), "aaaa"),
        (tool(Edit, &["src/a.rs"]), "kaaa"),
        (tool(Edit, &["src/a.rs", "/etc/hosts"]), "kkka"),
        (tool(Edit, &[]), "kkaa"),
        (tool(Delete, &["/tmp/x"]), "kkaa"),
        (tool(Move, &["src/a.rs", "src/b.rs"]), "kaaa"),
        // Own switches rule at every level.
        (tool(Edit, &[".claude/settings.json"]), "kkkk"),
        (tool(Edit, &["/home/ada/.claude/settings.json"]), "kkkk"),
        (tool(Read, &[".claude/settings.json"]), "aaaa"),
        (tool(SwitchMode, &[]), "kkkk"),
        (run("cargo test"), "kkaa"),
        (run("cat ~/.ssh/config"), "kkka"),
        (ToolUse { cwd: Some("/home/ada/.ssh".into()), ..run("cat config") }, "kkka"),
        (with(ToolKind::Execute, json!({"command": "cat ~/.netrc"})), "kkka"),
        (tool(Fetch, &[]), "kkaa"),
        (with(Fetch, json!({"url": "file:///home/ada/.netrc"})), "kkka"),
        (tool(Think, &[]), "aaaa"),
        (tool(Other, &[]), "kkaa"),
        (with(Other, json!({"path": "/etc/shadow"})), "kkka"),
        (ToolUse { name: Some("mcp__pilothouse__alert".into()), ..tool(Other, &[]) }, "aaaa"),
        (ToolUse { name: Some("mcp__pilothouse2__alert".into()), ..tool(Other, &[]) }, "kkaa"),
    ] {
        assert_eq!(levels(&tool, Tier::Primary), expected, "{tool:?}");
    }
}

#[test]
fn an_external_engine_is_refused_sensitive_files_at_every_level() {
    for tool in
        [tool(ToolKind::Read, &["~/.ssh/id_rsa"]), run("cat ~/.aws/credentials"), tool(ToolKind::Edit, &[".env"])]
    {
        assert_eq!(levels(&tool, Tier::External), "dddd");
        assert_eq!(levels(&tool, Tier::Second), "kkka");
    }
    assert_eq!(levels(&tool(ToolKind::Edit, &["src/a.rs"]), Tier::External), "kaaa");
}

#[test]
fn the_answer_names_the_rule_the_setting_and_the_thing() {
    let sensitive = rules();
    let why =
        |tool: &ToolUse, tier, origin, rules: &PolicyRules| decide(tool, &context(&sensitive, tier, origin), rules).why;
    assert_eq!(
        why(&run("cargo test"), Tier::Primary, Origin::Person, &RULES),
        "Commands need approval at the guarded level (agentPermissionLevel)"
    );
    assert_eq!(
        why(&run("cat ~/.netrc"), Tier::External, Origin::Person, &RULES),
        "External engines never access sensitive files: ~/.netrc is a code host credential"
    );
    let own = PolicyRules { own_level: Some(Level::ReadOnly), ..RULES };
    assert_eq!(
        why(&tool(ToolKind::Edit, &["a"]), Tier::Second, Origin::Person, &own),
        "Edits in the session's folder need approval at the read_only level (the engine's own level under Engines)"
    );
    let full = PolicyRules { agent_permission_level: Level::Full, auto_approve_plans: true, ..RULES };
    assert_eq!(
        why(&tool(ToolKind::Edit, &["a"]), Tier::Primary, Origin::Email, &full),
        "Edits in the session's folder are always denied in sessions started by email"
    );
    assert_eq!(
        why(&tool(ToolKind::SwitchMode, &[]), Tier::Primary, Origin::Person, &full),
        "Plans are approved automatically (autoApprovePlans is on)"
    );
}
