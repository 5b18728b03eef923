//! `session/update` in our words. What is not known, or not as it should be, comes as it is.

use crate::event::{
    Choice, ChoiceOption, Chunk, Cost, Event, Phase, PlanEntry, PlanStatus, SlashCommand, StopReason, Tokens,
    ToolState, Usage,
};
use crate::port::Engine;
use crate::tool::Tools;
use serde_json::Value;

/// What an update tells.
pub fn read(update: Value, tools: &mut Tools, engine: &dyn Engine) -> Vec<Event> {
    let known = match update["sessionUpdate"].as_str().unwrap_or_default() {
        "agent_message_chunk" => chunk(&update["content"]).map(|chunk| {
            let message = update["messageId"].as_str().map(str::to_owned);
            vec![Event::Said { chunk, message, phase: phase(&update["_meta"]) }]
        }),
        "agent_thought_chunk" => chunk(&update["content"]).map(|chunk| vec![Event::Thought { chunk }]),
        "user_message_chunk" => chunk(&update["content"]).map(|chunk| vec![Event::Heard { chunk }]),
        "tool_call" | "tool_call_update" => tools
            .tell(&update)
            .map(|raw| vec![Event::Tool { tool: engine.normalize(raw), state: raw.state(), output: raw.output() }]),
        "plan" => plan(&update["entries"]).map(|plan| vec![Event::Planned { plan }]),
        "usage_update" => usage(&update).map(|usage| vec![Event::Used { usage }]),
        "session_info_update" => session_info(&update),
        "current_mode_update" => text(&update["currentModeId"]).map(|mode| vec![Event::Mode { mode }]),
        "config_option_update" => Some(vec![Event::Choices { choices: choices(&update["configOptions"]) }]),
        "available_commands_update" => update["availableCommands"].as_array().map(|all| {
            let commands = all.iter().filter_map(|one| {
                let description = text(&one["description"]).unwrap_or_default();
                Some(SlashCommand { name: text(&one["name"])?, description })
            });
            vec![Event::Commands { commands: commands.collect() }]
        }),
        "compaction_update" => {
            text(&update["status"]).map(|status| vec![Event::Compacting { done: status != "in_progress" }])
        }
        "notice" => text(&update["title"]).map(|title| {
            let more = text(&update["details"]).or_else(|| text(&update["message"]));
            let text = more.map_or_else(|| title.clone(), |more| format!("{title}\n{more}"));
            vec![Event::Notice { text }]
        }),
        _ => None,
    };
    known.unwrap_or_else(|| vec![Event::Raw { value: update }])
}

/// What a message is to its turn, which Codex tells.
fn phase(meta: &Value) -> Option<Phase> {
    match meta["jetbrains"]["air"]["phase"].as_str()? {
        "commentary" => Some(Phase::Commentary),
        "final_answer" => Some(Phase::FinalAnswer),
        _ => None,
    }
}

