//! Commands on remote machines: `--on REMOTE`, `apg jobs`, `apg attach` and `apg stop`.

mod ask;
mod c_run;
mod command_line;
mod jobs;
mod observer;
mod run;

use apg_remote::agent;
use apg_remote::client::{Client, End, Follower, Submitted};
use apg_remote::config::{self, BuildPlace, Remote};
use apg_remote::manifest::Manifest;
use apg_remote::protocol::{CompilerLanguage, Detached, Job};
use apg_remote::supervisor;
use apg_runtime::cluster::environment;
use apg_toolchain::{c, find_compiler};
use clap::{Args, ValueEnum};

use crate::commands::hosts::ssh_words;
use crate::exit;
use crate::failure::{Failure, Outcome};
use crate::report::{self, MessageFormat};

pub(crate) use ask::ask_hosts;
pub(crate) use c_run::{RemoteCRun, build_c_on, run_c_on};
pub(crate) use command_line::CommandLine;
pub(crate) use jobs::{Attach, Jobs, Stop, job_names};
pub(crate) use observer::Printer;
pub(crate) use run::{RemoteProgram, RemoteRun, build_on, run_on};

/// Seconds for which a job of a shell runs on while its connection is lost.
const DEFAULT_GRACE_SECONDS: u64 = 60;
/// The same for commands whose output is of no use to a later client.
const PLAIN_GRACE_SECONDS: u64 = 15;
/// Environment variable with another number of them.
const GRACE_VARIABLE: &str = "APG_RECONNECT_TIMEOUT";

/// Where a command runs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Remote machine")]
pub(crate) struct OnOption {
    /// Do it on another machine, reached by ssh: `[user@]host[:port]`, or a name of `[remote.NAME]` in
    /// apg.toml
    #[arg(long, value_name = "REMOTE")]
    pub on: Option<String>,
}

/// How a program runs on a remote machine.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Remote machine")]
pub(crate) struct RemoteRunOptions {
    /// Let the program run on when this command ends or the connection is lost; `apg attach` follows it again
    #[arg(long, requires = "on")]
    pub keep: bool,

    /// Start the program and leave it alone
    #[arg(long, requires = "on")]
    pub detach: bool,

    /// Where the program is built: there, here, or there if that machine has a C++ compiler
    #[arg(long, requires = "on", value_enum, value_name = "WHERE")]
    pub build: Option<Where>,
}

/// Where a program is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Where {
    /// There if it can be, else here
    Auto,
    /// On this machine
    Here,
    /// On the remote machine
    There,
}

impl RemoteRunOptions {
    fn build_place(&self, remote: &Remote) -> BuildPlace {
        match self.build {
            None => remote.build,
            Some(Where::Auto) => BuildPlace::Auto,
            Some(Where::Here) => BuildPlace::Here,
            Some(Where::There) => BuildPlace::There,
        }
    }

    /// What happens to the job while no client is attached.
    fn detached(&self) -> Result<Detached, Failure> {
        if self.keep || self.detach {
            return Ok(Detached::Keep);
        }
        let Some(text) = super::hosts::environment_variable(GRACE_VARIABLE) else {
            return Ok(Detached::End(DEFAULT_GRACE_SECONDS));
        };
        let wrong =
            || Failure::misuse(format!("{GRACE_VARIABLE} is `{text}`; it must be a number of seconds"));
        text.trim().parse().map(Detached::End).map_err(|_| wrong())
    }
}

/// The remote machine of this name.
fn find(name: &str) -> Result<Remote, Failure> {
    let here = current_folder()?;
    config::find(name, &here).map_err(|error| {
        let failure = Failure::misuse(error.message);
        error.hint.into_iter().fold(failure, Failure::hint)
    })
}

/// The names of the remote machines of apg.toml.
pub(crate) fn remote_names() -> Result<Vec<String>, Failure> {
    let remotes = config::named(&current_folder()?).map_err(|error| Failure::misuse(error.message))?;
    Ok(remotes.into_keys().collect())
}

fn current_folder() -> Result<std::path::PathBuf, Failure> {
    std::env::current_dir().map_err(|error| Failure::new(format!("there is no working folder: {error}")))
}

