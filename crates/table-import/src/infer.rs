//! Column types of a table, inferred from all of its rows.
//!
//! Invariant: a type other than text is chosen only if it fits every value, so that nothing is lost; if it fits nearly
//! all, a note says so. Callers can override it with `columns`; rows that don't fit are then reported.

mod forced;

use crate::order::{DayOrder, sign_of_date};
use crate::sniff::Shape;
use crate::tools::Becomes;
use crate::words::{
    CHOICE_WORDS, DATE_WORDS, NAME_TITLES, NUMBER_WORDS, PEOPLE_WORDS, PHONE_WORDS, PROGRESS_WORDS, STATUS_WORDS,
    TAGS_WORDS, has_word, is_state, words,
};
use column_types::values::{self, DateOrder};
use column_types::{ColumnType, LABELS_MAX, Label, NAME_CHARS_MAX, Settings, is_email, is_link, is_phone};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// Distinct values that are remembered of a column, to find labels and people.
const DISTINCT_MAX: usize = 1_000;
/// Characters of a value that may become a label or a tag.
const LABEL_CHARS_MAX: usize = 60;
/// Labels of a column that was taken for a choice because its values repeat.
const REPEATED_LABELS_MAX: usize = 24;
/// Labels of a column that was taken for a status because its values are states.
const STATES_MAX: usize = 12;

/// A member of the account, as far as a table may name one.
pub struct Known {
    /// The id that cells hold.
    pub id: String,
    /// The name by which a table may mention the member.
    pub name: String,
    /// The address by which it may.
    pub email: String,
}

/// How a column's texts become cells.
#[derive(Debug, Clone)]
pub enum Format {
    /// The text itself.
    Text,
    /// A number.
    Number {
        /// Whether the comma is its decimal mark.
        comma: bool,
    },
    /// A day.
    Date(DateOrder),
    /// A first and a last day.
    Span(DateOrder),
    /// Yes or no.
    Truth,
    /// Label ids by text.
    Labels(HashMap<String, String>),
    /// Separator of the entries.
    Tags(char),
    /// Member ids by name and address in lower case.
    People(HashMap<String, String>),
}

/// Decision about a column.
#[derive(Debug, Clone)]
pub struct Decided {
    /// Its type.
    pub kind: ColumnType,
    /// Its settings.
    pub settings: Settings,
    /// How its texts become cells of the type.
    pub format: Format,
    /// Notes on the decision for the user.
    pub notes: Vec<String>,
    /// People that the column names and that are no members.
    pub strangers: Vec<String>,
    /// The assumed order of day and month if the column's dates are ambiguous.
    pub day_order: Option<DayOrder>,
    /// The type that fits all but a few values.
    pub nearly: Option<Nearly>,
}

/// A type that fits nearly all values of a column.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "NearlyType")]
pub struct Nearly {
    /// The type; choose it with `columns`.
    #[serde(rename = "type")]
    kind: ColumnType,
    /// Number of values that don't fit it. They would be reported.
    misfits: u64,
    /// Number of values.
    of: u64,
    /// The first values that don't fit it.
    examples: Vec<String>,
    /// The line of the first of them.
    #[serde(skip)]
    line: u64,
}

/// A type nearly fits if at most one in this many values doesn't.
const ODD_ONE_IN: u64 = 20;
/// In short files, one in this many may not fit; one in two if the title indicates the type.
const ODD_FEW: u64 = 2;
const ODD_FEW_ONE_IN: u64 = 5;
const ODD_TITLED_ONE_IN: u64 = 2;
/// Odd values that are named.
const ODD_SHOWN: usize = 3;
/// A type is no longer considered once this many values don't fit and they are the majority.
const ODD_MAX: u64 = 100;

/// People without an entry in the directory that an answer names.
const STRANGERS_MAX: usize = 1_000;

// What a value may be, one bit each.
const POINT: u16 = 1;
const COMMA: u16 = 1 << 1;
/// A number with either mark.
const NUMBER: u16 = 1 << 2;
const TRUTH: u16 = 1 << 3;
const EMAIL: u16 = 1 << 4;
const LINK: u16 = 1 << 5;
const PHONE: u16 = 1 << 6;
pub(crate) const DAY_FIRST: u16 = 1 << 7;
pub(crate) const MONTH_FIRST: u16 = 1 << 8;
pub(crate) const MONTH_ALWAYS: u16 = 1 << 9;
const DATES: u16 = DAY_FIRST | MONTH_FIRST | MONTH_ALWAYS;
/// Spans of days are the bits of dates, so many places further up.
pub const SPAN: u16 = 3;
const BITS: usize = 13;
const ALL: u16 = (1 << BITS) - 1;
/// The orders of dates and their bits.
const ORDERS: [(u16, DateOrder); 3] =
    [(DAY_FIRST, DateOrder::DayFirst), (MONTH_FIRST, DateOrder::MonthFirst), (MONTH_ALWAYS, DateOrder::MonthAlways)];

