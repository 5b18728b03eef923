//! The documentation inside the program, and finding words in it. Pure.
//!
//! Deliberately not here: who may read it: everybody.

/// A page of the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocPage {
    /// Its file's name without the ending.
    pub id: &'static str,
    /// Its text in Markdown.
    pub text: &'static str,
}

macro_rules! pages {
    ($($folder:literal / $id:literal),+ $(,)?) => {
        /// All pages: the guide, then the references.
        pub static PAGES: &[DocPage] = &[
            $(DocPage { id: $id, text: include_str!(concat!("../../../docs/", $folder, $id, ".md")) }),+
        ];
    };
}

pages! {
    "guide/" / "run-sessions",
    "guide/" / "run-apps",
    "guide/" / "save-links",
    "guide/" / "keep-tasks",
    "guide/" / "plan-days",
    "guide/" / "schedule-messages",
    "guide/" / "connect-an-agent",
    "guide/" / "import-a-board",
    "guide/" / "order-items",
    "guide/" / "use-subitems",
    "guide/" / "take-sprint-snapshots",
    "guide/" / "build-dashboards-with-scripts",
    "guide/" / "publish-a-dashboard",
    "guide/" / "invite-members",
    "guide/" / "back-up-and-restore",
    "guide/" / "find-out-what-is-wrong",
    "guide/" / "glossary",
    "" / "settings",
    "" / "operations",
    "" / "filters",
    "" / "formulas",
    "" / "presets",
    "" / "errors",
}

impl DocPage {
    /// Its first heading.
    pub fn title(&self) -> &'static str {
        self.text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(self.id)
    }

    /// Its first sentence after the heading.
    pub fn summary(&self) -> &'static str {
        let line = self
            .text
            .lines()
            .skip(1)
            .map(str::trim)
            .find(|line| !line.is_empty() && !line.starts_with(['#', '|', '-', '!', '<', '`']));
        let line = line.unwrap_or_else(|| self.title());
        line.find(". ").map_or(line, |end| &line[..=end])
    }

    /// Its sections: each heading with the text below it.
    pub fn sections(&self) -> impl Iterator<Item = Section> + use<> {
        let page = *self;
        let starts: Vec<usize> = std::iter::once(0)
            .chain(page.text.match_indices("\n## ").map(|(at, _)| at + 1))
            .chain(std::iter::once(page.text.len()))
            .collect();
        let pairs: Vec<(usize, usize)> = starts.windows(2).map(|pair| (pair[0], pair[1])).collect();
        pairs.into_iter().map(move |(from, to)| {
            let text = page.text[from..to].trim();
            let heading = text.lines().next().unwrap_or_default().trim_start_matches('#').trim();
            Section { page, heading, text }
        })
    }
}

/// A part of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// Its page.
    pub page: DocPage,
    /// Its heading.
    pub heading: &'static str,
    /// All of it, with its heading.
    pub text: &'static str,
}

/// The page of this ID.
pub fn page(id: &str) -> Option<&'static DocPage> {
    PAGES.iter().find(|page| page.id == id)
}

/// A found section, with the lines that fit best.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The section.
    pub section: Section,
    /// Lines of it, in order.
    pub excerpt: String,
}

/// Maximum bytes of an excerpt.
const EXCERPT_BYTES: usize = 1_200;
/// How often a word counts at most, so that a long list doesn't win.
const COUNT_MAX: usize = 4;

/// The sections that have the most words of a query, the best first.
pub fn search(query: &str, limit: usize) -> Vec<Found> {
    let query = query.to_lowercase();
    let words: Vec<&str> = query.split(|sign: char| !sign.is_alphanumeric()).filter(|word| word.len() > 1).collect();
    let mut scored: Vec<(usize, Section)> = Vec::new();
    for section in PAGES.iter().flat_map(DocPage::sections) {
        let (text, heading) = (section.text.to_lowercase(), section.heading.to_lowercase());
        let score = |word: &&str| {
            let count = text.matches(*word).count().min(COUNT_MAX);
            // A section that has all words beats one that repeats one of them.
            if count == 0 { 0 } else { 10 + count + if heading.contains(*word) { 10 } else { 0 } }
        };
        let score: usize = words.iter().map(score).sum();
        if score > 0 {
            scored.push((score, section));
        }
    }
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.truncate(limit);
    scored.into_iter().map(|(_, section)| Found { section, excerpt: excerpt(section.text, &words) }).collect()
}

/// The beginning of a text, or of a long one the lines with the words.
fn excerpt(text: &str, words: &[&str]) -> String {
    if text.len() <= EXCERPT_BYTES {
        return text.to_owned();
    }
    let score = |line: &str| {
        let line = line.to_lowercase();
        words.iter().filter(|word| line.contains(**word)).count()
    };
    let mut lines: Vec<(usize, &str)> = text.lines().enumerate().filter(|(_, line)| score(line) > 0).collect();
    lines.sort_by_key(|(at, line)| (std::cmp::Reverse(score(line)), *at));
    let mut bytes = 0;
    let mut chosen: Vec<(usize, &str)> = lines
        .into_iter()
        .take_while(|(_, line)| {
            bytes += line.len() + 1;
            bytes <= EXCERPT_BYTES
        })
        .collect();
    if chosen.is_empty() {
        return text[..text.floor_char_boundary(EXCERPT_BYTES)].to_owned();
    }
    chosen.sort_by_key(|(at, _)| *at);
    chosen.into_iter().map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::{PAGES, page, search};

    #[test]
    fn every_page_of_the_guide_is_in_the_program() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide");
        for file in std::fs::read_dir(folder).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            if let Some(id) = name.strip_suffix(".md") {
                assert!(page(id).is_some(), "{name} isn't in `pages!`");
            }
        }
        for page in PAGES {
            assert!(!page.title().is_empty() && !page.summary().is_empty(), "{}", page.id);
        }
    }

    #[test]
    fn questions_find_their_pages() {
        for (query, id) in [
            ("How do I publish a dashboard?", "publish-a-dashboard"),
            ("restore a backup", "back-up-and-restore"),
            ("relentlessSessionRelaunch", "settings"),
            ("boards.items.list operation", "operations"),
            ("import board csv", "import-a-board"),
        ] {
            let found = search(query, 5);
            assert!(found.iter().any(|one| one.section.page.id == id), "{query}: {found:?}");
            assert!(found.iter().all(|one| one.excerpt.len() <= 1_201));
        }
        assert!(search("qqqqzzzz", 5).is_empty() && search("", 5).is_empty());
    }
}
