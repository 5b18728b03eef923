//! Places among siblings: numbers with room between them. Pure.

/// Between a new task and the last one.
const STEP: i64 = 1 << 24;
/// After another task, so that tasks typed one after the other stay apart.
const HOP: i64 = 1 << 10;

/// The place right after `lower`, and new places of the first siblings after it if there is no room. `next` are the places of
/// the siblings after it, nearest first; `is_all` says that none follow. `None` if more siblings are needed to make room.
pub(crate) fn place_after(lower: i64, next: &[i64], is_all: bool) -> Option<(i64, Vec<i64>)> {
    let Some(nearest) = next.first() else { return Some((lower + STEP, Vec::new())) };
    let gap = nearest - lower;
    if gap >= 2 {
        return Some((lower + (gap / 2).min(HOP), Vec::new()));
    }
    let spread = |room: i64, count: usize| {
        let part = |at: usize| lower + room * (at as i64 + 1) / (count as i64 + 2);
        (part(0), (1..=count).map(part).collect())
    };
    for (count, place) in next.iter().enumerate().skip(1) {
        let room = place - lower;
        if room >= 2 * (count as i64 + 2) {
            return Some(spread(room, count));
        }
    }
    is_all.then(|| spread(STEP * (next.len() as i64 + 2), next.len()))
}

/// The place before the first.
pub(crate) fn place_before(first: Option<i64>) -> i64 {
    first.map_or(0, |first| first - STEP)
}

/// The place after the last.
pub(crate) fn place_last(last: Option<i64>) -> i64 {
    last.map_or(0, |last| last + STEP)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_typed_one_after_the_other_need_no_new_places_of_others() {
        let mut lower = 0;
        for _ in 0..10_000 {
            let (place, moved) = place_after(lower, &[STEP], true).unwrap();
            assert!(moved.is_empty() && place > lower && place < STEP);
            lower = place;
        }
    }

    #[test]
    fn room_is_made_by_the_nearest_siblings() {
        assert_eq!(place_after(5, &[6, 7, 1_000], false), Some((5 + 995 / 4, vec![5 + 995 * 2 / 4, 5 + 995 * 3 / 4])));
        assert_eq!(place_after(5, &[6, 7], false), None);
        let (place, moved) = place_after(5, &[6, 7], true).unwrap();
        assert!([5, place, moved[0], moved[1]].is_sorted_by(|a, b| a < b));
    }
}
