//! What is heard of alarms: at most one at a time, from the program and not from pages, so that two pages don't both ring.

use crate::alarm::{Alarm, State};
use crate::settings::{Assertiveness, alarmsAssertiveness, alarmsBringToForeground};
use crate::{inbox_kinds, rows};
use inbox_rows::NewRow;
use kit::lookup::DesktopWindow;
use kit::{Ctx, Result};
use sound::{Play, Playback, Playing, Problem};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use store::{HasDb, Tx};

/// Plays alarms; provided by the app. Without it, alarms are only shown.
struct Player(Arc<dyn Play>);

/// Plays alarms from now on, first those that rang when the program ended.
pub async fn play_with(ctx: &Ctx, player: Arc<dyn Play>) -> Result<()> {
    ctx.provide(Arc::new(Player(player)));
    let active = ctx.db().read(rows::active).await?;
    for (account, id) in active {
        let (of, now_ms) = (account.clone(), ctx.now_ms());
        let alarm = ctx.db().read(move |tx| rows::find(tx, &of, &id)).await?;
        if let Some(alarm) = alarm.filter(|alarm| alarm.state == State::Ringing && alarm.until_ms > now_ms) {
            ctx.service::<Ringer>().start(ctx, &account, &alarm);
        }
    }
    Ok(())
}

/// The sound of the alarm that rings.
#[derive(Default)]
pub(crate) struct Ringer {
    playing: Mutex<Option<(String, Playing)>>,
    /// Problems reported since the program started.
    reported: Mutex<HashSet<&'static str>>,
}

impl Ringer {
    /// Plays an alarm. Whatever else is heard stops.
    pub(crate) fn start(&self, ctx: &Ctx, account: &str, alarm: &Alarm) {
        let mut playing = self.playing.lock().expect("no panic while held");
        *playing = None;
        if ctx.setting(account, &alarmsBringToForeground)
            && let Some(window) = ctx.find_service::<DesktopWindow>()
        {
            window.0.raise(account, None);
        }
        let Some(player) = ctx.find_service::<Player>() else { return };
        if ctx.setting(account, &alarmsAssertiveness) == Assertiveness::SilentBanner {
            return;
        }
        let (ctx, account) = (ctx.clone(), account.to_owned());
        let runtime = tokio::runtime::Handle::current();
        let report = Box::new(move |problem| {
            let (ctx, account) = (ctx.clone(), account.clone());
            runtime.spawn(async move {
                if let Err(error) = ctx.service::<Ringer>().report(&ctx, account, problem).await {
                    tracing::warn!(error = ?error, "couldn't report a problem with sound");
                }
            });
        });
        *playing = Some((alarm.id.clone(), player.0.play(playback(alarm), report)));
    }

    /// Stops an alarm, if it's the one that is heard.
    pub(crate) fn stop(&self, alarm_id: &str) {
        let mut playing = self.playing.lock().expect("no panic while held");
        if playing.as_ref().is_some_and(|(id, _)| id == alarm_id) {
            *playing = None;
        }
    }

    /// Posts an inbox row about a problem, once while the program runs and while a row is open.
    async fn report(&self, ctx: &Ctx, account: String, problem: Problem) -> Result<()> {
        let (key, title) = match problem {
            Problem::NoPlayer => ("alarms:no-player", "Couldn't play alarm sound"),
            Problem::NoSpeech => ("alarms:no-speech", "Couldn't read alarm name aloud"),
        };
        if !self.reported.lock().expect("no panic while held").insert(key) {
            return Ok(());
        }
        let again = ctx.clone();
        let write = move |tx: &mut Tx<'_>| {
            if inbox_rows::is_open(tx, &account, key)? {
                return Ok(());
            }
            let by = events::Actor::program(None);
            let row = NewRow { key: Some(key), body: problem.remedy(), ..NewRow::new(&inbox_kinds::NOTICE, title, by) };
            inbox_rows::post(tx, &again, &account, &row).map(drop)
        };
        ctx.db().write(write).await
    }
}

fn playback(alarm: &Alarm) -> Playback {
    let options = &alarm.options;
    let seconds = |number: i64| u32::try_from(number).ok();
    Playback {
        sound: options.sound.clone(),
        fade_in_s: seconds(options.fade_in_s).unwrap_or(0),
        duration_s: seconds(options.duration_s),
        plays_once: options.plays_once,
        speech: options.speaks_label.then(|| alarm.name().to_owned()),
    }
}
