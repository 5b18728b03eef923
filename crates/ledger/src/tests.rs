//! Reservations, caps, and sums.

use crate::*;
use store::Db;

const NOW: (i64, &str) = (1_772_352_000_000, "2026-03-01");

struct Place {
    db: Db,
    _dir: tempfile::TempDir,
}

fn place() -> Place {
    let dir = tempfile::tempdir().unwrap();
    let db = Db::open(&dir.path().join("pilothouse.db"), &[(NAME, MIGRATIONS)]).unwrap();
    Place { db, _dir: dir }
}

fn spender(purpose: &str) -> Spender {
    Spender {
        account: "a".into(),
        purpose: purpose.into(),
        provider: "p".into(),
        model: "m".into(),
        ..Spender::default()
    }
}

fn priced(micros: i64) -> Cost {
    Cost { currency: USD.into(), micros: Some(micros), basis: Basis::Priced, price_date: "2026-02-01".into() }
}

fn cap(usd: f64) -> Option<Cap> {
    Some(Cap { usd, window: Window::Day })
}

#[tokio::test]
async fn upper_bounds_count_until_the_cost_is_known() {
    let place = place();
    place
        .db
        .write(|tx| {
            let first = reserve(tx, &spender("title"), &priced(60_000), NOW, cap(0.1))?.unwrap();
            let second = reserve(tx, &spender("title"), &priced(60_000), NOW, cap(0.1))?;
            assert_eq!(second, Err(CapError::Reached { spent: 0.06, cap: 0.1 }));
            settle(tx, &first, &priced(10_000), &Tokens { input: 5, output: 7, ..Tokens::default() })?;
            let second = reserve(tx, &spender("title"), &priced(60_000), NOW, cap(0.1))?.unwrap();
            release(tx, &second)?;
            assert_eq!(spent(tx, &spender("title"), NOW.0, NOW.1, Window::Day)?, 0.01);
            assert_eq!(spent(tx, &spender("digest"), NOW.0, NOW.1, Window::Day)?, 0.0);
            let rows = totals(tx, "a", ("2026-03-01", "2026-03-01"), 10)?;
            assert_eq!((rows.len(), rows[0].tokens.output, rows[0].unknown), (1, 7, 0));
            assert_eq!(rows[0].cost, priced(10_000));
            Ok(())
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn caps_on_days_and_on_24_hours() {
    let place = place();
    let hour = 3_600_000;
    place
        .db
        .write(move |tx| {
            reserve(tx, &spender("title"), &priced(100_000), (NOW.0 - hour, "2026-02-28"), None)?.unwrap();
            let rolling = Some(Cap { usd: 0.1, window: Window::Hours24 });
            assert!(reserve(tx, &spender("title"), &priced(1), NOW, rolling)?.is_err());
            assert!(reserve(tx, &spender("title"), &priced(1), NOW, cap(0.1))?.is_ok());
            assert!(reserve(tx, &spender("title"), &priced(1), (NOW.0 + 24 * hour, "2026-03-02"), rolling)?.is_ok());
            Ok(())
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn a_cap_needs_a_price_and_a_cap_of_0_permits_nothing() {
    let place = place();
    place
        .db
        .write(|tx| {
            let local = Cost { currency: USD.into(), micros: None, basis: Basis::Local, price_date: String::new() };
            assert_eq!(reserve(tx, &spender("t"), &Cost::unpriced(), NOW, cap(1.0))?, Err(CapError::Unpriced));
            assert!(reserve(tx, &spender("t"), &Cost::unpriced(), NOW, None)?.is_ok());
            assert!(reserve(tx, &spender("t"), &local, NOW, cap(1.0))?.is_ok());
            let none = Err(CapError::Reached { spent: 0.0, cap: 0.0 });
            assert_eq!(reserve(tx, &spender("t"), &local, NOW, cap(0.0))?, none);
            assert_eq!(reserve(tx, &spender("t"), &Cost::unpriced(), NOW, cap(0.0))?, none);
            let unpriced = totals(tx, "a", ("2026-03-01", "2026-03-01"), 10)?;
            let unpriced = unpriced.iter().find(|row| row.cost.basis == Basis::Unpriced);
            assert_eq!(unpriced.unwrap().cost.micros, None, "an unknown price is never 0");
            Ok(())
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn what_a_crash_leaves_open_keeps_its_upper_bound() {
    let place = place();
    place
        .db
        .write(|tx| {
            reserve(tx, &spender("t"), &priced(40_000), NOW, None)?.unwrap();
            close_open(tx, None)?;
            let rows = totals(tx, "a", ("2026-03-01", "2026-03-01"), 10)?;
            assert_eq!((rows[0].unknown, rows[0].cost.micros), (1, Some(40_000)));
            assert_eq!(spent(tx, &spender("t"), NOW.0, NOW.1, Window::Day)?, 0.04);
            Ok(())
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn a_session_has_an_entry_a_day_and_kind_of_cost() {
    let place = place();
    place
        .db
        .write(|tx| {
            let session = Spender { session: "s".into(), ..spender("session") };
            let reported = |micros| Cost { basis: Basis::Reported, price_date: String::new(), ..priced(micros) };
            for micros in [1, 2, 3] {
                add_to_day(tx, &session, &reported(micros), &Tokens { input: 10, ..Tokens::default() }, NOW)?;
            }
            let subscription = Cost { basis: Basis::Subscription, ..reported(5) };
            add_to_day(tx, &session, &subscription, &Tokens::default(), NOW)?;
            let rows = totals(tx, "a", ("2026-03-01", "2026-03-01"), 10)?;
            let seen: Vec<_> = rows.iter().map(|row| (row.cost.basis, row.cost.micros, row.tokens.input)).collect();
            assert_eq!(seen, [(Basis::Subscription, Some(5), 0), (Basis::Reported, Some(6), 30)]);
            Ok(())
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn whatever_providers_report_the_sums_of_entries_can_be_computed() {
    let place = place();
    place
        .db
        .write(|tx| {
            let (cost, tokens) = (priced(i64::MAX), Tokens { input: i64::MAX, output: -5, ..Tokens::default() });
            for _ in 0..3 {
                let reserved = reserve(tx, &spender("t"), &cost, NOW, None)?.unwrap();
                settle(tx, &reserved, &cost, &tokens)?;
            }
            let session = Spender { session: "s".into(), ..spender("session") };
            for _ in 0..3 {
                add_to_day(tx, &session, &Cost { basis: Basis::Reported, ..cost.clone() }, &tokens, NOW)?;
            }
            let rows = totals(tx, "a", ("2026-03-01", "2026-03-01"), 10)?;
            let seen: Vec<_> = rows.iter().map(|row| (row.cost.micros, row.tokens.input, row.tokens.output)).collect();
            let most = 3_000_000_000_000;
            assert_eq!(seen, [(Some(most), most, 0), (Some(most), most, 0)]);
            assert_eq!(spent(tx, &spender("t"), NOW.0, NOW.1, Window::Day)?, 3e6);
            Ok(())
        })
        .await
        .unwrap();
}
