//! Sounds of notifications: one for each kind of rows, and a mute.
//!
//! A sound is one that Pilothouse plays itself, one of the system's theme, which its notification service plays, or silence.

use crate::notifier::Notifier;
use kit::text::capitalized;
use kit::{Call, CallerSet, Catalog, Ctx, InboxKind, Method, Need, Op, Result, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sound::{Play, Playback, Playing, Problem};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::{Change, HasDb, Tx, params};

/// Silence.
const NONE: &str = "none";
/// What the names of the system's sounds begin with.
const SYSTEM: &str = "system:";
/// The sounds of the system's theme: their freedesktop names, and what the page calls them.
const THEME: [(&str, &str); 6] = [
    ("message-new-instant", "Message (system)"),
    ("dialog-question", "Question (system)"),
    ("dialog-information", "Information (system)"),
    ("dialog-warning", "Warning (system)"),
    ("complete", "Done (system)"),
    ("bell", "Bell (system)"),
];
/// Maximum characters of a name.
const NAME_CHARS_MAX: usize = 40;

/// Plays sounds of notifications; provided by the app. Without it, only those of the system's theme are heard.
struct Player {
    play: Arc<dyn Play>,
    /// What is heard now.
    playing: Mutex<Option<Playing>>,
    /// Why the last one wasn't heard.
    problem: Arc<Mutex<Option<Problem>>>,
}

/// Plays sounds of notifications from now on.
pub fn play_sounds_with(ctx: &Ctx, play: Arc<dyn Play>) {
    ctx.provide(Arc::new(Player { play, playing: Mutex::default(), problem: Arc::default() }));
}

/// A sound to be heard with a notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sound {
    /// None.
    Silence,
    /// One of the system's theme, by its freedesktop name.
    Theme(&'static str),
    /// One that Pilothouse plays.
    BuiltIn(&'static str),
}

impl Sound {
    /// The sound of a name; `None` if there is none.
    fn named(name: &str) -> Option<Sound> {
        if name == NONE {
            return Some(Sound::Silence);
        }
        let theme = |name: &str| THEME.iter().find(|(one, _)| *one == name).map(|(one, _)| Sound::Theme(one));
        let built_in = || sound::BUILT_IN.into_iter().find(|one| *one == name).map(Sound::BuiltIn);
        name.strip_prefix(SYSTEM).map_or_else(built_in, theme)
    }

    /// The name that the notification service gets; empty for silence.
    pub(crate) fn theme(&self) -> &'static str {
        match self {
            Sound::Theme(name) => name,
            Sound::Silence | Sound::BuiltIn(_) => "",
        }
    }

    /// Plays it, if Pilothouse does that. Whatever was heard before stops.
    pub(crate) fn play(&self, ctx: &Ctx) {
        let (Sound::BuiltIn(name), Some(player)) = (self, ctx.find_service::<Player>()) else { return };
        let playback =
            Playback { sound: (*name).to_owned(), fade_in_s: 0, duration_s: None, plays_once: true, speech: None };
        *player.problem.lock().expect("no panic while held") = None;
        let found = player.problem.clone();
        let report = Box::new(move |problem: Problem| {
            tracing::warn!("couldn't play a notification's sound. {}", problem.remedy());
            *found.lock().expect("no panic while held") = Some(problem);
        });
        *player.playing.lock().expect("no panic while held") = Some(player.play.play(playback, report));
    }
}

/// The name of a kind's sound where the user chose none: requests, ends of work, and the rest sound different.
fn default_name(kind: Option<&InboxKind>) -> &'static str {
    match kind {
        Some(kind) if kind.need > Need::Nothing => "system:dialog-question",
        Some(kind) if kind.is_done => "system:complete",
        _ => "system:message-new-instant",
    }
}

/// What an account chose.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    is_muted: bool,
    by_kind: HashMap<String, String>,
}

