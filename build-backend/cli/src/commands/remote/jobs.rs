//! `apg jobs`, `apg attach` and `apg stop`: programs that run on a remote machine or have run there.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use apg_remote::client::Client;
use apg_remote::protocol::{From, JobState, Phase};
use clap::Args;
use serde_json::json;

use super::ask::Silent;
use super::{Printer, client, find, follow};
use crate::commands::hosts::ssh_words;
use crate::failure::{Failure, Outcome};
use crate::options::ReportOptions;
use crate::output;
use crate::report::MessageFormat;

/// List the programs of a remote machine that run, or whose end is not known to a client yet
#[derive(Debug, Args)]
pub(crate) struct Jobs {
    /// The machine: `[user@]host[:port]`, or a name of `[remote.NAME]` in apg.toml
    #[arg(long, value_name = "REMOTE")]
    on: String,

    #[command(flatten)]
    report: ReportOptions,
}

/// Follow a program on a remote machine: its output from the beginning, then its exit status
#[derive(Debug, Args)]
pub(crate) struct Attach {
    /// The job's name
    job: String,

    /// The machine: `[user@]host[:port]`, or a name of `[remote.NAME]` in apg.toml
    #[arg(long, value_name = "REMOTE")]
    on: String,

    /// Print only output that no client has acknowledged
    #[arg(long)]
    new: bool,

    #[command(flatten)]
    report: ReportOptions,
}

/// End a program on a remote machine
#[derive(Debug, Args)]
pub(crate) struct Stop {
    /// The job's name
    job: String,

    /// The machine: `[user@]host[:port]`, or a name of `[remote.NAME]` in apg.toml
    #[arg(long, value_name = "REMOTE")]
    on: String,
}

/// How long a machine may take to answer while a word is completed.
const COMPLETION_TIMEOUT: Duration = Duration::from_secs(5);

/// The names of a machine's jobs, for completion: nothing is asked or printed.
pub(crate) fn job_names(on: &str) -> Result<Vec<String>, Failure> {
    let remote = find(on)?;
    let client = Client::new(&remote, ssh_words(), &Silent).map_err(Failure::new)?;
    let jobs = client.unattended(COMPLETION_TIMEOUT).jobs().map_err(Failure::new)?;
    Ok(jobs.into_iter().map(|job| job.name).collect())
}

impl Jobs {
    pub(crate) fn run(self) -> Outcome {
        let remote = find(&self.on)?;
        // A list is no run: its states are not printed.
        let printer = Printer::new(&remote.name, MessageFormat::Human);
        let jobs = client(&remote, &printer)?.jobs().map_err(Failure::new)?;
        printer.finish()?;
        if self.report.message_format == MessageFormat::Json {
            for job in &jobs {
                let (state, status) = describe(job.phase);
                output::line(json!({
                    "name": job.name, "command": job.command, "host": job.host, "started": job.started,
                    "output": job.output, "state": state, "status": status,
                }))?;
            }
            return Ok(0);
        }
        if jobs.is_empty() {
            output::line(format_args!("no jobs on {}", remote.name))?;
        }
        jobs.iter().try_for_each(|job| output::line(line(job)))?;
        Ok(0)
    }
}

fn describe(phase: Phase) -> (&'static str, Option<i32>) {
    match phase {
        Phase::Running => ("running", None),
        Phase::Ended(status) => ("ended", Some(status)),
        Phase::Lost => ("lost", None),
    }
}

/// A job for people.
fn line(job: &JobState) -> String {
    let state = match describe(job.phase) {
        (state, None) => state.to_owned(),
        (state, Some(status)) => format!("{state} ({status})"),
    };
    let age =
        SystemTime::now().duration_since(UNIX_EPOCH + Duration::from_secs(job.started)).unwrap_or_default();
    let age = match age.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds => format!("{} h", seconds / 3600),
    };
    let text = format!("{:<24} {state:<12} {age:>7}  {}  apg {}", job.name, job.host, job.command);
    text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect()
}

impl Attach {
    pub(crate) fn run(self) -> Outcome {
        let remote = find(&self.on)?;
        let printer = Printer::new(&remote.name, self.report.message_format);
        let client = client(&remote, &printer)?;
        let from = if self.new { From::Acknowledged } else { From::Start };
        let follower = client.attach(&self.job, from).map_err(Failure::new)?;
        follow(follower, &printer)
    }
}

impl Stop {
    pub(crate) fn run(self) -> Outcome {
        let remote = find(&self.on)?;
        let printer = Printer::new(&remote.name, MessageFormat::Human);
        client(&remote, &printer)?.stop(&self.job).map_err(Failure::new)?;
        printer.finish()?;
        Ok(0)
    }
}
