//! Kinds of inbox rows: those of alerts, and what settings hide.

use crate::settings::*;
use kit::setting::Setting;
use kit::{Call, Catalog, Ctx, InboxKind, Need, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) static ALL: &[&InboxKind] = &[&ALERT, &AUTOMATION, &CALENDAR, &CRON, &DIGEST, &RECIPE, &SMS, &MESSENGER];

static ALERT: InboxKind = informing("alert", "Alert", "bell", None);
static AUTOMATION: InboxKind = informing("automation", "Automation", "rule", Some(&inboxShowAutomations));
static CALENDAR: InboxKind = informing("calendar", "Calendar", "calendar", Some(&inboxShowCalendar));
static CRON: InboxKind = informing("cron", "Scheduled job", "clock", Some(&inboxShowCron));
static DIGEST: InboxKind = informing("digest", "Briefing", "file", Some(&inboxShowDigest));
static RECIPE: InboxKind = informing("recipe", "Recipe", "task", Some(&inboxShowRecipes));
static SMS: InboxKind = informing("sms", "Text message", "phone", Some(&inboxShowSms));
static MESSENGER: InboxKind = informing("messenger", "Message", "mail", Some(&inboxShowMessenger));

const fn informing(
    name: &'static str,
    label: &'static str,
    icon: &'static str,
    shown_by: Option<&'static Setting<bool>>,
) -> InboxKind {
    InboxKind { name, label, icon, need: Need::Nothing, shown_by }
}

/// What an alert is about. Each category but `alert` has a setting that hides it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Category {
    /// Anything.
    #[default]
    Alert,
    /// An automation rule.
    Automation,
    /// A calendar reminder or an agenda.
    Calendar,
    /// A scheduled job.
    Cron,
    /// A briefing.
    Digest,
    /// A recipe's run.
    Recipe,
    /// A text message.
    Sms,
    /// A messenger message.
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
    let is_hidden = |kind: &&&'static InboxKind| kind.shown_by.is_some_and(|setting| !ctx.setting(account, setting));
    ctx.service::<Catalog>().inbox_kinds.iter().filter(is_hidden).copied().collect()
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
