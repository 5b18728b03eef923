//! What a sound server gets, recorded from a sink without a loudspeaker.
#![cfg(target_os = "linux")]

use sound::testing::{RATE, SoundServer, program};
use sound::{Play, Playback, Playing, Problem, Speaker};
use std::sync::mpsc;
use tempfile::TempDir;

const SILENT: f64 = 0.001;

/// How many parts of a recording have sound.
fn heard(parts: &[f64]) -> usize {
    parts.iter().filter(|loudness| **loudness >= SILENT).count()
}

fn playback() -> Playback {
    Playback { sound: "beep".into(), fade_in_s: 0, duration_s: None, plays_once: false, speech: None }
}

fn play(speaker: &Speaker, playback: Playback) -> Playing {
    speaker.play(playback, Box::new(|problem| panic!("{problem:?}")))
}

/// A WAV file of a steady tone of one second.
fn tone(dir: &TempDir) -> String {
    let mut file =
        b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\x80\x3e\0\0".to_vec();
    let sample = |index: usize| (20_000.0 * (index as f64 * std::f64::consts::TAU * 500.0 / RATE as f64).sin()) as i16;
    file.extend((0..RATE).flat_map(|index| sample(index).to_le_bytes()));
    let path = dir.path().join("tone.wav");
    std::fs::write(&path, file).unwrap();
    path.to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_is_heard_fades_in_ends_after_its_duration_and_stops_at_once() {
    let (server, dir) = (SoundServer::start(), tempfile::tempdir().unwrap());
    let mut recording = server.recorder();
    let steady = Playback { sound: tone(&dir), ..playback() };

    let playing = play(&server.speaker(), Playback { fade_in_s: 2, duration_s: Some(3), ..steady.clone() });
    recording.wait_for_sound();
    let fade = recording.slices(5, RATE * 2 / 5);
    assert!(fade.is_sorted_by(|quiet, loud| quiet < loud), "{fade:?}");
    assert!(fade[4] > 0.3, "{fade:?}");
    // A busy machine leaves gaps in what is recorded.
    let rest = recording.slices(6, RATE / 2);
    assert!(rest[0] > 0.3 && heard(&rest) <= 3 && rest[5] < SILENT, "it stops after 3 seconds: {rest:?}");
    drop(playing);

    let playing = play(&server.speaker(), Playback { plays_once: true, ..steady.clone() });
    recording.wait_for_sound();
    let once = recording.slices(6, RATE / 2);
    assert!(once[0] > 0.3 && heard(&once) <= 3 && once[5] < SILENT, "it plays once: {once:?}");
    drop(playing);

    let playing = play(&server.speaker(), steady);
    recording.wait_for_sound();
    let repeated = recording.slices(4, RATE / 2);
    assert!(repeated.iter().all(|loudness| *loudness > 0.3), "it repeats: {repeated:?}");
    drop(playing);
    let stopped = recording.slices(2, RATE / 2);
    assert!(stopped[1] < SILENT, "{stopped:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_file_is_the_chime_and_the_label_is_spoken_after_the_first_pass() {
    let server = SoundServer::start();
    let mut recording = server.recorder();
    let missing = Playback { sound: "/no/such/file.wav".into(), duration_s: Some(1), ..playback() };
    let playing = play(&server.speaker(), missing);
    recording.wait_for_sound();
    assert!(recording.slices(1, RATE / 2)[0] > 0.01);
    while recording.slices(1, RATE / 2)[0] > SILENT {}
    drop(playing);
    let spoken = Playback { duration_s: Some(0), speech: Some("Stand up now".into()), ..playback() };
    let playing = play(&server.speaker(), spoken);
    recording.wait_for_sound();
    assert!(recording.slices(1, RATE / 2)[0] > 0.005, "it speaks, and plays no sound");
    drop(playing);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_sound_server_the_problem_is_reported_once() {
    program("pacat", "pulseaudio-utils");
    let speaker = Speaker::default()
        .with_env("PULSE_SERVER", "unix:/no/such/socket")
        .with_env("PIPEWIRE_REMOTE", "/no/such/socket");
    let (report, reported) = mpsc::channel();
    let playing = speaker.play(playback(), Box::new(move |problem| report.send(problem).unwrap()));
    let first = tokio::task::spawn_blocking(move || (reported.recv(), reported.recv())).await.unwrap();
    assert_eq!(first.0, Ok(Problem::NoPlayer));
    assert!(first.1.is_err(), "once");
    drop(playing);
}
