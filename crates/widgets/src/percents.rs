//! Whole percents of the parts of a whole: one rule for all widgets, so that two over the same items agree.

use crate::fold;

/// What part of their sum each of the values is, in whole percents that add up to 100: what rounding down leaves goes to those
/// that lost most by it. What is there has 1 % at least, and so nothing else has 100.
pub(crate) fn percents(values: &[f64]) -> Vec<u32> {
    let sum: f64 = values.iter().sum();
    if sum.is_nan() || sum <= 0.0 {
        return vec![0; values.len()];
    }
    let shares: Vec<f64> = values.iter().map(|value| 100.0 * (value / sum)).collect();
    let mut percents: Vec<u32> = shares.iter().map(|share| share.floor() as u32).collect();
    let mut by_rest: Vec<u32> = (0..shares.len() as u32).collect();
    fold::sort(&mut by_rest, &mut |a, b| (shares[b] - shares[b].floor()).total_cmp(&(shares[a] - shares[a].floor())));
    let left = 100u32.saturating_sub(percents.iter().sum());
    by_rest.iter().take(left as usize).for_each(|at| percents[*at as usize] += 1);
    for at in 0..percents.len() {
        if values[at] <= 0.0 || percents[at] > 0 {
            continue;
        }
        // Of those with the most percents the smallest can spare one soonest.
        let largest = |a: &usize, b: &usize| percents[*a].cmp(&percents[*b]).then(values[*b].total_cmp(&values[*a]));
        let Some(giver) = (0..percents.len()).max_by(largest).filter(|giver| percents[*giver] > 1) else { break };
        percents[giver] -= 1;
        percents[at] = 1;
    }
    percents
}

#[cfg(test)]
mod tests {
    use super::percents;

    #[test]
    fn percents_add_up_to_100_and_show_all_that_is_there() {
        for (values, expected) in [
            (&[1.0, 1.0, 1.0][..], &[34, 33, 33][..]),
            (&[1.0, 2.0], &[33, 67]),
            (&[0.71, 0.29], &[71, 29]),
            (&[1.0, 999.0], &[1, 99]),
            (&[1.0, 0.0, 999_999.0, 1.0], &[1, 0, 98, 1]),
            (&[5.0, 0.0], &[100, 0]),
            (&[0.0, 0.0], &[0, 0]),
            (&[], &[]),
        ] {
            assert_eq!(percents(values), expected, "{values:?}");
        }
        let many = percents(&vec![1.0; 150]);
        assert_eq!((many.iter().sum::<u32>(), many.iter().max()), (100, Some(&1)), "more parts than percents");
    }
}
