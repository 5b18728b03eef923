//! Skills on disk: what an engine would load for a new session, before a session exists that announces its own.
//!
//! Invariants: names and descriptions are anybody's text and have limits, as have files and folders; a skill is a
//! regular file below its folder of skills, and that folder is below the project or the user's own, whatever links are
//! in them; what isn't UTF-8 is left out.

use crate::facts::{is_word, line_of};
use crate::hubs;
use crate::service::Sessions;
use engines::port::SkillLayout;
use kit::error::INTERNAL;
use kit::{Call, CallerSet, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use store::HasDb;

/// Maximum skills of an answer.
const SKILLS_MAX: usize = 200;
/// Maximum entries of folders that are read.
const ENTRIES_MAX: usize = 2_000;
/// Maximum depth of folders with commands.
const DEPTH_MAX: usize = 4;
/// Maximum bytes of a skill's file that are read; a longer one is read up to here.
const HEAD_BYTES_MAX: u64 = 16 << 10;
/// Maximum folders above a project that can be the repository's top.
const ABOVE_MAX: usize = 32;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "engines.skills",
            Method::Get,
            "/engines/{engineId}/skills",
            CallerSet::PERSON,
            "List the skills on disk that a new session could use.",
            list,
        )
        .example(r#"{"engineId": "{engineId}", "hubId": "{hubId}"}"#)
        .synonyms("commands slash prompts"),
    ]
}

/// An engine, and where a session would start.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Query {
    engine_id: String,
    /// The hub whose skills are included. Without it, only your own.
    hub_id: Option<String>,
}

/// Skills on disk.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Skills {
    /// At most 200: the project's first, then your own, by name. Empty if the engine's folders aren't known.
    skills: Vec<Skill>,
    /// Whether all were read.
    is_complete: bool,
}

/// A skill on disk.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Skill {
    name: String,
    /// How a message calls it: `/name`, or `$name` for Codex.
    call: String,
    description: String,
    /// Whether it's your own, and not the project's.
    is_personal: bool,
}

async fn list(ctx: Ctx, call: Call, input: Query) -> Result<Skills> {
    let sessions = ctx.service::<Sessions>();
    let account = call.caller.account.clone();
    let engine = sessions.common.engine(&account, &input.engine_id).ok_or_else(kit::not_found)?;
    let hub = match input.hub_id {
        Some(id) => Some(ctx.db().read(move |tx| hubs::one(tx, call.account(), &id)).await?.folder),
        None => None,
    };
    let machine = sessions.common.machine_of(&account, engine.id());
    let Some(folders) = engine.skills(&machine) else { return Ok(Skills { is_complete: true, ..Skills::default() }) };
    // Outside the async threads: a disk may be slow or remote.
    let look = move || {
        let mut found = Found { sign: folders.sign, skills: Vec::new(), entries_left: ENTRIES_MAX, is_complete: true };
        for project in hub.iter().flat_map(|hub| projects(Path::new(hub), folders.is_climbing)) {
            for (folder, layout) in folders.project {
                found.add(&project, &project.join(folder), *layout, false);
            }
        }
        for (folder, layout) in &folders.personal {
            // A user's folder of an engine may be a link to anywhere, but its folder of skills is in it.
            found.add(folder.parent().unwrap_or(folder), folder, *layout, true);
        }
        Skills { skills: found.skills, is_complete: found.is_complete }
    };
    tokio::task::spawn_blocking(look).await.map_err(|fault| INTERNAL.error("Couldn't list skills.").caused_by(fault))
}

/// The folder and, if they count, those above it up to the top of its repository. Without a repository, it's alone.
fn projects(folder: &Path, is_climbing: bool) -> Vec<PathBuf> {
    let above: Vec<&Path> = folder.ancestors().take(if is_climbing { ABOVE_MAX } else { 1 }).collect();
    let top = above.iter().position(|one| one.join(".git").exists()).unwrap_or(0);
    above[..=top].iter().map(|one| one.to_path_buf()).collect()
}

/// Skills so far.
struct Found {
    sign: char,
    skills: Vec<Skill>,
    entries_left: usize,
    is_complete: bool,
}

