use super::*;
use crate::{COMMENT_CHARS_MAX, COMMENTS_MAX, MENTIONS_MAX};
use events::{Event, HasEvents};
use testkit::refused;

async fn item_on(p: &Program, board: &str, name: &str) -> String {
    let made = p.owner("boards.items.create", json!({"boardId": board, "name": name})).await.unwrap();
    made["id"].as_str().unwrap().to_owned()
}

/// A board with one item.
async fn place(p: &Program) -> (String, String) {
    let board = tasks_board(p).await;
    let item = item_on(p, &board, "One").await;
    (board, item)
}

fn session(id: &str, scopes: &[&str]) -> Caller {
    let mut caller = Caller::new(Kind::Agent, ACCOUNT, id);
    caller.session = Some(id.into());
    caller.scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    caller
}

fn member(id: &str) -> Caller {
    let mut caller = Caller::new(Kind::Member, ACCOUNT, "member-token");
    caller.member = Some(id.into());
    caller
}

async fn comment_as(p: &Program, caller: Caller, at: &(String, String), text: &str) -> Value {
    let input = json!({"boardId": at.0, "itemId": at.1, "text": text});
    p.as_caller(caller, "boards.comments.create", input).await.unwrap()
}

async fn listed(p: &Program, at: &(String, String)) -> Vec<Value> {
    let list = p.owner("boards.comments.list", json!({"boardId": at.0, "itemId": at.1})).await.unwrap();
    list["items"].as_array().unwrap().clone()
}

