//! Error codes of this feature, and refusals of the rules as errors.

use kit::error::Error;
use supervisor::spawn::Refused;

/// Seconds after which another session may have ended.
const RETRY_AFTER_S: u32 = 30;

/// A refusal of the rules as an error with its code.
pub(crate) fn refused(why: Refused) -> Error {
    let code = CODES.iter().copied().find(|code| code.name == why.code);
    let error = code.unwrap_or(&NOT_NOW).error(why.detail);
    let error = if why.status == 429 { error.retry_after(RETRY_AFTER_S) } else { error };
    match why.setting {
        Some(setting) => error.with("setting", setting),
        None => error,
    }
}

kit::error_codes! {
    HUB_FOLDER = 422 "hub-folder" "Folder can't be a hub" : "A hub must be an existing folder that Pilothouse can access, outside its own data directory. The detail says what's wrong.";
    AGENT_TOKEN_SPAWN = 403 "agent-token-spawn" "Sessions can't start sessions" : "The setting allowAgentTokenSpawn is off. Ask the owner to turn it on.";
    SOURCE_SESSION_REQUIRED = 403 "source-session-required" "Source session required" : "Send the calling session's id in `X-App-Source-Session-Id`, or turn requireSpawnSourceSession off. A session's own token can only name that session.";
    AGENT_DRIVEN_DISABLED = 403 "agent-driven-disabled" "Agent-driven sessions are off" : "The setting agentDrivenSessionsEnabled is off. Turn it on to let scripts and agents start sessions and send follow-up messages.";
    SPAWN_DEPTH = 403 "spawn-depth" "Too many generations" : "The maximum depth of child sessions is reached. Start this session from the app.";
    AGENT_CONCURRENCY = 429 "agent-concurrency" "Too many agent-driven sessions" : "The limit agentDrivenMaxConcurrent is reached. Retry when one has ended, or raise the setting.";
    AGENT_BOARD_DISABLED = 403 "agent-board-disabled" "Agent Board is off" : "The setting agentStatusBoardEnabled is off. Turn it on, or list sessions with `GET /sessions`.";
    NOT_IN_THIS_VERSION = 422 "not-in-this-version" "Not available in this version" : "This version of Pilothouse doesn't have this feature. Nothing was changed.";
    ENGINE_NOT_INSTALLED = 409 "engine-not-installed" "Engine isn't installed" : "The session's engine is missing on this machine or too old. Run the command in the detail, then start the session again.";
    ENGINE_NOT_LOGGED_IN = 409 "engine-not-logged-in" "Not logged in to the engine" : "The session's engine has no login on this machine. Run the command in the detail, then start the session again.";
    ENGINE_REFUSED = 409 "engine-refused" "Engine rejected the request" : "The session's engine rejected the request or didn't answer; the detail says which. Nothing was changed.";
    MODE_TOO_WIDE = 403 "mode-too-wide" "Mode exceeds permission level" : "In this mode the engine does more without approval than agentPermissionLevel allows. Choose another mode, or raise the setting.";
    SECRET_UNREADABLE = 503 "secret-unreadable" "Couldn't use stored secrets" : "The key that seals secrets can't be read, or a value was sealed with another key; the detail says which. Set the value again.";
    ASK_DISABLED = 403 "ask-disabled" "Ask is off" : "The setting askAppEnabled is off. Turn it on to ask about Pilothouse.";
    NO_IMAGES = 422 "no-images" "Engine doesn't accept images" : "The session's engine accepts text only. Save the image as a file and name it in the message.";
    WORKTREE = 409 "worktree" "Git operation failed" : "Couldn't create, read, or move a worktree; the detail has git's message. Nothing was lost.";
    CHANGED_FILE = 409 "changed-file" "File changed since you read it" : "The file differs from the version that you read. Reload it, then revert again. Nothing was changed.";
    MERGE_CONFLICTS = 409 "merge-conflicts" "Merge has conflicts" : "Branch and base changed the same lines; the detail names the files. Nothing was changed. Let the agent merge the base branch first.";
    UNSAVED_WORK = 409 "unsaved-work" "Worktree has unsaved work" : "Uncommitted files, or commits on no other branch, would be lost. Save them, or send `keepWork: true` to commit everything to a new branch first.";
    NO_RULE = 422 "no-rule" "No permission rule can cover this" : "Requests for sensitive files, the engine's own configuration, plans, or unclear commands and addresses can't be allowed permanently. Answer without `always`.";
    NOT_NOW = 409 "not-now" "Not possible in this state" : "The request doesn't fit the session's state, or was already done; the detail says why. Nothing was changed.";
}
