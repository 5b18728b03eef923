use crate::loops::Breaker;
use engines::{ToolKind, ToolUse};
use serde_json::{Value, json};

fn read(path: &str) -> ToolUse {
    ToolUse {
        id: "t".into(),
        name: Some("Read".into()),
        title: format!("Read {path}"),
        kind: ToolKind::Read,
        command: None,
        paths: vec![path.into()],
        cwd: None,
        input: json!({"file_path": path, "limit": 10}),
    }
}

fn run(command: &str, remark: &str) -> ToolUse {
    let input = json!({"command": command, "description": remark});
    ToolUse { kind: ToolKind::Execute, command: Some(command.into()), paths: vec![], input, ..read("Terminal") }
}

fn text(text: &str) -> Vec<Value> {
    vec![json!({"type": "content", "content": {"text": text}})]
}

#[test]
fn five_in_a_row_with_the_same_result_are_a_loop() {
    let mut breaker = Breaker::default();
    for _ in 0..4 {
        assert_eq!(breaker.observe(&read("a.rs"), &text("same")), None);
    }
    let note = breaker.observe(&read("a.rs"), &text("same")).expect("the fifth is a loop");
    assert_eq!(note, "Read a.rs was repeated 5 times with the same result");
    // It counts anew after that.
    assert_eq!(breaker.observe(&read("a.rs"), &text("same")), None);
}

#[test]
fn a_changed_file_other_input_or_another_tool_begins_anew() {
    let others: [(ToolUse, Vec<Value>); 3] =
        [(read("a.rs"), text("changed")), (read("b.rs"), text("same")), (run("cat a.rs", ""), text("same"))];
    for (tool, output) in others {
        let mut breaker = Breaker::default();
        for _ in 0..4 {
            assert_eq!(breaker.observe(&read("a.rs"), &text("same")), None);
        }
        assert_eq!(breaker.observe(&tool, &output), None);
        for _ in 0..4 {
            assert_eq!(breaker.observe(&read("a.rs"), &text("same")), None);
        }
        assert!(breaker.observe(&read("a.rs"), &text("same")).is_some());
    }
}

#[test]
fn remarks_and_blanks_hide_no_loop() {
    let mut breaker = Breaker::default();
    let found: Vec<bool> = ["cargo test", "cargo  test", " cargo test", "cargo test ", "cargo\ttest"]
        .iter()
        .enumerate()
        .map(|(at, command)| breaker.observe(&run(command, &format!("try {at}")), &text("1 failed")).is_some())
        .collect();
    assert_eq!(found, [false, false, false, false, true]);

    let mut breaker = Breaker::default();
    let orders = ["{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", "{\"a\":1,\"b\":2,\"description\":\"again\"}"];
    let tools = orders.iter().cycle().take(5);
    let found = tools.filter_map(|input| {
        let input = serde_json::from_str(input).expect("JSON");
        breaker.observe(&ToolUse { input, ..read("a.rs") }, &text("same"))
    });
    assert_eq!(found.count(), 1);
}