fn comment_input(at: &(String, String), comment: &Value, more: Value) -> Value {
    let mut input = json!({"boardId": at.0, "itemId": at.1, "commentId": comment["id"]});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

async fn comment_rows(p: &Program) -> i64 {
    let count = |tx: &mut store::Tx<'_>| tx.query_one("SELECT count(*) FROM item_comments", &[], |row| row.get(0));
    p.ctx.db().read(count).await.unwrap()
}

#[tokio::test]
async fn a_comment_is_written_read_changed_and_leaves_its_place() {
    let p = start().await;
    let at = place(&p).await;
    let first = comment_as(&p, owner(), &at, "See **this**, @[m-anna]").await;
    let expected = json!({
        "id": first["id"], "itemId": at.1, "author": {"kind": "owner", "name": "Owner"},
        "text": "See **this**, @[m-anna]", "mentions": [ANNA], "deleted": false, "own": true,
        "createdAt": "2026-03-01T12:00:00.000Z", "updatedAt": "2026-03-01T12:00:00.000Z", "revision": 1,
    });
    assert_eq!(first, expected);
    let second = comment_as(&p, member(BEN), &at, "Fine").await;
    assert_eq!(second["author"], json!({"kind": "member", "name": "Ben Ito"}));
    assert_eq!(listed(&p, &at).await.iter().map(|c| &c["text"]).collect::<Vec<_>>(), [&first["text"], &json!("Fine")]);

    p.clock.advance_ms(1_000);
    let changed = p.owner("boards.comments.update", comment_input(&at, &first, json!({"text": "Done"}))).await.unwrap();
    assert_eq!((&changed["text"], &changed["mentions"]), (&json!("Done"), &json!([])));
    assert_eq!((&changed["revision"], &changed["updatedAt"]), (&json!(2), &json!("2026-03-01T12:00:01.000Z")));

    p.owner("boards.comments.delete", comment_input(&at, &first, json!({}))).await.unwrap();
    let left = listed(&p, &at).await;
    assert_eq!(left.len(), 2, "the second keeps its place");
    assert_eq!((&left[0]["id"], &left[0]["deleted"], &left[0]["text"]), (&first["id"], &json!(true), &json!("")));
    refused(p.owner("boards.comments.delete", comment_input(&at, &first, json!({}))).await, "not-found");
    refused(p.owner("boards.comments.update", comment_input(&at, &first, json!({"text": "x"}))).await, "not-found");

    let recorded = p.ctx.db().read(move |tx| tx.changes(ACCOUNT, "item", &at.1, None, 10)).await.unwrap();
    let field = format!("comments/{}", first["id"].as_str().unwrap());
    let of_first: Vec<_> = recorded.iter().filter(|change| change.field == field).collect();
    assert_eq!(of_first.len(), 3);
    assert!(of_first[0].after.is_none() && of_first[2].before.is_none());
    assert!(of_first.iter().all(|change| change.actor == "owner"));
    let words = format!("{recorded:?}");
    assert!(!words.contains("See **this**") && !words.contains("Done"), "a deleted text is kept nowhere: {words}");
}

#[tokio::test]
async fn a_comment_that_is_sent_again_is_there_once() {
    let p = start().await;
    let at = place(&p).await;
    let id = "0123456789abcdef";
    let sent = json!({"boardId": at.0, "itemId": at.1, "text": "Once", "id": id});
    let first = p.owner("boards.comments.create", sent.clone()).await.unwrap();
    assert_eq!((&first["id"], &first["revision"]), (&json!(id), &json!(1)));
    let (_, mut heard) = p.ctx.events().listen(None);
    assert_eq!(p.owner("boards.comments.create", sent.clone()).await.unwrap(), first);
    assert!(heard.try_recv().is_err(), "what is there already is told to nobody");
    refused(p.as_caller(member(ANNA), "boards.comments.create", sent.clone()).await, "conflict");
    let wrong = json!({"boardId": at.0, "itemId": at.1, "text": "x", "id": "Not an id"});
    refused(p.owner("boards.comments.create", wrong).await, "invalid-input");

    // So is another text of it, and one that was deleted since does not come back.
    let text = json!({"text": "Other"});
    let changed = p.owner("boards.comments.update", comment_input(&at, &first, text.clone())).await.unwrap();
    assert_eq!(p.owner("boards.comments.update", comment_input(&at, &first, text)).await.unwrap(), changed);
    assert_eq!(p.owner("boards.comments.create", sent.clone()).await.unwrap(), changed);
    p.owner("boards.comments.delete", comment_input(&at, &first, json!({}))).await.unwrap();
    let gone = p.owner("boards.comments.create", sent).await.unwrap();
    assert_eq!((&gone["deleted"], &gone["text"]), (&json!(true), &json!("")));
    assert_eq!(listed(&p, &at).await, [gone]);
}

#[tokio::test]
async fn only_the_author_edits_and_only_the_author_and_the_owner_delete() {
    let p = start().await;
    let at = place(&p).await;
    let writes = ["boards:write", "boards:read"];
    let of_session = comment_as(&p, session("s1", &writes), &at, "From a session").await;
    assert_eq!(of_session["author"], json!({"kind": "agent", "name": "Session", "sessionId": "s1"}));
    let of_anna = comment_as(&p, member(ANNA), &at, "From Anna").await;
    let of_owner = comment_as(&p, owner(), &at, "From the owner").await;

    let text = json!({"text": "changed"});
    for (caller, comment) in [
        (session("s2", &writes), &of_session),
        (member(ANNA), &of_session),
        (owner(), &of_session),
        (session("s1", &writes), &of_anna),
        (member(BEN), &of_anna),
        (owner(), &of_anna),
        (member(ANNA), &of_owner),
    ] {
        let input = comment_input(&at, comment, text.clone());
        refused(p.as_caller(caller.clone(), "boards.comments.update", input).await, "not-your-comment");
        if caller.kind != Kind::Owner {
            let input = comment_input(&at, comment, json!({}));
            let code = if caller.kind == Kind::Agent { "forbidden-caller" } else { "not-your-comment" };
            refused(p.as_caller(caller, "boards.comments.delete", input).await, code);
        }
    }
    let own: Vec<_> = listed(&p, &at).await.iter().map(|c| c["own"].clone()).collect();
    assert_eq!(own, [false, false, true]);
    // The page and the command line are the same person's.
    let cli = Caller::new(Kind::Cli, ACCOUNT, "cli");
    p.as_caller(cli.clone(), "boards.comments.update", comment_input(&at, &of_owner, text.clone())).await.unwrap();
    p.as_caller(session("s1", &writes), "boards.comments.update", comment_input(&at, &of_session, text.clone()))
        .await
        .unwrap();
    p.as_caller(member(ANNA), "boards.comments.delete", comment_input(&at, &of_anna, json!({}))).await.unwrap();
    p.as_caller(cli, "boards.comments.delete", comment_input(&at, &of_session, json!({}))).await.unwrap();
    assert_eq!(listed(&p, &at).await.iter().filter(|c| c["deleted"] == true).count(), 2);
}

#[tokio::test]
async fn sessions_need_the_scope_and_public_callers_nothing_helps() {
    let p = start().await;
    let at = place(&p).await;
    let comment = comment_as(&p, owner(), &at, "x").await;
    let change = p.owner("boards.items.activity", json!({"boardId": at.0, "itemId": at.1})).await.unwrap();
    let undo = json!({"boardId": at.0, "changeId": change["items"][0]["changeId"]});
    let here = json!({"boardId": at.0, "itemId": at.1});
    let text = json!({"text": "y"});
    let mut create = here.clone();
    create["text"] = json!("y");
    let calls = [
        ("boards.comments.list", here.clone(), "boards:read"),
        ("boards.items.activity", here, "boards:read"),
        ("boards.comments.create", create, "boards:write"),
        ("boards.comments.update", comment_input(&at, &comment, text), "boards:write"),
        ("boards.undo", undo, "boards:write"),
    ];
    for (op, input, scope) in calls {
        let other = if scope == "boards:read" { "boards:write" } else { "boards:read" };
        refused(p.as_caller(session("s1", &[other]), op, input.clone()).await, "scope-missing");
        refused(p.as_caller(Caller::new(Kind::Public, ACCOUNT, ""), op, input.clone()).await, "no-token");
        let outcome = p.as_caller(session("s1", &[scope]), op, input).await;
        assert!(!outcome.is_err_and(|e| e.code().name == "scope-missing"), "{op}");
    }
}

#[tokio::test]
async fn mentions_are_members_of_the_account() {
    let p = start().await;
    let at = place(&p).await;
    let with = |text: &str| json!({"boardId": at.0, "itemId": at.1, "text": text});
    let both = p.owner("boards.comments.create", with("@[m-ben] and @[m-anna], again @[m-ben]")).await.unwrap();
    assert_eq!(both["mentions"], json!([BEN, ANNA]));
    let foreign = refused(p.owner("boards.comments.create", with("@[m-stranger]")).await, "named-not-found");
    let unknown = refused(p.owner("boards.comments.create", with("@[m-nobody-x]")).await, "named-not-found");
    let told = unknown.problem().to_string().replace("m-nobody-x", "m-stranger");
    assert_eq!(foreign.problem().to_string(), told, "a foreign member answers as none");
    assert_eq!(foreign.fields()[0].pointer, "/text");
    refused(
        p.owner("boards.comments.update", comment_input(&at, &both, json!({"text": "@[m-stranger]"}))).await,
        "named-not-found",
    );
    // What cannot be an id is text.
    for text in ["@[]", "@[ ]", "@[<b>]", "mail@[", "@[[m-anna]", "@[two\nlines]", "a@b.c [m-stranger]"] {
        let made = p.owner("boards.comments.create", with(text)).await.unwrap();
        assert_eq!((&made["mentions"], &made["text"]), (&json!([]), &json!(text)));
    }
    let many: String = (0..=MENTIONS_MAX).map(|i| format!("@[m{i}] ")).collect();
    let error = refused(p.owner("boards.comments.create", with(&many)).await, "invalid-input");
    assert_eq!(error.fields()[0].code.name(), "too-many-mentions");
}

#[tokio::test]
async fn a_mention_names_a_member_by_what_one_alone_is_called() {
    let p = start().await;
    let at = place(&p).await;
    let with = |text: &str| json!({"boardId": at.0, "itemId": at.1, "text": text});
    let write = async |text: &str| p.owner("boards.comments.create", with(text)).await;
    let made = write("@[Anna Berg], @[ Ben Ito ](see) and @[m-anna]; re@[Ben Ito]").await.unwrap();
    assert_eq!(made["text"], "@[m-anna], @[m-ben](see) and @[m-anna]; re@[m-ben]");
    assert_eq!(made["mentions"], json!([ANNA, BEN]));
    let changed =
        p.owner("boards.comments.update", comment_input(&at, &made, json!({"text": "@[Ben Ito]!"}))).await.unwrap();
    assert_eq!((&changed["text"], &changed["mentions"]), (&json!("@[m-ben]!"), &json!([BEN])));

    // Another account's member is nobody here, and so is a name of two.
    let twins = |tx: &mut store::Tx<'_>| {
        for id in ["m-k1", "m-k2"] {
            let sql = "INSERT INTO members (account_id, member_id, name, email, role, time_zone, created_ms) \
                       VALUES ($1, $2, 'Kim Oh', '', 'member', 'UTC', 0)";
            tx.execute(sql, store::params![ACCOUNT, id])?;
        }
        Ok(())
    };
    p.ctx.db().write(twins).await.unwrap();
    for (text, named) in [
        ("@[Anna Bergh]", "@[Anna Bergh]"),
        ("@[Sol]", "@[Sol]"),
        ("@[m-stranger]", "@[m-stranger]"),
        ("@[Kim Oh]", "@[Kim Oh]"),
        ("@[anna berg]", "@[anna berg]"),
        ("Hi @[Nobody], @[Anna Berg], @[Nobody] and @[An Other]", "@[Nobody] and @[An Other]"),
    ] {
        let error = refused(write(text).await, "named-not-found");
        assert!(error.detail().contains(&format!("not found: {named}.")), "{error}");
        assert_eq!((error.fields()[0].pointer.as_str(), error.fields()[0].code.name()), ("/text", "unknown-member"));
        assert!(error.detail().contains("by ID or unique name"), "{error}");
        refused(
            p.owner("boards.comments.update", comment_input(&at, &made, json!({"text": text}))).await,
            "named-not-found",
        );
    }
    // What is plainly something else is no mention, unless somebody is called so.
    for text in ["See @[the plan](https://example.com/a)", "mail@[the office]"] {
        let made = write(text).await.unwrap();
        assert_eq!((&made["mentions"], &made["text"]), (&json!([]), &json!(text)));
    }
    let longest = format!("@[Anna Berg]{}", "x".repeat(COMMENT_CHARS_MAX - "@[Anna Berg]".len()));
    assert_eq!(write(&longest).await.unwrap()["mentions"], json!([ANNA]));
}

