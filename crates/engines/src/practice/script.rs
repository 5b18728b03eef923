//! What a prompt tells the practice agent to do.

use std::time::Duration;

/// What begins a script. What comes before it, such as an earlier conversation, is not read.
pub(super) const BEGIN: &str = "practice:";
/// The most that numbers of steps may be.
const WAIT_SECONDS_MAX: f64 = 86_400.0;
const STREAM_MAX: u64 = 1_000_000;
const LOOP_MAX: u64 = 1_000;

/// One thing to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Says a text.
    Say(String),
    /// Thinks a text.
    Think(String),
    /// Does nothing for so long.
    Wait(Duration),
    /// Reads a file.
    Read(String),
    /// Writes a text to a file.
    Write(String, String),
    /// Runs a command.
    Run(String),
    /// Asks the person.
    Ask(String),
    /// Proposes a plan.
    Plan(Vec<String>),
    /// Shows a list of what to do.
    Todo(Vec<String>),
    /// Shows a picture.
    Image,
    /// Names the session.
    Title(String),
    /// Tells how full the context is and what it costs.
    Usage {
        /// Tokens in the context.
        used: u64,
        /// Tokens that fit.
        size: u64,
        /// Dollars so far.
        cost: Option<f64>,
    },
    /// Says so many words, so many in a second; as fast as it goes where that is zero.
    Stream {
        /// How many.
        words: u64,
        /// How fast.
        per_second: f64,
    },
    /// Says so often what time it is, in milliseconds since 1970, so many times a second: how late it is shown can be measured.
    Clock {
        /// How often.
        times: u64,
        /// How fast.
        per_second: f64,
    },
    /// Reads a file again and again.
    Loop {
        /// How often.
        times: u64,
        /// Which.
        path: String,
    },
    /// Goes wrong.
    Fail(Fail),
    /// Says what instructions it was given.
    Instructions,
    /// Says which MCP servers it was given.
    Servers,
}

/// A way to go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fail {
    /// The service has too much to do.
    Overload,
    /// What may be used is used up.
    Limit,
    /// Nobody is logged in.
    Auth,
    /// The context is full.
    Context,
    /// The service does not take the request.
    Request,
    /// The process ends.
    Crash,
    /// Sends what is no message, and goes on.
    Garbage,
    /// Says nothing more until it is canceled.
    Silence,
}

/// How steps are written.
const STEPS: &[(&str, &str)] = &[
    ("say", "say TEXT"),
    ("think", "think TEXT"),
    ("wait", "wait SECONDS"),
    ("read", "read PATH"),
    ("write", "write FILE TEXT"),
    ("run", "run COMMAND"),
    ("ask", "ask QUESTION"),
    ("plan", "plan A|B|C"),
    ("todo", "todo A|~B|+C"),
    ("image", "image"),
    ("title", "title TEXT"),
    ("usage", "usage USED SIZE [COST]"),
    ("stream", "stream N [RATE]"),
    ("clock", "clock N [RATE]"),
    ("loop", "loop N [PATH]"),
    ("fail", "fail overload|limit|auth|context|request|crash|garbage|silence"),
    ("instructions", "instructions"),
    ("servers", "servers"),
];

/// What the practice agent understands, for people.
pub fn help() -> String {
    let steps: Vec<String> = STEPS.iter().map(|(_, form)| format!("- `{form}`")).collect();
    format!(
        "This is the practice agent. It runs the steps after `{BEGIN}`, separated by `;` (`\\;` is a semicolon). For example, `{BEGIN} say Hello; write notes.txt one line; run ls`.\n\n{}",
        steps.join("\n")
    )
}

/// The steps of a prompt; `None` where it holds no script.
pub fn parse(prompt: &str) -> Option<Result<Vec<Step>, String>> {
    let script = &prompt[prompt.rfind(BEGIN)? + BEGIN.len()..];
    let steps = split(script);
    Some(steps.iter().map(|step| step.trim()).filter(|step| !step.is_empty()).map(read_step).collect())
}

/// Splits at semicolons that have no backslash in front of them.
fn split(script: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut signs = script.chars().peekable();
    while let Some(sign) = signs.next() {
        let step = steps.last_mut().expect("there is one");
        match sign {
            '\\' if signs.next_if_eq(&';').is_some() => step.push(';'),
            ';' => steps.push(String::new()),
            sign => step.push(sign),
        }
    }
    steps
}

