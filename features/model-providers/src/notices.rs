//! Notices about questions that failed: a provider that isn't available, a provider's limit, and a limit of costs. One row
//! for each, and none again while it stays so.

use events::Actor;
use futures_core::future::BoxFuture;
use inbox_rows::{NewRow, Severity};
use kit::clock::{DAY_MS, day_of};
use kit::{Ctx, InboxKind, Result, Urgency};
use ledger::CapError;
use models::{AskError, FollowOutcomes, Provider, Question};
use outbound::Failure;
use store::{HasDb, Tx};

pub(crate) static KINDS: &[&InboxKind] = &[&OUTAGE, &LIMIT];

/// A provider that isn't available.
static OUTAGE: InboxKind = InboxKind::new("model-outage", "Model outage", "warning").urgency(Urgency::Notice);
/// A limit of costs, or of a provider.
static LIMIT: InboxKind = InboxKind::new("model-limit", "Model limit", "warning").urgency(Urgency::Notice);

/// Where you see and change limits.
const LINK: &str = "/app/models";

/// Posts and settles notices.
pub(crate) struct Follower;

/// A notice to post.
struct Notice {
    kind: &'static InboxKind,
    key: String,
    title: String,
    body: String,
    /// A dismissed row of the key from this time on stands for it.
    since_ms: i64,
}

impl FollowOutcomes for Follower {
    fn asked<'a>(
        &'a self,
        ctx: &'a Ctx,
        question: &'a Question,
        provider: &'a Provider,
        failure: Option<&'a AskError>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let done = match failure {
                None => {
                    let keys = vec![outage_key(provider), limit_key(provider)];
                    inbox_rows::settle_if_open(ctx, &question.account, keys, "works again").await
                }
                Some(failure) => match notice(ctx, question, provider, failure) {
                    Some(notice) => post(ctx, &question.account, notice).await,
                    None => Ok(()),
                },
            };
            // The question has its answer or its error all the same.
            if let Err(error) = done {
                tracing::warn!(error = ?error, "couldn't report whether a model provider works");
            }
        })
    }
}

fn outage_key(provider: &Provider) -> String {
    format!("model-outage:{}", provider.id)
}

fn limit_key(provider: &Provider) -> String {
    format!("model-limit:{}", provider.id)
}

/// The notice about a failure. What you can only mend in the settings, such as a wrong key, is none.
fn notice(ctx: &Ctx, question: &Question, provider: &Provider, failure: &AskError) -> Option<Notice> {
    let now_ms = ctx.now_ms();
    let (body, since_ms) = (failure.to_string(), now_ms - DAY_MS);
    match failure {
        AskError::Unavailable(_)
        | AskError::Http(Failure::Unreachable(_) | Failure::TimedOut(_) | Failure::Interrupted) => {
            let title = format!("{} isn't available", provider.name);
            Some(Notice { kind: &OUTAGE, key: outage_key(provider), title, body, since_ms })
        }
        AskError::Limited(_) => {
            let title = format!("{}: limit reached or balance low", provider.name);
            Some(Notice { kind: &LIMIT, key: limit_key(provider), title, body, since_ms })
        }
        // A limit of 0 turns the purpose off, which needs no notice.
        AskError::Cap(CapError::Reached { cap, .. }) if *cap > 0.0 => {
            let day = day_of(now_ms, &ctx.home_zone());
            let key = format!("model-cap:{}:{day}", question.purpose.name);
            let title = format!("Cost limit reached: {}", question.purpose.label);
            Some(Notice { kind: &LIMIT, key, title, body, since_ms: 0 })
        }
        _ => None,
    }
}

async fn post(ctx: &Ctx, account: &str, notice: Notice) -> Result<()> {
    let (again, account) = (ctx.clone(), account.to_owned());
    let write = move |tx: &mut Tx<'_>| {
        let row = NewRow {
            key: Some(&notice.key),
            body: &notice.body,
            severity: Severity::Warning,
            link: Some(LINK),
            ..NewRow::new(notice.kind, &notice.title, Actor::program(None))
        };
        inbox_rows::post_once(tx, &again, &account, &row, notice.since_ms)
    };
    ctx.db().write(write).await
}
