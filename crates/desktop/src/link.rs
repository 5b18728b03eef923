//! Links to pages of Pilothouse: `pilothouse://sessions/ID` is the page `/app/sessions/ID`.

use url::Url;

/// The scheme of links.
const SCHEME: &str = "pilothouse";

/// The page that a link names. Links come from other programs, so whatever isn't plain is refused.
pub fn page(link: &str) -> Result<String, String> {
    let wrong = || format!("{link} isn't a link to a page of Pilothouse. Links look like pilothouse://sessions/ID.");
    let url = Url::parse(link).map_err(|_| wrong())?;
    if url.scheme() != SCHEME || !url.username().is_empty() || url.port().is_some() || url.fragment().is_some() {
        return Err(wrong());
    }
    let mut page = "/app".to_owned();
    let path = url.path().trim_matches('/');
    for part in url.host_str().into_iter().chain(path.split('/')).filter(|part| !part.is_empty()) {
        let is_plain = part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_~.%".contains(&b));
        if !is_plain || part.starts_with('.') {
            return Err(wrong());
        }
        page.push('/');
        page.push_str(part);
    }
    if let Some(query) = url.query() {
        if !query.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_~.%&=".contains(&b)) {
            return Err(wrong());
        }
        page.push('?');
        page.push_str(query);
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::page;

    #[test]
    fn links_name_pages_and_nothing_else() {
        assert_eq!(page("pilothouse://sessions/01a2-b").unwrap(), "/app/sessions/01a2-b");
        assert_eq!(page("pilothouse://inbox?row=7").unwrap(), "/app/inbox?row=7");
        assert_eq!(page("pilothouse://").unwrap(), "/app");
        assert_eq!(page("pilothouse:///boards/x/").unwrap(), "/app/boards/x");
        for wrong in [
            "https://example.com/",
            "inbox",
            "pilothouse://user@inbox",
            "pilothouse://inbox:80",
            "pilothouse://inbox#c=code",
            "pilothouse://inbox/%3Cscript%3E<",
            "pilothouse://inbox?x='",
        ] {
            assert!(page(wrong).is_err(), "{wrong}");
        }
    }
}
