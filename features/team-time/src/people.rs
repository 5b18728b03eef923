//! The people of the team: members with a time zone, and others that were added.

use crate::hours::Hours;
use kit::lookup::Members;
use kit::{Ctx, Result};
use std::collections::HashMap;
use store::{HasDb, Row, Tx, params};

/// Somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Person {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) is_member: bool,
    pub(crate) time_zone: String,
    pub(crate) hours: Hours,
}

fn of_row(row: &dyn Row) -> Result<Person> {
    let hours = Hours {
        days: u8::try_from(row.get::<i64>(3)?).unwrap_or_default(),
        start_min: row.get(4)?,
        end_min: row.get(5)?,
    };
    let time_zone: String = row.get(2)?;
    Ok(Person { id: row.get(0)?, name: row.get(1)?, is_member: time_zone.is_empty(), time_zone, hours })
}

const SELECT: &str =
    "SELECT person_id, name, time_zone, days, start_min, end_min FROM team_people WHERE account_id = $1";

/// A stored person; for a member, only the working hours.
pub(crate) fn stored(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Option<Person>> {
    tx.query_opt(&format!("{SELECT} AND person_id = $2"), params![account, id], of_row)
}

pub(crate) fn put(tx: &mut Tx<'_>, account: &str, person: &Person, now_ms: i64) -> Result<()> {
    tx.execute("DELETE FROM team_people WHERE account_id = $1 AND person_id = $2", params![account, &person.id])?;
    let (name, zone) = if person.is_member { ("", "") } else { (&*person.name, &*person.time_zone) };
    tx.execute(
        "INSERT INTO team_people (account_id, person_id, name, time_zone, days, start_min, end_min, created_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        params![
            account,
            &person.id,
            name,
            zone,
            i64::from(person.hours.days),
            person.hours.start_min,
            person.hours.end_min,
            now_ms
        ],
    )
    .map(drop)
}

pub(crate) fn delete(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<()> {
    tx.execute("DELETE FROM team_people WHERE account_id = $1 AND person_id = $2", params![account, id]).map(drop)
}

/// How many others were added.
pub(crate) fn count_others(tx: &mut Tx<'_>, account: &str) -> Result<i64> {
    let sql = "SELECT count(*) FROM team_people WHERE account_id = $1 AND time_zone <> ''";
    tx.query_one(sql, params![account], |row| row.get(0))
}

/// The team.
#[derive(Debug, Default)]
pub(crate) struct Team {
    /// By name.
    pub(crate) people: Vec<Person>,
    /// Members whose time zone isn't set.
    pub(crate) without_zone: Vec<String>,
}

/// Everybody: members, and others that were added.
pub(crate) async fn team(ctx: &Ctx, account: &str) -> Result<Team> {
    let of = account.to_owned();
    let stored = ctx.db().read(move |tx| tx.query(SELECT, params![&of], of_row)).await?;
    let (hours, mut people): (Vec<_>, Vec<_>) = stored.into_iter().partition(|person| person.is_member);
    let hours: HashMap<String, Hours> = hours.into_iter().map(|person| (person.id, person.hours)).collect();
    let mut without_zone = Vec::new();
    if let Some(members) = ctx.find_service::<Members>() {
        let zones: HashMap<String, String> = members.0.zones(account).await?.into_iter().collect();
        for (id, name, _) in members.0.all(account).await? {
            match zones.get(&id).filter(|zone| !zone.is_empty()) {
                Some(zone) => people.push(Person {
                    hours: hours.get(&id).copied().unwrap_or_default(),
                    time_zone: zone.clone(),
                    is_member: true,
                    name,
                    id,
                }),
                None => without_zone.push(name),
            }
        }
    }
    people.sort_by_cached_key(|person| (person.name.to_lowercase(), person.id.clone()));
    without_zone.sort();
    Ok(Team { people, without_zone })
}