/// A title, or nothing that concerns us. Failures that travel with it are read by the connection.
fn session_info(update: &Value) -> Option<Vec<Event>> {
    match (text(&update["title"]), update["_meta"].is_object()) {
        (Some(title), _) => Some(vec![Event::Titled { title }]),
        (None, true) => Some(Vec::new()),
        (None, false) => None,
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// A block of content.
pub fn chunk(content: &Value) -> Option<Chunk> {
    match content["type"].as_str()? {
        "text" => Some(Chunk::Text { text: text(&content["text"])? }),
        "image" => Some(Chunk::Image { mime: text(&content["mimeType"])?, data: text(&content["data"])? }),
        "resource_link" => Some(Chunk::Link { uri: text(&content["uri"])?, name: text(&content["name"])? }),
        _ => None,
    }
}

fn plan(entries: &Value) -> Option<Vec<PlanEntry>> {
    let entry = |entry: &Value| {
        let status = match entry["status"].as_str() {
            Some("in_progress") => PlanStatus::InProgress,
            Some("completed") => PlanStatus::Completed,
            _ => PlanStatus::Pending,
        };
        Some(PlanEntry { content: text(&entry["content"])?, status })
    };
    entries.as_array()?.iter().map(entry).collect()
}

fn usage(update: &Value) -> Option<Usage> {
    let cost = &update["cost"];
    let cost = cost["amount"].as_f64().zip(text(&cost["currency"])).map(|(amount, currency)| Cost { amount, currency });
    Some(Usage { used: update["used"].as_u64()?, size: update["size"].as_u64()?, cost })
}

/// What may be chosen: `configOptions`. Switches are choices between `true` and `false`.
pub fn choices(options: &Value) -> Vec<Choice> {
    let choice = |one: &Value| {
        let id = text(&one["id"])?;
        let name = text(&one["name"]).unwrap_or_else(|| id.clone());
        let (current, options) = match &one["currentValue"] {
            Value::Bool(is_on) => {
                let option = |value: &str| ChoiceOption { value: value.into(), name: value.into() };
                (is_on.to_string(), vec![option("true"), option("false")])
            }
            current => (text(current)?, option_list(&one["options"])),
        };
        Some(Choice { id, name, category: text(&one["category"]), current, options })
    };
    options.as_array().into_iter().flatten().filter_map(choice).collect()
}

/// Options stand in a list, or in groups of lists.
fn option_list(options: &Value) -> Vec<ChoiceOption> {
    let all = options.as_array().into_iter().flatten();
    all.flat_map(|one| match one["options"].is_array() {
        true => option_list(&one["options"]),
        false => text(&one["value"])
            .map(|value| ChoiceOption { name: text(&one["name"]).unwrap_or_else(|| value.clone()), value })
            .into_iter()
            .collect(),
    })
    .collect()
}

/// Modes and models as agents without `configOptions` tell them, as choices.
pub fn older_choices(opened: &Value) -> Vec<Choice> {
    let choice = |id: &str, name: &str, state: &Value, list: &str, current: &str, option: &str| {
        let current = text(&state[current])?;
        let options = state[list].as_array()?.iter().filter_map(|one| {
            let value = text(&one[option])?;
            Some(ChoiceOption { name: text(&one["name"]).unwrap_or_else(|| value.clone()), value })
        });
        let category = Some(id.to_owned());
        Some(Choice { id: id.into(), name: name.into(), category, current, options: options.collect() })
    };
    let mode = choice("mode", "Mode", &opened["modes"], "availableModes", "currentModeId", "id");
    let model = choice("model", "Model", &opened["models"], "availableModels", "currentModelId", "modelId");
    mode.into_iter().chain(model).collect()
}

/// ACP's word for why a turn ended; an unknown one is taken for the agent's own end.
pub fn stop_reason(result: &Value) -> StopReason {
    match result["stopReason"].as_str() {
        Some("max_tokens") => StopReason::MaxTokens,
        Some("max_turn_requests") => StopReason::MaxTurnRequests,
        Some("refusal") => StopReason::Refusal,
        Some("cancelled") => StopReason::Cancelled,
        _ => StopReason::EndTurn,
    }
}

/// What a turn has used: `usage`, or `_meta.quota` of agents without it.
pub fn tokens(result: &Value) -> Option<Tokens> {
    let number = |value: &Value| value.as_u64();
    let usage = &result["usage"];
    if let (Some(input), Some(output)) = (number(&usage["inputTokens"]), number(&usage["outputTokens"])) {
        return Some(Tokens {
            input,
            output,
            cached_read: number(&usage["cachedReadTokens"]).unwrap_or_default(),
            cached_write: number(&usage["cachedWriteTokens"]).unwrap_or_default(),
        });
    }
    let count = &result["_meta"]["quota"]["token_count"];
    let either = |camel: &str, snake: &str| number(&count[camel]).or_else(|| number(&count[snake]));
    Some(Tokens {
        input: either("inputTokens", "input_tokens")?,
        output: either("outputTokens", "output_tokens")?,
        ..Tokens::default()
    })
}

/// Whether an event shows that the engine got over the trouble that it told of before.
pub fn is_progress(event: &Event) -> bool {
    match event {
        Event::Said { .. } | Event::Thought { .. } | Event::Permission { .. } => true,
        Event::Tool { state, .. } => *state != ToolState::Pending,
        _ => false,
    }
}
