//! Reads an item's cells as stored (`{"c1":"text","c2":4}`) without building anything: both forms of a board read every row.
//!
//! Invariant: it reads only what this crate wrote, which is compact JSON with column ids as members; anything else is `None`.

/// One value as stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Raw<'a> {
    /// Text between the quotes; the flag says whether it has escapes.
    Text(&'a str, bool),
    /// An array, with its brackets.
    List(&'a str),
    /// An object, with its braces.
    Object(&'a str),
    /// A number, `true` or `false`.
    Plain(&'a str),
}

/// Hands every member to `take`: the number in its column id (`c12` gives 12), and its value.
pub(crate) fn members<'a>(json: &'a str, mut take: impl FnMut(usize, Raw<'a>) -> Option<()>) -> Option<()> {
    let bytes = json.as_bytes();
    if bytes == b"{}" {
        return Some(());
    }
    let mut at = 1;
    if bytes.first() != Some(&b'{') {
        return None;
    }
    loop {
        if bytes.get(at..at + 2)? != b"\"c" {
            return None;
        }
        at += 2;
        let mut number = 0usize;
        loop {
            match *bytes.get(at)? {
                digit @ b'0'..=b'9' if number < 100_000_000 => number = number * 10 + (digit - b'0') as usize,
                b'"' => break,
                _ => return None,
            }
            at += 1;
        }
        if *bytes.get(at + 1)? != b':' {
            return None;
        }
        at += 2;
        let start = at;
        let value = match bytes.get(at)? {
            b'"' => {
                let (end, escaped) = text_end(bytes, at + 1)?;
                at = end + 1;
                Raw::Text(&json[start + 1..end], escaped)
            }
            b'[' => {
                at = list_end(bytes, at)?;
                Raw::List(&json[start..at])
            }
            b'{' => {
                at = object_end(bytes, at)?;
                Raw::Object(&json[start..at])
            }
            _ => {
                while !matches!(*bytes.get(at)?, b',' | b'}') {
                    at += 1;
                }
                Raw::Plain(&json[start..at])
            }
        };
        take(number, value)?;
        match bytes.get(at)? {
            b',' => at += 1,
            b'}' if at + 1 == bytes.len() => return Some(()),
            _ => return None,
        }
    }
}

/// An item's record as stored.
#[derive(Debug, PartialEq)]
pub(crate) struct Record<'a> {
    pub(crate) id: &'a str,
    pub(crate) group_id: &'a str,
    /// The name; the flag says whether it has escapes.
    pub(crate) name: (&'a str, bool),
    pub(crate) created_at: &'a str,
    pub(crate) updated_at: &'a str,
    /// The creator; omitted for the owner.
    pub(crate) created_by: Option<&'a str>,
    /// The last editor; omitted for the owner.
    pub(crate) updated_by: Option<&'a str>,
    /// The item that it is a subitem of.
    pub(crate) parent_id: Option<&'a str>,
    /// The cells, with their braces.
    pub(crate) cells: &'a str,
}

/// Splits a record into its members, which have a fixed order.
pub(crate) fn record(json: &str) -> Option<Record<'_>> {
    let mut rest = json;
    let mut text = |before: &str| {
        let (end, escaped) = text_end(rest.strip_prefix(before)?.as_bytes(), 0)?;
        let value = &rest[before.len()..before.len() + end];
        rest = &rest[before.len() + end..];
        Some((value, escaped))
    };
    let (id, _) = text("{\"id\":\"")?;
    let (group_id, _) = text("\",\"groupId\":\"")?;
    let name = text("\",\"name\":\"")?;
    let (created_at, _) = text("\",\"createdAt\":\"")?;
    let (updated_at, _) = text("\",\"updatedAt\":\"")?;
    // Most have none of these three, which `text` leaves as if nothing had been asked.
    let created_by = text("\",\"createdBy\":\"").map(|(by, _)| by);
    let updated_by = text("\",\"updatedBy\":\"").map(|(by, _)| by);
    let parent_id = text("\",\"parentId\":\"").map(|(id, _)| id);
    let cells = rest.strip_prefix("\",\"cells\":")?.strip_suffix('}')?;
    Some(Record { id, group_id, name, created_at, updated_at, created_by, updated_by, parent_id, cells })
}

/// The record of a new item, made by a caller at a moment; `cells` is a JSON object.
pub(crate) fn write_record(id: &str, group_id: &str, name: &str, now: &str, by: Option<&str>, cells: &[u8]) -> String {
    let mut out = Vec::with_capacity(150 + name.len() + cells.len());
    for (before, value) in [
        ("{\"id\":", id),
        (",\"groupId\":", group_id),
        (",\"name\":", name),
        (",\"createdAt\":", now),
        (",\"updatedAt\":", now),
    ] {
        out.extend_from_slice(before.as_bytes());
        write_text(value, &mut out);
    }
    for before in [",\"createdBy\":", ",\"updatedBy\":"] {
        if let Some(by) = by {
            out.extend_from_slice(before.as_bytes());
            write_text(by, &mut out);
        }
    }
    out.extend_from_slice(b",\"cells\":");
    out.extend_from_slice(cells);
    out.push(b'}');
    String::from_utf8(out).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Index of the closing quote, and whether an escape precedes it. Reads eight bytes at a time, because most of a row is
/// text.
fn text_end(bytes: &[u8], mut at: usize) -> Option<(usize, bool)> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let has = |word: u64, byte: u8| {
        let zero_where_equal = word ^ (ONES * u64::from(byte));
        zero_where_equal.wrapping_sub(ONES) & !zero_where_equal & (ONES << 7)
    };
    let mut escaped = false;
    loop {
        while let Some(chunk) = bytes.get(at..at + 8) {
            let word = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
            let found = has(word, b'"') | has(word, b'\\');
            if found != 0 {
                at += found.trailing_zeros() as usize / 8;
                break;
            }
            at += 8;
        }
        match *bytes.get(at)? {
            b'"' => return Some((at, escaped)),
            b'\\' => {
                escaped = true;
                at += 2;
            }
            _ => at += 1,
        }
    }
}

/// One past the closing bracket of a list of texts.
pub(crate) fn list_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match *bytes.get(at)? {
            b'"' => at = text_end(bytes, at + 1)?.0 + 1,
            b']' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// One past the closing brace of an object.
fn object_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0;
    loop {
        match *bytes.get(at)? {
            b'"' => {
                at = text_end(bytes, at + 1)?.0 + 1;
                continue;
            }
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The first and the last day of a span of days as stored.
pub(crate) fn span(object: &str) -> Option<(&str, &str)> {
    object.strip_prefix("{\"from\":\"")?.strip_suffix("\"}")?.split_once("\",\"to\":\"")
}

/// A number as stored; short ones, which nearly all are, without the general parser and to the same value.
pub(crate) fn number(text: &str) -> Option<f64> {
    const EXACT: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    if digits.is_empty() || digits.len() > 16 {
        return text.parse().ok();
    }
    let (mut mantissa, mut decimals, mut after_point) = (0u64, 0usize, false);
    for byte in digits.bytes() {
        match byte {
            b'0'..=b'9' => {
                mantissa = mantissa * 10 + u64::from(byte - b'0');
                decimals += usize::from(after_point);
            }
            b'.' if !after_point => after_point = true,
            _ => return text.parse().ok(),
        }
    }
    // At most 16 digits may pass 2^53; both operands of the division must be exact for its result to be the nearest.
    if mantissa > 1 << 53 || decimals > 15 {
        return text.parse().ok();
    }
    let value = mantissa as f64 / EXACT[decimals];
    Some(if negative { -value } else { value })
}

/// A text as stored, with its escapes resolved into `scratch` where it has any.
pub(crate) fn unescape<'a>(raw: &'a str, escaped: bool, scratch: &'a mut String) -> Option<&'a str> {
    if !escaped {
        return Some(raw);
    }
    *scratch = serde_json::from_str(&format!("\"{raw}\"")).ok()?;
    Some(scratch)
}

/// Appends a text as a JSON string.
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    let plain = text.bytes().all(|b| b >= 0x20 && b != b'"' && b != b'\\');
    if plain {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
    } else {
        serde_json::to_writer(out, text).expect("a text serializes into memory");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_general_parser() {
        for text in [
            "0",
            "-0",
            "7",
            "-12.5",
            "0.1",
            "1234567.89",
            "9007199254740993",
            "1e3",
            "0.30000000000000004",
            "123456789012345678",
        ] {
            let general: f64 = text.parse().unwrap();
            assert_eq!(number(text).map(f64::to_bits), Some(general.to_bits()), "{text}");
        }
        assert_eq!(number(""), None);
    }

    #[test]
    fn records_are_taken_apart_as_they_were_written() {
        let cells = r#"{"c1":"x"}"#;
        let now = "2026-03-01T12:00:00.000Z";
        let json = write_record("i1", "g2", "A \"b\"\n", now, None, cells.as_bytes());
        let name = (r#"A \"b\"\n"#, true);
        let plain = Record {
            id: "i1",
            group_id: "g2",
            name,
            created_at: now,
            updated_at: now,
            created_by: None,
            updated_by: None,
            parent_id: None,
            cells,
        };
        assert_eq!(record(&json).as_ref(), Some(&plain));
        let by_session = write_record("i1", "g2", "A \"b\"\n", now, Some("agent"), cells.as_bytes());
        let (created_by, updated_by) = (Some("agent"), Some("agent"));
        assert_eq!(record(&by_session), Some(Record { created_by, updated_by, ..plain }));
        let parsed: crate::item::Record = serde_json::from_str(&by_session).unwrap();
        assert_eq!(serde_json::to_string(&parsed).unwrap(), by_session);
        let parsed: crate::item::Record = serde_json::from_str(&json).unwrap();
        assert_eq!(parsed.name, "A \"b\"\n");
        assert_eq!(serde_json::to_string(&parsed).unwrap(), json);
        for broken in ["", "{}", &json[..json.len() - 20], &json.replace("groupId", "group")] {
            assert_eq!(record(broken), None, "{broken}");
        }
    }

    #[test]
    fn a_span_is_read_as_it_was_written() {
        let written = serde_json::json!({"to": "2026-01-16", "from": "2026-01-05"}).to_string();
        assert_eq!(span(&written), Some(("2026-01-05", "2026-01-16")));
        assert_eq!(span("{}"), None);
    }

    #[test]
    fn members_are_read_or_refused() {
        let mut seen = Vec::new();
        let json = r#"{"c1":"a\"}","c12":["x","]"],"c3":-4.5,"c4":true,"c5":{"a":"}\"","b":{}}}"#;
        members(json, |number, raw| {
            seen.push((number, raw));
            Some(())
        })
        .unwrap();
        let expected = [
            (1, Raw::Text("a\\\"}", true)),
            (12, Raw::List(r#"["x","]"]"#)),
            (3, Raw::Plain("-4.5")),
            (4, Raw::Plain("true")),
            (5, Raw::Object(r#"{"a":"}\"","b":{}}"#)),
        ];
        assert_eq!(seen, expected);
        for broken in
            ["", "[", "{", r#"{"c1"}"#, r#"{"x":1}"#, r#"{"c1":"a"#, r#"{"c1":1}x"#, r#"{"c1":[1"#, r#"{"c1":{"a":1}"#]
        {
            assert_eq!(members(broken, |_, _| Some(())), None, "{broken}");
        }
    }
}
