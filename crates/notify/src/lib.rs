//! Decides whether the user is notified of something, now, later, or not at all, and why.
//!
//! Invariants: pure functions; each decision has one reason, which the history shows; what is dropped or held stays in the
//! inbox, so a wrong decision never loses anything.
//! Deliberately not here: showing a notification, and storing decisions, which is the feature `notifications`.

mod quiet;

pub use quiet::{QuietHours, quiet_until};

use kit::Need;

/// What the user might be notified of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Subject {
    /// An inbox row.
    Row(Row),
    /// An alarm; whether it rings during Focus Mode.
    Alarm {
        /// Whether it rings during Focus Mode.
        pierces_focus: bool,
    },
    /// A notice from Pilothouse itself: an outage, a failed job, a balance.
    Notice,
}

/// An inbox row, as far as a decision needs it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// What it asks of the user.
    pub need: Need,
    /// Whether it is urgent by itself.
    pub is_critical: bool,
    /// Whether it reports an event of a board.
    pub of_board: bool,
    /// Whether it reports an overdue item, which always notifies at once.
    pub is_overdue: bool,
    /// Whether a setting hides its kind.
    pub is_hidden: bool,
}

/// When the system shows notifications: the setting `notificationBehavior`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behavior {
    /// For every event.
    Always,
    /// Only while no window of Pilothouse is in front.
    Backgrounded,
    /// Never.
    Never,
}

/// What gets through Focus Mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Through {
    /// Nothing but alarms that say so, and overdue items.
    Nothing,
    /// Also rows marked critical.
    Critical,
    /// Also sessions and requests that need you.
    NeedsYou,
}

/// An active Focus Mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Focus {
    /// When it ends, in milliseconds since 1970.
    pub until_ms: i64,
    /// What gets through.
    pub through: Through,
}

/// The end of what has none that is known: later than any clock, in milliseconds since 1970.
pub const NEVER_MS: i64 = 1 << 53;

/// What a decision depends on besides its subject.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Situation {
    /// The setting.
    pub behavior: Behavior,
    /// Focus Mode, if it's active.
    pub focus: Option<Focus>,
    /// The end of the quiet hours for board events, during them.
    pub quiet_until_ms: Option<i64>,
    /// Whether a window of Pilothouse is in front.
    pub is_in_front: bool,
    /// Whether notices from Pilothouse are shown: the setting `traySystemNotificationsEnabled`.
    pub shows_notices: bool,
    /// Whether the system's Do Not Disturb is on. Off if that can't be read.
    pub is_do_not_disturb: bool,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Show it now.
    Show,
    /// Decide again at this time, in milliseconds since 1970.
    Hold {
        /// When.
        until_ms: i64,
    },
    /// Never show it.
    Drop,
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Nothing spoke against it.
    Shown,
    /// Overdue items always notify.
    Overdue,
    /// It gets through Focus Mode.
    ThroughFocus,
    /// The setting hides its category.
    Hidden,
    /// Notifications are off.
    Off,
    /// Notices from Pilothouse are off.
    NoticesOff,
    /// Focus Mode holds it.
    Focus,
    /// Quiet hours hold it.
    QuietHours,
    /// The system's Do Not Disturb holds it.
    DoNotDisturb,
    /// A window was in front.
    InFront,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 10] = [
        Reason::Shown,
        Reason::Overdue,
        Reason::ThroughFocus,
        Reason::Hidden,
        Reason::Off,
        Reason::NoticesOff,
        Reason::Focus,
        Reason::QuietHours,
        Reason::DoNotDisturb,
        Reason::InFront,
    ];

    /// As stored and sent.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Shown => "shown",
            Reason::Overdue => "overdue",
            Reason::ThroughFocus => "throughFocus",
            Reason::Hidden => "hidden",
            Reason::Off => "off",
            Reason::NoticesOff => "noticesOff",
            Reason::Focus => "focus",
            Reason::QuietHours => "quietHours",
            Reason::DoNotDisturb => "doNotDisturb",
            Reason::InFront => "inFront",
        }
    }

    /// For people.
    pub const fn text(self) -> &'static str {
        match self {
            Reason::Shown => "Shown.",
            Reason::Overdue => "Shown: overdue items always notify.",
            Reason::ThroughFocus => "Shown: it gets through Focus Mode.",
            Reason::Hidden => "Not shown: its category is hidden.",
            Reason::Off => "Not shown: notificationBehavior is never.",
            Reason::NoticesOff => "Not shown: traySystemNotificationsEnabled is off.",
            Reason::Focus => "Held until Focus Mode ends.",
            Reason::QuietHours => "Held until quiet hours end.",
            Reason::DoNotDisturb => "Held until the system's Do Not Disturb ends.",
            Reason::InFront => "Not shown: Pilothouse was in front.",
        }
    }
}

