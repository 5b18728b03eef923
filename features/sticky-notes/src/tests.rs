use crate::feature;
use events::HasEvents;
use kit::lookup::{ControlWindow, DesktopWindow, NoteWindow, NoteWindows};
use kit::{Feature, SettingsSource};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::{ACCOUNT, Program, refused};

/// Sticky notes are on or off.
struct Switch(bool);

impl SettingsSource for Switch {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == "stickyNotesEnabled").then(|| json!(self.0))
    }
}

/// A desktop window that records the notes it shows.
#[derive(Clone, Default)]
struct Desktop(Arc<Mutex<Vec<NoteWindow>>>);

impl ControlWindow for Desktop {
    fn raise(&self, _: &str, _: Option<&str>) -> bool {
        false
    }
    fn obstacle(&self, _: &str) -> Option<String> {
        None
    }
    fn open_note(&self, _: &str, note: NoteWindow) {
        self.0.lock().unwrap().push(note);
    }
    fn close_note(&self, _: &str, id: &str) {
        self.0.lock().unwrap().retain(|note| note.id != id);
    }
}

async fn start() -> Program {
    Program::start(|| {
        let switch = Feature {
            start: |ctx| {
                ctx.provide_settings(Arc::new(Switch(true)));
                Box::pin(std::future::ready(Ok(())))
            },
            ..Feature::named("switch")
        };
        vec![switch, feature()]
    })
    .await
}

fn with_desktop(program: &Program) -> Desktop {
    let desktop = Desktop::default();
    program.ctx.provide(Arc::new(DesktopWindow(Box::new(desktop.clone()))));
    desktop
}

/// The notes that a desktop window that starts now opens.
async fn opened(program: &Program) -> Vec<NoteWindow> {
    program.ctx.service::<NoteWindows>().0.open(ACCOUNT).await.unwrap()
}

#[tokio::test]
async fn text_color_and_place_outlive_a_restart_and_closed_notes_stay_closed() {
    let program = start().await;
    let desktop = with_desktop(&program);
    let one = program.owner("notes.create", json!({"text": "Call Ada", "color": "blue"})).await.unwrap();
    let two = program.owner("notes.create", json!({})).await.unwrap();
    let id = |note: &Value| note["id"].as_str().unwrap().to_owned();
    assert_eq!(desktop.0.lock().unwrap().len(), 2);
    let place = json!({"noteId": id(&one), "x": -40, "y": 12, "width": 300, "height": 200});
    program.owner("notes.place", place).await.unwrap();
    program.owner("notes.update", json!({"noteId": id(&one), "text": "Call Ada at 9"})).await.unwrap();
    program.owner("notes.update", json!({"noteId": id(&two), "isOpen": false})).await.unwrap();
    assert_eq!(desktop.0.lock().unwrap().len(), 1, "its window closed");

    let program = program.restart().await;
    let window =
        NoteWindow { id: id(&one), page: format!("/app/note/{}", id(&one)), place: Some((-40, 12)), size: (300, 200) };
    assert_eq!(opened(&program).await, [window]);
    let note = program.owner("notes.get", json!({"noteId": id(&one)})).await.unwrap();
    assert_eq!((&note["text"], &note["color"]), (&json!("Call Ada at 9"), &json!("blue")));
    let desktop = with_desktop(&program);
    program.owner("notes.update", json!({"noteId": id(&two), "isOpen": true})).await.unwrap();
    assert_eq!(desktop.0.lock().unwrap().len(), 1);
    program.owner("notes.delete", json!({"noteId": id(&two)})).await.unwrap();
    assert!(desktop.0.lock().unwrap().is_empty());
    refused(program.owner("notes.get", json!({"noteId": id(&two)})).await, "not-found");
}

#[tokio::test]
async fn turning_notes_off_closes_their_windows_and_keeps_them() {
    let program = start().await;
    let desktop = with_desktop(&program);
    program.owner("notes.create", json!({"text": "stays"})).await.unwrap();
    let turn = async |is_on: bool| {
        program.ctx.provide_settings(Arc::new(Switch(is_on)));
        crate::windows::show_all(&program.ctx, ACCOUNT).await.unwrap();
    };
    turn(false).await;
    assert!(desktop.0.lock().unwrap().is_empty());
    assert!(opened(&program).await.is_empty());
    refused(program.owner("notes.list", json!({})).await, "notes-disabled");
    turn(true).await;
    assert_eq!(desktop.0.lock().unwrap().len(), 1);
    let notes = program.owner("notes.list", json!({})).await.unwrap();
    assert_eq!(notes["items"][0]["text"], "stays");
}

#[tokio::test]
async fn what_is_too_long_or_too_much_is_refused_and_changes_are_told() {
    let program = start().await;
    let (_, mut changes) = program.ctx.events().listen(None);
    let text = "x".repeat(10_001);
    let error = refused(program.owner("notes.create", json!({"text": text})).await, "invalid-input");
    assert_eq!(error.problem()["errors"][0]["pointer"], "/text");
    program.owner("notes.create", json!({"text": "x".repeat(10_000)})).await.unwrap();
    assert!(matches!(changes.try_recv().unwrap().event, events::Event::StickyNoteChanged { .. }));
    for _ in 1..200 {
        program.owner("notes.create", json!({})).await.unwrap();
    }
    refused(program.owner("notes.create", json!({})).await, "notes-full");
}
