//! Runs commands on the data directory while Pilothouse is stopped, by calling the operations in process.

use crate::{features, program};
use accounts::Tokens;
use cli::{Request, Response, Transport, TransportError};
use kit::{Body, Call, Caller, Ctx, Kind, Op};
use std::io::Cursor;
use std::path::Path;
use tokio::runtime::Runtime;

struct InProcess {
    runtime: Runtime,
    ctx: Ctx,
    ops: Vec<Op>,
}

/// Opens the data directory. Fails while Pilothouse runs with it.
pub fn open(dir: &Path) -> Result<Box<dyn Transport>, String> {
    // Otherwise, a mistyped folder would become a new installation.
    if !dir.join(store::FILE_NAME).exists() {
        return Err(format!(
            "{} has no Pilothouse data. Start Pilothouse with it once, or name another directory with --data-dir.",
            dir.display()
        ));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
    let ctx = runtime.block_on(program::open_stopped(dir))?;
    Ok(Box::new(InProcess { runtime, ctx, ops: features::ops() }))
}

impl Transport for InProcess {
    fn send(&self, request: Request<'_>) -> Result<Response, TransportError> {
        let op = self
            .ops
            .iter()
            .find(|op| op.name == request.op)
            .ok_or_else(|| TransportError::Failed(format!("{} doesn't work offline.", request.op)))?;
        // The user, as with the command-line token.
        let call = Call::new(Caller::new(Kind::Cli, self.ctx.service::<Tokens>().first_account(), "offline"));
        let (status, headers, body) = match self.runtime.block_on(kit::call(&self.ctx, op, call, request.input)) {
            Ok(reply) => {
                let Body::Whole(body) = reply.body else {
                    return Err(TransportError::Failed(format!("{} doesn't work offline.", op.name)));
                };
                (reply.status, vec![("content-type".to_owned(), reply.content_type.to_owned())], body.to_vec())
            }
            Err(refusal) => {
                let headers = vec![("content-type".to_owned(), "application/problem+json".to_owned())];
                (refusal.code().status, headers, refusal.problem().to_string().into_bytes())
            }
        };
        Ok(Response { status, headers, body: Box::new(Cursor::new(body)) })
    }
}