/// Statistics of a column.
pub struct Seen {
    /// What every value so far may be.
    pub alive: u16,
    /// The kinds that are still looked for.
    open: u16,
    /// How many values are of each kind; complete for those that are looked for to the end.
    counts: [u64; BITS],
    /// The first values that are not of each kind.
    odd: [Vec<String>; BITS],
    /// The lines of the first of these.
    odd_lines: [u64; BITS],
    forced: bool,
    /// Its title speaks of lists: the entries of a value are remembered one by one.
    split: bool,
    /// Its values are lists with an entry on each line.
    listed: bool,
    longest_entry: usize,
    filled: u64,
    /// Whether some cell is empty.
    blank: bool,
    null_like: u64,
    longest: usize,
    broken: bool,
    distinct: Vec<(String, u64)>,
    places: HashMap<String, usize>,
    overflow: bool,
    separated: [u64; 2],
    currency: Option<&'static str>,
    /// The currency in the cells' formats, if the numbers have none.
    pub formatted: Option<&'static str>,
    plain_amounts: bool,
    /// Every currency found next to a number.
    currencies: Vec<&'static str>,
    percents: u64,
    /// The most digits after the mark, read with a decimal point and with a decimal comma.
    decimals: [usize; 2],
    marked: bool,
    /// Whether some number has signs between its thousands, read with a decimal point and with a decimal comma.
    grouped: [bool; 2],
    /// Some date in numbers that does not begin with the year has points between them.
    pub dotted: bool,
    /// Some has another sign.
    pub undotted: bool,
    /// The first different values, for a preview.
    pub sample: Vec<String>,
}

impl Seen {
    /// Nothing seen yet. `forced`: the caller named a type, so that all kinds are counted to the end.
    /// `listed`: a value holds an entry on each line.
    pub fn new(forced: bool, title: &str, listed: bool) -> Seen {
        let title = words(title);
        Seen {
            split: PEOPLE_WORDS.contains(&title.as_str()) || TAGS_WORDS.contains(&title.as_str()),
            listed,
            longest_entry: 0,
            alive: ALL,
            open: ALL,
            counts: [0; BITS],
            odd: Default::default(),
            odd_lines: [0; BITS],
            blank: false,
            forced,
            filled: 0,
            null_like: 0,
            longest: 0,
            broken: false,
            distinct: Vec::new(),
            places: HashMap::new(),
            overflow: false,
            separated: [0; 2],
            currency: None,
            formatted: None,
            plain_amounts: false,
            currencies: Vec::new(),
            percents: 0,
            decimals: [0; 2],
            marked: false,
            grouped: [false; 2],
            dotted: false,
            undotted: false,
            sample: Vec::new(),
        }
    }

    /// Processes a field at a line.
    pub fn see(&mut self, field: &str, line: u64) {
        let text = field.trim();
        if text.is_empty() {
            self.blank = true;
            return;
        }
        self.filled += 1;
        self.broken |= text.contains('\n');
        if self.longest <= NAME_CHARS_MAX {
            self.longest = self.longest.max(text.chars().count());
        }
        if self.sample.len() < 3 && !self.sample.iter().any(|seen| seen == text) {
            self.sample.push(text.chars().take(80).collect());
        }
        for (count, sign) in self.separated.iter_mut().zip([',', ';']) {
            *count += u64::from(text.contains(sign));
        }
        if self.listed {
            for entry in text.lines().map(str::trim) {
                self.longest_entry = self.longest_entry.max(entry.chars().count());
                self.remember(entry);
            }
        } else if self.split {
            people_in(text).for_each(|entry| self.remember(entry));
        } else {
            self.remember(text);
        }
        if values::is_null_like(text) {
            self.null_like += 1;
        } else if self.open != 0 {
            let may = self.may_be(text);
            for (bit, (count, odd)) in self.counts.iter_mut().zip(&mut self.odd).enumerate() {
                if may >> bit & 1 == 1 {
                    *count += 1;
                    continue;
                }
                if odd.is_empty() {
                    self.odd_lines[bit] = line;
                }
                if odd.len() < ODD_SHOWN {
                    odd.push(text.chars().take(80).collect());
                }
                let others = self.filled - self.null_like - *count;
                if !self.forced && others > ODD_MAX && others > *count {
                    self.open &= !(1 << bit);
                }
            }
            self.alive &= may;
        }
    }

