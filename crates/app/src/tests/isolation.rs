//! Another account's identifiers and those of nothing at all must answer alike, byte for byte, on every route that takes one.
//!
//! Two accounts hold the same things. The second sends every request that takes an identifier over the wire, with all of
//! them its own but one, or with none its own: once with the first account's, once with one that nothing has. The request
//! with its own identifiers only is sent last and must succeed, so that nothing else can be what was refused.

use super::access::made;
use super::{program, serve};
use crate::features;
use accounts::Tokens;
use events::{Event, HasEvents};
use kit::op::Takes;
use kit::setting::{self, Setting};
use kit::{Authenticator, Method, Op};
use serde_json::{Map, Value, json};
use server::testing::{Answer, request, send};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use store::{HasDb, Tx, params};
use testkit::Program;
use testkit::stub::{Reply, Stub};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// An operation's example with the account's own things.
pub(super) fn own_input(op: &str, own: &Value) -> Value {
    fn filled(template: &Value, own: &Value) -> Value {
        let named = |text: &str| match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            Some(name) => own[name].as_str().unwrap_or_else(|| panic!("the account has no {name}")).to_owned(),
            None => text.to_owned(),
        };
        match template {
            Value::String(text) => named(text).into(),
            Value::Array(all) => all.iter().map(|one| filled(one, own)).collect(),
            Value::Object(all) => all.iter().map(|(name, value)| (named(name), filled(value, own))).collect(),
            other => other.clone(),
        }
    }
    let ops = features::ops();
    let op = ops.iter().find(|one| one.name == op).expect("an operation");
    filled(&serde_json::from_str(op.example).unwrap_or_else(|why| panic!("the example of {}: {why}", op.name)), own)
}

/// A picture of one pixel.
const IMAGE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// The id of a session's first request, within that session.
const FIRST_ASK: &str = "1-permission-1";
/// Operations that find nothing, rather than refuse, for identifiers that are not the account's: a filter of a list.
const FILTERS: [&str; 9] = [
    "tasks.caught.acceptAll",
    "tasks.list",
    "apps.list",
    "changes.list",
    "inbox.dismissAll",
    "inbox.groups",
    "inbox.list",
    "notifications.history",
    "work.list",
];
/// Members of inputs whose names say that they identify something, where the caller chooses the identifier.
const CHOSEN: [(&str, &str); 21] = [
    // Places of a task, and its session; tests of tasks try what isn't there.
    ("tasks.add", "parentId"),
    ("tasks.add", "afterId"),
    ("tasks.edit", "sessionId"),
    ("tasks.edit", "afterId"),
    ("tasks.edit", "parentId"),
    ("tasks.edit", "hubId"),
    ("tasks.update", "sessionId"),
    ("tasks.move", "hubId"),
    ("tasks.move", "afterId"),
    // A list in an address; tests of the feature try one that isn't there.
    ("team.plan", "personIds"),
    // Instead of a bookmark to be put before; tests of links try one that isn't there.
    ("bookmarks.reorder", "folderId"),
    // Instead of a hub; tests of the feature try another account's.
    ("apps.start", "sessionId"),
    // Instead of a hub, and for an update instead of the inbox; tests of the feature try others.
    ("messages.create", "sessionId"),
    ("messages.update", "sessionId"),
    ("messages.update", "hubId"),
    ("presence.renew", "windowId"),
    ("boards.cells", "stepId"),
    ("boards.import", "importId"),
    ("dashboards.open", "windowId"),
    ("dashboards.close", "windowId"),
    ("tokens.create", "sessionId"),
];

/// Settings that operations need, and that are off unless somebody turns them on.
pub(super) fn off_by_default() -> BTreeSet<&'static str> {
    let switches = features::ops().into_iter().filter_map(|op| op.switch).map(|(switch, _)| switch);
    // Meeting rooms are listed and changed while they are off.
    let is_off = |switch: &&Setting<bool>| matches!(switch.spec.default, setting::Default::Bool(false));
    let all = switches.filter(is_off).map(|switch| switch.spec.key);
    all.chain(["meetingRoomsEnabled"]).collect()
}

/// Turns everything on that is off by default.
pub(super) async fn turn_on(address: SocketAddr, token: &str) {
    let ops = features::ops();
    let set = ops.iter().find(|op| op.name == "settings.set").expect("an operation");
    for key in off_by_default() {
        let answer = exchange(address, set, token, &json!({"key": key, "value": true})).await;
        assert!(answer.status < 300, "{key}: {}", String::from_utf8_lossy(&answer.body));
    }
}

