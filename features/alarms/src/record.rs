//! Alarms as sent.

use crate::alarm::{Alarm, State};
use jiff::civil::Weekday;
use kit::rfc3339;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use when::occurrence::{Occurrence, time_text};

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AlarmDay")]
#[serde(rename_all = "lowercase")]
pub(crate) enum Day {
    /// Monday.
    Mon,
    /// Tuesday.
    Tue,
    /// Wednesday.
    Wed,
    /// Thursday.
    Thu,
    /// Friday.
    Fri,
    /// Saturday.
    Sat,
    /// Sunday.
    Sun,
}

impl Day {
    const ALL: [Day; 7] = [Day::Mon, Day::Tue, Day::Wed, Day::Thu, Day::Fri, Day::Sat, Day::Sun];

    pub(crate) fn weekday(self) -> Weekday {
        when::occurrence::DAYS[self as usize].1
    }
    fn of(day: Weekday) -> Day {
        Day::ALL[day.to_monday_zero_offset() as usize]
    }
}

/// How often the sound is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AlarmPlayMode")]
#[serde(rename_all = "lowercase")]
pub(crate) enum PlayMode {
    /// Once.
    Once,
    /// Repeated.
    Loop,
}

/// What an alarm is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AlarmState")]
#[serde(rename_all = "lowercase")]
pub(crate) enum StateName {
    /// Waiting for its next time.
    Idle,
    /// Due, but Focus Mode holds it.
    Held,
    /// Ringing.
    Ringing,
    /// Rings again later.
    Snoozed,
}

impl StateName {
    pub(crate) fn state(self) -> State {
        State::ALL[self as usize]
    }
}

/// When an alarm rings.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AlarmTime")]
#[serde(rename_all = "camelCase")]
pub(crate) struct TimeRecord {
    /// Time of day in its time zone: `09:30`.
    time: String,
    /// The date of a one-time alarm; null for a repeating one.
    date: Option<String>,
    /// The days of a repeating alarm. Empty for a one-time one.
    days: Vec<Day>,
    /// Its time zone, such as `Europe/Paris`.
    time_zone: String,
}

impl From<&Occurrence> for TimeRecord {
    fn from(occurrence: &Occurrence) -> TimeRecord {
        TimeRecord {
            time: time_text(occurrence.time),
            date: occurrence.date.map(|date| date.to_string()),
            days: occurrence.days.iter().map(|day| Day::of(*day)).collect(),
            time_zone: occurrence.zone.clone(),
        }
    }
}

/// A sentence, as understood.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "UnderstoodAlarm")]
#[serde(rename_all = "camelCase")]
pub(crate) struct UnderstoodRecord {
    pub(crate) label: String,
    #[serde(flatten)]
    pub(crate) when: TimeRecord,
    /// When it would ring next; RFC 3339 in UTC.
    pub(crate) next_at: String,
}

/// An alarm.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Alarm")]
#[serde(rename_all = "camelCase")]
pub(crate) struct AlarmRecord {
    pub(crate) id: String,
    /// Can be empty.
    label: String,
    /// Whether it's on. A one-time alarm turns off after it rang.
    on: bool,
    #[serde(flatten)]
    when: TimeRecord,
    /// When it rings next; RFC 3339 in UTC. Null if never.
    next_at: Option<String>,
    state: StateName,
    /// Since when it rings, RFC 3339 in UTC; null otherwise.
    ringing_since: Option<String>,
    /// When its state ends: the snooze, or the ringing. RFC 3339 in UTC; null while idle, and in a Focus Mode without an end.
    until: Option<String>,
    /// Snoozes since it first rang.
    snoozes: i64,
    /// Whether it can be snoozed once more.
    can_snooze: bool,
    /// Name of a built-in sound, or path of a WAV file.
    sound: String,
    /// -1: until answered.
    sound_duration_seconds: i64,
    sound_fade_in_seconds: i64,
    sound_play_mode: PlayMode,
    /// Whether its label is read aloud.
    speak_label: bool,
    /// -1: no limit.
    max_snoozes: i64,
    snooze_minutes: i64,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    changed_at: String,
}

impl From<&Alarm> for AlarmRecord {
    fn from(alarm: &Alarm) -> AlarmRecord {
        const STATES: [StateName; 4] = [StateName::Idle, StateName::Held, StateName::Ringing, StateName::Snoozed];
        /// Later ends are of a Focus Mode without one.
        const LATEST_MS: i64 = 1 << 52;
        let options = alarm.options.clone();
        AlarmRecord {
            id: alarm.id.clone(),
            label: alarm.label.clone(),
            on: alarm.is_on,
            when: TimeRecord::from(&alarm.occurrence),
            next_at: (alarm.next_ms > 0).then(|| rfc3339(alarm.next_ms)),
            state: STATES[alarm.state as usize],
            ringing_since: (alarm.state == State::Ringing).then(|| rfc3339(alarm.since_ms)),
            until: (1..LATEST_MS).contains(&alarm.until_ms).then(|| rfc3339(alarm.until_ms)),
            snoozes: alarm.snoozes,
            can_snooze: alarm.state == State::Ringing && alarm.may_snooze(),
            sound: options.sound,
            sound_duration_seconds: options.duration_s,
            sound_fade_in_seconds: options.fade_in_s,
            sound_play_mode: if options.plays_once { PlayMode::Once } else { PlayMode::Loop },
            speak_label: options.speaks_label,
            max_snoozes: options.snoozes_max,
            snooze_minutes: options.snooze_minutes,
            created_at: rfc3339(alarm.created_ms),
            changed_at: rfc3339(alarm.changed_ms),
        }
    }
}