#[tokio::test]
async fn hostile_text_is_kept_as_it_was_sent_and_too_long_text_refused() {
    let p = start().await;
    let at = place(&p).await;
    let hostile = [
        "<script>alert(1)</script><img src=x onerror=alert(1)>",
        "[x](javascript:alert(1)) \u{202e}gnp.exe\u{202c} \u{2066}a\u{2069}",
        "'; DROP TABLE items; -- \" \\ \u{feff}",
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} e\u{301}\r\n\ttail  ",
    ];
    for text in hostile {
        comment_as(&p, owner(), &at, text).await;
    }
    assert_eq!(listed(&p, &at).await.iter().map(|c| c["text"].clone()).collect::<Vec<_>>(), hostile);
    let with = |text: String| json!({"boardId": at.0, "itemId": at.1, "text": text});
    let longest = "\u{1f600}".repeat(COMMENT_CHARS_MAX);
    let made = p.owner("boards.comments.create", with(longest.clone())).await.unwrap();
    assert_eq!(made["text"], longest);
    for text in
        [format!("{longest}x"), String::new(), " \n\t".into(), "a\0b".into(), "a\u{1b}[2J".into(), "\u{7f}".into()]
    {
        let error = refused(p.owner("boards.comments.create", with(text.clone())).await, "invalid-input");
        assert_eq!(error.fields()[0].pointer, "/text");
        refused(
            p.owner("boards.comments.update", comment_input(&at, &made, json!({"text": text}))).await,
            "invalid-input",
        );
    }
}

