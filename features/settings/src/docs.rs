//! The reference page, made from the rows.

use kit::Catalog;
use kit::setting::{Applies, Platform, Spec};
use std::fmt::Write;

/// `docs/settings.md`.
pub fn settings_md(catalog: &Catalog) -> String {
    let mut page = String::from(
        "# Settings\n\nGenerated from the rows of the settings; do not edit. A default marked * was chosen by Pilothouse. \
         Read and change them with `pilothouse settings`, on the settings page, or over `GET /settings` and `PATCH /settings/:key`.\n",
    );
    let _ = writeln!(
        page,
        "\n{} settings, of which {} are planned and have no effect yet.",
        catalog.rows.len(),
        catalog.awaiting.len()
    );
    let mut place = ("", "");
    for spec in &catalog.rows {
        if place.0 != spec.area {
            let _ = writeln!(page, "\n## {}", spec.area);
        }
        if place != (spec.area, spec.section) {
            let _ = writeln!(
                page,
                "\n### {}\n\n| Key | Type | Accepted | Default | Applies | Effect |\n|---|---|---|---|---|---|",
                spec.section
            );
        }
        place = (spec.area, spec.section);
        let cell = |text: String| text.replace('|', "\\|").replace('\n', " ");
        let default = format!("`{}`{}", spec.default_json(), if spec.default_stated { "" } else { "*" });
        let unit = if spec.unit.is_empty() { String::new() } else { format!(" ({})", spec.unit) };
        let _ = writeln!(
            page,
            "| `{}` | {} | {}{unit} | {} | {} | {} |",
            spec.key,
            spec.type_label(),
            cell(spec.accepted()),
            cell(default),
            applies(spec.applies),
            cell(format!("{}{}", spec.doc.trim(), remarks(spec, catalog.awaiting.contains(spec.key)))),
        );
    }
    page
}

fn applies(applies: Applies) -> &'static str {
    match applies {
        Applies::Now => "at once",
        Applies::NextSession => "next session",
        Applies::NextStart => "next start",
        Applies::NextCloudLaunch => "next cloud launch",
    }
}

fn remarks(spec: &Spec, awaiting: bool) -> String {
    let mut remarks = String::new();
    if !spec.also_called.is_empty() {
        let _ = write!(remarks, " Also called {}.", spec.also_called);
    }
    if spec.platforms != Platform::ALL {
        let places: Vec<_> = spec.platforms.iter().map(|p| p.name()).collect();
        let _ = write!(remarks, " {} only.", places.join(" and "));
    }
    if let Some(master) = spec.requires {
        let _ = write!(remarks, " Requires `{}`.", master.spec.key);
    }
    if spec.installation {
        remarks.push_str(" Applies to the whole installation.");
    }
    if spec.agents_may_write {
        remarks.push_str(" Sessions may write it.");
    }
    if awaiting {
        remarks.push_str(" *Not available yet.*");
    }
    remarks
}
