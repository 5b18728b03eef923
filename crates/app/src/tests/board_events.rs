//! From a change of a board to a row of the inbox and its notification: the whole way, with every feature.

use super::{owner, program};
use kit::{Caller, Kind};
use serde_json::{Value, json};
use testkit::Program;

/// A board with an item, and who is meant by "you".
struct Place {
    program: Program,
    account: String,
    board: String,
    item: String,
    you: String,
    other: String,
}

impl Place {
    async fn start() -> Place {
        let program = program().await;
        let account = program.ctx.service::<accounts::Tokens>().first_account().to_owned();
        let member = async |name: &str| {
            let made = owner(&program, "members.create", json!({"name": name})).await.unwrap();
            made["id"].as_str().unwrap().to_owned()
        };
        let (you, other) = (member("Ada").await, member("Ben").await);
        let marked = owner(&program, "members.update", json!({"memberId": you, "you": true})).await.unwrap();
        assert_eq!(marked["you"], true);
        let board = owner(&program, "boards.create", json!({"name": "Launch"})).await.unwrap();
        let board = board["id"].as_str().unwrap().to_owned();
        let item =
            owner(&program, "boards.items.create", json!({"boardId": board, "name": "Fix login"})).await.unwrap();
        let item = item["id"].as_str().unwrap().to_owned();
        let place = Place { program, account, board, item, you, other };
        place.settle().await;
        place
    }

    /// A script changes a cell.
    async fn change(&self, column: &str, value: Value) {
        let cli = Caller::new(Kind::Cli, &self.account, "script");
        let input = json!({"boardId": self.board, "itemId": self.item, "columnId": column, "value": value});
        self.program.as_caller(cli, "boards.cell", input).await.unwrap();
        self.settle().await;
    }

    async fn settle(&self) {
        self.program.run_due().await;
        self.program.fire_timers().await;
    }

    async fn set(&self, key: &str, value: Value) {
        owner(&self.program, "settings.set", json!({"key": key, "value": value})).await.unwrap();
    }

    /// Kinds and titles of open rows, oldest first.
    async fn rows(&self) -> Vec<(String, String)> {
        let page = owner(&self.program, "inbox.list", json!({})).await.unwrap();
        let of = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
        page["items"].as_array().unwrap().iter().rev().map(|row| (of(row, "kind"), of(row, "title"))).collect()
    }

    async fn titles(&self) -> Vec<String> {
        self.rows().await.into_iter().map(|(_, title)| title).collect()
    }

    async fn last_reason(&self) -> String {
        let page = owner(&self.program, "notifications.history", json!({})).await.unwrap();
        page["items"][0]["reason"].as_str().unwrap().to_owned()
    }

    /// Moves the clock to a time of the day of the start, UTC, or later.
    async fn at(&self, hours: i64) {
        self.program.clock.advance_ms(testkit::START_MS + hours * 3_600_000 - self.program.ctx.now_ms());
        self.settle().await;
    }
}

#[tokio::test]
async fn assignments_status_changes_due_dates_and_mentions_become_rows_that_link_to_the_item() {
    let place = Place::start().await;
    place.change("Owner", json!([place.other])).await;
    assert!(place.rows().await.is_empty(), "somebody else's assignment is no news");
    place.change("Owner", json!([place.other, place.you])).await;
    place.change("Status", json!("Done")).await;
    let comment = json!({"boardId": place.board, "itemId": place.item, "text": "Look, @[Ada]"});
    let cli = Caller::new(Kind::Cli, &place.account, "script");
    place.program.as_caller(cli, "boards.comments.create", comment).await.unwrap();
    place.settle().await;
    let told = |kind: &str, what: &str| (kind.to_owned(), format!("Fix login: {what}"));
    let rows = place.rows().await;
    assert_eq!(rows[0], told("assigned", "assigned to you"));
    assert!(rows[1].1.ends_with("→ Done"), "{rows:?}");
    assert_eq!(rows[2], told("mention", "mentions you in a comment"));
    let page = owner(&place.program, "inbox.list", json!({"kind": "assigned"})).await.unwrap();
    let row = &page["items"][0];
    assert_eq!(row["link"], format!("/app/boards/{}?item={}", place.board, place.item));
    assert_eq!((&row["body"], &row["boardId"]), (&json!("Launch"), &json!(place.board)));
}

