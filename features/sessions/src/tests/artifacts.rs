//! Artifacts: which files are listed and served, and which never.

use super::practice::{Begun, begin};
use kit::{Body, Call, Caller, Kind, Reply};
use serde_json::{Value, json};
use testkit::{ACCOUNT, OTHER_ACCOUNT, refused};

impl Begun {
    async fn artifacts(&self, id: &str) -> Vec<(String, String)> {
        let listed = self.program.owner("sessions.artifacts", json!({"sessionId": id})).await.unwrap();
        let text = |one: &Value, name: &str| one[name].as_str().unwrap().to_owned();
        listed["items"].as_array().unwrap().iter().map(|one| (text(one, "path"), text(one, "kind"))).collect()
    }

    async fn artifact(&self, id: &str, path: &str) -> Result<Reply, kit::Error> {
        let caller = Caller::new(Kind::Owner, ACCOUNT, "test");
        self.program.call(Call::new(caller), "sessions.artifact", json!({"sessionId": id, "path": path})).await
    }

    /// Allows what is asked for until the session is idle.
    async fn allowed(&self, prompt: &str) -> String {
        self.set(&[("agentPermissionLevel", json!("full"))]);
        let id = self.start(prompt).await;
        self.until(&id, "idle").await;
        id
    }
}

fn header<'a>(reply: &'a Reply, name: &str) -> &'a str {
    reply.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
}

#[tokio::test]
async fn files_that_tools_wrote_and_documents_in_the_folder_are_listed() {
    let place = begin().await;
    let folder = place.folder.path();
    std::fs::create_dir_all(folder.join("node_modules")).unwrap();
    std::fs::write(folder.join("node_modules/read.md"), "# No").unwrap();
    let id =
        place.allowed("practice: write notes.txt plain; write report.md # Report; run touch chart.png other.rs").await;
    std::fs::write(folder.join(".env"), "KEY=1").unwrap();
    let mut listed = place.artifacts(&id).await;
    listed.sort();
    let own = |path: &str, kind: &str| (path.to_owned(), kind.to_owned());
    assert_eq!(listed, [own("chart.png", "image"), own("notes.txt", "text"), own("report.md", "markdown")]);
    let page = place.program.owner("sessions.artifacts", json!({"sessionId": id, "limit": 2})).await.unwrap();
    let next = json!({"sessionId": id, "cursor": page["nextCursor"]});
    let rest = place.program.owner("sessions.artifacts", next).await.unwrap();
    assert_eq!((page["items"].as_array().unwrap().len(), rest["items"].as_array().unwrap().len()), (2, 1));
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "test");
    let foreign = place.program.as_caller(other, "sessions.artifacts", json!({"sessionId": id})).await;
    refused(foreign, "not-found");
}

#[tokio::test]
async fn an_artifact_is_served_so_that_nothing_in_it_runs() {
    let place = begin().await;
    let id = place.allowed("practice: write page.html <script>alert(1)</script>").await;
    let reply = place.artifact(&id, "page.html").await.unwrap();
    assert_eq!(reply.content_type, "text/html; charset=utf-8");
    assert_eq!(header(&reply, "content-disposition"), "attachment; filename*=UTF-8''page.html");
    let policy = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'";
    assert_eq!(header(&reply, "content-security-policy"), policy);
    let Body::Whole(bytes) = reply.body else { panic!("the answer is a stream") };
    assert_eq!(&bytes[..], b"<script>alert(1)</script>");
}

#[tokio::test]
async fn nothing_outside_the_folder_and_nothing_sensitive_is_served() {
    let place = begin().await;
    let id = place.allowed("practice: say Hi").await;
    let folder = place.folder.path();
    let outside = tempfile::TempDir::new().unwrap();
    std::fs::write(outside.path().join("key.txt"), "secret").unwrap();
    std::fs::write(folder.join(".env"), "KEY=1").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.path().join("key.txt"), folder.join("link.txt")).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.join("linked")).unwrap();
        std::os::unix::fs::symlink(folder.join(".env"), folder.join("env.txt")).unwrap();
    }
    let absolute = outside.path().join("key.txt");
    for path in
        [".env", "link.txt", "linked/key.txt", "env.txt", "../key.txt", absolute.to_str().unwrap(), ".", "no.txt"]
    {
        assert!(place.artifact(&id, path).await.is_err_and(|why| why.is(&kit::error::NOT_FOUND)), "{path}");
    }
    let large = std::fs::File::create(folder.join("large.txt")).unwrap();
    large.set_len(20 * 1024 * 1024 + 1).unwrap();
    assert!(place.artifact(&id, "large.txt").await.is_err_and(|why| why.is(&kit::error::TOO_LARGE)));
}

#[tokio::test]
async fn the_engines_title_counts_until_a_person_gives_one() {
    let place = begin().await;
    let id = place.start("practice: title A better name; say Hi").await;
    assert_eq!(place.until(&id, "idle").await["title"], "A better name");
    place.program.owner("sessions.change", json!({"sessionId": id, "title": "Mine"})).await.unwrap();
    place.say(&id, "practice: title Another name; say Hi").await;
    place.holds("the second turn ends", async || place.get(&id).await["turns"] == 2).await;
    assert_eq!(place.get(&id).await["title"], "Mine");
    let input = json!({"engine": "practice", "prompt": "practice: title X; say Hi", "title": "Given", "projectId": place.hub["id"]});
    let named = place.program.owner("sessions.create", input).await.unwrap();
    assert_eq!(place.until(named["id"].as_str().unwrap(), "idle").await["title"], "Given");
}

#[tokio::test]
async fn tokens_of_all_turns_are_added_up() {
    let place = begin().await;
    let id = place.start("practice: say Hi").await;
    let first = place.until(&id, "idle").await["spentTokens"].as_u64().unwrap();
    place.say(&id, "practice: say more").await;
    place.holds("the second turn ends", async || place.get(&id).await["turns"] == 2).await;
    let second = place.until(&id, "idle").await["spentTokens"].as_u64().unwrap();
    assert!(0 < first && first < second, "{first}, {second}");
}