    fn remember(&mut self, text: &str) {
        if self.overflow {
            return;
        }
        if let Some(place) = self.places.get(text) {
            self.distinct[*place].1 += 1;
        } else if self.distinct.len() < DISTINCT_MAX && text.len() <= NAME_CHARS_MAX * 4 {
            self.places.insert(text.to_owned(), self.distinct.len());
            self.distinct.push((text.to_owned(), 1));
        } else {
            self.overflow = true;
            (self.places, self.distinct) = Default::default();
        }
    }

    fn may_be(&mut self, text: &str) -> u16 {
        let ask = self.open;
        // Of kinds that the column does not have, nothing is remembered but how many values are of them.
        let decisive = if self.forced { ALL } else { self.alive };
        let (mut may, mut percent) = (0, false);
        for (bit, comma) in [(POINT, false), (COMMA, true)] {
            if ask & (bit | NUMBER) == 0 {
                continue;
            }
            if let Some(number) = values::number(text, comma) {
                may |= bit | NUMBER;
                if decisive & bit != 0 {
                    self.amount(&number, comma);
                    percent |= number.percent;
                }
            } else if self.forced
                && let Some(number) = values::number(text, !comma)
            {
                // A column that the caller calls one of numbers takes those of the other mark as well.
                self.amount(&number, comma);
            }
        }
        self.percents += u64::from(percent);
        for (bit, order) in ORDERS {
            may |= if ask & bit != 0 && values::date(text, order).is_some() { bit } else { 0 };
            let bit = bit << SPAN;
            may |= if ask & bit != 0 && values::span(text, order).is_some() { bit } else { 0 };
        }
        if may & decisive & (DATES | DATES << SPAN) != 0
            && let Some(sign) = sign_of_date(text)
        {
            *(if sign == '.' { &mut self.dotted } else { &mut self.undotted }) = true;
        }
        may |= if ask & TRUTH != 0 && values::truth(text).is_some() { TRUTH } else { 0 };
        may |= if ask & EMAIL != 0 && is_email(text) { EMAIL } else { 0 };
        may |= if ask & LINK != 0 && is_link(text) { LINK } else { 0 };
        may | if ask & PHONE != 0 && is_phone(text) { PHONE } else { 0 }
    }

    fn amount(&mut self, number: &values::Number, comma: bool) {
        match number.currency {
            Some(code) => {
                self.currency.get_or_insert(code);
                if !self.currencies.contains(&code) {
                    self.currencies.push(code);
                }
            }
            None => self.plain_amounts = true,
        }
        let decimals = &mut self.decimals[usize::from(comma)];
        *decimals = number.decimals.max(*decimals);
        self.marked |= number.marked;
        self.grouped[usize::from(comma)] |= number.grouped;
    }

    fn has_mixed_currencies(&self) -> bool {
        self.currencies.len() > 1
    }

    fn all_percents(&self) -> bool {
        self.percents >= self.count(POINT).max(self.count(COMMA))
    }

    /// Number settings on which all values agree.
    fn amounts(&self, comma: bool) -> Settings {
        let decimals = self.decimals[usize::from(comma)];
        let currency = self.currency.or(self.formatted).filter(|_| !self.has_mixed_currencies());
        let currency = currency.filter(|_| self.currency.is_none() || !self.plain_amounts);
        Settings {
            currency: currency.map(str::to_owned),
            percent: (self.percents > 0 && self.all_percents()).then_some(true),
            decimals: (1..=10).contains(&decimals).then_some(decimals as u8),
            ..Settings::default()
        }
    }

    fn count(&self, bit: u16) -> u64 {
        self.counts[bit.trailing_zeros() as usize]
    }

    /// Whether nothing was filled.
    pub fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Separator of values with several entries.
    fn separator(&self) -> char {
        match self.listed {
            true => '\n',
            false if self.separated[1] > self.separated[0] => ';',
            false => ',',
        }
    }

    pub(crate) fn typed(&self) -> bool {
        self.filled > self.null_like
    }

    /// Whether values that may all be read as yes or no are meant so: single letters often are not, as those of axes or sizes.
    fn is_ticked(&self) -> bool {
        let texts: Vec<String> =
            self.distinct().filter(|text| values::truth(text).is_some()).map(str::to_lowercase).collect();
        let all = |letters: &[&str]| texts.iter().all(|text| letters.contains(&text.as_str()));
        let is_letter = |text: &String| text.len() == 1;
        !texts.iter().all(is_letter)
            || (all(&["x"]) && (self.blank || self.null_like > 0))
            || (all(&["y", "n"]) && texts.iter().any(|text| text == "y") && texts.iter().any(|text| text == "n"))
    }

