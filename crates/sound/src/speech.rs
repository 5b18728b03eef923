//! Speech, through a program of the system.

use crate::Speaker;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

/// How long a program may speak.
const SPEAK_MAX: Duration = Duration::from_secs(20);
/// Maximum characters that are spoken.
const CHARS_MAX: usize = 200;

/// Programs that speak their input, and their arguments.
#[cfg(not(any(windows, target_os = "macos")))]
const PROGRAMS: &[(&str, &[&str])] =
    &[("spd-say", &["--wait", "--pipe-mode"]), ("espeak-ng", &["--stdin"]), ("espeak", &["--stdin"])];
#[cfg(target_os = "macos")]
const PROGRAMS: &[(&str, &[&str])] = &[("say", &["-f", "-"])];
#[cfg(windows)]
const PROGRAMS: &[(&str, &[&str])] = &[(
    "powershell",
    &[
        "-NoProfile",
        "-NonInteractive",
        "-Command",
        "Add-Type -AssemblyName System.Speech; \
         (New-Object System.Speech.Synthesis.SpeechSynthesizer).Speak([Console]::In.ReadToEnd())",
    ],
)];

/// Speaks a text with the first program that works. False if none does.
pub(crate) async fn speak(speaker: &Speaker, text: &str) -> bool {
    let text = speakable(text);
    for (program, args) in PROGRAMS {
        match timeout(SPEAK_MAX, run(speaker, program, args, &text)).await {
            Ok(Ok(())) => return true,
            // It spoke until then.
            Err(_) => return true,
            Ok(Err(error)) => tracing::debug!(error, "couldn't speak with {program}"),
        }
    }
    false
}

async fn run(speaker: &Speaker, program: &str, args: &[&str], text: &str) -> Result<(), String> {
    let mut child = speaker.command(program, args).spawn().map_err(|error| error.to_string())?;
    let mut input = child.stdin.take().ok_or("it has no input")?;
    input.write_all(format!("{text}\n").as_bytes()).await.map_err(|error| error.to_string())?;
    drop(input);
    let status = child.wait().await.map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}

/// The text as words and single punctuation marks: some programs fail with rows of marks, or take markup for commands.
fn speakable(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let is_mark = |c: char| matches!(c, '.' | ',' | '!' | '?' | ':' | ';');
    let mut spoken = String::new();
    for c in text.chars().take(CHARS_MAX) {
        if is_word(c) || is_mark(c) && spoken.ends_with(is_word) {
            spoken.push(c);
        } else if !spoken.is_empty() && !spoken.ends_with(' ') {
            spoken.push(' ');
        }
    }
    if spoken.contains(char::is_alphanumeric) { spoken.trim_end().to_owned() } else { "Alarm".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::speakable;

    #[test]
    fn only_words_and_single_marks_are_spoken() {
        for (text, spoken) in [
            ("Stand up, please!", "Stand up, please!"),
            ("Wait . . . what???", "Wait what?"),
            ("10:30: call Zoë’s office", "10:30: call Zoë’s office"),
            ("<speak>[[a]]\u{1b}`$(rm)`", "speak a rm"),
            ("!SET RATE", "SET RATE"),
            ("...", "Alarm"),
            ("", "Alarm"),
        ] {
            assert_eq!(speakable(text), spoken, "{text:?}");
        }
    }
}