/// An account with one of everything; `more` makes its board's numbered columns and groups reach further.
pub(super) async fn account(program: &Program, address: SocketAddr, name: &str, more: usize) -> (String, Value) {
    let token =
        made(program, "account.add", json!({"name": name})).await["token"].as_str().expect("a token").to_owned();
    turn_on(address, &token).await;
    let ops = features::ops();
    let ask = async |op: &str, input: Value| {
        let op = ops.iter().find(|o| o.name == op).expect("an operation");
        let answer = exchange(address, op, &token, &input).await;
        assert!(answer.status < 300, "{}: {}", op.name, String::from_utf8_lossy(&answer.body));
        answer.json()
    };
    let ask_nothing = async |op: &str, input: Value| {
        let op = ops.iter().find(|o| o.name == op).expect("an operation");
        let answer = exchange(address, op, &token, &input).await;
        assert!(answer.status < 300, "{}: {}", op.name, String::from_utf8_lossy(&answer.body));
    };
    let workspace = ask("workspaces.list", json!({})).await["items"][0]["id"].clone();
    let board = ask("boards.create", json!({"workspaceId": workspace, "name": "B"})).await["id"].clone();
    let column = async |kind: &str| {
        ask("boards.columns.create", json!({"boardId": board, "title": "T", "type": kind})).await["id"].clone()
    };
    let group = async || ask("boards.groups.create", json!({"boardId": board, "name": "G"})).await["id"].clone();
    let view = async || {
        let input = json!({"boardId": board, "name": "V", "kind": "table"});
        ask("boards.views.create", input).await["id"].clone()
    };
    for _ in 0..more {
        column("text").await;
        group().await;
        view().await;
    }
    let item = ask("boards.items.create", json!({"boardId": board, "name": "I"})).await;
    let item = item["items"][0]["id"].as_str().or(item["id"].as_str()).expect("an item").to_owned();
    let of_item = |more: Value| {
        let mut input = json!({"boardId": board, "itemId": item});
        input.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        input
    };
    ask("boards.items.update", of_item(json!({"name": "J"}))).await;
    let activity = ask("boards.items.activity", of_item(json!({}))).await;
    let comment = ask("boards.comments.create", of_item(json!({"text": "C"}))).await;
    let file_column = column("file").await;
    let file = ask("boards.files.add", of_item(json!({"columnId": file_column}))).await;
    // What can be brought back, and what goes for good.
    let spare_board = async |delete: bool| {
        let made = ask("boards.create", json!({"workspaceId": workspace, "name": "S"})).await["id"].clone();
        if delete {
            ask_nothing("boards.delete", json!({"boardId": made})).await;
        }
        made
    };
    let spare_item = async |delete: bool| {
        let made = ask("boards.items.create", json!({"boardId": board, "name": "S"})).await["id"].clone();
        if delete {
            ask_nothing("boards.items.delete", json!({"boardId": board, "itemId": made})).await;
        }
        made
    };
    let deleted_column = column("text").await;
    ask_nothing("boards.columns.delete", json!({"boardId": board, "columnId": deleted_column})).await;
    let deleted_group = group().await;
    ask_nothing("boards.groups.delete", json!({"boardId": board, "groupId": deleted_group})).await;
    let widget_id = format!("widget-of-{name}");
    let widget = json!({"id": widget_id, "kind": "numbers", "layout": {"x": 0, "y": 0, "w": 3, "h": 3}, "settings": {"function": "count"}});
    let config = json!({"boardIds": [board], "widgets": [widget]});
    let dashboard = ask("dashboards.create", json!({"workspaceId": workspace, "name": "D", "config": config})).await;
    let spare_dashboard = async |delete: bool| {
        let input = json!({"workspaceId": workspace, "name": "S", "config": {"boardIds": [board]}});
        let made = ask("dashboards.create", input).await["id"].clone();
        if delete {
            ask_nothing("dashboards.delete", json!({"dashboardId": made})).await;
        }
        made
    };
    // What two sessions propose while a page has the dashboard open.
    ask("dashboards.open", json!({"dashboardId": dashboard["id"], "windowId": "window"})).await;
    let propose = async |session: &Value| {
        let input = json!({"kind": "agent", "name": "a", "sessionId": session, "scopes": ["dashboards:write"]});
        let agent = ask("tokens.create", input).await["token"].as_str().expect("a token").to_owned();
        let op = ops.iter().find(|op| op.name == "dashboards.widgets.add").expect("an operation");
        let input = json!({"dashboardId": dashboard["id"], "kind": "numbers", "title": "Proposed"});
        let answer = exchange(address, op, &agent, &input).await;
        assert_eq!(answer.status, 202, "{}", String::from_utf8_lossy(&answer.body));
        answer.json()["proposal"]["id"].clone()
    };
    let invited = ask("members.create", json!({"name": "Ida"})).await["id"].clone();
    let invite = json!({"dashboardId": dashboard["id"], "memberId": invited, "role": "viewer"});
    ask("dashboards.members.put", invite).await;
    let hub = async || {
        let folder = program.ctx.service::<kit::SpareDir>().0.join(kit::new_id());
        std::fs::create_dir(&folder).expect("a folder");
        ask("hubs.create", json!({"folder": folder})).await["id"].clone()
    };
    let hub_id = hub().await;
    for server in ["set-before", "gone-before"] {
        ask("hubs.servers.put", json!({"hubId": hub_id, "name": server, "command": "tools"})).await;
        let value = json!({"hubId": hub_id, "name": server, "valueName": "SET_BEFORE", "value": "V"});
        ask("hubs.servers.setValue", value).await;
    }
    ask("hubs.instructions.set", json!({"hubId": hub_id, "preset": "cloud-safety", "text": "Own"})).await;
    let template = async |name: &str| {
        ask("sessions.templates.create", json!({"name": name, "text": "Review."})).await["id"].clone()
    };
    // Agents of their own. Their ids are made from their names.
    let engine = async |number: u8| {
        let made =
            ask("engines.create", json!({"name": format!("Agent {number} of {name}"), "command": "agent"})).await;
        made["engineId"].clone()
    };
    let (engine_id, gone_engine) = (engine(1).await, engine(2).await);
    ask("engines.variables.set", json!({"engineId": engine_id, "name": "SET_BEFORE", "value": "V"})).await;
    // Waits until the session has come so far: it runs beside.
    let session = async |prompt: &str, is_there: fn(&Value) -> bool| {
        let made = ask("sessions.create", json!({"prompt": prompt, "projectId": hub_id, "engine": "practice"})).await;
        for _ in 0..10_000 {
            if is_there(&ask("sessions.get", json!({"sessionId": made["id"]})).await) {
                return made["id"].clone();
            }
        }
        panic!("the session {made} comes to nothing");
    };
    let idle = |session: &Value| session["state"] == "idle";
    let asks = |session: &Value| session["state"] == "awaitingPermission";
    let stopped = session("practice: say done", idle).await;
    ask("sessions.stop", json!({"sessionId": stopped})).await;
    let asking = session("practice: run true", asks).await;
    let ruled = session("practice: run true", asks).await;
    let lasting = json!({"sessionId": ruled, "askId": FIRST_ASK, "allow": true, "always": true});
    let rule = ask("sessions.answer", lasting).await["rule"]["id"].clone();
    let running = session("practice: wait 30", |session| session["state"] == "running").await;
    let turn = session("practice: wait 30", |session| session["state"] == "running").await;
    ask("sessions.message", json!({"sessionId": running, "prompt": "practice: say later"})).await;
    let pictured = session("practice: say done", idle).await;
    let image = json!({"media": "image/png", "data": IMAGE});
    ask("sessions.message", json!({"sessionId": pictured, "prompt": "practice: say more", "images": [image]})).await;
    let (proposal, other_proposal) = (propose(&running).await, propose(&turn).await);
    let of_running = json!({"kind": "agent", "name": "a", "sessionId": running});
    let token_made = ask("tokens.create", of_running).await;
    // A repository, with a worktree that is there and one that was put away.
    let repository = program.ctx.service::<kit::SpareDir>().0.join(kit::new_id());
    std::fs::create_dir(&repository).expect("a folder");
    let remote = program.ctx.service::<kit::SpareDir>().0.join(kit::new_id());
    let add_remote = format!("remote add origin {}", remote.display());
    for words in [
        "init -q -b main",
        // Each account's commit has its own hash.
        &format!("-c user.name=T -c user.email=t@example.com commit -q --allow-empty -m {}", repository.display()),
        "branch landed",
        &format!("clone -q --bare . {}", remote.display()),
        &add_remote,
    ] {
        let mut git = std::process::Command::new("git");
        git.args(words.split(' ')).current_dir(&repository).env("GIT_CONFIG_GLOBAL", "/dev/null");
        assert!(git.status().expect("git is there").success(), "git {words}");
    }
    let repository = ask("hubs.create", json!({"folder": repository})).await["id"].clone();
    let worktree = async || {
        let input =
            json!({"prompt": "practice: say done", "projectId": repository, "engine": "practice", "worktree": true});
        let made = ask("sessions.create", input).await["id"].clone();
        ask("sessions.stop", json!({"sessionId": made})).await;
        // An active session keeps its worktree.
        for _ in 0..10_000 {
            if ask("sessions.get", json!({"sessionId": made})).await["state"] == "stopped" {
                break;
            }
        }
        let all = ask("worktrees.list", json!({"projectId": repository})).await;
        let of_session = |one: &&Value| one["sessionId"] == made;
        all["items"].as_array().expect("a list").iter().find(of_session).expect("its worktree")["id"].clone()
    };
    let (worktree_id, gone_worktree) = (worktree().await, worktree().await);
    ask_nothing("worktrees.delete", json!({"worktreeId": gone_worktree})).await;
    // Sessions with a new file in a worktree, for each thing that is done with changes.
    let changing = async || {
        let input = json!({"prompt": "practice: write new.txt made", "projectId": repository, "engine": "practice", "worktree": true});
        let made = ask("sessions.create", input).await["id"].clone();
        for _ in 0..10_000 {
            if idle(&ask("sessions.get", json!({"sessionId": made})).await) {
                return made;
            }
        }
        panic!("the session doesn't write its file");
    };
    let (reviewed, reverted, dirty) = (changing().await, changing().await, changing().await);
    let (committed, published, staged) = (changing().await, changing().await, changing().await);
    let uncommitted = changing().await;
    let to_revert = json!({"sessionId": reverted, "path": "new.txt"});
    let undo_id = ask("sessions.changes.revert", to_revert).await["undoId"].clone();
    ask("sessions.changes.stage", json!({"sessionId": staged, "path": "new.txt"})).await;
    for session in [&committed, &published] {
        ask("sessions.changes.commit", json!({"sessionId": session, "message": "Add a file"})).await;
    }
    let work = ask("work.list", json!({"group": "landed"})).await;
    let is_landed = |one: &&Value| one["branch"] == "landed";
    let landed = work["items"].as_array().expect("a list").iter().find(is_landed).expect("a landed branch").clone();
    let merge = json!({"sessionIds": [uncommitted]});
    let merge_id = ask("work.merges.create", merge).await["id"].clone();
    // One runs at a time.
    for _ in 0..10_000 {
        if !ask("work.merges.get", json!({"mergeId": merge_id})).await["endedAt"].is_null() {
            break;
        }
    }
    let asked = ask("sessions.asks", json!({"sessionId": asking})).await["items"][0]["id"].clone();
    assert_eq!(asked, FIRST_ASK, "it is the same in every session");
    let changed = ask("settings.set", json!({"key": "heardAboutUs", "value": "x"})).await;
    // One that came to its end, to be taken back.
    let import_id = format!("import-of-{name}");
    let imported = ask("boards.import", json!({"workspaceId": workspace, "importId": import_id})).await;
    let items_group = group().await;
    let of_group = json!({"boardId": board, "name": "P", "groupId": items_group});
    let parent_item = ask("boards.items.create", of_group).await["id"].clone();
    let asked_for = async |name: &str| {
        ask("asks.requestInput", json!({"name": name, "target": {"secret": name}})).await["id"].clone()
    };
    let terminal =
        async || ask("terminals.create", json!({"hubId": hub_id, "columns": 80, "rows": 24})).await["id"].clone();
    let app = async |name: &str| {
        ask("apps.start", json!({"name": name, "command": ["sleep", "1000"], "hubId": hub_id})).await["id"].clone()
    };
    let offered = async |name: &str| ask("asks.proposeKey", json!({"name": name, "value": "V"})).await["id"].clone();
    ask("asks.answer", json!({"askId": asked_for("KEPT").await, "value": "V"})).await;
    let mut own = json!({
        "workspaceId": workspace,
        "boardId": board,
        "columnId": column("text").await,
        "peopleId": column("people").await,
        "linkId": ask("boards.columns.create", json!({"boardId": board, "title": "T", "type": "itemLink", "settings": {"boardId": board}})).await["id"],
        "groupId": items_group,
        "parentItemId": parent_item,
        "otherGroupId": group().await,
        "viewId": view().await,
        "deletedColumnId": deleted_column,
        "deletedGroupId": deleted_group,
        "spareBoardId": spare_board(false).await,
        "deletedBoardId": spare_board(true).await,
        "goneBoardId": spare_board(true).await,
        "spareItemId": spare_item(false).await,
        "deletedItemId": spare_item(true).await,
        "goneItemId": spare_item(true).await,
        "itemId": item,
        "commentId": comment["id"],
        "fileColumnId": file_column,
        "fileId": file["file"]["id"],
        "itemChange": activity["items"][0]["changeId"],
        "dashboardId": dashboard["id"],
        "widgetId": widget_id,
        "spareDashboardId": spare_dashboard(false).await,
        "deletedDashboardId": spare_dashboard(true).await,
        "goneDashboardId": spare_dashboard(true).await,
        "appId": ask("dashboards.apps.allow", json!({"address": "https://apps.example/own"})).await["id"],
        "proposalId": proposal,
        "otherProposalId": other_proposal,
        "invitedId": invited,
        "rowId": ask("inbox.alert", json!({"title": "R"})).await["id"],
        "batchId": ask("inbox.dismissAll", json!({"rowIds": [ask("inbox.alert", json!({"title": "B"})).await["id"]]})).await["batchId"],
        "spareRowId": ask("inbox.alert", json!({"title": "S"})).await["id"],
        "memberId": ask("members.create", json!({"name": "Ada"})).await["id"],
        "tokenId": token_made["id"],
        "change": changed["change"],
        "importId": import_id,
        "importedBoardId": imported["board"]["id"],
    });
    let of_sessions = json!({
        "hubId": hub_id,
        "goneHubId": hub().await,
        "sessionId": pictured,
        "runningSessionId": running,
        "turnSessionId": turn,
        "thirdIdleSessionId": session("practice: say done", idle).await,
        "repositoryId": repository,
        "worktreeId": worktree_id,
        "goneWorktreeId": gone_worktree,
        "reviewedSessionId": reviewed,
        "revertedSessionId": reverted,
        "dirtySessionId": dirty,
        "stagedSessionId": staged,
        "uncommittedSessionId": uncommitted,
        "committedSessionId": committed,
        "publishedSessionId": published,
        "undoId": undo_id,
        "landedBranchId": landed["id"],
        "workRepositoryId": landed["repositoryId"],
        "workCommit": landed["commit"],
        "mergeId": merge_id,
        "viewRowId": ask("navigation.ask", json!({"place": "inbox"})).await["rowId"],
        "idleSessionId": session("practice: say done", idle).await,
        "otherIdleSessionId": session("practice: say done", idle).await,
        "stoppedSessionId": stopped,
        "askingSessionId": asking,
        "ruleId": rule,
        "engineId": engine_id,
        "goneEngineId": gone_engine,
        "templateId": template("T").await,
        "goneTemplateId": template("Gone").await,
    });
    own.as_object_mut().expect("an object").extend(of_sessions.as_object().expect("an object").clone());
    // A hub with files of the user's where copies of its instruction file are to be, one of which was replaced.
    let folder = program.ctx.service::<kit::SpareDir>().0.join(kit::new_id());
    std::fs::create_dir(&folder).expect("a folder");
    for name in ["PRIMARY.md", "AGENTS.md", "ALT1.md", ".altrules2"] {
        std::fs::write(folder.join(name), format!("My own {name}.")).expect("a file");
    }
    let instruction_hub = ask("hubs.create", json!({"folder": folder})).await["id"].clone();
    let mirrors = json!(["AGENTS.md", "ALT1.md", ".altrules2"]);
    for (key, value) in [("agentInstructionsSyncEnabled", json!(true)), ("agentInstructionsSyncMirrors", mirrors)] {
        ask("settings.set", json!({"key": key, "value": value})).await;
    }
    let replaced = ask("instructions.replace", json!({"hubId": instruction_hub, "name": ".altrules2"})).await;
    let alarm = async || ask("alarms.create", json!({"time": "09:30", "days": ["mon"]})).await;
    let bookmark = async || ask("bookmarks.create", json!({"address": "https://example.com"})).await["id"].clone();
    let room = async || ask("rooms.create", json!({"name": "R", "address": "https://example.com"})).await["id"].clone();
    let (deleted_bookmark, deleted_room) = (bookmark().await, room().await);
    ask("bookmarks.delete", json!({"bookmarkId": deleted_bookmark})).await;
    ask("rooms.delete", json!({"roomId": deleted_room})).await;
    let folder = ask("bookmarks.create", json!({"name": "Folder"})).await["id"].clone();
    let note = async || ask("notes.create", json!({"text": "Note"})).await["id"].clone();
    let person = async || ask("team.people.create", json!({"name": "Ada", "timeZone": "UTC"})).await["id"].clone();
    let saved = json!({
        "bookmarkFolderId": folder,
        "noteId": note().await,
        "goneNoteId": note().await,
        "personId": person().await,
        "gonePersonId": person().await,
        "bookmarkId": bookmark().await,
        "otherBookmarkId": bookmark().await,
        "spareBookmarkId": bookmark().await,
        "deletedBookmarkId": deleted_bookmark,
        "roomId": room().await,
        "otherRoomId": room().await,
        "spareRoomId": room().await,
        "deletedRoomId": deleted_room,
    });
    own.as_object_mut().expect("an object").extend(saved.as_object().expect("an object").clone());
    let message = async || ask("messages.create", json!({"body": "B", "when": "every day at 9"})).await["id"].clone();
    // An agent's, which wait for your approval.
    let waiting = async || {
        let mut agent = program.ctx.service::<Tokens>().caller(&token).expect("a caller");
        agent.through_mcp = true;
        let input = json!({"body": "B", "when": "every day at 9"});
        let made = program.as_caller(agent, "messages.create", input).await.expect("a message");
        made["id"].clone()
    };
    let deleted_message = message().await;
    ask("messages.delete", json!({"messageId": deleted_message})).await;
    ask("settings.set", json!({"key": "dripEnabled", "value": true})).await;
    let queue = async || ask("drip.create", json!({"name": "Q", "everyHours": 1})).await["id"].clone();
    let (queue_id, deleted_queue) = (queue().await, queue().await);
    ask("drip.delete", json!({"queueId": deleted_queue})).await;
    let drip_item = async || ask("drip.items.add", json!({"queueId": queue_id, "content": "C"})).await["id"].clone();
    let preset = async || {
        let input = json!({"name": "P", "focusMinutes": 25, "breakMinutes": 5});
        ask("pomodoro.presets.create", input).await["id"].clone()
    };
    let rule = async || ask("pomodoro.rules.create", json!({"time": "09:00", "days": ["mon"]})).await["id"].clone();
    let timed = json!({
        "messageId": message().await,
        "spareMessageId": message().await,
        "deletedMessageId": deleted_message,
        "waitingMessageId": waiting().await,
        "otherWaitingMessageId": waiting().await,
        "dripItemId": drip_item().await,
        "releasedDripItemId": drip_item().await,
        "spareDripItemId": drip_item().await,
        "queueId": queue_id,
        "spareQueueId": queue().await,
        "deletedQueueId": deleted_queue,
        "presetId": preset().await,
        "sparePresetId": preset().await,
        "pomodoroRuleId": rule().await,
        "sparePomodoroRuleId": rule().await,
    });
    own.as_object_mut().expect("an object").extend(timed.as_object().expect("an object").clone());
    let task = async || ask("tasks.add", json!({"text": "Call Anna tomorrow"})).await["id"].clone();
    let (deleted_task, session_task) = (task().await, task().await);
    ask("tasks.delete", json!({"taskId": deleted_task})).await;
    ask("tasks.update", json!({"taskId": session_task, "sessionId": own["sessionId"]})).await;
    let planned = planned(address, &token).await;
    own.as_object_mut().expect("an object").extend(planned.as_object().expect("an object").clone());
    let caught = caught(program, &token).await;
    own.as_object_mut().expect("an object").extend(caught.as_object().expect("an object").clone());
    let asks = json!({
        "taskId": task().await,
        "goneTaskId": task().await,
        "deletedTaskId": deleted_task,
        "sessionTaskId": session_task,
        "askId": asked_for("A").await,
        "spareAskId": asked_for("B").await,
        "keyAskId": offered("C").await,
        "spareKeyAskId": offered("D").await,
        "alarmId": alarm().await["id"],
        "spareAlarmId": alarm().await["id"],
        "ringingAlarmId": ask("alarms.ring", json!({"alarmId": alarm().await["id"]})).await["id"],
        "digestId": ask("digests.create", json!({"kind": "daily"})).await["id"],
        "modelProviderId": ask("models.providers.create", json!({"kind": "codex"})).await["id"],
        "goneModelProviderId": ask("models.providers.create", json!({"kind": "claude"})).await["id"],
        "secretId": ask("secrets.list", json!({})).await["items"][0]["id"],
        "terminalId": terminal().await,
        "runningAppId": app("kept").await,
        "goneRunningAppId": app("gone").await,
        "instructionHubId": instruction_hub,
        "originalId": replaced["originals"][0]["id"],
        "goneTerminalId": terminal().await,
    });
    own.as_object_mut().expect("an object").extend(asks.as_object().expect("an object").clone());
    for (name, id) in own.as_object().expect("an object") {
        assert!(id.as_str().is_some_and(|id| !id.is_empty()), "{name} is {id}");
    }
    (token, own)
}