/// A decision with its reason.
pub type Verdict = (Decision, Reason);

/// Decides.
pub fn decide(subject: &Subject, now: &Situation) -> Verdict {
    match subject {
        // Alarms have settings of their own; only Focus Mode concerns them here.
        Subject::Alarm { pierces_focus } => match now.focus {
            Some(_) if *pierces_focus => (Decision::Show, Reason::ThroughFocus),
            Some(focus) => (Decision::Hold { until_ms: focus.until_ms }, Reason::Focus),
            None => (Decision::Show, Reason::Shown),
        },
        Subject::Notice if !now.shows_notices => (Decision::Drop, Reason::NoticesOff),
        Subject::Notice => unless_in_front(now, Reason::Shown, |focus| focus.through == Through::NeedsYou),
        Subject::Row(row) if row.is_hidden => (Decision::Drop, Reason::Hidden),
        Subject::Row(row) if row.is_overdue && now.behavior != Behavior::Never => {
            unless_in_front(&Situation { focus: None, ..*now }, Reason::Overdue, |_| true)
        }
        Subject::Row(row) => {
            if now.behavior != Behavior::Never
                && now.focus.is_none()
                && let (true, Some(until_ms)) = (row.of_board, now.quiet_until_ms)
            {
                return (Decision::Hold { until_ms }, Reason::QuietHours);
            }
            unless_in_front(now, Reason::Shown, |focus| match focus.through {
                Through::Nothing => false,
                Through::Critical => row.is_critical,
                Through::NeedsYou => row.is_critical || row.need > Need::Nothing,
            })
        }
    }
}