#[tokio::test]
async fn pages_go_on_where_the_last_ended() {
    let p = start().await;
    let at = place(&p).await;
    for n in 0..5 {
        comment_as(&p, owner(), &at, &n.to_string()).await;
    }
    let (mut seen, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut input = json!({"boardId": at.0, "itemId": at.1, "limit": 2});
        if cursor != Value::Null {
            input["cursor"] = cursor;
        }
        let list = p.owner("boards.comments.list", input).await.unwrap();
        seen.extend(list["items"].as_array().unwrap().iter().map(|c| c["text"].as_str().unwrap().to_owned()));
        cursor = list["nextCursor"].clone();
        if cursor == Value::Null {
            break;
        }
    }
    assert_eq!(seen, ["0", "1", "2", "3", "4"]);
    let cursors = ["x' OR 1", "-1", "+1", "", " 1", "1e3", "9999999999999999999"].map(|odd| json!({"cursor": odd}));
    for wrong in [json!({"limit": 0}), json!({"limit": 1_001})].into_iter().chain(cursors) {
        let mut input = json!({"boardId": at.0, "itemId": at.1});
        input.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        refused(p.owner("boards.comments.list", input).await, "invalid-input");
    }
}

#[tokio::test]
async fn another_account_and_another_item_see_nothing() {
    let p = start().await;
    let at = place(&p).await;
    let comment = comment_as(&p, owner(), &at, "secret words").await;
    let activity = p.owner("boards.items.activity", json!({"boardId": at.0, "itemId": at.1})).await.unwrap();
    let change_id = activity["items"][0]["changeId"].clone();
    // Foreign boards, foreign items, and comments of another item or board of the same account.
    let theirs = json!({"workspaceId": OTHER_WORKSPACE, "name": "Theirs"});
    let board = p.as_caller(other_owner(), "boards.create", theirs).await.unwrap()["id"].clone();
    let input = json!({"boardId": board, "name": "Item"});
    let item = p.as_caller(other_owner(), "boards.items.create", input).await.unwrap()["id"].clone();
    let (second_board, second_item) = (tasks_board(&p).await, item_on(&p, &at.0, "Two").await);
    let cases = [
        (other_owner(), json!(at.0), json!(at.1)),
        (other_owner(), board.clone(), json!(at.1)),
        (other_owner(), board, item),
        (owner(), json!(second_board), json!(at.1)),
        (owner(), json!(at.0), json!(second_item)),
    ];
    for (index, (caller, board, item)) in cases.into_iter().enumerate() {
        let input = |id: &Value| json!({"boardId": board, "itemId": item, "commentId": id, "text": "x"});
        for op in ["boards.comments.update", "boards.comments.delete"] {
            let try_with = async |id: &Value| {
                let mut input = input(id);
                if op.ends_with("delete") {
                    input.as_object_mut().unwrap().remove("text");
                }
                refused(p.as_caller(caller.clone(), op, input).await, "not-found").problem().to_string()
            };
            assert_eq!(try_with(&comment["id"]).await, try_with(&json!("nothing")).await, "{op} {index}");
        }
        let here = json!({"boardId": board, "itemId": item});
        for op in ["boards.comments.list", "boards.items.activity"] {
            match p.as_caller(caller.clone(), op, here.clone()).await {
                // Their own item, or another of ours: it has none of this.
                Ok(list) => assert!(index == 2 || index == 4, "{op} {index}: {list}"),
                Err(e) => assert_eq!(e.code().name, "not-found", "{op} {index}"),
            }
        }
        if index != 4 {
            let undo = json!({"boardId": board, "changeId": change_id});
            let refusal = p.as_caller(caller, "boards.undo", undo).await.unwrap_err();
            assert_eq!(refusal.code().status, 404, "{index}: {refusal}");
        }
    }
    let foreign = json!({"boardId": at.0, "itemId": at.1, "text": "x"});
    refused(p.as_caller(other_owner(), "boards.comments.create", foreign).await, "not-found");
    assert_eq!(listed(&p, &at).await.len(), 1);
}