/// Calendars and events of an account, with a calendar server of the test's own.
async fn planned(address: SocketAddr, token: &str) -> Value {
    let ops = features::ops();
    let ask = async |name: &str, input: Value| {
        let op = ops.iter().find(|op| op.name == name).expect("an operation");
        let answer = exchange(address, op, token, &input).await;
        assert!(answer.status < 300, "{name}: {}", String::from_utf8_lossy(&answer.body));
        if answer.body.is_empty() { Value::Null } else { answer.json() }
    };
    let server = Stub::start(|asked| {
        let calendar = "<multistatus xmlns=\"DAV:\"><response><href>/</href><propstat><prop><resourcetype><collection/>\
             <calendar xmlns=\"urn:ietf:params:xml:ns:caldav\"/></resourcetype></prop></propstat></response></multistatus>";
        let file = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:h\nDTSTART:20260301T090000Z\nEND:VEVENT\nEND:VCALENDAR";
        match asked.line.split(' ').next() {
            Some("PROPFIND") => Reply::Status(207, String::new(), calendar.into()),
            Some("REPORT") => Reply::Status(403, String::new(), Vec::new()),
            Some("GET") => Reply::Status(200, String::new(), file.into()),
            _ => Reply::Status(201, "etag: \"1\"\r\n".into(), Vec::new()),
        }
    })
    .await;
    let url = server.url.clone();
    // It's needed as long as the test runs.
    std::mem::forget(server);
    ask("settings.set", json!({"key": "calendarEnabled", "value": true})).await;
    let calendar = async || ask("calendar.calendars.create", json!({"name": "C"})).await["id"].clone();
    let account = async || {
        ask("calendar.accounts.create", json!({"url": url, "username": "ada@example.com", "password": "P"})).await
    };
    let (own, deleted) = (calendar().await, calendar().await);
    ask("calendar.calendars.delete", json!({"calendarId": deleted})).await;
    let event = async || {
        let new =
            json!({"calendarId": own, "title": "E", "start": "2026-03-02T09:00:00Z", "end": "2026-03-02T10:00:00Z"});
        ask("calendar.events.create", new).await["eventId"].clone()
    };
    let invitation = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:i\nSUMMARY:Invitation\nDTSTART:20260303T090000Z\n\
         ATTENDEE:mailto:ada@example.com\nEND:VEVENT\nEND:VCALENDAR";
    let invited = account().await["calendars"][0]["id"].clone();
    ask("calendar.import", json!({"calendarId": invited, "text": invitation})).await;
    let found = ask("calendar.events.list", json!({"from": "2026-03-03", "to": "2026-03-04"})).await;
    json!({
        "calendarServerUrl": url,
        "calendarId": own,
        "spareCalendarId": calendar().await,
        "deletedCalendarId": deleted,
        "calendarAccountId": account().await["id"],
        "goneCalendarAccountId": account().await["id"],
        "eventId": event().await,
        "spareEventId": event().await,
        "invitedEventId": found["items"][0]["eventId"],
        "spareEventUndo": ask("calendar.events.delete", json!({"eventId": event().await})).await["undo"],
        "eventUndo": ask("calendar.events.delete", json!({"eventId": event().await})).await["undo"],
    })
}

