//! A sound server for tests, and what it gets. Linux only.

use crate::Speaker;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Samples of a second of the recording.
pub const RATE: usize = 8_000;

/// A sound server of its own, with a sink without a loudspeaker.
pub struct SoundServer {
    _dir: TempDir,
    address: String,
    daemon: Child,
}

impl Drop for SoundServer {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// A program of a Debian package; panics with the package's name if it isn't installed.
pub fn program(name: &str, package: &str) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_installed = std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    assert!(is_installed, "this test needs {name}: `apt-get install {package}`");
    Command::new(name)
}

impl SoundServer {
    /// Starts it.
    pub fn start() -> SoundServer {
        program("pacat", "pulseaudio-utils");
        program("espeak-ng", "espeak-ng");
        let dir = tempfile::tempdir().expect("it works");
        let socket = dir.path().join("native");
        let mut command = program("pulseaudio", "pulseaudio");
        command.args(["-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--disable-shm=yes"]);
        command.args(["-L", "module-null-sink sink_name=nul rate=8000 channels=1"]);
        command.arg("-L").arg(format!("module-native-protocol-unix auth-anonymous=1 socket={}", socket.display()));
        for name in ["HOME", "XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_STATE_PATH"] {
            command.env(name, dir.path());
        }
        let daemon = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it works");
        let mut server = SoundServer { address: format!("unix:{}", socket.display()), _dir: dir, daemon };
        while std::os::unix::net::UnixStream::connect(&socket).is_err() {
            assert!(server.daemon.try_wait().expect("it works").is_none(), "the sound server ended");
            std::thread::yield_now();
        }
        server
    }

    /// Plays on it.
    pub fn speaker(&self) -> Speaker {
        Speaker::default().with_env("PULSE_SERVER", &self.address)
    }

    /// Records from it.
    pub fn recorder(&self) -> Recording {
        let mut command = program("parec", "pulseaudio-utils");
        command.args([
            "-d",
            "nul.monitor",
            "--raw",
            "--format=s16le",
            "--rate=8000",
            "--channels=1",
            "--latency-msec=50",
        ]);
        let mut parec = command.env("PULSE_SERVER", &self.address).stdout(Stdio::piped()).spawn().expect("it works");
        let output = parec.stdout.take().expect("it works");
        let mut recording = Recording { parec, output };
        // It records from here on.
        recording.slices(1, RATE / 20);
        recording
    }
}

/// A recording under way.
pub struct Recording {
    parec: Child,
    output: std::process::ChildStdout,
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = self.parec.kill();
        let _ = self.parec.wait();
    }
}

impl Recording {
    /// The loudness (RMS, 0 to 1) of the next slices of so many samples.
    pub fn slices(&mut self, count: usize, samples: usize) -> Vec<f64> {
        let mut bytes = vec![0; samples * 2];
        let mut slice = || {
            self.output.read_exact(&mut bytes).expect("the recording goes on");
            let squares = bytes.chunks_exact(2).map(|two| f64::from(i16::from_le_bytes([two[0], two[1]])) / 32_768.0);
            (squares.map(|sample| sample * sample).sum::<f64>() / samples as f64).sqrt()
        };
        (0..count).map(|_| slice()).collect()
    }

    /// Reads on until something is heard; its first slice of 50 ms.
    pub fn wait_for_sound(&mut self) {
        while self.slices(1, RATE / 20)[0] < 0.001 {}
    }
}
