//! Reads answers: the program's refusals, and bodies to their end.

use crate::code;
use crate::failure::Failure;
use crate::transport::Response;
use std::io::{self, Read};

/// Largest problem document that is read, in bytes.
const PROBLEM_BYTES_MAX: u64 = 1024 * 1024;

/// The answer, or the program's refusal as a failure.
pub(crate) fn accepted(mut response: Response) -> Result<Response, Failure> {
    if (200..300).contains(&response.status) {
        return Ok(response);
    }
    let retry_after_s = response.header("retry-after").map(str::to_owned);
    let body = whole(&mut response.body, PROBLEM_BYTES_MAX)?;
    Err(Failure::Problem { status: response.status, retry_after_s, body, names: Box::default() })
}

/// Reads a body to its end.
pub(crate) fn whole(body: &mut dyn Read, bytes_max: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    body.take(bytes_max + 1).read_to_end(&mut bytes).map_err(broken)?;
    if bytes.len() as u64 > bytes_max {
        return Err(Failure::Here(code::ANSWER_TOO_LARGE, format!("The result has more than {bytes_max} bytes.")));
    }
    Ok(bytes)
}

/// An answer that ended early.
pub(crate) fn broken(error: io::Error) -> Failure {
    Failure::Here(code::NO_ANSWER, format!("The result is incomplete: {error}."))
}
