//! What happens in a session, as every engine's connection tells it.
//!
//! Invariant: data only, no I/O; all of it is written to transcripts, so a name once released stays.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The rank that the specification's rules go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Tier {
    /// The default assistant.
    Primary,
    /// The alternative assistant.
    Second,
    /// Any other.
    External,
}

/// What a tool does, as far as rules ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolKind {
    /// Reads files.
    Read,
    /// Writes files.
    Edit,
    /// Deletes files.
    Delete,
    /// Moves or renames files.
    Move,
    /// Searches files.
    Search,
    /// Runs a command.
    Execute,
    /// Only thinks, or keeps its own list of what to do.
    Think,
    /// Asks another machine.
    Fetch,
    /// Leaves or enters a mode; a plan that is proposed comes as such a request.
    SwitchMode,
    /// None of these, or unknown.
    Other,
}

/// One use of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolUse {
    /// The engine's name of this use, the same in all that is told of it.
    pub id: String,
    /// The tool's own name where the engine tells it: `Bash`, `mcp__pilothouse__alert`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What the engine shows of it.
    pub title: String,
    /// What it does.
    pub kind: ToolKind,
    /// The command line that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The files that it names, as the engine wrote them: they may be relative, or hold `..`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The folder that it runs in, where that is not the session's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Everything that the engine handed the tool.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
}

/// How far a use of a tool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolState {
    /// Announced.
    Pending,
    /// Runs.
    Running,
    /// Ended well.
    Completed,
    /// Ended badly, or was refused.
    Failed,
}

/// A piece of what the agent or the person says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum Chunk {
    /// Text, or a part of one.
    Text {
        /// Markdown.
        text: String,
    },
    /// A picture.
    Image {
        /// Such as `image/png`.
        mime: String,
        /// Its bytes in base64.
        data: String,
    },
    /// A file or an address that is referred to.
    Link {
        /// Its address.
        uri: String,
        /// What to call it.
        name: String,
    },
}

/// What a message of the agent is to its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Phase {
    /// Says what the agent is at.
    Commentary,
    /// The answer, with which the turn ends.
    FinalAnswer,
}

/// One step of the agent's plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanEntry {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: PlanStatus,
}

/// How far a step of a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PlanStatus {
    /// To be done.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

/// The agent's plan or list of what to do; each replaces the one before it.
pub type Plan = Vec<PlanEntry>;

/// Money, as the engine tells it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    /// How much since the session began.
    pub amount: f64,
    /// ISO 4217.
    pub currency: String,
}

/// How full the context is, and what the session has cost so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Tokens in the context.
    pub used: u64,
    /// Tokens that fit in it.
    pub size: u64,
    /// Where the engine tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// Why a turn came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// The agent said what it had to say.
    EndTurn,
    /// The answer became too long.
    MaxTokens,
    /// Too many requests to the model in one turn.
    MaxTurnRequests,
    /// The model refused.
    Refusal,
    /// The person or a rule canceled it.
    Cancelled,
    /// A request was denied, and the engine ended its turn for that.
    Denied,
}

/// What an answer to a permission request does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OfferKind {
    /// Yes, this time.
    AllowOnce,
    /// Yes, from now on.
    AllowAlways,
    /// No, this time.
    RejectOnce,
    /// No, from now on.
    RejectAlways,
}

/// One answer that a permission request offers. Answers are chosen by kind: engines name them as they like.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Offer {
    /// The engine's name of it, sent back.
    pub id: String,
    /// What the engine shows.
    pub name: String,
    /// What it does.
    pub kind: OfferKind,
}

/// The engine waits for leave to use a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PermissionRequest {
    /// The connection's name of the request, answered by it.
    pub id: String,
    /// What is asked for.
    pub tool: ToolUse,
    /// What may be answered.
    pub offers: Vec<Offer>,
}

/// The engine asks the person something through a form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// The connection's name of the question, answered by it.
    pub id: String,
    /// The question.
    pub message: String,
    /// The JSON Schema of the answer.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub schema: Value,
}

/// What may be chosen of a session: its mode, its model, how hard it thinks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// The engine's name of what is chosen.
    pub id: String,
    /// What the engine shows.
    pub name: String,
    /// `mode`, `model`, `thought_level`, or an engine-specific category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What is chosen.
    pub current: String,
    /// What may be chosen.
    pub options: Vec<ChoiceOption>,
}

