//! What a run on a remote machine prints: for people the program's output and remarks about the connection,
//! for tools the events of [`crate::run_events`] and
//! `{"event":"remote","remote":"gpu","state":"connecting",...}`, whose states are `connecting`, `installing`,
//! `sending`, `running`, `building`, `reconnecting` and `reconnected`.

use std::io;
use std::sync::{Mutex, PoisonError};

use apg_remote::client::{Observer, State};
use apg_runtime::base::output_errors;
use apg_runtime::base::plain_text::without_controls;
use serde_json::json;

use crate::failure::Failure;
use crate::output;
use crate::progress::Progress;
use crate::report::MessageFormat;
use crate::run_events::{output_event, print_event};

/// Prints what a run says.
pub(crate) struct Printer {
    remote: String,
    /// As events for tools.
    is_json: bool,
    progress: Progress,
    /// Beginnings of lines of both streams, for events.
    partial: Mutex<[Vec<u8>; 2]>,
}

impl Printer {
    /// Prints for a remote machine of this name.
    pub(crate) fn new(remote: &str, format: MessageFormat) -> Printer {
        Printer {
            remote: remote.to_owned(),
            is_json: format == MessageFormat::Json,
            progress: Progress::default(),
            partial: Mutex::default(),
        }
    }

    /// Whether it prints events.
    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    /// The progress line.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Prints a remark to the user.
    pub(crate) fn remark(&self, text: &str) -> Result<(), Failure> {
        self.progress.finish();
        match self.is_json {
            true => {
                print_event(&json!({ "event": "output", "stream": "stderr", "text": format!("apg: {text}") }))
            }
            false => output::remark(format_args!("apg: {}", without_controls(text))),
        }
    }

    /// Prints what is left of lines.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        self.progress.finish();
        for number in [1, 2] {
            let rest =
                std::mem::take(&mut self.partial.lock().unwrap_or_else(PoisonError::into_inner)[number - 1]);
            if !rest.is_empty() {
                print_event(&output_event(stream_name(number), &String::from_utf8_lossy(&rest)))?;
            }
        }
        Ok(())
    }

    /// Prints the last event.
    pub(crate) fn exit(&self, status: i32) -> Result<(), Failure> {
        match self.is_json {
            true => print_event(&json!({ "event": "exit", "status": status })),
            false => Ok(()),
        }
    }

    /// Prints whole lines as events, and keeps the rest.
    fn print_lines(&self, number: usize, data: &[u8]) -> Result<(), Failure> {
        let mut partial = self.partial.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = &mut partial[number - 1];
        rest.extend_from_slice(data);
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            print_event(&output_event(stream_name(number), &String::from_utf8_lossy(&line[..end])))?;
        }
        Ok(())
    }
}

fn stream_name(number: usize) -> &'static str {
    if number == 2 { "stderr" } else { "stdout" }
}

/// Text of another machine without control characters.
fn neutralised(text: &str) -> String {
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect()
}

impl Observer for Printer {
    fn state(&self, state: &State) {
        let remote = &self.remote;
        if self.is_json {
            let mut event = json!({ "event": "remote", "remote": remote });
            event["state"] = match state {
                State::Connecting => "connecting",
                State::Installing => "installing",
                State::Sending { .. } => "sending",
                State::Running { .. } => "running",
                State::Building { .. } => "building",
                State::Reconnecting { .. } => "reconnecting",
                State::Reconnected => "reconnected",
            }
            .into();
            match state {
                State::Sending { files, bytes } => {
                    event["files"] = (*files).into();
                    event["bytes"] = (*bytes).into();
                }
                State::Running { job } => event["job"] = job.clone().into(),
                State::Building { stage } => event["stage"] = without_controls(stage).into(),
                State::Reconnecting { why } => event["why"] = why.clone().into(),
                State::Connecting | State::Installing | State::Reconnected => {}
            }
            // A reader that has gone is noticed at the next output.
            let _ = print_event(&event);
            if matches!(state, State::Running { .. }) {
                let _ = print_event(&json!({ "event": "started", "process": std::process::id() }));
            }
            return;
        }
        match state {
            State::Connecting => self.progress.stage(format!("connecting with {remote}")),
            State::Installing => self.progress.stage(format!("copying apg to {remote}")),
            State::Sending { files, bytes } => {
                self.progress.stage(format!("sending {files} files ({bytes} bytes) to {remote}"));
            }
            State::Running { .. } => self.progress.stage(format!("running on {remote}")),
            State::Building { stage } if stage.is_empty() => self.progress.finish(),
            State::Building { stage } => self.progress.stage(without_controls(&format!("{remote}: {stage}"))),
            State::Reconnecting { why } => {
                self.notice(&format!("the connection is lost, and is tried again: {}", neutralised(why)));
            }
            State::Reconnected => self.notice(&format!("{remote} is reached again")),
        }
    }

    fn output(&self, stream: u8, data: &[u8]) -> io::Result<()> {
        self.progress.finish();
        if self.is_json {
            let printed = self.print_lines(usize::from(stream).clamp(1, 2), data);
            return printed.map_err(|failure| match failure.is_broken_pipe {
                true => io::ErrorKind::BrokenPipe.into(),
                false => io::Error::other(failure.message),
            });
        }
        output_errors::write_fully(if stream == 2 { libc::STDERR_FILENO } else { libc::STDOUT_FILENO }, data)
    }

    fn notice(&self, text: &str) {
        // Without a reader of errors the job continues.
        let _ = self.remark(text);
    }
}