/// A client of a machine.
fn client<'a>(remote: &'a Remote, printer: &'a Printer) -> Result<Client<'a>, Failure> {
    Client::new(remote, ssh_words(), printer).map_err(Failure::new)
}

/// A job of `apg` with these arguments and no files.
fn plain_job(remote: &Remote, name: &str, arguments: Vec<String>) -> Result<Job, Failure> {
    let run_folder = match &remote.run_dir {
        Some(folder) => folder.clone().into_bytes(),
        None => current_folder()?.into_os_string().into_encoded_bytes(),
    };
    let mut variables = environment::forwarded();
    for name in &remote.environment {
        let value = std::env::var_os(name).map(std::ffi::OsString::into_encoded_bytes);
        variables.extend(value.map(|value| (name.clone().into_bytes(), value)));
    }
    Ok(Job {
        name: name.to_owned(),
        files: Vec::new(),
        start_folder: String::new(),
        run_folder,
        launcher: Vec::new(),
        arguments,
        variables,
        needs_compiler: None,
        product: None,
        has_input: false,
        detached: Detached::End(PLAIN_GRACE_SECONDS),
    })
}

/// Runs a command that needs no files, such as `apg doctor`, on a remote machine. `complete` adds its
/// options.
pub(crate) fn run_plain(
    on: &str,
    verb: &str,
    complete: &dyn Fn(&Remote, &mut CommandLine) -> Result<(), Failure>,
) -> Outcome {
    let remote = find(on)?;
    let printer = Printer::new(&remote.name, MessageFormat::Human);
    let client = client(&remote, &printer)?;
    let mut line = CommandLine::default();
    line.word(verb);
    complete(&remote, &mut line)?;
    let mut arguments = color_arguments();
    arguments.extend(line.into_words());
    let job = plain_job(&remote, verb, arguments)?;
    match client.submit(&job, &Manifest::default(), &mut || true).map_err(Failure::new)? {
        Submitted::Started(follower) => follow(follower, &printer),
        Submitted::NoCompiler(why) => Err(Failure::new(why)),
        Submitted::Cancelled => Ok(1),
    }
}

/// `--color` as this command's own errors have it.
fn color_arguments() -> Vec<String> {
    let when = if report::is_colored() { "always" } else { "never" };
    vec!["--color".to_owned(), when.to_owned()]
}

/// Follows a job to its end, and ends as it has.
fn follow(follower: Follower<'_>, printer: &Printer) -> Outcome {
    let job = follower.job().to_owned();
    let end = follower.follow();
    printer.finish()?;
    let End { status, reason, interrupted_by } = match end {
        Ok(end) => end,
        Err(error) => {
            printer.exit(1)?;
            return Err(Failure::new(error));
        }
    };
    if let Some(reason) = reason.filter(|_| interrupted_by.is_none()) {
        printer.remark(&format!("job `{job}` has ended: {reason}"))?;
    }
    printer.exit(status)?;
    match interrupted_by {
        Some(signal) if status == 128 + signal => exit::end_by(signal),
        _ => Ok(u8::try_from(status & 0xff).unwrap_or(1)),
    }
}

/// Runs the agent or a supervisor of this machine if this process was started as one.
pub(crate) fn run_as_agent() -> Option<Outcome> {
    let mut arguments = std::env::args_os().skip(1);
    let command = arguments.next()?;
    if command == agent::COMMAND {
        let find = |language| match language {
            CompilerLanguage::C => c::find().map(drop).map_err(|error| error.to_string()),
            CompilerLanguage::Cpp => find_compiler().map(drop).map_err(|error| error.to_string()),
        };
        let failed = |error| Failure::new(format!("the agent has lost its client: {error}"));
        return Some(agent::run(&find).map(|()| 0).map_err(failed));
    }
    if command == supervisor::COMMAND {
        let folder = arguments.next()?;
        let failed = |error| Failure::new(format!("the supervisor of a job has failed: {error}"));
        return Some(supervisor::run(folder.as_ref()).map(|()| 0).map_err(failed));
    }
    None
}
