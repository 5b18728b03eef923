//! Asking a question: who is asked, what it may cost, the call, and what it did cost.

use crate::answer;
use crate::dialect::{self, Said};
use crate::engine_turn::{EngineTurn, EngineTurns};
use crate::error::AskError;
use crate::outcome::Outcomes;
use crate::plan::{self, ATTEMPTS, Plan};
use crate::provider::{Endpoint, Kind, Provider};
use crate::question::{Answer, Question};
use crate::rows;
use kit::clock::day_of;
use kit::{Ctx, Secret};
use ledger::{Cost, Reserved, Spender, Tokens};
use outbound::{Limits, Outbound};
use secrets::Vaults;
use std::sync::Arc;
use std::time::Duration;
use store::{HasDb, Tx, params};
use tokio::sync::Semaphore;

/// Questions under way at most; others wait.
const AT_ONCE: usize = 4;
/// Questions of a purpose within an hour at most, so that no loop spends without end.
const HOURLY_MAX: u32 = 120;
/// Bytes of an answer.
const ANSWER_BYTES: usize = 1_000_000;
const HOUR_MS: i64 = 60 * 60 * 1000;

/// Asks models.
pub struct Models {
    pub(crate) outbound: Arc<Outbound>,
    pub(crate) vaults: Arc<Vaults>,
    at_once: Semaphore,
    wait: Duration,
}

/// What a call brought.
struct Called {
    said: Result<Said, AskError>,
    tokens: Tokens,
    usd: Option<f64>,
    is_subscription: Option<bool>,
}

impl Models {
    /// Asks over this way out, with keys of these vaults. `wait` is the first wait for an overloaded provider.
    pub fn new(outbound: Arc<Outbound>, vaults: Arc<Vaults>, wait: Duration) -> Models {
        Models { outbound, vaults, at_once: Semaphore::new(AT_ONCE), wait }
    }

    /// Where keys are stored.
    pub fn vaults(&self) -> &Vaults {
        &self.vaults
    }

    /// An error if the account has no such provider.
    pub async fn expect_provider(&self, ctx: &Ctx, account: &str, provider_id: &str) -> kit::Result<()> {
        let (account, id) = (account.to_owned(), provider_id.to_owned());
        ctx.db().read(move |tx| rows::provider(tx, &account, &id)).await.map(drop)
    }

    /// Whether a utility model is chosen.
    pub async fn has_utility(&self, ctx: &Ctx, account: &str) -> kit::Result<bool> {
        let account = account.to_owned();
        Ok(ctx.db().read(move |tx| rows::choice(tx, &account, rows::Use::Utility)).await?.is_some())
    }

    /// Asks a question. If the named model isn't available, the utility model answers.
    pub async fn ask(&self, ctx: &Ctx, question: &Question) -> Result<Answer, AskError> {
        match self.ask_one(ctx, question).await {
            Err(AskError::UnknownModel(_)) if !question.model.is_empty() => {
                let utility = Question { model: String::new(), ..question.clone() };
                let answer = self.ask_one(ctx, &utility).await?;
                Ok(Answer { unknown_model: Some(question.model.clone()), ..answer })
            }
            answer => answer,
        }
    }

    /// Asks a question of one provider's model, whatever is chosen, as a test of it.
    pub async fn ask_provider(&self, ctx: &Ctx, provider_id: &str, question: &Question) -> Result<Answer, AskError> {
        let endpoint = self.endpoint(ctx, &question.account, provider_id).await?;
        let (account, model) = (question.account.clone(), question.model.clone());
        let price = ctx.db().read(move |tx| crate::prices::price(tx, &account, &model)).await?;
        let plan = Plan { provider: endpoint.provider, model: question.model.clone(), price, is_free_only: false };
        self.spend(ctx, question, plan).await
    }

    async fn ask_one(&self, ctx: &Ctx, question: &Question) -> Result<Answer, AskError> {
        let asked = question.clone();
        let plan = ctx.db().read(move |tx| plan::plan(tx, &asked)).await?.ok_or(AskError::NoModel)?;
        plan.expect_allowed()?;
        let provider = plan.provider.clone();
        let answer = self.spend(ctx, question, plan).await;
        if let Some(outcomes) = ctx.find_service::<Outcomes>() {
            outcomes.0.asked(ctx, question, &provider, answer.as_ref().err()).await;
        }
        answer
    }

    /// Reserves, calls, and settles.
    async fn spend(&self, ctx: &Ctx, question: &Question, plan: Plan) -> Result<Answer, AskError> {
        let endpoint =
            Endpoint { key: self.key(&question.account, &plan.provider).await?, provider: plan.provider.clone() };
        // Closed only with the program.
        let _permit = self.at_once.acquire().await.map_err(|_| AskError::Store("Pilothouse is quitting.".into()))?;
        let reserved = reserve(ctx, question, &plan).await?;
        let called = self.call(ctx, question, &plan, &endpoint).await;
        let answer = match called.said {
            Ok(said) => answer::read(&said.text, &question.schema).ok_or(AskError::Unusable),
            Err(why) => Err(why),
        };
        let is_free = answer.as_ref().is_err_and(AskError::is_free) && called.tokens == Tokens::default();
        let has_outcome = answer.is_ok() || called.tokens != Tokens::default();
        let mut cost = plan.cost(&called.tokens, called.usd);
        if called.is_subscription == Some(false) {
            cost.basis = if cost.micros.is_some() { ledger::Basis::Reported } else { ledger::Basis::Unpriced };
        }
        finish(ctx, reserved, (is_free, has_outcome), cost, called.tokens).await;
        Ok(Answer { value: answer?, model: plan.model, unknown_model: None })
    }