/// Sends an operation with this input, each member where the route takes it.
pub(super) async fn exchange(address: SocketAddr, op: &Op, token: &str, input: &Value) -> Answer {
    exchange_if(address, op, token, input, None).await
}

/// The same, where the caller expects a revision.
async fn exchange_if(address: SocketAddr, op: &Op, token: &str, input: &Value, revision: Option<&str>) -> Answer {
    let mut rest: Map<String, Value> = input.as_object().expect("an object").clone();
    let part = |part: &str| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
        Some(name) => rest.remove(name).and_then(|id| Some(id.as_str()?.to_owned())).expect("a member of the path"),
        None => part.to_owned(),
    };
    let mut path = op.path.split('/').map(part).collect::<Vec<_>>().join("/");
    let in_query = op.method.reads() || op.method == Method::Delete || matches!(op.takes, Takes::File(_));
    let mut body = None;
    if in_query {
        let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let pairs: Vec<String> = rest.iter().map(|(name, value)| format!("{name}={}", word(value))).collect();
        path = format!("{path}?{}", pairs.join("&"));
        if matches!(op.takes, Takes::File(_)) {
            body = Some(("text/csv", "name\na\n".to_owned()));
        }
    } else {
        body = Some(("application/json", Value::Object(rest).to_string()));
    }
    let body = body.as_ref().map(|(media, text)| (*media, text.as_str()));
    let mut sent = request(address, op.method.name(), &path, Some(token), body);
    if let Some(revision) = revision {
        let behind_first_line = sent.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
        sent.splice(behind_first_line..behind_first_line, format!("if-match: \"{revision}\"\r\n").into_bytes());
    }
    send(address, &sent).await.expect("the program answers")
}

