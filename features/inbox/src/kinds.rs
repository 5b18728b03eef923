//! Kinds of inbox rows: those of alerts, and what settings hide.

use crate::settings::*;
use kit::{Call, Catalog, Ctx, InboxKind, Need, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) static ALL: &[&InboxKind] =
    &[&ALERT, &AUTOMATION, &CALENDAR, &CRON, &CRON_APPROVAL, &DIGEST, &RECIPE, &SMS, &MESSENGER];

static ALERT: InboxKind = InboxKind::new("alert", "Alert", "bell");
static AUTOMATION: InboxKind = InboxKind::new("automation", "Automation", "rule").shown_by(&inboxShowAutomations);
static CALENDAR: InboxKind = InboxKind::new("calendar", "Calendar", "calendar").shown_by(&inboxShowCalendar);
static CRON: InboxKind = InboxKind::new("cron", "Scheduled job", "clock").shown_by(&inboxShowCron);
/// Posted by the feature that runs scheduled jobs.
static CRON_APPROVAL: InboxKind =
    InboxKind::new("cron-approval", "Scheduled job approval", "clock").asking(Need::Answer).shown_by(&inboxShowCron);
static DIGEST: InboxKind = InboxKind::new("digest", "Briefing", "file").shown_by(&inboxShowDigest);
static RECIPE: InboxKind = InboxKind::new("recipe", "Recipe", "task").shown_by(&inboxShowRecipes);
static SMS: InboxKind = InboxKind::new("sms", "Text message", "phone").shown_by(&inboxShowSms);
static MESSENGER: InboxKind = InboxKind::new("messenger", "Message", "mail").shown_by(&inboxShowMessenger);

/// What an alert is about. Each category but `alert` has a setting that hides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Category {
    #[default]
    Alert,
    Automation,
    Calendar,
    Cron,
    Digest,
    Recipe,
    Sms,
    Messenger,
}

impl Category {
    pub(crate) fn kind(self) -> &'static InboxKind {
        match self {
            Category::Alert => &ALERT,
            Category::Automation => &AUTOMATION,
            Category::Calendar => &CALENDAR,
            Category::Cron => &CRON,
            Category::Digest => &DIGEST,
            Category::Recipe => &RECIPE,
            Category::Sms => &SMS,
            Category::Messenger => &MESSENGER,
        }
    }
}

/// The kinds that a setting of the account hides.
pub(crate) fn hidden(ctx: &Ctx, account: &str) -> Vec<&'static InboxKind> {
    let kinds = &ctx.service::<Catalog>().inbox_kinds;
    kinds.iter().filter(|kind| inbox_rows::is_hidden(ctx, account, kind)).copied().collect()
}

/// The names of kinds as a list in SQL. They are the program's own words, never input.
pub(crate) fn in_sql(kinds: &[&InboxKind]) -> String {
    kinds.iter().map(|kind| format!("'{}'", kind.name)).collect::<Vec<_>>().join(", ")
}

/// A kind of inbox rows.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct KindRecord {
    /// As in `kind` of a row.
    name: &'static str,
    label: &'static str,
    /// The page's icon of it.
    icon: &'static str,
    /// Whether somebody waits for your answer to its rows.
    waits: bool,
    /// The setting that shows its rows; null if they always show.
    setting: Option<&'static str>,
    /// Whether that setting is off, so that its rows are hidden.
    hidden: bool,
}

/// Every kind of inbox rows.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Kinds {
    kinds: Vec<KindRecord>,
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoParams {}

pub(crate) async fn list(ctx: Ctx, call: Call, _: NoParams) -> Result<Kinds> {
    let hidden: Vec<&str> = hidden(&ctx, call.account()).into_iter().map(|kind| kind.name).collect();
    let record = |kind: &&'static InboxKind| KindRecord {
        name: kind.name,
        label: kind.label,
        icon: kind.icon,
        waits: kind.need == Need::Answer,
        setting: kind.shown_by.map(|setting| setting.spec.key),
        hidden: hidden.contains(&kind.name),
    };
    Ok(Kinds { kinds: ctx.service::<Catalog>().inbox_kinds.iter().map(record).collect() })
}
