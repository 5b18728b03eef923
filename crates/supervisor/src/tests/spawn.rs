use crate::spawn::{Caller, GENERATIONS, Granted, Request, Source, SpawnRules, may_follow_up, may_spawn};

const DEFAULT: SpawnRules = SpawnRules {
    allow_agent_token_spawn: false,
    require_spawn_source_session: true,
    agent_driven_sessions_enabled: false,
    agent_driven_max_concurrent: 3,
};
const OPEN: SpawnRules = SpawnRules { allow_agent_token_spawn: true, agent_driven_sessions_enabled: true, ..DEFAULT };
const ANONYMOUS: SpawnRules = SpawnRules { require_spawn_source_session: false, ..OPEN };
const AGENT: Caller = Caller::Session { id: "a" };
const A: Option<Source> = Some(Source { id: "a", depth: Some(0) });
const B: Option<Source> = Some(Source { id: "b", depth: Some(0) });
const UNKNOWN: Option<Source> = Some(Source { id: "x", depth: None });

/// `ok`, or the code and the setting that it names.
fn said(caller: Caller, source: Option<Source>, driven: bool, counted: usize, rules: &SpawnRules) -> String {
    match may_spawn(&Request { caller, source, driven }, counted, rules) {
        Ok(_) => "ok".into(),
        Err(refused) => {
            let setting = refused.setting.unwrap_or("no setting");
            assert!(refused.setting.is_none() || refused.detail.contains(setting), "{}", refused.detail);
            format!("{} {} {setting}", refused.status, refused.code)
        }
    }
}

#[test]
fn each_rule_refuses_with_its_code_and_its_setting() {
    let token = "403 agent-token-spawn allowAgentTokenSpawn";
    let source = "403 source-session-required requireSpawnSourceSession";
    let driven = "403 agent-driven-disabled agentDrivenSessionsEnabled";
    let many = "429 agent-concurrency agentDrivenMaxConcurrent";
    let none = SpawnRules { agent_driven_max_concurrent: 0, ..OPEN };
    for (caller, named, is_driven, counted, rules, expected) in [
        (AGENT, A, false, 0, DEFAULT, token),
        (AGENT, None, true, 9, DEFAULT, token),
        (AGENT, A, false, 0, OPEN, "ok"),
        (AGENT, A, true, 0, SpawnRules { agent_driven_sessions_enabled: false, ..OPEN }, driven),
        (AGENT, None, false, 0, OPEN, source),
        (AGENT, B, false, 0, OPEN, "403 source-session-required no setting"),
        (AGENT, B, false, 0, ANONYMOUS, "403 source-session-required no setting"),
        (AGENT, None, false, 0, ANONYMOUS, "ok"),
        (AGENT, A, false, 3, OPEN, many),
        (AGENT, A, false, 2, OPEN, "ok"),
        (Caller::Script, None, false, 0, DEFAULT, source),
        (Caller::Script, UNKNOWN, false, 0, DEFAULT, source),
        (Caller::Script, UNKNOWN, false, 0, ANONYMOUS, "ok"),
        (Caller::Script, A, false, 0, DEFAULT, "ok"),
        (Caller::Script, A, true, 0, DEFAULT, driven),
        (Caller::Script, A, true, 3, OPEN, many),
        (Caller::Script, A, false, 3, OPEN, "ok"),
        (Caller::Script, A, true, 0, none, many),
        (Caller::Script, A, false, 0, none, "ok"),
        (Caller::Owner, None, false, 99, DEFAULT, "ok"),
        (Caller::Owner, None, true, 99, DEFAULT, "ok"),
    ] {
        assert_eq!(said(caller, named, is_driven, counted, &rules), expected, "{caller:?} {named:?} {is_driven}");
    }
}

#[test]
fn a_session_knows_who_asked_for_it() {
    let source = Some(Source { id: "a", depth: Some(2) });
    let granted = may_spawn(&Request { caller: AGENT, source, driven: false }, 0, &OPEN).expect("it is allowed");
    let expected = Granted { parent: Some("a".into()), depth: 3, is_driven: false, is_counted: true, is_manual: false };
    assert_eq!(granted, expected);
    let granted = may_spawn(&Request { caller: Caller::Script, source: UNKNOWN, driven: true }, 0, &ANONYMOUS);
    assert_eq!(granted.map(|granted| (granted.parent, granted.depth)), Ok((None, 0)));
}

#[test]
fn generations_come_to_an_end() {
    let at = |depth| Some(Source { id: "a", depth: Some(depth) });
    assert_eq!(said(AGENT, at(GENERATIONS - 1), false, 0, &OPEN), "ok");
    assert_eq!(said(AGENT, at(GENERATIONS), false, 0, &OPEN), "403 spawn-depth no setting");
    assert_eq!(said(AGENT, at(u32::MAX), false, 0, &OPEN), "403 spawn-depth no setting");
    assert_eq!(said(Caller::Owner, at(GENERATIONS), false, 0, &OPEN), "ok");
}

#[test]
fn only_the_person_follows_up_while_driving_is_off() {
    let code = |caller, rules| may_follow_up(caller, rules).map_err(|refused| refused.code);
    for caller in [AGENT, Caller::Script] {
        assert_eq!(code(caller, &DEFAULT), Err("agent-driven-disabled"));
        assert_eq!(code(caller, &OPEN), Ok(()));
    }
    assert_eq!(code(Caller::Owner, &DEFAULT), Ok(()));
}