impl Chosen {
    /// Reads it.
    pub(crate) fn read(tx: &mut Tx<'_>, account: &str) -> Result<Chosen> {
        let sql = "SELECT kind, sound FROM notification_sounds WHERE account_id = $1";
        let by_kind = tx.query(sql, params![account], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect();
        let sql = "SELECT muted_ms FROM notification_mute WHERE account_id = $1";
        let is_muted = tx.query_opt(sql, params![account], |row| row.get::<i64>(0))?.is_some();
        Ok(Chosen { is_muted, by_kind })
    }

    /// The sound of a kind of rows, unless all are muted.
    pub(crate) fn sound(&self, ctx: &Ctx, kind: &str) -> Sound {
        if self.is_muted { Sound::Silence } else { self.unmuted(ctx, kind) }
    }

    /// The same, whether or not all are muted.
    pub(crate) fn unmuted(&self, ctx: &Ctx, kind: &str) -> Sound {
        // A sound that another version stored may be unknown here.
        let chosen = self.by_kind.get(kind).and_then(|name| Sound::named(name));
        let default = || Sound::named(default_name(ctx.service::<Catalog>().inbox_kind(kind)));
        chosen.or_else(default).unwrap_or(Sound::Silence)
    }
}

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "notifications.sounds",
            Method::Get,
            "/notifications/sounds",
            CallerSet::PERSON,
            "List notification sounds, the available choices, and why any are silent.",
            get,
        )
        .synonyms("sound chime mute volume"),
        Op::new(
            "notifications.sound",
            Method::Post,
            "/notifications/sounds",
            CallerSet::PERSON,
            "Choose the sound of notifications of a kind of inbox rows. Without `sound`, its default.",
            choose,
        )
        .example(r#"{"kind": "alert", "sound": "bell"}"#),
        Op::new(
            "notifications.mute",
            Method::Post,
            "/notifications/mute",
            CallerSet::PERSON,
            "Mute all sounds of notifications, or unmute them. Alarms still ring.",
            mute,
        )
        .example(r#"{"muted": true}"#),
    ]
}

/// Sounds of notifications.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NotificationSounds")]
#[serde(rename_all = "camelCase")]
struct Sounds {
    /// Whether all are muted.
    muted: bool,
    /// Each kind of inbox rows.
    kinds: Vec<KindSound>,
    /// Sounds to choose from.
    choices: Vec<Choice>,
}

/// The sound of a kind of inbox rows.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NotificationSound")]
#[serde(rename_all = "camelCase")]
struct KindSound {
    kind: &'static str,
    label: &'static str,
    /// One of `choices`.
    sound: String,
    /// Whether you chose none, so that it's the default.
    is_default: bool,
}

/// A sound.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NotificationSoundChoice")]
#[serde(rename_all = "camelCase")]
struct Choice {
    sound: String,
    label: String,
    /// Why it isn't heard; null if it is, as far as is known.
    problem: Option<String>,
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

async fn get(ctx: Ctx, call: Call, _: NoParams) -> Result<Sounds> {
    let account = call.caller.account.clone();
    let chosen = ctx.db().read(move |tx| Chosen::read(tx, &account)).await?;
    let kind = |kind: &&'static InboxKind| {
        let own = chosen.by_kind.get(kind.name).filter(|name| Sound::named(name).is_some());
        let sound = own.cloned().unwrap_or_else(|| default_name(Some(kind)).to_owned());
        KindSound { kind: kind.name, label: kind.label, sound, is_default: own.is_none() }
    };
    let kinds = ctx.service::<Catalog>().inbox_kinds.iter().map(kind).collect();
    Ok(Sounds { muted: chosen.is_muted, kinds, choices: choices(&ctx).await })
}

async fn choices(ctx: &Ctx) -> Vec<Choice> {
    let of_theme = match ctx.find_service::<Notifier>() {
        Some(notifier) => notifier.0.sound_problem().await,
        None => Some("This Pilothouse shows no system notifications.".to_owned()),
    };
    let of_built_in = match ctx.find_service::<Player>() {
        Some(player) => {
            let found = player.play.problem().or_else(|| *player.problem.lock().expect("no panic while held"));
            found.map(|problem| problem.remedy().to_owned())
        }
        None => Some("This Pilothouse plays no sounds.".to_owned()),
    };
    let built_in = sound::BUILT_IN.into_iter().map(|name| Choice {
        sound: name.to_owned(),
        label: capitalized(name),
        problem: of_built_in.clone(),
    });
    let theme = THEME.into_iter().map(|(name, label)| Choice {
        sound: format!("{SYSTEM}{name}"),
        label: label.to_owned(),
        problem: of_theme.clone(),
    });
    let none = Choice { sound: NONE.to_owned(), label: "None".to_owned(), problem: None };
    built_in.chain(theme).chain([none]).collect()
}

