//! What the window remembers besides its size and place: `window.json` in the data directory.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Mutex;

/// The file's name.
const FILE: &str = "window.json";

/// What is remembered. A file that can't be read counts as none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Remembered {
    /// Size of everything in percent.
    pub zoom: u32,
    /// Whether the user was told that closing the window ends nothing.
    pub is_close_explained: bool,
    /// The global keys; an empty one is off.
    pub keys: Keys,
}

/// Global keys, such as `Ctrl+Alt+N`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Keys {
    /// Opens the next thing that needs the user.
    pub next: String,
    /// Opens the dialog that starts a session.
    pub prompt: String,
}

impl Default for Keys {
    fn default() -> Keys {
        Keys { next: "Ctrl+Alt+N".into(), prompt: "Ctrl+Alt+P".into() }
    }
}

impl Default for Remembered {
    fn default() -> Remembered {
        Remembered { zoom: 100, is_close_explained: false, keys: Keys::default() }
    }
}

/// The file with what it says.
pub struct Memory {
    path: PathBuf,
    remembered: Mutex<Remembered>,
}

impl Memory {
    /// Reads the file of a data directory.
    pub fn read(dir: &std::path::Path) -> Memory {
        let path = dir.join(FILE);
        let text = std::fs::read(&path).unwrap_or_default();
        let mut remembered: Remembered = serde_json::from_slice(&text).unwrap_or_default();
        remembered.zoom = remembered.zoom.clamp(ZOOM_MIN, ZOOM_MAX);
        Memory { path, remembered: Mutex::new(remembered) }
    }

    /// What is remembered now.
    pub fn get(&self) -> Remembered {
        self.remembered.lock().expect("no panic while held").clone()
    }

    /// Changes it. A disk that is full costs only the memory of it.
    pub fn change(&self, change: impl FnOnce(&mut Remembered)) {
        let mut remembered = self.remembered.lock().expect("no panic while held");
        change(&mut remembered);
        let text = serde_json::to_vec_pretty(&*remembered).expect("it serializes");
        let beside = self.path.with_extension("json.new");
        if let Err(error) = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, &self.path)) {
            eprintln!("pilothouse-desktop: Couldn't write {}: {error}", self.path.display());
        }
    }
}

/// The smallest size, in percent.
pub const ZOOM_MIN: u32 = 50;
/// The largest size.
pub const ZOOM_MAX: u32 = 300;
const STEPS: [u32; 13] = [50, 67, 75, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300];

/// The size after a step up or down, or the normal one.
pub fn zoomed(zoom: u32, step: &str) -> u32 {
    match step {
        "in" => STEPS.into_iter().find(|&one| one > zoom).unwrap_or(ZOOM_MAX),
        "out" => STEPS.into_iter().rev().find(|&one| one < zoom).unwrap_or(ZOOM_MIN),
        _ => 100,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zoom_has_steps_and_ends() {
        assert_eq!((zoomed(100, "in"), zoomed(100, "out"), zoomed(175, "reset")), (110, 90, 100));
        assert_eq!((zoomed(300, "in"), zoomed(50, "out"), zoomed(93, "in")), (300, 50, 100));
    }

    #[test]
    fn a_damaged_file_counts_as_none_and_is_written_anew() {
        let dir = std::env::temp_dir().join(format!("pilothouse-window-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join(FILE), "{").unwrap();
        let memory = Memory::read(&dir);
        assert_eq!(memory.get(), Remembered::default());
        memory.change(|it| it.zoom = 125);
        assert_eq!(Memory::read(&dir).get().zoom, 125);
        std::fs::write(dir.join(FILE), r#"{"zoom": 9000}"#).unwrap();
        assert_eq!(Memory::read(&dir).get().zoom, ZOOM_MAX);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