/// The whole answer, but for what differs from one request to the next whatever was asked.
fn seen(answer: &Answer, id: &str) -> (u16, Vec<(String, String)>, String) {
    let varies = |name: &str| ["date", "x-request-id"].contains(&name);
    let headers = answer.headers.iter().filter(|(name, _)| !varies(name)).cloned().collect();
    // An answer may say back what was sent.
    (answer.status, headers, String::from_utf8_lossy(&answer.body).replace(id, "ID"))
}

/// An identifier of the same form and length that nothing has.
fn unknown(id: &str) -> String {
    let (letter, digits) = id.split_at(1);
    if digits.bytes().all(|b| b.is_ascii_digit()) && digits.len() < 4 {
        // Numbered in its board, like c12.
        return format!("{letter}{}", "9".repeat(digits.len()));
    }
    let turned = |c: char| match c {
        '-' | '0' => c,
        c if c.is_ascii_digit() => '0',
        c => c,
    };
    id.chars().map(turned).collect()
}

/// The input with each of these identifiers replaced, wherever it stands, keys of cells included.
fn replaced(input: &Value, from: &[&str], to: &[String]) -> Value {
    let text = from
        .iter()
        .zip(to)
        .fold(input.to_string(), |text, (from, to)| text.replace(&format!("\"{from}\""), &format!("\"{to}\"")));
    serde_json::from_str(&text).expect("JSON")
}

