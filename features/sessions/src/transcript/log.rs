//! The second store: an append-only file for each session.
//!
//! An entry is one line: its number and its time as 16 hexadecimal digits each, a checksum of 8, a space, and the body.
//! Numbers ascend, so lines are found by binary search, without an index to store or lose.

use super::{BODY_BYTES_MAX, Entry, EntryStore, PageBudget, Part, SessionKey};
use kit::error::{Error, INTERNAL, READ_ONLY, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Characters before a body: number, time, checksum, and the space.
const HEAD: usize = 16 + 16 + 8 + 1;
/// The longest line, with its end.
const LINE_MAX: u64 = (HEAD + BODY_BYTES_MAX + 1) as u64;
/// Bytes read at a time.
const BLOCK: u64 = 64 * 1024;

#[derive(Clone)]
pub(super) struct Log {
    folder: PathBuf,
}

impl Log {
    pub(super) fn new(folder: PathBuf) -> Log {
        Log { folder }
    }

    /// The path of the session's file. Ids come from this program; one that could lead to another folder is rejected.
    fn path(&self, key: &SessionKey) -> Result<PathBuf> {
        let is_name = |id: &str| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if is_name(&key.account) && is_name(&key.session) {
            return Ok(self.folder.join(&*key.account).join(format!("{}.log", key.session)));
        }
        Err(INTERNAL.error("The session's id can't be used as a file name."))
    }

    /// Runs blocking file access on its own thread.
    async fn run<T: Send + 'static>(
        &self,
        key: &SessionKey,
        run: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<T> {
        let path = self.path(key)?;
        let ran = tokio::task::spawn_blocking(move || run(&path)).await;
        ran.map_err(|fault| INTERNAL.error("Couldn't access a transcript.").caused_by(fault))?.map_err(failed)
    }
}

/// The error for a failed file access.
fn failed(why: io::Error) -> Error {
    match why.kind() {
        ErrorKind::StorageFull
        | ErrorKind::QuotaExceeded
        | ErrorKind::ReadOnlyFilesystem
        | ErrorKind::PermissionDenied => {
            READ_ONLY.error(format!("Couldn't write a session's transcript: {why}.")).caused_by(why)
        }
        _ => INTERNAL.error("Couldn't read or write a session's transcript.").caused_by(why),
    }
}

impl EntryStore for Log {
    async fn append(&self, key: &SessionKey, entries: Vec<Entry>, synced: bool) -> Result<()> {
        self.run(key, move |path| append(path, &entries, synced)).await
    }

    async fn read(&self, key: &SessionKey, part: Part, budget: PageBudget) -> Result<Vec<Entry>> {
        self.run(key, move |path| match Lines::open(path)? {
            Some(mut lines) => lines.part(part, budget),
            None => Ok(Vec::new()),
        })
        .await
    }

    async fn last(&self, key: &SessionKey) -> Result<i64> {
        self.run(key, |path| match Lines::open(path)? {
            Some(mut lines) => {
                Ok(lines.part(Part::Newest, PageBudget::new(1))?.first().map_or(0, |entry| entry.number))
            }
            None => Ok(0),
        })
        .await
    }

    async fn remove(&self, key: &SessionKey) -> Result<()> {
        self.run(key, |path| match fs::remove_file(path) {
            Err(why) if why.kind() != ErrorKind::NotFound => Err(why),
            _ => Ok(()),
        })
        .await
    }
}

fn append(path: &Path, entries: &[Entry], synced: bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = match options.open(path) {
        Err(why) if why.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().expect("a file lies in a folder"))?;
            options.open(path)?
        }
        opened => opened?,
    };
    let end = end_of_lines(&mut file)?;
    let lines: String = entries.iter().map(line).collect();
    let mut written = file.write_all(lines.as_bytes());
    if synced {
        written = written.and_then(|()| file.sync_data());
        if end == 0 {
            let folder = || File::open(path.parent().expect("a file lies in a folder"))?.sync_all();
            written = written.and_then(|()| folder());
        }
    }
    // A partial write is removed: the next entry would follow half a line.
    written.inspect_err(|_| drop(file.set_len(end)))
}

/// The end of the last complete line. What follows was truncated by a crash, and is removed.
fn end_of_lines(file: &mut File) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let mut last = [0];
    if length > 0 {
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
    }
    if length == 0 || last == *b"\n" {
        return Ok(length);
    }
    let mut lines = Lines { length, file };
    let end = lines.start_of(length)?;
    lines.file.set_len(end)?;
    Ok(end)
}

fn line(entry: &Entry) -> String {
    let head = format!("{:016x}{:016x}", entry.number, entry.at_ms);
    format!("{head}{:08x} {}\n", checksum(&head, &entry.body), entry.body)
}

fn checksum(head: &str, body: &str) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(head.as_bytes());
    sum.update(body.as_bytes());
    sum.finalize()
}

