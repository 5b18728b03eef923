//! The agent's end of the wire.

use crate::acp::rpc::{self, RpcError};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// The last number given to a request, and those that need your answer.
type Waiting = (u64, HashMap<u64, oneshot::Sender<Result<Value, RpcError>>>);

/// Sends messages, and hands out the answers to its requests.
pub struct Wire {
    out: mpsc::Sender<Vec<u8>>,
    waiting: Mutex<Waiting>,
}

impl Wire {
    pub fn new(out: mpsc::Sender<Vec<u8>>) -> Wire {
        Wire { out, waiting: Mutex::default() }
    }

    /// Sends a line. Where the client does not read, this waits; where it is gone, nobody minds.
    pub async fn send(&self, line: Vec<u8>) {
        let _ = self.out.send(line).await;
    }

    pub async fn update(&self, session: &str, update: Value) {
        self.send(rpc::notification("session/update", json!({"sessionId": session, "update": update}))).await;
    }

    /// Asks the client. The error means that it refused or is gone.
    pub async fn ask(&self, method: &str, params: Value) -> Result<Value, RpcError> {
        let (reply, answer) = oneshot::channel();
        let id = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.0 += 1;
            let id = waiting.0;
            waiting.1.insert(id, reply);
            id
        };
        self.send(rpc::request(id, method, params)).await;
        answer.await.unwrap_or_else(|_| Err(RpcError::default()))
    }

    /// An answer came.
    pub fn answered(&self, id: Option<u64>, result: Result<Value, RpcError>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reply) = id.and_then(|id| waiting.1.remove(&id)) {
            let _ = reply.send(result);
        }
    }
}
