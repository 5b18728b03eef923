//! Who follows the outcomes of questions.

use crate::error::AskError;
use crate::provider::Provider;
use crate::question::Question;
use futures_core::future::BoxFuture;
use kit::Ctx;

/// Follows the outcomes of questions; provided by the feature that configures providers. Tests of a provider don't count.
pub struct Outcomes(pub Box<dyn FollowOutcomes>);

/// Follows the outcomes of questions.
pub trait FollowOutcomes: Send + Sync {
    /// A provider was asked a question, and answered or failed.
    fn asked<'a>(
        &'a self,
        ctx: &'a Ctx,
        question: &'a Question,
        provider: &'a Provider,
        failure: Option<&'a AskError>,
    ) -> BoxFuture<'a, ()>;
}
