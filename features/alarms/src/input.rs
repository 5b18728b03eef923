//! What callers send about alarms: checked, and turned into times and options.

use crate::alarm::Options;
use crate::record::{Day, PlayMode};
use crate::settings::*;
use jiff::civil::{Date, Time, Weekday};
use kit::page::expect_within;
use kit::{Ctx, Result, fault, invalid};
use schemars::JsonSchema;
use serde::Deserialize;
use when::fields::{self, date, time, zone_name};
use when::occurrence::Occurrence;

/// Maximum characters of a label and of a sound.
pub(crate) const LABEL_MAX: usize = 200;
/// The lengths of a snooze.
pub(crate) const SNOOZE_MINUTES: [i64; 4] = [5, 9, 15, 30];
/// Maximum minutes of an alarm that counts from now: a year.
const IN_MINUTES_MAX: i64 = 366 * 24 * 60;

/// For schemas: a time of day.
const TIME: &str = "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$";
/// For schemas: a date.
const DATE: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";

/// Declares an input with the fields of an alarm.
macro_rules! alarm_input {
    ($(#[$of_input:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident : $type:ty,)* }) => {
        $(#[$of_input])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, rename_all = "camelCase")]
        pub(crate) struct $name {
            $($(#[$of_field])* pub(crate) $field: $type,)*
            /// Its name. Can be empty.
            #[schemars(length(max = LABEL_MAX))]
            label: Option<String>,
            /// Time of day in its time zone: `09:30`.
            #[schemars(regex(pattern = TIME))]
            time: Option<String>,
            /// Date of a one-time alarm: `2026-03-05`. Without date and days, it rings at the next such time.
            #[schemars(regex(pattern = DATE))]
            date: Option<String>,
            /// Days of a repeating alarm. An empty list makes it a one-time alarm.
            #[schemars(length(max = 7))]
            days: Option<Vec<Day>>,
            /// Time zone, such as `Europe/Paris`. Default: the computer's.
            #[schemars(length(min = 1, max = 64))]
            time_zone: Option<String>,
            /// Name of a built-in sound (see `alarms.sounds`), or path of a WAV file. Default: alarmsDefaultSound.
            #[schemars(length(min = 1, max = LABEL_MAX))]
            sound: Option<String>,
            /// Time after which the sound stops. -1: until answered; 0: no sound.
            #[schemars(range(min = -1, max = 300))]
            sound_duration_seconds: Option<i64>,
            /// Time in which the sound rises to full volume.
            #[schemars(range(min = 0, max = 300))]
            sound_fade_in_seconds: Option<i64>,
            sound_play_mode: Option<PlayMode>,
            /// Whether its label is read aloud.
            speak_label: Option<bool>,
            /// Maximum snoozes. -1: no limit; 0: none.
            #[schemars(range(min = -1, max = 20))]
            max_snoozes: Option<i64>,
            /// Length of a snooze: 5, 9, 15, or 30.
            snooze_minutes: Option<i64>,
        }

        impl $name {
            /// The fields, checked one by one.
            pub(crate) fn fields(&self) -> Result<Fields> {
                let input = self;
                Ok(Fields {
                    label: label(input.label.as_deref())?,
                    time: input.time.as_deref().map(time).transpose()?,
                    date: input.date.as_deref().map(date).transpose()?,
                    days: input.days.as_ref().map(|days| weekdays(days)),
                    zone: input.time_zone.as_deref().map(zone_name).transpose()?,
                    sound: input.sound.as_deref().map(sound).transpose()?,
                    duration_s: within(input.sound_duration_seconds, -1, 300, "/soundDurationSeconds")?,
                    fade_in_s: within(input.sound_fade_in_seconds, 0, 300, "/soundFadeInSeconds")?,
                    plays_once: input.sound_play_mode.map(|mode| mode == PlayMode::Once),
                    speaks_label: input.speak_label,
                    snoozes_max: within(input.max_snoozes, -1, 20, "/maxSnoozes")?,
                    snooze_minutes: input.snooze_minutes.map(|minutes| snooze_minutes(minutes, "/snoozeMinutes")).transpose()?,
                })
            }
        }
    };
}

alarm_input! {
    /// An alarm to create: a sentence, or a time.
    CreateAlarm {
        /// A sentence such as `tomorrow at noon in Tokyo`, in place of time, date, days, and time zone.
        #[schemars(length(min = 1, max = 300))]
        text: Option<String>,
        /// Minutes from now, in place of time, date, and days.
        #[schemars(range(min = 1, max = IN_MINUTES_MAX))]
        in_minutes: Option<i64>,
    }
}

alarm_input! {
    /// Changes to an alarm.
    UpdateAlarm {
        alarm_id: String,
        /// Turns it on or off. A one-time alarm that is past rings at the next such time.
        on: Option<bool>,
    }
}

/// Checked fields of an alarm; `None` where nothing was sent.
#[derive(Debug)]
pub(crate) struct Fields {
    pub(crate) label: Option<String>,
    pub(crate) time: Option<Time>,
    date: Option<Date>,
    days: Option<Vec<Weekday>>,
    pub(crate) zone: Option<String>,
    sound: Option<String>,
    duration_s: Option<i64>,
    fade_in_s: Option<i64>,
    plays_once: Option<bool>,
    speaks_label: Option<bool>,
    snoozes_max: Option<i64>,
    snooze_minutes: Option<i64>,
}

impl Fields {
    /// Whether they say when it rings.
    pub(crate) fn have_time(&self) -> bool {
        self.time.is_some() || self.zone.is_some() || self.has_days()
    }

    /// Whether they have a date or days.
    pub(crate) fn has_days(&self) -> bool {
        self.date.is_some() || self.days.is_some()
    }

    /// The options, with others where nothing was sent.
    pub(crate) fn options(&self, before: Options) -> Options {
        Options {
            sound: self.sound.clone().unwrap_or(before.sound),
            duration_s: self.duration_s.unwrap_or(before.duration_s),
            fade_in_s: self.fade_in_s.unwrap_or(before.fade_in_s),
            plays_once: self.plays_once.unwrap_or(before.plays_once),
            speaks_label: self.speaks_label.unwrap_or(before.speaks_label),
            snoozes_max: self.snoozes_max.unwrap_or(before.snoozes_max),
            snooze_minutes: self.snooze_minutes.unwrap_or(before.snooze_minutes),
        }
    }

    /// When it rings, with parts of `before` where nothing was sent.
    pub(crate) fn occurrence(&self, before: Option<&Occurrence>, now_ms: i64, home: &str) -> Result<Occurrence> {
        if self.time.is_none() && before.is_none() {
            return Err(invalid("/time", fault::MISSING, "Send time, inMinutes, or text."));
        }
        let fields =
            fields::Fields { time: self.time, date: self.date, days: self.days.clone(), zone: self.zone.clone() };
        fields.occurrence(before, now_ms, home)
    }
}

/// The options of a new alarm.
pub(crate) fn default_options(ctx: &Ctx, account: &str) -> Options {
    Options {
        sound: ctx.setting(account, &alarmsDefaultSound),
        duration_s: ctx.setting(account, &alarmsDefaultSoundDurationSeconds),
        fade_in_s: ctx.setting(account, &alarmsDefaultSoundFadeInSeconds),
        plays_once: ctx.setting(account, &alarmsDefaultSoundPlayMode) == crate::settings::PlayMode::Once,
        speaks_label: ctx.setting(account, &alarmsDefaultSpeakLabel),
        snoozes_max: ctx.setting(account, &alarmsDefaultMaxSnoozes),
        snooze_minutes: ctx.setting(account, &alarmsDefaultSnoozeMinutes),
    }
}

/// Rejects a length of a snooze that isn't offered.
pub(crate) fn snooze_minutes(minutes: i64, pointer: &str) -> Result<i64> {
    if SNOOZE_MINUTES.contains(&minutes) {
        return Ok(minutes);
    }
    Err(invalid(pointer, fault::NOT_A_CHOICE, "Use 5, 9, 15, or 30."))
}

/// Minutes from now.
pub(crate) fn in_minutes(minutes: i64) -> Result<i64> {
    expect_within(minutes, 1..=IN_MINUTES_MAX, "/inMinutes")
}

fn within(number: Option<i64>, min: i64, max: i64, pointer: &str) -> Result<Option<i64>> {
    number.map(|number| expect_within(number, min..=max, pointer)).transpose()
}

fn label(label: Option<&str>) -> Result<Option<String>> {
    let Some(label) = label.map(str::trim) else { return Ok(None) };
    if !label.is_empty() {
        kit::text::expect_name(label, LABEL_MAX, "/label")?;
    }
    Ok(Some(label.to_owned()))
}

fn sound(sound: &str) -> Result<String> {
    kit::text::expect_name(sound, LABEL_MAX, "/sound")?;
    Ok(sound.to_owned())
}

fn weekdays(days: &[Day]) -> Vec<Weekday> {
    let mut days: Vec<Weekday> = days.iter().map(|day| day.weekday()).collect();
    days.sort_by_key(|day| day.to_monday_zero_offset());
    days.dedup();
    days
}