/// A choice.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Choose {
    /// A kind of inbox rows, one of `inbox kinds`.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    kind: String,
    /// One of `choices`, such as `bell`, `system:complete`, or `none`. Default: the kind's own.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX))]
    sound: Option<String>,
}

/// Rejects a kind that isn't declared.
pub(crate) fn expect_kind(ctx: &Ctx, kind: &str) -> Result<()> {
    if ctx.service::<Catalog>().inbox_kind(kind).is_some() {
        return Ok(());
    }
    let known: Vec<&str> = ctx.service::<Catalog>().inbox_kinds.iter().map(|kind| kind.name).collect();
    Err(invalid("/kind", kit::fault::NOT_A_CHOICE, format!("Use one of: {}.", known.join(", "))))
}

async fn choose(ctx: Ctx, call: Call, input: Choose) -> Result<Sounds> {
    expect_kind(&ctx, &input.kind)?;
    if input.sound.as_deref().is_some_and(|name| Sound::named(name).is_none()) {
        let theme = THEME.iter().map(|(name, _)| format!("{SYSTEM}{name}"));
        let known: Vec<String> = sound::BUILT_IN.into_iter().map(str::to_owned).chain(theme).collect();
        let detail = format!("Use one of: {}, {NONE}.", known.join(", "));
        return Err(invalid("/sound", kit::fault::NOT_A_CHOICE, detail));
    }
    let (now_ms, again) = (ctx.now_ms(), Call::new(call.caller.clone()));
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let before = Chosen::read(tx, account)?.by_kind.remove(&input.kind);
        match &input.sound {
            Some(sound) => {
                let sql = "INSERT INTO notification_sounds (account_id, kind, sound) VALUES ($1, $2, $3) \
                           ON CONFLICT (account_id, kind) DO UPDATE SET sound = excluded.sound";
                tx.execute(sql, params![account, &input.kind, sound])?;
            }
            None => {
                let sql = "DELETE FROM notification_sounds WHERE account_id = $1 AND kind = $2";
                tx.execute(sql, params![account, &input.kind])?;
            }
        }
        record(tx, &call, now_ms, (&input.kind, "sound"), [json!(before), json!(input.sound)])
    };
    ctx.db().write(write).await?;
    get(ctx, again, NoParams {}).await
}

/// Whether all sounds are muted.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Mute {
    muted: bool,
}

async fn mute(ctx: Ctx, call: Call, input: Mute) -> Result<Sounds> {
    let (now_ms, again) = (ctx.now_ms(), Call::new(call.caller.clone()));
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let before = Chosen::read(tx, account)?.is_muted;
        let sql = match input.muted {
            true => {
                "INSERT INTO notification_mute (account_id, muted_ms) VALUES ($1, $2) ON CONFLICT (account_id) DO NOTHING"
            }
            false => "DELETE FROM notification_mute WHERE account_id = $1 AND muted_ms <= $2",
        };
        tx.execute(sql, params![account, if input.muted { now_ms } else { i64::MAX }])?;
        record(tx, &call, now_ms, ("sounds", "muted"), [json!(before), json!(input.muted)])
    };
    ctx.db().write(write).await?;
    get(ctx, again, NoParams {}).await
}

fn record(
    tx: &mut Tx<'_>,
    call: &Call,
    now_ms: i64,
    (subject_id, field): (&str, &'static str),
    [before, after]: [serde_json::Value; 2],
) -> Result<()> {
    let subject = "notification-sound";
    let change = Change { subject, subject_id, field, before: Some(&before), after: Some(&after) };
    tx.record(&call.caller, now_ms, change).map(drop)
}
