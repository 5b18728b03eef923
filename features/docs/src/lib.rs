//! The documentation, to read and to search: for people, scripts, and agents.

use kit::error::NOT_FOUND;
use kit::{Call, CallerSet, Ctx, Feature, Method, Op, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Sections in an answer.
const FOUND_MAX: usize = 6;
/// Maximum characters of a query.
const QUERY_MAX: usize = 200;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        ops: vec![
            Op::new(
                "docs.search",
                Method::Get,
                "/docs",
                CallerSet::ANYONE_KNOWN,
                "Search the documentation of Pilothouse. Without words, list its pages.",
                search,
            )
            .example(r#"{"query": "publish a dashboard"}"#)
            .synonyms("help how guide manual question explain")
            .scope("docs:read"),
            Op::new(
                "docs.get",
                Method::Get,
                "/docs/{page}",
                CallerSet::ANYONE_KNOWN,
                "Get a page of the documentation as Markdown.",
                get,
            )
            .example(r#"{"page": "run-sessions"}"#)
            .scope("docs:read"),
        ],
        groups: &[("docs", "The documentation")],
        ..Feature::named("docs")
    }
}

/// What to find.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "DocsQuery")]
#[serde(deny_unknown_fields)]
struct Query {
    /// Words to find.
    #[schemars(length(max = QUERY_MAX))]
    query: Option<String>,
}

/// Parts of the documentation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DocsFound")]
struct Parts {
    /// The best first.
    sections: Vec<Part>,
}

/// A part of a page.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DocsSection")]
struct Part {
    /// Its page, for `docs get`.
    page: String,
    heading: String,
    /// Markdown.
    text: String,
}

async fn search(_: Ctx, _: Call, input: Query) -> Result<Parts> {
    let query = input.query.unwrap_or_default();
    if query.trim().is_empty() {
        let part = |page: &guide::DocPage| Part {
            page: page.id.to_owned(),
            heading: page.title().to_owned(),
            text: page.summary().to_owned(),
        };
        return Ok(Parts { sections: guide::PAGES.iter().map(part).collect() });
    }
    kit::text::expect_text(&query, QUERY_MAX, "/query")?;
    let part = |found: guide::Found| Part {
        page: found.section.page.id.to_owned(),
        heading: found.section.heading.to_owned(),
        text: found.excerpt,
    };
    Ok(Parts { sections: guide::search(&query, FOUND_MAX).into_iter().map(part).collect() })
}

/// Names a page.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "DocsPageName")]
#[serde(deny_unknown_fields)]
struct PageName {
    /// One of `docs search`.
    page: String,
}

/// A page of the documentation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DocsPage")]
struct DocsPage {
    page: String,
    title: String,
    /// Markdown.
    text: String,
}

async fn get(_: Ctx, _: Call, input: PageName) -> Result<DocsPage> {
    let page = guide::page(&input.page)
        .ok_or_else(|| NOT_FOUND.error("Page not found. List the pages with `docs search`."))?;
    Ok(DocsPage { page: page.id.to_owned(), title: page.title().to_owned(), text: page.text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::feature;
    use serde_json::json;
    use testkit::{Program, refused};

    #[tokio::test]
    async fn the_documentation_is_searched_listed_and_read() {
        let program = Program::start(|| vec![feature()]).await;
        let found = program.owner("docs.search", json!({"query": "publish a dashboard"})).await.unwrap();
        assert!(found["sections"].to_string().contains("publish-a-dashboard"), "{found}");
        let pages = program.owner("docs.search", json!({})).await.unwrap();
        assert_eq!(pages["sections"].as_array().unwrap().len(), guide::PAGES.len());
        let page = program.owner("docs.get", json!({"page": "glossary"})).await.unwrap();
        assert!(page["text"].as_str().unwrap().len() > 500);
        refused(program.owner("docs.get", json!({"page": "../secrets"})).await, "not-found");
        refused(program.owner("docs.search", json!({"query": "x".repeat(500)})).await, "invalid-input");
    }
}
