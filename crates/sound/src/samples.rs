//! Sounds as samples: built-in ones, made here, and WAV files.

use std::f32::consts::TAU;
use std::path::Path;

/// Samples of one second.
pub const RATE: u32 = 44_100;
/// Largest file that is read, in bytes.
pub const FILE_BYTES_MAX: u64 = 50 * 1024 * 1024;

/// The names of the built-in sounds; the first replaces what can't be read.
pub const BUILT_IN: [&str; 4] = ["chime", "bell", "beep", "marimba"];

/// One channel of a sound, from -1 to 1, at [`RATE`].
#[derive(Debug, Clone, PartialEq)]
pub struct Samples(pub Vec<f32>);

impl Samples {
    /// A built-in sound, or the WAV file at an absolute path. The chime if that can't be read, which is logged.
    pub fn load(sound: &str) -> Samples {
        match built_in(sound).map_or_else(|| file(Path::new(sound)), Ok) {
            Ok(samples) => samples,
            Err(error) => {
                tracing::warn!(sound, error, "couldn't read the sound; playing the chime");
                chime()
            }
        }
    }
}

fn built_in(name: &str) -> Option<Samples> {
    match name {
        "chime" => Some(chime()),
        "bell" => {
            Some(notes(&[(0.0, 587.33)], 2.4, &[(1.0, 1.0), (2.0, 0.6), (2.4, 0.4), (3.0, 0.25), (4.5, 0.2)], 1.6))
        }
        "beep" => Some(beep()),
        "marimba" => {
            let melody = [(0.0, 523.25), (0.18, 659.26), (0.36, 783.99), (0.54, 1046.5), (0.9, 783.99), (1.08, 1046.5)];
            Some(notes(&melody, 2.0, &[(1.0, 1.0), (3.9, 0.25)], 7.0))
        }
        _ => None,
    }
}

fn chime() -> Samples {
    notes(&[(0.0, 880.0), (0.35, 659.26), (0.7, 987.77)], 2.2, &[(1.0, 1.0), (2.0, 0.3), (3.0, 0.1)], 2.5)
}

/// Notes (seconds, hertz) that fade by `decay` per second, each with overtones (factor, share).
fn notes(notes: &[(f32, f32)], seconds: f32, overtones: &[(f32, f32)], decay: f32) -> Samples {
    let mut samples = vec![0.0; (seconds * RATE as f32) as usize];
    for (start_s, hertz) in notes {
        let start = (start_s * RATE as f32) as usize;
        for (index, sample) in samples.iter_mut().skip(start).enumerate() {
            let at_s = index as f32 / RATE as f32;
            // Some milliseconds of attack, so that no note clicks.
            let attack = (at_s / 0.005).min(1.0);
            let tone: f32 = overtones.iter().map(|(factor, share)| share * (TAU * hertz * factor * at_s).sin()).sum();
            *sample += tone * attack * (-decay * at_s).exp();
        }
    }
    normalized(samples)
}

fn beep() -> Samples {
    let (on_s, period_s, beeps, seconds) = (0.12, 0.2, 4, 1.6_f32);
    let sample = |index: usize| {
        let at_s = index as f32 / RATE as f32;
        let (beep, within_s) = ((at_s / period_s) as usize, at_s % period_s);
        let edge = (within_s.min(on_s - within_s) / 0.004).clamp(0.0, 1.0);
        if beep < beeps { (TAU * 1_000.0 * at_s).sin() * edge } else { 0.0 }
    };
    normalized((0..(seconds * RATE as f32) as usize).map(sample).collect())
}

/// As loud as it may be without distortion, with some room. Its last milliseconds fade out.
fn normalized(mut samples: Vec<f32>) -> Samples {
    let peak = samples.iter().fold(f32::EPSILON, |peak, sample| peak.max(sample.abs()));
    let fade = RATE as usize / 50;
    let count = samples.len();
    for (index, sample) in samples.iter_mut().enumerate() {
        *sample *= 0.8 / peak * ((count - index) as f32 / fade as f32).min(1.0);
    }
    Samples(samples)
}

