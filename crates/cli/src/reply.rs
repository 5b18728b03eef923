//! Shows an answer: JSON unchanged or for people, text as it arrives, other files to a pipe only; or writes it to a file.

use crate::code;
use crate::entry::Entry;
use crate::failure::Failure;
use crate::io::Io;
use crate::naming::Namer;
use crate::options::{Chain, text};
use crate::render::{self, Style};
use crate::response::{broken, whole};
use crate::text::clean;
use crate::transport::Response;
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

/// Largest JSON answer that is read, in bytes.
const ANSWER_BYTES_MAX: u64 = 1024 * 1024 * 1024;

pub(crate) fn show(
    mut response: Response,
    (entry, namer): (&Entry, &Namer),
    chain: &Chain,
    io: &mut Io,
) -> Result<(), Failure> {
    if let Some(file) = text(chain.leaf(), "output").filter(|file| *file != "-") {
        return save(response.body, Path::new(file));
    }
    let (json, quiet) = (chain.flag("json"), chain.flag("quiet"));
    let media = response.media_type();
    if media == "application/json" || media.ends_with("+json") {
        let body = whole(&mut response.body, ANSWER_BYTES_MAX)?;
        let has_words = entry.overrides.is_some_and(|overrides| overrides.show.is_some());
        match (quiet, json || entry.op.document && !has_words) {
            (true, _) => {}
            (_, true) => print_unchanged(&body, io)?,
            _ => print_for_people(&body, entry, namer, io)?,
        }
        let refused = entry.overrides.and_then(|overrides| overrides.refused);
        let is_refused = refused.is_some_and(|refused| serde_json::from_slice(&body).is_ok_and(|body| refused(&body)));
        return if is_refused { Err(Failure::Shown) } else { Ok(()) };
    }
    if media.is_empty() {
        let body = whole(&mut response.body, ANSWER_BYTES_MAX)?;
        return match (body.is_empty(), json || quiet) {
            (_, true) => Ok(()),
            (true, _) => Ok(writeln!(io.stdout, "Done.")?),
            (false, _) => print_unchanged(&body, io),
        };
    }
    if quiet {
        return Ok(());
    }
    if media.starts_with("text/") { copy_text(response.body, io) } else { copy_file(response.body, &media, io) }
}

fn print_unchanged(body: &[u8], io: &mut Io) -> Result<(), Failure> {
    io.stdout.write_all(body)?;
    if !body.ends_with(b"\n") {
        io.stdout.write_all(b"\n")?;
    }
    Ok(())
}

fn print_for_people(body: &[u8], entry: &Entry, namer: &Namer, io: &mut Io) -> Result<(), Failure> {
    let mut value: Value = serde_json::from_slice(body)
        .map_err(|e| Failure::Here(code::NO_JSON, format!("The result isn't valid JSON: {e}.")))?;
    if let Some(fill) = entry.overrides.and_then(|overrides| overrides.fill) {
        fill(&mut value);
    }
    namer.replace_ids(&mut value);
    let bold = io.stdout_is_terminal && io.env("NO_COLOR").is_none();
    let style = Style { width_columns: io.width_columns.filter(|_| io.stdout_is_terminal), bold };
    let own_words = entry.overrides.and_then(|overrides| overrides.show).and_then(|show| show(&value, style));
    let text = own_words.unwrap_or_else(|| render::answer(&value, entry.op.columns, style));
    Ok(io.stdout.write_all(text.as_bytes())?)
}

/// Line by line as it arrives; on a terminal without what would steer it.
fn copy_text(body: Box<dyn Read>, io: &mut Io) -> Result<(), Failure> {
    let mut body = BufReader::new(body);
    let mut line = Vec::new();
    while body.read_until(b'\n', &mut line).map_err(broken)? > 0 {
        if io.stdout_is_terminal {
            writeln!(io.stdout, "{}", clean(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n'])))?;
        } else {
            io.stdout.write_all(&line)?;
        }
        io.stdout.flush()?;
        line.clear();
    }
    Ok(())
}

/// Writes another file first, so that an answer that breaks off does not take the place of what was there.
fn save(mut body: Box<dyn Read>, file: &Path) -> Result<(), Failure> {
    let unwritable =
        |e: io::Error| Failure::Here(code::OUTPUT_FILE, format!("Couldn't write {}: {e}.", file.display()));
    let mut name = file.file_name().ok_or_else(|| unwritable(io::ErrorKind::InvalidFilename.into()))?.to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = file.with_file_name(name);
    let mut write = || {
        let mut out = File::create_new(&part).map_err(unwritable)?;
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match body.read(&mut buffer).map_err(broken)? {
                0 => break,
                read => out.write_all(&buffer[..read]).map_err(unwritable)?,
            }
        }
        drop(out);
        std::fs::rename(&part, file).map_err(unwritable)
    };
    let written = write();
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}

fn copy_file(mut body: Box<dyn Read>, media: &str, io: &mut Io) -> Result<(), Failure> {
    if io.stdout_is_terminal {
        let what = format!("The result is a file ({media}). Write it with --output or redirect standard output.");
        return Err(Failure::Here(code::ANSWER_IS_A_FILE, what));
    }
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match body.read(&mut buffer).map_err(broken)? {
            0 => return Ok(()),
            read => io.stdout.write_all(&buffer[..read])?,
        }
    }
}
