//! An alarm of the whole program is heard on a sound server, and silent once it's dismissed.
#![cfg(target_os = "linux")]

use super::program;
use serde_json::json;
use sound::testing::{RATE, SoundServer};
use std::sync::Arc;

const SILENT: f64 = 0.001;

#[tokio::test(flavor = "multi_thread")]
async fn an_alarm_that_rings_reaches_the_sound_server_until_it_is_dismissed() {
    let (server, program) = (SoundServer::start(), program().await);
    alarms::play_with(&program.ctx, Arc::new(server.speaker())).await.expect("it plays");
    let mut recording = server.recorder();
    let input = json!({
        "time": "12:30", "timeZone": "UTC", "sound": "beep", "soundFadeInSeconds": 0, "soundDurationSeconds": -1,
        "soundPlayMode": "loop", "speakLabel": false,
    });
    let alarm = program.owner("alarms.create", input).await.expect("an alarm");
    assert!(recording.slices(1, RATE / 2)[0] < SILENT, "it isn't time yet");
    // The clock of tests begins at noon.
    program.clock.advance_ms(30 * 60_000);
    program.fire_timers().await;
    let rings = program.owner("alarms.get", json!({"alarmId": alarm["id"]})).await.expect("the alarm");
    assert_eq!(rings["state"], "ringing");
    recording.wait_for_sound();
    // Beeps with pauses, again and again.
    assert!(recording.slices(4, RATE * 2).iter().all(|loudness| *loudness > 0.01));
    program.owner("alarms.dismiss", json!({"alarmId": alarm["id"]})).await.expect("it's dismissed");
    let stopped = recording.slices(3, RATE / 2);
    assert!(stopped[2] < SILENT, "{stopped:?}");
}
