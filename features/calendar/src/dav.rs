//! What CalDAV servers are asked.

use crate::service::Calendars;
use crate::xml::{self, Element};
use base64::Engine;
use bytes::Bytes;
use kit::Secret;
use outbound::{Exchange, Request};
use std::collections::HashSet;
use std::fmt;
use url::Url;

/// Resources that are read with one request.
const CHUNK: usize = 50;
/// Pages of changes that are read in one sync.
const PAGES_MAX: usize = 200;
/// Providers whose calendars are on other servers of the same domain.
const SPREAD: [&str; 1] = ["icloud.com"];

/// Why a server didn't do what it was asked, as a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Problem {
    /// It can't be reached now.
    Unreachable(String),
    /// It has another version.
    Changed,
    /// It has no such thing.
    Missing(String),
    /// It answered something else.
    Rejected(u16, String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unreachable(text) | Problem::Missing(text) | Problem::Rejected(_, text) => f.write_str(text),
            Problem::Changed => f.write_str("The server has a newer version."),
        }
    }
}

/// What an HTTP status means to the user.
pub(crate) fn rejected(status: u16) -> Problem {
    let text = match status {
        401 => "The server rejected the user name or password (401). Use an app password if your provider has them."
            .to_owned(),
        403 => "The server doesn't allow this (403).".to_owned(),
        404 | 410 => return Problem::Missing(format!("The server found nothing at this address ({status}).")),
        409 | 412 => return Problem::Changed,
        429 => "The server received too many requests (429). Pilothouse retries later.".to_owned(),
        500..=504 => {
            return Problem::Unreachable(format!("The server has a problem ({status}). Pilothouse retries later."));
        }
        507 => "The server has no space left for this account (507).".to_owned(),
        status => format!("The server answered with status {status}."),
    };
    Problem::Rejected(status, text)
}

/// A calendar as a server describes it.
#[derive(Debug, Clone)]
pub(crate) struct Remote {
    pub(crate) url: String,
    pub(crate) name: String,
    pub(crate) color: Option<String>,
    pub(crate) is_writable: bool,
}

/// A server's account, as it was found.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    pub(crate) url: String,
    pub(crate) emails: Vec<String>,
}

/// A resource of a server.
#[derive(Debug, Clone)]
pub(crate) struct Item {
    pub(crate) href: String,
    pub(crate) etag: String,
    pub(crate) ical: String,
}

/// What changed in a calendar.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Addresses and versions of what came or changed.
    pub(crate) changed: Vec<(String, String)>,
    pub(crate) removed: Vec<String>,
    /// The next sync token; empty if the server has none.
    pub(crate) token: String,
}

/// Asks one server for one account.
pub(crate) struct Client<'a> {
    service: &'a Calendars,
    base: Url,
    key: Secret,
}

