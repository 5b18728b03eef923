//! The models that a provider has.

use crate::ask::Models;
use crate::dialect;
use crate::error::AskError;
use kit::Ctx;
use outbound::Limits;
use serde_json::Value;
use std::time::Duration;

/// Maximum models listed.
const LISTED_MAX: usize = 1_000;
/// Maximum bytes of a model's name.
const NAME_BYTES: usize = 200;
const LIMITS: Limits =
    Limits { time: Duration::from_secs(15), bytes: 8_000_000, attempts: 2, wait: Duration::from_millis(500) };

impl Models {
    /// The names of a provider's models, sorted. Engines know theirs themselves.
    pub async fn list(&self, ctx: &Ctx, account: &str, provider_id: &str) -> Result<Vec<String>, AskError> {
        let endpoint = self.endpoint(ctx, account, provider_id).await?;
        let kind = endpoint.provider.kind;
        if kind.is_engine() {
            return Ok(Some(kind.suggested_model().to_owned()).filter(|model| !model.is_empty()).into_iter().collect());
        }
        let answer = self.outbound.send(&dialect::list(&endpoint), LIMITS).await.map_err(AskError::Http)?;
        let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
        let models = match (answer.status, body["data"].as_array()) {
            (200, Some(models)) => models,
            (404 | 405, _) => return Err(AskError::NoList),
            (200, None) => {
                let why = dialect::error_in(&body, "");
                return Err(why.filter(|why| !matches!(why, AskError::UnknownModel(_))).unwrap_or(AskError::NoList));
            }
            (status, _) => return Err(dialect::classified(status, "", dialect::words(&body))),
        };
        let is_name = |id: &&str| !id.is_empty() && id.len() <= NAME_BYTES && !id.chars().any(char::is_control);
        let names = models.iter().filter_map(|model| model["id"].as_str()).filter(is_name);
        let mut names: Vec<String> = names.take(LISTED_MAX).map(ToOwned::to_owned).collect();
        names.sort();
        names.dedup();
        Ok(names)
    }
}