    /// The type that fits nearly every value, or the type that the title indicates and most values fit.
    fn nearly(&self, title: &str) -> Option<Nearly> {
        let is_phone = PHONE_WORDS.contains(&words(title).as_str());
        let is_titled = |kind| match kind {
            ColumnType::Date | ColumnType::Timeline => has_word(title, &DATE_WORDS),
            ColumnType::Number => has_word(title, &NUMBER_WORDS),
            _ => false,
        };
        let dates = ORDERS.map(|(bit, _)| bit);
        let spans = dates.map(|bit| bit << SPAN);
        let kinds: [(ColumnType, &[u16]); 7] = [
            (ColumnType::Phone, if is_phone { &[PHONE] } else { &[] }),
            (ColumnType::Checkbox, if self.is_ticked() { &[TRUTH] } else { &[] }),
            (ColumnType::Number, &[NUMBER]),
            (ColumnType::Date, &dates),
            (ColumnType::Timeline, &spans),
            (ColumnType::Link, &[LINK]),
            (ColumnType::Email, &[EMAIL]),
        ];
        let of = self.filled - self.null_like;
        kinds.into_iter().find_map(|(kind, bits)| {
            let bit = bits.iter().copied().max_by_key(|bit| self.count(*bit))?;
            let misfits = of - self.count(bit);
            let at = bit.trailing_zeros() as usize;
            let is_few = misfits <= ODD_FEW && misfits * ODD_FEW_ONE_IN <= of;
            let is_said = is_titled(kind) && misfits * ODD_TITLED_ONE_IN <= of;
            let is_nearly = misfits > 0 && (misfits * ODD_ONE_IN <= of || is_few || is_said);
            is_nearly.then(|| Nearly { kind, misfits, of, examples: self.odd[at].clone(), line: self.odd_lines[at] })
        })
    }
}

impl Nearly {
    /// Where it has none of the type, the first value that has not: its line, and why.
    pub fn first_odd(&self) -> (u64, String) {
        let shown = self.examples.first().map_or("", String::as_str);
        let (what, kind) = (self.lacks(), self.kind.name());
        let why = format!(
            "{} of {} values of the column are of type {kind}, and \u{201c}{shown}\u{201d} isn't {what}. Choose the \
                 type {kind} to skip such cells, or text to import them",
            self.of - self.misfits,
            self.of
        );
        (self.line, why)
    }

    /// Describes a value that doesn't fit.
    fn lacks(&self) -> &'static str {
        match self.kind {
            ColumnType::Phone => "a phone number",
            ColumnType::Checkbox => "yes or no",
            ColumnType::Number => "a number",
            ColumnType::Date => "a date",
            ColumnType::Timeline => "a date range",
            ColumnType::Link => "a URL",
            _ => "an email address",
        }
    }

    /// The note about it for the user.
    fn note(&self) -> String {
        let what = self.lacks();
        let Nearly { kind, misfits, of, examples, .. } = self;
        let shown: Vec<_> = examples.iter().map(|text| format!("\u{201c}{text}\u{201d}")).collect();
        format!(
            "{misfits} of {of} values {} {what} ({}), so the column isn't imported as a {}. Choose this type to leave out \
             invalid cells.",
            if *misfits == 1 { "isn't" } else { "aren't" },
            shown.join(", "),
            kind.name()
        )
    }
}

/// The note about values that stand for none.
fn placeholders(count: u64) -> String {
    match count {
        1 => "1 placeholder value (such as - or n/a) becomes empty.".to_owned(),
        _ => format!("{count} placeholder values (such as - or n/a) become empty."),
    }
}

/// Decides over a whole table.
pub struct Judge<'a> {
    /// How the table is read.
    pub shape: &'a Shape,
    /// Ids of members by their names and addresses in lower case.
    pub by_name: HashMap<String, String>,
    /// The decimal mark of the columns that tell.
    pub mark: Option<Mark>,
    /// The order that the columns with decisive dates have.
    pub date_order: Option<DayOrder>,
    /// The order that the caller chose for the others.
    pub chosen_order: Option<DayOrder>,
}

/// The decimal mark that columns tell which read in one way only.
pub struct Mark {
    is_comma: bool,
    /// The first of them, where none proves it: times of day and versions have points too.
    only: Option<String>,
}

impl Mark {
    /// That of the columns of numbers, where all agree; those that prove it go before the others.
    pub fn find(columns: &[Seen], titles: &[String]) -> Option<Mark> {
        let telling = columns.iter().zip(titles).filter(|(seen, _)| seen.typed());
        let telling = telling.filter_map(|(seen, title)| match (seen.alive & POINT != 0, seen.alive & COMMA != 0) {
            (true, false) => Some((false, seen.grouped[0] || seen.currency.is_some(), title)),
            (false, true) => Some((true, true, title)),
            _ => None,
        });
        let (proofs, hints): (Vec<_>, Vec<_>) = telling.partition(|(_, proves, _)| *proves);
        let (is_comma, proves, title) = *proofs.first().or(hints.first())?;
        let all_agree = proofs.iter().all(|(other, ..)| *other == is_comma);
        all_agree.then(|| Mark { is_comma, only: (!proves).then(|| title.clone()) })
    }
}

