//! What the model provider that an engine is set up for needs: variables of the machine, and files outside of the engine's own
//! configuration. Nothing else of either is handed to a session.

use crate::port::{Engine, Machine, Provider};
use std::io::Read;
use std::path::PathBuf;

/// The most that is read of a configuration file.
const CONFIG_BYTES_MAX: u64 = 1 << 20;

/// The variables with which programs log in to Amazon's cloud.
const AWS: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AWS_CA_BUNDLE",
    "AWS_CONFIG_FILE",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_SDK_LOAD_CONFIG",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_STS_REGIONAL_ENDPOINTS",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
];
/// The same for Google's.
const GOOGLE: &[&str] =
    &["CLOUDSDK_CONFIG", "CLOUD_ML_REGION", "GCLOUD_PROJECT", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT"];
/// The same for Microsoft's.
const AZURE: &[&str] = &[
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_FEDERATED_TOKEN_FILE",
    "AZURE_TENANT_ID",
];

impl Provider {
    /// Adds variables.
    pub fn with(mut self, vars: &[&str]) -> Provider {
        self.vars.extend(vars.iter().map(|name| (*name).to_owned()));
        self
    }

    /// Adds the login to Amazon's cloud.
    pub fn with_aws(self, machine: &Machine) -> Provider {
        self.with(AWS).at(
            machine,
            ".aws",
            &["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_WEB_IDENTITY_TOKEN_FILE"],
        )
    }

    /// Adds the login to Google's cloud.
    pub fn with_google(self, machine: &Machine) -> Provider {
        self.with(GOOGLE).at(machine, ".config/gcloud", &["CLOUDSDK_CONFIG", "GOOGLE_APPLICATION_CREDENTIALS"])
    }

    /// Adds the login to Microsoft's cloud.
    pub fn with_azure(self, machine: &Machine) -> Provider {
        self.with(AZURE).at(machine, ".azure", &["AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_FEDERATED_TOKEN_FILE"])
    }

    fn at(mut self, machine: &Machine, below_home: &str, named_by: &[&str]) -> Provider {
        let named = named_by.iter().filter_map(|name| machine.var(name)).map(PathBuf::from);
        self.places.extend(named.filter(|place| place.is_absolute()).chain([machine.home.join(below_home)]));
        self
    }
}

/// What the provider of an engine needs on this machine, by its variables and its configuration. Reads files.
pub fn find(engine: &dyn Engine, machine: &Machine) -> Provider {
    let mut config = String::new();
    for file in engine.config_files(machine) {
        if let Ok(file) = std::fs::File::open(file) {
            // What is no text, or is too long, counts as far as it was read.
            let _ = file.take(CONFIG_BYTES_MAX).read_to_string(&mut config);
        }
    }
    let mut provider = engine.provider(machine, &config);
    // What marks a session is nobody's to name.
    provider.vars.retain(|name| !name.starts_with("APP_"));
    provider
}

/// Whether a switch among variables is on.
pub(crate) fn is_on(value: Option<&str>) -> bool {
    value.is_some_and(|value| !["", "0", "false", "no", "off"].contains(&&*value.to_ascii_lowercase()))
}

/// The text in quotes at the start of what follows a `=`.
fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let sign = text.chars().next().filter(|sign| matches!(sign, '"' | '\''))?;
    text[1..].split(sign).next()
}

/// Variables that a configuration of Codex names for the provider that it is set to, and that provider. Reads the tables as Codex's
/// documentation writes them.
pub(crate) fn of_codex(config: &str) -> (String, Vec<String>) {
    let mut table = String::new();
    let mut lines = Vec::new();
    for line in config.lines().map(str::trim) {
        if let Some(header) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            table = header.replace(['"', '\'', ' '], "");
        } else if let Some((key, value)) = line.split_once('=') {
            lines.push((table.clone(), key.trim().trim_matches('"').to_owned(), value.trim().to_owned()));
        }
    }
    let text = |table: &str, key: &str| {
        let found = lines.iter().find(|(of, name, _)| of == table && name == key);
        found.and_then(|(_, _, value)| quoted(value)).map(str::to_owned)
    };
    let of_profile = text("", "profile").and_then(|profile| text(&format!("profiles.{profile}"), "model_provider"));
    let active = of_profile.or_else(|| text("", "model_provider")).unwrap_or_default();
    let own = format!("model_providers.{active}");
    let mut vars: Vec<String> = text(&own, "env_key").into_iter().collect();
    for (table, key, value) in &lines {
        if *table == own && key == "env_http_headers" {
            vars.extend(value.split('=').skip(1).filter_map(quoted).map(str::to_owned));
        } else if *table == format!("{own}.env_http_headers") {
            vars.extend(quoted(value).map(str::to_owned));
        }
    }
    (active, vars)
}

/// Names in `{env:NAME}`, which a configuration of OpenCode has filled in from the environment.
pub(crate) fn in_braces(config: &str) -> Vec<String> {
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let found = config.split("{env:").skip(1).filter_map(|rest| rest.split('}').next()).map(str::trim);
    found.filter(is_name).map(str::to_owned).collect()
}
