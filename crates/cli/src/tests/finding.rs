//! Which program is spoken to, and who gets a token.

use super::support::{Fake, Ran, SESSION_TOKEN, TOKEN, World, data_dir, health, proof, write_token};
use crate::address::Address;
use crate::http::Http;
use crate::token::Token;
use crate::{EXIT_NOT_RUNNING, EXIT_OK, EXIT_REFUSED, EXIT_USAGE};
use serde_json::{Value, json};
use std::net::TcpListener;

fn list(dir: &std::path::Path, more: &[&str], env: &[(&str, &str)]) -> Ran {
    let words = [&["boards", "list", "--json", "--data-dir", dir.to_str().unwrap()], more].concat();
    World { env, ..World::default() }.run(&words)
}

#[test]
fn the_token_goes_to_a_program_that_has_proved_itself() {
    let fake = Fake::genuine(|_| (200, "", r#"{"items": []}"#.into()));
    let dir = data_dir(&fake.base);
    let ran = list(dir.path(), &[], &[]);
    assert_eq!(ran, Ran { code: EXIT_OK, out: "{\"items\": []}\n".into(), err: String::new() });
    let [health, request] = &fake.all()[..] else { panic!("{:?}", fake.all()) };
    assert!(!health.head.contains(TOKEN));
    let challenge = health.line.strip_prefix("GET /health?challenge=").unwrap();
    assert!(challenge.len() == 64 && challenge.bytes().all(|b| b.is_ascii_hexdigit()), "{challenge}");
    assert!(request.has(&format!("authorization: Bearer {TOKEN}")), "{}", request.head);
    assert!(request.has("user-agent: pilothouse-cli/1.2.3"), "{}", request.head);
}

/// The client would read the process's own environment, so another process has it set.
#[test]
fn a_proxy_of_the_environment_is_not_used() {
    let nobody = "http://127.0.0.1:1";
    let run = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::finding::the_token_goes_to_a_program_that_has_proved_itself"])
        .envs(["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"].map(|name| (name, nobody)))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy")
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && out.contains("1 passed"), "{out}");
}

#[test]
fn a_program_without_a_free_connection_is_not_called_a_stranger() {
    let problem = json!({"title": "Too many connections", "detail": "All connections are busy.",
        "code": "too-many-connections"});
    let fake = Fake::start(move |_, _| (503, "retry-after: 1\r\n", problem.to_string()));
    let dir = data_dir(&fake.base);
    let ran = World::default().run(&["boards", "list", "--data-dir", dir.path().to_str().unwrap()]);
    let err = "Too many connections: All connections are busy.\nRetry in 1 s.\n(too-many-connections)\n";
    assert_eq!(ran, Ran { code: EXIT_REFUSED, out: String::new(), err: err.into() });
    assert!(fake.requests().is_empty(), "no token is sent");
}

/// What a program answers that does not know the token, or passes the challenge on to the one that does.
type Squatter = fn(&str, &str) -> Value;
const SQUATTERS: [Squatter; 8] = [
    |_, _| json!({}),
    |_, _| json!("not an object"),
    |challenge, host| signed(b"another token", challenge, host),
    |asked, _| health(asked, "127.0.0.1:19519"),
    |_, host| health("an older challenge", host),
    |asked, host| {
        let mut answer = health(asked, host);
        for member in ["proof", "tokenProof"] {
            answer[member] = answer[member].as_str().map(|proof| proof[..62].to_owned()).into();
        }
        answer
    },
    // What is no secret is no key.
    |asked, host| signed(asked.split_once("&of=").map_or("", |(_, of)| of).as_bytes(), asked, host),
    // The proof of one token is none of another.
    |asked, host| {
        let answer = health(asked, host);
        json!({"proof": answer["tokenProof"], "tokenProof": answer["proof"]})
    },
];

fn signed(key: &[u8], asked: &str, host: &str) -> Value {
    let challenge = asked.split('&').next().unwrap_or_default();
    json!({"proof": proof(key, challenge, host), "tokenProof": proof(key, challenge, host)})
}

#[test]
fn a_squatter_never_sees_a_token() {
    for (i, answer) in SQUATTERS.into_iter().enumerate() {
        for of_session in [false, true] {
            let fake = Fake::start(move |request, host| {
                let asked = request.line.strip_prefix("GET /health?challenge=").unwrap_or_default();
                (200, "", answer(asked, host).to_string())
            });
            let ran = if of_session {
                let env = [("APP_BASE_URL", fake.base.as_str()), ("APP_CLI_TOKEN", SESSION_TOKEN)];
                World { env: &env, ..World::default() }.run(&["boards", "list", "--json"])
            } else {
                list(data_dir(&fake.base).path(), &[], &[])
            };
            assert_eq!(ran.code, EXIT_REFUSED, "{i}");
            let host = fake.base.trim_start_matches("http://");
            let said = format!("The program on {host} couldn't prove that it knows the token in ");
            assert!(ran.out.contains(&said) && ran.out.contains("\"code\":\"not-proved\""), "{i}: {}", ran.out);
            let [health] = &fake.all()[..] else { panic!("{i}: {:?}", fake.all()) };
            assert!(!health.head.contains(TOKEN) && !health.head.contains(SESSION_TOKEN), "{i}");
        }
    }
}

#[test]
fn a_token_that_is_named_by_its_file_is_proved_too() {
    let fake = Fake::genuine(|_| (200, "", "{}".into()));
    let dir = data_dir(&fake.base);
    let file = dir.path().join("t");
    let of_file = |token: &str| {
        write_token(&file, token);
        list(dir.path(), &["--token-file", file.to_str().unwrap()], &[])
    };
    assert_eq!(of_file(SESSION_TOKEN).code, EXIT_OK);
    assert!(fake.requests()[0].has(&format!("authorization: Bearer {SESSION_TOKEN}")));
    assert!(of_file("ph_ses_1_that_was_revoked").out.contains("not-proved"));
    assert!(of_file("ph_cli_of_another_program").out.contains("not-proved"));
    assert_eq!(fake.requests().len(), 1);
}

/// Behind a name of another machine the program is reached by one of its own.
#[test]
fn elsewhere_the_proof_is_over_the_host_that_the_program_names() {
    let connect = |fake: &Fake, loopback: bool| {
        let mut address = Address::read(&fake.base).ok().unwrap();
        address.loopback = loopback;
        Http::new(address, "0").trust_when_proved(Token::from_text(SESSION_TOKEN).unwrap(), "t").is_ok()
    };
    let behind = Fake::start(|request, _| {
        let asked = request.line.strip_prefix("GET /health?challenge=").unwrap_or_default();
        (200, "", health(asked, "127.0.0.1:19519").to_string())
    });
    assert!(connect(&behind, false) && !connect(&behind, true));
    for answer in [SQUATTERS[0], SQUATTERS[2], SQUATTERS[4], SQUATTERS[6]] {
        let fake = Fake::start(move |request, host| {
            let asked = request.line.strip_prefix("GET /health?challenge=").unwrap_or_default();
            (200, "", answer(asked, host).to_string())
        });
        assert!(!connect(&fake, false));
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let other = Fake::genuine(|_| (200, "", "{}".into()));
    let location: &'static str = Box::leak(format!("location: {}/boards\r\n", other.base).into_boxed_str());
    let fake = Fake::genuine(move |_| (307, location, String::new()));
    let dir = data_dir(&fake.base);
    assert_eq!(list(dir.path(), &[], &[]).code, EXIT_REFUSED);
    assert!(other.all().is_empty());
}

#[test]
fn a_program_that_does_not_run_is_exit_code_3() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let dir = data_dir(&base);
    let run = |words: &[&str], offline: bool| {
        let refuse: &crate::Offline = &|_| Err("not asked for".into());
        let world = World { offline: offline.then_some(refuse), ..World::default() };
        world.run(&[words, &["--data-dir", dir.path().to_str().unwrap()]].concat())
    };
    let ran = run(&["boards", "list"], true);
    assert_eq!(ran.code, EXIT_NOT_RUNNING);
    assert_eq!(ran.err, format!("Nothing is running at {base}. Start Pilothouse with `pilothouse serve`.\n"));
    assert!(run(&["settings", "set", "toasts", "off"], true).err.contains("--offline"));
    assert!(!run(&["settings", "set", "toasts", "off"], false).err.contains("--offline"));
    std::fs::remove_file(dir.path().join("instance.json")).unwrap();
    let ran = run(&["settings", "get", "toasts"], true);
    assert_eq!(ran.code, EXIT_NOT_RUNNING);
    assert!(ran.err.contains("pilothouse serve") && ran.err.contains("--offline"), "{}", ran.err);
}

#[test]
fn a_copy_of_a_data_directory_does_not_lead_to_the_original() {
    let fake = Fake::genuine(|_| (200, "", "{}".into()));
    let (original, copy) = (data_dir(&fake.base), data_dir(&fake.base));
    let own = original.path().canonicalize().unwrap();
    let instance = json!({"baseUrl": fake.base, "pid": 1, "instanceId": "i", "dataDir": own}).to_string();
    for dir in [&original, &copy] {
        std::fs::write(dir.path().join("instance.json"), &instance).unwrap();
    }
    let ran = list(copy.path(), &[], &[]);
    assert_eq!(ran.code, EXIT_NOT_RUNNING);
    let said = ran.out + &ran.err;
    assert!(said.contains(&format!("belongs to the program running with {}", own.display())), "{said}");
    assert!(fake.all().is_empty());
    assert_eq!(list(original.path(), &[], &[]).code, 0);
}

#[test]
fn addresses_that_a_token_may_not_travel_to_are_refused() {
    let dir = data_dir("http://127.0.0.1:1");
    for (url, why) in [
        ("http://example.org", "needs https"),
        ("http://127.0.0.1.example.org:19519", "needs https"),
        ("http://10.0.0.1:19519", "needs https"),
        ("http://127.0.0.1:19519/x", "after the port"),
        ("http://127.0.0.1:19519@example.org", "user name"),
        ("http://127.0.0.1:99999", "port"),
        ("ftp://127.0.0.1", "must begin with http"),
        ("127.0.0.1:19519", "must begin with http"),
        ("", "isn't a URL"),
    ] {
        let ran = World::default().run(&["boards", "list", "--url", url, "--data-dir", dir.path().to_str().unwrap()]);
        assert_eq!(ran.code, EXIT_USAGE, "{url}");
        assert!(ran.err.contains(why), "{url}: {}", ran.err);
    }
    let dir = data_dir("https://example.org");
    assert!(list(dir.path(), &[], &[]).out.contains("isn't on this machine"));
}

#[test]
fn options_go_before_the_environment_and_the_directory() {
    let (first, second) = (Fake::genuine(|_| (200, "", "1".into())), Fake::genuine(|_| (200, "", "2".into())));
    let dir = data_dir(&first.base);
    let elsewhere = tempfile::tempdir().unwrap();
    let token_file = elsewhere.path().join("t");
    write_token(&token_file, TOKEN);
    let dir_text = dir.path().to_str().unwrap();
    let run = |words: &[&str], env: &[(&str, &str)]| World { env, ..World::default() }.run(words).out;
    let by_env = [("PILOTHOUSE_DATA_DIR", dir_text)];
    assert_eq!(run(&["boards", "list"], &by_env), "1\n");
    assert_eq!(run(&["boards", "list", "--url", &second.base], &by_env), "2\n");
    assert_eq!(run(&["--url", &second.base, "boards", "list"], &by_env), "2\n");
    assert_eq!(run(&["boards", "list"], &[by_env[0], ("PILOTHOUSE_URL", &second.base)]), "2\n");
    let named = ["boards", "list", "--data-dir", dir_text];
    assert_eq!(run(&named, &[("PILOTHOUSE_URL", &second.base)]), "1\n");
    let token = ["boards", "list", "--url", &second.base, "--token-file", token_file.to_str().unwrap()];
    assert_eq!(run(&token, &[]), "2\n");
    assert!(World::default().run(&["boards", "list"]).err.contains("--data-dir"));
}

#[test]
fn a_session_speaks_with_its_own_token() {
    let fake = Fake::genuine(|_| (200, "", "{}".into()));
    let env = [("APP_BASE_URL", fake.base.as_str()), ("APP_CLI_TOKEN", SESSION_TOKEN), ("APP_SESSION_ID", "s1")];
    let ran = World { env: &env, ..World::default() }.run(&["boards", "list"]);
    assert_eq!(ran.code, EXIT_OK, "{}", ran.err);
    let [health, request] = &fake.all()[..] else { panic!("{:?}", fake.all()) };
    assert!(!health.head.contains(SESSION_TOKEN));
    assert!(request.has(&format!("authorization: Bearer {SESSION_TOKEN}")), "{}", request.head);
    assert!(request.has("x-app-source-session-id: s1"), "{}", request.head);

    let env = [("APP_BASE_URL", "https://example.org"), ("APP_CLI_TOKEN", SESSION_TOKEN)];
    let ran = World { env: &env, ..World::default() }.run(&["boards", "list"]);
    assert_eq!(ran.code, EXIT_REFUSED);
    assert!(ran.err.contains("wasn't sent"), "{}", ran.err);

    // With a directory too, whose command-line token may do more.
    let dir = data_dir(&fake.base);
    let ran = list(dir.path(), &["--source-session", "s2"], &env);
    assert_eq!(ran.code, EXIT_OK, "{}", ran.out);
    let request = fake.requests().pop().unwrap();
    assert!(request.has(&format!("authorization: Bearer {SESSION_TOKEN}")), "{}", request.head);
    assert!(request.has("x-app-source-session-id: s2"), "{}", request.head);
}

/// The command-line token may do more than a session: it is used only where no session's token is.
#[test]
fn a_token_in_the_environment_goes_before_the_command_line_token() {
    let fake = Fake::genuine(|_| (200, "", "{}".into()));
    let dir = data_dir(&fake.base);
    let path = dir.path().to_str().unwrap();
    let file = dir.path().join("t");
    write_token(&file, TOKEN);
    let token = ("APP_CLI_TOKEN", SESSION_TOKEN);
    let by_dir = ("PILOTHOUSE_DATA_DIR", path);
    let by_url = ("PILOTHOUSE_URL", fake.base.as_str());
    let by_session = ("APP_BASE_URL", fake.base.as_str());
    type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)]);
    let cases: [Case; 7] = [
        (&["--data-dir", path], &[token]),
        (&[], &[token, by_dir]),
        (&["--url", &fake.base], &[token, by_dir]),
        (&[], &[token, by_url]),
        (&[], &[token, by_session, by_dir]),
        (&[], &[token, by_session, ("PILOTHOUSE_URL", "http://127.0.0.1:1")]),
        (&["--data-dir", path], &[token, ("APP_BASE_URL", "http://127.0.0.1:1")]),
    ];
    for (words, env) in cases {
        let ran = World { env, ..World::default() }.run(&[&["boards", "list"], words].concat());
        assert_eq!((ran.code, ran.err.as_str()), (EXIT_OK, ""), "{words:?} {env:?}");
        let request = fake.requests().pop().unwrap();
        assert!(request.has(&format!("authorization: Bearer {SESSION_TOKEN}")), "{words:?} {env:?}");
        let message = r#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
        let ran = World { env, stdin: message, ..World::default() }.run(&[&["mcp"], words].concat());
        assert_eq!((ran.code, ran.err.as_str()), (EXIT_OK, ""), "{words:?} {env:?}");
        let request = fake.requests().pop().unwrap();
        assert_eq!(request.line, "POST /mcp");
        assert!(request.has(&format!("authorization: Bearer {SESSION_TOKEN}")), "{words:?} {env:?}");
    }
    let sent = fake.requests().len();
    // A wrong one is an error, and the command-line token is not tried instead.
    let wrong = [("APP_CLI_TOKEN", "bogus"), by_dir];
    let ran = World { env: &wrong, ..World::default() }.run(&["boards", "list"]);
    assert_eq!(ran.code, EXIT_REFUSED);
    assert!(ran.err.contains("knows the token in APP_CLI_TOKEN, so none was sent"), "{}", ran.err);
    let blank = [("APP_CLI_TOKEN", " "), by_dir];
    let ran = World { env: &blank, ..World::default() }.run(&["boards", "list"]);
    assert!(ran.code == EXIT_REFUSED && ran.err.contains("APP_CLI_TOKEN has no token."), "{}", ran.err);
    for url in ["--url", "PILOTHOUSE_URL"] {
        let (words, env): (&[&str], &[(&str, &str)]) = match url {
            "--url" => (&["--url", "https://example.org"], &[token]),
            name => (&[], &[token, (name, "https://example.org")]),
        };
        let ran = World { env, ..World::default() }.run(&[&["boards", "list"], words].concat());
        assert!(ran.code == EXIT_REFUSED && ran.err.contains("wasn't sent"), "{url}: {}", ran.err);
    }
    assert_eq!(fake.requests().len(), sent);
    // A file that is named is what the person wants.
    let named = ["boards", "list", "--token-file", file.to_str().unwrap()];
    let ran = World { env: &[token, by_dir], ..World::default() }.run(&named);
    assert_eq!(ran.code, EXIT_OK, "{}", ran.err);
    assert!(fake.requests().pop().unwrap().has(&format!("authorization: Bearer {TOKEN}")));
}