#[tokio::test]
async fn an_overdue_item_is_told_at_once_whatever_holds_the_rest() {
    let place = Place::start().await;
    place.set("pmInboxDigestMode", json!(true)).await;
    place.change("Owner", json!([place.you])).await;
    place.change("Due", json!("2026-03-02")).await;
    assert!(place.titles().await.is_empty(), "what isn't overdue waits for the digest");
    owner(&place.program, "focus.start", json!({})).await.unwrap();
    place.at(36).await;
    let titles = place.titles().await;
    assert!(titles.contains(&"Fix login: overdue since 2026-03-02".to_owned()), "{titles:?}");
    let history = owner(&place.program, "notifications.history", json!({})).await.unwrap();
    let of_it = history["items"].as_array().unwrap().iter().find(|entry| entry["kind"] == "overdue").unwrap();
    assert_eq!((&of_it["decision"], &of_it["reason"]), (&json!("show"), &json!("Shown: overdue items always notify.")));
}

#[tokio::test]
async fn a_digest_lists_the_events_of_the_hour_once() {
    let place = Place::start().await;
    place.set("pmInboxDigestMode", json!(true)).await;
    place.program.clock.advance_ms(10 * 60_000);
    place.change("Owner", json!([place.you])).await;
    place.change("Status", json!("Done")).await;
    place.change("Status", json!("Stuck")).await;
    assert!(place.titles().await.is_empty());
    place.at(1).await;
    let page = owner(&place.program, "inbox.list", json!({})).await.unwrap();
    let row = &page["items"][0];
    assert_eq!((&row["kind"], &row["title"]), (&json!("boardDigest"), &json!("3 board events")));
    assert!(row["body"].as_str().unwrap().starts_with("Fix login: assigned to you (Launch)\n"), "{row}");
    place.at(3).await;
    assert_eq!(place.titles().await.len(), 1, "nothing is told twice");
    place.set("pmInboxDigestMode", json!(false)).await;
    place.change("Status", json!("Done")).await;
    assert_eq!(place.titles().await.len(), 2);
}

#[tokio::test]
async fn a_board_tells_what_its_preference_says_and_nothing_while_the_setting_is_off() {
    let place = Place::start().await;
    place.set("pmInboxBoardPreferences", json!({&place.board: "none"})).await;
    place.change("Status", json!("Done")).await;
    assert!(place.titles().await.is_empty());
    place.set("pmInboxBoardPreferences", json!({&place.board: "assigned-only"})).await;
    place.change("Status", json!("Stuck")).await;
    assert!(place.titles().await.is_empty(), "the item isn't assigned to you");
    place.change("Owner", json!([place.you])).await;
    place.change("Status", json!("Done")).await;
    assert_eq!(place.titles().await.len(), 2);
    place.set("pmInboxBoardPreferences", json!({"another": "none"})).await;
    place.set("pmInboxEnabled", json!(false)).await;
    place.change("Status", json!("Stuck")).await;
    let titles = place.titles().await;
    assert_eq!(titles.len(), 2, "old rows stay: {titles:?}");
    assert!(titles.iter().any(|title| title.ends_with("→ Done")), "the setting is off: {titles:?}");
    place.set("pmInboxEnabled", json!(true)).await;
    place.change("Status", json!("Done")).await;
    assert_eq!(place.titles().await.len(), 2, "one open row per item and kind");
    let bad = json!({"key": "pmInboxBoardPreferences", "value": {&place.board: "some"}});
    assert_eq!(owner(&place.program, "settings.set", bad).await.unwrap_err().code().status, 422);
}

#[tokio::test]
async fn what_the_user_did_is_not_told_to_the_user() {
    let place = Place::start().await;
    let input = json!({"boardId": place.board, "itemId": place.item, "columnId": "Owner", "value": [place.you]});
    owner(&place.program, "boards.cell", input).await.unwrap();
    place.settle().await;
    assert!(place.titles().await.is_empty());
}

#[tokio::test]
async fn quiet_hours_hold_notifications_of_boards_but_not_their_rows() {
    let place = Place::start().await;
    // The clock starts at noon, UTC.
    place.set("pmInboxQuietHoursEnabled", json!(true)).await;
    place.set("pmInboxQuietHoursStart", json!("12:00")).await;
    place.set("pmInboxQuietHoursEnd", json!("14:00")).await;
    place.set("pmInboxQuietHoursTimeZone", json!("UTC")).await;
    place.change("Owner", json!([place.you])).await;
    assert_eq!(place.titles().await.len(), 1);
    assert_eq!(place.last_reason().await, "Held until quiet hours end.");
    place.at(2).await;
    assert_eq!(place.last_reason().await, "Shown.");
    let bad = json!({"key": "pmInboxQuietHoursTimeZone", "value": "Mars/Olympus"});
    assert_eq!(owner(&place.program, "settings.set", bad).await.unwrap_err().code().status, 422);
    place.set("pmInboxQuietHoursEnd", json!("12:00")).await;
    place.at(24).await;
    place.change("Status", json!("Done")).await;
    assert_eq!(place.last_reason().await, "Shown.", "an empty window is none");
}
