//! The tray's icon: a ship's wheel, drawn for the sizes that trays ask for.

/// An image: width and height in pixels, and ARGB in network byte order.
pub(crate) struct Image {
    pub(crate) side: i32,
    pub(crate) argb: Vec<u8>,
}

/// Sides in pixels.
const SIDES: [i32; 3] = [22, 44, 64];
/// Samples per pixel and axis, for smooth edges.
const SAMPLES: i32 = 4;
const WHEEL: [u8; 3] = [0x6b, 0x8a, 0xf5];
const BADGE: [u8; 3] = [0xe5, 0x48, 0x4d];

/// The icon, with a dot if something needs the user.
pub(crate) fn images(needs_you: bool) -> Vec<Image> {
    SIDES.iter().map(|&side| image(side, needs_you)).collect()
}

fn image(side: i32, needs_you: bool) -> Image {
    let mut argb = Vec::with_capacity((side * side * 4) as usize);
    for y in 0..side {
        for x in 0..side {
            let (mut wheel, mut badge) = (0, 0);
            for sample in 0..SAMPLES * SAMPLES {
                let at = |pixel: i32, part: i32| {
                    (f64::from(pixel) + (f64::from(part) + 0.5) / f64::from(SAMPLES)) / f64::from(side)
                };
                let (u, v) = (at(x, sample % SAMPLES), at(y, sample / SAMPLES));
                if needs_you && is_in_badge(u, v) {
                    badge += 1;
                } else if is_in_wheel(u, v) {
                    wheel += 1;
                }
            }
            let alpha = (wheel + badge) * 255 / (SAMPLES * SAMPLES);
            argb.push(alpha as u8);
            argb.extend(if badge > wheel { BADGE } else { WHEEL });
        }
    }
    Image { side, argb }
}

fn is_in_badge(u: f64, v: f64) -> bool {
    (u - 0.76).hypot(v - 0.24) < 0.22
}

fn is_in_wheel(u: f64, v: f64) -> bool {
    let (x, y) = (u - 0.5, v - 0.5);
    let distance = x.hypot(y);
    let is_in_rim = (0.26..0.36).contains(&distance);
    let is_in_hub = distance < 0.1;
    // Eight spokes, each seen from the nearest multiple of an eighth of a turn.
    let eighth = std::f64::consts::FRAC_PI_4;
    let angle = y.atan2(x);
    let off = angle - (angle / eighth).round() * eighth;
    let is_in_spoke = distance < 0.48 && (distance * off.sin()).abs() < 0.035;
    is_in_rim || is_in_hub || is_in_spoke
}
