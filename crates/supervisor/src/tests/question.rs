use crate::question::asks;
use proptest::prelude::*;

/// The rules were written with the first texts at hand; the second came after them and mended none.
const CORPUS: &str = include_str!("questions.txt");
const HELD_OUT: &str = include_str!("questions_held_out.txt");

/// Texts that were labeled by hand, and whether each asks.
fn labeled(text: &str) -> Vec<(bool, String)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| match line.split_at(2) {
            ("? ", text) => (true, text.replace("\\n", "\n")),
            (". ", text) => (false, text.replace("\\n", "\n")),
            _ => panic!("a line begins with its label: {line}"),
        })
        .collect()
}

/// Holds the share of found questions that are ones, and of questions that are found, above these.
#[track_caller]
fn check(texts: &[(bool, String)], least_precision: f64, least_recall: f64) {
    let wrong = |label: bool| -> Vec<&String> {
        texts.iter().filter(|(is, text)| *is == label && asks(text) != label).map(|(_, text)| text).collect()
    };
    let (missed, mistaken) = (wrong(true), wrong(false));
    let found = texts.iter().filter(|(label, _)| *label).count() - missed.len();
    let precision = found as f64 / (found + mistaken.len()) as f64;
    let recall = found as f64 / (found + missed.len()) as f64;
    println!("{} texts: precision {precision:.3}, recall {recall:.3}", texts.len());
    assert!(precision >= least_precision, "precision {precision:.3}; mistaken for questions: {mistaken:#?}");
    assert!(recall >= least_recall, "recall {recall:.3}; missed: {missed:#?}");
}

#[test]
fn what_is_taken_for_a_question_is_one() {
    let corpus = labeled(CORPUS);
    assert!(corpus.len() >= 120, "{} texts", corpus.len());
    check(&corpus, 0.95, 0.95);
}

#[test]
fn so_it_is_with_texts_that_the_rules_were_not_made_for() {
    check(&labeled(HELD_OUT), 0.95, 0.9);
}

#[test]
fn code_and_quotations_do_not_count() {
    for text in
        ["```\nWhat now?\n```", "> What now?", "It says \"What now?\"", "See `a?`", "| What now? |", "# What now?"]
    {
        assert!(!asks(text), "{text}");
    }
    assert!(asks("What now?"));
    assert!(!asks(""));
    assert!(!asks("```\nWhat now?"), "code that is cut off is code");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_reply_breaks_the_reading(text in "(\\PC|\n){0,200}", marks in "[-*+>#|`~\"'(«„“ a?.!:\n\t1)]{0,80}") {
        asks(&text);
        asks(&marks);
    }
}
