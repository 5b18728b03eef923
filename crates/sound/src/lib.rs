//! Sounds and speech: built-in sounds and WAV files, mixed here and played by a program of the system.
//!
//! Invariants: a sound that can't be read is replaced by the chime; what is stopped is silent at once; no library of the system
//! is linked, and text to speak is never an argument of a program.
//! Deliberately not here: when something sounds, which is up to features.

mod mix;
mod samples;
mod speaker;
mod speech;
#[cfg(all(feature = "testing", target_os = "linux"))]
pub mod testing;

pub use samples::BUILT_IN;
pub use speaker::Speaker;

/// What to play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Playback {
    /// The name of a built-in sound, or the absolute path of a WAV file.
    pub sound: String,
    /// Time in which it rises from silence to full volume.
    pub fade_in_s: u32,
    /// How long it plays; `None` until it's stopped, 0 not at all.
    pub duration_s: Option<u32>,
    /// Whether it plays only once within that time.
    pub plays_once: bool,
    /// Spoken once, after the sound was played for the first time.
    pub speech: Option<String>,
}

/// Why something isn't heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// No program plays sounds.
    NoPlayer,
    /// No program speaks.
    NoSpeech,
}

/// What to call about a problem.
pub type Report = Box<dyn Fn(Problem) + Send + Sync>;

/// Plays sounds.
pub trait Play: Send + Sync {
    /// Begins to play. It stops when the handle is dropped.
    fn play(&self, playback: Playback, report: Report) -> Playing;
    /// Why nothing would be heard, as far as that is known without playing.
    fn problem(&self) -> Option<Problem> {
        None
    }
}

impl Problem {
    /// What to do about it, for people.
    pub const fn remedy(self) -> &'static str {
        match self {
            Problem::NoPlayer => {
                "Install pulseaudio-utils (pacat) or pipewire (pw-cat), and check that a sound server runs."
            }
            Problem::NoSpeech => "Install espeak-ng or speech-dispatcher (spd-say).",
        }
    }
}

/// A sound that plays. Dropping it stops the sound.
pub struct Playing {
    _stops_when_dropped: Box<dyn std::any::Any + Send + Sync>,
}

impl Playing {
    /// From whatever stops it when dropped.
    pub fn new(stops_when_dropped: impl std::any::Any + Send + Sync) -> Playing {
        Playing { _stops_when_dropped: Box::new(stops_when_dropped) }
    }
}
