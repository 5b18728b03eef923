//! What columns mean beyond their types: which of them says when an item is due, and when an item is done or canceled. Events,
//! filters and whatever else asks have it from here, so that all of them say the same.

use crate::fold::fold_case;
use serde::{Deserialize, Serialize};

/// Progress of an item with this label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Category {
    /// Not started.
    NotStarted,
    /// In progress or waiting.
    Active,
    /// Finished.
    Done,
    /// Canceled: no longer part of the work, and never counted as done.
    Canceled,
}

impl Category {
    /// Every category.
    pub const ALL: [Category; 4] = [Category::NotStarted, Category::Active, Category::Done, Category::Canceled];
    /// As it is stored and sent.
    pub const fn name(self) -> &'static str {
        match self {
            Category::NotStarted => "notStarted",
            Category::Active => "active",
            Category::Done => "done",
            Category::Canceled => "canceled",
        }
    }
    /// The category of this name; nothing for one that a newer version wrote.
    pub fn named(name: &str) -> Option<Category> {
        Self::ALL.into_iter().find(|category| category.name() == name)
    }
    /// What labels that are called so mean. Words that say nothing are taken as those of something under way.
    pub fn of_words(text: &str) -> Category {
        if means_canceled(text) {
            Category::Canceled
        } else if means_done(text) {
            Category::Done
        } else {
            Category::open(text)
        }
    }
    /// The same of labels that are known to be open.
    pub fn open(text: &str) -> Category {
        if NOT_STARTED_WORDS.contains(&plain(text).as_str()) { Category::NotStarted } else { Category::Active }
    }
}

/// A column, as far as its meaning goes.
#[derive(Clone, Copy, Debug)]
pub struct Meant<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its type; of a formula, that of its results.
    pub type_name: &'a str,
}

/// What labels and checkboxes are called that mean done.
pub const FINISHED_WORDS: [&str; 10] = [
    "done",
    "complete",
    "completed",
    "closed",
    "finished",
    "resolved",
    "shipped",
    "erledigt",
    "fertig",
    "abgeschlossen",
];
/// What labels are called that mean canceled.
pub const CANCELED_WORDS: [&str; 46] = [
    "canceled",
    "cancelled",
    "duplicate",
    "duplicated",
    "won't do",
    "wont do",
    "won't fix",
    "wontfix",
    "wont fix",
    "will not do",
    "not doing",
    "not planned",
    "rejected",
    "declined",
    "dropped",
    "discarded",
    "abandoned",
    "obsolete",
    "abgebrochen",
    "abgelehnt",
    "verworfen",
    "storniert",
    "duplikat",
    "annulé",
    "annulée",
    "abandonné",
    "abandonnée",
    "rejeté",
    "rejetée",
    "doublon",
    "cancelado",
    "cancelada",
    "anulado",
    "anulada",
    "rechazado",
    "descartado",
    "duplicado",
    "rejeitado",
    "annullato",
    "annullata",
    "rifiutato",
    "duplicato",
    "geannuleerd",
    "afgewezen",
    "vervallen",
    "duplicaat",
];
/// What labels are called that mean that nobody has begun.
pub const NOT_STARTED_WORDS: [&str; 14] = [
    "to do",
    "todo",
    "open",
    "new",
    "backlog",
    "triage",
    "planned",
    "ready",
    "not started",
    "unstarted",
    "offen",
    "neu",
    "geplant",
    "nicht begonnen",
];
/// How words begin that due dates are called by.
const DUE_BEGIN: [&str; 8] =
    ["deadline", "fällig", "échéance", "echeance", "vencimiento", "vencimento", "scadenza", "vervaldatum"];
const DUE: [&str; 5] = ["due", "duedate", "frist", "abgabe", "prazo"];
/// Words for the last day of something, and for the first: of two dates the last is the one that items are due at.
const END: [&str; 9] = ["end", "ends", "enddate", "ende", "enddatum", "finish", "until", "bis", "target"];
const START: [&str; 6] = ["start", "starts", "startdate", "begin", "beginn", "von"];

/// Whether one of the words of a title fits.
pub(crate) fn has_word(title: &str, fits: impl Fn(&str) -> bool) -> bool {
    fold_case(title).split(|c: char| !c.is_alphanumeric()).any(fits)
}

/// Whether a label or a checkbox that is called so means done by that.
pub fn means_done(called: &str) -> bool {
    FINISHED_WORDS.contains(&fold_case(called).as_str())
}

/// Whether a label that is called so means canceled by that.
pub fn means_canceled(called: &str) -> bool {
    CANCELED_WORDS.contains(&plain(called).as_str())
}

/// A label's text as the lists of words have it.
fn plain(called: &str) -> String {
    fold_case(called).replace(['_', '-'], " ").replace('’', "'")
}

/// A label, as far as its meaning goes.
#[derive(Clone, Copy, Debug)]
pub struct MeantLabel<'a> {
    /// What people read.
    pub text: &'a str,
    /// What was chosen for it, unless an earlier version wrote it.
    pub category: Option<Category>,
    /// Whether it is marked as done, which is all that earlier versions wrote.
    pub is_done: bool,
}

