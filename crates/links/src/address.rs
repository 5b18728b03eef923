//! What a link can lead to.

use kit::fault::{CONTROL_CHARACTER, TOO_LONG, WRONG_FORMAT};
use kit::{Result, invalid};
use url::Url;

/// Maximum characters of an address.
pub const ADDRESS_CHARS_MAX: usize = 2_048;

/// The pages that links of a list lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// `http://` and `https://` only.
    Web,
    /// These, and pages of Pilothouse: `/app/…`.
    WebAndPages,
}

impl Reach {
    /// The address, if links of the list can lead there.
    pub fn expect(self, address: &str, pointer: &str) -> Result<String> {
        let address = address.trim();
        if address.chars().count() > ADDRESS_CHARS_MAX {
            let detail = format!("The address is too long. Use up to {ADDRESS_CHARS_MAX} characters.");
            return Err(invalid(pointer, TOO_LONG, detail));
        }
        if address.chars().any(|c| c.is_control() || kit::text::is_unseen(c) || kit::text::is_turning(c)) {
            let detail = "The address has a space or an invisible character. Remove it, or write a space as %20.";
            return Err(invalid(pointer, CONTROL_CHARACTER, detail));
        }
        let begins_like_page = address == "/app" || address.starts_with("/app/") || address.starts_with("/app?");
        if self == Reach::WebAndPages && begins_like_page {
            return page(address, pointer);
        }
        self.web(address, pointer)
    }

    fn web(self, address: &str, pointer: &str) -> Result<String> {
        let wrong = |detail: &str| invalid(pointer, WRONG_FORMAT, detail);
        let lower = address.to_ascii_lowercase();
        if !lower.starts_with("http://") && !lower.starts_with("https://") {
            return Err(wrong(match self {
                Reach::Web => "Use an address that begins with https:// or http://.",
                Reach::WebAndPages => {
                    "Use an address that begins with https:// or http://, or a page of Pilothouse such as /app/inbox."
                }
            }));
        }
        let url = Url::parse(address).ok().filter(|url| url.host_str().is_some_and(|host| !host.is_empty()));
        let url = url.ok_or_else(|| wrong("This isn't a web address. Use one such as https://example.com/page."))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("The address contains a user name or password. Remove it."));
        }
        Ok(address.to_owned())
    }
}

/// Pages of Pilothouse: a path that stays below `/app`, without a fragment, where the page is handed its login code.
fn page(address: &str, pointer: &str) -> Result<String> {
    let path = address.split('?').next().unwrap_or_default().to_ascii_lowercase().replace("%2e", ".");
    let leaves = path.split('/').any(|part| part == "." || part == "..");
    if leaves || path.contains("//") || path.contains("%2f") || address.contains(['\\', '#']) {
        let detail = "Use the path of a page, such as /app/inbox, without #, \\, and parts such as `..`.";
        return Err(invalid(pointer, WRONG_FORMAT, detail));
    }
    Ok(address.to_owned())
}
