//! Names of attachments: any text is turned into a name that is valid on every file system.

/// Maximum bytes of a name. File systems allow 255, and browsers may append to the name.
const NAME_BYTES_MAX: usize = 200;
/// Maximum bytes of an extension that is preserved when a name is truncated.
const ENDING_BYTES_MAX: usize = 20;
/// Default name of a file.
const UNNAMED: &str = "file";
/// Reserved device names on Windows, with any extension.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Sanitizes a name: takes the last part of a path, removes control and reserved characters, and limits the length.
/// Never fails.
pub(crate) fn tame(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or(sent);
    let signs = last.chars().filter(|c| !c.is_control() && !is_invisible(*c));
    let safe: String = signs.map(|c| if r#"<>:"|?*"#.contains(c) { '_' } else { c }).collect();
    // Windows leaves spaces and dots at the end out, and a file of another name would be saved.
    let mut name = cut(safe.trim()).trim_end_matches(|c: char| c == '.' || c.is_whitespace()).to_owned();
    if is_device(&name) {
        name.insert(0, '_');
    }
    if name.is_empty() { UNNAMED.to_owned() } else { name }
}

/// Characters that change the text direction or are invisible, which can disguise a file's name.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    let numbered = |kind: &str| {
        let number = stem.strip_prefix(kind).unwrap_or_default();
        number.chars().count() == 1 && number.chars().all(|c| matches!(c, '1'..='9' | '¹' | '²' | '³'))
    };
    DEVICES.contains(&stem.as_str()) || numbered("com") || numbered("lpt")
}

/// The name, shortened before its ending where it is too long.
fn cut(name: &str) -> String {
    if name.len() <= NAME_BYTES_MAX {
        return name.to_owned();
    }
    let ending = name.rfind('.').map_or("", |at| &name[at..]);
    let ending = if ending.len() <= ENDING_BYTES_MAX { ending } else { "" };
    let mut end = NAME_BYTES_MAX - ending.len();
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{ending}", name[..end].trim_end())
}

/// The media type of a file: the one sent if valid, otherwise derived from the extension.
pub(crate) fn media(said: Option<&str>, name: &str) -> String {
    let essence = said.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let token =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b));
    let is_type = essence.len() <= 127 && essence.split_once('/').is_some_and(|(kind, of)| token(kind) && token(of));
    if is_type && essence != ANY {
        return essence;
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase()).unwrap_or_default();
    ENDINGS.iter().find(|(known, _)| *known == ending).map_or(ANY, |(_, media)| media).to_owned()
}

/// Bytes of which nothing is known.
const ANY: &str = "application/octet-stream";
const ENDINGS: [(&str, &str); 14] = [
    ("csv", "text/csv"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("gif", "image/gif"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("txt", "text/plain"),
    ("webp", "image/webp"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("zip", "application/zip"),
];

/// The header that has a browser save the file under its name, however that is written (RFC 6266, RFC 8187).
pub(crate) fn disposition(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    let spaced = |c: char| c.is_ascii() && (plain(c as u8) || c == ' ');
    let fallback: String = name.chars().map(|c| if spaced(c) { c } else { '_' }).collect();
    let encoded: String =
        name.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect();
    format!("attachment; filename=\"{fallback}\"; filename*=UTF-8''{encoded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_made_one_that_can_be_saved() {
        for (sent, expected) in [
            ("Plan.pdf", "Plan.pdf"),
            ("Überblick 日本 🙂.txt", "Überblick 日本 🙂.txt"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\a\\report.doc", "report.doc"),
            ("a\0b\r\n\u{1b}[2J.txt", "ab[2J.txt"),
            ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
            ("a\u{200b}b\u{feff}.txt", "ab.txt"),
            ("a<b>:\"c|?*.txt", "a_b___c___.txt"),
            ("CON", "_CON"),
            ("nul.tar.gz", "_nul.tar.gz"),
            ("Com1 .txt", "_Com1 .txt"),
            ("com0", "com0"),
            ("console.log", "console.log"),
            ("  spaced. . ", "spaced"),
            ("...", "file"),
            ("", "file"),
            ("folder/", "file"),
            (".env", ".env"),
        ] {
            assert_eq!(tame(sent), expected, "{sent:?}");
        }
        let long = tame(&format!("{}.pdf", "é".repeat(300)));
        assert!(long.len() <= NAME_BYTES_MAX && long.ends_with("é.pdf"), "{long}");
        let no_ending = tame(&"x".repeat(300));
        assert_eq!(no_ending.len(), NAME_BYTES_MAX);
        // What the rule made, it leaves alone.
        for sent in ["CON", " a.b. ", "a:b", &"é.".repeat(300)] {
            assert_eq!(tame(&tame(sent)), tame(sent), "{sent:?}");
        }
    }

    #[test]
    fn a_type_is_one_or_is_told_by_the_ending() {
        for (said, name, expected) in [
            (Some("Text/Plain; charset=utf-8"), "a.pdf", "text/plain"),
            (Some("application/octet-stream"), "a.PDF", "application/pdf"),
            (Some("*/*"), "a.bin", ANY),
            (Some("text/html\" onload"), "a", ANY),
            (None, "notes.md", "text/markdown"),
            (None, "md", ANY),
        ] {
            assert_eq!(media(said, name), expected, "{said:?} {name}");
        }
    }

    #[test]
    fn the_header_holds_any_name() {
        assert_eq!(disposition("a b.txt"), "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt");
        assert_eq!(
            disposition("\"é;\\\r\n.txt"),
            "attachment; filename=\"______.txt\"; filename*=UTF-8''%22%C3%A9%3B%5C%0D%0A.txt"
        );
    }
}