/// What stands under names that identify something, at any depth of a schema.
fn identifying(schema: &Value, root: &Value, names: &mut BTreeSet<String>) {
    if let Some(target) = schema["$ref"].as_str() {
        let pointer = target.trim_start_matches('#');
        return identifying(root.pointer(pointer).unwrap_or(&Value::Null), root, names);
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        if name.ends_with("Id") || name.ends_with("Ids") || ["moveTo", "change"].contains(&name.as_str()) {
            names.insert(name.clone());
        }
        identifying(inner, root, names);
    }
}

/// The things of an account that an input names, each by its name and identifier.
fn named_in<'a>(own: &'a Value, input: &str) -> Vec<(&'a str, &'a str)> {
    let things = own.as_object().expect("an object").iter();
    // An address is nobody's.
    let things = things.filter(|(name, _)| !name.ends_with("Url"));
    let things = things.filter_map(|(name, id)| Some((name.as_str(), id.as_str()?)));
    things.filter(|(_, id)| input.contains(&format!("\"{id}\""))).collect()
}

/// Identifiers have no form that anyone could rely on, so none is refused for its length.
#[tokio::test]
async fn an_identifier_longer_than_any_is_as_unknown_as_others() {
    let program = program().await;
    let address = serve(&program).await;
    let (token, own) = account(&program, address, "own", 0).await;
    for op in &features::ops() {
        let input = own_input(op.name, &own);
        for (name, id) in named_in(&own, &input.to_string()) {
            let answer = async |chars: usize| {
                let other = "x".repeat(chars);
                let answer =
                    exchange(address, op, &token, &replaced(&input, &[id], std::slice::from_ref(&other))).await;
                (answer.status, String::from_utf8_lossy(&answer.body).replace(&other, "ID"))
            };
            let (one, long) = (answer(16).await, answer(300).await);
            assert_eq!(one, long, "{} with a {name} longer than any", op.name);
        }
    }
}

