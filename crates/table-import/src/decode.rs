//! From the bytes of a file to UTF-8 text with plain line ends: which encoding it is in, and a reader that decodes.

use crate::dialect::Straight;
use crate::errors::EMPTY_FILE;
use crate::fault;
use crate::strange;
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};
use kit::error::{self, Result, invalid};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes that a guess of a legacy encoding looks at, around the first that is not UTF-8.
const GUESS_BYTES: usize = 4 * 1024 * 1024;
/// Bytes of one row; more mostly means a quote that never closes.
pub const ROW_BYTES_MAX: usize = 16 * 1024 * 1024;
const CHUNK_BYTES: usize = 64 * 1024;
/// Valid non-ASCII characters required per invalid sequence in a file read as UTF-8.
const GOOD_PER_BAD: u64 = 2;
/// Places that are not UTF-8 after which a file that has few others is looked through no further.
const BAD_PLACES_MAX: u64 = 10_000;

/// A failure to read the spooled file.
pub fn unreadable(e: io::Error) -> kit::Error {
    error::INTERNAL.error("Couldn't read the received file. Nothing was changed.").caused_by(e)
}

/// The encoding that the caller names, or the one that is found out: by a byte order mark, UTF-16 by its zero bytes, UTF-8 if
/// all of it is, or all but a few bytes, otherwise by a guess; and whether it is a guess.
pub fn detect(path: &Path, named: Option<&'static Encoding>) -> Result<(&'static Encoding, bool)> {
    let mut file = File::open(path).map_err(unreadable)?;
    let mut chunk = vec![0; CHUNK_BYTES];
    let first = fill(&mut file, &mut chunk).map_err(unreadable)?;
    let head = &chunk[..first];
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        if let Some(named) = named.filter(|named| *named != encoding) {
            let detail = format!(
                "The file starts with the byte order mark of {}, so it can't be read as {}.",
                encoding.name(),
                named.name()
            );
            return Err(invalid("/encoding", fault::DOES_NOT_FIT, detail));
        }
        return Ok((encoding, false));
    }
    if head.iter().all(u8::is_ascii_whitespace) && first < chunk.len() {
        return Err(EMPTY_FILE.error("The file has no rows."));
    }
    expect_text(head)?;
    if let Some(named) = named {
        return Ok((named, false));
    }
    if let Some(encoding) = utf16_by_zeros(head) {
        return Ok((encoding, false));
    }
    let found = as_utf8(&mut file).map_err(unreadable)?;
    match found.first_bad {
        // Text in another encoding hardly ever holds what is a character beyond ASCII in UTF-8.
        Some(first_bad) if found.bad * GOOD_PER_BAD > found.good => {
            Ok((guess(&mut file, first_bad).map_err(unreadable)?, true))
        }
        _ => Ok((UTF_8, false)),
    }
}

fn fill(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..])? {
            0 => break,
            n => filled += n,
        }
    }
    Ok(filled)
}

/// Refuses files that are known not to be text by how they begin, or by their control characters.
fn expect_text(head: &[u8]) -> Result<()> {
    if let Some(what) = strange::of_bytes(head) {
        return Err(strange::refusal(what));
    }
    let controls = head.iter().filter(|b| **b < 0x20 && !matches!(b, b'\t' | b'\r' | b'\n' | 0 | 0x0c)).count();
    if controls * 50 > head.len() {
        return Err(strange::refusal("not text: it has control characters"));
    }
    Ok(())
}

/// UTF-16 without a mark: nearly every second byte of western text is zero.
fn utf16_by_zeros(head: &[u8]) -> Option<&'static Encoding> {
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|b| **b == 0).count() * 2;
    let (even, odd) = (zeros(0), zeros(1));
    match head.len() {
        len if len >= 4 && odd * 10 > len * 7 && even * 10 < len => Some(UTF_16LE),
        len if len >= 4 && even * 10 > len * 7 && odd * 10 < len => Some(UTF_16BE),
        _ => None,
    }
}

/// How far a file is UTF-8.
#[derive(Default)]
struct AsUtf8 {
    /// Characters beyond ASCII.
    good: u64,
    /// Places with bytes that are none.
    bad: u64,
    first_bad: Option<u64>,
}

fn as_utf8(file: &mut File) -> io::Result<AsUtf8> {
    file.seek(SeekFrom::Start(0))?;
    let mut chunk = vec![0; CHUNK_BYTES];
    let (mut kept, mut at) = (0, 0);
    let mut found = AsUtf8::default();
    loop {
        let read = fill(file, &mut chunk[kept..])?;
        let text = &chunk[..kept + read];
        let mut done = 0;
        while done < text.len() {
            let rest = &text[done..];
            let (good, skip) = match std::str::from_utf8(rest) {
                Ok(_) => (rest.len(), 0),
                // A character that the end of the chunk cuts in two is completed by the next chunk.
                Err(e) if e.error_len().is_none() && read > 0 => {
                    found.good += begun(&rest[..e.valid_up_to()]);
                    done += e.valid_up_to();
                    break;
                }
                Err(e) => (e.valid_up_to(), e.error_len().unwrap_or(rest.len() - e.valid_up_to())),
            };
            found.good += begun(&rest[..good]);
            done += good + skip;
            if skip > 0 {
                found.bad += 1;
                found.first_bad.get_or_insert(at + (done - skip) as u64);
            }
        }
        let is_another = found.bad > BAD_PLACES_MAX && found.bad > found.good;
        if read == 0 || is_another {
            return Ok(found);
        }
        at += done as u64;
        kept = text.len() - done;
        chunk.copy_within(done..done + kept, 0);
    }
}

/// How many characters beyond ASCII a text in UTF-8 has.
fn begun(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte >= 0xc0).count() as u64
}