#[cfg(unix)]
#[test]
fn a_token_file_that_others_could_touch_is_refused() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let fake = Fake::genuine(|_| (200, "", "{}".into()));
    let dir = data_dir(&fake.base);
    let token = dir.path().join("cli-token");
    for mode in [0o644, 0o640, 0o660, 0o700, 0o400] {
        std::fs::set_permissions(&token, std::fs::Permissions::from_mode(mode)).unwrap();
        let ran = list(dir.path(), &[], &[]);
        assert_eq!(ran.code, EXIT_REFUSED, "{mode:o}");
        // Root could read a file of any mode; the refusal is the same for everyone.
        let named = ran.out.contains(&kit::ids::close_token_file(&token)) || mode == 0o400;
        assert!(named && ran.out.contains("token-file"), "{mode:o}: {}", ran.out);
    }
    let real = dir.path().join("real");
    write_token(&real, TOKEN);
    std::fs::remove_file(&token).unwrap();
    symlink(&real, &token).unwrap();
    assert!(list(dir.path(), &[], &[]).out.contains("symbolic link"));
    std::fs::remove_file(&token).unwrap();
    assert!(list(dir.path(), &[], &[]).out.contains("doesn't exist"));
    for text in ["", "two words", "a\nb"] {
        write_token(&token, text);
        assert!(list(dir.path(), &[], &[]).out.contains("one token in one line"), "{text:?}");
    }
    // Another owner can be set up by root only; elsewhere the check of modes stands for both.
    write_token(&token, TOKEN);
    if std::os::unix::fs::chown(&token, Some(12345), None).is_ok() {
        assert!(list(dir.path(), &[], &[]).out.contains("another user (id 12345)"));
    }
    assert!(fake.all().is_empty());
    // What the refusal of the link says works.
    let named = list(dir.path(), &["--token-file", real.to_str().unwrap()], &[]);
    assert_eq!(named.code, EXIT_OK, "{}", named.out);
}

#[test]
fn open_shows_or_prints_the_page_with_a_fresh_code() {
    let fake = Fake::genuine(|_| (200, "", r#"{"code": "c0de-_9", "expiresInSeconds": 60, "url": "x"}"#.into()));
    let dir = data_dir(&fake.base);
    let page = format!("{}/app/#c=c0de-_9", fake.base);
    let world = World::default();
    let ran = world.run(&["open", "--data-dir", dir.path().to_str().unwrap()]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (EXIT_OK, "", ""));
    assert_eq!(world.opened.take(), [page.as_str()]);
    let ran = world.run(&["open", "--print", "--data-dir", dir.path().to_str().unwrap()]);
    assert_eq!((ran.code, ran.out), (EXIT_OK, format!("{page}\n")));
    assert!(world.opened.take().is_empty());
    assert_eq!(fake.requests()[0].line, "POST /login/codes");

    let fake = Fake::genuine(|_| (200, "", r#"{"code": "a b\"; rm"}"#.into()));
    let dir = data_dir(&fake.base);
    assert_eq!(world.run(&["open", "--data-dir", dir.path().to_str().unwrap()]).code, EXIT_REFUSED);
}
