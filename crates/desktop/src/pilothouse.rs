//! The Pilothouse that runs with a data directory: finds or starts it, signs in, and follows its commands.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use url::Url;

/// The stream of commands.
pub type Stream = Box<dyn BufRead + Send>;

/// What the window says of itself.
#[derive(Debug, Clone, Default)]
pub struct About {
    pub raise_problem: Option<String>,
    pub keys_problem: Option<String>,
}

/// The running Pilothouse.
pub struct Pilothouse {
    program: PathBuf,
    data_dir: Option<PathBuf>,
    signed_in: Mutex<SignedIn>,
}

#[derive(Clone)]
struct SignedIn {
    base: Url,
    token: String,
}

impl Pilothouse {
    /// Signs in to the one that runs, or starts one.
    pub fn reach(data_dir: Option<&Path>) -> Result<Pilothouse, String> {
        let program = program()?;
        let signed_in = match sign_in(&program, data_dir) {
            Ok(signed_in) => signed_in,
            Err(_) => {
                start(&program, data_dir)?;
                sign_in(&program, data_dir)?
            }
        };
        Ok(Pilothouse { program, data_dir: data_dir.map(Path::to_owned), signed_in: Mutex::new(signed_in) })
    }

    /// Signs in again, after Pilothouse has restarted.
    pub fn reach_again(&self) -> Result<(), String> {
        let signed_in = sign_in(&self.program, self.data_dir.as_deref())?;
        *self.signed_in.lock().expect("no panic while held") = signed_in;
        Ok(())
    }

    /// The data directory.
    pub fn data_dir(&self) -> Result<PathBuf, String> {
        let status = self.get("/window")?;
        status["dataDir"].as_str().map(PathBuf::from).ok_or_else(|| "Pilothouse didn't name its data directory.".into())
    }

    /// The address of its pages.
    pub fn base(&self) -> Url {
        self.signed_in().base
    }

    /// Becomes the window: the stream of commands. `None` if there is one already.
    pub fn follow(&self, about: &About) -> Result<Option<Stream>, String> {
        let SignedIn { base, token } = self.signed_in();
        let mut request = agent()
            .get(at(&base, "/window/commands"))
            .header("authorization", format!("Bearer {token}"))
            .query("version", env!("CARGO_PKG_VERSION"));
        for (name, problem) in [("raiseProblem", &about.raise_problem), ("keysProblem", &about.keys_problem)] {
            if let Some(problem) = problem {
                request = request.query(name, problem);
            }
        }
        let response = request.call().map_err(|e| unreachable(&e))?;
        match response.status().as_u16() {
            200 => {
                let body = response.into_body().into_with_config().limit(u64::MAX).reader();
                Ok(Some(Box::new(BufReader::with_capacity(1, body))))
            }
            409 => Ok(None),
            status => Err(problem(status, response)),
        }
    }

    /// Brings the window that is open to the front.
    pub fn raise(&self, page: Option<&str>) -> Result<(), String> {
        let body = page.map_or_else(|| json!({}), |page| json!({ "page": page }));
        self.post("/window/raise", &body).map(drop)
    }

    /// Tells that the user closed the window for the first time.
    pub fn hidden(&self) -> Result<(), String> {
        self.post("/window/hidden", &json!({})).map(drop)
    }

    /// The page of the oldest thing that needs the user.
    pub fn next_need(&self) -> Result<Option<String>, String> {
        let needs = self.get("/sessions/needs?limit=1")?;
        Ok(needs["items"][0]["link"].as_str().map(str::to_owned))
    }

    /// Says where a note's window is.
    pub fn note_is_at(&self, id: &str, (x, y): (i32, i32), (width, height): (u32, u32)) -> Result<(), String> {
        let place = json!({"x": x, "y": y, "width": width, "height": height});
        let SignedIn { base, token } = self.signed_in();
        let request = agent().put(at(&base, &format!("/notes/{id}/place")));
        answer(request.header("authorization", format!("Bearer {token}")).send_json(place)).map(drop)
    }

    /// Says that the user closed a note's window.
    pub fn note_is_closed(&self, id: &str) -> Result<(), String> {
        let SignedIn { base, token } = self.signed_in();
        let request = agent().patch(at(&base, &format!("/notes/{id}")));
        answer(request.header("authorization", format!("Bearer {token}")).send_json(json!({"isOpen": false}))).map(drop)
    }

