//! Which of the offered answers says what was decided.

use crate::event::{Offer, OfferKind};

/// What is decided about a permission request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Yes, this time.
    AllowOnce,
    /// Yes, from now on.
    AllowAlways,
    /// No, this time.
    RejectOnce,
    /// No, from now on.
    RejectAlways,
    /// Just this offer: plans are accepted in more than one way.
    Offer(String),
    /// Neither: the turn is being canceled, or nobody can answer.
    Cancelled,
}

/// The offer that says so; `None` means that the request is to be answered as canceled. Engines name their offers as they like, so
/// they are chosen by kind. A yes never reaches farther than was said: where only a lasting yes is offered, a single one cannot be
/// given. A no may.
pub fn answer<'a>(verdict: &Verdict, offers: &'a [Offer]) -> Option<&'a Offer> {
    let kinds: &[OfferKind] = match verdict {
        Verdict::AllowOnce => &[OfferKind::AllowOnce],
        Verdict::AllowAlways => &[OfferKind::AllowAlways, OfferKind::AllowOnce],
        Verdict::RejectOnce => &[OfferKind::RejectOnce, OfferKind::RejectAlways],
        Verdict::RejectAlways => &[OfferKind::RejectAlways, OfferKind::RejectOnce],
        Verdict::Offer(id) => return offers.iter().find(|offer| offer.id == *id),
        Verdict::Cancelled => return None,
    };
    kinds.iter().find_map(|kind| offers.iter().find(|offer| offer.kind == *kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use OfferKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};

    #[test]
    fn the_answer_never_allows_more_than_was_decided() {
        let offer = |kind| Offer { id: format!("{kind:?}"), name: String::new(), kind };
        for (verdict, offered, expected) in [
            (Verdict::AllowOnce, vec![AllowAlways, AllowOnce, RejectOnce], Some(AllowOnce)),
            (Verdict::AllowOnce, vec![AllowAlways, RejectOnce], None),
            (Verdict::AllowAlways, vec![AllowOnce, AllowAlways], Some(AllowAlways)),
            (Verdict::AllowAlways, vec![AllowOnce], Some(AllowOnce)),
            (Verdict::RejectOnce, vec![AllowOnce, RejectAlways], Some(RejectAlways)),
            (Verdict::RejectAlways, vec![RejectOnce], Some(RejectOnce)),
            (Verdict::RejectOnce, vec![AllowOnce], None),
            (Verdict::Offer("AllowAlways".into()), vec![AllowOnce, AllowAlways], Some(AllowAlways)),
            (Verdict::Offer("other".into()), vec![AllowOnce], None),
            (Verdict::Cancelled, vec![AllowOnce, RejectOnce], None),
        ] {
            let offers: Vec<Offer> = offered.into_iter().map(offer).collect();
            assert_eq!(answer(&verdict, &offers).map(|offer| offer.kind), expected, "{verdict:?} of {offers:?}");
        }
    }
}
