//! Finds the running program and the token for it.

use crate::address::Address;
use crate::code;
use crate::failure::Failure;
use crate::http::Http;
use crate::io::Io;
use crate::options::Chain;
use crate::token::Token;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What the program writes to its data directory while it runs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Instance {
    base_url: String,
    /// The directory that the program runs on; programs of before do not say it.
    data_dir: Option<PathBuf>,
}

/// What was said about where the program is, and as whom it is spoken to.
pub(crate) struct Target {
    data_dir: Option<PathBuf>,
    /// A URL, and whether it is the one that a session was given.
    url: Option<(String, bool)>,
    token: TokenSource,
    source_session: Option<String>,
}

/// Where the token is. A session has its own in the environment, which goes before the command-line token wherever the
/// program is: an agent acts as itself.
enum TokenSource {
    File(PathBuf),
    Environment(String),
    CommandLine,
}

/// The variable that holds a session's token.
const TOKEN_VARIABLE: &str = "APP_CLI_TOKEN";

impl Target {
    pub(crate) fn new(options: &Chain, default_data_dir: Option<&Path>, io: &Io) -> Target {
        let said = |id: &str| options.text(id).map(str::to_owned);
        let token = match (said("token-file"), io.env(TOKEN_VARIABLE)) {
            (Some(file), _) => TokenSource::File(PathBuf::from(file)),
            (None, Some(token)) => TokenSource::Environment(token),
            (None, None) => TokenSource::CommandLine,
        };
        let is_session = matches!(token, TokenSource::Environment(_));
        // A directory that is named goes before a program that is only in the environment.
        let of_environment = || {
            let of_session = io.env("APP_BASE_URL").filter(|_| is_session).map(|url| (url, true));
            let named = || io.env("PILOTHOUSE_URL").map(|url| (url, false));
            of_session.or_else(named).filter(|_| options.text("data-dir").is_none())
        };
        Target {
            data_dir: data_dir(options, default_data_dir, io),
            url: said("url").map(|url| (url, false)).or_else(of_environment),
            token,
            source_session: said("source-session").or_else(|| io.env("APP_SESSION_ID")),
        }
    }

    /// The way to the program, which has shown that it knows the token.
    pub(crate) fn connect(&self, version: &str) -> Result<Http, Failure> {
        let address = match &self.url {
            Some((url, _)) => Address::read(url)?,
            None => address_of_instance(self.directory()?)?,
        };
        let (token, source) = match &self.token {
            TokenSource::File(file) => (Token::from_file(file)?, file.display().to_string()),
            TokenSource::Environment(text) => (self.token_of_session(text, &address)?, TOKEN_VARIABLE.to_owned()),
            TokenSource::CommandLine => {
                let file = self.directory()?.join("cli-token");
                (Token::from_file(&file)?, file.display().to_string())
            }
        };
        let mut http = Http::new(address, version);
        http.trust_when_proved(token, &source)?;
        http.acts_for(self.source_session.clone());
        Ok(http)
    }

    /// A session's token goes to this machine only: the session runs here.
    fn token_of_session(&self, text: &str, address: &Address) -> Result<Token, Failure> {
        if !address.loopback {
            let is_own = self.url.as_ref().is_some_and(|(_, is_own)| *is_own);
            let named = if is_own { "APP_BASE_URL is " } else { "" };
            let what = format!(
                "{named}{}, which isn't on this machine, so the session's token wasn't sent. To use another token, unset \
                 {TOKEN_VARIABLE} or name its file with --token-file.",
                address.base()
            );
            return Err(Failure::Here(code::NOT_LOOPBACK, what));
        }
        let unsound = || Failure::Here(code::UNSOUND_TOKEN, format!("{TOKEN_VARIABLE} has no token."));
        Token::from_text(text).ok_or_else(unsound)
    }

    pub(crate) fn directory(&self) -> Result<&Path, Failure> {
        let none = || Failure::Usage("No default data directory on this system. Name one with --data-dir.".into());
        self.data_dir.as_deref().ok_or_else(none)
    }
}

/// The data directory: as said, from the environment, or the platform's.
pub(crate) fn data_dir(options: &Chain, default: Option<&Path>, io: &Io) -> Option<PathBuf> {
    // An empty one, as of an unset variable in a script, would be the folder that one happens to stand in.
    let said = options.text("data-dir").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let of_environment = || io.env("PILOTHOUSE_DATA_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    said.or_else(of_environment).or_else(|| default.map(Path::to_owned))
}

fn address_of_instance(directory: &Path) -> Result<Address, Failure> {
    let file = directory.join("instance.json");
    let bytes = match std::fs::read(&file) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let here = directory.display();
            let what =
                format!("Pilothouse isn't running with the data directory {here}. Start it with `pilothouse serve`.");
            return Err(Failure::NotRunning(what));
        }
        Err(e) => return Err(Failure::Here(code::INSTANCE_FILE, format!("Couldn't read {}: {e}.", file.display()))),
    };
    let unsound = |why: String| Failure::Here(code::INSTANCE_FILE, format!("Can't use {}: {why}.", file.display()));
    let instance: Instance = serde_json::from_slice(&bytes).map_err(|e| unsound(e.to_string()))?;
    let address = Address::read(&instance.base_url)?;
    if !address.loopback {
        return Err(unsound("its URL isn't on this machine".into()));
    }
    // In a copy of a directory that is in use lies the file of the program that runs on the other.
    if let Some(own) = instance.data_dir
        && directory.canonicalize().is_ok_and(|here| here != own)
    {
        let (here, own) = (directory.display(), own.display());
        let what = format!(
            "Pilothouse isn't running with the data directory {here}: its instance.json belongs to the program running with {own}. \
             Start it with `pilothouse serve`, or name the other directory with --data-dir."
        );
        return Err(Failure::NotRunning(what));
    }
    Ok(address)
}