#[tokio::test]
async fn listeners_hear_of_comments_and_mentions_after_they_are_kept() {
    let p = start().await;
    let at = place(&p).await;
    let revision = p.owner("boards.get", json!({"boardId": at.0})).await.unwrap()["revision"].clone();
    let (_, mut heard) = p.ctx.events().listen(None);
    let with = |text: &str| json!({"boardId": at.0, "itemId": at.1, "text": text});
    refused(p.owner("boards.comments.create", with("@[m-stranger]")).await, "named-not-found");
    let made = p.owner("boards.comments.create", with("@[m-anna]")).await.unwrap();
    let id = made["id"].as_str().unwrap().to_owned();
    p.owner("boards.comments.update", comment_input(&at, &made, json!({"text": "@[m-anna] @[m-ben]"}))).await.unwrap();
    p.owner("boards.comments.delete", comment_input(&at, &made, json!({}))).await.unwrap();
    let ids = || (at.0.clone(), at.1.clone(), id.clone());
    let mentioned = |member: &str| {
        let (board_id, item_id, comment_id) = ids();
        let by = events::Actor { kind: "owner", member_id: None, session_id: None };
        Event::MemberMentioned { board_id, item_id, comment_id, member_id: member.to_owned(), by }
    };
    let changed = |deleted| {
        let (board_id, item_id, comment_id) = ids();
        Event::CommentChanged { board_id, item_id, comment_id, deleted }
    };
    let (board_id, item_id, comment_id) = ids();
    let added = Event::CommentAdded { board_id, item_id, comment_id, mentions: vec![ANNA.to_owned()] };
    // Anna was mentioned already when the text changed.
    for event in [added, mentioned(ANNA), changed(false), mentioned(BEN), changed(true)] {
        let numbered = heard.try_recv().unwrap();
        assert_eq!((numbered.event.topic(), numbered.account.as_deref()), (events::Topic::Boards, Some(ACCOUNT)));
        assert_eq!(numbered.event, event);
    }
    assert!(heard.try_recv().is_err(), "and of nothing else");
    let after = p.owner("boards.get", json!({"boardId": at.0})).await.unwrap()["revision"].clone();
    assert_eq!(after, revision, "what readers of the board hold stays good");
}