/// The column that names the items: by its title, else the first of text, else the first.
pub fn name_column(titles: &[String], columns: &[Seen]) -> usize {
    let titled = NAME_TITLES.iter().find_map(|name| titles.iter().position(|title| words(title) == *name));
    let texts = || columns.iter().position(|seen| seen.alive == 0 && seen.filled > 0 && !seen.broken);
    titled.or_else(texts).unwrap_or(0)
}

/// The column that names each item's group, if the table has one.
pub fn group_column(titles: &[String], columns: &[Seen], name: usize, most: usize) -> Option<usize> {
    let is_group =
        |title: &String| matches!(words(title).as_str(), "group" | "section" | "group name" | "section/column");
    let at = titles.iter().position(is_group).filter(|at| *at != name)?;
    groups_well(&columns[at], most).then_some(at)
}

/// Whether a column's values can be the groups of a board, which has `most` of them at most.
pub fn groups_well(seen: &Seen, most: usize) -> bool {
    !seen.overflow && seen.filled > 0 && seen.distinct.len() <= most && seen.longest <= NAME_CHARS_MAX
}

impl Seen {
    /// The distinct values in the order in which they came.
    pub fn distinct(&self) -> impl Iterator<Item = &str> {
        self.distinct.iter().map(|(text, _)| text.as_str())
    }
}

