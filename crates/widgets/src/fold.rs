//! How texts are compared: labels and titles trimmed and without case, text filters also without accents.

use crate::accents::PLAIN;
use std::cmp::Ordering;

/// Trimmed and in lower case: equal labels and titles of different boards are one.
pub(crate) fn fold_case(text: &str) -> String {
    text.trim().to_lowercase()
}

/// Lower case without accents, appended to `out`.
pub(crate) fn fold_text(text: &str, out: &mut String) {
    if text.is_ascii() {
        let from = out.len();
        out.push_str(text);
        out[from..].make_ascii_lowercase();
        return;
    }
    for letter in text.chars().flat_map(char::to_lowercase) {
        // A mark that stands alone is an accent written apart from its letter.
        if ('\u{300}'..='\u{36f}').contains(&letter) {
            continue;
        }
        out.push(PLAIN.binary_search_by_key(&letter, |pair| pair.0).map_or(letter, |i| PLAIN[i].1));
    }
}

/// Order in which a person would list names: "Sprint 2" before "Sprint 10".
pub(crate) fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let digits = |t: &str| t.bytes().take_while(u8::is_ascii_digit).count();
        let (n, m) = (digits(a), digits(b));
        if n > 0 && m > 0 {
            let (x, y) = (a[..n].trim_start_matches('0'), b[..m].trim_start_matches('0'));
            let order = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
            if order != Ordering::Equal {
                return order;
            }
            (a, b) = (&a[n..], &b[m..]);
            continue;
        }
        let (mut x, mut y) = (a.chars(), b.chars());
        match (x.next(), y.next()) {
            (None, None) => return Ordering::Equal,
            (None, _) => return Ordering::Less,
            (_, None) => return Ordering::Greater,
            (Some(c), Some(d)) if c == d => (a, b) = (x.as_str(), y.as_str()),
            (Some(c), Some(d)) => return c.cmp(&d),
        }
    }
}

/// Puts places in an order. One for all that are few: each kind of sorting takes ten thousand bytes of the page's module.
pub(crate) fn sort(places: &mut [u32], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    places.sort_by(|a, b| compare(*a as usize, *b as usize));
}