/// A value of an option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChoiceOption {
    /// The engine's name of it, sent back.
    pub value: String,
    /// What the engine shows.
    pub name: String,
}

/// A command that the engine knows, written as `/name` at the beginning of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SlashCommand {
    /// Without the slash.
    pub name: String,
    /// What it does.
    pub description: String,
}

/// What a turn has used, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    /// Sent to the model, without those that it still had.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Sent to the model, which still had them.
    pub cached_read: u64,
    /// Kept by the model for later.
    pub cached_write: u64,
}

/// What kind of passing trouble it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Transience {
    /// The model's service has too much to do.
    Overload,
    /// Too many requests in a short time.
    Rate,
    /// The connection to the service.
    Network,
}

/// What a failure is, decided from everything that the engine told of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Failure {
    /// It passes by itself; trying again later helps.
    Transient {
        /// What it is.
        what: Transience,
    },
    /// What may be used is used up.
    Limit {
        /// When it is given anew, in milliseconds since 1970, where the engine says so.
        until: Option<i64>,
    },
    /// Nobody is logged in, or no longer.
    Auth,
    /// The context is full.
    ContextFull,
    /// The service did not take the request.
    Request,
    /// The engine's process ended, or what it sends cannot be read.
    Crash,
    /// Anything else.
    Unknown,
}

/// What a session's connection tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "event")]
pub enum Event {
    /// The agent says something.
    Said {
        /// A piece of it.
        chunk: Chunk,
        /// The engine's name of the message, where it gives one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// What the message is to the turn, where the engine tells it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        phase: Option<Phase>,
    },
    /// What the person said before, told again when a session is loaded.
    Heard {
        /// A piece of it.
        chunk: Chunk,
    },
    /// The agent thinks aloud.
    Thought {
        /// A piece of it.
        chunk: Chunk,
    },
    /// A tool is used, or more is known of its use: what is told here replaces what was told before.
    Tool {
        /// The use.
        tool: ToolUse,
        /// How far it is.
        state: ToolState,
        /// Output, as the engine shows it: text, differences, output of a terminal.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        output: Vec<Value>,
    },
    /// The agent's plan.
    Planned {
        /// All of it.
        plan: Plan,
    },
    /// Leave to use a tool is asked for.
    Permission {
        /// The request.
        request: PermissionRequest,
    },
    /// The engine asks the person something.
    Asked {
        /// The question.
        question: Question,
    },
    /// A permission request or a question that is still open is answered by nobody any more.
    Withdrawn {
        /// The connection's name of it.
        id: String,
    },
    /// The context's use.
    Used {
        /// How much.
        usage: Usage,
    },
    /// The engine names the session.
    Titled {
        /// The name.
        title: String,
    },
    /// The session is in another mode of the engine.
    Mode {
        /// The engine's name of it.
        mode: String,
    },
    /// What may be chosen of the session, or what is chosen, has changed.
    Choices {
        /// All of it.
        choices: Vec<Choice>,
    },
    /// The commands that the engine knows.
    Commands {
        /// All of them.
        commands: Vec<SlashCommand>,
    },
    /// Who the engine is logged in as.
    Login {
        /// Whether anybody is.
        is_logged_in: bool,
        /// What the engine says of it.
        label: String,
    },
    /// The engine tries a request again by itself.
    Retrying {
        /// What it says of it.
        what: String,
    },
    /// The context is being made smaller, or has been.
    Compacting {
        /// Whether it is done.
        done: bool,
    },
    /// Something worth showing that is none of the others.
    Notice {
        /// The text.
        text: String,
    },
    /// What the turn that ends now has used.
    Spent {
        /// In tokens.
        tokens: Tokens,
    },
    /// A turn came to its end. That it did is no sign of success: `failure` is looked at first.
    TurnEnded {
        /// The engine's reason.
        stop: StopReason,
        /// What went wrong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
        /// What the engine said of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// The engine's process is gone.
    Exited {
        /// Its status, where it ended by itself.
        status: Option<i32>,
        /// The end of what it wrote to standard error, without secrets.
        stderr: String,
    },
    /// What nobody here knows, as it came.
    Raw {
        /// All of it.
        value: Value,
    },
}