/// Shows, unless notifications are off, Focus Mode or Do Not Disturb holds it, or a window is in front.
fn unless_in_front(now: &Situation, reason: Reason, gets_through: impl Fn(Focus) -> bool) -> Verdict {
    match (now.behavior, now.focus) {
        (Behavior::Never, _) => (Decision::Drop, Reason::Off),
        (_, Some(focus)) if !gets_through(focus) => (Decision::Hold { until_ms: focus.until_ms }, Reason::Focus),
        (Behavior::Backgrounded, _) if now.is_in_front => (Decision::Drop, Reason::InFront),
        // Everything, even what gets through Focus Mode: it's the user's word on the whole computer.
        _ if now.is_do_not_disturb => (Decision::Hold { until_ms: NEVER_MS }, Reason::DoNotDisturb),
        (_, Some(_)) => (Decision::Show, Reason::ThroughFocus),
        (_, None) => (Decision::Show, reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CALM: Situation = Situation {
        behavior: Behavior::Backgrounded,
        focus: None,
        quiet_until_ms: None,
        is_in_front: false,
        shows_notices: true,
        is_do_not_disturb: false,
    };
    const ROW: Row =
        Row { need: Need::Nothing, is_critical: false, of_board: false, is_overdue: false, is_hidden: false };
    const END: i64 = 1_000;

    fn focus(through: Through) -> Situation {
        Situation { focus: Some(Focus { until_ms: END, through }), ..CALM }
    }

    fn reason(row: Row, now: Situation) -> Reason {
        decide(&Subject::Row(row), &now).1
    }

    #[test]
    fn the_behavior_says_when_the_system_shows() {
        let in_front = Situation { is_in_front: true, ..CALM };
        for (behavior, back, front) in [
            (Behavior::Always, Reason::Shown, Reason::Shown),
            (Behavior::Backgrounded, Reason::Shown, Reason::InFront),
            (Behavior::Never, Reason::Off, Reason::Off),
        ] {
            let told = [CALM, in_front].map(|now| reason(ROW, Situation { behavior, ..now }));
            assert_eq!(told, [back, front], "{behavior:?}");
        }
    }

    #[test]
    fn focus_mode_holds_what_does_not_get_through() {
        let critical = Row { is_critical: true, ..ROW };
        let needy = Row { need: Need::Attention, ..ROW };
        for (through, plain, critical_told, needy_told) in [
            (Through::Nothing, Reason::Focus, Reason::Focus, Reason::Focus),
            (Through::Critical, Reason::Focus, Reason::ThroughFocus, Reason::Focus),
            (Through::NeedsYou, Reason::Focus, Reason::ThroughFocus, Reason::ThroughFocus),
        ] {
            let told = [ROW, critical, needy].map(|row| reason(row, focus(through)));
            assert_eq!(told, [plain, critical_told, needy_told], "{through:?}");
        }
        assert_eq!(decide(&Subject::Row(ROW), &focus(Through::Nothing)).0, Decision::Hold { until_ms: END });
        let alarm = |pierces_focus| decide(&Subject::Alarm { pierces_focus }, &focus(Through::Nothing));
        assert_eq!(alarm(true), (Decision::Show, Reason::ThroughFocus));
        assert_eq!(alarm(false), (Decision::Hold { until_ms: END }, Reason::Focus));
    }

    #[test]
    fn quiet_hours_hold_board_events_but_nothing_overdue_and_no_session() {
        let quiet = Situation { quiet_until_ms: Some(END), ..CALM };
        let of_board = Row { of_board: true, ..ROW };
        assert_eq!(decide(&Subject::Row(of_board), &quiet), (Decision::Hold { until_ms: END }, Reason::QuietHours));
        assert_eq!(reason(Row { is_overdue: true, ..of_board }, quiet), Reason::Overdue);
        assert_eq!(reason(Row { need: Need::Answer, ..ROW }, quiet), Reason::Shown);
        assert_eq!(reason(Row { is_overdue: true, ..of_board }, focus(Through::Nothing)), Reason::Overdue);
    }

    #[test]
    fn notices_and_hidden_rows_follow_their_settings() {
        assert_eq!(decide(&Subject::Notice, &CALM), (Decision::Show, Reason::Shown));
        let off = Situation { shows_notices: false, ..CALM };
        assert_eq!(decide(&Subject::Notice, &off), (Decision::Drop, Reason::NoticesOff));
        assert_eq!(reason(Row { is_hidden: true, is_overdue: true, ..ROW }, CALM), Reason::Hidden);
    }

    #[test]
    fn do_not_disturb_holds_everything_but_alarms_and_what_a_window_in_front_shows() {
        let disturbed = Situation { is_do_not_disturb: true, ..CALM };
        let held = (Decision::Hold { until_ms: NEVER_MS }, Reason::DoNotDisturb);
        let request = Row { need: Need::Answer, is_critical: true, ..ROW };
        for row in [ROW, request, Row { is_overdue: true, ..ROW }] {
            assert_eq!(decide(&Subject::Row(row), &disturbed), held, "{row:?}");
        }
        assert_eq!(decide(&Subject::Notice, &disturbed), held);
        let through = Situation { is_do_not_disturb: true, ..focus(Through::NeedsYou) };
        assert_eq!(decide(&Subject::Row(request), &through), held);
        assert_eq!(reason(ROW, through), Reason::Focus);
        assert_eq!(decide(&Subject::Alarm { pierces_focus: false }, &disturbed), (Decision::Show, Reason::Shown));
        assert_eq!(reason(ROW, Situation { is_in_front: true, ..disturbed }), Reason::InFront);
        assert_eq!(reason(ROW, Situation { behavior: Behavior::Never, ..disturbed }), Reason::Off);
    }

    fn situation() -> impl Strategy<Value = Situation> {
        let behavior = prop_oneof![Just(Behavior::Always), Just(Behavior::Backgrounded), Just(Behavior::Never)];
        let through = prop_oneof![Just(Through::Nothing), Just(Through::Critical), Just(Through::NeedsYou)];
        let focus = prop::option::of((1..9_i64, through).prop_map(|(until_ms, through)| Focus { until_ms, through }));
        (behavior, focus, prop::option::of(1..9_i64), any::<[bool; 3]>()).prop_map(
            |(behavior, focus, quiet_until_ms, [is_in_front, shows_notices, is_do_not_disturb])| Situation {
                behavior,
                focus,
                quiet_until_ms,
                is_in_front,
                shows_notices,
                is_do_not_disturb,
            },
        )
    }

    fn row() -> impl Strategy<Value = Row> {
        let need = prop_oneof![Just(Need::Nothing), Just(Need::Attention), Just(Need::Answer)];
        (need, any::<[bool; 4]>()).prop_map(|(need, [is_critical, of_board, is_overdue, is_hidden])| Row {
            need,
            is_critical,
            of_board,
            is_overdue,
            is_hidden,
        })
    }

    proptest! {
        /// A held row is told or dropped in the end: each hold ends at a time when what held it is over.
        #[test]
        fn holding_ends(row in row(), now in situation()) {
            let subject = Subject::Row(row);
            let mut now = now;
            for _ in 0..4 {
                let (decision, reason) = decide(&subject, &now);
                let Decision::Hold { until_ms } = decision else {
                    prop_assert_eq!(decision == Decision::Show, reason.text().starts_with("Shown"));
                    return Ok(());
                };
                now.focus = now.focus.filter(|focus| focus.until_ms > until_ms);
                now.quiet_until_ms = now.quiet_until_ms.filter(|end| *end > until_ms);
                now.is_do_not_disturb &= until_ms < NEVER_MS;
            }
            prop_assert!(false, "held for ever");
        }

        #[test]
        fn only_do_not_disturb_holds_overdue_items(row in row(), now in situation()) {
            let now = Situation { is_do_not_disturb: false, ..now };
            let (decision, _) = decide(&Subject::Row(Row { is_overdue: true, ..row }), &now);
            prop_assert!(!matches!(decision, Decision::Hold { .. }), "held");
        }
    }
}
