//! The sensitive places and names, one per row.

use super::What;
use super::path::Platform;

/// The start of a row's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// In the home folder.
    Home,
    /// At the root of the file system.
    Root,
    /// Anywhere: it's the name of a file or folder.
    Anywhere,
}

/// The platforms of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct On(u8);

impl On {
    const ALL: On = On(7);
    const W: On = On(1);
    const M: On = On(2);
    const L: On = On(4);
    const UNIX: On = On(6);

    pub(super) fn contains(self, platform: Platform) -> bool {
        self.0 & (1 << platform as u8) != 0
    }
}

/// A place, with everything below it.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) at: At,
    pub(super) path: &'static str,
    pub(super) platforms: On,
    /// Whether reading it is sensitive too, or only changing it.
    pub(super) is_read: bool,
    pub(super) what: What,
}

const fn row(at: At, path: &'static str, platforms: On, is_read: bool, what: What) -> Row {
    Row { at, path, platforms, is_read, what }
}

const fn home(path: &'static str, what: What) -> Row {
    row(At::Home, path, On::ALL, true, what)
}

const fn home_on(platforms: On, path: &'static str, what: What) -> Row {
    row(At::Home, path, platforms, true, what)
}

const fn root(platforms: On, path: &'static str, what: What) -> Row {
    row(At::Root, path, platforms, true, what)
}

const fn system(platforms: On, path: &'static str) -> Row {
    row(At::Root, path, platforms, false, "a system file")
}

const fn named(name: &'static str, what: What) -> Row {
    row(At::Anywhere, name, On::ALL, true, what)
}

const SSH: What = "an SSH key or setting";
const CLOUD: What = "a cloud credential";
const PACKAGES: What = "a package registry credential";
const CODE: What = "a code host credential";
const DATABASE: What = "a database credential";
const BROWSER: What = "a browser's password or cookie store";
const KEYS: What = "a key or password store";
const HISTORY: What = "a command history, which may contain secrets";
const ENGINE: What = "a coding agent's login";
const STARTUP: What = "a file that runs automatically at login";
const PROCESS: What = "a process's memory or environment";
const ENV: What = "an environment file, which may contain secrets";
const KEY_FILE: What = "a private key";
const SECRETS: What = "a system secret";

