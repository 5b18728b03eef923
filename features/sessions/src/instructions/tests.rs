use super::*;

const URL: &str = "http://127.0.0.1:19519";

fn all_on() -> Choices {
    Choices {
        default_instructions: true,
        custom: String::new(),
        app_awareness: true,
        audience_style: true,
        engineering_principles: true,
        execution_bias: true,
        persona: true,
        shell_folder: true,
    }
}

const PRIMARY: EngineFacts<'_> = EngineFacts { is_primary: true, keeps_shell_folder: true, control_url: Some(URL) };
const OTHER: EngineFacts<'_> = EngineFacts { is_primary: false, keeps_shell_folder: false, control_url: Some(URL) };

/// A setting, and the blocks that it adds for the primary engine and for others.
type Row = (fn(&mut Choices), &'static str, &'static str);

fn ids(blocks: &[Block]) -> String {
    blocks.iter().map(|block| &*block.id).collect::<Vec<_>>().join(" ")
}

#[test]
fn each_setting_adds_its_blocks_once_and_nothing_else() {
    const FOUR: &str = "attribution cloud-safety private-repositories readme-standards";
    let one = |change: fn(&mut Choices)| {
        let mut choices = Choices::default();
        change(&mut choices);
        choices
    };
    let table: &[Row] = &[
        (|_| {}, "", ""),
        (|choices| choices.default_instructions = true, FOUR, ""),
        (|choices| choices.app_awareness = true, "app", "app"),
        (|choices| choices.shell_folder = true, "shell-folder", "shell-folder"),
        (|choices| choices.engineering_principles = true, "engineering-principles", "engineering-principles"),
        (|choices| choices.execution_bias = true, "execution-bias", "execution-bias"),
        (|choices| choices.persona = true, "persona", "persona"),
        (|choices| choices.audience_style = true, "audience-style", "audience-style"),
        (|choices| choices.custom = "Mine".into(), "custom", "custom"),
    ];
    for (change, primary, other) in table {
        let choices = one(*change);
        assert_eq!(ids(&compose(&choices, PRIMARY, &Edited::new())), *primary, "{choices:?}");
        assert_eq!(ids(&compose(&choices, OTHER, &Edited::new())), *other, "{choices:?}");
    }
    let blocks = compose(&Choices { custom: "Mine".into(), ..all_on() }, PRIMARY, &Edited::new());
    let rest = "engineering-principles execution-bias persona audience-style custom";
    assert_eq!(ids(&blocks), format!("app shell-folder {FOUR} {rest}"));
    let text = joined(&blocks);
    for block in &blocks {
        assert_eq!(text.matches(&*block.text).count(), 1, "{}", block.id);
    }
}

#[test]
fn your_own_text_is_last_and_verbatim() {
    let custom = "  # Mine\r\n\ttabs, \u{1f600}, and `$APP_CLI_TOKEN`\n\n";
    let blocks = compose(&Choices { custom: custom.into(), ..all_on() }, OTHER, &Edited::new());
    assert!(joined(&blocks).ends_with(&format!("\n\n{custom}")));
}

#[test]
fn the_note_about_the_app_has_its_address_and_names_of_variables_once() {
    let choices = Choices { app_awareness: true, ..Choices::default() };
    let text = joined(&compose(&choices, OTHER, &Edited::new()));
    for word in [URL, "$APP_CLI_TOKEN", "$APP_SESSION_ID", "$APP_BASE_URL"] {
        assert_eq!(text.matches(word).count(), 1, "{word}");
    }
    assert!(text.contains("Pilothouse"));
    let unreachable = EngineFacts { control_url: None, ..OTHER };
    assert!(compose(&choices, unreachable, &Edited::new()).is_empty(), "it promises nothing that isn't there");
}

#[test]
fn the_sentence_about_the_folder_is_there_once_and_true_for_the_engine() {
    for (engine, has) in [(PRIMARY, "persists between commands"), (OTHER, "every command starts in")] {
        let text = joined(&compose(&all_on(), engine, &Edited::new()));
        assert_eq!((text.matches("folder of your shell persists").count(), text.matches(has).count()), (1, 1));
    }
}

#[test]
fn a_hub_replaces_a_preset_or_leaves_it_out() {
    let edited = Edited::from([("persona".into(), "Be terse.\n".into()), ("cloud-safety".into(), " \n".into())]);
    let blocks = compose(&all_on(), PRIMARY, &edited);
    let persona = blocks.iter().find(|block| block.id == "persona").unwrap();
    assert_eq!((&*persona.text, persona.source), ("Be terse.", BlockSource::Hub));
    assert!(!ids(&blocks).contains("cloud-safety"));
    assert!(blocks.iter().filter(|block| block.source == BlockSource::Preset).count() == 6);
    let reminders = |text: &str| reminders(&Edited::from([("key-reminders".into(), text.into())]));
    assert_eq!((reminders("Test.").as_deref(), reminders("")), (Some("<reminders>\nTest.\n</reminders>"), None));
}

#[test]
fn everything_together_has_fewer_than_1500_tokens() {
    let text = joined(&compose(&all_on(), PRIMARY, &Edited::new())) + &reminders(&Edited::new()).unwrap();
    assert!(tokens(&text) < 1_500, "{}", tokens(&text));
    assert_eq!((tokens(""), tokens("abcd"), tokens("abcde")), (0, 1, 2));
}

#[test]
fn presets_are_short_plain_and_begin_with_a_heading() {
    let names: std::collections::BTreeSet<_> = PRESETS.iter().map(|preset| preset.id).collect();
    assert_eq!(names.len(), PRESETS.len());
    for preset in PRESETS {
        let is_reminder = preset.group == Group::EachTurn;
        assert!(preset.text.starts_with("## ") != is_reminder, "{}", preset.id);
        assert!(preset.text.ends_with('\n') && preset.text.is_ascii() && preset.text.len() < 600, "{}", preset.id);
    }
    let habits = PRESETS.iter().find(|preset| preset.id == "engineering-principles").unwrap();
    assert_eq!(habits.text.lines().filter(|line| line.starts_with(|first: char| first.is_ascii_digit())).count(), 5);
}
