//! `apg run --message-format json`: the run as a stream of events for editors and scripts, one JSON object a
//! line on standard output: `{"event":"diagnostic",...}` as of `apg check`, `{"event":"started"}`,
//! `{"event":"output","stream":"stdout", "place":0,"text":"..."}` for each line (no place when it is not the
//! program's own), and at last `{"event":"exit","status":0}`.
//!
//! The program runs in a child process with this command's own arguments, so that its output is separate from
//! the events.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;

use apg_runtime::base::interrupt::{self, Then};
use apg_runtime::base::output_tag;
use serde_json::{Value, json};

use crate::failure::{Failure, Outcome};
use crate::options::ProgramOptions;
use crate::report::MessageFormat;
use apg_diagnostics::render::Finding;
use apg_diagnostics::render::json::to_json;
use apg_project::session;

/// A format that runs do not have.
pub(crate) fn wrong_format() -> Failure {
    Failure::misuse("`apg run` prints for people or as `json`").hint("`apg check` knows all formats")
}

/// Runs the command line of this process as events.
pub(crate) fn run(program: &ProgramOptions) -> Outcome {
    if program.report.message_format != MessageFormat::Json {
        return Err(wrong_format());
    }
    let checked = session::check(std::slice::from_ref(&program.file), &program.sources.settings())?;
    print_findings(&checked.findings)?;
    if checked.has_errors() {
        return print_exit(1);
    }
    follow_command()
}

/// Runs the command line of this process, whose findings have been printed, as events.
pub(crate) fn follow_command() -> Outcome {
    let mut command = Command::new(std::env::current_exe().map_err(cannot_start)?);
    command.args(without_format(std::env::args().skip(1))).env(output_tag::VARIABLE, "1");
    follow(command)
}

/// Prints the last event, of a program that ended with this status or was not built.
pub(crate) fn print_exit(status: i32) -> Outcome {
    print_event(&json!({ "event": "exit", "status": status }))?;
    Ok(u8::try_from(status & 0xff).unwrap_or(1))
}

/// Runs a program to its end and prints its output as events.
pub(crate) fn follow(mut program: Command) -> Outcome {
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(cannot_start)?;
    print_event(&json!({ "event": "started", "process": child.id() }))?;
    forward_signals(child.id());
    let (sender, lines) = mpsc::channel();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let errors = sender.clone();
        scope.spawn(move || send_lines("stdout", stdout, &sender));
        scope.spawn(move || send_lines("stderr", stderr, &errors));
        let sent = lines.iter().try_for_each(|(stream, text)| print_event(&output_event(stream, &text)));
        if sent.is_err() {
            // The reader has closed the pipe: ends the program.
            let _ = child.kill();
        }
        sent
    })?;
    let ended = child.wait().map_err(cannot_start)?;
    let status = ended.code().or(ended.signal().map(|signal| 128 + signal)).unwrap_or(1);
    print_exit(status)
}

/// A line of output as an event, with the place that has printed it.
pub(crate) fn output_event(stream: &str, line: &str) -> Value {
    let (place, text) = output_tag::read(line);
    let mut event = json!({ "event": "output", "stream": stream, "text": text });
    if let Some(place) = place {
        event["place"] = place.into();
    }
    event
}

/// Prints what is wrong with a program as events.
pub(crate) fn print_findings(findings: &[Finding]) -> Result<(), Failure> {
    findings.iter().try_for_each(|finding| {
        let mut event = to_json(finding);
        event["event"] = "diagnostic".into();
        print_event(&event)
    })
}

/// Forwards Ctrl-C and other signals to the program. Its last output and its status are still reported.
fn forward_signals(process: u32) {
    interrupt::set(move |signal| {
        // SAFETY: a system call without pointers. The process has not been waited for: its id is not reused.
        unsafe { libc::kill(process as libc::pid_t, signal) };
        Then::GoOn
    });
}

fn cannot_start(error: std::io::Error) -> Failure {
    Failure::new(format!("cannot start the program: {error}"))
}

/// The command line without `--message-format`.
fn without_format(arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Arguments of the program follow.
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

pub(crate) fn print_event(event: &Value) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{event}")?;
    Ok(out.flush()?)
}

fn send_lines(stream: &'static str, from: Option<impl Read>, to: &mpsc::Sender<(&'static str, String)>) {
    let Some(from) = from else { return };
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        // The receiver lives until both streams have ended.
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
