//! Generates the reference pages.

use crate::pages::BESIDE;
use kit::{Code, Fault, Kind, Op};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// `docs/operations.md`: all operations and their callers.
pub fn operations_md(ops: &[Op]) -> String {
    let mut groups: BTreeMap<&str, Vec<&Op>> = BTreeMap::new();
    for op in ops {
        groups.entry(group_of(op)).or_default().push(op);
    }
    let mut page = String::from(
        "# Operations\n\nGenerated from the operations' rows; `cargo test` rewrites it. Every operation is an HTTP request and a \
         command, and agents can call operations over MCP with any token, except streams (`events.stream`, `mcp.message`) and logging in. The \
         last columns show who can call it; the agent column names the scope that a session's token needs.\n\n\
         Besides the operations, these addresses can be read, with `GET` or `HEAD` and without a token:\n\n| Address | What it answers |\n|---|---|\n",
    );
    for (path, doc) in BESIDE {
        let _ = writeln!(page, "| `{path}` | {} |", cell(doc));
    }
    for (group, ops) in groups {
        let _ = write!(page, "\n## {group}\n\n| Operation | Request | What it does |");
        for kind in Kind::ALL {
            let _ = write!(page, " {} |", kind.name());
        }
        page.push_str("\n|---|---|---|---|---|---|---|---|\n");
        for op in ops {
            let _ = write!(page, "| `{}` | `{} {}` | {} |", op.name, op.method.name(), op.path, cell(op.doc));
            for kind in Kind::ALL {
                let _ = match (op.callers.has(kind), kind) {
                    (false, _) => write!(page, " |"),
                    (true, Kind::Agent) if !op.scope.is_empty() => {
                        write!(page, " `{}` |", op.scopes().collect::<Vec<_>>().join("`, `"))
                    }
                    (true, _) => write!(page, " yes |"),
                };
            }
            page.push('\n');
        }
    }
    page
}

/// `docs/errors.md`: all codes of responses, of single fields, and of the command line.
pub fn errors_md(codes: &[&Code], faults: &[Fault], of_command_line: &[Fault]) -> String {
    let mut page = String::from(
        "# Errors\n\nGenerated from the declarations; `cargo test` rewrites it. Errors are `application/problem+json` (RFC \
         9457); `code` is stable and is what scripts compare. \
         Two errors come from the parser and have no body or code: 400 for requests that aren't HTTP/1.1, \
         and 431 for heads over 16 KiB or with more than 100 headers.\n\n| Status | Code | Title | When, and what to do |\n|---|---|---|---|\n",
    );
    let rows: BTreeSet<_> = codes.iter().map(|code| (code.status, code.name, code.title, code.doc)).collect();
    for (status, name, title, doc) in rows {
        let _ = writeln!(page, "| {status} | `{name}` | {} | {} |", cell(title), cell(doc));
    }
    page.push_str(
        "\n## Codes of single values\n\nWithin `errors`, whose `pointer` says where in the input, and within the `problems` of an import, \
         whose `line` and `column` say where in the file. If the whole error is about one value, a code of the table above can appear \
         here too.\n\n",
    );
    page.push_str(&faults_table(faults));
    page.push_str(
        "\n## Codes of the command line\n\nErrors before a request is sent, or with its response. With `--json` the command \
         prints a document of the same form, with one of these codes. Exit codes: 2 after `usage`, 3 after `not-running`, 4 if the \
         token is rejected, 1 after any other error.\n\n",
    );
    page.push_str(&faults_table(of_command_line));
    page
}

fn faults_table(faults: &[Fault]) -> String {
    let mut table = String::from("| Code | What it means |\n|---|---|\n");
    let rows: BTreeSet<_> = faults.iter().map(|fault| (fault.name(), fault.doc())).collect();
    for (name, doc) in rows {
        let _ = writeln!(table, "| `{name}` | {} |", cell(doc));
    }
    table
}

pub(crate) fn group_of(op: &Op) -> &'static str {
    op.name.split('.').next().unwrap_or(op.name)
}

fn cell(text: &str) -> String {
    text.trim().replace('|', "\\|").replace('\n', " ")
}
