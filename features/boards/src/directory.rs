//! Queries to the accounts feature: whether a workspace belongs to the account, and who its members are.
//!
//! They run before the transaction that relies on the answer, because boards can't read another feature's tables. A
//! change in between is harmless: a member removed just before has the same effect as one removed just after.

use kit::Ctx;
use kit::error::Result;
use kit::lookup::Members;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Longest text that is looked up as the name or address of a member: of 320 characters.
const NAME_BYTES_MAX: usize = 1_280;

/// Ids of members by what names them: the id itself, or a name or address that only one of them has.
pub(crate) type Named = HashMap<String, String>;

/// The members of the account that the values name: entries of lists, and single texts, which are lists of one in a column of
/// people. Which column a value is for is known only later, so that the texts of other cells are looked up too, where they can
/// be names; a label's id and a day can't, so that most changes ask nothing.
pub(crate) async fn members_in<'a>(ctx: &Ctx, account: &str, values: impl Iterator<Item = &'a Value>) -> Result<Named> {
    let (mut listed, mut single): (HashSet<String>, HashSet<&str>) = Default::default();
    for value in values {
        match value {
            Value::Array(list) => listed.extend(list.iter().filter_map(Value::as_str).map(str::to_owned)),
            Value::String(text) if may_name_member(text) => _ = single.insert(text),
            _ => {}
        }
    }
    if !single.is_empty() {
        // One look at all members instead of one for each text: a paste may have thousands of texts.
        let all = ctx.service::<Members>().0.all(account).await?;
        let names = all.iter().flat_map(|(id, name, address)| [id, name, address]);
        listed.extend(names.filter(|name| single.contains(name.as_str())).cloned());
    }
    called(ctx, account, listed).await
}

fn may_name_member(text: &str) -> bool {
    let is_label = column_types::number_of(text, b'l', 15).is_some();
    let is_day = || column_types::dates::parse_iso(text).is_some();
    !text.is_empty() && text.len() <= NAME_BYTES_MAX && !is_label && !is_day()
}

/// The members of the account that the texts name.
pub(crate) async fn called(ctx: &Ctx, account: &str, texts: HashSet<String>) -> Result<Named> {
    let mut named: Named = texts.into_iter().map(|text| (text.clone(), text)).collect();
    if named.is_empty() {
        return Ok(named);
    }
    let members = ctx.service::<Members>();
    let others = members.0.missing(account, named.keys().cloned().collect()).await?;
    if others.is_empty() {
        return Ok(named);
    }
    let mut by_name: HashMap<String, Vec<String>> = HashMap::new();
    for (id, name, address) in members.0.all(account).await? {
        let names = HashSet::from([name, address]);
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            by_name.entry(name).or_default().push(id.clone());
        }
    }
    for text in others {
        named.remove(&text);
        if let Some([id]) = by_name.get(&text).map(Vec::as_slice) {
            named.extend([(id.clone(), id.clone()), (text, id.clone())]);
        }
    }
    Ok(named)
}

/// A member's name; `None` for former members.
pub(crate) async fn member_name(ctx: &Ctx, account: &str, member_id: &str) -> Result<Option<String>> {
    let members = ctx.service::<Members>().0.all(account).await?;
    Ok(members.into_iter().find(|(id, ..)| id == member_id).map(|(_, name, _)| name))
}

/// The given members by ID, without addresses: reading a board doesn't include access to the member directory.
pub(crate) async fn named(ctx: &Ctx, account: &str, ids: &BTreeSet<String>) -> Result<Vec<MemberRecord>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let all = ctx.service::<Members>().0.all(account).await?;
    let record = |(id, name, _): (String, String, String)| MemberRecord { id, name };
    let mut named: Vec<_> = all.into_iter().filter(|(id, ..)| ids.contains(id)).map(record).collect();
    named.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(named)
}

/// Names that several members have, as [`folded`] writes them. `all` as (id, name, e-mail).
pub(crate) fn shared_names(all: &[(String, String, String)]) -> HashSet<String> {
    let mut seen = HashSet::new();
    all.iter().map(|(_, name, _)| folded(name)).filter(|name| !seen.insert(name.clone())).collect()
}

/// A name as names are compared.
pub(crate) fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// A member referenced by cells.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct MemberRecord {
    pub(crate) id: String,
    pub(crate) name: String,
}
