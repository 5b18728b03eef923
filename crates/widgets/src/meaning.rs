//! What columns mean beyond their types: which of them says when an item is due, and when an item is done. Events, filters
//! and whatever else asks have it from here, so that all of them say the same.

use crate::fold::fold_case;

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

/// Of each label of a column, given with whether it is marked as done, whether it means done. Without any mark the words that
/// people use for it count.
pub fn done_labels(labels: &[(&str, bool)]) -> Vec<bool> {
    let marked = labels.iter().any(|(_, done)| *done);
    let means = |(text, done): &(&str, bool)| if marked { *done } else { means_done(text) };
    labels.iter().map(means).collect()
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
    fn words_count_where_no_label_is_marked() {
        assert_eq!(done_labels(&[("To do", false), (" DONE ", false), ("Undone", false)]), [false, true, false]);
        assert_eq!(done_labels(&[("Offen", false), ("Erledigt", false)]), [false, true]);
        assert_eq!(done_labels(&[("Landed", true), ("Done", false)]), [true, false]);
    }

    fn column(text: &str) -> Option<Meant<'_>> {
        let (type_name, title) = text.split_once(':')?;
        Some(Meant { title, type_name })
    }
}
