//! Meeting rooms: saved links of video calls, opened from a palette.
//!
//! Invariants: turning the setting off changes no room; only the user joins, because a call can turn the camera on.
//! Deliberately not here: order, addresses, and restoring, which are `crates/links`.

mod ops;
mod record;
mod settings;

use kit::Feature;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        errors: &[errors::CODES],
        ops: ops::ops(),
        groups: &[("rooms", "Meeting rooms: saved links of video calls")],
        ..Feature::named("meeting-rooms")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        ROOMS_DISABLED = 403 "rooms-disabled" "Meeting rooms are off" : "The setting meetingRoomsEnabled is off. Turn it on to add and join rooms.";
    }
}

#[cfg(test)]
mod tests;