    /// Calls until an answer fits, or the attempts are over.
    async fn call(&self, ctx: &Ctx, question: &Question, plan: &Plan, endpoint: &Endpoint) -> Called {
        let mut called =
            Called { said: Err(AskError::Unusable), tokens: Tokens::default(), usd: None, is_subscription: None };
        let mut has_format = plan.provider.kind != Kind::Anthropic;
        for _ in 0..ATTEMPTS {
            called.said = if plan.provider.kind.is_engine() {
                engine(ctx, question, plan, &mut called.is_subscription).await
            } else {
                self.http(question, plan, endpoint, has_format).await
            };
            match &called.said {
                Ok(said) => {
                    called.tokens = called.tokens.plus(&said.tokens);
                    called.usd = said.usd.map(|usd| usd + called.usd.unwrap_or(0.0));
                    if answer::read(&said.text, &question.schema).is_some() {
                        break;
                    }
                }
                // Older servers don't know how to enforce a schema. The prompt has it too.
                Err(AskError::Rejected(_)) if has_format => has_format = false,
                Err(_) => break,
            }
        }
        called
    }

    async fn http(
        &self,
        question: &Question,
        plan: &Plan,
        endpoint: &Endpoint,
        has_format: bool,
    ) -> Result<Said, AskError> {
        let limits = Limits { time: question.time, bytes: ANSWER_BYTES, attempts: 2, wait: self.wait };
        let request = dialect::request(endpoint, &plan.model, question, has_format);
        let answer = self.outbound.send(&request, limits).await.map_err(AskError::Http)?;
        dialect::read(plan.provider.kind, &plan.model, &answer)
    }

    /// A provider with its key.
    pub(crate) async fn endpoint(&self, ctx: &Ctx, account: &str, provider_id: &str) -> Result<Endpoint, AskError> {
        let (owner, id) = (account.to_owned(), provider_id.to_owned());
        let provider = ctx.db().read(move |tx| rows::provider(tx, &owner, &id)).await?;
        Ok(Endpoint { key: self.key(account, &provider).await?, provider })
    }

    async fn key(&self, account: &str, provider: &Provider) -> Result<Option<Secret>, AskError> {
        let Some(place) = provider.key_place else { return Ok(None) };
        let (vaults, account, slot) = (self.vaults.clone(), account.to_owned(), provider.slot());
        // A keychain may wait for the user.
        let read = tokio::task::spawn_blocking(move || vaults.get(place, &account, &slot)).await;
        match read {
            Ok(Ok(Some(key))) => Ok(Some(key)),
            Ok(Ok(None)) => Err(AskError::Key("it's no longer stored".into())),
            Ok(Err(why)) => Err(AskError::Key(why.0)),
            Err(_) => Err(AskError::Key(String::new())),
        }
    }
}

async fn engine(
    ctx: &Ctx,
    question: &Question,
    plan: &Plan,
    is_subscription: &mut Option<bool>,
) -> Result<Said, AskError> {
    let Some(engines) = ctx.find_service::<EngineTurns>() else {
        return Err(AskError::Engine("Engines aren't available here.".into()));
    };
    if question.image.is_some() {
        return Err(AskError::Engine("Engines can't describe images. Choose another model for images.".into()));
    }
    let turn = EngineTurn {
        engine: plan.provider.kind,
        model: plan.model.clone(),
        prompt: dialect::prompt(question),
        schema: question.schema.clone(),
        time: question.time.max(ENGINE_TIME),
    };
    let answer = engines.0.run(&question.account, turn).await?;
    *is_subscription = Some(answer.is_subscription);
    Ok(Said { text: answer.text, tokens: answer.tokens, usd: answer.usd })
}

/// Time for an engine, which takes seconds to start.
const ENGINE_TIME: Duration = Duration::from_secs(90);

async fn reserve(ctx: &Ctx, question: &Question, plan: &Plan) -> Result<Reserved, AskError> {
    let spender = Spender {
        account: question.account.clone(),
        purpose: question.purpose.name.to_owned(),
        hub: question.hub.clone(),
        session: question.session.clone(),
        provider: plan.provider.name.clone(),
        model: plan.model.clone(),
    };
    let bound = plan.bound(question, &dialect::prompt(question));
    let (now_ms, day, cap) = (ctx.now_ms(), day_of(ctx.now_ms(), &ctx.home_zone()).to_string(), question.cap);
    let write = move |tx: &mut Tx<'_>| {
        let recent = "SELECT count(*) FROM ledger_entries WHERE account_id = $1 AND purpose = $2 AND at_ms > $3";
        let recent = tx.query_one(recent, params![&*spender.account, &*spender.purpose, now_ms - HOUR_MS], |row| {
            row.get::<i64>(0)
        })?;
        if recent >= i64::from(HOURLY_MAX) {
            return Ok(Err(AskError::TooMany(HOURLY_MAX)));
        }
        Ok(ledger::reserve(tx, &spender, &bound, (now_ms, &day), cap)?.map_err(AskError::Cap))
    };
    ctx.db().write(write).await?
}

/// Settles a reservation; `is_free` if nothing can have been spent, `has_outcome` if it's known what was.
async fn finish(ctx: &Ctx, reserved: Reserved, (is_free, has_outcome): (bool, bool), cost: Cost, tokens: Tokens) {
    let write = move |tx: &mut Tx<'_>| match (is_free, has_outcome) {
        (true, _) => ledger::release(tx, &reserved),
        (false, true) => ledger::settle(tx, &reserved, &cost, &tokens),
        (false, false) => ledger::close_open(tx, Some(&reserved)),
    };
    // The upper bound stays, and is closed at the next start.
    if let Err(why) = ctx.db().write(write).await {
        tracing::warn!("couldn't settle what a question cost: {why}");
    }
}