fn guess(file: &mut File, around: u64) -> io::Result<&'static Encoding> {
    file.seek(SeekFrom::Start(around.saturating_sub(GUESS_BYTES as u64 / 2)))?;
    let mut sample = Vec::new();
    file.take(GUESS_BYTES as u64).read_to_end(&mut sample)?;
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Allow);
    detector.feed(&sample, true);
    Ok(detector.guess(None, chardetng::Utf8Detection::Allow))
}

/// Placeholder for invalid bytes, which tells them apart from replacement characters in the file. Nothing else decodes
/// to it, because control characters become spaces.
const MALFORMED: &str = "\u{1}";

/// Whether a decoded text has placeholders for invalid bytes.
pub fn is_malformed(text: &str) -> bool {
    text.contains(MALFORMED)
}

/// The text with replacement characters instead of placeholders.
pub fn replaced(text: &str) -> String {
    text.replace(MALFORMED, "\u{fffd}")
}

/// Decodes while it reads. Line ends become `\n` and the last row always has one, so that lines can be counted.
pub struct Decoded {
    file: File,
    decoder: Decoder,
    raw: Vec<u8>,
    text: Vec<u8>,
    out: Vec<u8>,
    out_at: usize,
    after_return: bool,
    last: u8,
    ended: bool,
    /// Whether the end is to be marked, and whether it was.
    mark: Option<bool>,
    /// Makes the plain form of the text, where it is in another.
    straight: Option<Straight>,
    /// Whether some bytes were invalid in this encoding and became [`MALFORMED`].
    pub malformed: bool,
    /// Bytes handed out since the reader of rows last finished one.
    pub row_bytes: usize,
    /// Whether the text was ended, as at the end of the file, within a row that is too long.
    pub cut: bool,
}

/// A row that marks the end. It can't occur in a file, because zero bytes are rejected.
pub const END: &str = "\0";
/// The text of the error with which reading ends at a zero byte.
pub const ZERO_BYTE: &str = "a zero byte";

impl Decoded {
    pub fn open(path: &Path, encoding: &'static Encoding) -> io::Result<Decoded> {
        Ok(Decoded {
            file: File::open(path)?,
            decoder: encoding.new_decoder_with_bom_removal(),
            raw: vec![0; CHUNK_BYTES],
            text: vec![0; CHUNK_BYTES * 3 + 16],
            out: Vec::with_capacity(CHUNK_BYTES * 3 + 16),
            out_at: 0,
            after_return: false,
            last: b'\n',
            ended: false,
            mark: None,
            straight: None,
            malformed: false,
            row_bytes: 0,
            cut: false,
        })
    }

    /// Marks the end with a row of its own, [`END`]: where a quote is left open, it ends up within the last field.
    pub fn with_end(self) -> Decoded {
        Decoded { mark: Some(false), ..self }
    }

    /// Hands the text out in the plain form.
    pub fn straightened(self, straight: Option<Straight>) -> Decoded {
        Decoded { straight, ..self }
    }

    fn more(&mut self) -> io::Result<()> {
        self.out.clear();
        self.out_at = 0;
        if self.row_bytes > ROW_BYTES_MAX && !self.ended {
            // Ended here, the reader of rows tells the row's line, and whether a quote is open in it.
            (self.cut, self.ended, self.last) = (true, true, b'\n');
            self.out.push(b'\n');
        }
        while self.out.is_empty() && !self.ended {
            let read = self.file.read(&mut self.raw)?;
            self.ended = read == 0;
            let mut done = 0;
            loop {
                let raw = &self.raw[done..read];
                let (result, taken, written) =
                    self.decoder.decode_to_utf8_without_replacement(raw, &mut self.text, self.ended);
                done += taken;
                self.plain_line_ends(written);
                match result {
                    DecoderResult::InputEmpty => break,
                    DecoderResult::OutputFull => {}
                    DecoderResult::Malformed(..) => {
                        (self.malformed, self.after_return) = (true, false);
                        self.out.extend_from_slice(MALFORMED.as_bytes());
                    }
                }
            }
            self.last = self.out.last().copied().unwrap_or(self.last);
            if self.ended && self.last != b'\n' {
                self.out.push(b'\n');
            }
            if let Some(straight) = &mut self.straight {
                let text = std::mem::take(&mut self.out);
                straight.take(&text, &mut self.out);
            }
        }
        if self.out.contains(&0) {
            return Err(io::Error::other(ZERO_BYTE));
        }
        if self.ended && self.mark == Some(false) {
            self.mark = Some(true);
            self.out.extend_from_slice(END.as_bytes());
            self.out.push(b'\n');
        }
        Ok(())
    }

    /// Control characters become spaces too: nothing that steers a terminal is stored.
    fn plain_line_ends(&mut self, written: usize) {
        for &byte in &self.text[..written] {
            match byte {
                b'\n' if self.after_return => {}
                b'\r' | b'\n' => self.out.push(b'\n'),
                // A control character would be refused where a person types it; in a file it is as good as a space. The
                // second half of one beyond ASCII is known by its first.
                1..=8 | 0x0b..=0x1f | 0x7f => self.out.push(b' '),
                0x80..=0x9f if self.out.last() == Some(&0xc2) => {
                    self.out.pop();
                    self.out.push(b' ');
                }
                other => self.out.push(other),
            }
            self.after_return = byte == b'\r';
        }
    }
}

impl Read for Decoded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.out_at == self.out.len() {
            self.more()?;
        }
        let n = buffer.len().min(self.out.len() - self.out_at);
        buffer[..n].copy_from_slice(&self.out[self.out_at..self.out_at + n]);
        self.out_at += n;
        self.row_bytes += n;
        Ok(n)
    }
}