impl Judge<'_> {
    /// Decides on a column whose meaning is known from the tool.
    pub fn known(&self, becomes: Becomes, title: &str, seen: &Seen) -> Decided {
        let text = |kind| plain(kind, Format::Text);
        match becomes {
            Becomes::List if seen.longest_entry <= NAME_CHARS_MAX => {
                let people = PEOPLE_WORDS.contains(&words(title).as_str()) || words(title) == "watchers";
                self.people(seen, people).unwrap_or_else(|| plain(ColumnType::Tags, Format::Tags('\n')))
            }
            Becomes::Parent => text(ColumnType::Text),
            Becomes::Files => {
                let note = "Files aren't downloaded; their names and URLs are imported as text.";
                Decided { notes: vec![note.to_owned()], ..text(ColumnType::LongText) }
            }
            Becomes::LongText | Becomes::List => text(ColumnType::LongText),
            Becomes::Status if choosable(seen) => choice(ColumnType::Status, seen),
            Becomes::Choice if choosable(seen) => choice(ColumnType::Dropdown, seen),
            _ if seen.broken || seen.longest > NAME_CHARS_MAX => text(ColumnType::LongText),
            _ => text(ColumnType::Text),
        }
    }

    /// Decides on a column, and reports the type that nearly fits if it becomes text.
    pub fn decide(&self, title: &str, seen: &Seen) -> Decided {
        let mut decided = self.decide_whole(title, seen);
        if matches!(decided.kind, ColumnType::Text | ColumnType::LongText | ColumnType::Dropdown | ColumnType::Tags) {
            decided.nearly = seen.nearly(title);
            decided.notes.extend(decided.nearly.iter().map(Nearly::note));
        }
        decided
    }

    /// The same, by what all of its values are.
    fn decide_whole(&self, title: &str, seen: &Seen) -> Decided {
        let title = words(title);
        let titled = |list: &[&str]| list.contains(&title.as_str());
        if seen.typed() {
            let phone = seen.alive & PHONE != 0;
            // Versions and addresses of machines look like telephone numbers; untitled ones must begin like one.
            let sign = |text: &str| text.starts_with(['+', '(']);
            let dialled = || {
                let numbers = seen.alive & (POINT | COMMA) != 0;
                !numbers && seen.distinct().chain(seen.sample.iter().map(String::as_str)).all(sign)
            };
            if phone && (titled(&PHONE_WORDS) || dialled()) {
                return plain(ColumnType::Phone, Format::Text);
            }
            if seen.alive & TRUTH != 0 && seen.is_ticked() {
                return plain(ColumnType::Checkbox, Format::Truth);
            }
            if seen.alive & (POINT | COMMA) != 0 {
                return self.number(&title, seen);
            }
            if seen.alive & NUMBER != 0 {
                let note = "Numbers use both decimal points and commas: imported as text.";
                return Decided { notes: vec![note.to_owned()], ..plain(ColumnType::Text, Format::Text) };
            }
            if seen.alive & DATES != 0 {
                let (order, notes, day_order) = self.date_order(seen, seen.alive);
                return Decided { notes, day_order, ..plain(ColumnType::Date, Format::Date(order)) };
            }
            if seen.alive >> SPAN & DATES != 0 {
                let (order, notes, day_order) = self.date_order(seen, seen.alive >> SPAN);
                return Decided { notes, day_order, ..plain(ColumnType::Timeline, Format::Span(order)) };
            }
            if seen.alive & LINK != 0 {
                return plain(ColumnType::Link, Format::Text);
            }
        }
        let all_mail = seen.typed() && seen.alive & EMAIL != 0;
        if (titled(&PEOPLE_WORDS) || all_mail || self.are_members(seen))
            && let Some(decided) = self.people(seen, titled(&PEOPLE_WORDS))
        {
            return decided;
        }
        if all_mail {
            return plain(ColumnType::Email, Format::Text);
        }
        if seen.broken || seen.longest > NAME_CHARS_MAX {
            return plain(ColumnType::LongText, Format::Text);
        }
        if let Some(decided) = tags(seen, titled(&TAGS_WORDS)) {
            return decided;
        }
        let few = !seen.overflow && !seen.distinct.is_empty() && seen.longest <= LABEL_CHARS_MAX;
        let distinct = seen.distinct.len();
        let repeats = distinct <= LABELS_MAX && (distinct <= 12 || seen.filled >= 2 * distinct as u64);
        if few && titled(&CHOICE_WORDS) && repeats {
            return choice(ColumnType::Dropdown, seen);
        }
        if few && (titled(&STATUS_WORDS) && repeats || are_states(seen)) {
            return choice(ColumnType::Status, seen);
        }
        if few && distinct <= REPEATED_LABELS_MAX && seen.filled >= 12 && seen.filled >= 4 * distinct as u64 {
            return choice(ColumnType::Dropdown, seen);
        }
        plain(ColumnType::Text, Format::Text)
    }

    /// Converts a column to the type set by the caller; the error says why it can't.
    pub fn force(&self, kind: ColumnType, settings: Option<Settings>, seen: &Seen) -> Result<Decided, String> {
        if kind.is_derived() || kind.is_link() || kind == ColumnType::File {
            return Err(format!("You can't import a column of type {}.", kind.name()));
        }
        let mut decided = match kind {
            ColumnType::Number | ColumnType::Rating | ColumnType::Progress => {
                let (comma, guess) = match seen.count(COMMA).cmp(&seen.count(POINT)) {
                    std::cmp::Ordering::Equal => self.comma(seen),
                    more => (more == std::cmp::Ordering::Greater, None),
                };
                let found = (kind == ColumnType::Number && settings.is_none()).then(|| seen.amounts(comma));
                let (settings, notes) = (found.unwrap_or_default(), guess.into_iter().collect());
                Decided { settings, notes, ..plain(kind, Format::Number { comma }) }
            }
            ColumnType::Date | ColumnType::Timeline => {
                let is_span = kind == ColumnType::Timeline;
                // A day alone is a span of one.
                let count = |bit: u16| seen.count(bit) + if is_span { seen.count(bit << SPAN) } else { 0 };
                let (mut order, mut notes, mut day_order) = (most(count), None, None);
                if order == DateOrder::DayFirst && count(DAY_FIRST) == count(MONTH_FIRST) {
                    (order, notes, day_order) = self.between(seen, count(MONTH_FIRST) == count(MONTH_ALWAYS));
                }
                let format = if is_span { Format::Span(order) } else { Format::Date(order) };
                Decided { notes: notes.into_iter().collect(), day_order, ..plain(kind, format) }
            }
            ColumnType::Checkbox => plain(kind, Format::Truth),
            ColumnType::Tags => plain(kind, Format::Tags(seen.separator())),
            ColumnType::People => {
                let strangers = owned(&strangers(seen, &self.by_name));
                Decided { strangers, ..plain(kind, Format::People(self.by_name.clone())) }
            }
            ColumnType::Status | ColumnType::Dropdown => match settings.as_ref().and_then(|s| s.labels.as_ref()) {
                Some(_) => plain(kind, Format::Labels(HashMap::new())),
                None if seen.overflow || seen.distinct.len() > LABELS_MAX => {
                    return Err(format!(
                        "It has more than {LABELS_MAX} different values, the limit for labels in a column."
                    ));
                }
                None => choice(kind, seen),
            },
            _ => plain(kind, Format::Text),
        };
        let before = settings.clone();
        if let Some(given) = settings {
            let labels = decided.settings.labels.take();
            decided.settings = given;
            decided.settings.labels = decided.settings.labels.or(labels);
        }
        decided.settings = decided.settings.settle(kind, before.as_ref()).map_err(|e| e.to_string())?;
        if let (Format::Labels(by_text), Some(labels)) = (&mut decided.format, &decided.settings.labels) {
            *by_text = labels.iter().map(|label| (label.text.clone(), label.id.clone())).collect();
        }
        decided.notes.extend(forced::losses(&decided, seen));
        Ok(decided)
    }

    /// Whether a column's ambiguous numbers have a decimal comma, and a note for the user.
    fn comma(&self, seen: &Seen) -> (bool, Option<String>) {
        // Files with semicolons come from where the comma is the decimal mark; other separators tell nothing.
        let by_delimiter = self.shape.dialect.delimiter == b';';
        let mark = self.mark.as_ref().filter(|mark| mark.only.is_none() || !by_delimiter);
        let comma = mark.map_or(by_delimiter, |mark| mark.is_comma);
        // Numbers of which each reads in one way only are no guess.
        let reads_both = [POINT, COMMA].iter().all(|bit| seen.count(*bit) == seen.count(NUMBER));
        let is_proven = mark.is_some_and(|mark| mark.only.is_none());
        let is_guess = seen.marked && reads_both && self.shape.sheet.is_none() && !is_proven;
        let note = || {
            let like = mark.and_then(|mark| mark.only.as_ref());
            format!(
                "Ambiguous: the decimal mark could be either one; assumed {0}{1}.",
                if comma { "comma" } else { "point" },
                like.map_or_else(String::new, |title| format!(", as in the column {title}"))
            )
        };
        (comma, is_guess.then(note))
    }

    fn number(&self, title: &str, seen: &Seen) -> Decided {
        let both = seen.alive & (POINT | COMMA) == POINT | COMMA;
        let (comma, guess) = if both { self.comma(seen) } else { (seen.alive & COMMA != 0, None) };
        if seen.has_mixed_currencies() || (seen.currency.is_some() && seen.plain_amounts) {
            let note = "Amounts have different or missing currencies: imported as text.";
            return Decided { notes: vec![note.to_owned()], ..plain(ColumnType::Text, Format::Text) };
        }
        let percent = seen.percents > 0;
        if percent && !seen.all_percents() {
            let note = "Only some values have a percent sign: imported as text.";
            return Decided { notes: vec![note.to_owned()], ..plain(ColumnType::Text, Format::Text) };
        }
        let mut notes: Vec<String> = guess.into_iter().collect();
        if seen.null_like > 0 {
            notes.push(placeholders(seen.null_like));
        }
        let format = Format::Number { comma };
        if percent && PROGRESS_WORDS.contains(&title) && self.within_hundred(seen, comma) {
            return Decided { notes, ..plain(ColumnType::Progress, format) };
        }
        Decided { settings: seen.amounts(comma), notes, ..plain(ColumnType::Number, format) }
    }

    fn within_hundred(&self, seen: &Seen, comma: bool) -> bool {
        let fits = |text: &str| values::number(text, comma).is_none_or(|n| (0.0..=100.0).contains(&n.value));
        !seen.overflow && seen.distinct().all(fits)
    }

    /// The order of day and month that fits every date, and notes for the user.
    fn date_order(&self, seen: &Seen, alive: u16) -> (DateOrder, Vec<String>, Option<DayOrder>) {
        let (mut notes, mut day_order) = (Vec::new(), None);
        let order = if alive & (DAY_FIRST | MONTH_FIRST) == DAY_FIRST | MONTH_FIRST {
            let (order, note, chosen) = self.between(seen, alive & MONTH_ALWAYS != 0);
            notes.extend(note);
            day_order = chosen;
            order
        } else if alive & DAY_FIRST != 0 {
            DateOrder::DayFirst
        } else if alive & MONTH_FIRST != 0 {
            DateOrder::MonthFirst
        } else {
            DateOrder::MonthAlways
        };
        if seen.sample.iter().any(|text| text.contains(':')) {
            notes.push("Times are dropped because date columns store only days.".to_owned());
        }
        if seen.null_like > 0 {
            notes.push(placeholders(seen.null_like));
        }
        (order, notes, day_order)
    }

    /// Whether every value names members. A single value isn't enough evidence.
    fn are_members(&self, seen: &Seen) -> bool {
        let is_member = |name: &str| self.by_name.contains_key(&name.to_lowercase());
        let all = |text: &str| {
            let mut names = people_in(text).peekable();
            names.peek().is_some() && names.all(is_member)
        };
        !seen.overflow && seen.filled > 1 && seen.distinct().all(all)
    }

    /// People, where every value names members; otherwise, for a column that is titled so, a choice or tags.
    fn people(&self, seen: &Seen, titled: bool) -> Option<Decided> {
        let strangers = strangers(seen, &self.by_name);
        if !seen.overflow && seen.filled > 0 && strangers.is_empty() {
            return Some(plain(ColumnType::People, Format::People(self.by_name.clone())));
        }
        if !titled || seen.overflow || seen.distinct.is_empty() {
            return None;
        }
        let shown = strangers.iter().take(5).copied().collect::<Vec<_>>().join(", ");
        let note =
            format!("No members are named {shown}: imported as text. Add them as members first to import people.");
        let many = seen.listed || seen.separated[0] + seen.separated[1] > 0;
        let mut decided = if many {
            plain(ColumnType::Tags, Format::Tags(seen.separator()))
        } else if choosable(seen) {
            choice(ColumnType::Dropdown, seen)
        } else {
            plain(ColumnType::Text, Format::Text)
        };
        decided.notes.push(note);
        decided.strangers = owned(&strangers);
        Some(decided)
    }
}

