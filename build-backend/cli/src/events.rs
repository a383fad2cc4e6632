//! `apg run --message-format json`: the run as a stream of events for editors and scripts, one JSON object a line on standard
//! output: `{"event":"diagnostic",...}` as of `apg check`, `{"event":"started"}`, `{"event":"output","stream":"stdout",
//! "place":0,"text":"..."}` for each line (no place when it is not the program's own), and at last
//! `{"event":"exit","status":0}`.
//!
//! The program runs in a child process with this command's own arguments, so that its output can be told apart.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;

use apg_runtime::base::interrupt::{self, Then};
use apg_runtime::base::output_tag;
use serde_json::{Value, json};

use super::options::SourceOptions;
use super::{Failure, Outcome};
use crate::report::MessageFormat;
use apg_diagnostics::render::json::to_json;
use apg_project::session;

/// Runs the command line of this process as events.
pub fn run(file: &Path, sources: &SourceOptions, format: MessageFormat) -> Outcome {
    if format != MessageFormat::Json {
        return Err(
            Failure::misuse("`apg run` prints for people or as `json`").hint("`apg check` knows all formats")
        );
    }
    let checked = session::check(&[file.to_owned()], &sources.settings())?;
    for finding in &checked.findings {
        let mut event = to_json(finding);
        event["event"] = "diagnostic".into();
        say(&event)?;
    }
    if checked.has_errors() {
        say(&json!({ "event": "exit", "status": 1 }))?;
        return Ok(1);
    }
    let mut child = Command::new(std::env::current_exe().map_err(cannot_start)?)
        .args(without_format(std::env::args().skip(1)))
        .env(output_tag::VARIABLE, "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(cannot_start)?;
    say(&json!({ "event": "started", "process": child.id() }))?;
    pass_on(child.id());
    let (sender, lines) = mpsc::channel();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let errors = sender.clone();
        scope.spawn(move || read("stdout", stdout, &sender));
        scope.spawn(move || read("stderr", stderr, &errors));
        let told = lines.iter().try_for_each(|(stream, text)| {
            let (place, text) = output_tag::read(&text);
            let mut event = json!({ "event": "output", "stream": stream, "text": text });
            if let Some(place) = place {
                event["place"] = place.into();
            }
            say(&event)
        });
        if told.is_err() {
            // Nobody listens; without this the program would go on alone.
            let _ = child.kill();
        }
        told
    })?;
    let ended = child.wait().map_err(cannot_start)?;
    let status = ended.code().or(ended.signal().map(|signal| 128 + signal)).unwrap_or(1);
    say(&json!({ "event": "exit", "status": status }))?;
    Ok(u8::try_from(status & 0xff).unwrap_or(1))
}

/// Ctrl-C and its like end the program; its last output and its status are told as always.
fn pass_on(process: u32) {
    interrupt::set(move |signal| {
        // SAFETY: a plain system call. The process is not awaited before its output has ended.
        unsafe { libc::kill(process as libc::pid_t, signal) };
        Then::GoOn
    });
}

fn cannot_start(error: std::io::Error) -> Failure {
    Failure::new(format!("cannot start the program: {error}"))
}

/// The same command line for people.
fn without_format(arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // What comes after is the program's.
            "--" => {
                kept.push(argument);
                kept.extend(arguments);
                break;
            }
            "--message-format" => {
                arguments.next();
            }
            _ if argument.starts_with("--message-format=") => {}
            _ => kept.push(argument),
        }
    }
    kept
}

fn say(event: &Value) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{event}")?;
    Ok(out.flush()?)
}

fn read(stream: &'static str, from: Option<impl Read>, to: &mpsc::Sender<(&'static str, String)>) {
    let Some(from) = from else { return };
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        // The receiver ends only when both streams have.
        let _ = to.send((stream, String::from_utf8_lossy(&line).into_owned()));
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_format_is_left_out_but_not_of_the_programs_arguments() {
        let arguments = "run a.x10 --message-format json --places 2 -- --message-format json"
            .split(' ')
            .map(str::to_owned);
        let kept = super::without_format(arguments).join(" ");
        assert_eq!(kept, "run a.x10 --places 2 -- --message-format json");
    }
}
