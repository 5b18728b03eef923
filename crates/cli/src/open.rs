//! `pilothouse open`: a fresh one-time login, shown in the browser or printed.

use crate::code;
use crate::failure::Failure;
use crate::io::Io;
use crate::options::{Chain, flag};
use crate::program::Program;
use crate::response::{accepted, whole};
use crate::transport::{Request, RequestBody, Transport};
use kit::Method;
use serde_json::{Map, Value, json};

const CODE_BYTES_MAX: u64 = 64 * 1024;

pub(crate) fn open(program: &Program, chain: &Chain, io: &mut Io) -> Result<(), Failure> {
    let http = program.target(chain, io).connect(program.version)?;
    let request = Request {
        op: "login.code",
        input: Map::new(),
        method: Method::Post,
        path: "/login/codes".into(),
        query: Vec::new(),
        headers: vec![("accept".into(), "application/json".into())],
        body: RequestBody::Json(b"{}".to_vec()),
    };
    let mut response = accepted(http.send(request)?)?;
    let body = whole(&mut response.body, CODE_BYTES_MAX)?;
    let answer: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    // The code becomes a part of an address that other programs read.
    let sound = |code: &&str| !code.is_empty() && code.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    let Some(code) = answer["code"].as_str().filter(sound) else {
        return Err(Failure::Here(code::NO_CODE, "Pilothouse returned no sign-in code.".into()));
    };
    let page = format!("{}/app/#c={code}", http.address().base());
    if flag(chain.leaf(), "print") {
        let shown = if chain.flag("json") { json!({"url": page}).to_string() } else { page };
        return Ok(writeln!(io.stdout, "{shown}")?);
    }
    (program.opener)(&page).map_err(|what| {
        let what = format!("Couldn't open the page: {what} `pilothouse open --print` prints a sign-in link.");
        Failure::Here(code::NOT_OPENED, what)
    })
}
