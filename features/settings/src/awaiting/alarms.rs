//! Alarms.

use kit::choices;
use kit::setting::{int, number, one_of, select, text, toggle};

choices! {
    /// How an alarm shows itself.
    Assertiveness {
        /// A dialog that stays until you answer it.
        Modal = "modal",
        /// A strip in the window, with sound.
        Banner = "banner",
        /// A strip in the window, without sound.
        SilentBanner = "silent-banner",
    }
    /// How the sound is played.
    PlayMode {
        /// One time.
        Once = "once",
        /// Again and again until you answer.
        Loop = "loop",
    }
}

kit::settings! {
    /// Switches alarms on. When off, none fires, snoozed ones included, and those that you set are kept.
    alarmsEnabled: bool = toggle(true);
    /// Chooses how an alarm shows itself when it fires.
    alarmsAssertiveness: Assertiveness = select("banner").requires(&alarmsEnabled);
    /// Brings the window in front of other programs when an alarm fires.
    alarmsBringToForeground: bool = toggle(false).requires(&alarmsEnabled);
    /// Alarms fire at their second even while Focus Mode gathers everything else.
    alarmsPierceFocusMode: bool = toggle(true).requires(&alarmsEnabled);
    /// Limits how often a new alarm can be snoozed before only Dismiss is left; 0 is never, -1 is without limit.
    alarmsDefaultMaxSnoozes: i64 = int(-1..=20, 3).requires(&alarmsEnabled);
    /// Sets how long a snooze lasts.
    alarmsDefaultSnoozeMinutes: i64 = one_of(&[5, 9, 15, 30], 9).labelled("unknown").unit("min").requires(&alarmsEnabled);
    /// Chooses the sound of an alarm: a built-in one by name, or a file by its path.
    alarmsDefaultSound: String = text(200, "chime").requires(&alarmsEnabled);
    /// Ends the sound of an alarm after this time; -1 lets it go on until you answer, 0 plays none.
    alarmsDefaultSoundDurationSeconds: i64 = int(-1..=300, 30).unit("s").requires(&alarmsEnabled);
    /// Lets the sound rise from silence to full over this time; 0 begins in full.
    alarmsDefaultSoundFadeInSeconds: i64 = int(0..=300, 0).unit("s").requires(&alarmsEnabled);
    /// Chooses whether the sound plays one time or repeats.
    alarmsDefaultSoundPlayMode: PlayMode = select("loop").requires(&alarmsEnabled);
    /// Reads the name of the alarm aloud.
    alarmsDefaultSpeakLabel: bool = toggle(false).requires(&alarmsEnabled);
    /// Ends an unanswered alarm after this time and leaves a row in the inbox.
    alarmsMaxRingingMinutes: i64 = int(1..=60, 5).unit("min").requires(&alarmsEnabled);
    /// Limits what it may cost a day to understand alarms written as sentences. The built-in grammar is free and comes first.
    alarmNlpDailyCostCap: f64 = number(0.0, 5.0, 0.25).unit("USD").requires(&alarmsEnabled);
}
