//! Plays through a program of the system, which gets samples as they are due.

use crate::mix::Mix;
use crate::samples::{RATE, Samples};
use crate::speech;
use crate::{Play, Playback, Playing, Problem, Report};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep_until, timeout};

/// How long a program may take to end after its last sample was due.
const END_MAX: Duration = Duration::from_secs(10);

/// Plays on this computer.
#[derive(Debug, Clone, Default)]
pub struct Speaker {
    env: Vec<(String, String)>,
}

impl Speaker {
    /// Starts programs with another variable, such as the address of a sound server.
    pub fn with_env(mut self, name: &str, value: &str) -> Speaker {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A program that ends when its handle is dropped.
    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).envs(self.env.iter().cloned()).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Play for Speaker {
    fn play(&self, playback: Playback, report: Report) -> Playing {
        let speaker = self.clone();
        let task = tokio::spawn(async move { speaker.run(&playback, &report).await });
        Playing::new(AbortOnDrop(task.abort_handle()))
    }

    fn problem(&self) -> Option<Problem> {
        let is_installed = system::PROGRAMS.iter().any(|(program, _)| is_installed(program));
        (!is_installed).then_some(Problem::NoPlayer)
    }
}

/// Whether `PATH` has a program. On Windows and macOS the programs belong to the system.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    cfg!(any(windows, target_os = "macos")) || std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

impl Speaker {
    async fn run(&self, playback: &Playback, report: &Report) {
        let sound = playback.sound.clone();
        let Ok(samples) = tokio::task::spawn_blocking(move || Samples::load(&sound)).await else { return };
        let mut mix = Mix::new(playback, samples);
        let first_pass = mix.first_pass();
        let begin = Instant::now();
        let (is_spoken, spoken) = watch::channel(playback.speech.is_none());
        let speak = async {
            if let Some(text) = &playback.speech {
                sleep_until(begin + time_of(first_pass)).await;
                if !speech::speak(self, text).await {
                    report(Problem::NoSpeech);
                }
                is_spoken.send_replace(true);
            }
        };
        let play = async {
            if first_pass > 0 && !self.play_all(&mut mix, begin, spoken).await {
                report(Problem::NoPlayer);
            }
        };
        tokio::join!(play, speak);
    }