fn read_step(step: &str) -> Result<Step, String> {
    let (name, rest) = step.split_once(char::is_whitespace).unwrap_or((step, ""));
    let rest = rest.trim();
    let form = STEPS.iter().find(|(known, _)| *known == name).map(|(_, form)| *form);
    let form = form.ok_or_else(|| format!("`{name}` isn't a step of the practice agent.\n\n{}", help()))?;
    read(name, rest).ok_or_else(|| format!("Invalid step `{step}`. Write it as `{form}`."))
}

fn read(name: &str, rest: &str) -> Option<Step> {
    let text = || (!rest.is_empty()).then(|| rest.to_owned());
    let list = || Some(rest.split('|').map(|one| one.trim().to_owned()).collect()).filter(|_| !rest.is_empty());
    let words: Vec<&str> = rest.split_whitespace().collect();
    let times = || Some(words.first()?.parse::<u64>().ok()?.min(STREAM_MAX));
    let rate = || words.get(1).map_or(Some(0.0), |rate| number(rate));
    Some(match name {
        "say" => Step::Say(text()?),
        "think" => Step::Think(text()?),
        "wait" => Step::Wait(Duration::from_secs_f64(number(rest)?.min(WAIT_SECONDS_MAX))),
        "read" => Step::Read(text()?),
        "write" => {
            let (file, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            Step::Write(Some(file.to_owned()).filter(|file| !file.is_empty())?, text.trim().to_owned())
        }
        "run" => Step::Run(text()?),
        "ask" => Step::Ask(text()?),
        "plan" => Step::Plan(list()?),
        "todo" => Step::Todo(list()?),
        "image" => Step::Image,
        "title" => Step::Title(text()?),
        "usage" => Step::Usage {
            used: words.first()?.parse().ok()?,
            size: words.get(1)?.parse().ok()?,
            cost: words.get(2).map(|cost| number(cost).ok_or(())).transpose().ok()?,
        },
        "stream" => Step::Stream { words: times()?, per_second: rate()? },
        "clock" => Step::Clock { times: times()?, per_second: rate()? },
        "loop" => Step::Loop {
            times: words.first()?.parse::<u64>().ok()?.min(LOOP_MAX),
            path: words.get(1).map_or("README.md", |path| path).to_owned(),
        },
        "fail" => Step::Fail(match rest {
            "overload" => Fail::Overload,
            "limit" => Fail::Limit,
            "auth" => Fail::Auth,
            "context" => Fail::Context,
            "request" => Fail::Request,
            "crash" => Fail::Crash,
            "garbage" => Fail::Garbage,
            "silence" => Fail::Silence,
            _ => return None,
        }),
        "instructions" => Step::Instructions,
        "servers" => Step::Servers,
        _ => return None,
    })
}

/// A number that is not negative.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_read_step_by_step() {
        let steps = parse(
            "Remember the rules.\npractice: say a\\; b ; write f.txt one two;; wait 0.5; stream 3; usage 1 2 0.5; plan A | B",
        );
        assert_eq!(
            steps.unwrap().unwrap(),
            [
                Step::Say("a; b".into()),
                Step::Write("f.txt".into(), "one two".into()),
                Step::Wait(Duration::from_millis(500)),
                Step::Stream { words: 3, per_second: 0.0 },
                Step::Usage { used: 1, size: 2, cost: Some(0.5) },
                Step::Plan(vec!["A".into(), "B".into()]),
            ]
        );
        assert_eq!(parse("just a prompt"), None);
    }

    #[test]
    fn what_cannot_be_read_says_how_it_is_written() {
        for (script, says) in [
            ("practice: dance", "`dance` isn't a step"),
            ("practice: wait long", "`wait SECONDS`"),
            ("practice: wait -1", "`wait SECONDS`"),
            ("practice: wait NaN", "`wait SECONDS`"),
            ("practice: write", "`write FILE TEXT`"),
            ("practice: fail often", "`fail overload|limit"),
            ("practice: usage 1", "`usage USED SIZE [COST]`"),
        ] {
            let error = parse(script).unwrap().unwrap_err();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn every_step_that_is_shown_is_known() {
        for (name, form) in STEPS {
            let example = form.replace("SECONDS", "1").replace("USED SIZE [COST]", "1 2").replace("N [", "1 [");
            let example = example.split('[').next().unwrap();
            let example = if *name == "fail" { "fail auth" } else { example };
            assert!(matches!(parse(&format!("practice: {example}")), Some(Ok(steps)) if steps.len() == 1), "{form}");
        }
    }
}