pub(super) const ROWS: &[Row] = &[
    home(".ssh", SSH),
    root(On::UNIX, "/etc/ssh", SSH),
    root(On::W, "C:/ProgramData/ssh", SSH),
    home(".aws", CLOUD),
    home(".azure", CLOUD),
    home(".config/gcloud", CLOUD),
    home_on(On::W, "AppData/Roaming/gcloud", CLOUD),
    home(".kube", CLOUD),
    home(".docker/config.json", CLOUD),
    home(".config/containers/auth.json", CLOUD),
    home(".terraform.d/credentials.tfrc.json", CLOUD),
    home(".terraformrc", CLOUD),
    home(".vault-token", CLOUD),
    home(".oci", CLOUD),
    home(".config/doctl", CLOUD),
    home(".config/heroku", CLOUD),
    home(".fly", CLOUD),
    home(".config/rclone", CLOUD),
    home(".s3cfg", CLOUD),
    home(".boto", CLOUD),
    home(".npmrc", PACKAGES),
    home(".yarnrc.yml", PACKAGES),
    home(".pypirc", PACKAGES),
    home(".config/pip", PACKAGES),
    home(".cargo/credentials", PACKAGES),
    home(".cargo/credentials.toml", PACKAGES),
    home(".gem/credentials", PACKAGES),
    home(".bundle/config", PACKAGES),
    home(".m2/settings.xml", PACKAGES),
    home(".m2/settings-security.xml", PACKAGES),
    home(".gradle/gradle.properties", PACKAGES),
    home(".nuget/NuGet/NuGet.Config", PACKAGES),
    home(".composer/auth.json", PACKAGES),
    home(".config/composer/auth.json", PACKAGES),
    home(".netrc", CODE),
    home("_netrc", CODE),
    home(".git-credentials", CODE),
    home(".config/git/credentials", CODE),
    home(".config/gh", CODE),
    home(".config/hub", CODE),
    home(".config/glab-cli", CODE),
    home(".pgpass", DATABASE),
    home(".my.cnf", DATABASE),
    home(".mylogin.cnf", DATABASE),
    home_on(On::L, ".mozilla", BROWSER),
    home_on(On::L, ".config/google-chrome", BROWSER),
    home_on(On::L, ".config/chromium", BROWSER),
    home_on(On::L, ".config/BraveSoftware", BROWSER),
    home_on(On::L, ".config/microsoft-edge", BROWSER),
    home_on(On::L, ".config/vivaldi", BROWSER),
    home_on(On::L, ".thunderbird", BROWSER),
    home_on(On::L, "snap/firefox", BROWSER),
    home_on(On::M, "Library/Application Support/Google/Chrome", BROWSER),
    home_on(On::M, "Library/Application Support/Chromium", BROWSER),
    home_on(On::M, "Library/Application Support/BraveSoftware", BROWSER),
    home_on(On::M, "Library/Application Support/Microsoft Edge", BROWSER),
    home_on(On::M, "Library/Application Support/Firefox", BROWSER),
    home_on(On::M, "Library/Safari", BROWSER),
    home_on(On::M, "Library/Cookies", BROWSER),
    home_on(On::W, "AppData/Local/Google/Chrome/User Data", BROWSER),
    home_on(On::W, "AppData/Local/Chromium/User Data", BROWSER),
    home_on(On::W, "AppData/Local/BraveSoftware", BROWSER),
    home_on(On::W, "AppData/Local/Microsoft/Edge/User Data", BROWSER),
    home_on(On::W, "AppData/Roaming/Mozilla", BROWSER),
    home(".gnupg", KEYS),
    home(".password-store", KEYS),
    home(".config/op", KEYS),
    home(".config/1Password", KEYS),
    home(".config/Bitwarden", KEYS),
    home_on(On::L, ".local/share/keyrings", KEYS),
    home_on(On::L, ".local/share/kwalletd", KEYS),
    home_on(On::M, "Library/Keychains", KEYS),
    home_on(On::M, "Library/Application Support/com.apple.TCC", KEYS),
    root(On::M, "/Library/Keychains", KEYS),
    home_on(On::W, "AppData/Roaming/Microsoft/Credentials", KEYS),
    home_on(On::W, "AppData/Local/Microsoft/Credentials", KEYS),
    home_on(On::W, "AppData/Roaming/Microsoft/Protect", KEYS),
    home_on(On::W, "AppData/Local/Microsoft/Vault", KEYS),
    home(".bash_history", HISTORY),
    home(".zsh_history", HISTORY),
    home(".zhistory", HISTORY),
    home(".local/share/fish/fish_history", HISTORY),
    home(".python_history", HISTORY),
    home(".node_repl_history", HISTORY),
    home(".psql_history", HISTORY),
    home(".mysql_history", HISTORY),
    home(".rediscli_history", HISTORY),
    home_on(On::W, "AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine", HISTORY),
    home(".claude/.credentials.json", ENGINE),
    home(".claude.json", ENGINE),
    home(".codex/auth.json", ENGINE),
    home(".local/share/opencode/auth.json", ENGINE),
    home(".gemini/oauth_creds.json", ENGINE),
    home(".bashrc", STARTUP),
    home(".bash_profile", STARTUP),
    home(".bash_login", STARTUP),
    home(".profile", STARTUP),
    home(".zshrc", STARTUP),
    home(".zshenv", STARTUP),
    home(".zprofile", STARTUP),
    home(".config/fish/config.fish", STARTUP),
    home(".config/autostart", STARTUP),
    home(".config/systemd/user", STARTUP),
    home_on(On::M, "Library/LaunchAgents", STARTUP),
    home_on(On::W, "AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup", STARTUP),
    root(On::L, "/proc/*/environ", PROCESS),
    root(On::L, "/proc/*/mem", PROCESS),
    root(On::L, "/proc/*/maps", PROCESS),
    root(On::L, "/proc/*/fd", PROCESS),
    root(On::L, "/proc/*/cwd", PROCESS),
    root(On::L, "/proc/*/task", PROCESS),
    root(On::L, "/proc/kcore", PROCESS),
    root(On::UNIX, "/dev/mem", PROCESS),
    root(On::UNIX, "/dev/sd*", SECRETS),
    root(On::UNIX, "/dev/nvme*", SECRETS),
    root(On::UNIX, "/dev/disk", SECRETS),
    root(On::UNIX, "/etc/shadow", SECRETS),
    root(On::UNIX, "/etc/shadow-", SECRETS),
    root(On::UNIX, "/etc/gshadow", SECRETS),
    root(On::UNIX, "/etc/sudoers", SECRETS),
    root(On::UNIX, "/etc/sudoers.d", SECRETS),
    root(On::UNIX, "/etc/master.passwd", SECRETS),
    root(On::UNIX, "/etc/krb5.keytab", SECRETS),
    root(On::UNIX, "/etc/ssl/private", SECRETS),
    root(On::UNIX, "/var/run/docker.sock", SECRETS),
    root(On::UNIX, "/run/docker.sock", SECRETS),
    root(On::UNIX, "/run/secrets", SECRETS),
    root(On::UNIX, "/var/lib/docker", SECRETS),
    root(On::UNIX, "/var/spool/cron", SECRETS),
    root(On::M, "/var/db", SECRETS),
    root(On::W, "C:/Windows/System32/config", SECRETS),
    system(On::UNIX, "/etc"),
    system(On::UNIX, "/usr"),
    system(On::UNIX, "/bin"),
    system(On::UNIX, "/sbin"),
    system(On::UNIX, "/boot"),
    system(On::L, "/lib"),
    system(On::L, "/lib64"),
    system(On::L, "/sys"),
    system(On::L, "/proc"),
    system(On::L, "/var/lib"),
    system(On::M, "/System"),
    system(On::M, "/Library"),
    system(On::W, "C:/Windows"),
    system(On::W, "C:/Program Files"),
    system(On::W, "C:/Program Files (x86)"),
    system(On::W, "C:/ProgramData"),
    named(".env", ENV),
    named(".env.*", ENV),
    named(".envrc", ENV),
    named("id_rsa", KEY_FILE),
    named("id_dsa", KEY_FILE),
    named("id_ecdsa", KEY_FILE),
    named("id_ecdsa_sk", KEY_FILE),
    named("id_ed25519", KEY_FILE),
    named("id_ed25519_sk", KEY_FILE),
    named("*.pem", KEY_FILE),
    named("*.ppk", KEY_FILE),
    named("*.p12", KEY_FILE),
    named("*.pfx", KEY_FILE),
    named("*.jks", KEY_FILE),
    named("*.keystore", KEY_FILE),
    named("*.kdbx", KEYS),
];

/// Examples of environment files are meant to be read.
pub(super) fn is_sample(name: &str) -> bool {
    [".example", ".sample", ".template", ".dist", ".defaults"].iter().any(|end| name.ends_with(end))
}

/// Whether the name matches the pattern: `*` is any text, `?` one character. Patterns with more than eight stars always
/// match: nobody needs them, and they are slow.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    if pattern.matches('*').count() > 8 {
        return true;
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // The position of the last star, and how much of the name it has matched so far.
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        if p < pattern.len() && pattern[p] == '*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && (pattern[p] == '?' || pattern[p] == name[n]) {
            (p, n) = (p + 1, n + 1);
        } else if let Some((at, taken)) = star {
            star = Some((at, taken + 1));
            (p, n) = (at + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}
