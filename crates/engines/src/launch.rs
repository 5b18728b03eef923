//! What every launch has in common: a clean environment and the parameters of the session.

use crate::port::{Env, LaunchPlan, Machine, McpServer, McpVia, Program, SESSION_MARK, SessionSpec};
use serde_json::{Map, Value, json};

/// Variables without which programs do not find their files, their language or their way into the network.
const NEEDED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
];
/// Those of Windows.
const NEEDED_ON_WINDOWS: &[&str] = &[
    "APPDATA",
    "COMSPEC",
    "LOCALAPPDATA",
    "PATHEXT",
    "ProgramData",
    "ProgramFiles",
    "SystemDrive",
    "SystemRoot",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

/// The environment of a program that is only asked for its version.
pub fn env(machine: &Machine, also: &[&str]) -> Env {
    let on_windows = if cfg!(windows) { NEEDED_ON_WINDOWS } else { &[] };
    let names = NEEDED.iter().chain(on_windows).chain(also);
    let mut env: Env = names.filter_map(|name| Some(((*name).to_owned(), machine.var(name)?.to_owned()))).collect();
    env.insert("TERM".into(), "dumb".into());
    env
}

/// A launch without anything of the engine's own: the variables that it needs (`also` from the machine, `set` to a value), those
/// that the caller hands over, and the mark, which nobody overrides.
pub fn plan(found: &Program, machine: &Machine, spec: &SessionSpec, also: &[&str], set: &[(&str, &str)]) -> LaunchPlan {
    let named: Vec<&str> = also.iter().copied().chain(spec.provider_vars.iter().map(String::as_str)).collect();
    let mut env = env(machine, &named);
    env.extend(set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    env.extend(found.helper.clone());
    env.extend(spec.env.clone());
    if let Some(folder) = &spec.stand_ins {
        let path = env.get("PATH").map_or("", String::as_str);
        let all = std::iter::once(folder.clone()).chain(std::env::split_paths(path));
        // A folder with a separator in its name can't be on it.
        if let Ok(path) = std::env::join_paths(all) {
            env.insert("PATH".into(), path.to_string_lossy().into_owned());
        }
    }
    env.insert(SESSION_MARK.into(), spec.session.clone());
    let mut params = Map::new();
    params.insert("cwd".into(), text(&spec.cwd));
    params.insert("mcpServers".into(), spec.mcp.iter().map(mcp_server).collect());
    if !spec.folders.is_empty() {
        params.insert("additionalDirectories".into(), spec.folders.iter().map(text).collect());
    }
    LaunchPlan {
        program: found.file.clone(),
        args: found.args.clone(),
        env,
        cwd: spec.cwd.clone(),
        files: Vec::new(),
        keeps_denied: false,
        sandbox: None,
        params,
        instructions: Some(spec.instructions.clone()).filter(|text| !text.is_empty()),
        mode: None,
        choices: (spec.model.iter().map(|model| ("model", model.clone())))
            .chain(spec.effort.iter().map(|effort| ("thought_level", effort.clone())))
            .collect(),
    }
}

fn text(path: impl AsRef<std::path::Path>) -> Value {
    path.as_ref().to_string_lossy().into_owned().into()
}

fn mcp_server(server: &McpServer) -> Value {
    let pairs =
        |all: &Env| -> Value { all.iter().map(|(name, value)| json!({"name": name, "value": value})).collect() };
    match &server.via {
        McpVia::Stdio { command, args, env } => {
            json!({"name": server.name, "command": text(command), "args": args, "env": pairs(env)})
        }
        McpVia::Http { url, headers } => {
            json!({"type": "http", "name": server.name, "url": url, "headers": pairs(headers)})
        }
    }
}

/// A command as one line for a shell, as hooks are written in configurations.
pub fn shell_line(words: &[String]) -> String {
    words.iter().map(|word| kit::ids::shell_word(word.as_ref())).collect::<Vec<_>>().join(" ")
}