/// Whether a column's values come again and are, two of three of them, words for states.
fn are_states(seen: &Seen) -> bool {
    let (distinct, states) = (seen.distinct.len(), seen.distinct().filter(|text| is_state(text)).count());
    distinct <= STATES_MAX && seen.filled > distinct as u64 && states > 1 && states * 3 >= distinct * 2
}

/// Member ids by name and address in lower case.
pub fn by_name(members: &[Known]) -> HashMap<String, String> {
    let mut by_name = HashMap::new();
    for member in members {
        for called in [&member.name, &member.email] {
            if !called.trim().is_empty() {
                by_name.entry(called.trim().to_lowercase()).or_insert_with(|| member.id.clone());
            }
        }
    }
    by_name
}

/// Whom a column names without their being members, each once.
fn strangers<'a>(seen: &'a Seen, by_name: &HashMap<String, String>) -> Vec<&'a str> {
    let mut strangers: Vec<&str> = Vec::new();
    for text in seen.distinct() {
        for name in people_in(text) {
            if !by_name.contains_key(&name.to_lowercase()) && !strangers.contains(&name) {
                strangers.push(name);
            }
        }
    }
    strangers
}

fn owned(strangers: &[&str]) -> Vec<String> {
    strangers.iter().take(STRANGERS_MAX).map(|name| (*name).to_owned()).collect()
}