    /// Plays to the end with the first program that works. False if none does.
    async fn play_all(&self, mix: &mut Mix, begin: Instant, spoken: watch::Receiver<bool>) -> bool {
        for program in system::PROGRAMS {
            match system::play(self, program, mix, begin, &spoken).await {
                Ok(()) => return true,
                Err(error) => tracing::debug!(%error, "couldn't play with {}", program.0),
            }
        }
        false
    }
}

/// How long so many samples take.
fn time_of(samples: u64) -> Duration {
    Duration::from_secs_f64(samples as f64 / f64::from(RATE))
}

/// Waits for a program's end; an error if it failed.
#[cfg(not(any(windows, target_os = "macos")))]
async fn ended(child: &mut tokio::process::Child) -> Result<(), String> {
    match timeout(END_MAX, child.wait()).await {
        Ok(Ok(status)) if status.success() => Ok(()),
        Ok(Ok(status)) => Err(status.to_string()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("it doesn't end".into()),
    }
}

#[cfg(not(any(windows, target_os = "macos")))]
mod system {
    use super::*;
    use tokio::io::AsyncWriteExt;

    /// Programs that read samples, and their arguments.
    pub(super) const PROGRAMS: &[(&str, &[&str])] = &[
        ("pacat", &["--playback", "--raw", "--format=s16le", "--rate=44100", "--channels=1", "--latency-msec=100"]),
        ("pw-cat", &["--playback", "--raw", "--format=s16", "--rate=44100", "--channels=1", "--latency=100ms", "-"]),
    ];
    /// Samples of a block: a tenth of a second.
    const BLOCK: u64 = RATE as u64 / 10;
    /// How long before its time a block is handed over.
    const LEAD: Duration = Duration::from_millis(400);

    pub(super) async fn play(
        speaker: &Speaker,
        (program, args): &(&str, &[&str]),
        mix: &mut Mix,
        begin: Instant,
        spoken: &watch::Receiver<bool>,
    ) -> Result<(), String> {
        let mut child = speaker.command(program, args).spawn().map_err(|error| error.to_string())?;
        let mut input = child.stdin.take().ok_or("it has no input")?;
        loop {
            // A block ends with the first pass, so that what follows is silent while the label is spoken.
            let until_speech = mix.first_pass().saturating_sub(mix.played());
            let count = if until_speech > 0 { until_speech.min(BLOCK) } else { BLOCK };
            sleep_until((begin + time_of(mix.played())).checked_sub(LEAD).unwrap_or(begin)).await;
            let is_silent = until_speech == 0 && !*spoken.borrow();
            let block = mix.next(count as usize);
            if block.is_empty() {
                break;
            }
            let sample = |sample: i16| if is_silent { 0 } else { sample }.to_le_bytes();
            let bytes: Vec<u8> = block.into_iter().flat_map(sample).collect();
            input.write_all(&bytes).await.map_err(|error| error.to_string())?;
        }
        drop(input);
        ended(&mut child).await
    }
}

#[cfg(any(windows, target_os = "macos"))]
mod system {
    use super::*;
    use crate::samples;
    use std::io::Write;

    /// Names the file to play, so that its path is no part of a command.
    const FILE: &str = "PILOTHOUSE_SOUND";
    /// Programs that play a file, and their arguments.
    #[cfg(windows)]
    pub(super) const PROGRAMS: &[(&str, &[&str])] = &[(
        "powershell",
        &[
            "-NoProfile",
            "-NonInteractive",
            "-Command",
            "(New-Object System.Media.SoundPlayer $env:PILOTHOUSE_SOUND).PlaySync()",
        ],
    )];
    #[cfg(target_os = "macos")]
    pub(super) const PROGRAMS: &[(&str, &[&str])] = &[("sh", &["-c", "exec afplay \"$PILOTHOUSE_SOUND\""])];
    /// Samples of a file: half a minute.
    const PIECE: u64 = RATE as u64 * 30;

    pub(super) async fn play(
        speaker: &Speaker,
        (program, args): &(&str, &[&str]),
        mix: &mut Mix,
        begin: Instant,
        spoken: &watch::Receiver<bool>,
    ) -> Result<(), String> {
        let mut spoken = spoken.clone();
        loop {
            let until_speech = mix.first_pass().saturating_sub(mix.played());
            if until_speech == 0 {
                spoken.wait_for(|is_spoken| *is_spoken).await.map_err(|error| error.to_string())?;
                let late = begin.elapsed().saturating_sub(time_of(mix.played()));
                mix.next((late.as_secs_f64() * f64::from(RATE)) as usize);
            }
            let count = if until_speech > 0 { until_speech.min(PIECE) } else { PIECE };
            let piece = mix.next(count as usize);
            if piece.is_empty() {
                return Ok(());
            }
            let mut file = tempfile::Builder::new().suffix(".wav").tempfile().map_err(|error| error.to_string())?;
            file.write_all(&samples::wav_file(&piece)).map_err(|error| error.to_string())?;
            // Another program can't open it on Windows while it's open here.
            let path = file.into_temp_path();
            let mut child =
                speaker.command(program, args).env(FILE, &path).spawn().map_err(|error| error.to_string())?;
            let limit = time_of(piece.len() as u64) + END_MAX;
            match timeout(limit, child.wait()).await {
                Ok(Ok(status)) if status.success() => {}
                Ok(Ok(status)) => return Err(status.to_string()),
                Ok(Err(error)) => return Err(error.to_string()),
                Err(_) => return Err("it doesn't end".into()),
            }
        }
    }
}
