//! What an approved command may use although the sandbox hides it, by the programs that its line runs.
//!
//! Deliberately not here: whether any of it exists, and which remotes a repository has.

use crate::sensitive::commands;

/// Credentials that belong together.
#[derive(Debug, PartialEq, Eq)]
pub struct Access {
    /// What it is, for the request's card.
    pub words: &'static str,
    /// Files and folders in the home folder.
    pub files: &'static [&'static str],
    /// Texts of which a file contains one if it holds a credential; empty if it always does.
    pub signs: &'static [&'static str],
    /// Environment variables.
    pub vars: &'static [&'static str],
    /// Whether a service of the user's session may hold it, such as a keyring.
    pub is_in_services: bool,
}

const fn files(words: &'static str, files: &'static [&'static str], vars: &'static [&'static str]) -> Access {
    Access { words, files, signs: &[], vars, is_in_services: false }
}

/// SSH keys, and the agent that holds them.
pub static SSH: Access = files("SSH keys", &[".ssh"], &["SSH_AUTH_SOCK"]);
/// Logins of git over HTTPS.
pub static GIT_LOGIN: Access = Access {
    words: "git logins",
    files: &[".git-credentials", ".config/git/credentials", ".netrc", ".config/gh", ".config/glab-cli"],
    signs: &[],
    vars: &["GH_TOKEN", "GITHUB_TOKEN", "GITLAB_TOKEN", "GH_HOST", "GH_CONFIG_DIR"],
    is_in_services: true,
};
/// Keys that sign commits.
pub static SIGNING: Access = Access {
    words: "signing keys",
    files: &[".gnupg", ".ssh"],
    signs: &[],
    vars: &["SSH_AUTH_SOCK", "GNUPGHOME"],
    is_in_services: true,
};

static GITHUB: Access = Access {
    words: "GitHub login",
    files: &[".config/gh"],
    signs: &[],
    vars: &["GH_TOKEN", "GITHUB_TOKEN", "GH_HOST", "GH_CONFIG_DIR"],
    is_in_services: true,
};
static GITLAB: Access = files("GitLab login", &[".config/glab-cli"], &["GITLAB_TOKEN", "GITLAB_HOST"]);
static NPM: Access = Access {
    words: "npm registry login",
    files: &[".npmrc", ".yarnrc.yml"],
    signs: &["_auth", "_password", "npmAuth"],
    vars: &["NPM_TOKEN", "NODE_AUTH_TOKEN", "NPM_CONFIG_USERCONFIG"],
    is_in_services: false,
};
static PYTHON: Access = files(
    "Python package index login",
    &[".pypirc", ".config/pip", ".netrc"],
    &["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "TWINE_USERNAME", "TWINE_PASSWORD"],
);
static CARGO: Access =
    files("Cargo registry login", &[".cargo/credentials", ".cargo/credentials.toml"], &["CARGO_REGISTRY_TOKEN"]);
static RUBY: Access = files("Ruby package login", &[".gem/credentials", ".bundle/config"], &["GEM_HOST_API_KEY"]);
static JAVA: Access = files(
    "Maven and Gradle logins",
    &[".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties"],
    &[],
);
static DOTNET: Access = files("NuGet login", &[".nuget/NuGet/NuGet.Config"], &[]);
static PHP: Access =
    files("Composer login", &[".composer/auth.json", ".config/composer/auth.json"], &["COMPOSER_AUTH"]);
static DOCKER: Access =
    files("container registry login", &[".docker/config.json", ".config/containers/auth.json"], &["DOCKER_CONFIG"]);
static KUBERNETES: Access = files("Kubernetes login", &[".kube"], &["KUBECONFIG"]);
static AWS: Access = files(
    "AWS login",
    &[".aws"],
    &["AWS_PROFILE", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
);
static AZURE: Access = files("Azure login", &[".azure"], &[]);
static GOOGLE: Access = files("Google Cloud login", &[".config/gcloud"], &["GOOGLE_APPLICATION_CREDENTIALS"]);
static TERRAFORM: Access =
    files("Terraform login", &[".terraform.d/credentials.tfrc.json", ".terraformrc", ".aws"], &[]);
static FLY: Access = files("Fly.io login", &[".fly"], &["FLY_API_TOKEN"]);
static DATABASE: Access = files("database login", &[".pgpass", ".my.cnf", ".mylogin.cnf"], &["PGPASSWORD"]);

/// Programs, and what they log in with.
static PROGRAMS: &[(&[&str], &Access)] = &[
    (&["gh"], &GITHUB),
    (&["glab"], &GITLAB),
    (&["ssh", "scp", "sftp", "rsync"], &SSH),
    (&["npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx"], &NPM),
    (&["pip", "pip3", "pipx", "uv", "uvx", "poetry", "pdm", "twine", "hatch"], &PYTHON),
    (&["cargo"], &CARGO),
    (&["gem", "bundle"], &RUBY),
    (&["mvn", "mvnw", "gradle", "gradlew"], &JAVA),
    (&["dotnet", "nuget"], &DOTNET),
    (&["composer"], &PHP),
    (&["docker", "podman", "buildah", "skopeo"], &DOCKER),
    (&["kubectl", "helm"], &KUBERNETES),
    (&["aws", "sam", "cdk"], &AWS),
    (&["az"], &AZURE),
    (&["gcloud", "gsutil", "bq"], &GOOGLE),
    (&["terraform", "tofu"], &TERRAFORM),
    (&["fly", "flyctl"], &FLY),
    (&["psql", "pg_dump", "mysql", "mysqldump"], &DATABASE),
];

/// Commands of git that connect to another repository.
const CONNECTS: &[&str] = &["push", "fetch", "pull", "clone", "ls-remote", "submodule", "lfs", "remote", "archive"];
/// Commands of git that can sign.
const SIGNS: &[&str] = &["commit", "tag", "merge", "rebase", "revert", "cherry-pick", "am", "pull"];
/// Options of git before its command that have a value of their own.
const WITH_VALUE: &[&str] = &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"];

/// What a command may need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// These credentials.
    Access(&'static Access),
    /// Those of a git remote with this address, or of the repository's remotes.
    Remote(Option<String>),
    /// Those for signing, if the user's git signs.
    Signature,
}

/// What a command line may need, each once.
pub fn needs(line: &str) -> Vec<Need> {
    let mut found = Vec::new();
    let mut add = |need: Need| {
        if !found.contains(&need) {
            found.push(need);
        }
    };
    for words in commands(line) {
        let Some((name, rest)) = words.split_first() else { continue };
        if let Some((_, access)) = PROGRAMS.iter().find(|(names, _)| names.contains(&&**name)) {
            add(Need::Access(access));
        }
        // It pushes the branch itself.
        if matches!(&**name, "gh" | "glab") {
            add(Need::Remote(None));
        }
        if name == "git"
            && let Some((command, args)) = git_command(rest)
        {
            if CONNECTS.contains(&command) {
                add(Need::Remote(args.iter().find(|arg| is_address(arg)).cloned()));
            }
            if SIGNS.contains(&command) {
                add(Need::Signature);
            }
        }
    }
    found
}

/// Programs that external engines may have run with the user's logins. These programs never show what they log in with,
/// in the forms that [`is_discreet`] admits.
pub const DISCREET: &[&str] = &["git", "gh", "npm"];

/// Commands of those programs that are admitted, as far as they have any.
const DISCREET_FORMS: &[(&str, &[&str])] = &[
    ("git", &["push", "fetch", "pull", "clone", "ls-remote"]),
    ("gh", &["pr", "issue", "run", "workflow"]),
    ("npm", &["ci", "install", "i", "add", "update", "outdated", "view"]),
];
/// Options that run a program or read a file of the caller's choice.
const REVEALING: &[&str] = &[
    "-c",
    "-u",
    "-F",
    "-T",
    "--config",
    "--exec",
    "--upload-pack",
    "--receive-pack",
    "--template",
    "--body-file",
    "--input",
    "--recover",
    "--editor",
    "--git-dir",
    "--work-tree",
    "--exec-path",
    "--config-env",
    "--separate-git-dir",
    "--userconfig",
    "--globalconfig",
    "--script-shell",
    "--shell",
    "--git",
    "--node-options",
    "--ignore-scripts",
    "--prefix",
    "-g",
    "--global",
    "--cafile",
    "--strict-ssl",
    "--install-links",
];

/// Whether a command, as its program gets it, can use a login without showing it or running something of the caller's
/// choice with it.
pub fn is_discreet(program: &str, args: &[String]) -> bool {
    let forms = DISCREET_FORMS.iter().find(|(name, _)| *name == program).map_or(&[][..], |(_, forms)| forms);
    let is_revealing = |arg: &String| {
        let name = arg.split('=').next().unwrap_or(arg);
        // `git push -u` only sets the branch's remote.
        let is_upstream = program == "git" && name == "-u" && args.first().is_some_and(|form| form == "push");
        let is_joined = |option: &&str| option.len() == 2 && !arg.starts_with("--") && arg.starts_with(*option);
        !is_upstream && (REVEALING.contains(&name) || REVEALING.iter().any(is_joined)) || arg.contains("::")
    };
    args.first().is_some_and(|form| forms.contains(&&**form)) && !args.iter().any(is_revealing)
}

/// The commands of a line that are admitted for external engines: the program and its arguments. Words that the shell
/// still changes match nothing that runs, so such a command isn't admitted.
pub fn discreet(line: &str) -> Vec<(String, Vec<String>)> {
    const REDIRECTIONS: [&str; 5] = ["2>&1", ">&2", ">/dev/null", "2>/dev/null", "&>/dev/null"];
    // With what ends the command right after it.
    let rest = |word| REDIRECTIONS.iter().find_map(|one| str::strip_prefix(word, one)).filter(|rest| rest.len() < 2);
    let words: Vec<&str> = line.split(' ').map(|word| rest(word).unwrap_or(word)).collect();
    let line = &*words.join(" ");
    let split = |mut words: Vec<String>| (!words.is_empty()).then(|| (words.remove(0), words));
    let all = commands(line).into_iter().filter_map(split);
    all.filter(|(program, args)| is_discreet(program, args)).collect()
}

/// Git's command and its arguments.
fn git_command(words: &[String]) -> Option<(&str, &[String])> {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += if WITH_VALUE.contains(&&**word) { 2 } else { 1 };
    }
    words.get(at).map(|command| (&**command, &words[at + 1..]))
}

fn is_address(word: &str) -> bool {
    !word.starts_with('-') && access_of(word).is_some()
}

/// The credentials for a git remote's address; none for a folder, or a protocol without any.
pub fn access_of(address: &str) -> Option<&'static Access> {
    match address.split_once("://") {
        Some(("https" | "http", _)) => Some(&GIT_LOGIN),
        Some(("ssh" | "git+ssh" | "ssh+git", _)) => Some(&SSH),
        Some(_) => None,
        // `host:path`: git takes it for a folder if there's a slash before the colon. A refspec has no `@`, and no dot in
        // its first part is common.
        None => {
            let (host, path) = address.split_once(':')?;
            let is_host = !host.contains('/') && (host.contains('@') || host.contains('.'));
            (is_host && !path.is_empty() && !host.starts_with('+')).then_some(&SSH)
        }
    }
}
