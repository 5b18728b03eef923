//! What is heard over time: the sound, faded in, once or repeated, for as long as it may last. Pure.

use crate::Playback;
use crate::samples::{RATE, Samples};

/// A sound under way.
#[derive(Debug)]
pub(crate) struct Mix {
    samples: Samples,
    /// Samples played so far.
    played: u64,
    /// Samples of the fade.
    fade: u64,
    /// Samples after which it ends; `None` if it doesn't.
    end: Option<u64>,
}

impl Mix {
    pub(crate) fn new(playback: &Playback, samples: Samples) -> Mix {
        let count = |seconds: u32| u64::from(seconds) * u64::from(RATE);
        let once = playback.plays_once.then_some(samples.0.len() as u64);
        let end = [playback.duration_s.map(count), once].into_iter().flatten().min();
        Mix { samples, played: 0, fade: count(playback.fade_in_s), end }
    }

    /// Samples played so far.
    pub(crate) fn played(&self) -> u64 {
        self.played
    }

    /// Samples until the sound was played for the first time, or ends earlier.
    pub(crate) fn first_pass(&self) -> u64 {
        let length = self.samples.0.len() as u64;
        self.end.map_or(length, |end| end.min(length))
    }

    /// The next samples, up to `count`, as whole numbers of 16 bits. Empty at the end.
    pub(crate) fn next(&mut self, count: usize) -> Vec<i16> {
        let left = self.end.map_or(u64::MAX, |end| end - self.played);
        let count = left.min(count as u64);
        let block = (self.played..self.played + count).map(|at| {
            let sample = self.samples.0[(at % self.samples.0.len() as u64) as usize];
            let volume = if at < self.fade { at as f32 / self.fade as f32 } else { 1.0 };
            (sample * volume * 32_767.0) as i16
        });
        let block = block.collect();
        self.played += count;
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: usize = RATE as usize;

    fn playback(fade_in_s: u32, duration_s: Option<u32>, plays_once: bool) -> Playback {
        Playback { sound: String::new(), fade_in_s, duration_s, plays_once, speech: None }
    }

    /// All of a mix of a constant sound of one second, in blocks of odd sizes, up to 20 seconds.
    fn mixed(playback: &Playback) -> Vec<i16> {
        let mut mix = Mix::new(playback, Samples(vec![1.0; SECOND]));
        let mut all = Vec::new();
        while all.len() < 20 * SECOND {
            let block = mix.next((20 * SECOND - all.len()).min(12_345));
            if block.is_empty() {
                break;
            }
            all.extend(block);
        }
        all
    }

    #[test]
    fn it_ends_after_its_duration_or_its_only_pass() {
        for (duration_s, plays_once, seconds) in [
            (Some(3), false, 3),
            (Some(3), true, 1),
            (None, true, 1),
            (None, false, 20),
            (Some(0), false, 0),
            (Some(0), true, 0),
        ] {
            let played = mixed(&playback(0, duration_s, plays_once));
            assert_eq!(played.len(), seconds * SECOND, "{duration_s:?} {plays_once}");
            assert!(played.iter().all(|sample| *sample == 32_767), "full from the start");
        }
    }

    #[test]
    fn the_volume_rises_in_a_line_and_may_take_longer_than_the_sound() {
        for (fade_s, duration_s) in [(4, 10), (10, 4)] {
            let played = mixed(&playback(fade_s, Some(duration_s), false));
            for (index, sample) in played.iter().enumerate().step_by(1_111) {
                let expected = (index as f32 / (fade_s as f32 * SECOND as f32)).min(1.0) * 32_767.0;
                assert!((f32::from(*sample) - expected).abs() <= 1.0, "at {index}");
            }
        }
    }

    #[test]
    fn a_loop_repeats_the_sound() {
        let ramp: Vec<f32> = (0..5).map(|index| index as f32 / 5.0).collect();
        let mut mix = Mix::new(&playback(0, None, false), Samples(ramp));
        assert_eq!(mix.first_pass(), 5);
        let first = mix.next(7);
        assert_eq!(first[5..], first[..2]);
        assert_eq!(mix.next(3), first[2..5]);
    }
}
