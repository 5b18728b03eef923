//! Listeners for changes of sessions: open pages of one session, lists, and the agent sessions board.

use crate::live::Live;
use crate::records::SessionRecord;
use crate::transcript::SessionKey;
use events::HasEvents;
use kit::Ctx;
use kit::lookup::AGENT_SESSIONS;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

/// The listeners of all sessions.
pub(crate) struct Listeners {
    ctx: Ctx,
    lives: Mutex<HashMap<SessionKey, Weak<Live>>>,
    /// The last time that an account's sessions changed in lists, in milliseconds; increases with each change.
    changes: Mutex<HashMap<Arc<str>, i64>>,
}

impl Listeners {
    pub(crate) fn new(ctx: Ctx) -> Listeners {
        Listeners { ctx, lives: Mutex::default(), changes: Mutex::default() }
    }

    /// A session's live state, for its driver and its listeners.
    pub(crate) fn live(&self, key: &SessionKey) -> Arc<Live> {
        let mut lives = self.lives.lock().expect("no panic while held");
        if let Some(live) = lives.get(key).and_then(Weak::upgrade) {
            return live;
        }
        lives.retain(|_, live| live.strong_count() > 0);
        let live = Arc::new(Live::new());
        lives.insert(key.clone(), Arc::downgrade(&live));
        live
    }

    /// A session's live state, if it's in use.
    pub(crate) fn live_now(&self, key: &SessionKey) -> Option<Arc<Live>> {
        self.lives.lock().expect("no panic while held").get(key).and_then(Weak::upgrade)
    }

    /// A stored session with its latest live data.
    pub(crate) fn with_stats(&self, account: &Arc<str>, mut record: SessionRecord) -> SessionRecord {
        let key = SessionKey { account: account.clone(), session: record.id.as_str().into() };
        if let Some(live) = self.live_now(&key) {
            record.last_entry = record.last_entry.max(live.last());
            if let Some(stats) = live.stats() {
                (record.sums, record.facts) = (stats.sums, stats.facts);
            }
        }
        record
    }

    /// Notifies pages of the parent session: its record shows the states of its child sessions.
    pub(crate) fn tell_parent(&self, account: &Arc<str>, parent: Option<&str>) {
        let live = parent.and_then(|id| self.live_now(&SessionKey { account: account.clone(), session: id.into() }));
        if let Some(live) = live {
            live.changed(None);
        }
    }

    /// Notifies lists and the agent sessions board of a change.
    pub(crate) fn tell_listed(&self, key: &SessionKey, parent: Option<&str>) {
        let now_ms = self.ctx.now_ms();
        let revision = {
            let mut changes = self.changes.lock().expect("no panic while held");
            let last = changes.entry(key.account.clone()).or_default();
            *last = now_ms.max(*last + 1);
            *last
        };
        let bus = self.ctx.events();
        let about = || events::AboutSession { id: key.session.clone(), parent: parent.map(Arc::from) };
        let changed = events::Event::SessionChanged { session_id: key.session.to_string() };
        bus.emit_about(&key.account, about(), changed);
        let board_id = AGENT_SESSIONS.to_owned();
        bus.emit_about(&key.account, about(), events::Event::BoardChanged { board_id, revision });
    }

    /// The last time that an account's sessions changed since the program started; 0 if none did.
    pub(crate) fn changed_ms(&self, account: &str) -> i64 {
        self.changes.lock().expect("no panic while held").get(account).copied().unwrap_or_default()
    }
}
