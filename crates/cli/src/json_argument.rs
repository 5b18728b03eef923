//! JSON that an argument holds, as text, in a file, or on standard input.

use crate::failure::Failure;
use crate::io::Io;
use serde_json::Value;
use std::fs::File;
use std::io::Read;

/// JSON as text, in a file (`@FILE`) or on standard input (`-`).
pub(crate) fn read_json(written: &str, name: &str, bytes_max: usize, io: &mut Io) -> Result<Value, Failure> {
    let bytes = match written.strip_prefix('@') {
        Some(path) => {
            let file = File::open(path).map_err(|e| Failure::Usage(format!("Couldn't read {path}: {e}.")))?;
            at_most(file, bytes_max, path)?
        }
        None if written == "-" => at_most(&mut *io.stdin, bytes_max, "standard input")?,
        None => written.as_bytes().to_vec(),
    };
    kit::json::parse(&bytes).map_err(|error| {
        let detail = error.detail().trim_start_matches("Invalid JSON in the body: ").to_owned();
        Failure::Usage(format!("Invalid JSON in {name}: {detail}"))
    })
}

/// All that can be read, up to a limit.
pub(crate) fn at_most(reader: impl Read, bytes_max: usize, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let limit = bytes_max as u64 + 1;
    reader.take(limit).read_to_end(&mut bytes).map_err(|e| Failure::Usage(format!("Couldn't read {name}: {e}.")))?;
    if bytes.len() > bytes_max {
        return Err(Failure::Usage(format!("{name} is too large. The limit is {bytes_max} bytes.")));
    }
    Ok(bytes)
}
