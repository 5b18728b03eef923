//! Global keys: `Ctrl+Alt+N` for the next thing that needs the user, `Ctrl+Alt+P` for a quick prompt.

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressed {
    Next,
    Prompt,
}

/// Why there are none here; `None` if there are.
pub fn problem() -> Option<String> {
    if cfg!(target_os = "linux") && crate::window::is_wayland() {
        return Some("Global keys need an X11 desktop: this one uses Wayland.".into());
    }
    if cfg!(not(target_os = "linux")) {
        return Some("Global keys are only available on Linux.".into());
    }
    None
}

/// Follows the keys as long as what is returned lives.
#[cfg(target_os = "linux")]
pub fn follow(
    keys: &crate::memory::Keys,
    pressed: impl Fn(Pressed) + Send + Sync + 'static,
) -> Option<global_hotkey::GlobalHotKeyManager> {
    use global_hotkey::hotkey::HotKey;
    use global_hotkey::{GlobalHotKeyEvent, GlobalHotKeyManager, HotKeyState};
    if problem().is_some() {
        return None;
    }
    let manager = GlobalHotKeyManager::new().map_err(|e| eprintln!("pilothouse-desktop: No global keys: {e}")).ok()?;
    let mut known = Vec::new();
    for (text, what) in [(&keys.next, Pressed::Next), (&keys.prompt, Pressed::Prompt)] {
        if text.is_empty() {
            continue;
        }
        let outcome = text.parse::<HotKey>().map_err(|e| e.to_string());
        match outcome.and_then(|key| manager.register(key).map(|()| key).map_err(|e| e.to_string())) {
            Ok(key) => known.push((key.id(), what)),
            Err(error) => eprintln!("pilothouse-desktop: The global key {text} can't be used: {error}"),
        }
    }
    GlobalHotKeyEvent::set_event_handler(Some(move |event: GlobalHotKeyEvent| {
        if event.state == HotKeyState::Pressed
            && let Some((_, what)) = known.iter().find(|(id, _)| *id == event.id)
        {
            pressed(*what);
        }
    }));
    Some(manager)
}