fn file(path: &Path) -> Result<Samples, String> {
    if !path.is_absolute() {
        return Err("it's no built-in sound and no absolute path".into());
    }
    let about = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it isn't a file".into());
    }
    if about.len() > FILE_BYTES_MAX {
        return Err("the file is over 50 MB".into());
    }
    wav(&std::fs::read(path).map_err(|error| error.to_string())?)
}

/// What the `fmt ` chunk of a WAV file says.
struct Format {
    is_float: bool,
    channels: usize,
    rate: u32,
    bytes: usize,
}

/// Reads a WAV file: whole numbers of 8 to 32 bits, or floats of 32 bits. Several channels become one.
pub(crate) fn wav(bytes: &[u8]) -> Result<Samples, String> {
    let is_wav = bytes.len() >= 12 && &bytes[..4] == b"RIFF" && &bytes[8..12] == b"WAVE";
    if !is_wav {
        return Err("it isn't a WAV file".into());
    }
    let (mut rest, mut format) = (&bytes[12..], None);
    while let Some((header, after)) = rest.split_first_chunk::<8>() {
        let stated = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        // Recorders that were stopped leave a length that is too long.
        let (chunk, left) = after.split_at(stated.min(after.len()));
        match &header[..4] {
            b"fmt " => format = Some(format_of(chunk)?),
            b"data" => return samples_of(&format.ok_or("it has no format")?, chunk),
            _ => {}
        }
        rest = left.get(stated % 2..).unwrap_or_default();
    }
    Err("it has no sound".into())
}

fn format_of(chunk: &[u8]) -> Result<Format, String> {
    let number = |at: usize| chunk.get(at..at + 2).map(|two| u16::from_le_bytes([two[0], two[1]]));
    let read = || {
        // An extensible format has its kind further on.
        let kind = if number(0)? == 0xfffe { number(24)? } else { number(0)? };
        let rate = u32::from(number(4)?) | u32::from(number(6)?) << 16;
        Some((kind, number(2)?, rate, number(14)?))
    };
    match read() {
        Some((kind @ (1 | 3), channels @ 1..=8, rate @ 4_000..=192_000, bits @ (8 | 16 | 24 | 32)))
            if kind == 1 || bits == 32 =>
        {
            Ok(Format { is_float: kind == 3, channels: channels.into(), rate, bytes: usize::from(bits) / 8 })
        }
        _ => Err("its format isn't supported; use PCM".into()),
    }
}