/// The order that the most values have.
fn most(count: impl Fn(u16) -> u64) -> DateOrder {
    ORDERS.into_iter().reduce(|best, next| if count(next.0) > count(best.0) { next } else { best }).expect("three").1
}

/// The names in a cell of people.
pub fn people_in(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ';', '\n']).map(str::trim).filter(|name| !name.is_empty())
}

fn plain(kind: ColumnType, format: Format) -> Decided {
    Decided {
        kind,
        settings: Settings::default(),
        format,
        notes: Vec::new(),
        strangers: Vec::new(),
        day_order: None,
        nearly: None,
    }
}

/// Whether a column's values can be its labels.
fn choosable(seen: &Seen) -> bool {
    !seen.overflow && seen.distinct.len() <= LABELS_MAX && seen.longest <= NAME_CHARS_MAX
}

/// A label of this text.
pub fn new_label(text: &str) -> Label {
    Label::new(text, "", widgets::Category::of_words(text))
}

fn choice(kind: ColumnType, seen: &Seen) -> Decided {
    let labels: Vec<Label> = seen.distinct().map(new_label).collect();
    let settings = Settings { labels: Some(labels), ..Settings::default() };
    // The texts are of a fitting length and number; were they not, the column stays text.
    let Ok(settings) = settings.settle(kind, None) else { return plain(ColumnType::Text, Format::Text) };
    let by_text = settings.labels.iter().flatten().map(|label| (label.text.clone(), label.id.clone())).collect();
    Decided { settings, ..plain(kind, Format::Labels(by_text)) }
}

/// Tags: several short texts in a cell that come again in others.
fn tags(seen: &Seen, titled: bool) -> Option<Decided> {
    let sign = seen.separator();
    let separated = seen.separated[0].max(seen.separated[1]);
    if seen.filled == 0 || (separated == 0 && !titled) || (separated * 10 < seen.filled && !titled) {
        return None;
    }
    let mut tokens: HashMap<&str, u64> = HashMap::new();
    let mut total = 0;
    for (text, times) in &seen.distinct {
        for token in text.split(sign).map(str::trim).filter(|token| !token.is_empty()) {
            if token.chars().count() > LABEL_CHARS_MAX {
                return None;
            }
            *tokens.entry(token).or_default() += times;
            total += times;
        }
    }
    let repeated = total >= 2 * tokens.len() as u64;
    (titled || (repeated && !seen.overflow)).then(|| plain(ColumnType::Tags, Format::Tags(sign)))
}
