//! The name under which a file is saved, from the name of a board, which may hold anything.

/// Characters of the name, without its ending.
const CHARS_MAX: usize = 100;

/// A `Content-Disposition` (RFC 6266): a name in ASCII for those that know nothing else, and the name itself (RFC 8187).
pub(super) fn disposition(board: &str, ending: &str) -> String {
    let name = format!("{}.{ending}", plain(board));
    let ascii: String = name.chars().map(|sign| if sign.is_ascii() && sign != '%' { sign } else { '_' }).collect();
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{}", encoded(&name))
}

/// The name without what folders, systems or the eye would take for something else.
fn plain(board: &str) -> String {
    let refused = |sign: char| {
        sign.is_control()
            || "/\\:*?\"<>|".contains(sign)
            // Invisible signs, and those that turn the direction of writing: a name must not hide its ending.
            || matches!(sign, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let kept: String = board.chars().map(|sign| if refused(sign) { '_' } else { sign }).take(CHARS_MAX).collect();
    let kept = kept.trim_matches(|sign: char| sign == '.' || sign.is_whitespace());
    let stem = kept.split('.').next().unwrap_or(kept).trim_end().to_ascii_uppercase();
    // Names of devices on Windows, whatever their ending.
    let device = matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL")
        || (["COM", "LPT"].iter().any(|d| stem.starts_with(d)) && stem.chars().count() == 4);
    if kept.is_empty() || device { format!("board {kept}").trim_end().to_owned() } else { kept.to_owned() }
}

fn encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte) {
            out.push(byte.into());
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_whatever_the_board_is_called() {
        let cases = [
            ("Plan", "attachment; filename=\"Plan.csv\"; filename*=UTF-8''Plan.csv"),
            ("Größe 5%", "attachment; filename=\"Gr__e 5_.csv\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%205%25.csv"),
            ("../a\"b\r\nX: y", "attachment; filename=\"_a_b__X_ y.csv\"; filename*=UTF-8''_a_b__X_%20y.csv"),
            ("con", "attachment; filename=\"board con.csv\"; filename*=UTF-8''board%20con.csv"),
            (" . ", "attachment; filename=\"board.csv\"; filename*=UTF-8''board.csv"),
            ("a\u{202e}vsc", "attachment; filename=\"a_vsc.csv\"; filename*=UTF-8''a_vsc.csv"),
        ];
        for (board, expected) in cases {
            assert_eq!(disposition(board, "csv"), expected);
        }
        assert_eq!(plain(&"x".repeat(300)).len(), CHARS_MAX);
    }
}