fn samples_of(format: &Format, data: &[u8]) -> Result<Samples, String> {
    let one = |bytes: &[u8]| match (format.is_float, bytes) {
        (true, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
        (_, &[a]) => (f32::from(a) - 128.0) / 128.0,
        (_, &[a, b]) => f32::from(i16::from_le_bytes([a, b])) / 32_768.0,
        (_, &[a, b, c]) => i32::from_le_bytes([0, a, b, c]) as f32 / 2_147_483_648.0,
        (_, &[a, b, c, d]) => i32::from_le_bytes([a, b, c, d]) as f32 / 2_147_483_648.0,
        _ => 0.0,
    };
    let frames = data.chunks_exact(format.bytes * format.channels);
    let mono: Vec<f32> = frames
        .map(|frame| {
            let sum: f32 = frame.chunks_exact(format.bytes).map(one).sum();
            let mean = sum / format.channels as f32;
            if mean.is_finite() { mean.clamp(-1.0, 1.0) } else { 0.0 }
        })
        .collect();
    if mono.is_empty() {
        return Err("it has no sound".into());
    }
    Ok(Samples(resampled(mono, format.rate)))
}

/// The header and samples of a WAV file of one channel at [`RATE`].
#[cfg(any(windows, target_os = "macos", test))]
pub(crate) fn wav_file(samples: &[i16]) -> Vec<u8> {
    let data: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    let length = data.len() as u32;
    let mut file = b"RIFF".to_vec();
    file.extend((36 + length).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend(RATE.to_le_bytes());
    file.extend((RATE * 2).to_le_bytes());
    file.extend(b"\x02\0\x10\0data");
    file.extend(length.to_le_bytes());
    file.extend(data);
    file
}

/// At [`RATE`], by straight lines between samples.
fn resampled(samples: Vec<f32>, rate: u32) -> Vec<f32> {
    if rate == RATE {
        return samples;
    }
    let step = f64::from(rate) / f64::from(RATE);
    let count = (samples.len() as f64 / step) as usize;
    let at = |index: usize| samples[index.min(samples.len() - 1)];
    let sample = |index: usize| {
        let place = index as f64 * step;
        let (before, share) = (place as usize, place.fract() as f32);
        at(before) * (1.0 - share) + at(before + 1) * share
    };
    (0..count.max(1)).map(sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A WAV file of one format.
    fn file_of(kind: u16, channels: u16, rate: u32, bits: u16, data: &[u8]) -> Vec<u8> {
        let frame = channels * bits / 8;
        let mut file = b"RIFF\0\0\0\0WAVELIST\x03\0\0\0abc\0fmt \x10\0\0\0".to_vec();
        file.extend(kind.to_le_bytes());
        file.extend(channels.to_le_bytes());
        file.extend(rate.to_le_bytes());
        file.extend((rate * u32::from(frame)).to_le_bytes());
        file.extend(frame.to_le_bytes());
        file.extend(bits.to_le_bytes());
        file.extend(b"data");
        file.extend((data.len() as u32).to_le_bytes());
        file.extend(data);
        file
    }

    #[test]
    fn wav_files_of_each_format_are_read() {
        let half = Samples(vec![0.5, -0.5]);
        for (kind, channels, bits, data) in [
            (1, 1, 8, vec![192, 64]),
            (1, 1, 16, vec![0, 0x40, 0, 0xc0]),
            (1, 2, 16, vec![0, 0x40, 0, 0x40, 0, 0, 0, 0x80]),
            (1, 1, 24, vec![0, 0, 0x40, 0, 0, 0xc0]),
            (1, 1, 32, vec![0, 0, 0, 0x40, 0, 0, 0, 0xc0]),
            (3, 1, 32, [0.5_f32.to_le_bytes(), (-0.5_f32).to_le_bytes()].concat()),
        ] {
            assert_eq!(wav(&file_of(kind, channels, RATE, bits, &data)).unwrap(), half, "{kind} {channels} {bits}");
        }
        assert_eq!(wav(&wav_file(&[0x4000, -0x4000])).unwrap(), half);
        let slow = wav(&file_of(1, 1, RATE / 2, 8, &[128, 192])).unwrap();
        assert_eq!(slow.0, [0.0, 0.25, 0.5, 0.5]);
    }

    #[test]
    fn what_cannot_be_read_is_the_chime() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let write = |name: &str, bytes: &[u8]| {
            std::fs::write(dir.join(name), bytes).unwrap();
            dir.join(name).to_str().unwrap().to_owned()
        };
        let huge = write("huge.wav", b"RIFF");
        std::fs::File::options().write(true).open(&huge).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
        let good = write("good.wav", &file_of(1, 1, RATE, 8, &[192, 64]));
        assert_eq!(Samples::load(&good).0, [0.5, -0.5]);
        for sound in [
            "no-such-sound".to_owned(),
            dir.join("missing.wav").to_str().unwrap().to_owned(),
            dir.to_str().unwrap().to_owned(),
            write("text.wav", b"hello"),
            write("cut.wav", &file_of(1, 1, RATE, 16, &[])),
            write("odd.wav", &file_of(2, 1, RATE, 4, &[0; 8])),
            huge,
        ] {
            assert_eq!(Samples::load(&sound), Samples::load("chime"), "{sound}");
        }
    }

    #[test]
    fn built_in_sounds_differ_and_are_audible_without_distortion() {
        let all = BUILT_IN.map(Samples::load);
        for (index, one) in all.iter().enumerate() {
            let peak = one.0.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
            assert!((0.6..=0.81).contains(&peak), "{}: {peak}", BUILT_IN[index]);
            assert!(all.iter().skip(index + 1).all(|other| other != one));
        }
    }
}
