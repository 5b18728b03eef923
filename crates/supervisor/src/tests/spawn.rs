use crate::admission::TooMany;
use crate::spawn::{Caller, GENERATIONS, Granted, Request, Source, SpawnRules, may_follow_up, may_spawn, too_many};

const DEFAULT: SpawnRules = SpawnRules {
    allow_agent_token_spawn: false,
    require_spawn_source_session: true,
    agent_driven_sessions_enabled: false,
};
const OPEN: SpawnRules = SpawnRules { allow_agent_token_spawn: true, agent_driven_sessions_enabled: true, ..DEFAULT };
const ANONYMOUS: SpawnRules = SpawnRules { require_spawn_source_session: false, ..OPEN };
const AGENT: Caller = Caller::Session { id: "a" };
const A: Option<Source> = Some(Source { id: "a", depth: Some(0) });
const B: Option<Source> = Some(Source { id: "b", depth: Some(0) });
const UNKNOWN: Option<Source> = Some(Source { id: "x", depth: None });

/// `ok`, or the code and the setting that it names.
fn said(caller: Caller, source: Option<Source>, driven: bool, rules: &SpawnRules) -> String {
    match may_spawn(&Request { caller, source, driven }, rules) {
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
    for (caller, named, is_driven, rules, expected) in [
        (AGENT, A, false, DEFAULT, token),
        (AGENT, None, true, DEFAULT, token),
        (AGENT, A, false, OPEN, "ok"),
        (AGENT, A, true, SpawnRules { agent_driven_sessions_enabled: false, ..OPEN }, driven),
        (AGENT, None, false, OPEN, source),
        (AGENT, B, false, OPEN, "403 source-session-required no setting"),
        (AGENT, B, false, ANONYMOUS, "403 source-session-required no setting"),
        (AGENT, None, false, ANONYMOUS, "ok"),
        (Caller::Script, None, false, DEFAULT, source),
        (Caller::Script, UNKNOWN, false, DEFAULT, source),
        (Caller::Script, UNKNOWN, false, ANONYMOUS, "ok"),
        (Caller::Script, A, false, DEFAULT, "ok"),
        (Caller::Script, A, true, DEFAULT, driven),
        (Caller::Script, A, true, OPEN, "ok"),
        (Caller::Owner, None, false, DEFAULT, "ok"),
        (Caller::Owner, None, true, DEFAULT, "ok"),
    ] {
        assert_eq!(said(caller, named, is_driven, &rules), expected, "{caller:?} {named:?} {is_driven}");
    }
}

#[test]
fn a_session_knows_who_asked_for_it() {
    let source = Some(Source { id: "a", depth: Some(2) });
    let granted = may_spawn(&Request { caller: AGENT, source, driven: false }, &OPEN).expect("it is allowed");
    let expected = Granted { parent: Some("a".into()), depth: 3, is_driven: false, is_counted: true, is_manual: false };
    assert_eq!(granted, expected);
    let granted = may_spawn(&Request { caller: Caller::Script, source: UNKNOWN, driven: true }, &ANONYMOUS);
    assert_eq!(granted.map(|granted| (granted.parent, granted.depth)), Ok((None, 0)));
}

#[test]
fn generations_come_to_an_end() {
    let at = |depth| Some(Source { id: "a", depth: Some(depth) });
    assert_eq!(said(AGENT, at(GENERATIONS - 1), false, &OPEN), "ok");
    assert_eq!(said(AGENT, at(GENERATIONS), false, &OPEN), "403 spawn-depth no setting");
    assert_eq!(said(AGENT, at(u32::MAX), false, &OPEN), "403 spawn-depth no setting");
    assert_eq!(said(Caller::Owner, at(GENERATIONS), false, &OPEN), "ok");
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

#[test]
fn only_agent_driven_starts_and_those_of_sessions_are_counted() {
    for (caller, driven, expected) in [
        (AGENT, false, true),
        (AGENT, true, true),
        (Caller::Script, false, false),
        (Caller::Script, true, true),
        (Caller::Owner, false, false),
        (Caller::Owner, true, false),
    ] {
        let granted = may_spawn(&Request { caller, source: A, driven }, &OPEN).expect("it is allowed");
        assert_eq!(granted.is_counted, expected, "{caller:?} {driven}");
    }
}

#[test]
fn the_refusal_of_one_too_many_names_the_limit() {
    let refused = too_many(TooMany { active: 3, max: 2 });
    assert_eq!((refused.status, refused.code), (429, "agent-concurrency"));
    assert_eq!(refused.setting, Some("agentDrivenMaxConcurrent"));
    assert!(refused.detail.starts_with("3 agent-driven sessions are active, and agentDrivenMaxConcurrent is 2."));
}

#[test]
fn refusals_name_the_remedy_that_the_caller_has() {
    let detail =
        |refused: Result<(), crate::spawn::Refused>| refused.err().map(|refused| refused.detail).unwrap_or_default();
    let script = detail(may_follow_up(Caller::Script, &DEFAULT));
    assert_eq!(
        script,
        "Messages from scripts need agentDrivenSessionsEnabled. Run `pilothouse settings set agentDrivenSessionsEnabled on`."
    );
    let session = detail(may_follow_up(AGENT, &DEFAULT));
    assert_eq!(session, "Messages from sessions need agentDrivenSessionsEnabled. Ask the owner to turn it on.");
    let start = |caller| {
        let request = Request { caller, source: None, driven: false };
        detail(may_spawn(&request, &SpawnRules { require_spawn_source_session: true, ..OPEN }).map(drop))
    };
    assert!(start(Caller::Script).ends_with("or run `pilothouse settings set requireSpawnSourceSession off`."));
    assert!(!start(AGENT).contains("pilothouse settings"));
}