    /// The address of a page that is signed in when it opens.
    pub fn sign_in_link(&self, page: &str) -> Result<String, String> {
        let answer = self.post("/login/codes", &json!({}))?;
        let code = answer["code"].as_str().ok_or("Pilothouse returned no sign-in code.")?;
        Ok(format!("{}#c={code}", at(&self.base(), page)))
    }

    fn signed_in(&self) -> SignedIn {
        self.signed_in.lock().expect("no panic while held").clone()
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        let SignedIn { base, token } = self.signed_in();
        let request = agent().post(at(&base, path)).header("authorization", format!("Bearer {token}"));
        answer(request.send_json(body))
    }

    fn get(&self, path: &str) -> Result<Value, String> {
        let SignedIn { base, token } = self.signed_in();
        answer(agent().get(at(&base, path)).header("authorization", format!("Bearer {token}")).call())
    }
}

/// Requests over loopback only: no proxy of the environment. A status of an error is an answer too.
fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().proxy(None).http_status_as_error(false).max_redirects(0).build().into()
}

fn at(base: &Url, path: &str) -> String {
    format!("{}{path}", base.as_str().trim_end_matches('/'))
}

fn answer(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value, String> {
    let mut response = response.map_err(|e| unreachable(&e))?;
    match response.status().as_u16() {
        204 => Ok(Value::Null),
        200..=299 => response.body_mut().read_json().or(Ok(Value::Null)),
        status => Err(problem(status, response)),
    }
}

fn problem(status: u16, mut response: ureq::http::Response<ureq::Body>) -> String {
    let body: Value = response.body_mut().read_json().unwrap_or_default();
    body["detail"].as_str().map_or_else(|| format!("Pilothouse answered with status {status}."), str::to_owned)
}

fn unreachable(error: &ureq::Error) -> String {
    format!("Can't reach Pilothouse: {error}")
}

/// The program beside this one, or else the one on the PATH.
fn program() -> Result<PathBuf, String> {
    let name = if cfg!(windows) { "pilothouse.exe" } else { "pilothouse" };
    let beside = std::env::current_exe().ok().and_then(|own| Some(own.parent()?.join(name)));
    if let Some(beside) = beside.filter(|file| file.is_file()) {
        return Ok(beside);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file());
    on_path.ok_or_else(|| format!("Can't find {name}. Put it beside this program or on the PATH."))
}

fn with_dir<'a>(command: &'a mut Command, data_dir: Option<&Path>) -> &'a mut Command {
    match data_dir {
        Some(dir) => command.arg("--data-dir").arg(dir),
        None => command,
    }
}

/// Exchanges a sign-in link, which only this user can get, for a token.
fn sign_in(program: &Path, data_dir: Option<&Path>) -> Result<SignedIn, String> {
    let mut command = Command::new(program);
    with_dir(command.args(["open", "--print"]), data_dir);
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("{}: {e}", program.display()))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if !output.status.success() {
        return Err(said(&output.stderr));
    }
    let link = said(&output.stdout);
    let wrong = || "Pilothouse printed no sign-in link.".to_owned();
    let mut base = Url::parse(&link).map_err(|_| wrong())?;
    let code = base.fragment().and_then(|it| it.strip_prefix("c=")).ok_or_else(wrong)?.to_owned();
    base.set_fragment(None);
    base.set_path("");
    let login = answer(agent().post(at(&base, "/login")).send_json(json!({ "code": code })))?;
    let token = login["token"].as_str().ok_or_else(wrong)?.to_owned();
    Ok(SignedIn { base, token })
}

/// Starts Pilothouse, which outlives the window, and waits until it listens.
fn start(program: &Path, data_dir: Option<&Path>) -> Result<(), String> {
    let mut command = Command::new(program);
    with_dir(command.arg("serve"), data_dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|e| format!("{}: {e}", program.display()))?;
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("piped"));
    let read = output.read_line(&mut line);
    if matches!(read, Ok(count) if count > 0) {
        // Read to their ends, so that the program is never held up by a full pipe.
        let mut errors = child.stderr.take().expect("piped");
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::stderr()));
        std::thread::spawn(move || child.wait());
        return Ok(());
    }
    let mut errors = String::new();
    let _ = child.stderr.take().expect("piped").read_to_string(&mut errors);
    let _ = child.wait();
    Err(if errors.trim().is_empty() { "Pilothouse ended at its start.".into() } else { errors.trim().to_owned() })
}