impl<'a> Client<'a> {
    /// A client of the server at `url`.
    pub(crate) fn new(
        service: &'a Calendars,
        url: &str,
        username: &str,
        password: &Secret,
    ) -> Result<Client<'a>, Problem> {
        let base = Url::parse(url).map_err(|_| Problem::Rejected(0, "The address isn't valid.".into()))?;
        let pair = format!("{username}:{}", password.reveal());
        let key = Secret::new(format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(pair)));
        Ok(Client { service, base, key })
    }

    /// An address that the server named, if the password may go there.
    fn resolve(&self, href: &str) -> Result<Url, Problem> {
        let foreign = || Problem::Rejected(0, "The server names an address of another server. Enter that one.".into());
        let url = self.base.join(href.trim()).map_err(|_| foreign())?;
        let is_same = url.host_str() == self.base.host_str()
            && (url.port_or_known_default() == self.base.port_or_known_default())
            && url.scheme() == self.base.scheme();
        let is_of = |url: &Url, domain: &str| {
            url.host_str().is_some_and(|host| host == domain || host.ends_with(&format!(".{domain}")))
        };
        let is_spread =
            url.scheme() == "https" && SPREAD.iter().any(|domain| is_of(&url, domain) && is_of(&self.base, domain));
        if is_same || is_spread { Ok(url) } else { Err(foreign()) }
    }

    async fn ask(
        &self,
        method: &str,
        url: &Url,
        headers: Vec<(&'static str, String)>,
        body: Option<String>,
    ) -> Result<Exchange, Problem> {
        let request = Request {
            body: body.map(Bytes::from),
            url: url.to_string(),
            headers,
            key: Some(("authorization", self.key.clone())),
        };
        let is_list = method == "REPORT" || request.headers.contains(&("depth", "1".to_owned()));
        let limits = if is_list { self.service.list_limits() } else { self.service.limits };
        let answer = self.service.outbound.exchange(method, &request, limits).await;
        let answer = answer.map_err(|why| match why {
            outbound::Failure::Redirected(_) | outbound::Failure::Address | outbound::Failure::TooLarge(_) => {
                Problem::Rejected(0, why.to_string())
            }
            _ => Problem::Unreachable(format!("{}.", why.to_string().trim_end_matches('.'))),
        })?;
        if (200..300).contains(&answer.status) { Ok(answer) } else { Err(rejected(answer.status)) }
    }

    /// Asks for XML. The responses of a multistatus.
    async fn multistatus(&self, method: &str, url: &Url, depth: &str, body: String) -> Result<(Element, Url), Problem> {
        let headers = vec![("depth", depth.to_owned()), ("content-type", "application/xml; charset=utf-8".to_owned())];
        let answer = self.ask(method, url, headers, Some(body)).await?;
        let text = String::from_utf8_lossy(&answer.body);
        let strange = || {
            Problem::Rejected(
                answer.status,
                "The server answered with something other than calendar data, such as a web page. Check the address."
                    .into(),
            )
        };
        let root = xml::parse(&text).filter(|root| root.name == "multistatus").ok_or_else(strange)?;
        Ok((root, Url::parse(&answer.url).map_err(|_| strange())?))
    }

    async fn propfind(&self, url: &Url, depth: &str, props: &str) -> Result<(Element, Url), Problem> {
        let body = format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?><d:propfind xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\" \
             xmlns:a=\"http://apple.com/ns/ical/\"><d:prop>{props}</d:prop></d:propfind>"
        );
        self.multistatus("PROPFIND", url, depth, body).await
    }

    /// Finds where the account's calendars are: at the address, or by the server's well-known one.
    pub(crate) async fn discover(&self) -> Result<Home, Problem> {
        let mut tried = Vec::new();
        let mut failure = None;
        let candidates =
            [Some(self.base.clone()), self.base.join("/.well-known/caldav").ok(), self.base.join("/").ok()];
        for url in candidates.into_iter().flatten() {
            if tried.contains(&url) {
                continue;
            }
            tried.push(url.clone());
            match self.propfind(&url, "0", "<d:current-user-principal/><d:resourcetype/><c:calendar-home-set/>").await {
                Ok((root, at)) => {
                    if let Some(home) = self.home_of(&root, &at).await? {
                        return Ok(home);
                    }
                }
                // A wrong password is wrong everywhere.
                Err(problem @ Problem::Rejected(401, _)) => return Err(problem),
                Err(problem) => failure = failure.or(Some(problem)),
            }
        }
        Err(failure.unwrap_or_else(|| Problem::Missing("The server has no calendars at this address.".into())))
    }

    async fn home_of(&self, root: &Element, at: &Url) -> Result<Option<Home>, Problem> {
        let href_of = |root: &Element, name: &str| {
            let href = root.find(name)?.find("href")?.trimmed().to_owned();
            Some(href).filter(|href| !href.is_empty())
        };
        if let Some(principal) = href_of(root, "current-user-principal") {
            let principal = self.resolve(&principal)?;
            let (root, _) =
                self.propfind(&principal, "0", "<c:calendar-home-set/><c:calendar-user-address-set/>").await?;
            if let Some(home) = href_of(&root, "calendar-home-set") {
                let set = root.find("calendar-user-address-set");
                let hrefs =
                    set.into_iter().flat_map(|set| set.all("href")).map(|href| crate::record::email(href.trimmed()));
                let emails = hrefs.filter(|href| href.contains('@') && !href.contains('/')).collect();
                return Ok(Some(Home { url: self.resolve(&home)?.to_string(), emails }));
            }
        }
        if let Some(home) = href_of(root, "calendar-home-set") {
            return Ok(Some(Home { url: self.resolve(&home)?.to_string(), emails: Vec::new() }));
        }
        let is_calendar = root.find("resourcetype").is_some_and(|kind| kind.child("calendar").is_some());
        Ok(is_calendar.then(|| Home { url: at.to_string(), emails: Vec::new() }))
    }

    /// The calendars of a home.
    pub(crate) async fn calendars(&self, home: &str) -> Result<Vec<Remote>, Problem> {
        let props = "<d:resourcetype/><d:displayname/><a:calendar-color/><c:supported-calendar-component-set/>\
                     <d:current-user-privilege-set/>";
        let (root, at) = self.propfind(&self.resolve(home)?, "1", props).await?;
        let mut found = Vec::new();
        for response in root.all("response") {
            let Some(kind) = response.find("resourcetype").filter(|kind| kind.child("calendar").is_some()) else {
                continue;
            };
            let _ = kind;
            let parts = response.find("supported-calendar-component-set");
            let parts: Vec<&str> = parts
                .into_iter()
                .flat_map(|set| set.all("comp"))
                .flat_map(|comp| &comp.attributes)
                .map(|(_, name)| name.as_str())
                .collect();
            if !parts.is_empty() && !parts.iter().any(|name| name.eq_ignore_ascii_case("VEVENT")) {
                continue;
            }
            let rights = response.find("current-user-privilege-set");
            let may_write =
                |set: &Element| ["write", "write-content", "bind", "all"].iter().any(|right| set.find(right).is_some());
            let url = at
                .join(response.text_of("href"))
                .map_err(|_| Problem::Missing("The server names no address.".into()))?;
            let url = self.resolve(url.as_str())?;
            let last = url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
            let name =
                response.find("displayname").map(|name| name.trimmed().to_owned()).filter(|name| !name.is_empty());
            let color = response.find("calendar-color").map(|color| color.trimmed().to_owned());
            found.push(Remote {
                url: url.to_string(),
                name: name.unwrap_or(last),
                // Apple's have an opacity behind them.
                color: color.and_then(|color| color.get(..7).and_then(|color| crate::calendars::color(color).ok())),
                is_writable: rights.is_none_or(may_write),
            });
        }
        Ok(found)
    }

    /// What changed since a token; all without one. `None` if the server can't say.
    pub(crate) async fn changes(&self, calendar: &str, token: &str) -> Result<Option<Changes>, Problem> {
        let url = self.resolve(calendar)?;
        let mut changes = Changes { token: token.to_owned(), ..Changes::default() };
        for _ in 0..PAGES_MAX {
            let body = format!(
                "<?xml version=\"1.0\" encoding=\"utf-8\"?><d:sync-collection xmlns:d=\"DAV:\"><d:sync-token>{}</d:sync-token>\
                 <d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>",
                xml::escaped(&changes.token)
            );
            let (root, at) = match self.multistatus("REPORT", &url, "0", body).await {
                Ok(answer) => answer,
                Err(problem @ (Problem::Unreachable(_) | Problem::Rejected(401 | 429, _))) => return Err(problem),
                // No such report, or a token that it dropped.
                Err(_) => return Ok(None),
            };
            let mut is_cut = false;
            for response in root.all("response") {
                let href = path(&at, response.text_of("href"));
                let status = response.text_of("status");
                if status.contains("507") {
                    is_cut = true;
                } else if status.contains("404") {
                    changes.removed.push(href);
                } else if href != path(&at, at.path()) {
                    let etag = response.find("getetag").map(|tag| tag.trimmed().to_owned()).unwrap_or_default();
                    changes.changed.push((href, etag));
                }
            }
            let next = root.text_of("sync-token").to_owned();
            if next.is_empty() {
                return Ok(None);
            }
            let is_same = next == changes.token;
            changes.token = next;
            if !is_cut || is_same {
                break;
            }
        }
        Ok(Some(changes))
    }

    /// The addresses and versions of all that a calendar has.
    pub(crate) async fn etags(&self, calendar: &str) -> Result<Vec<(String, String)>, Problem> {
        let url = self.resolve(calendar)?;
        let (root, at) = self.propfind(&url, "1", "<d:getetag/><d:resourcetype/>").await?;
        let own = path(&at, at.path());
        let items = root
            .all("response")
            .filter(|response| response.find("resourcetype").is_none_or(|kind| kind.child("collection").is_none()));
        let items = items.map(|response| {
            let etag = response.find("getetag").map(|tag| tag.trimmed().to_owned()).unwrap_or_default();
            (path(&at, response.text_of("href")), etag)
        });
        Ok(items.filter(|(href, _)| *href != own && !href.ends_with('/')).collect())
    }

    /// Reads resources: several with one request, or one by one from a server that can't do that.
    pub(crate) async fn read(&self, calendar: &str, hrefs: &[String]) -> Result<Vec<Item>, Problem> {
        let url = self.resolve(calendar)?;
        let mut items = Vec::new();
        for chunk in hrefs.chunks(CHUNK) {
            let list: String = chunk.iter().map(|href| format!("<d:href>{}</d:href>", xml::escaped(href))).collect();
            let body = format!(
                "<?xml version=\"1.0\" encoding=\"utf-8\"?><c:calendar-multiget xmlns:d=\"DAV:\" \
                 xmlns:c=\"urn:ietf:params:xml:ns:caldav\"><d:prop><d:getetag/><c:calendar-data/></d:prop>{list}</c:calendar-multiget>"
            );
            match self.multistatus("REPORT", &url, "1", body).await {
                Ok((root, at)) => {
                    let mut seen = HashSet::new();
                    for response in root.all("response") {
                        let Some(data) = response.find("calendar-data").filter(|data| !data.trimmed().is_empty())
                        else {
                            continue;
                        };
                        let href = path(&at, response.text_of("href"));
                        let etag = response.find("getetag").map(|tag| tag.trimmed().to_owned()).unwrap_or_default();
                        seen.insert(href.clone());
                        items.push(Item { href, etag, ical: data.text.clone() });
                    }
                    for href in chunk.iter().filter(|href| !seen.contains(*href)) {
                        items.extend(self.get(href).await?);
                    }
                }
                Err(problem @ (Problem::Unreachable(_) | Problem::Rejected(401 | 429, _))) => return Err(problem),
                Err(_) => {
                    for href in chunk {
                        items.extend(self.get(href).await?);
                    }
                }
            }
        }
        Ok(items)
    }

    /// Reads one resource; `None` if it's gone.
    pub(crate) async fn get(&self, href: &str) -> Result<Option<Item>, Problem> {
        match self.ask("GET", &self.resolve(href)?, Vec::new(), None).await {
            Ok(answer) => {
                let etag = answer.header("etag").unwrap_or_default().to_owned();
                Ok(Some(Item { href: href.to_owned(), etag, ical: String::from_utf8_lossy(&answer.body).into_owned() }))
            }
            Err(Problem::Missing(_)) => Ok(None),
            Err(problem) => Err(problem),
        }
    }

    /// Writes a resource that has this version, or a new one; its new version, if the server says it.
    pub(crate) async fn put(&self, href: &str, etag: &str, ical: &str) -> Result<String, Problem> {
        let condition = if etag.is_empty() { ("if-none-match", "*".to_owned()) } else { ("if-match", etag.to_owned()) };
        let headers = vec![condition, ("content-type", "text/calendar; charset=utf-8".to_owned())];
        let answer = self.ask("PUT", &self.resolve(href)?, headers, Some(ical.to_owned())).await?;
        Ok(answer.header("etag").unwrap_or_default().to_owned())
    }

    /// Deletes a resource that has this version.
    pub(crate) async fn delete(&self, href: &str, etag: &str) -> Result<(), Problem> {
        let headers = if etag.is_empty() { Vec::new() } else { vec![("if-match", etag.to_owned())] };
        match self.ask("DELETE", &self.resolve(href)?, headers, None).await {
            Ok(_) | Err(Problem::Missing(_)) => Ok(()),
            Err(problem) => Err(problem),
        }
    }
}

/// The path of an address, always escaped the same way.
pub(crate) fn path(base: &Url, href: &str) -> String {
    let path = base.join(href.trim()).map_or_else(|_| href.trim().to_owned(), |url| url.path().to_owned());
    let plain = percent_encoding::percent_decode_str(&path).decode_utf8_lossy().into_owned();
    percent_encoding::utf8_percent_encode(&plain, PATH).to_string()
}

/// What is escaped in paths.
const PATH: &percent_encoding::AsciiSet = &percent_encoding::NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'@')
    .remove(b'+');
