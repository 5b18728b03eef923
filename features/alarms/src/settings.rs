//! Settings of alarms.

use kit::choices;
use kit::setting::{int, number, one_of, select, text, toggle};

choices! {
    /// How an alarm appears.
    Assertiveness {
        /// A dialog that stays until you answer.
        Modal = "modal",
        /// A banner with sound.
        Banner = "banner",
        /// A banner without sound.
        SilentBanner = "silent-banner",
    }
    /// How the sound is played.
    PlayMode {
        /// Once.
        Once = "once",
        /// Repeated until you answer.
        Loop = "loop",
    }
}

kit::settings! {
    /// Turns alarms on. When off, no alarm fires, including snoozed ones; your alarms stay stored.
    alarmsEnabled: bool = toggle(true);
    /// How an alarm appears.
    alarmsAssertiveness: Assertiveness = select("banner").requires(&alarmsEnabled);
    /// Lets alarms fire on time during Focus Mode.
    alarmsPierceFocusMode: bool = toggle(true).requires(&alarmsEnabled);
    /// Maximum snoozes of new alarms. 0 disables snoozing; -1 removes the limit.
    alarmsDefaultMaxSnoozes: i64 = int(-1..=20, 3).requires(&alarmsEnabled);
    /// Snooze length of new alarms.
    alarmsDefaultSnoozeMinutes: i64 = one_of(&[5, 9, 15, 30], 9).labeled("unknown").unit("min").requires(&alarmsEnabled);
    /// Sound of new alarms: the name of a built-in sound or the path of a WAV file.
    alarmsDefaultSound: String = text(200, "chime").requires(&alarmsEnabled);
    /// Time after which the sound of new alarms stops. -1 plays until you answer; 0 plays no sound.
    alarmsDefaultSoundDurationSeconds: i64 = int(-1..=300, 30).unit("s").requires(&alarmsEnabled);
    /// Time in which the sound of new alarms rises to full volume. 0 starts at full volume.
    alarmsDefaultSoundFadeInSeconds: i64 = int(0..=300, 0).unit("s").requires(&alarmsEnabled);
    /// Plays the sound of new alarms once or repeats it.
    alarmsDefaultSoundPlayMode: PlayMode = select("loop").requires(&alarmsEnabled);
    /// Reads the names of new alarms aloud.
    alarmsDefaultSpeakLabel: bool = toggle(false).requires(&alarmsEnabled);
    /// Maximum daily cost of understanding alarms written as sentences. The free built-in grammar is tried first; 0 uses only that.
    alarmNlpDailyCostCap: f64 = number(0.0, 5.0, 0.25).unit("USD").requires(&alarmsEnabled);
    /// Time after which an unanswered alarm stops and becomes an inbox row.
    alarmsMaxRingingMinutes: i64 = int(1..=60, 5).unit("min").requires(&alarmsEnabled);
    /// Brings the window to the front when an alarm fires.
    alarmsBringToForeground: bool = toggle(false).requires(&alarmsEnabled);
}