#[tokio::test]
async fn a_comment_is_changed_only_from_the_revision_expected() {
    let p = start().await;
    let at = place(&p).await;
    let made = comment_as(&p, owner(), &at, "x").await;
    // The same change sent again is no other.
    for (tag, text, fits) in [("\"2\"", "y", false), ("\"1\"", "y", true), ("\"1\"", "y", true), ("\"1\"", "z", false)]
    {
        let mut call = Call::new(owner());
        call.if_match = Some(tag.to_owned());
        let outcome = p.call(call, "boards.comments.update", comment_input(&at, &made, json!({"text": text}))).await;
        match fits {
            true => drop(outcome.unwrap()),
            false => drop(refused(outcome, "stale-revision")),
        }
    }
}

#[tokio::test]
async fn an_item_holds_a_limited_number_of_comments() {
    let p = start().await;
    let at = place(&p).await;
    comment_as(&p, owner(), &at, "x").await;
    let fill =
        move |tx: &mut store::Tx<'_>| tx.execute("UPDATE item_comments SET place = $1", params![COMMENTS_MAX - 1]);
    p.ctx.db().write(fill).await.unwrap();
    comment_as(&p, owner(), &at, "the last").await;
    let input = json!({"boardId": at.0, "itemId": at.1, "text": "one more"});
    let error = refused(p.owner("boards.comments.create", input).await, "board-limit");
    assert!(error.detail().contains("10000"), "{error}");
}

#[tokio::test]
async fn comments_go_with_their_item_and_with_their_board() {
    let p = start().await;
    let at = place(&p).await;
    let second = (at.0.clone(), item_on(&p, &at.0, "Two").await);
    comment_as(&p, owner(), &at, "x").await;
    comment_as(&p, owner(), &second, "y").await;
    p.owner("boards.items.delete", json!({"boardId": at.0, "itemId": at.1})).await.unwrap();
    assert_eq!(comment_rows(&p).await, 2, "they lie in the trash with it");
    let gone = json!({"boardId": at.0, "kind": "item", "entryId": at.1});
    p.owner("boards.trash.delete", gone).await.unwrap();
    assert_eq!(comment_rows(&p).await, 1);
    assert_eq!(listed(&p, &second).await[0]["text"], "y");
    p.owner("boards.delete", json!({"boardId": at.0})).await.unwrap();
    refused(p.owner("boards.comments.list", json!({"boardId": at.0, "itemId": second.1})).await, "not-found");
    p.owner("boards.trash.deleteBoard", json!({"boardId": at.0})).await.unwrap();
    // What the program had not yet removed when it stopped goes at the next start.
    let p = p.restart().await;
    assert_eq!(comment_rows(&p).await, 0);
}

#[tokio::test]
async fn what_is_sent_again_may_name_who_has_left_or_is_called_otherwise_since() {
    let p = start().await;
    let at = place(&p).await;
    let new = json!({"boardId": at.0, "itemId": at.1, "id": "0123456789abcdef", "text": "Hi @[Ben Ito]"});
    let made = p.owner("boards.comments.create", new.clone()).await.unwrap();
    let leave = |tx: &mut store::Tx<'_>| tx.execute("DELETE FROM members WHERE member_id = $1", store::params![BEN]);
    p.ctx.db().write(leave).await.unwrap();
    assert_eq!(p.owner("boards.comments.create", new.clone()).await.unwrap(), made);
    let mut another = new;
    another["id"] = json!("0123456789abcdee");
    refused(p.owner("boards.comments.create", another).await, "named-not-found");

    let update =
        async |text: &str| p.owner("boards.comments.update", comment_input(&at, &made, json!({"text": text}))).await;
    assert_eq!(update("Hi @[m-ben]").await.unwrap(), made, "as it is stored");
    let changed = update("Bye @[m-ben]").await.unwrap();
    assert_eq!((&changed["text"], &changed["mentions"]), (&json!("Bye @[m-ben]"), &json!([BEN])));
    update("Bye").await.unwrap();
    refused(update("Bye @[m-ben]").await, "named-not-found");
}