#[tokio::test]
async fn foreign_and_unknown_identifiers_answer_alike() {
    let program = program().await;
    let address = serve(&program).await;
    let (first_token, first) = account(&program, address, "first", 5).await;
    let (token, own) = account(&program, address, "other", 0).await;
    let ops = features::ops();
    let named = |name: &str| ops.iter().find(|op| op.name == name).expect("an operation");
    let mut import = begin_import(&program, address, &first_token, &first).await;

    let mut tried = 0;
    let mut last: Vec<(&Op, Value)> = Vec::new();
    for op in &ops {
        // An upload that stands still is ended.
        import.write_all(b"x").await.expect("the import goes on");
        let input = own_input(op.name, &own);
        let (text, schema) = (input.to_string(), op.input_schema());
        let mut names = BTreeSet::new();
        identifying(&schema, &schema, &mut names);
        for name in names {
            let is_given = text.contains(&format!("\"{name}\"")) || CHOSEN.contains(&(op.name, &name));
            assert!(is_given, "{} takes {name}: give it one of the other account's in `own_input`", op.name);
        }
        let sent = named_in(&own, &text);
        // One that is not its own among others that are, then none of its own.
        let each = sent.iter().map(|one| vec![*one]);
        let all = (sent.len() > 1).then(|| sent.clone());
        for swapped in each.chain(all) {
            let from: Vec<&str> = swapped.iter().map(|(_, id)| *id).collect();
            let foreign: Vec<String> =
                swapped.iter().map(|(name, _)| first[*name].as_str().expect("an id").to_owned()).collect();
            let nothing: Vec<String> = foreign.iter().map(|id| unknown(id)).collect();
            let answer = async |ids: &[String]| {
                let answer = exchange(address, op, &token, &replaced(&input, &from, ids)).await;
                ids.iter().fold(seen(&answer, &ids[0]), |(status, headers, body), id| {
                    (status, headers, body.replace(id, "ID"))
                })
            };
            let (one, other) = (answer(&foreign).await, answer(&nothing).await);
            let what: Vec<&str> = swapped.iter().map(|(name, _)| *name).collect();
            assert_eq!(one, other, "{} with another account's {what:?}", op.name);
            assert!(one.0 == 404 || FILTERS.contains(&op.name), "{} with another account's {what:?}: {one:?}", op.name);
            tried += 1;
        }
        // No model answers in tests, and only the first account opens pages on the computer.
        if !sent.is_empty()
            && !["boards.import.cancel", "models.test", "bookmarks.launch"].contains(&op.name)
            && !op.media.contains(&"text/event-stream")
        {
            last.push((op, input));
        }
    }
    assert!(tried > 50, "only {tried} requests with an identifier");

    // What deletes comes last, the innermost first.
    last.sort_by_key(|(op, input)| {
        (op.method == Method::Delete, std::cmp::Reverse(op.path_params().count()), input["boardId"].is_null())
    });
    for (op, input) in last {
        import.write_all(b"x").await.expect("the import goes on");
        let answer = exchange(address, op, &token, &input).await;
        assert!(answer.status < 300, "{} of its own: {}", op.name, String::from_utf8_lossy(&answer.body));
    }

    // Nothing of all that reached the first account: its things are there, and its import still runs.
    for op in ["boards.get", "boards.full", "boards.items.list", "dashboards.get"] {
        let op = named(op);
        assert_eq!(exchange(address, op, &first_token, &own_input(op.name, &first)).await.status, 200);
    }
    let cancelled =
        exchange(address, named("boards.import.cancel"), &first_token, &json!({"importId": first["importId"]})).await;
    assert_eq!(cancelled.status, 204, "{}", String::from_utf8_lossy(&cancelled.body));
    drop(import);
}

