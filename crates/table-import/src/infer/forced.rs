//! Notes on values that are lost or changed because the caller or the board sets a column's type. Problems list only
//! the first affected cells; a note covers the whole column.

use super::{DAY_FIRST, EMAIL, MONTH_ALWAYS, MONTH_FIRST, PHONE};
use super::{Decided, Format, LINK, NUMBER, ODD_SHOWN, SPAN, Seen, TRUTH, values};
use column_types::ColumnType;
use std::collections::BTreeMap;

/// People and pairs of labels that a note names.
const NAMED_MAX: usize = 5;

pub fn losses(decided: &Decided, seen: &Seen) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(misfits(decided, seen));
    let drops_placeholders = matches!(decided.format, Format::Number { .. } | Format::Date(_) | Format::Span(_));
    if drops_placeholders && seen.null_like > 0 {
        notes.push(super::placeholders(seen.null_like));
    }
    match decided.format {
        Format::Number { .. } => {
            notes.extend(currencies(decided, seen));
            notes.extend(percents(decided, seen));
        }
        Format::Date(_) | Format::Span(_) if seen.sample.iter().any(|text| text.contains(':')) => {
            notes.push("Times are dropped because date columns store only days.".to_owned());
        }
        Format::Labels(_) => notes.extend(labels_by_case(decided)),
        Format::People(_) if !decided.strangers.is_empty() => {
            let named = decided.strangers.iter().take(NAMED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if decided.strangers.len() > NAMED_MAX { " and others" } else { "" };
            notes.push(format!("No members are named {named}{more}: those cells aren't imported."));
        }
        _ => {}
    }
    notes
}

/// Values that don't have the type.
fn misfits(decided: &Decided, seen: &Seen) -> Option<String> {
    use super::DateOrder;
    let of_order = |order| match order {
        DateOrder::DayFirst => DAY_FIRST,
        DateOrder::MonthFirst => MONTH_FIRST,
        DateOrder::MonthAlways => MONTH_ALWAYS,
    };
    let (bit, what) = match (&decided.format, decided.kind) {
        (Format::Number { .. }, _) => (NUMBER, "numbers"),
        (Format::Date(order), _) => (of_order(*order), "dates"),
        (Format::Span(order), _) => (of_order(*order) << SPAN, "date ranges"),
        (Format::Truth, _) => (TRUTH, "yes or no"),
        (Format::Text, ColumnType::Link) => (LINK, "URLs"),
        (Format::Text, ColumnType::Email) => (EMAIL, "email addresses"),
        (Format::Text, ColumnType::Phone) => (PHONE, "phone numbers"),
        (Format::Labels(by_text), _) => {
            let others = || seen.distinct.iter().filter(|(text, _)| !by_text.contains_key(text));
            let examples: Vec<&str> = others().take(ODD_SHOWN).map(|(text, _)| text.as_str()).collect();
            return note(others().map(|(_, times)| times).sum(), seen.filled, "labels of the column", &examples);
        }
        _ => return None,
    };
    // A single day is also a range; the examples are then the first values that are not ranges.
    let days = if matches!(decided.format, Format::Span(_)) { seen.count(bit >> SPAN) } else { 0 };
    let of = seen.filled - seen.null_like;
    let examples = &seen.odd[bit.trailing_zeros() as usize];
    let is_day = |text: &&str| match decided.format {
        Format::Span(order) => values::date(text, order).is_some(),
        _ => false,
    };
    let examples: Vec<&str> = examples.iter().map(String::as_str).filter(|text| !is_day(text)).collect();
    note(of.saturating_sub(seen.count(bit) + days), of, what, &examples)
}

fn note(misfits: u64, of: u64, what: &str, examples: &[&str]) -> Option<String> {
    let shown: Vec<_> = examples.iter().map(|text| format!("\u{201c}{text}\u{201d}")).collect();
    let shown = if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) };
    let verb = if of == 1 { "isn't" } else { "aren't" };
    (misfits > 0).then(|| format!("{misfits} of {of} values {verb} {what}{shown}: those cells aren't imported."))
}

/// Currencies that the column doesn't show.
fn currencies(decided: &Decided, seen: &Seen) -> Option<String> {
    let shown = decided.settings.currency.as_deref();
    let lost = seen.currencies.iter().any(|code| Some(*code) != shown);
    if !lost {
        return None;
    }
    let found = seen.currencies.join(", ");
    let (found, plain) = match (seen.currencies.len(), seen.plain_amounts) {
        (1, false) => (format!("Amounts are in {found}"), ""),
        (1, true) => (format!("Some amounts are in {found}"), ", others have no currency"),
        (_, plain) => {
            let plain = if plain { ", and some have none" } else { "" };
            (format!("Amounts have different currencies ({found})"), plain)
        }
    };
    let becomes = match shown {
        Some(code) => format!("all are shown as {code}, not converted"),
        None => "imported as plain numbers, not converted".to_owned(),
    };
    Some(format!("{found}{plain}: {becomes}."))
}

/// Percent signs that the column doesn't show.
fn percents(decided: &Decided, seen: &Seen) -> Option<String> {
    let shows = decided.settings.percent == Some(true) || decided.kind == ColumnType::Progress;
    let count = seen.percents;
    (count > 0 && !shows).then(|| format!("The percent sign of {count} values is dropped."))
}

/// Labels that look like one.
fn labels_by_case(decided: &Decided) -> Option<String> {
    let mut by_folded: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for label in decided.settings.labels.iter().flatten() {
        by_folded.entry(label.text.trim().to_lowercase()).or_default().push(&label.text);
    }
    let alike: Vec<&Vec<&str>> = by_folded.values().filter(|texts| texts.len() > 1).collect();
    let quoted = |texts: &&Vec<&str>| {
        texts.iter().map(|text| format!("\u{201c}{text}\u{201d}")).collect::<Vec<_>>().join(" and ")
    };
    let shown = alike.iter().take(NAMED_MAX).map(quoted).collect::<Vec<_>>().join("; ");
    let more = if alike.len() > NAMED_MAX { " and others" } else { "" };
    (!alike.is_empty()).then(|| format!("Labels that differ only in case stay separate: {shown}{more}."))
}