/// The entry of a line without its end; none if the checksum doesn't match.
fn entry(line: &[u8]) -> Option<Entry> {
    let line = std::str::from_utf8(line).ok()?;
    let (head, body) = (line.get(..HEAD)?, line.get(HEAD..)?);
    let number = i64::from_str_radix(&head[..16], 16).ok()?;
    let at_ms = i64::from_str_radix(&head[16..32], 16).ok()?;
    let sum = u32::from_str_radix(&head[32..40], 16).ok()?;
    (sum == checksum(&head[..32], body)).then(|| Entry { number, at_ms, body: body.to_owned() })
}

/// A file of lines that can be read from any position.
struct Lines<F> {
    file: F,
    length: u64,
}

impl Lines<File> {
    /// None if there is no file.
    fn open(path: &Path) -> io::Result<Option<Lines<File>>> {
        match File::open(path) {
            Ok(file) => Ok(Some(Lines { length: file.metadata()?.len(), file })),
            Err(why) if why.kind() == ErrorKind::NotFound => Ok(None),
            Err(why) => Err(why),
        }
    }
}

impl<F: Read + Seek> Lines<F> {
    /// The entries of a range that fit on the page, in ascending order.
    fn part(&mut self, part: Part, budget: PageBudget) -> io::Result<Vec<Entry>> {
        match part {
            Part::Newest => self.back_from(self.length, budget),
            Part::Before(number) => {
                let at = self.place_of(number)?;
                self.back_from(at, budget)
            }
            Part::After(number) => {
                let at = self.place_of(number.saturating_add(1))?;
                self.on_from(at, budget)
            }
        }
    }

    /// The start of the first line with at least this number, or the file's end.
    fn place_of(&mut self, number: i64) -> io::Result<u64> {
        // Lines that begin before `low` have smaller numbers; the line at `high`, if any, doesn't.
        let (mut low, mut high) = (0, self.length);
        while low < high {
            let start = self.start_of(low + (high - low) / 2 + 1)?.max(low);
            let Some((found, end)) = self.whole_from(start, high)? else {
                high = start;
                continue;
            };
            if found.number < number { low = end } else { high = start }
        }
        Ok(low)
    }

    /// The first valid line from here on, with its end; none before `until`.
    fn whole_from(&mut self, start: u64, until: u64) -> io::Result<Option<(Entry, u64)>> {
        let mut end = start;
        let mut lines = self.lines_from(start)?;
        while end < until {
            let Some(line) = lines.next().transpose()? else { break };
            end += line.len() as u64;
            if let Some(entry) = line.strip_suffix(b"\n").and_then(entry) {
                return Ok(Some((entry, end)));
            }
        }
        Ok(None)
    }

    /// The start of the line that contains the byte before `at`.
    fn start_of(&mut self, at: u64) -> io::Result<u64> {
        let mut end = at.saturating_sub(1);
        while end > 0 {
            let block = end.min(BLOCK);
            let bytes = self.bytes(end - block, block)?;
            if let Some(found) = bytes.iter().rposition(|b| *b == b'\n') {
                return Ok(end - block + found as u64 + 1);
            }
            end -= block;
        }
        Ok(0)
    }

    /// The lines from here on, each with its end if it has one. A line that is longer than any entry isn't valid, and
    /// comes in parts.
    fn lines_from(&mut self, start: u64) -> io::Result<impl Iterator<Item = io::Result<Vec<u8>>> + use<'_, F>> {
        self.file.seek(SeekFrom::Start(start))?;
        let mut reader = BufReader::with_capacity(BLOCK as usize, &mut self.file);
        Ok(std::iter::from_fn(move || {
            let mut line = Vec::new();
            match reader.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
                Ok(0) => None,
                Ok(_) => Some(Ok(line)),
                Err(why) => Some(Err(why)),
            }
        }))
    }

    /// The last entries before this end.
    fn back_from(&mut self, mut end: u64, mut budget: PageBudget) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        // Bytes before `end` that are read but not parsed yet.
        let mut held: Vec<u8> = Vec::new();
        'all: while end > 0 {
            let read_from = end - held.len() as u64;
            let block = read_from.min(BLOCK);
            let mut bytes = self.bytes(read_from - block, block)?;
            bytes.append(&mut held);
            held = bytes;
            // The first line of the buffer may have begun before it.
            let whole = match held.iter().position(|b| *b == b'\n') {
                _ if held.len() as u64 == end => 0,
                Some(at) if at + 1 < held.len() => at + 1,
                _ => continue,
            };
            let lines = held.split_off(whole);
            for line in lines.split_inclusive(|b| *b == b'\n').rev() {
                let Some(entry) = line.strip_suffix(b"\n").and_then(entry) else { continue };
                if !budget.admit(entry.body.len()) {
                    break 'all;
                }
                entries.push(entry);
            }
            end -= lines.len() as u64;
        }
        entries.reverse();
        Ok(entries)
    }

    /// The first entries from this start.
    fn on_from(&mut self, start: u64, mut budget: PageBudget) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for line in self.lines_from(start)? {
            let Some(entry) = line?.strip_suffix(b"\n").and_then(entry) else { continue };
            if !budget.admit(entry.body.len()) {
                break;
            }
            entries.push(entry);
        }
        Ok(entries)
    }

    fn bytes(&mut self, at: u64, count: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; count as usize];
        self.file.seek(SeekFrom::Start(at))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}