#[tokio::test]
async fn a_stale_revision_stops_every_operation_that_says_so_and_no_other() {
    let program = program().await;
    let address = serve(&program).await;
    let (token, own) = account(&program, address, "own", 0).await;
    let ops = features::ops();
    for op in ops.iter().filter(|op| op.if_match) {
        let input = match op.name {
            "settings.set" => json!({"key": "heardAboutUs", "value": "y"}),
            "settings.reset" => json!({"key": "heardAboutUs"}),
            "settings.change" => json!({"changes": {"heardAboutUs": "y"}}),
            "settings.import" => {
                json!({"document": {"format": "pilothouse-settings", "version": 1, "settings": {"heardAboutUs": "y"}}})
            }
            name => own_input(name, &own),
        };
        let stale = exchange_if(address, op, &token, &input, Some("987654")).await;
        assert_eq!((stale.status, stale.code().as_str()), (412, "stale-revision"), "{}", op.name);
    }
    // Whoever makes a thing may know of no revision.
    let make = ops.iter().find(|op| op.name == "boards.create").expect("an operation");
    let made = exchange_if(address, make, &token, &own_input(make.name, &own), Some("987654")).await;
    assert_eq!(made.status, 201);
}

/// An import of which the rest of the file never comes, into the board that one of the same id made; it runs when this returns.
/// Follow-ups as if a model had caught them.
async fn caught(program: &Program, token: &str) -> Value {
    let owner = program.ctx.service::<Tokens>().caller(token).expect("a caller").account.clone();
    let ids: [String; 4] = std::array::from_fn(|_| kit::ids::short_id());
    let all = ids.clone();
    let write = move |tx: &mut Tx<'_>| {
        for (id, state) in all.iter().zip(["staged", "staged", "staged", "dismissed"]) {
            let sql = "INSERT INTO task_caught (account_id, caught_id, session_id, hub_id, caught_text, state, task_id, caught_ms, \
                 settled_ms) VALUES ($1, $2, '', '', 'Update the guide', $3, '', 1, 0)";
            tx.execute(sql, params![&*owner, id, state])?;
        }
        Ok(())
    };
    program.ctx.db().write(write).await.expect("follow-ups");
    json!({"caughtId": ids[0], "goneCaughtId": ids[1], "spareCaughtId": ids[2], "settledCaughtId": ids[3]})
}

async fn begin_import(program: &Program, address: SocketAddr, token: &str, own: &Value) -> TcpStream {
    let text = |name: &str| own[name].as_str().expect("an id");
    let (_, mut events) = program.ctx.events().listen(None);
    let mut stream = TcpStream::connect(address).await.expect("the program listens");
    let head = format!(
        "POST /boards/import?boardId={}&importId={} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\
         content-type: text/csv\r\ncontent-length: 10000\r\n\r\nname\n",
        text("importedBoardId"),
        text("importId")
    );
    stream.write_all(head.as_bytes()).await.expect("the program reads");
    loop {
        let told = events.recv().await.expect("the program runs");
        if matches!(&told.event, Event::ImportProgress { import_id, .. } if import_id == text("importId")) {
            return stream;
        }
    }
}

#[tokio::test]
async fn lists_of_another_account_are_empty() {
    let program = program().await;
    let address = serve(&program).await;
    account(&program, address, "first", 0).await;
    let other = made(&program, "account.add", json!({"name": "Other"})).await;
    let other = other["token"].as_str().expect("a token");
    for name in ["boards.list", "dashboards.list", "members.list", "settings.history", "changes.list"] {
        let ops = features::ops();
        let op = ops.iter().find(|op| op.name == name).expect("an operation");
        let list = exchange(address, op, other, &json!({})).await;
        assert_eq!((list.status, &list.json()["items"]), (200, &json!([])), "{name}");
    }
}

#[tokio::test]
async fn where_an_answer_says_that_the_new_thing_is_it_can_be_read() {
    let program = program().await;
    let address = serve(&program).await;
    let (token, own) = account(&program, address, "own", 0).await;
    let mut located = 0;
    for op in features::ops().iter().filter(|op| op.status == 201) {
        let mut input = own_input(op.name, &own);
        if input == json!({}) {
            input = if op.name == "sessions.practice" { json!({}) } else { json!({"name": "N"}) };
        }
        let made = exchange(address, op, &token, &input).await;
        assert!(made.status < 300, "{}: {}", op.name, String::from_utf8_lossy(&made.body));
        assert_eq!(made.header("location").is_some(), op.located, "{} says so in openapi.json", op.name);
        if let Some(path) = made.header("location") {
            let read = send(address, &request(address, "GET", path, Some(&token), None)).await.expect("it answers");
            assert_eq!(read.status, 200, "{} is at {path}", op.name);
            located += 1;
        }
    }
    assert!(located > 4, "{located}");
}