/// The category of each label of a column. Those that earlier versions wrote have none: of these the ones that are called
/// canceled are that, whatever they are marked as; of the others the marked ones are done, and without any mark those called so.
pub fn categories(labels: &[MeantLabel<'_>]) -> Vec<Category> {
    let is_marked = |label: &MeantLabel<'_>| match label.category {
        Some(category) => category == Category::Done,
        None => label.is_done && !means_canceled(label.text),
    };
    let any_marked = labels.iter().any(is_marked);
    let category = |label: &MeantLabel<'_>| match (label.category, Category::of_words(label.text)) {
        (Some(category), _) => category,
        (None, Category::Canceled) => Category::Canceled,
        (None, Category::Done) if !any_marked => Category::Done,
        (None, _) if label.is_done => Category::Done,
        (None, _) => Category::open(label.text),
    };
    labels.iter().map(category).collect()
}

/// The checkboxes that mean done where they are checked: those called so. Another, such as Urgent or Paid, says nothing of that,
/// even where nothing else on the board does.
pub fn done_checks(columns: &[Meant<'_>]) -> Vec<usize> {
    let means = |at: &usize| columns[*at].type_name == "checkbox" && means_done(columns[*at].title);
    (0..columns.len()).filter(means).collect()
}

/// The column of the date that items are due at, of a timeline its last day: the first called so; else the only date, unless
/// it is the first day of something with a timeline beside it; else the first that is called an end; else the only timeline.
pub fn due(columns: &[Meant<'_>]) -> Option<usize> {
    let of = |type_name| (0..columns.len()).filter(move |at| columns[*at].type_name == type_name);
    let (dates, spans): (Vec<usize>, Vec<usize>) = (of("date").collect(), of("timeline").collect());
    let called = |among: &[usize], fits: &dyn Fn(&str) -> bool| {
        among.iter().copied().find(|at| has_word(columns[*at].title, fits))
    };
    let is_due = |word: &str| DUE.contains(&word) || DUE_BEGIN.iter().any(|begin| word.starts_with(begin));
    let is_end = |word: &str| END.contains(&word);
    let only = |among: &[usize]| if let [at] = among { Some(*at) } else { None };
    let is_start = |at: &usize| has_word(columns[*at].title, |word| START.contains(&word));
    called(&dates, &is_due)
        .or_else(|| called(&spans, &is_due))
        .or_else(|| only(&dates).filter(|at| spans.is_empty() || !is_start(at)))
        .or_else(|| called(&dates, &is_end))
        .or_else(|| only(&spans))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_due_date_is_the_one_that_people_mean() {
        for (columns, found) in [
            ("", None),
            ("date:Start", Some(0)),
            ("date:Seen, date:Due on", Some(1)),
            ("date:Due, date:Deadline", Some(0)),
            ("date:Start, date:End", Some(1)),
            ("date:Erstellt, date:Fällig am", Some(1)),
            ("date:Beginn, date:Ende", Some(1)),
            ("date:One, date:Other", None),
            ("timeline:Phase", Some(0)),
            ("date:Start, timeline:Phase", Some(1)),
            ("date:Delivery, timeline:Phase", Some(0)),
            ("timeline:Phase, timeline:Due", Some(1)),
            ("timeline:One, timeline:Other", None),
            ("text:Due", None),
        ] {
            let columns: Vec<Meant<'_>> = columns.split(", ").filter_map(column).collect();
            assert_eq!(due(&columns), found, "{columns:?}");
        }
    }

    #[test]
    fn checkboxes_mean_done_where_they_are_called_so() {
        for (columns, found) in [
            ("checkbox:Paid", vec![]),
            ("checkbox: DONE ", vec![0]),
            ("checkbox:Paid, checkbox:Done, checkbox:Fertig", vec![1, 2]),
            ("status:Status, checkbox:Shipped", vec![1]),
            ("text:Done, checkbox:Done by", vec![]),
        ] {
            let columns: Vec<Meant<'_>> = columns.split(", ").filter_map(column).collect();
            assert_eq!(done_checks(&columns), found, "{columns:?}");
        }
    }

    #[test]
    fn labels_without_a_category_mean_what_their_mark_and_their_words_say() {
        use Category::{Active, Canceled, Done, NotStarted};
        for (labels, found) in [
            ("To do, DONE , Undone", [NotStarted, Done, Active]),
            ("Offen, Erledigt, Won’t-do", [NotStarted, Done, Canceled]),
            ("Landed*, Done, Open", [Done, Active, NotStarted]),
            // A mark on what was given up is none.
            ("Canceled*, Done, In review", [Canceled, Done, Active]),
            ("Annulé, Cancelado*, Shipped*", [Canceled, Canceled, Done]),
        ] {
            let labels: Vec<MeantLabel<'_>> = labels
                .split(',')
                .map(|text| MeantLabel {
                    text: text.trim_end_matches('*'),
                    category: None,
                    is_done: text.ends_with('*'),
                })
                .collect();
            assert_eq!(categories(&labels), found, "{labels:?}");
        }
    }

    #[test]
    fn a_category_that_was_chosen_counts_whatever_the_label_is_called() {
        let label = |text, category| MeantLabel { text, category: Some(category), is_done: false };
        let labels = [label("Done", Category::Canceled), label("Canceled", Category::Active)];
        assert_eq!(categories(&labels), [Category::Canceled, Category::Active]);
        assert!(Category::ALL.iter().all(|category| Category::named(category.name()) == Some(*category)));
    }

    fn column(text: &str) -> Option<Meant<'_>> {
        let (type_name, title) = text.split_once(':')?;
        Some(Meant { title, type_name })
    }
}