impl Found {
    /// Adds the skills of a folder, which has to be in `base`.
    fn add(&mut self, base: &Path, folder: &Path, layout: SkillLayout, is_personal: bool) {
        let (Ok(base), Ok(folder)) = (base.canonicalize(), folder.canonicalize()) else { return };
        if !folder.starts_with(base) {
            return;
        }
        let mut files = match layout {
            SkillLayout::Folders => self.skill_files(&folder),
            SkillLayout::Files => self.command_files(&folder),
        };
        files.sort();
        for (name, file) in files {
            if self.skills.len() >= SKILLS_MAX {
                self.is_complete = false;
                return;
            }
            let Some(head) = read_head(&folder, &file) else { continue };
            let named = match layout {
                SkillLayout::Folders => field(&head, "name").filter(|name| is_word(name)).unwrap_or(name),
                SkillLayout::Files => name,
            };
            if !is_word(&named) || self.skills.iter().any(|skill| skill.name == named) {
                continue;
            }
            let description = field(&head, "description").unwrap_or_else(|| first_line(&head));
            let call = format!("{}{named}", self.sign);
            self.skills.push(Skill { name: named, call, description: line_of(&description), is_personal });
        }
    }

    /// The names in a folder, as far as the limit allows.
    fn names_in(&mut self, folder: &Path) -> Vec<String> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let mut names = Vec::new();
        for entry in entries.flatten() {
            if self.entries_left == 0 {
                self.is_complete = false;
                break;
            }
            self.entries_left -= 1;
            names.extend(entry.file_name().into_string());
        }
        names
    }

    fn skill_files(&mut self, folder: &Path) -> Vec<(String, PathBuf)> {
        let file = |name: String| {
            let file = folder.join(&name).join("SKILL.md");
            (name, file)
        };
        self.names_in(folder).into_iter().map(file).collect()
    }

    fn command_files(&mut self, folder: &Path) -> Vec<(String, PathBuf)> {
        let (mut folders, mut files) = (vec![(folder.to_owned(), 1)], Vec::new());
        while let Some((below, depth)) = folders.pop() {
            for name in self.names_in(&below) {
                let path = below.join(&name);
                if let Some(stem) = name.strip_suffix(".md") {
                    files.push((stem.to_owned(), path));
                } else if depth < DEPTH_MAX && fs::symlink_metadata(&path).is_ok_and(|about| about.is_dir()) {
                    folders.push((path, depth + 1));
                }
            }
        }
        files
    }
}

/// The start of a skill's file; `None` if a link leads out of the folder, or it isn't a file with text.
fn read_head(folder: &Path, file: &Path) -> Option<String> {
    let real = file.canonicalize().ok()?;
    // Opening a pipe would wait for its other side.
    if !real.starts_with(folder) || !fs::metadata(&real).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(real).ok()?.take(HEAD_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        // The limit may cut a character.
        Err(fault) if fault.utf8_error().error_len().is_none() => {
            let end = fault.utf8_error().valid_up_to();
            String::from_utf8(fault.into_bytes()[..end].to_vec()).ok()
        }
        Err(_) => None,
    }
}

/// The lines between the two `---` at the start of a file, whose second one may be beyond what is read, and the rest.
fn parts(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches('\u{feff}');
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"));
    rest.map_or(("", text), |rest| rest.split_once("\n---").unwrap_or((rest, "")))
}

/// A field at the start of a file: its value on the same line, or indented on the lines below.
fn field(text: &str, name: &str) -> Option<String> {
    let mut lines = parts(text).0.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?.trim();
    let is_block = value.is_empty() || value.starts_with(['>', '|']);
    let value = match is_block {
        true => lines.take_while(|line| line.starts_with([' ', '\t'])).map(str::trim).collect::<Vec<_>>().join(" "),
        false => unquoted(value).to_owned(),
    };
    Some(value).filter(|value| !value.is_empty())
}

fn unquoted(value: &str) -> &str {
    let inside = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(value)
}

/// The first line with text after the fields, without the marks of a heading.
fn first_line(text: &str) -> String {
    let rest = parts(text).1;
    let line = rest.lines().map(|line| line.trim_start_matches(['#', '-', ' '])).find(|line| !line.trim().is_empty());
    line.unwrap_or_default().to_owned()
}
